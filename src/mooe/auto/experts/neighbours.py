"""The nearest of the last rows: a vote above the mixture, asked only while it earns its time.

The last rows that were learnt lie in a ring of blocks; a block holds 64 of them, column by column.
A search gives two lists of ten rows: those nearest among the newest blocks, and among all. Each
list votes by the labels of its rows, the nearer the more; the lists are averaged by what they have
lost of late. A second mixture, of two, stands above the first, which knows nothing of it:
out = first + share * (neighbours - first), the share half by Hedge, half by exponentiated gradient.

A gate says whether all this is done. One labelled row of eight is searched in any case, and what
the neighbours would have saved there, or did, is summed up. While that is little the gate is closed
and an answer is the first mixture's own.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import LARGEST_VALUE, TOGETHER, within
from mooe.auto.targets import LONGEST, charge, in_unit, n_sides, pull
from mooe.numerics.arithmetic import exp
from mooe.numerics.blocks import next_line, room_from, singles, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.draws import draw, key_of
from mooe.numerics.features import CONSTANT
from mooe.numerics.sixteen import (
    WIDTH,
    below,
    fma_sixteen,
    highest_bit,
    inserted,
    load_sixteen,
    none_of_sixteen,
    one_of_sixteen,
    sixteen_times,
    store_sixteen,
)
from mooe.numerics.tensors import check_size, check_whole, put

NAMES = ("neighbours",)

ROWS = 64  # of a block: four times WIDTH
MOST_BLOCKS, FEWEST_BLOCKS = 64, 8
MOST_NUMBERS = 98304  # in all blocks together, as far as there are more than the fewest
NEAREST = 10  # rows of a list
LAST = NEAREST - 1
NEWEST = 8  # blocks of the short list
LEAST = 0.02  # weight of the farthest row of a list; it falls from 1 with the squared distance
PRIOR = 0.1  # of each class in a list
HOLD = 0.99  # what is left of a list's losses after a row
FIRST_SHARE = 0.01  # of the neighbours
FIXED_SHARE, OF_NEIGHBOURS = 0.003, 0.1  # of the weight is given away after a row, so much to them
GRADIENT_RATE = 0.5
LOWEST, HIGHEST = 1e-4, 1.0 - 1e-9  # share by exponentiated gradient
EVERY = 8  # labelled rows, of which one is searched in any case
SERIES = 6  # of draws, by which it is chosen: others are those of trees and products
HOLD_GAIN = 1.0 - 1.0 / 256.0  # what is left of the sum of savings after such a row
OPENS, CLOSES = 1.0, 0.5  # savings at which the gate does
LARGEST_WEIGHT = 1e30  # of a row, and one over the smallest
NO_END = 2**62  # rows
STEPS = 2, 2, 5  # room for blocks, see `room_from`

HEDGED, TUNED, GAIN, OPEN, LOST_SHORT, LOST_LONG = range(6)  # of a status
# Scores side by side: of the first mixture, both lists, the neighbours, and the second mixture.
FIRST, SHORT, LONG, OWN, MOVED = range(5)
LANES = 8


class Neighbours(NamedTuple):
    """The ring and what the second mixture knows; nothing where there is no room for blocks."""

    status: Any  # (6,) shares by Hedge and by gradient, savings, whether it is open, lists' losses
    labels: Any  # (ring_room * ROWS,)
    values: Any  # (ring_room * (d + 1) * ROWS,) of float32: columns of a block, then row weights


class Scratch(NamedTuple):
    """What the neighbours say of a row."""

    scores: Any  # (n_outputs, LANES)
    losses: Any  # (LANES,)
    own: Any  # (n_outputs,) the second mixture of exponentiated gradient alone
    shares: Any  # (n_classes,) of a list
    x: Any  # (d,) of float32, as all that follow
    scales: Any  # (TOGETHER * d,) one over the deviation of each column when a row came
    distances: Any  # (ROWS,) of a block
    near: Any  # (2 * WIDTH,) squared distances of the short list, then of the long one, ascending
    slots: Any  # (2 * WIDTH,) where in the ring their rows are, -1 for none


class _Floats(NamedTuple):
    """The arrays of a Scratch that are as wide as the block's."""

    scores: Any
    losses: Any
    own: Any
    shares: Any


class _Kept(NamedTuple):
    """The arrays of Neighbours that are as wide as the block's."""

    status: Any
    labels: Any


@shared
def most_blocks(n_features):
    """Return how many blocks the ring of so many columns may have."""
    return max(FEWEST_BLOCKS, min(MOST_BLOCKS, MOST_NUMBERS // (ROWS * max(1, n_features))))


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    room, n_status = c.ring_room, 6 if c.ring_room > 0 else 0
    kept, at = take(_Kept, block, at, ((n_status,), (room * ROWS,)))
    at, n = next_line(at), room * (c.n_features + 1) * ROWS
    return Neighbours(kept.status, kept.labels, singles(block, at, n)), at + n // 2


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    on = 1 if c.ring_room > 0 else 0
    n, d, o = on * LANES, on * c.n_features, on * c.n_outputs
    n_shares = on * (n_sides(c) if s.classify else 1)
    floats, at = take(_Floats, block, at, ((o, n), (n,), (o,), (n_shares,)))
    x = next_line(at)
    scales = next_line(x + (d + 1) // 2)
    distances = next_line(scales + TOGETHER * d // 2)
    near = distances + on * ROWS // 2
    slots = near + on * WIDTH
    return Scratch(
        floats.scores,
        floats.losses,
        floats.own,
        floats.shares,
        singles(block, x, d),
        singles(block, scales, TOGETHER * d),
        singles(block, distances, on * ROWS),
        singles(block, near, on * 2 * WIDTH),
        singles(block, slots, on * 2 * WIDTH),
    ), slots + on * WIDTH


def start(m: Neighbours) -> None:
    """In place: no rows, and a gate that is closed, in arrays of 0."""
    m.status[[HEDGED, TUNED][: len(m.status)]] = FIRST_SHARE


def room_for(s: Any, c: Any, n: int) -> int:
    """Return for how many blocks there is to be room so that n rows can be learnt, at least one."""
    if not (c.narrow and s.neighbours):
        return 0
    return _room_of(int(c.ring_rows) + n, int(most_blocks(c.n_features)))


def _room_of(n_rows: int, most: int) -> int:
    """Return for how many blocks there is room where there are rows, or will be."""
    return min(room_from(min(-(-n_rows // ROWS), most), *STEPS), most)


@shared
def rows_left(s, c):
    """Return how many labelled rows there is room for."""
    if c.ring_room == 0 or c.ring_room >= most_blocks(c.n_features):
        return NO_END
    return c.ring_room * ROWS - c.ring_rows


@part
def look(c, inputs, w, r):
    """In place: how far apart the values of each column are, before row r is among them."""
    d = c.n_features
    for j in range(d if c.ring_room > 0 else 0):
        scale = np.sqrt(inputs.counts[j] / inputs.squares[j])
        known = inputs.squares[j] > CONSTANT
        w.scales[r * d + j] = np.float32(min(scale, LARGEST_VALUE) if known else 0.0)


@forced
def _is_sampled(s, c):
    """Whether the next row that is learnt is one that is searched in any case.

    One of every eight, drawn: the rows of a stream may have a rhythm.
    """
    drawn = draw(key_of(key_of(s.seed, SERIES), c.n_labelled // EVERY))
    return c.ring_rows > 0 and c.n_labelled % EVERY == int(EVERY * drawn)


@part
def vote(s, c, m, w, seen, r, labelled, again, out):
    """In place: out = the scores of row r: the first mixture's, moved where neighbours are heard.

    again: it was answered a moment ago, and what was found then is in scratch.
    """
    if c.ring_room == 0:
        return
    for o in range(c.n_outputs):
        w.scores[o, FIRST] = out[o]
    heard = m.status[OPEN] > 0.0
    if not again if heard else labelled and _is_sampled(s, c):
        _ask(s, c, m, w, seen.raw[r], r)
    if heard:
        share = 0.5 * (m.status[HEDGED] + m.status[TUNED])
        for o in range(c.n_outputs):
            out[o] += share * (w.scores[o, OWN] - out[o])


@part
def _ask(s, c, m, w, raw, r):
    """In place: the scores of both lists of neighbours of a row, and of the two together."""
    for j in range(c.n_features):
        w.x[j] = raw[j]
    _search(c, m, w, r)
    for k in range(2):
        _poll(s, c, m, w, k)
    ahead = within(m.status[LOST_LONG] - m.status[LOST_SHORT], LONGEST)
    share = 1.0 / (1.0 + exp(ahead))  # of the long list
    for o in range(c.n_outputs):
        short, long = w.scores[o, SHORT], w.scores[o, LONG]
        w.scores[o, OWN] = short + share * (long - short)


@part
def _search(c, m, w, r):
    """In place: w.near and w.slots = the nearest rows of the newest blocks, and of all.

    Of rows that are equally near the newer one counts as nearer. A distance that is beyond all
    numbers is none.
    """
    d, most, values = c.n_features, most_blocks(c.n_features), m.values
    block, filled = (c.ring_rows - 1) // ROWS % most, (c.ring_rows - 1) % ROWS + 1
    n_blocks = min(most, (c.ring_rows + ROWS - 1) // ROWS)
    near, slots = sixteen_times(LARGEST_VALUE), sixteen_times(-1.0)
    for k in range(n_blocks):
        a, b, e, f = none_of_sixteen(), none_of_sixteen(), none_of_sixteen(), none_of_sixteen()
        at = block * (d + 1) * ROWS
        for j in range(d):
            x, scale = one_of_sixteen(w.x, j), one_of_sixteen(w.scales, r * d + j)
            away = (x - load_sixteen(values, at)) * scale
            a = fma_sixteen(away, away, a)
            away = (x - load_sixteen(values, at + WIDTH)) * scale
            b = fma_sixteen(away, away, b)
            away = (x - load_sixteen(values, at + 2 * WIDTH)) * scale
            e = fma_sixteen(away, away, e)
            away = (x - load_sixteen(values, at + 3 * WIDTH)) * scale
            f = fma_sixteen(away, away, f)
            at += ROWS
        low = below(a, near, LAST) | below(b, near, LAST) << WIDTH
        high = below(e, near, LAST) | below(f, near, LAST) << WIDTH
        nearer = low | high << 2 * WIDTH
        if filled < ROWS:
            nearer &= (1 << filled) - 1
        if nearer != 0:
            store_sixteen(w.distances, 0, a)
            store_sixteen(w.distances, WIDTH, b)
            store_sixteen(w.distances, 2 * WIDTH, e)
            store_sixteen(w.distances, 3 * WIDTH, f)
        while nearer != 0:
            i = highest_bit(nearer)
            nearer ^= 1 << i
            distance = one_of_sixteen(w.distances, i)
            slots = inserted(slots, near, distance, sixteen_times(float(block * ROWS + i)))
            near = inserted(near, near, distance, distance)
        if k < NEWEST:
            store_sixteen(w.near, 0, near)
            store_sixteen(w.slots, 0, slots)
        block, filled = block - 1 if block > 0 else most - 1, ROWS
    store_sixteen(w.near, WIDTH, near)
    store_sixteen(w.slots, WIDTH, slots)


@part
def _poll(s, c, m, w, k):
    """In place: the scores by list k, the short or the long one; nobody's are 0."""
    d, n_shares, first, lane = c.n_features, w.shares.shape[0], k * WIDTH, SHORT + k
    n, mean = 0, 0.0
    while n < NEAREST and w.slots[first + n] >= 0.0:
        mean += _row_weight(m, d, int(w.slots[first + n]))
        n += 1
    mean /= max(1, n)
    farthest = float(w.near[first + max(n, 1) - 1])
    total, of_rows = 0.0, 0.0
    for o in range(n_shares):
        w.shares[o] = PRIOR if s.classify else 0.0
        total += w.shares[o]
    for i in range(n):
        slot = int(w.slots[first + i])
        nearness = 1.0 - float(w.near[first + i]) / farthest if farthest > 0.0 else 1.0
        weight = max(LEAST, nearness) * (_row_weight(m, d, slot) / mean)
        of_rows += weight
        if s.classify:
            w.shares[int(m.labels[slot])] += weight
        else:
            w.shares[0] += weight * in_unit(s, c, m.labels[slot])
    total += of_rows
    if not s.classify:
        w.scores[0, lane] = w.shares[0] / total if n > 0 else 0.0
    elif c.n_outputs == 1:
        w.scores[0, lane] = (w.shares[1] - w.shares[0]) / total
    else:
        for o in range(c.n_outputs):
            w.scores[o, lane] = 2.0 * (w.shares[o] / total) - 1.0


@forced
def _row_weight(m, d, slot):
    """Return the weight of the row in a slot of the ring."""
    return float(m.values[(slot // ROWS * (d + 1) + d) * ROWS + slot % ROWS])


@forced
def learn(s, c, m, w, seen, r, targets, label, weight):
    """In place: the second mixture and the gate, if row r was searched; then it is in the ring."""
    if c.ring_room == 0:
        return
    sampled = _is_sampled(s, c)
    if sampled or m.status[OPEN] > 0.0:
        _reweight(s, c, m, w, targets, label, weight, sampled)
    _put(c, m, seen.raw[r], label, weight)


@part
def _reweight(s, c, m, w, targets, label, weight, sampled):
    """In place: what the neighbours and their lists have a say in, after a label."""
    status, scores, losses = m.status, w.scores, w.losses
    hedged, tuned = status[HEDGED], status[TUNED]
    for o in range(c.n_outputs):
        first, beside = scores[o, FIRST], scores[o, OWN] - scores[o, FIRST]
        scores[o, MOVED] = first + 0.5 * (hedged + tuned) * beside
        w.own[o] = first + tuned * beside
    charge(s, c, scores, targets, label, weight, 0, losses.shape[0], losses)
    if sampled:  # a row counts once, whatever its weight: it takes the time of one
        status[GAIN] = HOLD_GAIN * status[GAIN] + (losses[FIRST] - losses[MOVED]) / weight
    status[LOST_SHORT] = HOLD * status[LOST_SHORT] + losses[SHORT]
    status[LOST_LONG] = HOLD * status[LOST_LONG] + losses[LONG]
    share = _raised(hedged, losses[FIRST] - losses[OWN])
    status[HEDGED] = (1.0 - FIXED_SHARE) * share + FIXED_SHARE * OF_NEIGHBOURS
    pull(s, c, scores, w.own, targets, weight, losses)
    share = _raised(tuned, GRADIENT_RATE * (losses[OWN] - losses[FIRST]))
    status[TUNED] = max(LOWEST, min(HIGHEST, share))
    if status[GAIN] > OPENS:
        status[OPEN] = 1.0
    elif status[GAIN] < CLOSES:
        status[OPEN] = 0.0


@forced
def _raised(share, exponent):
    """Return a share that is multiplied by e to an exponent, beside the rest that is not."""
    raised = share * exp(within(exponent, LONGEST))
    return raised / (raised + (1.0 - share))


@part
def _put(c, m, raw, label, weight):
    """In place: a row takes the place behind the newest in the ring, which may be the oldest's."""
    slot = c.ring_rows % (most_blocks(c.n_features) * ROWS)
    at = slot // ROWS * (c.n_features + 1) * ROWS + slot % ROWS
    if slot % ROWS == 0:  # rows of before in this block are none any more: they weigh nothing
        for i in range(ROWS):
            m.values[at + c.n_features * ROWS + i] = np.float32(0.0)
    for j in range(c.n_features):
        m.values[at] = raw[j]
        at += ROWS
    m.values[at] = np.float32(max(1.0 / LARGEST_WEIGHT, min(LARGEST_WEIGHT, weight)))
    m.labels[slot] = label
    c.ring_rows += 1


def share(m: Neighbours) -> float:
    """Return the weight of the neighbours in the answer, 0 where they are not heard."""
    if len(m.status) == 0 or m.status[OPEN] == 0.0:
        return 0.0
    return float(0.5 * (m.status[HEDGED] + m.status[TUNED]))


def copy_used(c: Any, old: Neighbours, new: Neighbours) -> None:
    """In place: the ring of before, in other room; the columns are the same."""
    n = min(len(old.labels), len(new.labels))
    width = len(new.values) // max(1, len(new.labels))
    new.status[:] = old.status
    new.labels[:n], new.values[: n * width] = old.labels[:n], old.values[: n * width]


def _n_rows(c: Any) -> int:
    """Return how many rows there are in the ring: the oldest go block by block."""
    most, rows = int(most_blocks(c.n_features)), int(c.ring_rows)
    return rows if rows <= most * ROWS else (most - 1) * ROWS + (rows - 1) % ROWS + 1


def room_with(s: Any, c: Any, n_features: int) -> dict[str, int]:
    """Return the counters of a ring of more columns; where it has to be smaller, rows leave."""
    most = int(most_blocks(n_features))
    rows = min(_n_rows(c), most * ROWS)
    return {"ring_room": _room_of(rows + 1, most) if s.neighbours else 0, "ring_rows": rows}


def grow_inputs(before: Any, c: Any, old: Neighbours, new: Neighbours) -> None:
    """In place: the newest rows, without a value in new columns; the oldest comes first now.

    before and c are the counters before and after that. Wide inputs have no neighbours.
    """
    if len(new.status) == 0:
        return
    n, d = int(c.ring_rows), int(before.n_features)
    last = int(before.ring_rows)
    slots = np.arange(last - n, last) % (int(most_blocks(d)) * ROWS)
    places = np.arange(n)
    source = old.values.reshape(-1, d + 1, ROWS)[slots // ROWS, :, slots % ROWS]
    target = new.values.reshape(-1, int(c.n_features) + 1, ROWS)
    target[places // ROWS, :d, places % ROWS] = source[:, :d]
    target[places // ROWS, -1, places % ROWS] = source[:, d]
    new.labels[:n] = old.labels[slots]
    new.status[:] = old.status


def _n_used(c: Any) -> int:
    """Return how many blocks of the ring are in use."""
    return min(int(most_blocks(c.n_features)), -(-int(c.ring_rows) // ROWS))


def save(c: Any, m: Neighbours) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    n, width = _n_used(c), int(c.n_features) + 1
    values = m.values[: n * width * ROWS].reshape(n, width, ROWS)
    tensors = {"status": m.status, "labels": m.labels[: n * ROWS], "values": values}
    return {f"neighbours.{name}": array.copy() for name, array in tensors.items()}


def check_shapes(s: Any, c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless the ring is of the size that counters tell."""
    if c.ring_rows > (c.n_labelled if c.narrow and s.neighbours else 0):
        raise ValueError("ring_rows must be rows that were learnt")
    shape = (_n_used(c), c.n_features + 1, ROWS)
    if tensors["neighbours.values"].shape != shape:
        raise ValueError(f"neighbours.values must have the shape {shape}")


def restore(c: Any, m: Neighbours, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    n, width = _n_used(c), int(c.n_features) + 1
    put("neighbours.status", m.status, tensors["neighbours.status"])
    put("neighbours.labels", m.labels[: n * ROWS], tensors["neighbours.labels"])
    values = m.values[: n * width * ROWS].reshape(n, width, ROWS)
    put("neighbours.values", values, tensors["neighbours.values"])


def check(s: Any, c: Any, m: Neighbours) -> None:
    """Raise ValueError unless what was restored is what rows that were learnt lead to."""
    if len(m.status) == 0:
        return
    hedged, tuned, _, is_now_open, *lost = m.status
    if not (0.0 < hedged < 1.0 and LOWEST <= tuned <= HIGHEST and min(lost) >= 0.0):
        raise ValueError("neighbours.status must hold shares between 0 and 1")
    if is_now_open not in ((0.0, 1.0) if c.ring_rows else (0.0,)):
        raise ValueError("neighbours.status must say whether rows are asked, 0 or 1")
    if s.classify:
        check_whole("neighbours.labels", m.labels, max(1, int(c.n_classes)))
    else:
        check_size("neighbours.labels", m.labels)
    n, width = _n_used(c), int(c.n_features) + 1
    oldest = -(-int(c.ring_rows) // ROWS) % max(1, n)
    values = m.values[: n * width * ROWS].reshape(n, width, ROWS)
    weights = np.roll(values[:, -1], -oldest, axis=0).ravel()
    rows = np.arange(n * ROWS) < _n_rows(c)
    if (np.abs(m.values) > LARGEST_VALUE).any() or ((weights > 0.0) != rows).any():
        raise ValueError("neighbours.values must be rows with weights above 0, and nothing else")
