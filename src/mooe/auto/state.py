"""What the default model has learnt: its beginning and its named arrays."""

import math
import threading
from functools import lru_cache
from typing import Any

import numpy as np

from mooe.auto.layout import open_block, open_desk
from mooe.auto.least_squares import STIFFNESS
from mooe.auto.params import AutoParams
from mooe.auto.records import COUNTERS, EXPERTS, IN_CHARGE, PASSIVE, Block
from mooe.auto.scorers import SMALLEST_SUM
from mooe.numerics.blocks import State
from mooe.numerics.checks import check_size

__all__ = [
    "MOST_PAIRS",
    "NARROW",
    "NARROW_ONLY",
    "N_FOURIER",
    "as_if_sorted",
    "block_size",
    "desk_of",
    "draw_waves",
    "init",
    "n_outputs_of",
    "records",
    "resized",
    "start_learners",
    "views",
]

NARROW = 128  # inputs: with more of them there are no rich ones
N_FOURIER, MOST_PAIRS = 100, 300  # the first a multiple of 4
BANDWIDTH = 0.7
# Experts on narrow inputs alone; the learner of "steady" is "adagrad" where inputs are wide.
NARROW_ONLY = ("passive_rich", "squares_slow", "squares_fast", "memory_rich", "steady")
SHAPE = ("n_features", "n_outputs", "n_fourier", "n_pairs", "n_added", "narrow")
KEPT, NOTHING = threading.local(), np.zeros(0)
ANYWHERE = np.broadcast_to(0.0, 2**46)  # as long as any block, and takes no room


def n_outputs_of(params: AutoParams, n_classes: int) -> int:
    """Return how many scores an expert gives: one, or one per class from three classes on."""
    return n_classes if params.task == "classification" and n_classes > 2 else 1


def init(params: AutoParams, n_features: int, n_classes: int = 0) -> State:
    """Return the state before the first sample, with room for classes known beforehand."""
    counters = np.zeros(1, COUNTERS)
    counters["n_features"] = n_features
    counters["n_classes"] = n_classes
    counters["n_outputs"] = n_outputs_of(params, n_classes)
    counters["last"] = np.nan
    counters["target_least"], counters["target_most"] = math.inf, -math.inf
    counters["target_unit"] = counters["error"] = 1.0
    counters["narrow"] = n_features <= NARROW
    if n_features <= NARROW:
        pairs = drawn_pairs(params, n_features)
        counters["n_fourier"] = 0 if "fourier" in params.without else N_FOURIER
        counters["n_pairs"] = len(pairs)
    state = State(counters, np.zeros(block_size(params, counters)))
    block = views(params, state)
    start_learners(block)
    if state.narrow:
        block.inputs.pairs[:] = pairs
        draw_waves(params, block)
    share_equally(params, state)
    return state


def start_learners(block: Block) -> None:
    """In place: learners that know nothing yet."""
    for memory in (block.plain, block.rich):
        memory.busy.sums[:] = SMALLEST_SUM
        memory.busy.sums[:, :, PASSIVE] = 1.0
        memory.status[IN_CHARGE] = -1.0
    for squares in (block.fast, block.slow):
        np.fill_diagonal(squares.inverse, STIFFNESS)
        squares.pending[0] = 1.0


def drawn_pairs(params: AutoParams, n_features: int) -> np.ndarray:
    """Return the pairs of columns to multiply: all, or as many as there is room for."""
    if "products" in params.without:
        return np.zeros((0, 2))
    pairs = np.column_stack(np.triu_indices(n_features))
    if len(pairs) > MOST_PAIRS:
        rng = np.random.default_rng((params.seed, 1))
        pairs = pairs[np.sort(rng.choice(len(pairs), MOST_PAIRS, replace=False))]
    return pairs


def draw_waves(params: AutoParams, block: Block) -> None:
    """In place: random frequencies and phases, in turns."""
    d, n = block.inputs.frequencies.shape
    rng = np.random.default_rng((params.seed, 0, d))
    scale = BANDWIDTH / math.sqrt(max(d, 1)) / (2.0 * math.pi)
    block.inputs.frequencies[:] = scale * rng.normal(size=(d, n))
    block.inputs.phases[:] = rng.random(n)


def as_if_sorted(params: AutoParams, state: State, order: list[int]) -> None:
    """In place: the random draws that the columns would have got in the order `order`.

    So that it does not matter in which order the features of a sample are named.
    """
    block = views(params, state)
    if state.narrow:
        block.inputs.frequencies[order] = block.inputs.frequencies.copy()
        block.inputs.pairs[:] = np.asarray(order, dtype=np.float64)[
            block.inputs.pairs.astype(np.int64)
        ]


def share_equally(params: AutoParams, state: State) -> None:
    """In place: all experts of the mixture weigh the same."""
    off = set(params.without) | (set() if state.narrow else set(NARROW_ONLY))
    on = [name not in off for name in EXPERTS]
    if not any(on):
        raise ValueError(f"without must leave an expert for wide inputs, got {params.without}")
    block = views(params, state)
    for weights in (block.shares, block.tuned):
        weights[:] = 0.0
        weights[: len(on)] = np.array(on) / sum(on)


def block_size(params: AutoParams, counters: np.ndarray) -> int:
    """Return how many floats `open_block` cuts into arrays."""
    n_features, n_outputs = (int(counters[name][0]) for name in ("n_features", "n_outputs"))
    least = (params.interval + n_outputs * params.max_concepts) * (n_features + 1)
    check_size(params, least, "max_concepts")  # before numbers that compiled code cannot count with
    n_floats = int(open_block(*records(params, counters), ANYWHERE)[1])
    check_size(params, n_floats, "max_concepts")
    return n_floats


def resized(params: AutoParams, state: State, **changes: int) -> State:
    """Return an empty state of other sizes, with the counters of this one."""
    counters = state.counters.copy()
    for name, value in changes.items():
        counters[name] = value
    return State(counters, np.zeros(block_size(params, counters)))


def desk_of(params: AutoParams, state: State) -> np.ndarray:
    """Return scratch of the size that `open_desk` cuts into arrays.

    That of wide inputs is kept for the next call of this thread: to make it anew would take longer
    than a row with few values.
    """
    n = desk_length(params, *(getattr(state, name) for name in SHAPE))
    if state.narrow:
        return np.zeros(n)
    if n > len(getattr(KEPT, "desk", NOTHING)):
        KEPT.desk = np.zeros(n)
    kept: np.ndarray = KEPT.desk[:n]
    return kept


@lru_cache
def desk_length(params: AutoParams, *shape: int) -> int:
    """Return the size of the scratch of states of this shape; kept, for chunks may be tiny."""
    counters = np.zeros(1, COUNTERS)
    for name, value in zip(SHAPE, shape, strict=True):
        counters[name] = value
    length: int = open_desk(*records(params, counters), ANYWHERE)[1]
    return length


def records(params: AutoParams, counters: np.ndarray) -> tuple[Any, Any]:
    """Return settings and counters as Python reads them by name."""
    return params.settings.view(np.recarray)[0], counters.view(np.recarray)[0]


def views(params: AutoParams, state: State) -> Block:
    """Return the named arrays of a state; they are views, not copies."""
    block: Block = open_block(*records(params, state.counters), state.block)[0]
    return block
