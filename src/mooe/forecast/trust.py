"""How far the mixture is followed: as far as it has saved of the last value's squared error.

Where nothing can be known, as on a random walk, all that experts say beside the last value costs.
So what is forecast lies between the last value and the mixture, for each channel and bucket of
steps: at the last value while the mixture has saved nothing, at the mixture from FULL on. Few rows
tell little of one bucket, so most of the say is with all buckets of the channel together, and less
with those of more steps, whose forecasts overlap.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.mixture import DISCOUNT, GIVEN, MIXED, n_buckets
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

FULL = 0.15  # of the last value's squared error, saved, from which on the mixture is the forecast
KEPT = 0.25  # of errors, when the first season is over
POOLED = 0.85  # say of all buckets together, against that of the bucket
LONGER = 0.7  # say of a bucket among them, against that of half as many steps


class Trust(NamedTuple):
    """What the mixture has saved."""

    errors: np.ndarray  # (n_channels, n_buckets, 2) squared, discounted: last value, mixture
    shares: np.ndarray  # (n_channels, n_buckets) how far the mixture is followed, 0 to 1


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n, b = c.n_channels, n_buckets(s.horizon)
    return take(Trust, block, at, ((n, b, 2), (n, b)))


@part
def learn(m, i, votes, n_origins, value, base):
    """In place: a channel's value from n_origins origins; base is the place of the last value."""
    first, b = 0, 0
    while first < n_origins:
        last = min(2 * first + 1, n_origins)
        of_base, of_mixture = 0.0, 0.0
        for h in range(first, last):
            one, other = votes[h, base] - value, votes[h, MIXED] - value
            of_base = fma(one, one, of_base)
            of_mixture = fma(other, other, of_mixture)
        errors, n = m.errors[i, b], last - first
        errors[0] = fma(errors[0], DISCOUNT, of_base / n)
        errors[1] = fma(errors[1], DISCOUNT, of_mixture / n)
        first, b = 2 * first + 1, b + 1
    _weigh(m.errors[i], m.shares[i])


@part
def _weigh(errors, shares):
    """In place: the shares of buckets from errors; one that knows nothing has that of all."""
    pooled, n, say = 0.0, 0.0, 1.0
    for b in range(shares.shape[0]):
        largest = max(errors[b, 0], errors[b, 1])
        shares[b] = (errors[b, 0] - errors[b, 1]) / largest if largest > 0.0 else 0.0
        if largest > 0.0:
            pooled, n = fma(say, shares[b], pooled), n + say
        say *= LONGER
    pooled = pooled / n if n > 0.0 else 0.0
    for b in range(shares.shape[0]):
        is_known = max(errors[b, 0], errors[b, 1]) > 0.0
        saved = fma(POOLED, pooled - shares[b], shares[b]) if is_known else pooled
        shares[b] = min(max(saved / FULL, 0.0), 1.0)


@part
def _returns(season, lags):
    """Whether the way from the end of a season back to its begin is like a step within.

    Of a season that returns it is the largest step by chance alone, once in `season` times; of a
    line or a walk nearly always, or often. lags (n,), the latest first.
    """
    seam, step = abs(lags[0] - lags[season - 1]), 0.0
    for j in range(season - 1):
        step = max(step, abs(lags[j] - lags[j + 1]))
    return seam <= step


@part
def begin_season(m, i, season, lags):
    """In place: a channel's first season is over, and experts know what they could not before.

    What the mixture has saved so far tells little of what it will: it counts for a part of the
    rows, and where the season seems to return as if that were FULL.
    """
    returns = _returns(season, lags)
    for b in range(m.shares.shape[1]):
        m.errors[i, b, 0] *= KEPT
        m.errors[i, b, 1] *= KEPT
        if returns:
            m.errors[i, b, 1] = (1.0 - FULL) * m.errors[i, b, 0]
    _weigh(m.errors[i], m.shares[i])


@part
def follow(m, i, base, votes):
    """In place: what is forecast of a channel, from the votes of base and mixture."""
    first, b = 0, 0
    while first < votes.shape[0]:
        share = m.shares[i, b]
        for h in range(first, min(2 * first + 1, votes.shape[0])):
            last = votes[h, base]
            votes[h, GIVEN] = fma(share, votes[h, MIXED] - last, last)
        first, b = 2 * first + 1, b + 1
