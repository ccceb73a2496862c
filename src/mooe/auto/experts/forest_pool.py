"""Forests of regimes that ended, and the one whose regime returns: its trees are there again.

Every now and then the forest is copied. When the errors of its leaves rise beyond chance, the last
copy from well before that is put on trial beside those parked earlier: for some rows each of them
says what it would have answered, and learns nothing. One that saves enough against the forest takes
its place, and the copy on trial is parked where that one was. Where none does, but the forest has
become better than its copy, a regime has ended, and the copy is parked. Where it has not, nothing
was the matter.

A copy keeps all that a leaf votes by, and none of the tests that it tries; and how often each tree
was wrong, so that one that does worse when it is back starts again, as a regime may only be alike.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.experts import forest
from mooe.auto.experts.forest import (
    NO_END,
    NODE,
    PAIR,
    SLOW_MEAN,
    THRESHOLD,
    TREES,
    WHICH,
    forget_errors,
    is_alarmed,
    make_probabilities,
    n_values,
    places_in_leaf,
)
from mooe.numerics.arithmetic import log, padded
from mooe.numerics.blocks import copy_alike, next_line, singles, take, wholes
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import pick
from mooe.numerics.tensors import check_whole, put

NAMES = ("forest_pool",)

EVERY = 500  # rows from one copy to the next, those of trials not counted
WELL_BEFORE = 150  # rows that a copy must be older than an alarm
TRIAL = 100  # rows
NEED, NEED_OF_VALUES = 50.0, 20.0  # nats that a copy must save to take over; in a regression
OUTDONE = 10.0  # nats by which the forest must be ahead of a copy that is parked
LEAST_CHANCE = 1e-9  # of a label
LEAST_ERROR, LARGEST_LOSS = 0.01, 5.0  # regression: mean squared error, and a row's loss in nats
RECENT, OLDER, PARKED = 0, 1, 2  # places of copies: the newest, the one before, the first parked
MOST_COPIES = PARKED + 7

N_RECENT, ON_TRIAL, LEAD, ERROR = range(4)  # of a status


class ForestPool(NamedTuple):
    """The copies, place by place, and what a trial has found; nothing where there is no forest."""

    errors: Any  # (1, 3) of the leaves, as of a tree
    # (4,) recent copies; the place of the one on trial, -1 for none; nats by which the forest is
    # ahead of it; regression: the mean squared error before the alarm
    status: Any
    saved: Any  # (MOST_COPIES,) nats of late by a copy on trial, the sum of a CUSUM
    parked_at: Any  # (MOST_COPIES,) after which row
    tree_errors: Any  # (MOST_COPIES * TREES, 3) as those of the forest
    owner: Any  # (copy_room * leaf_room,) as that of the forest
    nodes: Any  # (copy_room * leaf_room * 2 * NODE,)
    thresholds: Any  # the same as float32
    leaves: Any  # (copy_room * leaf_room * width,) of float32: what a leaf begins with


class Scratch(NamedTuple):
    """What a copy says of a row."""

    scores: Any  # (n_outputs,), rounded up to whole lanes


class _Kept(NamedTuple):
    """The arrays of a ForestPool that are as wide as the block's."""

    errors: Any
    status: Any
    saved: Any
    parked_at: Any
    tree_errors: Any


@shared
def _takes_part(s, c):
    """Whether there is a forest, and copies of it are kept."""
    return s.forest_pool and c.leaf_room > 0


@shared
def _width(s, c):
    """Return how many numbers of a leaf a copy has: its counts, and the learner over leaves."""
    return places_in_leaf(s, c).since


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    on, room = 1 if _takes_part(s, c) else 0, c.copy_room * c.leaf_room
    n_places, n_nodes, n_numbers = on * MOST_COPIES, room * 2 * NODE, room * _width(s, c)
    shapes = (on, 3), (on * 4,), (n_places,), (n_places,), (n_places * TREES, 3)
    kept, at = take(_Kept, block, at, shapes)
    owner = next_line(at)
    nodes = next_line(owner + (room + 1) // 2)
    leaves = next_line(nodes + n_nodes // 2)
    pool = ForestPool(
        kept.errors,
        kept.status,
        kept.saved,
        kept.parked_at,
        kept.tree_errors,
        wholes(block, owner, room),
        wholes(block, nodes, n_nodes),
        singles(block, nodes, n_nodes),
        singles(block, leaves, n_numbers),
    )
    return pool, leaves + (n_numbers + 1) // 2


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    return take(Scratch, block, at, ((padded(c.n_outputs) if _takes_part(s, c) else 0,),))


def start(m: ForestPool) -> None:
    """In place: no copy, and none on trial, in arrays of 0."""
    m.status[ON_TRIAL : ON_TRIAL + 1] = -1.0


def first_countdown(s: Any, c: Any) -> int:
    """Return how many rows there are until the first copy; 0 where there is no forest."""
    return EVERY if s.forest_pool and forest.first_leaves(s, c) else 0


@shared
def room_for(s, c, n):
    """Return for how many copies there is to be room before n rows are learnt, at least one.

    No further than to the end of the trial that is on, where one may be parked.
    """
    if c.until_copy == 0 or (c.copies == 0 and c.until_copy > n):
        return 0
    more = 1 if 0 < c.trial_left <= n else 0
    return min(MOST_COPIES, max(PARKED, c.copies) + more)


@shared
def rows_left(s, c):
    """Return how many labelled rows there is room for."""
    if c.until_copy == 0 or c.copy_room > max(PARKED, c.copies) or c.copy_room >= MOST_COPIES:
        return NO_END
    if c.copy_room < PARKED:
        return c.until_copy - 1
    return (c.trial_left if c.trial_left > 0 else TRIAL + 1) - 1  # at its end one is parked


@forced
def learn(s, c, m, trees, w, scores, seen, r, targets, label):
    """In place: what the leaves made of row r, which they have learnt; scores: their gradient."""
    if m.errors.shape[0] == 0:
        return
    if c.trial_left > 0:
        _try(s, c, m, trees, w, scores, seen.raw[r], targets[0], label)
    if is_alarmed(m.errors, 0, _error(s, c, scores, label)):
        _begin_trial(c, m)
    elif c.trial_left == 0:
        c.until_copy -= 1
        if c.until_copy == 0:
            _take_copy(s, c, m, trees)


@forced
def _error(s, c, scores, label):
    """Return whether the leaves were wrong, as a number; in a regression the squared error."""
    if not s.classify:
        return scores[0] * scores[0]
    if c.n_outputs == 1:
        return 1.0 if abs(scores[0]) > 0.5 else 0.0
    error, chance = 0.0, 1.0 + scores[int(label)]
    for o in range(c.n_outputs):
        error = 1.0 if o != int(label) and scores[o] > chance else error
    return error


@part
def _begin_trial(c, m):
    """In place: an alarm: the last copy from well before it is put on trial.

    None comes during a trial, which is over before the errors are old enough for one.
    """
    m.status[ERROR] = m.errors[0, SLOW_MEAN]
    forget_errors(m.errors, 0)
    c.trial_left = TRIAL
    if m.status[N_RECENT] > 0.0 and EVERY - c.until_copy >= WELL_BEFORE:
        m.status[ON_TRIAL] = RECENT
    elif m.status[N_RECENT] > 1.0:
        m.status[ON_TRIAL] = OLDER


@part
def _take_copy(s, c, m, trees):
    """In place: a copy of the forest, and the one before it."""
    c.copies = max(PARKED, c.copies)
    if m.status[N_RECENT] > 0.0:
        _move(s, c, m, RECENT, OLDER)
    m.status[N_RECENT] = min(2.0, m.status[N_RECENT] + 1.0)
    c.until_copy = EVERY
    at, width = places_in_leaf(s, c), _width(s, c)
    _copy_errors(trees.errors, 0, m.tree_errors, RECENT)
    for i in range(c.leaves_used):  # RECENT is the first place
        m.owner[i] = trees.owner[i]
        for k in range(2 * NODE):
            m.nodes[2 * NODE * i + k] = trees.nodes[2 * NODE * i + k]
        for k in range(width):
            m.leaves[width * i + k] = trees.leaves[at.width * i + k]


@part
def _move(s, c, m, source, target):
    """In place: the copy of one place at another place too."""
    n, n_nodes, width = c.leaf_room, c.leaf_room * 2 * NODE, _width(s, c)
    _copy_errors(m.tree_errors, source, m.tree_errors, target)
    for i in range(n):
        m.owner[target * n + i] = m.owner[source * n + i]
    for i in range(n_nodes):
        m.nodes[target * n_nodes + i] = m.nodes[source * n_nodes + i]
    for i in range(n * width):
        m.leaves[target * n * width + i] = m.leaves[source * n * width + i]


@forced
def _copy_errors(source, place, target, other_place):
    """In place: how often the trees of one place were wrong, at another place too."""
    for t in range(TREES):
        for k in range(3):
            target[TREES * other_place + t, k] = source[TREES * place + t, k]


@part
def _try(s, c, m, trees, w, scores, x, target, label):
    """In place: a row of a trial: what copies would have saved; at its end, what follows from it.

    Sums of what is saved begin anew where they would fall below 0 (Page's CUSUM, 1954).
    """
    own = _loss(s, c, m, scores[0] if c.n_outputs == 1 else scores[int(label)], label)
    on_trial, best, most = int(m.status[ON_TRIAL]), -1, NEED if s.classify else NEED_OF_VALUES
    for place in range(c.copies):
        if place < PARKED and place != on_trial:
            continue
        gain = own - _loss(s, c, m, _gradient(s, c, m, w, place, x, target, label), label)
        if place == on_trial:
            m.status[LEAD] -= gain
        m.saved[place] = max(0.0, m.saved[place] + gain)
        if m.saved[place] > most:
            best, most = place, m.saved[place]
    c.trial_left -= 1
    if best >= 0:
        _take_over(s, c, m, trees, best)
    elif c.trial_left == 0 and on_trial >= 0 and m.status[LEAD] > OUTDONE:
        _park(s, c, m, on_trial, _place_to_park(c, m))
    if best >= 0 or c.trial_left == 0:
        c.trial_left, c.until_copy = 0, EVERY
        m.status[N_RECENT], m.status[ON_TRIAL], m.status[LEAD] = 0.0, -1.0, 0.0
        for place in range(MOST_COPIES):
            m.saved[place] = 0.0


@forced
def _loss(s, c, m, slope, label):
    """Return the nats that a row cost whoever has this gradient in the output of its label."""
    if s.classify:
        return -log(max(LEAST_CHANCE, 1.0 - abs(slope)))
    return min(LARGEST_LOSS, 0.5 * slope * slope / max(LEAST_ERROR, m.status[ERROR]))


@part
def _gradient(s, c, m, w, place, x, target, label):
    """Return what the leaves of a copy are off by, in the output of a row's label."""
    width, weights = _width(s, c), n_values(s, c)
    nodes, leaves = place * c.leaf_room * 2 * NODE, place * c.leaf_room * width + weights
    for o in range(c.n_outputs):
        w.scores[o] = 0.0
    for t in range(TREES):
        node = nodes + 2 * NODE * t
        while pick(m.nodes, node + PAIR) > 0:
            is_above = pick(x, pick(m.nodes, node + WHICH)) > pick(m.thresholds, node + THRESHOLD)
            node = nodes + 2 * NODE * pick(m.nodes, node + PAIR) + (NODE if is_above else 0)
        leaf = leaves + width * pick(m.nodes, node + WHICH)
        for o in range(c.n_outputs):
            w.scores[o] += pick(m.leaves, leaf + o)
    if not s.classify:
        return max(-1.0, min(1.0, w.scores[0] - target))
    make_probabilities(w.scores, c.n_outputs)
    return w.scores[0] - label if c.n_outputs == 1 else w.scores[int(label)] - 1.0


@part
def _take_over(s, c, m, trees, place):
    """In place: a copy is the forest; where it was parked there is the copy on trial, if any."""
    at, width, free = places_in_leaf(s, c), _width(s, c), 0
    owner = place * c.leaf_room
    nodes, leaves = owner * 2 * NODE, owner * width
    _copy_errors(m.tree_errors, place, trees.errors, 0)
    for t in range(TREES):
        trees.n_leaves[t], trees.ready[t] = 0.0, -1.0
    for i in range(c.leaves_free):
        trees.free[i] = 0
    for i in range(c.leaves_used):
        whose = m.owner[owner + i]
        trees.owner[i] = whose
        if whose > 0:
            trees.n_leaves[whose - 1] += 1.0
        else:
            trees.free[free] = i
            free += 1
        for k in range(2 * NODE):
            trees.nodes[2 * NODE * i + k] = m.nodes[nodes + 2 * NODE * i + k]
        for k in range(width):
            trees.leaves[at.width * i + k] = m.leaves[leaves + width * i + k]
        for k in range(width, at.width):
            trees.leaves[at.width * i + k] = 0.0
    c.leaves_free = free
    if place >= PARKED and m.status[ON_TRIAL] >= 0.0:
        _park(s, c, m, int(m.status[ON_TRIAL]), place)
    forget_errors(m.errors, 0)


@forced
def _park(s, c, m, source, place):
    """In place: the copy of a place is parked at another one."""
    _move(s, c, m, source, place)
    m.parked_at[place] = c.n_labelled
    c.copies = max(c.copies, place + 1)


@forced
def _place_to_park(c, m):
    """Return a place that is free, or the one of the copy that was parked longest ago."""
    if c.copies < MOST_COPIES:
        return c.copies
    oldest = PARKED
    for place in range(PARKED, MOST_COPIES):
        oldest = place if m.parked_at[place] < m.parked_at[oldest] else oldest
    return oldest


def copy_used(c: Any, old: ForestPool, new: ForestPool, room: int, other_room: int) -> None:
    """In place: the copies of before, in a pool for more of them, or with room for more leaves."""
    n, used = int(c.copies), int(c.leaves_used)
    for array in (new.owner, new.nodes, new.leaves):
        array[:] = 0
    if n:
        copies = zip(_by_place(old, room, n), _by_place(new, other_room, n), strict=True)
        for before, after in copies:
            after[:, :used] = before[:, :used]


def _by_place(m: ForestPool, room: int, n: int) -> list[np.ndarray]:
    """Return owners, nodes and leaves of n places with room for leaves: views (n, room, width)."""
    width = len(m.leaves) // len(m.owner) if n else 0
    kinds = (m.owner, 1), (m.nodes, 2 * NODE), (m.leaves, width)
    return [array[: n * room * size].reshape(n, room, size) for array, size in kinds]


def grow_classes(s: Any, before: Any, c: Any, old: ForestPool, new: ForestPool) -> None:
    """In place: copies are taught of new classes as the forest is.

    before and c are the counters before and after that.
    """
    copy_alike(old[: len(_Kept._fields)], new[: len(_Kept._fields)])
    n, room, used = int(c.copies), int(c.leaf_room), int(c.leaves_used)
    if n:
        new.owner[:], new.nodes[:] = old.owner, old.nodes
        copies = zip(*(_by_place(m, room, n)[-1] for m in (old, new)), strict=True)
        for leaves, larger in copies:
            forest.grow_votes(s, before, c, leaves[:used], larger[:used])


def grow_inputs(old: ForestPool, new: ForestPool) -> None:
    """In place: the copies of before; wide inputs have none."""
    if len(new.errors):
        copy_alike(old, new)


def save(c: Any, m: ForestPool, room: int) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name; whole numbers of copies as their bits."""
    used = int(c.leaves_used)
    owner, nodes, leaves = (part[:, :used].copy() for part in _by_place(m, room, int(c.copies)))
    return {
        **{f"forest_pool.{name}": getattr(m, name).copy() for name in _Kept._fields},
        "forest_pool.owner": owner.view(np.float32),
        "forest_pool.nodes": nodes.view(np.float32),
        "forest_pool.leaves": leaves,
    }


def check_shapes(s: Any, c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless counters are those of a pool, and arrays of the size they tell."""
    on = first_countdown(s, c) > 0
    limits = {"until_copy": (1, EVERY), "trial_left": (0, TRIAL), "copies": (0, MOST_COPIES)}
    for name, (least, most) in limits.items():
        least, most = (least, most) if on else (0, 0)
        if not least <= getattr(c, name) <= most:
            raise ValueError(f"{name} must be {least} to {most}, got {getattr(c, name)}")
    if 0 < c.copies < PARKED:
        raise ValueError(f"copies must be 0, or at least {PARKED}, got {c.copies}")
    widths = {"owner": 1, "nodes": 2 * NODE, "leaves": _width(s, c) if c.copies else 0}
    for name, width in widths.items():
        shape = (c.copies, c.leaves_used, width)
        if tensors[f"forest_pool.{name}"].shape != shape:
            raise ValueError(f"forest_pool.{name} must have the shape {shape}")


def restore(c: Any, m: ForestPool, tensors: dict[str, np.ndarray], room: int) -> None:
    """In place: what had been learnt, or ValueError."""
    for name in _Kept._fields:
        put(f"forest_pool.{name}", getattr(m, name), tensors[f"forest_pool.{name}"])
    used = slice(int(c.leaves_used))
    owner, nodes, leaves = _by_place(m, room, int(c.copies))
    owner[:, used] = tensors["forest_pool.owner"].view(np.int32)
    nodes[:, used] = tensors["forest_pool.nodes"].view(np.int32)
    leaves[:, used] = tensors["forest_pool.leaves"]


def check(s: Any, c: Any, m: ForestPool, room: int) -> None:
    """Raise ValueError unless what was restored are copies, as compiled code takes them to be."""
    if len(m.errors) == 0:
        return
    recent = float(m.status[N_RECENT])
    check_whole("forest_pool.status", m.status[[N_RECENT]], 3 if c.copies else 1)
    check_whole("forest_pool.status", m.status[[ON_TRIAL]], recent if c.trial_left else 0, -1.0)
    check_whole("forest_pool.parked_at", m.parked_at, c.n_labelled + 1)
    if (m.errors < 0.0).any() or (m.errors[:, 1:] > 1.0).any() or not 0 <= m.status[ERROR] <= 1:
        raise ValueError("forest_pool.errors must be ages, and means from 0 to 1")
    if (m.tree_errors < 0.0).any() or (m.tree_errors[:, 1:] > 1.0).any():
        raise ValueError("forest_pool.tree_errors must be ages, and means from 0 to 1")
    if (m.saved < 0.0).any():
        raise ValueError("forest_pool.saved must be at least 0")
    n, d = int(c.leaves_used), int(c.n_features)
    owner, nodes, leaves = (part[:, :n] for part in _by_place(m, room, int(c.copies)))
    for place in [*range(int(recent)), *range(PARKED, int(c.copies))]:
        forest.check_nodes("forest_pool", owner[place, :, 0], nodes[place], d)
        forest.check_votes("forest_pool", s, c, leaves[place])
