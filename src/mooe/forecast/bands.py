"""Bands that hold while the world drifts: quantiles of errors in moving units, followed online.

Six trackers per quantile, of three units and two steps, are mixed by their pinball losses. An
adaptive conformal method (Gibbs, Candes 2021): each tracker moves by its step times how far it was
off its share, so in the long run its share is right whatever the errors do.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.mixture import MIXED, n_buckets
from mooe.numerics.arithmetic import exp
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

DECAYS = (0.96, 0.99, 0.998)  # of the units: means of absolute errors
STEPS = (0.01, 0.04)  # of the trackers, over the root of the steps ahead
TRACKERS = 6  # each unit with each step
RATE, DISCOUNT = 1.0, 0.999  # of the weights of trackers
LEAST_UNIT = 1e-9  # of the unit of the channel


class Bands(NamedTuple):
    """Trackers and the units that they are in."""

    probabilities: np.ndarray  # (n_quantiles,)
    units: np.ndarray  # (n_channels, horizon, 4) discounted sums of sizes of errors; count of them
    trackers: np.ndarray  # (n_channels, horizon, n_quantiles, TRACKERS)
    losses: np.ndarray  # (n_channels, n_buckets, n_quantiles, TRACKERS)
    given: np.ndarray  # (horizon, n_channels, horizon, 4) units at the origins, by target


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n, b, h, q = c.n_channels, n_buckets(s.horizon), s.horizon, s.n_quantiles
    ring = (h, n, h, 4) if q > 0 else (0, 0, 0, 0)
    shapes = ((q,), (n, h, 4), (n, h, q, TRACKERS), (n, b, q, TRACKERS), ring)
    return take(Bands, block, at, shapes)


@part
def _weight_sum(losses, weights):
    """In place: the weights of trackers, relative to the best; return their sum."""
    best = losses[0]
    for j in range(1, TRACKERS):
        best = min(best, losses[j])
    mass = 0.0
    for j in range(TRACKERS):
        weights[j] = exp(-RATE * (losses[j] - best))
        mass += weights[j]
    return mass


@part
def _learn_step(m, i, b, h, error, given, pace):
    """In place: one error of one step."""
    for q in range(m.probabilities.shape[0]):
        share, trackers, losses = m.probabilities[q], m.trackers[i, h, q], m.losses[i, b, q]
        for j in range(TRACKERS):
            unit = given[j // 2]
            rest = error - trackers[j] * unit
            loss = share * rest if rest >= 0.0 else (share - 1.0) * rest
            losses[j] = fma(loss / given[2], pace, losses[j])
            side = share if rest >= 0.0 else share - 1.0
            trackers[j] = fma(STEPS[j % 2] / np.sqrt(h + 1.0), side, trackers[j])


@part
def _add_error(m, i, h, error):
    """In place: the units of a step with one more error."""
    units = m.units[i, h]
    units[3] += 1.0
    for d in range(3):
        step = max(1.0 - DECAYS[d], 1.0 / units[3])
        units[d] = fma(step, abs(error) - units[d], units[d])


@part
def learn(m, i, slot, votes, n_origins, value):
    """In place: a channel's value against what was forecast from n_origins origins."""
    if m.probabilities.shape[0] == 0:
        return
    b, first = 0, 0
    while first < n_origins:
        last = min(2 * first + 1, n_origins)
        losses = m.losses[i, b]
        for q in range(losses.shape[0]):
            for j in range(TRACKERS):
                losses[q, j] *= DISCOUNT
        for h in range(first, last):
            error = value - votes[h, MIXED]
            _learn_step(m, i, b, h, error, m.given[slot, i, h], 1.0 / (last - first))
            _add_error(m, i, h, error)
        first, b = 2 * first + 1, b + 1


@part
def give(m, i, row, unit):
    """In place: the units that the forecasts of a row have, at their targets.

    A step that no error is known of yet has those of the longest that has, times the root of how
    much longer it is.
    """
    if m.probabilities.shape[0] == 0:
        return
    n_steps, longest = m.units.shape[1], 0
    least = LEAST_UNIT * unit
    for h in range(n_steps):
        units = m.units[i, h]
        given = m.given[(row + 1 + h) % n_steps, i, h]
        if units[3] > 0.0:
            longest = h + 1
        factor = np.sqrt((h + 1.0) / longest) if longest > 0 else np.sqrt(h + 1.0)
        for d in range(3):
            known = m.units[i, longest - 1, d] if longest > 0 else 0.5 * unit
            given[d] = max(known * factor, least) if units[3] == 0.0 else max(known, least)


@part
def set_quantiles(m, i, row, means, weights, out):
    """In place: the quantiles of a channel's forecasts of a row, (n_quantiles, horizon).

    The band of a higher level holds that of a lower one.
    """
    n, n_steps = out.shape
    first, b = 0, 0
    while first < n_steps:
        last = min(2 * first + 1, n_steps)
        for q in range(n):
            mass = _weight_sum(m.losses[i, b, q], weights)
            for h in range(first, last):
                given, trackers = m.given[(row + 1 + h) % n_steps, i, h], m.trackers[i, h, q]
                s = 0.0
                for j in range(TRACKERS):
                    s = fma(weights[j] * trackers[j], given[j // 2], s)
                out[q, h] = means[h] + s / mass
        first, b = 2 * first + 1, b + 1
    middle = n // 2
    for h in range(n_steps):
        low, high = min(out[0, h], out[middle, h]), max(out[0, h], out[middle, h])
        for q in range(middle):
            low, high = min(low, out[q, h]), max(high, out[middle + q, h])
            out[q, h], out[middle + q, h] = low, high
