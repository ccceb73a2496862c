"""Rows of many keys through the default model, compiled: each is answered and learnt by its key.

What all rows of a call have in common is passed once; a row finds the slot of its key, whose
counters and block the kernel takes as they lie. Where a shared model votes, its votes come with the
rows, and the key learns two corrections of them: what a logistic regression has to add to the
log-odds of the shared model, on inputs standardised by the statistics of the bucket; the second
sees products of these too.
"""

import numpy as np

from mooe.auto import kernel, roster
from mooe.auto.experts.memory import IN_CHARGE, NAME
from mooe.auto.layout import counters_type, open_block, open_desk, settings_type
from mooe.keyed.slots import (
    ADDRESS,
    BLOCK,
    CLASS,
    CLASSES,
    CORRECTION,
    DONE,
    KIND,
    MOST,
    N_VOTES,
    NEW,
    NO_ROOM,
    ROOM,
    facts,
    fetch_slot,
    longs,
    meet_class,
    n_multiplied,
    place_of,
    write_class,
)
from mooe.numerics.addresses import floats_at, record_at
from mooe.numerics.arithmetic import copy, dot, exp, log, matrix, vector
from mooe.numerics.blocks import cut, next_line
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import int64, void

RATE = 0.3  # of the corrections' steps, over the root of their squared errors so far
LEAST = 1e-4  # probability of a class that a shared model knows nothing of
FARTHEST = 4.0  # standard deviations of an input
SUREST = 30.0  # exponent
LABEL, WEIGHT, KNOWN = 0, 1, 2  # places on a desk; classes and scores follow
FIRST_SCORE = 8


@part
def _standardise(stats, x, z):
    """In place: z = a row by the statistics of its bucket; an absent value is the mean."""
    d = x.shape[0]
    for j in range(d):
        n, squares = stats[j], stats[2 * d + j]
        z[j] = 0.0
        if x[j] == x[j] and squares > 0.0:
            away = (x[j] - stats[d + j]) * np.sqrt(n / squares)
            z[j] = max(-FARTHEST, min(FARTHEST, away))


@part
def _multiply(z, d):
    """In place: behind a standardised row of d values 1, then products of two of them."""
    z[d] = 1.0
    at = d + 1
    for i in range(d if z.shape[0] > at else 0):
        for j in range(i + 1):
            z[at] = 0.5 * z[i] * z[j]
            at += 1


@part
def _meet(stats, x):
    """In place: the statistics of a bucket with a row more (Welford)."""
    d = x.shape[0]
    for j in range(d):
        if x[j] == x[j]:
            stats[j] += 1.0
            step = x[j] - stats[d + j]
            stats[d + j] += step / stats[j]
            stats[2 * d + j] += step * (x[j] - stats[d + j])


@part
def _chance(vote):
    """Return the probability that a vote in [-1, 1] stands for, neither 0 nor 1."""
    return max(LEAST, min(1.0 - LEAST, 0.5 * (1.0 + vote)))


@part
def _vote(c, classes, votes, weights, z, n_plain, added):
    """In place: added = what the shared model says of a row's classes, then that corrected twice.

    weights: (n_outputs, n_plain + n + 2), of the first correction, of the second; sums of both.
    """
    o, n = c.n_outputs, z.shape[0]
    for k in range(N_VOTES * o):
        added[k] = 0.0
    if c.n_classes < 2 or votes[0] != votes[0]:
        return
    if o == 1:
        first, second = votes[int(classes[0])], votes[int(classes[1])]
        odds = log(_chance(second) / _chance(first))
        added[0] = 0.5 * (second - first)
        added[1] = _as_vote(odds + dot(weights[0], z, n_plain))
        added[2] = _as_vote(odds + dot(weights[0][n_plain:], z, n))
        return
    for k in range(o):
        added[k] = votes[int(classes[k])]
        odds = log(_chance(added[k]))
        added[o + k] = odds + dot(weights[k], z, n_plain)
        added[2 * o + k] = odds + dot(weights[k][n_plain:], z, n)
    _as_votes(added[o : 2 * o])
    _as_votes(added[2 * o : 3 * o])


@part
def _as_vote(odds):
    """Return the vote in [-1, 1] of log-odds."""
    return 2.0 / (1.0 + exp(max(-SUREST, min(SUREST, -odds)))) - 1.0


@part
def _as_votes(logs):
    """In place: votes in [-1, 1] from logarithms of what classes are likely by."""
    largest, total = -np.inf, 0.0
    for k in range(logs.shape[0]):
        largest = max(largest, logs[k])
    for k in range(logs.shape[0]):
        logs[k] = exp(max(-SUREST, logs[k] - largest))
        total += logs[k]
    for k in range(logs.shape[0]):
        logs[k] = 2.0 * logs[k] / total - 1.0


@part
def _correct(c, weights, z, n_plain, label, weight, added):
    """In place: the corrections take a step of logistic regression, the shorter the more they err.

    That is AdaGrad with one sum for all weights: where labels are noisy steps become short.
    """
    o, n = c.n_outputs, z.shape[0]
    for k in range(o):
        target, own = 1.0 if label == (1 if o == 1 else k) else -1.0, weights[k]
        sums = own[n_plain + n :]
        step = _step(sums, 0, weight, target - added[o + k])
        for j in range(n_plain):
            own[j] += step * z[j]
        step = _step(sums, 1, weight, target - added[2 * o + k])
        for j in range(n):
            own[n_plain + j] += step * z[j]


@part
def _step(sums, which, weight, error):
    """In place: return the step of a correction, whose squared errors are summed up."""
    slope = 0.5 * min(weight, 1.0) * error
    sums[which] += slope * slope
    return RATE * slope / np.sqrt(1.0 + sums[which])


@part
def _score(settings, counters, block, row, added, desk, scratch, known, label, weight):
    """In place: the scores of a row, which is learnt if it has a label; return what stopped it.

    known: the label that was the last when the row was answered, as in `mooe.auto.kernel`.
    """
    s, c = settings[0], counters[0]
    x, values, places, begins = row
    views, _ = open_desk(s, c, scratch)
    views.mixture.answered[0] = 0.0  # it was that of another key
    desk[LABEL], desk[WEIGHT], desk[KNOWN] = label, weight, known
    one = cut(desk, LABEL, (1,)), cut(desk, WEIGHT, (1,)), cut(desk, KNOWN, (1,))
    out = cut(desk, FIRST_SCORE, (1, c.n_outputs))
    state = settings, counters, block, scratch
    return kernel.learn(*state, x, values, places, begins, added, *one, 0, out)


@part
def _regime(s, c, block):
    """Return the number of the regime that is in charge of a key, 0 for none."""
    memories = open_block(s, c, block)[0].experts.memory
    shown = memories.rich if c.shown else memories.plain
    k = int(shown.status[IN_CHARGE])
    return shown.facts[NAME, k] if k >= 0 else 0.0


@part
def _write(s, c, classes, desk, vote, answers, scores, columns, i):
    """In place: the answer to row i: a class by its number among all, or a value.

    vote: that of a shared model of a regression, NaN for none, which the key's answer is added to.
    """
    out = cut(desk, FIRST_SCORE, (c.n_outputs,))
    if s.classify:
        write_class(c, classes, out, answers, scores, columns, i)
        return
    shift = vote if vote == vote else 0.0
    answers[i] = shift + out[0] if out[0] == out[0] else vote


with announced(__name__, "the default model over many keys (a few seconds)"):

    @compiled(void(counters_type, vector, vector, matrix, matrix, matrix, vector, matrix))
    def vote(counters, stats, classes, weights, X, votes, z, out):
        """In place: out = what a shared model and its corrections say of rows to a key.

        votes : (n, n_classes) of the shared model; z: scratch
        out : (n, N_VOTES * n_outputs), as in `_vote`
        """
        for i in range(X.shape[0]):
            _standardise(stats, X[i], z)
            _multiply(z, X.shape[1])
            _vote(counters[0], classes, votes[i], weights, z, X.shape[1] + 1, out[i])

    @compiled(void(matrix, longs, longs, matrix, vector, vector, matrix))
    def standardise(stats, buckets, rows, X, labels, weights, out):
        """In place: out = rows by the statistics of their buckets, each before these meet it.

        rows : numbers of the rows, in their order
        buckets, labels, weights : of all rows; those that are learnt are met
        """
        for at in range(rows.shape[0]):
            i = rows[at]
            own = stats[buckets[i]]
            _standardise(own, X[i], out[i])
            if labels[i] == labels[i] and weights[i] > 0.0:
                _meet(own, X[i])

    @compiled(
        int64(
            *(settings_type, counters_type, counters_type, facts, longs, longs),
            *(matrix, vector, vector, vector),
            *(vector, vector, vector),
            *(matrix, longs, facts, longs, matrix),
            *(vector, int64, int64),
            *(vector, matrix, matrix, vector, longs),
        )
    )
    def learn(
        settings,
        like,
        spare,
        slots,
        numbers,
        rows,
        X,
        values,
        places,
        begins,
        labels,
        weights,
        known,
        votes,
        n_known,
        orders,
        buckets,
        standard,
        desk,
        first,
        again,
        answers,
        scores,
        columns,
        regimes,
        status,
    ):
        """In place: answer the rows from the first on, and learn those that have a label.

        Parameters
        ----------
        settings : one of each kind of key
        like : array of counters, for their type; spare: one that may be written to
        slots : (n_keys, N_FACTS), of each key where it lies
        numbers : (n,) of each row its key in slots
        rows : numbers of the rows to be learnt, in their order
        X, values, places, begins : the rows, as in `mooe.auto.kernel`
        labels, weights : (n,) classes by their numbers among all
        known : (n,) for late labels, as in `mooe.auto.kernel`, classes in the key's own order; or
            (0,) where none is late
        votes : (n, n_classes) in [-1, 1] of shared models, or (n, 1) values; (n, 0) without, NaN
            where a shared model has no answer yet
        n_known : (n,) classes that the shared model of a row knew; orders: (n_buckets, n) which
        buckets : (n,) of each row; standard: (n, d) rows by the statistics of these
        desk : scratch
        again : 1 where the first row is answered already
        answers : (n,) a class or value of each, -1 or NaN where the key has none
        scores, columns : (n, n_classes), or (n, 0): scores, and the classes that they belong to
        regimes : (n,), or (0,): the number of the regime that the key was in, 0 for none

        Returns
        -------
        where in rows it has ended; why is in status[0], and how many classes there must be room
        for in status[1].
        """
        d, n_rows, shared = X.shape[1], rows.shape[0], votes.shape[1] > 0
        p = n_multiplied(d)
        status[0] = DONE
        for at in range(first, n_rows):
            i = rows[at]
            fetch_slot(slots, numbers, rows, at)
            slot = numbers[i]
            address, kind = slots[slot, ADDRESS], slots[slot, KIND]
            counters, own = record_at(like, address), settings[kind : kind + 1]
            s, c = own[0], counters[0]
            weight = weights[i]
            label = labels[i] if weight > 0.0 else np.nan
            learnt = label == label
            classes = floats_at(address + like.itemsize, MOST)
            block = floats_at(address + slots[slot, BLOCK], MOST)
            if s.classify and n_known.shape[0] > 0 and c.n_classes < n_known[i]:
                if n_known[i] > 2:
                    status[0], status[1] = CLASSES, n_known[i]
                    return at
                if not learnt:  # predicting changes nothing
                    spare[0] = counters[0]
                    counters = spare
                    c = counters[0]
                    classes = cut(desk, 4, (4,))
                    for k in range(c.n_classes):
                        classes[k] = floats_at(address + like.itemsize, MOST)[k]
                for k in range(c.n_classes, n_known[i]):
                    classes[k] = orders[buckets[i], k]
                c.n_classes = n_known[i]
            place = place_of(s, c, classes, label)
            if place == NO_ROOM and s.classify:
                status[0] = CLASS
                return at
            o = c.n_outputs
            behind = next_line(FIRST_SCORE + o)
            added = cut(desk, behind, (1, c.n_added * o))
            z = cut(desk, next_line(behind + N_VOTES * o), (p,))
            scratch = desk[next_line(next_line(behind + N_VOTES * o) + p) :]
            x = cut(X, i * d, (1, d))
            row = x, values, places, cut(begins, i, (2,))
            correction = cut(
                floats_at(address + slots[slot, CORRECTION], MOST), 0, (o, d + 1 + p + 2)
            )
            vote = votes[i, 0] if shared else np.nan
            if shared and s.classify:
                copy(standard[i], z[:d])
                _multiply(z, d)
                _vote(c, classes, votes[i], correction, z, d + 1, added[0])
            before = known[i] if known.shape[0] > 0 else np.nan
            state = own, counters, block, row, added, desk, scratch, before
            is_new = s.classify and place == NEW
            is_answered = again == 1 and at == first
            is_mute = s.classify and (c.n_classes == 0 or (c.n_labelled == 0 and vote != vote))
            if regimes.shape[0] > 0 and not is_answered:
                regimes[i] = _regime(s, c, block)
            if not learnt or is_new:
                _score(*state, np.nan, weight)
            else:
                given = label - vote if vote == vote and not s.classify else place
                _score(*state, given, weight)
            if not is_mute and not is_answered:
                _write(s, c, classes, desk, vote, answers, scores, columns, i)
            if not learnt:
                continue
            if is_new:
                place = meet_class(c, classes, label)
                _score(*state, place, weight)
            if shared and s.classify:
                _correct(c, correction, z, d + 1, place, weight, added[0])
            if not roster.has_room_of_one(s, c):
                status[0] = ROOM
                return at
        return n_rows
