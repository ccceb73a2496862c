"""What a model file holds of paper mode: all that has been learnt, nothing else."""

from typing import Any

import numpy as np

from mooe.numerics.tensors import check_counters, real_and_whole
from mooe.paper import core
from mooe.paper.core import Params, State
from mooe.paper.layout import COUNTERS

ROSTER = OLD_ROSTER = ()  # the experts have no names
REALS, WHOLES = real_and_whole(COUNTERS)


def without_newcomers(params: Params, roster: tuple[str, ...]) -> Params:
    """Return the parameters: no kind of expert has ever been added here."""
    if roster:
        raise ValueError(f"roster must be empty, got {roster!r}")
    return params


def unread(params: Params, state: State) -> tuple[str, ...]:
    """Return the names of arrays that a file may hold and nobody reads: none here."""
    return ()


def learnt(params: Params, state: State, roster: tuple[str, ...] = ROSTER) -> dict[str, np.ndarray]:
    """Return copies of all that has been learnt, by name."""
    block = core.views(params, state)
    tensors = {"reals": np.array([getattr(state, name) for name in REALS])}
    for name, place in _places(params, state).items():
        tensors[name] = np.array(getattr(block, name)[place], order="C")
    return tensors


def _places(params: Params, state: State) -> dict[str, Any]:
    """Return where in its array lies what has been learnt, by the name of the array."""
    n, t = state.n_offline, state.t
    used = np.append(np.arange(n), params.max_experts - 1)  # the online expert is last
    return {
        **dict.fromkeys(("counts", "mean", "squares", "online", "multipliers"), ...),
        "experts": np.s_[:, :, :n],
        "fitted": np.s_[:n],
        **dict.fromkeys(("log_prior", "losses"), used),
        **dict.fromkeys(("rows", "labels", "row_weights"), np.s_[:t]),
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
    few = dict.fromkeys(("n_features", "n_outputs", "n_classes"), 2**31)
    own = {"n_offline": params.max_experts, "t": params.interval, "bounds_frozen": 2}
    check_counters(counters, WHOLES, few | own, 2**62)
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
    for name, expected in learnt(params, state).items():
        tensor = tensors[name]
        if tensor.shape != expected.shape or tensor.dtype != expected.dtype:
            raise ValueError(f"{name} must be {expected.dtype} of the shape {expected.shape}")
        if name != "reals" and not np.isfinite(tensor).all():
            raise ValueError(f"{name} must hold finite numbers")
    for name, value in zip(REALS, tensors["reals"], strict=True):
        state.counters[name] = value
    block = core.views(params, state)
    for name, place in _places(params, state).items():
        getattr(block, name)[place] = tensors[name]
    return state
