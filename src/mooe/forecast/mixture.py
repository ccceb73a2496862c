"""Votes of the experts into one forecast: exponentiated gradient for each channel and bucket.

A bucket holds the steps h of one floor(log2 h). Errors are in units of the root of a running mean
of squares, clipped; the rate follows their variance, so nothing has to be chosen for a series. An
expert that sleeps has the mixture's vote, so it gains and loses nothing.
"""

from typing import NamedTuple

import numpy as np

from mooe.numerics.arithmetic import exp, log
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, pack, select, spread, store, total

PLACES = 20  # votes side by side: those of experts, the mixture's, and what is forecast
MIXED, GIVEN = PLACES - 2, PLACES - 1
DISCOUNT = 0.9995  # of regrets and squares
MOST = 5.0  # of an error, in its unit
FASTEST = 0.1  # rate
EARLY = 5.0  # values by whose number the rate of few of them may be faster
SHARE = 1e-4  # of the weights that is dealt out evenly
PRIOR = 4.0  # of the first two places, the naive ones, against the others
FIRST_SQUARES = 1e-3
LEAST_UNIT = 1e-6  # of the unit of a channel


class Mixture(NamedTuple):
    """What is known of the experts."""

    awake: np.ndarray  # (n_channels, PLACES) 1 or 0
    weights: np.ndarray  # (n_channels, n_buckets, PLACES), which sum to one
    regrets: np.ndarray  # (n_channels, n_buckets, PLACES)
    squares: np.ndarray  # (n_channels, n_buckets) of the gains, discounted
    errors: np.ndarray  # (n_channels, horizon, 2) discounted sum of squared errors, and count
    votes: np.ndarray  # (horizon, n_channels, horizon, PLACES) by target, a ring, and by step


@shared
def n_buckets(horizon):
    """Return how many buckets there are."""
    n = 1
    while 2**n <= horizon:
        n += 1
    return n


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    return take(Mixture, block, at, shapes(s, c, PLACES))


@shared
def shapes(s, c, places):
    """Return the shapes of the arrays for so many votes side by side."""
    n, b, h = c.n_channels, n_buckets(s.horizon), s.horizon
    of_bucket = (n, b, places)
    return ((n, places), of_bucket, of_bucket, (n, b), (n, h, 2), (h, n, h, places))


@part
def _add_regrets(m, i, h, votes, value, least, weights, gains):
    """In place: add what each expert would have gained on the mixture at one step."""
    awake, sums, v = m.awake[i], m.errors[i, h], votes[h]
    pe, squares, n = spread(0.0), spread(0.0), spread(0.0)
    for k in range(0, PLACES, 4):
        a, x = load(awake, k), load(v, k)
        pe = fma(load(weights, k), x, pe)
        d = x - value
        squares = fma(a * d, d, squares)
        n = n + a
    mixed, error = total(pe), v[MIXED] - value
    sums[0] = fma(sums[0], DISCOUNT, min(error * error, total(squares) / total(n)))
    sums[1] = fma(sums[1], DISCOUNT, 1.0)
    unit = np.sqrt(sums[0] / sums[1] + least * least)
    slope = -2.0 * min(max((mixed - value) / unit, -MOST), MOST)
    for k in range(0, PLACES, 4):
        u = (load(v, k) - mixed) / unit
        u = select(u, MOST, spread(MOST), select(-MOST, u, spread(-MOST), u))
        store(gains, k, fma(load(awake, k) * u, slope, load(gains, k)))


@part
def _weigh(m, i, b, typical, count, n_values, gains):
    """In place: the weights of a bucket from the gains of `count` steps, after n_values values."""
    regrets, weights, awake = m.regrets[i, b], m.weights[i, b], m.awake[i]
    square, n = 0.0, 0.0
    for k in range(PLACES):
        gains[k] /= count
        square = fma(weights[k] * gains[k], gains[k], square)
        n += awake[k]
    m.squares[i, b] = fma(m.squares[i, b], DISCOUNT, square)
    fastest = max(FASTEST, EARLY / n_values)
    rate = min(fastest, np.sqrt(log(n + 1.0) / (m.squares[i, b] * np.sqrt(typical))))
    largest = -1e300
    for k in range(PLACES):
        regrets[k] = fma(regrets[k], DISCOUNT, gains[k])
        if awake[k] > 0.0:
            largest = max(largest, rate * regrets[k])
    mass = spread(0.0)
    for k in range(0, PLACES, 4):
        some = exp(fma(load(regrets, k), rate, -largest)) * load(awake, k)
        some = some * pack(PRIOR, PRIOR, 1.0, 1.0) if k == 0 else some
        store(weights, k, some)
        mass = mass + some
    even, scale = SHARE / n, (1.0 - SHARE) / total(mass)
    for k in range(0, PLACES, 4):
        store(weights, k, fma(load(weights, k), scale, even * load(awake, k)))


@part
def learn(m, i, votes, n_origins, value, least, gains):
    """In place: a channel's value, forecast from n_origins origins; votes (horizon, PLACES)."""
    first, b = 0, 0
    while first < n_origins:
        last = min(2 * first + 1, n_origins)  # steps first + 1, ..., last
        whole = min(2 * first + 1, votes.shape[0])
        for k in range(PLACES):
            gains[k] = 0.0
        for h in range(first, last):
            _add_regrets(m, i, h, votes, value, least, m.weights[i, b], gains)
        n_values = m.errors[i, first, 1]
        _weigh(m, i, b, 0.5 * (first + 1.0 + whole), last - first, n_values, gains)
        first, b = 2 * first + 1, b + 1


@part
def set_awake(m, i, k, is_awake, is_late):
    """In place: an expert wakes with an even share, or sleeps; others keep proportions.

    One that is late, because it had to learn first, has the regret of the worst.
    """
    now = 1.0 if is_awake else 0.0
    if m.awake[i, k] == now:
        return
    n = 0.0
    for j in range(PLACES):
        n += m.awake[i, j]
    m.awake[i, k] = now
    for b in range(m.weights.shape[1]):
        weights = m.weights[i, b]
        rest = 1.0 - weights[k]
        share = 1.0 / (n + 1.0) if is_awake else 0.0
        for j in range(PLACES):
            weights[j] *= (1.0 - share) / rest if rest > 0.0 else 0.0
        weights[k] = share
        worst = 0.0
        for j in range(PLACES):
            if is_late and j != k and m.awake[i, j] > 0.0:
                worst = min(worst, m.regrets[i, b, j])
        m.regrets[i, b, k] = worst


@part
def begin_season(m, i):
    """In place: a channel's first season is over: what was gained, and at which errors, is void.

    Errors of before would be the unit of those to come, which may be a hundredth of them.
    """
    n = 0.0
    for k in range(PLACES):
        n += m.awake[i, k] * (PRIOR if k < 2 else 1.0)
    for b in range(m.squares.shape[1]):
        m.squares[i, b] = FIRST_SQUARES
        for k in range(PLACES):
            m.regrets[i, b, k] = 0.0
            m.weights[i, b, k] = m.awake[i, k] * (PRIOR if k < 2 else 1.0) / n
    for h in range(m.errors.shape[1]):
        m.errors[i, h, 0] = m.errors[i, h, 1] = 0.0


@part
def mix(m, i, bounds, votes):
    """In place: the mixture's votes, and those of sleepers; all within bounds (2, PLACES)."""
    b, behind = 0, 2
    for h in range(votes.shape[0]):
        if h + 1 == behind:
            b, behind = b + 1, 2 * behind
        v, weights, awake, s = votes[h], m.weights[i, b], m.awake[i], spread(0.0)
        for k in range(0, PLACES, 4):
            x = load(v, k)
            low, high = load(bounds[0], k), load(bounds[1], k)
            x = select(x, high, high, select(x, low, x, low))
            store(v, k, x)
            s = fma(load(weights, k), x, s)
        mixed = total(s)
        for k in range(PLACES):
            if awake[k] == 0.0:
                v[k] = mixed
