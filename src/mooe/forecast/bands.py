"""Bands that hold while the world drifts: quantiles of errors in moving units, followed online.

Six trackers per quantile, of three units and two steps, are mixed by their pinball losses, and what
is published is shifted until its own share is right. An adaptive conformal method (Gibbs, Candes
2021): each moves by its step times how far it was off its share, so in the long run its share is
right whatever the errors do.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.mixture import GIVEN, n_buckets
from mooe.numerics.arithmetic import exp
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

DECAYS = (0.96, 0.99, 0.998)  # of the units: means of absolute errors
STEPS = (0.01, 0.04)  # of the trackers, over the root of the steps ahead
TRACKERS = 6  # each unit with each step
RATE, DISCOUNT = 1.0, 0.999  # of the weights of trackers
SHIFT_STEP = 0.1  # of what is published, over the root of the steps ahead
FEW = 2.0  # errors, by whose share of all the units are larger
LEAST_UNIT = 1e-9  # of the unit of the channel


class Bands(NamedTuple):
    """Trackers and the units that they are in."""

    probabilities: np.ndarray  # (n_quantiles,)
    units: np.ndarray  # (n_channels, horizon, 4) means of sizes of errors, by decay; their count
    trackers: np.ndarray  # (n_channels, horizon, n_quantiles, TRACKERS)
    losses: np.ndarray  # (n_channels, n_buckets, n_quantiles, TRACKERS)
    shifts: np.ndarray  # (n_channels, horizon, n_quantiles) of what is published, in units
    given: np.ndarray  # (horizon, n_channels, horizon, 3) units at the origins, by target
    published: np.ndarray  # (horizon, n_channels, horizon, n_quantiles) against the mean, by target


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n, b, h, q = c.n_channels, n_buckets(s.horizon), s.horizon, s.n_quantiles
    r = h if q > 0 else 0
    followed = ((q,), (n, r, 4), (n, h, q, TRACKERS), (n, b, q, TRACKERS), (n, h, q))
    return take(Bands, block, at, (*followed, (r, n, r, 3), (r, n, r, q)))


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
def _learn_step(m, i, b, h, error, given, published, pace):
    """In place: one error of one step."""
    slow = 1.0 / np.sqrt(h + 1.0)
    for q in range(m.probabilities.shape[0]):
        share, trackers, losses = m.probabilities[q], m.trackers[i, h, q], m.losses[i, b, q]
        for j in range(TRACKERS):
            rest = error - trackers[j] * given[j // 2]
            side = share if rest >= 0.0 else share - 1.0
            losses[j] = fma(side * rest / given[2], pace, losses[j])
            trackers[j] = fma(STEPS[j % 2] * slow, side, trackers[j])
        side = share if error >= published[q] else share - 1.0
        m.shifts[i, h, q] = fma(SHIFT_STEP * slow, side, m.shifts[i, h, q])


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
            error = value - votes[h, GIVEN]
            given, published = m.given[slot, i, h], m.published[slot, i, h]
            _learn_step(m, i, b, h, error, given, published, 1.0 / (last - first))
            _add_error(m, i, h, error)
        first, b = 2 * first + 1, b + 1


@part
def give(m, i, row, unit, weights):
    """In place: the bands of a channel's forecasts from a row, at their targets."""
    if m.probabilities.shape[0] == 0:
        return
    _give_units(m, i, row, unit)
    n_steps, first, b = m.units.shape[1], 0, 0
    while first < n_steps:
        last = min(2 * first + 1, n_steps)
        for q in range(m.probabilities.shape[0]):
            mass = _weight_sum(m.losses[i, b, q], weights)
            for h in range(first, last):
                slot, trackers, s = (row + 1 + h) % n_steps, m.trackers[i, h, q], 0.0
                given = m.given[slot, i, h]
                for j in range(TRACKERS):
                    s = fma(weights[j] * trackers[j], given[j // 2], s)
                m.published[slot, i, h, q] = fma(m.shifts[i, h, q], given[2], s / mass)
        first, b = 2 * first + 1, b + 1
    for h in range(n_steps):
        _nest(m.published[(row + 1 + h) % n_steps, i, h])


@part
def _give_units(m, i, row, unit):
    """In place: the units that the forecasts of a row have.

    A step that no error is known of yet has those of the longest that has, times the root of how
    much longer it is. Of few errors the mean size says little, so units are larger.
    """
    n_steps, longest = m.units.shape[1], 0
    least = LEAST_UNIT * unit
    for h in range(n_steps):
        given = m.given[(row + 1 + h) % n_steps, i, h]
        if m.units[i, h, 3] > 0.0:
            longest = h + 1
        factor = np.sqrt((h + 1.0) / longest) if longest > 0 else np.sqrt(h + 1.0)
        if longest > 0:
            factor *= 1.0 + FEW / m.units[i, longest - 1, 3]
        for d in range(3):
            known = m.units[i, longest - 1, d] if longest > 0 else 0.5 * unit
            given[d] = max(known * factor, least)


@part
def _nest(quantiles):
    """In place: the band of a higher level holds that of a lower one, and none is turned round.

    Ends that have passed each other meet half-way: exchanged, each would learn from the other's
    errors, and they would part for ever.
    """
    middle = quantiles.shape[0] // 2
    low, high = quantiles[0], quantiles[middle]
    if low > high:
        low = high = 0.5 * (low + high)
    for q in range(middle):
        low, high = min(low, quantiles[q]), max(high, quantiles[middle + q])
        quantiles[q], quantiles[middle + q] = low, high
