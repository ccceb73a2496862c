"""What a model file holds of paper mode: all that has been learnt, nothing else."""

import numpy as np

from mooe.paper import core
from mooe.paper.core import Params, State
from mooe.paper.layout import COUNTERS

ROSTER = OLD_ROSTER = ()  # the experts have no names

REALS = ("low", "high", "meta_rate")  # counters that are floats
WHOLES = tuple(name for name in COUNTERS.names or () if name not in REALS)


def without_newcomers(params: Params, roster: tuple[str, ...]) -> Params:
    """Return the parameters: no kind of expert has ever been added here."""
    if roster:
        raise ValueError(f"roster must be empty, got {roster!r}")
    return params


def learnt(params: Params, state: State, roster: tuple[str, ...] = ROSTER) -> dict[str, np.ndarray]:
    """Return copies of all that has been learnt, by name."""
    block, n, t = core.views(params, state), state.n_offline, state.t
    used = np.append(np.arange(n), params.max_experts - 1)  # the online expert is last
    return {
        "reals": np.array([getattr(state, name) for name in REALS]),
        "counts": block.counts.copy(),
        "mean": block.mean.copy(),
        "squares": block.squares.copy(),
        "online": block.online.copy(),
        "experts": np.ascontiguousarray(block.experts[:, :, :n]),
        "fitted": block.fitted[:n].copy(),
        "multipliers": block.multipliers.copy(),
        "log_prior": block.log_prior[used],
        "losses": block.losses[used],
        "rows": block.rows[:t].copy(),
        "labels": block.labels[:t].copy(),
        "row_weights": block.row_weights[:t].copy(),
    }


def restored(
    params: Params,
    counters: dict[str, int],
    tensors: dict[str, np.ndarray],
    roster: tuple[str, ...] = ROSTER,
    verify: bool = True,
) -> State:
    """Return the state that `learnt` and the counters were taken from.

    Everything is checked, because compiled code trusts it: a file can be forged.
    """
    _check_counters(params, counters)
    n_inputs = counters["n_features"] + params.intercept
    for name, shape in (  # before room is made
        ("counts", (counters["n_features"],)),
        ("multipliers", (counters["n_outputs"],)),
        ("online", (counters["n_outputs"], n_inputs)),
    ):
        if tensors[name].shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, got {tensors[name].shape}")
    state = core.init(params, counters["n_features"], counters["n_classes"])
    if counters["n_outputs"] != state.n_outputs:
        raise ValueError(f"n_outputs must be {state.n_outputs}, got {counters['n_outputs']}")
    for name, value in counters.items():
        state.counters[name] = value
    empty = learnt(params, state)
    for name, expected in empty.items():
        found = tensors[name]
        if found.shape != expected.shape or found.dtype != expected.dtype:
            raise ValueError(f"{name} must be {expected.dtype} of the shape {expected.shape}")
        if name != "reals" and not np.isfinite(found).all():
            raise ValueError(f"{name} must hold finite numbers")
    for name, value in zip(REALS, tensors["reals"], strict=True):
        state.counters[name] = value
    block, n, t = core.views(params, state), state.n_offline, state.t
    used = np.append(np.arange(n), params.max_experts - 1)
    for name in ("counts", "mean", "squares", "online", "multipliers"):
        getattr(block, name)[...] = tensors[name]
    block.experts[:, :, :n] = tensors["experts"]
    block.fitted[:n] = tensors["fitted"]
    block.log_prior[used] = tensors["log_prior"]
    block.losses[used] = tensors["losses"]
    block.rows[:t] = tensors["rows"]
    block.labels[:t] = tensors["labels"]
    block.row_weights[:t] = tensors["row_weights"]
    return state


def _check_counters(params: Params, counters: dict[str, int]) -> None:
    """Raise ValueError for a counter that no stream leads to."""
    if set(counters) != set(WHOLES):
        raise ValueError(f"counters must be {sorted(WHOLES)}, got {sorted(counters)}")
    limits = {
        "n_features": 2**31,
        "n_outputs": 2**31,
        "n_classes": 2**31,
        "n_offline": params.max_experts,
        "t": params.interval,
        "bounds_frozen": 2,
    }
    for name, value in counters.items():
        limit = limits.get(name, 2**62)
        if type(value) is not int or not 0 <= value < limit:
            raise ValueError(
                f"{name} must be a whole number from 0 to below {limit}, got {value!r}"
            )
