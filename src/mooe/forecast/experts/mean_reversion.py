"""The expert that knows how fast a series returns to its mean: an autoregression of order one.

On what smoothing leaves of the season. Its one coefficient is corrected for the bias that few rows
have (Kendall 1954) and held at 1, so on a random walk it repeats the last value, where regressions
of many inputs see a pull that is not there.
"""

from typing import NamedTuple

import numpy as np

from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

NAME = "mean reversion"
DISCOUNT = 0.998  # of a row when the next arrives
FIRST = 16  # rows before which it does not vote
# What is known of a channel, by place of `facts`.
COUNT, BEFORE, AFTER, PRODUCTS, SQUARES, LATEST, IS_KNOWN = range(7)


class MeanReversion(NamedTuple):
    """Moments of neighbours, discounted."""

    facts: np.ndarray  # (n_channels, 7) pairs, their means, products and squares, latest value


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    return take(MeanReversion, block, at, ((c.n_channels, 7),))


@part
def learn(c, m, i, value, profile):
    """In place: a channel's value, NaN for none, less its season."""
    f, rest = m.facts[i], value - profile[c.n_rows % profile.shape[0]]
    if c.season > 1 and c.n_rows + 1 == c.season:  # till then there was no season to take out
        for j in range(LATEST):
            f[j] = 0.0
        f[IS_KNOWN] = 0.0
    if value == value and f[IS_KNOWN] > 0.0:
        f[COUNT] = fma(f[COUNT], DISCOUNT, 1.0)
        one, other = f[LATEST] - f[BEFORE], rest - f[AFTER]
        f[BEFORE] += one / f[COUNT]
        f[AFTER] += other / f[COUNT]
        f[PRODUCTS] = fma(f[PRODUCTS], DISCOUNT, one * (rest - f[AFTER]))
        f[SQUARES] = fma(f[SQUARES], DISCOUNT, one * (f[LATEST] - f[BEFORE]))
    f[IS_KNOWN] = 1.0 if value == value else 0.0
    f[LATEST] = rest if value == value else 0.0


@part
def vote(c, m, i, last, profile, place, votes):
    """In place: the votes; last is the latest value."""
    f, season, kept = m.facts[i], profile.shape[0], 0.0
    if f[SQUARES] > 0.0:
        kept = f[PRODUCTS] / f[SQUARES]
        kept = min(max(kept + fma(3.0, kept, 1.0) / f[COUNT], 0.0), 1.0)
    at = c.n_rows % season
    middle = f[AFTER] if f[COUNT] > 0.0 else last - profile[at]
    rest = last - profile[at] - middle
    for h in range(votes.shape[0]):
        at = at + 1 if at + 1 < season else 0
        rest *= kept
        votes[h, place] = middle + rest + profile[at]
