"""What a model file holds of the default model: all that has been learnt, nothing else.

Everything is checked when it is read, because compiled code trusts it: a file can be forged. A file
knows the experts that there were when it was written, its roster. One that came later is left out
of the model that is read, as if the user had named it in `without`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from mooe.auto import calibration, inputs, meta, targets
from mooe.auto import roster as experts
from mooe.auto.core import init, views
from mooe.auto.experts import forest, forest_pool, neighbours
from mooe.auto.inputs import MOST_PAIRS, N_FOURIER, NARROW
from mooe.auto.layout import COUNTERS, LAYOUT
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS, OLD_ROSTER, ROSTER
from mooe.numerics.blocks import State, records, values
from mooe.numerics.features import LARGEST_INPUT
from mooe.numerics.scores import n_outputs_of
from mooe.numerics.tensors import check_counters, check_size, real_and_whole

__all__ = ["OLD_ROSTER", "ROSTER", "WHOLES", "learnt", "restored", "unread", "without_newcomers"]

REALS, WHOLES = real_and_whole(COUNTERS)
ROOMS = ("leaf_room", "ring_room", "copy_room")  # which follow from what is used
WHOLES = tuple(name for name in WHOLES if name not in ROOMS)
# Counters that files do not hold which know nothing of a part.
NEWER = {
    "forest": ("n_groups", "leaves_used", "leaves_free", "ring_rows"),
    "forest_pool": ("copies", "until_copy", "trial_left"),
}
SINGLES = (  # of half the size
    *("forest.nodes", "forest.leaves", "neighbours.values"),
    *("forest_pool.owner", "forest_pool.nodes", "forest_pool.leaves"),
)
TARGETS = ("target_mean", "target_squares", "target_least", "target_most", "low", "high")


def learnt(
    params: AutoParams, state: State, roster: tuple[str, ...] = ROSTER
) -> dict[str, np.ndarray]:
    """Return copies of all that has been learnt, by name, for a file that knows these experts."""
    (s, c), block = records(params, state.counters), views(params, state)
    return {
        "reals": np.array([getattr(state, name) for name in REALS]),
        **inputs.save(c, block.inputs, _is_old(roster)),
        **({} if _is_old(roster) else targets.save(block.targets)),
        **meta.save(c, block.mixture, _of_mixture(roster)),
        **experts.save(c, block.experts, roster),
        **calibration.save(s, block.calibration),
    }


def _of_mixture(roster: tuple[str, ...]) -> tuple[str, ...]:
    """Return the experts of a roster that are in the mixture, not above it."""
    return tuple(name for name in roster if name in EXPERTS)


def _is_old(roster: tuple[str, ...]) -> bool:
    """Whether a file is of before there was a forest, with inputs for it, and calibration."""
    return "forest" not in roster


def without_newcomers(params: AutoParams, roster: tuple[str, ...]) -> AutoParams:
    """Return parameters that leave out the parts which a file does not know."""
    if len(set(roster)) < len(roster) or not set(roster) <= set(ROSTER):
        raise ValueError(f"roster must be different names of {ROSTER}, got {roster!r}")
    newcomers = tuple(name for name in ROSTER if name not in roster)
    if _is_old(roster):
        newcomers += ("calibration",)
    return replace(params, without=(*params.without, *newcomers))


def restored(
    params: AutoParams,
    counters: dict[str, int],
    tensors: dict[str, np.ndarray],
    roster: tuple[str, ...] = ROSTER,
    verify: bool = True,
) -> State:
    """Return the state that `learnt` and the counters were taken from, or raise ValueError.

    It is a state of `without_newcomers(params, roster)`. Without `verify` counters and numbers are
    taken as they are.
    """
    params = without_newcomers(params, roster)
    if verify:
        _check_counters(params, counters, roster)
        for name, array in tensors.items():
            kinds = (np.float32,) if name in SINGLES else (np.float64,)
            if array.dtype not in kinds or (name != "reals" and not np.isfinite(array).all()):
                raise ValueError(f"{name} must hold finite numbers")
    whole = np.zeros(1, COUNTERS)
    for name, value in counters.items():
        whole[name] = value
    s, c = values(params.settings), values(whole)
    inputs.check_shapes(c, tensors)
    meta.check_shapes(c, tensors, _of_mixture(roster))
    experts.check_shapes(s, c, tensors, roster)
    for name, room in experts.room_for(s, c, 1).items():
        whole[name] = room
    for name, value in zip(REALS, tensors["reals"], strict=True):
        whole[name] = value
    c = values(whole)
    state = LAYOUT.empty(params, whole)
    if verify:
        _check_reals(params, state)
    block = views(params, state)
    inputs.restore(c, block.inputs, tensors, _is_old(roster))
    targets.restore(c, block.targets, tensors)
    meta.restore(s, c, block.mixture, tensors, _of_mixture(roster))
    experts.start(block.experts)
    experts.restore(s, c, block.experts, tensors, roster)
    calibration.restore(s, c, block.calibration, tensors)
    if verify:
        forest.check(s, c, block.experts.forest, block.inputs.group)
        neighbours.check(s, c, block.experts.neighbours)
        forest_pool.check(s, c, block.experts.forest_pool, int(c.leaf_room))
    return state


def unread(params: AutoParams, state: State) -> tuple[str, ...]:
    """Return the names of arrays that a file may hold and nobody reads: of what is left out.

    Once such parts had arrays all the same.
    """
    return experts.unread(values(params.settings), values(state.counters))


def _check_counters(params: AutoParams, counters: dict[str, Any], roster: tuple[str, ...]) -> None:
    """Raise ValueError for a counter that no stream leads to."""
    limits = {
        "narrow": 2,
        "shown": 2,
        **dict.fromkeys(("n_labelled", "n_seen", "ring_rows"), 2**53),
    }
    newer = [name for part, names in NEWER.items() if part not in roster for name in names]
    names = tuple(name for name in WHOLES if name not in newer)
    check_counters(counters, names, limits, 2**31)
    d, narrow = counters["n_features"], bool(counters["narrow"])
    expected = {
        "n_outputs": n_outputs_of(params, counters["n_classes"]),
        "n_seen": counters["n_labelled"],
        "narrow": int(d <= NARROW),
        "shown": counters["shown"] if narrow else 0,
        "n_classes": counters["n_classes"] if params.task == "classification" else 0,
        "n_fourier": N_FOURIER if narrow and "fourier" not in params.without else 0,
    }
    for name, value in expected.items():
        if counters[name] != value:
            raise ValueError(f"{name} must be {value}, got {counters[name]}")
    if counters["n_pairs"] > (MOST_PAIRS if narrow else 0) or counters["n_dense"] > d:
        raise ValueError("n_pairs and n_dense must be those of the features")
    if counters.get("n_groups", 0) > (d if narrow else 0):
        raise ValueError("n_groups must be those of narrow features")


def _check_reals(params: AutoParams, state: State) -> None:
    """Raise ValueError for a real counter that no stream leads to."""
    for name in ("plain_norm", "rich_norm", "target_squares"):
        if not 0.0 <= getattr(state, name) < np.inf:
            raise ValueError(f"{name} must be at least 0, got {getattr(state, name)}")
    for name in ("target_unit", "error"):
        if not 0.0 < getattr(state, name) < np.inf:
            raise ValueError(f"{name} must be above 0, got {getattr(state, name)}")
    check_size("target_unit", state.target_unit)
    if params.task == "classification" or state.n_labelled == 0:
        fresh = init(params, 0)
        for name in TARGETS:
            if getattr(state, name) != getattr(fresh, name):
                raise ValueError(f"{name} must be that of no regression")
    else:
        check_size("target_mean", state.target_mean)
        for low, high in (("target_least", "target_most"), ("low", "high")):
            if not -np.inf < getattr(state, low) <= getattr(state, high) < np.inf:
                raise ValueError(f"{low} and {high} must be the bounds of labels")
    if state.n_labelled == 0 or params.task == "regression":
        good = np.isnan(state.last) if state.n_labelled == 0 else abs(state.last) <= LARGEST_INPUT
    else:
        good = state.last in range(state.n_classes)
    if not good:
        raise ValueError(f"last must be a label that was learnt, got {state.last}")
