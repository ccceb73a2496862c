"""Slots: what has been learnt of a key, in one stretch of floats.

A slot is the record of counters, then the classes that the key has met, in its own order and by
their numbers among all; then the block of the engine's state, of the paper's without scratch; then
the weights of the key's corrections of a shared model, where there is one.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mooe.auto import layout as auto_layout
from mooe.engine import AnyParams, engine_of
from mooe.numerics.addresses import LINE_BYTES, fetch_ahead
from mooe.numerics.arithmetic import winner
from mooe.numerics.blocks import LINE, State, length
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.compiler import int64
from mooe.paper import layout as paper_layout

FLOAT = 8  # bytes
N_VOTES = 3  # experts of a key beside a shared model: its vote, and the same corrected twice
MOST_MULTIPLIED = 12  # columns, whose products a correction sees
DESK_LINES = 8  # labels, and what is lost to whole lines

# Of a key, what compiled code reads: where its slot is, the number of its parameters, how many
# cache lines it has, and where in it, in bytes, block and correction begin.
ADDRESS, KIND, LINES, BLOCK, CORRECTION = range(5)
N_FACTS = 5
GONE, SPILLED = -1, 0  # instead of an address
MOST = 2**40  # floats: as many as any slot
AHEAD = 6  # rows whose slots compiled code asks for before they are needed
DONE, CLASS, CLASSES, ROOM = range(4)  # why it ends: a label, known classes or rows need room
NEW, NO_ROOM = -1.0, -2.0  # instead of a label's place: it is met for the first time

longs = int64[::1]  # types of compiled code
facts = int64[:, ::1]


@dataclass
class Content:
    """What a slot holds."""

    state: State
    classes: list[int]  # numbers among all, in the key's own order
    correction: np.ndarray  # (n_outputs, n_inputs), of a shared model's votes


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
    return room + (1 + N_VOTES) * int(state.n_outputs) + n_corrected(state) + DESK_LINES * LINE


def shape_of(params: AnyParams, state: State, corrected: bool) -> Shape:
    """Return the shape of the slot of a state."""
    classes = max(2, int(state.n_classes)) if params.task == "classification" else 0
    n_counters, n_block = state.counters.nbytes // FLOAT, n_learnt(params, state)
    n_correction = int(state.n_outputs) * n_corrected(state) if corrected else 0
    return _shape(n_counters, classes, n_block, n_correction)


def n_corrected(state: State) -> int:
    """Return how many numbers the corrections of a state's key have, of each output.

    Weights of both, then for each the sum of its squared errors.
    """
    d = int(state.n_features) if getattr(state, "narrow", True) else 0
    return d + 1 + int(n_multiplied(d)) + 2


@shared
def n_multiplied(d):
    """Return how many inputs the second correction sees: as the first, and products if few."""
    return d + 1 + (d * (d + 1) // 2 if d <= MOST_MULTIPLIED else 0)


@lru_cache
def _shape(counters: int, classes: int, n_block: int, n_correction: int) -> Shape:
    block = _lines(counters + classes) * LINE
    correction = _lines(block + n_block) * LINE if n_correction else block + n_block
    return Shape(counters, classes, block, n_block, correction, n_correction)


@forced
def fetch_slot(slots, numbers, rows, at):
    """Ask for all lines of the slot of a row that is soon to come, if there is one."""
    if at + AHEAD < rows.shape[0]:
        slot = numbers[rows[at + AHEAD]]
        for line in range(slots[slot, LINES]):
            fetch_ahead(slots[slot, ADDRESS] + LINE_BYTES * line)


@part
def place_of(s, c, classes, label):
    """Return the place of a label among a key's classes, NEW or NO_ROOM; values are themselves."""
    if not s.classify or label != label:
        return label
    for k in range(c.n_classes):
        if classes[k] == label:
            return float(k)
    return NEW if c.n_classes < 2 else NO_ROOM


@part
def meet_class(c, classes, label):
    """In place: return the place of a label that a key meets for the first time."""
    classes[c.n_classes] = label
    c.n_classes += 1
    return float(c.n_classes - 1)


@part
def write_class(c, classes, out, answers, scores, columns, i):
    """In place: the answer to row i, a class by its number among all, and scores if asked for."""
    answers[i] = classes[winner(out)]
    if scores.shape[1] > 0:
        for k in range(c.n_outputs):
            scores[i, k] = out[k]
        for k in range(c.n_classes):
            columns[i, k] = classes[k]


def write_slot(slot: np.ndarray, shape: Shape, content: Content) -> None:
    """In place: a slot of this shape holds this."""
    n, classes = shape.counters, content.classes
    slot[:n] = content.state.counters.view(np.float64)
    slot[n : n + shape.classes] = 0.0
    slot[n : n + len(classes)] = classes
    slot[shape.block : shape.block + shape.n_block] = content.state.block[: shape.n_block]
    slot[shape.correction : shape.correction + shape.n_correction] = content.correction.ravel()


def read_slot(params: AnyParams, slot: np.ndarray, corrected: bool) -> Content:
    """Return a copy of what a slot holds."""
    layout = auto_layout if params.mode == "auto" else paper_layout
    n = layout.COUNTERS.itemsize // FLOAT
    state = layout.LAYOUT.empty(params, slot[:n].copy().view(layout.COUNTERS))
    shape = shape_of(params, state, corrected)
    state.block[: shape.n_block] = slot[shape.block : shape.block + shape.n_block]
    n_classes = int(state.n_classes) if shape.classes else 0
    classes = slot[n : n + n_classes].astype(np.int64).tolist()
    correction = slot[shape.correction : shape.correction + shape.n_correction].copy()
    return Content(state, classes, correction.reshape(-1, n_corrected(state)))


def shape_of_slot(params: AnyParams, slot: np.ndarray, corrected: bool) -> Shape:
    """Return the shape that a slot should have by its counters."""
    layout = auto_layout if params.mode == "auto" else paper_layout
    n = layout.COUNTERS.itemsize // FLOAT
    counters = slot[:n].copy().view(layout.COUNTERS)
    sizes = layout.LAYOUT.sizes_of(counters)
    return _shape_of_sizes(params, sizes, int(counters["n_classes"][0]), corrected)


@lru_cache
def _shape_of_sizes(
    params: AnyParams, sizes: tuple[int, ...], n_classes: int, corrected: bool
) -> Shape:
    layout = auto_layout if params.mode == "auto" else paper_layout
    counters = np.zeros(1, layout.COUNTERS)
    for name, value in zip(layout.LAYOUT.sizes, sizes, strict=True):
        counters[name] = value
    counters["n_classes"] = n_classes
    return shape_of(params, layout.LAYOUT.empty(params, counters), corrected)


def layout_of(params: AnyParams, width: int) -> str:
    """Return a digest of how the slots of these parameters are laid out."""
    state = engine_of(params).init(params, width, 3 if params.task == "classification" else 0)
    layout = auto_layout if params.mode == "auto" else paper_layout
    described = layout.COUNTERS.descr, list(_described(layout.LAYOUT.views(params, state)))
    return hashlib.sha256(repr(described).encode()).hexdigest()[:16]


def _described(views: Any) -> Iterator[tuple[Any, ...]]:
    """Yield name and shape of every array of a state."""
    for name, view in views._asdict().items():
        if isinstance(view, tuple):
            yield (name, *_described(view))
        else:
            yield name, view.shape
