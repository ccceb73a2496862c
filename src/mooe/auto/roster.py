"""The experts of the mixture: which there are, and what is done with all of them, kind by kind.

Above the mixture, and none of EXPERTS, are the neighbours; the rest is the same for them. Nor is
the pool of forests one, which has no vote: it changes the forest.

A new kind of expert is a file in `mooe/auto/experts`, its names at the end of EXPERTS and its line
in every function here that its kind has a verb for; nothing else knows the experts. A file of
before goes on without it, see `mooe.auto.file`. Calls are written out, not looped over: compiled
code must know what it calls, and a reader sees what a kind is given beside its own arrays.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.experts import (
    autoregression,
    forest,
    forest_pool,
    least_squares,
    linear,
    memory,
    neighbours,
    simple,
)
from mooe.auto.inputs import Moved
from mooe.numerics.blocks import copy_alike
from mooe.numerics.compiled import forced, shared

# In the order of the mixture; experts that the user added follow.
EXPERTS = (
    "passive_plain",
    "passive_rich",
    "adagrad",
    "squares_slow",
    "squares_fast",
    "no_change",
    "memory_plain",
    "memory_rich",
    "steady",
    "usual",
    "forest",
    "leaves",
    "autoregression",
)
KINDS = (linear, memory, least_squares, simple, forest, autoregression)
NARROW_ONLY = tuple(name for kind in KINDS for name in kind.NARROW_ONLY)
CLASSES_ONLY = tuple(name for kind in KINDS for name in kind.CLASSES_ONLY)
ROSTER = (*EXPERTS, *neighbours.NAMES, *forest_pool.NAMES)  # of whom a model file has tensors
# The experts of a file that does not name them, and what models of before lack.
OLD_ROSTER = EXPERTS[: EXPERTS.index("usual") + 1]
NEWCOMERS = (*(name for name in ROSTER if name not in OLD_ROSTER), "calibration")

# The counters of experts that grow.
ROOMS = (
    *("leaf_room", "leaves_used", "leaves_free", "ring_room", "ring_rows"),
    *("copy_room", "copies", "until_copy", "trial_left"),
)


def places(kind: Any) -> tuple[int, ...]:
    """Return where the votes of a kind belong in the mixture."""
    return tuple(EXPERTS.index(name) for name in kind.NAMES)


LINEAR = places(linear)
MEMORY = places(memory)
LEAST_SQUARES = places(least_squares)
SIMPLE = places(simple)
FOREST = places(forest)
AUTOREGRESSION = places(autoregression)


class Experts(NamedTuple):
    """The arrays of every kind."""

    linear: linear.Linear
    memory: memory.Memories
    least_squares: least_squares.LeastSquares
    simple: simple.Simple
    forest: forest.Forest
    autoregression: autoregression.Autoregression
    neighbours: neighbours.Neighbours
    forest_pool: forest_pool.ForestPool


class Scratch(NamedTuple):
    """The scratch of every kind that has some."""

    linear: linear.Scores
    memory: memory.Scratch
    least_squares: least_squares.Scratch
    forest: forest.Scratch
    autoregression: autoregression.Scratch
    neighbours: neighbours.Scratch
    forest_pool: forest_pool.Scratch


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    of_linear, at = linear.open_arrays(s, c, block, at)
    of_memory, at = memory.open_arrays(s, c, block, at)
    of_squares, at = least_squares.open_arrays(s, c, block, at)
    of_simple, at = simple.open_arrays(s, c, block, at)
    of_forest, at = forest.open_arrays(s, c, block, at)
    of_labels, at = autoregression.open_arrays(s, c, block, at)
    of_neighbours, at = neighbours.open_arrays(s, c, block, at)
    of_pool, at = forest_pool.open_arrays(s, c, block, at)
    of_all = of_linear, of_memory, of_squares, of_simple, of_forest, of_labels, of_neighbours
    return Experts(*of_all, of_pool), at


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    of_linear, at = linear.open_scratch(s, c, block, at)
    of_memory, at = memory.open_scratch(s, c, block, at)
    of_squares, at = least_squares.open_scratch(s, c, block, at)
    of_forest, at = forest.open_scratch(s, c, block, at)
    of_labels, at = autoregression.open_scratch(s, c, block, at)
    of_neighbours, at = neighbours.open_scratch(s, c, block, at)
    of_pool, at = forest_pool.open_scratch(s, c, block, at)
    of_all = of_linear, of_memory, of_squares, of_forest, of_labels, of_neighbours
    return Scratch(*of_all, of_pool), at


def start(m: Experts) -> None:
    """In place: experts that have learnt nothing, in arrays of 0."""
    linear.start(m.linear)
    memory.start(m.memory)
    least_squares.start(m.least_squares)
    forest.start(m.forest)
    autoregression.start(m.autoregression)
    neighbours.start(m.neighbours)
    forest_pool.start(m.forest_pool)


def first_counters(s: Any, c: Any) -> dict[str, int]:
    """Return the counters of experts that grow, at the beginning; their room follows."""
    return {
        "leaves_used": forest.first_leaves(s, c),
        "until_copy": forest_pool.first_countdown(s, c),
    }


def room_for(s: Any, c: Any, n: int) -> dict[str, int]:
    """Return the counters of the room that experts need to learn n rows, at least one."""
    return {
        "leaf_room": forest.room_for(s, c, n),
        "ring_room": neighbours.room_for(s, c, n),
        "copy_room": forest_pool.room_for(s, c, n),
    }


def room_with(s: Any, c: Any, n_features: int) -> dict[str, int]:
    """Return the counters of experts that have less room for the more columns there are."""
    return neighbours.room_with(s, c, n_features)


def copy_used(c: Any, old: Experts, new: Experts) -> None:
    """In place: what was learnt, in arrays with other room."""
    copy_alike(old, new)
    forest.copy_used(c, old.forest, new.forest)
    neighbours.copy_used(c, old.neighbours, new.neighbours)
    rooms = len(old.forest.owner), len(new.forest.owner)
    forest_pool.copy_used(c, old.forest_pool, new.forest_pool, *rooms)


@forced
def rows_ahead(s, m):
    """Return how many rows `look_ahead` may be given before the first of them is learnt."""
    return memory.rows_left(s, m.memory)


@shared
def rows_left(s, c):
    """Return how many labelled rows experts have room for."""
    left = min(forest.rows_left(s, c), neighbours.rows_left(s, c))
    return min(left, forest_pool.rows_left(s, c))


@shared
def has_room_of_one(s, c):
    """Whether there is the room that one row needs, and no more than that, as between calls."""
    return rows_left(s, c) > 0 and c.copy_room == forest_pool.room_for(s, c, 1)


@forced
def look_ahead(c, m, w, seen, n_rows):
    """In place: what can be said of rows that are seen, whatever those before them will teach."""
    memory.look_ahead(c, m.linear, m.memory, w.linear, seen, n_rows)


@forced
def vote(s, c, m, w, seen, r, last, is_late, votes):
    """In place: the votes of all experts on row r.

    last is the last label that is known; is_late: that was known then, for others have come since.
    """
    linear.vote(s, c, m.linear, w.linear, seen, r, votes, LINEAR)
    memory.vote(s, c, w.linear, r, votes, MEMORY)
    least_squares.vote(s, c, m.least_squares, w.least_squares, seen, r, votes, LEAST_SQUARES)
    simple.vote(s, c, m.simple, last, votes, SIMPLE)
    forest.vote(s, c, m.forest, w.forest, seen, r, votes, FOREST)
    told = last, is_late
    autoregression.vote(c, m.autoregression, w.autoregression, *told, votes, AUTOREGRESSION)


@forced
def learn(s, c, inputs, m, w, seen, r, targets, label, weight):
    """In place: all experts learn row r, on which they have voted."""
    linear.learn(s, c, m.linear, w.linear, seen, r, targets, weight)
    least_squares.learn(s, c, m.least_squares, w.least_squares, seen, r, targets, weight)
    simple.learn(s, c, m.simple, targets, label, weight)
    forest.learn(s, c, inputs, m.forest, w.forest, seen, r, targets, label, weight)
    own, slopes = w.forest_pool, w.forest.scores
    forest_pool.learn(s, c, m.forest_pool, m.forest, own, slopes, seen, r, targets, label)
    autoregression.learn(c, m.autoregression, w.autoregression, label, weight)
    memory.learn(s, c, m.linear, m.memory, w.linear, w.memory, seen, r, targets, label, weight)


def grow_classes(s: Any, before: Any, c: Any, old: Experts, new: Experts) -> None:
    """In place: what was learnt, with room for more classes; c are the counters after that.

    Experts are given the scores that they would have learnt: of two classes the single score w
    becomes (-w, w), and a class that an expert never met has the score -1, its target all along,
    from the constant input.
    """
    linear.grow_classes(c, old.linear, new.linear, memory.n_concepts(old.memory))
    memory.grow_classes(old.memory, new.memory)
    least_squares.grow_classes(c, old.least_squares, new.least_squares)
    simple.grow_classes(old.simple, new.simple)
    forest.grow_classes(s, before, c, old.forest, new.forest)
    autoregression.grow_classes(c, old.autoregression, new.autoregression)
    copy_alike(old.neighbours, new.neighbours)  # labels are numbers of classes
    forest_pool.grow_classes(s, before, c, old.forest_pool, new.forest_pool)


def grow_inputs(s: Any, before: Any, c: Any, old: Experts, new: Experts, moved: Moved) -> None:
    """In place: what was learnt, in started experts of more columns; no expert knows the new ones.

    before and c are the counters before and after that. Those of NARROW_ONLY forget all where
    inputs become wide.
    """
    linear.grow_inputs(c, old.linear, new.linear, moved, memory.n_concepts(old.memory))
    memory.grow_inputs(c, old.memory, new.memory, moved)
    least_squares.grow_inputs(c, old.least_squares, new.least_squares, moved)
    simple.grow_inputs(old.simple, new.simple)
    forest.grow_inputs(s, before, c, old.forest, new.forest)
    autoregression.grow_inputs(old.autoregression, new.autoregression)
    neighbours.grow_inputs(before, c, old.neighbours, new.neighbours)
    forest_pool.grow_inputs(old.forest_pool, new.forest_pool)


def save(c: Any, m: Experts, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt by the kinds of these experts, by name."""
    tensors = {
        linear: linear.save(m.linear, memory.n_concepts(m.memory)),
        memory: memory.save(m.memory),
        least_squares: least_squares.save(m.least_squares),
        simple: simple.save(m.simple),
        forest: forest.save(c, m.forest),
        autoregression: autoregression.save(m.autoregression),
        neighbours: neighbours.save(c, m.neighbours),
        forest_pool: forest_pool.save(c, m.forest_pool, len(m.forest.owner)),
    }
    return {key: array for kind in _kinds_of(names) for key, array in tensors[kind].items()}


def check_shapes(s: Any, c: Any, tensors: dict[str, np.ndarray], names: tuple[str, ...]) -> None:
    """Raise ValueError for arrays of a file that are not those of its counters.

    Before room is made for what the counters tell: a small file must not ask for much.
    """
    linear.check_shapes(s, c, tensors)
    simple.check_shapes(c, tensors)
    if forest in _kinds_of(names):
        forest.check_shapes(s, c, tensors)
    if neighbours in _kinds_of(names):
        neighbours.check_shapes(s, c, tensors)
    if forest_pool in _kinds_of(names):
        forest_pool.check_shapes(s, c, tensors)


def restore(
    s: Any, c: Any, m: Experts, tensors: dict[str, np.ndarray], names: tuple[str, ...]
) -> None:
    """In place: what had been learnt by the kinds of these experts, or ValueError."""
    restored = {
        memory: lambda: memory.restore(s, c, m.memory, tensors),
        linear: lambda: linear.restore(m.linear, tensors, memory.n_concepts(m.memory)),
        least_squares: lambda: least_squares.restore(m.least_squares, tensors),
        simple: lambda: simple.restore(m.simple, tensors),
        forest: lambda: forest.restore(s, c, m.forest, tensors),
        autoregression: lambda: autoregression.restore(c, m.autoregression, tensors),
        neighbours: lambda: neighbours.restore(c, m.neighbours, tensors),
        forest_pool: lambda: forest_pool.restore(c, m.forest_pool, tensors, len(m.forest.owner)),
    }
    known = _kinds_of(names)
    for kind, restore_kind in restored.items():
        if kind in known:
            restore_kind()


def unread(s: Any, c: Any) -> tuple[str, ...]:
    """Return the names of arrays that a file of before may hold of experts that are left out."""
    return (*linear.unread(s, c), *least_squares.unread(s))


def _kinds_of(names: tuple[str, ...]) -> list[Any]:
    """Return the kinds that have one of these experts."""
    return [kind for kind in (*KINDS, neighbours, forest_pool) if set(kind.NAMES) & set(names)]
