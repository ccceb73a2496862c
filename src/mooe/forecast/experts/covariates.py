"""Covariates that are known in advance: least squares on what they are at the target.

For each channel and step: the change from the last value by covariates at the target, covariates at
the origin, and the changes that two experts forecast, steady and smooth. It stands above the
mixture, for it is asked only where the covariates of the steps ahead are given; what share it then
has follows from how much of the mixture's errors it would have taken away.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.experts.least_squares import origin_of, set_gain
from mooe.forecast.mixture import GIVEN
from mooe.numerics.arithmetic import dot, padded
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, store

FORGET = 0.9995
DISCOUNT = 0.998  # of what it would have taken away
YOUNG = 30.0  # rows that it learns from before it counts
MOST = 5.0  # of an error, in units


class Covariates(NamedTuple):
    """Weights and covariance of each channel and step."""

    weights: np.ndarray  # (n_channels, horizon, width)
    covariance: np.ndarray  # (n_channels, horizon, width, width)
    gain: np.ndarray  # (n_channels, horizon, 3) discounted sums for its share, and their count


@shared
def width(c):
    """Return how many inputs there are, padded; 0 without covariates."""
    return padded(3 + 2 * c.n_covariates) if c.n_covariates > 0 else 0


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    d, n = width(c), (c.n_channels if c.n_covariates > 0 else 0)
    return take(Covariates, block, at, ((n, s.horizon, d), (n, s.horizon, d, d), (n, s.horizon, 3)))


def start(m: Covariates, n_covariates: int) -> None:
    """In place: the first covariance, that of a ridge of 1."""
    places = np.arange(3 + 2 * n_covariates if n_covariates else 0)
    m.covariance[..., places, places] = 1.0


@part
def learn(m, seen, i, now, n_origins, value, given, steady, smooth, trial):
    """In place: learn a channel's value; trial (3, width) is room for inputs, gain and more."""
    n_slots, d, n = seen.anchors.shape[1], trial.shape[1], seen.standard.shape[1]
    x, gain = trial[0], trial[1]
    for h in range(n_origins):
        o = origin_of(now, h + 1, n_slots)
        last, unit, weights = seen.anchors[i, o], seen.scales[i, o], m.weights[i, h]
        x[0], x[1] = 1.0, (given[h, steady] - last) / unit
        x[2] = (given[h, smooth] - last) / unit
        for j in range(n):
            x[3 + j], x[3 + n + j] = seen.standard[now, j], seen.standard[o, j]
        change, target = dot(weights, x, d), (value - last) / unit
        mixed, sums = (given[h, GIVEN] - last) / unit, m.gain[i, h]
        if sums[2] > YOUNG:
            step = min(max(change - mixed, -MOST), MOST)
            sums[0] = fma(sums[0], DISCOUNT, min(max(target - mixed, -MOST), MOST) * step)
            sums[1] = fma(sums[1], DISCOUNT, step * step)
        sums[2] += 1.0
        set_gain(m.covariance[i, h], x, FORGET, 3.0 + 2.0 * n, trial[2], gain)
        for j in range(0, d, 4):
            store(weights, j, fma(load(gain, j), target - change, load(weights, j)))


def forecasts(
    m: Covariates,
    last: np.ndarray,
    unit: np.ndarray,
    steady: np.ndarray,
    smooth: np.ndarray,
    now: np.ndarray,
    ahead: np.ndarray,
) -> np.ndarray:
    """Return what covariates at the steps ahead make of the forecasts, (h, n_channels).

    last, unit (n_channels,); steady and smooth (h, n_channels), votes; now (n_covariates,) and
    ahead (h, n_covariates) in standard units.
    """
    h, n = ahead.shape
    out = np.empty_like(steady)
    for i in range(len(last)):
        rows = np.zeros((h, m.weights.shape[2]))
        rows[:, 0], rows[:, 1] = 1.0, (steady[:, i] - last[i]) / unit[i]
        rows[:, 2] = (smooth[:, i] - last[i]) / unit[i]
        rows[:, 3 : 3 + n], rows[:, 3 + n : 3 + 2 * n] = ahead, now
        out[:, i] = last[i] + unit[i] * (m.weights[i, :h] * rows).sum(1)
    return out


def shares(m: Covariates) -> np.ndarray:
    """Return the share that covariates have in a forecast, (horizon, n_channels), from 0 to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(m.gain[..., 1] > 0.0, m.gain[..., 0] / m.gain[..., 1], 0.0)
    return np.asarray(np.clip(share, 0.0, 1.0).T)
