"""The memory of regimes: least squares for each, of which the one in charge learns and votes.

Every concept forecasts the next value. Where one of them has done better than the one in charge for
long enough (a CUSUM test of squared errors, Page 1954), its regime has returned and it takes over.
Where the one in charge does worse than it used to and no other does better, the regime is a new
one: a concept is made that knows nothing yet. Labels that belong to another regime than their
origin teach nobody.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.experts.least_squares import origin_of, set_gain
from mooe.forecast.inputs import long_width, n_cycle_inputs
from mooe.numerics.arithmetic import dot, padded
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, spread, store

NAME = "memory"
CONCEPTS = 8  # at most
VISITS = 16  # stretches in charge that are kept of each
FEW_LAGS = 4
FORGET = 0.9995
FIRST = 1.0  # covariance of a new concept
RECENT_STEP = 0.2  # of the mean of latest losses
REACH = 4  # steps of the forecasts that concepts are compared by
MOST = 8.0  # of a squared error, in units of the mixture's
EVIDENCE = 12.0  # squared errors saved until another takes over
MARGIN = 0.1  # of the loss in charge, by which another must be better to gain evidence
NOVELTY = 16.0  # usual losses in excess until a regime is new
TOLERANCE = 0.5  # of its usual loss, by which a concept may do worse
YOUNG = 48  # rows that a concept learns before it can be outdone
USUAL_STEP = 0.01  # of the mean of losses in charge
# What is known of a concept, by row of `facts`.
NUMBER, ROWS, LAST, N_VISITS, USUAL, RECENT, SAVED, EXCESS = range(8)


class Memory(NamedTuple):
    """The concepts, and what is known of them."""

    weights: np.ndarray  # (CONCEPTS, n_channels, horizon, width)
    covariance: np.ndarray  # (CONCEPTS, n_channels, width, width)
    gains: np.ndarray  # (n_channels, horizon + 1, width) of each origin, a ring
    rows: np.ndarray  # (n_channels, horizon + 1, width) cycles, a few lags and the level
    owners: np.ndarray  # (horizon + 1,) the concept in charge at each origin
    facts: np.ndarray  # (8, CONCEPTS)
    visits: np.ndarray  # (CONCEPTS, VISITS, 2) first and last row of each stretch, a ring
    used: np.ndarray  # (width,) the first covariance; 0 for padding


@shared
def width(c):
    """Return the width of what concepts see: cycles, a few lags, and the level."""
    return padded(1 + n_cycle_inputs(c) + FEW_LAGS + 1)


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    k = CONCEPTS if s.remembers else 0
    n, h, d = (c.n_channels if s.remembers else 0), s.horizon, width(c)
    wide = ((k, n, h, d), (k, n, d, d), (n, h + 1, d), (n, h + 1, d))
    return take(Memory, block, at, (*wide, (h + 1,), (8, k), (k, VISITS, 2), (d,)))


def start(m: Memory, n_used: int) -> None:
    """In place: what is not 0 before the first row; n_used inputs are no padding."""
    m.used[:n_used] = FIRST
    places = np.arange(len(m.used))
    m.covariance[..., places, places] = m.used
    m.owners[:] = -1.0


@part
def see(c, m, i, now, own):
    """In place: what concepts see of a channel's latest row; own are its inputs."""
    n, row = 1 + n_cycle_inputs(c) + FEW_LAGS, m.rows[i, now]
    for j in range(n):
        row[j] = own[j]
    row[n] = own[long_width(c)]


@part
def _take_charge(c, m, k):
    """In place: a concept begins a stretch in charge with this row."""
    c.in_charge, c.changed = k, c.n_rows
    c.n_changes += 1
    at = int(m.facts[N_VISITS, k]) % VISITS
    m.visits[k, at, 0] = c.n_rows
    m.facts[N_VISITS, k] += 1.0
    m.facts[EXCESS, k] = 0.0


@part
def _make(c, m):
    """In place: a new concept takes charge; where there is no room, the least used one goes."""
    before = c.in_charge
    k = c.n_concepts
    if k < CONCEPTS:
        c.n_concepts += 1
    else:
        k = 0 if before != 0 else 1
        for j in range(CONCEPTS):
            if j != before and m.facts[ROWS, j] < m.facts[ROWS, k]:
                k = j
    n, horizon, d = m.weights.shape[1], m.weights.shape[2], m.weights.shape[3]
    for i in range(n):
        for h in range(horizon):
            for j in range(0, d, 4):
                store(m.weights[k, i, h], j, spread(0.0))
        for a in range(d):
            for j in range(0, d, 4):
                store(m.covariance[k, i, a], j, spread(0.0))
            m.covariance[k, i, a, a] = m.used[a]
    for o in range(m.owners.shape[0]):
        if m.owners[o] == k:
            m.owners[o] = -1.0
    for j in range(m.facts.shape[0]):
        m.facts[j, k] = 0.0
    _take_charge(c, m, k)


@part
def _loss(c, m, seen, errors, given, base, k, now, n_origins, y):
    """Return the mean squared error of what a concept would have forecast of a row, -1 for none.

    From 1, 2 and 4 rows before, in units of what the mixture's errors are then.
    """
    s, n, d, n_slots = 0.0, 0.0, m.rows.shape[2], m.owners.shape[0]
    for i in range(c.n_channels):
        h = 0
        while y[i] == y[i] and h < min(n_origins, REACH):
            unit = errors[i, h, 0] / max(errors[i, h, 1], 1.0)
            o = origin_of(now, h + 1, n_slots)
            change = dot(m.weights[k, i, h], m.rows[i, o], d)
            error = y[i] - fma(seen.scales[i, o], change, given[i, h, base])
            s += min(error * error / unit, MOST) if unit > 0.0 else 0.0
            n += 1.0
            h = 2 * h + 1
    return s / n if n > 0.0 else -1.0


@part
def recognise(c, m, seen, errors, given, base, now, y):
    """In place: which concept is in charge from this row on; it has not been learnt yet."""
    if c.n_rows == 0:
        c.n_concepts = 1
        _take_charge(c, m, 0)
        return
    k, n_origins = c.in_charge, min(c.n_rows, m.owners.shape[0] - 1)
    own = _loss(c, m, seen, errors, given, base, k, now, n_origins, y)
    if own < 0.0:
        return
    m.facts[RECENT, k] = fma(RECENT_STEP, own - m.facts[RECENT, k], m.facts[RECENT, k])
    best = -1
    for j in range(c.n_concepts):
        if j != k:
            loss = _loss(c, m, seen, errors, given, base, j, now, n_origins, y)
            m.facts[RECENT, j] = fma(RECENT_STEP, loss - m.facts[RECENT, j], m.facts[RECENT, j])
            saved = (1.0 - MARGIN) * own - loss
            m.facts[SAVED, j] = max(m.facts[SAVED, j] + saved, 0.0)
            fits = m.facts[RECENT, j] < (1.0 + TOLERANCE) * m.facts[USUAL, j]
            if (
                fits
                and m.facts[NUMBER, j] > 0.0
                and (best < 0 or m.facts[SAVED, j] > m.facts[SAVED, best])
            ):
                best = j
    usual, is_new = m.facts[USUAL, k], False
    begun = c.season if c.season > 1 and c.n_rows >= c.season else 0
    n_losses = min(m.facts[ROWS, k], float(c.n_rows - begun))
    if n_losses > YOUNG:
        excess = own / usual - 1.0 - TOLERANCE if usual > 0.0 else 0.0
        m.facts[EXCESS, k] = max(m.facts[EXCESS, k] + excess, 0.0)
        is_new = m.facts[EXCESS, k] > NOVELTY
    if best >= 0 and m.facts[SAVED, best] > EVIDENCE:
        if m.facts[NUMBER, k] == 0.0:
            m.facts[ROWS, k] = 0.0  # it was no new regime
        for j in range(c.n_concepts):
            m.facts[SAVED, j] = 0.0
        _take_charge(c, m, best)
    elif is_new:
        _make(c, m)
    else:
        step = max(USUAL_STEP, 1.0 / (n_losses + 1.0))
        m.facts[USUAL, k] = fma(step, own - usual, usual)


@part
def begin_season(m):
    """In place: losses begin anew, as the mixture's errors do that are their unit."""
    for k in range(m.facts.shape[1]):
        for fact in (USUAL, RECENT, SAVED, EXCESS):
            m.facts[fact, k] = 0.0


@part
def _voter(c, m):
    """Return the concept that votes: the one that has done best of late."""
    k = c.in_charge
    best, least = k, (1.0 - MARGIN) * m.facts[RECENT, k]
    for j in range(c.n_concepts):
        if j != k and m.facts[NUMBER, j] > 0.0 and m.facts[RECENT, j] < least:
            best, least = j, m.facts[RECENT, j]
    return best


@part
def learn_and_vote(c, m, seen, i, now, n_origins, value, given, base, place, votes):
    """In place: the concept in charge learns a channel's value where it had charge, and votes."""
    k, d = c.in_charge, m.rows.shape[2]
    weights, scales = m.weights[k, i], seen.scales[i]
    voter = m.weights[_voter(c, m), i]
    for h in range(votes.shape[0]):
        o = origin_of(now, h + 1, m.owners.shape[0])
        if h < n_origins and value == value and m.owners[o] == k:
            error = (value - given[h, base]) / scales[o] - dot(weights[h], m.rows[i, o], d)
            for j in range(0, d, 4):
                v = fma(load(m.gains[i, o], j), error, load(weights[h], j))
                store(weights[h], j, v)
        change = dot(voter[h], m.rows[i, now], d)
        votes[h, place] = fma(scales[now], change, votes[h, base])


@part
def set_gains(c, m, i, now, is_known, room):
    """In place: what the concept in charge will learn of a channel's latest row."""
    k = c.in_charge
    if is_known:
        n_used = FIRST * (n_cycle_inputs(c) + FEW_LAGS + 2.0)
        row, gain = m.rows[i, now], m.gains[i, now]
        set_gain(m.covariance[k, i], row, FORGET, n_used, room, gain)
    else:
        for j in range(m.gains.shape[2]):
            m.gains[i, now, j] = 0.0


@part
def number(c, m):
    """Return the number of the concept in charge, 0 for one that is too young to have one."""
    return m.facts[NUMBER, c.in_charge]


@part
def note_row(c, m, now):
    """In place: the latest row is in the charge of a concept."""
    k = c.in_charge
    m.owners[now] = k
    m.facts[ROWS, k] += 1.0
    if m.facts[ROWS, k] > YOUNG and m.facts[NUMBER, k] == 0.0:
        c.n_named += 1
        m.facts[NUMBER, k] = c.n_named
    m.facts[LAST, k] = c.n_rows
    m.visits[k, (int(m.facts[N_VISITS, k]) - 1) % VISITS, 1] = c.n_rows
