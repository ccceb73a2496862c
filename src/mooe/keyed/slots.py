"""Slots: what has been learnt of a key, in one stretch of floats.

A slot is the record of counters, then the classes that the key has met, in its own order and by
their numbers among all; then the block of the engine's state, of the paper's without scratch; then
the weights of the key's correction of a shared model, where there is one.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mooe.auto import layout as auto_layout
from mooe.engine import AnyParams, engine_of
from mooe.numerics.blocks import LINE, State, length
from mooe.paper import layout as paper_layout

FLOAT = 8  # bytes
N_VOTES = 3  # of a row: scores, votes of a shared model, the same corrected
DESK_LINES = 8  # labels, and what is lost to whole lines

# Of a key, what compiled code reads: where its slot is, the number of its parameters, how many
# cache lines it has, and where in it, in bytes, block and correction begin.
ADDRESS, KIND, LINES, BLOCK, CORRECTION = range(5)
N_FACTS = 5
GONE, SPILLED = -1, 0  # instead of an address


@dataclass(frozen=True)
class Shape:
    """Where things lie in a slot, in floats."""

    counters: int
    classes: int  # room for so many
    block: int  # where it begins
    n_block: int
    correction: int
    n_correction: int

    @property
    def size(self) -> int:
        """Return the length of the slot."""
        return _lines(self.correction + self.n_correction) * LINE

    def facts(self, address: int, kind: int) -> list[int]:
        """Return what compiled code reads of a key."""
        lines = self.size // LINE
        return [address, kind, lines, FLOAT * self.block, FLOAT * self.correction]


def _lines(n: int) -> int:
    """Return how many cache lines so many floats take."""
    return -(-n // LINE)


def n_learnt(params: AnyParams, state: State) -> int:
    """Return how many floats of a state's block are learnt: they come first."""
    if params.mode == "auto":
        return len(state.block)
    names, sizes = paper_layout.LAYOUT.sizes, (state.n_features, state.n_outputs)
    return length(paper_layout.open_learnt, params, names, sizes)


def n_scratch(params: AnyParams, state: State) -> int:
    """Return how many floats compiled code needs beside the slot of a state, for a row."""
    room = len(engine_of(params).scratch(params, state))
    if params.mode == "paper":
        names, sizes = paper_layout.LAYOUT.sizes, (state.n_features, state.n_outputs)
        room = max(room, length(paper_layout.open_scratch, params, names, sizes))
    return room + N_VOTES * int(state.n_outputs) + int(state.n_features) + DESK_LINES * LINE


def shape_of(params: AnyParams, state: State, corrected: bool) -> Shape:
    """Return the shape of the slot of a state."""
    classes = max(2, int(state.n_classes)) if params.task == "classification" else 0
    n_counters, n_block = state.counters.nbytes // FLOAT, n_learnt(params, state)
    n_correction = int(state.n_outputs) * n_corrected(state) if corrected else 0
    return _shape(n_counters, classes, n_block, n_correction)


def n_corrected(state: State) -> int:
    """Return how many inputs a correction sees: the columns, if they are not many, and 1."""
    return int(state.n_features) + 1 if getattr(state, "narrow", True) else 1


@lru_cache
def _shape(counters: int, classes: int, n_block: int, n_correction: int) -> Shape:
    block = _lines(counters + classes) * LINE
    correction = _lines(block + n_block) * LINE if n_correction else block + n_block
    return Shape(counters, classes, block, n_block, correction, n_correction)


def write_slot(
    slot: np.ndarray, shape: Shape, state: State, classes: list[int], correction: np.ndarray
) -> None:
    """In place: a slot of this shape holds a state, numbers of classes, and a correction."""
    slot[: shape.counters] = state.counters.view(np.float64)
    slot[shape.counters : shape.counters + shape.classes] = 0.0
    slot[shape.counters : shape.counters + len(classes)] = classes
    slot[shape.block : shape.block + shape.n_block] = state.block[: shape.n_block]
    slot[shape.correction : shape.correction + shape.n_correction] = correction.ravel()


def read_slot(
    params: AnyParams, slot: np.ndarray, corrected: bool
) -> tuple[State, list[int], np.ndarray]:
    """Return copies of the state in a slot, of its numbers of classes, and of its correction."""
    layout = auto_layout if params.mode == "auto" else paper_layout
    n = layout.COUNTERS.itemsize // FLOAT
    counters = slot[:n].copy().view(layout.COUNTERS)
    state = layout.LAYOUT.empty(params, counters)
    shape = shape_of(params, state, corrected)
    state.block[: shape.n_block] = slot[shape.block : shape.block + shape.n_block]
    n_classes = int(state.n_classes) if shape.classes else 0
    classes = slot[n : n + n_classes].astype(np.int64).tolist()
    correction = slot[shape.correction : shape.correction + shape.n_correction].copy()
    return state, classes, correction.reshape(-1, n_corrected(state))
