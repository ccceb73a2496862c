"""The offline expert: least squares on the warm-up, and nothing learnt since.

Recursive least squares that forget nothing are the ridge regression of all labels so far. So the
fit on the warm-up is the steady expert as it was at its end.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.inputs import own_width
from mooe.numerics.arithmetic import dot
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, store

NAME = "offline"


class Offline(NamedTuple):
    """What was fitted."""

    weights: np.ndarray  # (n_channels, horizon, width); none without a warm-up


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n = c.n_channels if c.warm_up > 0 else 0
    return take(Offline, block, at, ((n, s.horizon, own_width(c)),))


@part
def fit(m, i, steady):
    """In place: a channel's weights are those that the steady expert has now."""
    for h in range(steady.shape[0]):
        for j in range(0, steady.shape[1], 4):
            store(m.weights[i, h], j, load(steady[h], j))


@part
def vote(m, i, row, last, unit, place, votes):
    """In place: the votes of what was fitted."""
    for h in range(votes.shape[0]):
        votes[h, place] = fma(unit, dot(m.weights[i, h], row, row.shape[0]), last)
