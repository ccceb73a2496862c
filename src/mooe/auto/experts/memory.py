"""The concept memory: recognise, switch early, consolidate, make new, forget.

A concept is a frozen learner. The live learner is a copy of the concept in charge that goes on
learning, and the expert; the fresh one starts from nothing with each interval, and a concept is
recognised if it did no worse than that. All of them are lanes of `mooe.auto.experts.linear`, which
scores and teaches them. There are two memories, one over plain and one over rich inputs; users see
the concepts of one of them, by name.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.experts import linear
from mooe.auto.experts.linear import BUSY, FRESH, LIVE, copy_lane, forget_lane, learn_row
from mooe.auto.inputs import PLAIN_STEP, RICH_STEP, Moved, plain_row, rich_row, sizes
from mooe.auto.targets import charge, set_targets
from mooe.numerics.blocks import copy_alike, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.tensors import check_size, check_whole, put

NAMES = ("memory_plain", "memory_rich")
NARROW_ONLY = ("memory_rich",)
CLASSES_ONLY = ()

EVIDENCE = 3.0  # losses saved by another concept until it takes over
ALIKE_AFTER = 5  # intervals
CLEARLY, A_FEW = 0.98, 5.0  # better by 2 % and 5 losses
NAMED_AFTER = 3  # recognitions, its making included
OUTDONE = 1.5  # standard errors by which the fresh learner is better, half an interval old
CHANGED = 3.0  # standard errors by which a concept does worse from some row on
FEW_ROWS = 4  # that a change has before and behind it
ROUNDING = 1e-12

# The whole numbers of a memory, kept as floats beside its arrays.
N_CONCEPTS, IN_CHARGE, T, N_MADE, N_SWITCHED, N_CLOSED, N_NAMED, LIVE_LOSS = range(8)
N_STATUS = 8

# What is known of a concept: rows of an array with a column per concept. Rows of the stream are
# counted by their labels; a name is 1 + its number among the named, 0 before it has one.
BORN, LAST, SAMPLES, RECOGNISED, NAME, N_VISITS, WORSE, COMPARED = range(8)
N_FACTS = 8
VISITS = 16  # stretches in charge that are kept of each concept

# Regression: unit and mean of the targets in which concepts are, since an interval was last closed.
# They lie where the learners have their places among the gains, for whom there is no evidence; 0
# before the first was closed, and in files of before they were kept.
UNIT, MEAN = range(2)


class Memory(NamedTuple):
    """What is known of the concepts, and the rows of the open interval."""

    facts: Any  # (N_FACTS, n_slots)
    visits: Any  # (n_slots, VISITS, 2) first and last row of each stretch in charge, a ring
    status: Any  # (N_STATUS,): see N_CONCEPTS and what follows it
    gains: Any  # (n_lanes,) evidence for each concept against the one in charge; UNIT and MEAN
    since: Any  # (n_lanes,) the row of the open interval from which on it counts
    losses: Any  # (interval, n_lanes) in the open interval
    rows: Any  # (interval, n_inputs)
    places: Any  # (interval, n_inputs) wide inputs: the columns of the values in rows
    lengths: Any  # (interval,) of the rows
    labels: Any  # (interval,)
    row_weights: Any  # (interval,)
    # (1 + n_outputs, n_slots) of the rows that each concept was recognised by: how many, then how
    # many of each class, of two classes those of the second; in regression the sum of their labels
    outcomes: Any


class Memories(NamedTuple):
    """The two memories."""

    plain: Memory
    rich: Memory


class Scratch(NamedTuple):
    """Scratch: for rows that are learnt again."""

    scores: Any  # (n_outputs, BUSY)
    targets: Any  # (n_outputs,)


@shared
def _open_memory(s, c, block, at, p, wide, on):
    """Return a memory over p inputs, and the place behind it; one that is left out is a status."""
    k, b = (s.n_slots, s.interval) if on else (0, 0)
    n = k + BUSY
    of_concepts = ((N_FACTS, k), (k, VISITS, 2), (N_STATUS,), (n,), (n,))
    of_rows = ((b, n), (b, p), (b, p if wide else 0), (b,), (b,), (b,))
    return take(Memory, block, at, of_concepts + of_rows + ((1 + c.n_outputs, k),))


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    n_plain, _, n_rich = sizes(c)
    plain, at = _open_memory(s, c, block, at, n_plain, c.narrow == 0, s.memory_plain)
    rich, at = _open_memory(s, c, block, at, n_rich, False, s.memory_rich)
    return Memories(plain, rich), at


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    return take(Scratch, block, at, ((c.n_outputs, BUSY), (c.n_outputs,)))


def start(m: Memories) -> None:
    """In place: nobody is in charge."""
    for memory in m:
        memory.status[IN_CHARGE] = -1.0


@forced
def rows_left(s, m):
    """Return how many rows the open intervals lack: until then the frozen concepts stay."""
    return s.interval - max(int(m.plain.status[T]), int(m.rich.status[T]))


@forced
def look_ahead(c, lanes, m, scores, seen, n_rows):
    """In place: the scores of the frozen concepts for rows that are seen and not yet learnt."""
    plain, rich = int(m.plain.status[N_CONCEPTS]), int(m.rich.status[N_CONCEPTS])
    linear.score_frozen(c, lanes, scores, seen, n_rows, plain, rich)


@forced
def vote(s, c, scores, r, votes, places):
    """In place: the votes of the live learners on row r, which are scored."""
    plain, rich = places
    for o in range(c.n_outputs):
        if s.memory_plain:
            votes[o, plain] = scores.plain[r, o, s.n_slots + LIVE]
        if c.narrow and s.memory_rich:
            votes[o, rich] = scores.rich[r, o, s.n_slots + LIVE]


@forced
def learn(s, c, lanes, m, scores, w, seen, r, targets, label, weight):
    """In place: the memories take row r, which the lanes have learnt."""
    norms = seen.norms[r]
    if s.memory_plain:
        row, rate, votes = plain_row(c, seen, r), norms[PLAIN_STEP], scores.plain[r]
        _remember(s, c, lanes.plain, m.plain, w, row, label, weight, rate, votes, targets)
    if c.narrow and s.memory_rich:
        row, rate, votes = rich_row(c, seen, r), norms[RICH_STEP], scores.rich[r]
        _remember(s, c, lanes.rich, m.rich, w, row, label, weight, rate, votes, targets)
    _show(s, c, m)


@part
def _remember(s, c, lanes, m, w, row, label, weight, rate, scores, targets):
    """In place: a row that the lanes have learnt: charge everyone, switch, close if it is time."""
    x, columns, n, listed = row
    t, k = int(m.status[T]), int(m.status[N_CONCEPTS])
    busy = m.gains.shape[0] - BUSY
    charge(s, c, scores, targets, label, weight, 0, k, m.losses[t])
    charge(s, c, scores, targets, label, weight, busy, busy + BUSY, m.losses[t])
    m.status[LIVE_LOSS] += m.losses[t, busy + LIVE]
    for j in range(n):
        m.rows[t, j] = x[j]
    if listed:
        for j in range(n):
            m.places[t, j] = columns[j]
    m.lengths[t], m.labels[t], m.row_weights[t] = n, label, weight
    m.status[T] = t + 1
    if s.early_switch and m.status[IN_CHARGE] >= 0.0:
        switch_early(s, c, lanes, m, w, listed, rate)
    if m.status[T] == s.interval:
        close(s, c, lanes, m, w, listed, rate)


@part
def _relearn(s, c, lanes, m, w, end, listed, rate):
    """In place: the live and the fresh learner learn the first rows of the open interval."""
    for i in range(end):
        row = m.rows[i], m.places[i] if listed else m.rows[i], int(m.lengths[i]), listed
        set_targets(s, c, m.labels[i], w.targets)
        for o in range(c.n_outputs):
            weights, sums = lanes.busy.weights[o], lanes.busy.sums[o]
            linear.score_busy(weights, row, w.scores[o])
            learnt = w.scores[o], w.targets[o], m.row_weights[i]
            learn_row(s, weights, sums, row, *learnt, 0.0, rate, 0.0)


@part
def switch_early(s, c, lanes, m, w, listed, rate):
    """In place: let another concept take over in mid-interval if the evidence for it is strong.

    A CUSUM per concept (Page, 1954): what it would have saved since its sum was last 0, against
    the better of the concept in charge and its live copy.
    """
    t, cur, busy = int(m.status[T]), int(m.status[IN_CHARGE]), m.gains.shape[0] - BUSY
    losses = m.losses[t - 1]
    current = min(losses[busy + LIVE], losses[cur])
    best = -1
    for k in range(int(m.status[N_CONCEPTS])):
        if k == cur:
            continue
        gain = m.gains[k] + current - losses[k]
        if gain <= 0.0:
            m.gains[k], m.since[k] = 0.0, t
        else:
            m.gains[k] = gain
        if m.gains[k] > EVIDENCE and (best < 0 or m.gains[k] > m.gains[best]):
            best = k
    if best >= 0:
        _take_over(s, c, lanes, m, w, listed, rate, best)


@part
def _take_over(s, c, lanes, m, w, listed, rate, best):
    """In place: concept best is in charge from the row on at which its sum was last 0."""
    t, first = int(m.status[T]), int(m.since[best])
    _keep_rows(m, first, t, listed)
    m.status[T] = t - first
    m.status[N_SWITCHED] += 1.0
    take_charge(m, best, c.n_labelled - (t - first), c.n_labelled - 1)
    copy_lane(lanes.frozen, best, lanes.busy, LIVE)
    forget_lane(lanes.busy, FRESH)
    _relearn(s, c, lanes, m, w, t - first, listed, rate)
    _weigh_anew(m, t - first)


@part
def _keep_rows(m, first, end, listed):
    """In place: of the open interval the rows from first on are left."""
    if first == 0:
        return
    for i in range(first, end):
        to, n = i - first, int(m.lengths[i])
        for j in range(n):
            m.rows[to, j] = m.rows[i, j]
        if listed:
            for j in range(n):
                m.places[to, j] = m.places[i, j]
        for k in range(m.losses.shape[1]):
            m.losses[to, k] = m.losses[i, k]
        m.lengths[to], m.labels[to] = m.lengths[i], m.labels[i]
        m.row_weights[to] = m.row_weights[i]


@part
def _weigh_anew(m, t):
    """In place: no evidence for anyone, from row t of the open interval on."""
    for k in range(m.gains.shape[0]):
        m.since[k] = t
        if k < m.gains.shape[0] - BUSY:
            m.gains[k] = 0.0


@part
def _follow_unit(s, c, lanes, m):
    """In place: regression: concepts and live learner say the same labels, in the unit of now.

    Mean and deviation of the labels so far change with the regimes; what a concept knows must not.
    Only where an interval is closed: until then rows may have been scored ahead.
    """
    if s.classify:
        return
    at = m.gains.shape[0] - BUSY
    unit, mean = m.gains[at + UNIT], m.gains[at + MEAN]
    if unit > 0.0:
        ratio, shift = unit / c.target_unit, (mean - c.target_mean) / c.target_unit
        _rescale(lanes.frozen.weights[0], int(m.status[N_CONCEPTS]), ratio, shift, c.n_features)
        _rescale(lanes.busy.weights[0], LIVE + 1, ratio, shift, c.n_features)
    m.gains[at + UNIT], m.gains[at + MEAN] = c.target_unit, c.target_mean


@part
def _rescale(weights, n, ratio, shift, constant):
    """In place: the first n scorers say ratio times what they said, plus shift."""
    for j in range(weights.shape[0]):
        for k in range(n):
            weights[j, k] *= ratio
    for k in range(n):
        weights[constant, k] += shift


@part
def _lost(m, lane, first, end):
    """Return the sum of a lane's losses in rows of the interval."""
    total = 0.0
    for i in range(first, end):
        total += m.losses[i, lane]
    return total


@part
def _is_outdone(m, k, n):
    """Whether the fresh learner, when it has learnt half an interval, does better than a concept.

    Over the whole of it, what it lost while it knew nothing would speak for any concept at all.
    The live learner answers for the one in charge where it does better.
    """
    busy, lane, head = m.gains.shape[0] - BUSY, k, n // 2
    live, fresh = busy + LIVE, busy + FRESH
    if k == int(m.status[IN_CHARGE]) and _lost(m, live, head, n) < _lost(m, k, head, n):
        lane = live
    total = squares = 0.0
    for i in range(head, n):
        worse = m.losses[i, lane] - m.losses[i, fresh]
        total += worse
        squares += worse * worse
    return total > 0.0 and total * total > OUTDONE * OUTDONE * squares + ROUNDING


@part
def _is_mixed(m, lane, n):
    """Whether a lane does much worse from some row of the interval on: a regime may begin there.

    The difference of the means before and behind a row, by the deviations from both.
    """
    total = squares = before = 0.0
    for i in range(n):
        total += m.losses[i, lane]
    for i in range(n):
        squares += (m.losses[i, lane] - total / n) ** 2
    for i in range(n - FEW_ROWS):
        before += m.losses[i, lane]
        k = i + 1.0
        worse = (total - before) / (n - k) - before / k
        explained = worse * worse * k * (n - k) / n
        left = CHANGED * CHANGED * (squares - explained) / (n - 2.0)
        if k >= FEW_ROWS and worse > 0.0 and explained > left + ROUNDING:
            return True
    return False


@part
def close(s, c, lanes, m, w, listed, rate):
    """In place: the interval is full: a concept is recognised and learns it, or a new one made.

    A concept learns nothing of an interval in which another regime may have begun. If none has, the
    live learner goes on, and the concept takes over what that has learnt with the next interval.
    """
    n, cur, busy = s.interval, int(m.status[IN_CHARGE]), m.gains.shape[0] - BUSY
    best, least = -1, 0.0
    for k in range(int(m.status[N_CONCEPTS])):
        loss = _lost(m, k, 0, n)
        if best < 0 or loss < least:
            best, least = k, loss
    if cur >= 0:
        loss = _lost(m, busy + LIVE, 0, n)
        if loss < least:
            best, least = cur, loss
    known = best >= 0 and least <= _lost(m, busy + FRESH, 0, n)
    mixed = known and best == cur and _is_mixed(m, cur, n)
    _follow_unit(s, c, lanes, m)
    if known and (mixed or not _is_outdone(m, best, n)):
        if best != cur:
            copy_lane(lanes.frozen, best, lanes.busy, LIVE)
            _relearn(s, c, lanes, m, w, n, listed, rate)
    else:
        best = _free_slot(s, m)
        m.status[N_MADE] += 1.0
        for fact in range(N_FACTS):
            m.facts[fact, best] = 0.0
        for o in range(m.outcomes.shape[0]):
            m.outcomes[o, best] = 0.0
        m.facts[BORN, best] = c.n_labelled - n
        copy_lane(lanes.busy, FRESH, lanes.busy, LIVE)
        if best == cur:  # forgotten in the moment it was in charge
            m.status[IN_CHARGE] = cur = -1
    take_charge(m, best, c.n_labelled - n, c.n_labelled - 1)
    m.facts[SAMPLES, best] += n
    m.facts[RECOGNISED, best] += 1.0
    _count_outcomes(m, best, n)
    if not mixed:
        if s.merge and best == cur:
            _compare(s, lanes, m, best)
        copy_lane(lanes.busy, LIVE, lanes.frozen, int(m.status[IN_CHARGE]))
    m.status[N_CLOSED] += 1.0
    m.status[T] = 0.0
    forget_lane(lanes.busy, FRESH)
    _weigh_anew(m, 0)


@part
def _count_outcomes(m, k, n):
    """In place: the labels of the interval are among those of concept k."""
    m.outcomes[0, k] += n
    for i in range(n):
        if m.outcomes.shape[0] > 2:
            m.outcomes[1 + int(m.labels[i]), k] += 1.0
        else:  # 0 or 1, or a value
            m.outcomes[1, k] += m.labels[i]


@part
def take_charge(m, k, first, last):
    """In place: concept k is in charge of these rows of the stream, counted by their labels."""
    cur = int(m.status[IN_CHARGE])
    if cur >= 0 and cur != k and m.facts[N_VISITS, cur] > 0.0:
        visit = int(m.facts[N_VISITS, cur] - 1.0) % VISITS
        m.visits[cur, visit, 1] = first - 1.0
        if m.visits[cur, visit, 0] >= first:  # all of it turned out to be another's
            m.facts[N_VISITS, cur] -= 1.0
    if cur != k:
        visit = int(m.facts[N_VISITS, k]) % VISITS
        m.facts[N_VISITS, k] += 1.0
        m.visits[k, visit, 0] = first
        for other in range(int(m.status[N_CONCEPTS])):
            m.facts[WORSE, other] = m.facts[COMPARED, other] = 0.0
    visit = int(m.facts[N_VISITS, k] - 1.0) % VISITS
    m.visits[k, visit, 1] = last
    m.facts[LAST, k] = last
    m.status[IN_CHARGE] = k


@part
def _compare(s, lanes, m, best):
    """In place: a concept that does no worse than the one in charge on that one's rows is the same.

    Judged over several intervals that the one in charge has kept; a change starts it anew.
    """
    n = s.interval
    own = _lost(m, best, 0, n)
    k = 0
    while k < int(m.status[N_CONCEPTS]):
        if k != int(m.status[IN_CHARGE]):
            m.facts[WORSE, k] += _lost(m, k, 0, n) - own
            m.facts[COMPARED, k] += 1.0
            if m.facts[COMPARED, k] >= ALIKE_AFTER and m.facts[WORSE, k] <= 0.0:
                _absorb(lanes, m, k)
                continue
        k += 1


@part
def _absorb(lanes, m, k):
    """In place: the concept in charge takes over what is known of concept k, whose slot is free."""
    cur, end = int(m.status[IN_CHARGE]), int(m.status[N_CONCEPTS]) - 1
    m.facts[BORN, cur] = min(m.facts[BORN, cur], m.facts[BORN, k])
    m.facts[SAMPLES, cur] += m.facts[SAMPLES, k]
    m.facts[RECOGNISED, cur] += m.facts[RECOGNISED, k]
    if m.facts[NAME, k] > 0.0 and (
        m.facts[NAME, cur] == 0.0 or m.facts[NAME, k] < m.facts[NAME, cur]
    ):
        m.facts[NAME, cur] = m.facts[NAME, k]
    for o in range(m.outcomes.shape[0]):
        m.outcomes[o, cur] += m.outcomes[o, k]
        m.outcomes[o, k] = 0.0
        m.outcomes[o, k], m.outcomes[o, end] = m.outcomes[o, end], m.outcomes[o, k]
    seen = int(m.facts[N_VISITS, k])
    for visit in range(max(0, seen - VISITS), seen):
        add_visit(m, cur, m.visits[k, visit % VISITS, 0], m.visits[k, visit % VISITS, 1])
    copy_lane(lanes.frozen, end, lanes.frozen, k)
    for i in range(m.losses.shape[0]):
        m.losses[i, k] = m.losses[i, end]
    for fact in range(N_FACTS):
        m.facts[fact, k], m.facts[fact, end] = m.facts[fact, end], 0.0
    for visit in range(VISITS):
        for side in range(2):
            m.visits[k, visit, side], m.visits[end, visit, side] = m.visits[end, visit, side], 0.0
    for o in range(lanes.frozen.weights.shape[0]):
        for j in range(lanes.frozen.weights.shape[1]):
            lanes.frozen.weights[o, j, end] = lanes.frozen.sums[o, j, end] = 0.0
    m.status[N_CONCEPTS] = end
    if cur == end:
        m.status[IN_CHARGE] = k


@part
def add_visit(m, k, first, last):
    """In place: a visit of concept k, among those that are kept in the order of time."""
    n = int(m.facts[N_VISITS, k])
    newer = 0
    while newer < min(n, VISITS) and m.visits[k, (n - 1 - newer) % VISITS, 0] > first:
        newer += 1
    if newer == VISITS or last < first:
        return
    for i in range(newer):
        for side in range(2):
            m.visits[k, (n - i) % VISITS, side] = m.visits[k, (n - i - 1) % VISITS, side]
    m.visits[k, (n - newer) % VISITS, 0], m.visits[k, (n - newer) % VISITS, 1] = first, last
    m.facts[N_VISITS, k] = n + 1.0


@part
def _free_slot(s, m):
    """In place: return a slot for a new concept: an empty one, or the least recently recognised."""
    k = int(m.status[N_CONCEPTS])
    if k < s.max_concepts:
        m.status[N_CONCEPTS] = k + 1.0
        return k
    oldest = 0
    for i in range(1, k):
        if m.facts[LAST, i] < m.facts[LAST, oldest]:
            oldest = i
    return oldest


@forced
def _show(s, c, m):
    """In place: users see the memory whose live learner has done clearly better; it gets names."""
    before = c.shown
    if c.narrow and s.memory_rich:
        plain, rich = m.plain.status[LIVE_LOSS], m.rich.status[LIVE_LOSS]
        if not s.memory_plain or rich < CLEARLY * plain - A_FEW:
            c.shown = 1
        elif plain < CLEARLY * rich - A_FEW:
            c.shown = 0
    if c.shown != before or m.plain.status[T] == 0.0 or m.rich.status[T] == 0.0:
        if c.shown:
            _give_names(m.rich, m.plain)
        else:
            _give_names(m.plain, m.rich)


@shared
def _give_names(memory, other):
    """In place: names for the concepts recognised often enough, the oldest first.

    A concept that had the same rows in its charge as one of the other memory takes that one's
    name. Other names are new, by one count for both memories, so that none comes to mean another
    regime.
    """
    named = max(memory.status[N_NAMED], other.status[N_NAMED])
    while True:
        oldest = -1
        for k in range(int(memory.status[N_CONCEPTS])):
            ready = memory.facts[RECOGNISED, k] >= NAMED_AFTER and memory.facts[NAME, k] == 0.0
            if ready and (oldest < 0 or memory.facts[BORN, k] < memory.facts[BORN, oldest]):
                oldest = k
        if oldest < 0:
            break
        name = _name_elsewhere(memory, oldest, other)
        if name == 0.0:
            named += 1.0
            name = named
        memory.facts[NAME, oldest] = name
    memory.status[N_NAMED] = other.status[N_NAMED] = named


@shared
def _name_elsewhere(memory, k, other):
    """Return the name of the other memory's concept with most of concept k's rows, 0 for none."""
    name, most = 0.0, 0.5 * _rows_shared(memory, k, memory, k)
    for i in range(int(other.status[N_CONCEPTS])):
        shared = _rows_shared(memory, k, other, i) if other.facts[NAME, i] > 0.0 else 0.0
        if shared > most:
            name, most = other.facts[NAME, i], shared
    for i in range(int(memory.status[N_CONCEPTS])):
        if memory.facts[NAME, i] == name:
            return 0.0
    return name


@shared
def _rows_shared(a, i, b, k):
    """Return how many rows were in the charge of both concepts, by the visits that are kept."""
    total = 0.0
    n, o = int(a.facts[N_VISITS, i]), int(b.facts[N_VISITS, k])
    for p in range(max(0, n - VISITS), n):
        for q in range(max(0, o - VISITS), o):
            first = max(a.visits[i, p % VISITS, 0], b.visits[k, q % VISITS, 0])
            last = min(a.visits[i, p % VISITS, 1], b.visits[k, q % VISITS, 1])
            total += max(0.0, last - first + 1.0)
    return total


def n_concepts(m: Memories) -> tuple[int, int]:
    """Return how many concepts the memories know: as many frozen lanes are in use."""
    return int(m.plain.status[N_CONCEPTS]), int(m.rich.status[N_CONCEPTS])


def grow_classes(old: Memories, new: Memories) -> None:
    """In place: what is known of concepts, with room for more classes."""
    copy_alike(old, new)
    for before, after in zip(old, new, strict=True):
        n, counts = before.outcomes[0], before.outcomes[1:]
        counts = counts if len(counts) > 1 else np.stack([n - counts[0], counts[0]])
        after.outcomes[0], after.outcomes[1 : 1 + len(counts)] = n, counts


def grow_inputs(c: Any, old: Memories, new: Memories, moved: Moved) -> None:
    """In place: the memories of before, their inputs in other places; the rich one may leave.

    Where users saw its concepts, the plain one's take their names.
    """
    move(old.plain, new.plain, moved.plain)
    if c.narrow:
        move(old.rich, new.rich, moved.rich)
        return
    if c.shown:
        _give_names(new.plain, old.rich)
    c.shown = 0


def move(old: Memory, new: Memory, places: np.ndarray) -> None:
    """In place: a memory whose inputs are now in other places."""
    copy_alike(old, new)
    n = old.rows.shape[1]
    if new.places.shape[1] == 0:
        new.rows[:, places] = old.rows
        new.lengths[: int(old.status[T])] = new.rows.shape[1]
    elif old.places.shape[1]:
        new.rows[:, :n] = old.rows
        new.places[:, :n] = places[old.places.astype(np.int64)]
    else:
        new.rows[:, :n], new.places[:, :n] = old.rows, places


def _places(memory: Memory) -> dict[str, Any]:
    """Return where in its array lies what has been learnt, by the name of the array."""
    t, k, n = int(memory.status[T]), int(memory.status[N_CONCEPTS]), len(memory.gains)
    lanes = np.append(np.arange(k), np.arange(n - BUSY, n))  # a concept or a learner is in them
    longest = int(memory.lengths[:t].max(initial=0))
    of_rows = ("rows", "places") if memory.places.shape[1] else ("rows",)
    return {
        "facts": np.s_[:, :k],
        "visits": np.s_[:k],
        "status": ...,
        **dict.fromkeys(("gains", "since"), lanes),
        "losses": np.s_[:t, lanes],
        **dict.fromkeys(of_rows, np.s_[:t, :longest]),
        **dict.fromkeys(("lengths", "labels", "row_weights"), np.s_[:t]),
        "outcomes": np.s_[:, :k],
    }


def save(m: Memories) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    tensors = {}
    for name, memory in m._asdict().items():
        for field, place in _places(memory).items():
            array = np.array(getattr(memory, field)[place], order="C")
            if field in ("rows", "places"):
                array[np.arange(array.shape[1]) >= memory.lengths[: len(array), None]] = 0.0
            tensors[f"{name}.{field}"] = array
    return tensors


def restore(s: Any, c: Any, m: Memories, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    for name, memory in m._asdict().items():
        status = memory.status
        put(f"{name}.status", status, tensors[f"{name}.status"])
        check_whole(f"{name}.status", status[:LIVE_LOSS], 2**53, -1.0)
        t, k = int(status[T]), int(status[N_CONCEPTS])
        if not (0 <= t < s.interval and 0 <= k <= s.max_concepts):
            raise ValueError(f"{name}.status must be that of a memory, got {status.tolist()}")
        if not (-1 if k == 0 else 0) <= status[IN_CHARGE] < max(k, 1) or (k == 0) != (
            status[IN_CHARGE] < 0
        ):
            raise ValueError(f"{name}.status must name a concept in charge, got {status.tolist()}")
        n_inputs, wide = memory.rows.shape[1], memory.places.shape[1] > 0
        put(f"{name}.lengths", memory.lengths, tensors[f"{name}.lengths"], np.s_[:t])
        check_whole(f"{name}.lengths", memory.lengths[:t], n_inputs + 1, 1.0 if wide else n_inputs)
        for field, place in _places(memory).items():
            if field == "outcomes" and f"{name}.{field}" not in tensors:
                continue  # a file of before they were counted
            put(f"{name}.{field}", getattr(memory, field), tensors[f"{name}.{field}"], place)
        check_whole(f"{name}.facts", memory.facts[:WORSE], 2**53)
        check_whole(f"{name}.visits", memory.visits, 2**53)
        check_whole(f"{name}.since", memory.since, t + 1)
        check_size(f"{name}.gains", memory.gains)
        if s.classify:
            check_whole(f"{name}.labels", memory.labels[:t], c.n_classes)
            check_whole(f"{name}.outcomes", memory.outcomes, 2**53)
            if (memory.outcomes[1:].sum(axis=0) > memory.outcomes[0]).any():
                raise ValueError(f"{name}.outcomes must count each row once")
        if wide:
            check_whole(f"{name}.places", memory.places[:t], n_inputs)
