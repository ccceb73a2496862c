"""What a model file holds of the default model: all that has been learnt, nothing else.

Everything is checked when it is read, because compiled code trusts it: a file can be forged.
"""

from typing import Any

import numpy as np

from mooe.auto.growth import in_use
from mooe.auto.params import AutoParams
from mooe.auto.records import (
    BUSY,
    COUNTERS,
    EXPERTS,
    IN_CHARGE,
    N_CONCEPTS,
    WORSE,
    Block,
    Memory,
    Squares,
    T,
)
from mooe.auto.state import (
    MOST_PAIRS,
    N_FOURIER,
    NARROW,
    init,
    n_outputs_of,
    resized,
    views,
)
from mooe.numerics.arithmetic import padded
from mooe.numerics.blocks import State
from mooe.numerics.features import LARGEST_INPUT

__all__ = ["REALS", "ROSTER", "WHOLES", "learnt", "restored"]

ROSTER = EXPERTS  # the experts that a file is written with

REALS = tuple(name for name in COUNTERS.names or () if COUNTERS[name].kind == "f")
WHOLES = tuple(name for name in COUNTERS.names or () if name not in REALS)
UNCUT = (
    *("counts", "mean", "squares", "zeros", "touched", "frequencies", "phases", "pairs"),
    *("shares", "tuned", "usual"),
)
TARGETS = ("target_mean", "target_squares", "target_least", "target_most", "low", "high")


def learnt(params: AutoParams, state: State) -> dict[str, np.ndarray]:
    """Return copies of all that has been learnt, by name."""
    block = views(params, state)
    found = {"reals": np.array([getattr(state, name) for name in REALS])}
    for name, array in uncut(block).items():
        found[name] = array.copy()
    found["dense"] = block.inputs.dense[: state.n_dense].copy()
    for name in ("plain", "rich"):
        for part, array in of_memory(getattr(block, name)).items():
            found[f"{name}.{part}"] = array
    for name in ("fast", "slow"):
        for part, array in of_squares(getattr(block, name)).items():
            found[f"{name}.{part}"] = array
    return found


def uncut(block: Block) -> dict[str, np.ndarray]:
    """Return the arrays that a file holds as they are."""
    named = block.inputs._asdict() | block._asdict()
    return {name: named[name] for name in UNCUT}


def of_memory(memory: Memory) -> dict[str, np.ndarray]:
    """Return copies of what a memory has learnt: lanes in use, rows of the open interval."""
    t, k, lanes = int(memory.status[T]), int(memory.status[N_CONCEPTS]), in_use(memory)
    longest = int(memory.lengths[:t].max(initial=0))
    beyond = np.arange(longest) >= memory.lengths[:t, None]
    found = {
        "weights": np.dstack([memory.frozen.weights[:, :, :k], memory.busy.weights]),
        "sums": np.dstack([memory.frozen.sums[:, :, :k], memory.busy.sums]),
        "facts": memory.facts[:, :k].copy(),
        "visits": memory.visits[:k].copy(),
        "status": memory.status.copy(),
        "gains": memory.gains[lanes],
        "since": memory.since[lanes],
        "losses": memory.losses[:t][:, lanes],
        "rows": np.where(beyond, 0.0, memory.rows[:t, :longest]),
        "lengths": memory.lengths[:t].copy(),
        "labels": memory.labels[:t].copy(),
        "row_weights": memory.row_weights[:t].copy(),
    }
    if memory.places.shape[1]:
        found["places"] = np.where(beyond, 0.0, memory.places[:t, :longest])
    return {name: np.ascontiguousarray(array) for name, array in found.items()}


def of_squares(squares: Squares) -> dict[str, np.ndarray]:
    """Return copies of what a least-squares expert has learnt."""
    return {
        "weights": squares.weights.copy(),
        "inverse": squares.inverse[np.tril_indices(len(squares.inverse))],
        "gain": squares.gain.copy(),
        "pending": squares.pending.copy(),
    }


def restored(params: AutoParams, counters: dict[str, int], tensors: dict[str, np.ndarray]) -> State:
    """Return the state that `learnt` and the counters were taken from, or raise ValueError."""
    check_counters(params, counters)
    for name, array in tensors.items():
        if array.dtype != np.float64 or (name != "reals" and not np.isfinite(array).all()):
            raise ValueError(f"{name} must hold finite numbers")
    check_claims(counters, tensors)
    state = resized(params, init(params, 0), **counters)
    for name, value in zip(REALS, tensors["reals"], strict=True):
        state.counters[name] = value
    check_reals(params, state)
    block = views(params, state)
    for name, array in uncut(block).items():
        put(name, array, tensors[name])
    if len(tensors["dense"]) != state.n_dense:
        raise ValueError(f"dense must be {state.n_dense} columns")
    dense = block.inputs.dense[: state.n_dense]
    put("dense", dense, tensors["dense"])
    check_whole("dense", dense, state.n_features)
    block.inputs.place[dense.astype(np.int64)] = np.arange(1, len(dense) + 1)
    if np.count_nonzero(block.inputs.place) != len(dense):
        raise ValueError("dense must be different columns")
    check_block(params, state, block)
    for name in ("plain", "rich"):
        put_memory(params, state, name, getattr(block, name), tensors)
    for name in ("fast", "slow"):
        put_squares(name, getattr(block, name), tensors)
    return state


def check_claims(counters: dict[str, int], tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless the sizes that counters claim are there; before room is made."""
    d, o = counters["n_features"], counters["n_outputs"]
    for name, shape in (
        ("counts", (d,)),
        ("usual", (o,)),
        ("shares", (padded(len(EXPERTS) + counters["n_added"]),)),
        ("plain.weights", (o, d + 1, max(BUSY, tensors["plain.weights"].shape[-1]))),
    ):
        if tensors[name].shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, got {tensors[name].shape}")


def put(name: str, target: np.ndarray, source: np.ndarray) -> None:
    """In place: an array of the right shape, or ValueError."""
    if source.shape != target.shape:
        raise ValueError(f"{name} must have the shape {target.shape}, got {source.shape}")
    target[...] = source


def check_whole(name: str, values: np.ndarray, limit: float, least: float = 0.0) -> None:
    """Raise ValueError unless the values are whole numbers from least to below limit."""
    if not ((values == np.floor(values)) & (values >= least) & (values < limit)).all():
        raise ValueError(f"{name} must be whole numbers from {least:g} to below {limit:g}")


def check_size(name: str, values: Any) -> None:
    """Raise ValueError unless the values are as small as inputs have to be."""
    if not (np.abs(values) <= LARGEST_INPUT).all():
        raise ValueError(f"{name} must be numbers of size up to {LARGEST_INPUT:g}")


def check_block(params: AutoParams, state: State, block: Block) -> None:
    """Raise ValueError for columns or weights that no stream leads to."""
    check_whole("pairs", block.inputs.pairs, max(1, state.n_features))
    for name in ("counts", "squares", "zeros", "touched", "shares", "tuned"):
        if (uncut(block)[name] < 0.0).any():
            raise ValueError(f"{name} must be at least 0")
    check_size("mean", block.inputs.mean)
    check_size("usual", block.usual)
    check_whole("touched", block.inputs.touched, state.n_seen + 1)
    ours = views(params, init(params, state.n_features)).shares[: len(EXPERTS)] > 0.0
    expected = np.zeros(len(block.shares), dtype=bool)
    expected[: len(EXPERTS)] = ours
    expected[len(EXPERTS) : len(EXPERTS) + state.n_added] = True
    for name in ("shares", "tuned"):
        if ((getattr(block, name) > 0.0) != expected).any():
            raise ValueError(f"{name} must be above 0 for the experts that take part alone")


def put_memory(
    params: AutoParams, state: State, name: str, memory: Memory, tensors: dict[str, np.ndarray]
) -> None:
    """In place: what a memory had learnt, or ValueError."""
    status = tensors[f"{name}.status"]
    put(f"{name}.status", memory.status, status)
    check_whole(f"{name}.status", status[:-1], 2**53, -1.0)
    t, k = int(status[T]), int(status[N_CONCEPTS])
    if not (0 <= t < params.interval and 0 <= k <= params.max_concepts):
        raise ValueError(f"{name}.status must be that of a memory, got {status.tolist()}")
    if not (-1 if k == 0 else 0) <= status[IN_CHARGE] < max(k, 1) or (k == 0) != (
        status[IN_CHARGE] < 0
    ):
        raise ValueError(f"{name}.status must name a concept in charge, got {status.tolist()}")
    lanes, n_inputs = in_use(memory), memory.rows.shape[1]
    for part in ("weights", "sums"):
        frozen, busy = getattr(memory.frozen, part), getattr(memory.busy, part)
        array = np.zeros((*busy.shape[:2], len(lanes)))
        put(f"{name}.{part}", array, tensors[f"{name}.{part}"])
        frozen[:, :, :k], busy[:] = array[:, :, :k], array[:, :, k:]
    if (memory.frozen.sums[:, :, :k] <= 0.0).any() or (memory.busy.sums <= 0.0).any():
        raise ValueError(f"{name}.sums must be above 0")
    put(f"{name}.facts", memory.facts[:, :k], tensors[f"{name}.facts"])
    put(f"{name}.visits", memory.visits[:k], tensors[f"{name}.visits"])
    check_whole(f"{name}.facts", memory.facts[:WORSE], 2**53)
    check_whole(f"{name}.visits", memory.visits, 2**53)
    for part in ("gains", "since"):
        array = np.zeros(len(lanes))
        put(f"{name}.{part}", array, tensors[f"{name}.{part}"])
        getattr(memory, part)[lanes] = array
    check_whole(f"{name}.since", memory.since, t + 1)
    losses = np.zeros((t, len(lanes)))
    put(f"{name}.losses", losses, tensors[f"{name}.losses"])
    memory.losses[:t, lanes] = losses
    for part in ("lengths", "labels", "row_weights"):
        put(f"{name}.{part}", getattr(memory, part)[:t], tensors[f"{name}.{part}"])
    if params.task == "classification":
        check_whole(f"{name}.labels", memory.labels[:t], state.n_classes)
    least = 1.0 if memory.places.shape[1] else n_inputs
    check_whole(f"{name}.lengths", memory.lengths[:t], n_inputs + 1, least)
    longest = int(memory.lengths[:t].max(initial=0))
    put(f"{name}.rows", memory.rows[:t, :longest], tensors[f"{name}.rows"])
    if memory.places.shape[1]:
        put(f"{name}.places", memory.places[:t, :longest], tensors[f"{name}.places"])
        check_whole(f"{name}.places", memory.places[:t], n_inputs)


def put_squares(name: str, squares: Squares, tensors: dict[str, np.ndarray]) -> None:
    """In place: what a least-squares expert had learnt, or ValueError."""
    for part in ("weights", "gain", "pending"):
        put(f"{name}.{part}", getattr(squares, part), tensors[f"{name}.{part}"])
    check_size(f"{name}.gain", squares.gain)
    places = np.tril_indices(len(squares.inverse))
    packed = np.zeros(len(places[0]))
    put(f"{name}.inverse", packed, tensors[f"{name}.inverse"])
    squares.inverse[places] = packed


def check_counters(params: AutoParams, counters: dict[str, Any]) -> None:
    """Raise ValueError for a counter that no stream leads to."""
    if set(counters) != set(WHOLES):
        raise ValueError(f"counters must be {sorted(WHOLES)}, got {sorted(counters)}")
    limits = {"narrow": 2, "shown": 2, "n_labelled": 2**53, "n_seen": 2**53}
    for name, value in counters.items():
        limit = limits.get(name, 2**31)
        if type(value) is not int or not 0 <= value < limit:
            raise ValueError(
                f"{name} must be a whole number from 0 to below {limit}, got {value!r}"
            )
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


def check_reals(params: AutoParams, state: State) -> None:
    """Raise ValueError for a real counter that no stream leads to."""
    for name in ("plain_norm", "rich_norm", "target_squares"):
        if not 0.0 <= getattr(state, name) < np.inf:
            raise ValueError(f"{name} must be at least 0, got {getattr(state, name)}")
    for name in ("target_unit", "error"):
        if not 0.0 < getattr(state, name) < np.inf:
            raise ValueError(f"{name} must be above 0, got {getattr(state, name)}")
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
    check_last(params, state)


def check_last(params: AutoParams, state: State) -> None:
    """Raise ValueError unless the last label is one."""
    if state.n_labelled == 0 or params.task == "regression":
        good = np.isnan(state.last) if state.n_labelled == 0 else abs(state.last) <= LARGEST_INPUT
    else:
        good = state.last in range(state.n_classes)
    if not good:
        raise ValueError(f"last must be a label that was learnt, got {state.last}")
