"""Experts that know the season: the value one season ago, and smoothed level and profile.

Additive Holt-Winters without trend, at two speeds and for a second season, and a multiplicative one
for series without negative values (Holt 1957; Winters 1960). Without a season they are simple
exponential smoothing.
"""

from typing import NamedTuple

import numpy as np

from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

NAMES = ("seasonal naive", "smooth", "smooth quick", "smooth growing", "smooth longer")
NAIVE, SMOOTH, QUICK, GROWING, LONGER = range(5)
LEVEL_STEP = (0.1, 0.5, 0.1, 0.1)  # of smooth, quick, growing and longer
PROFILE_STEP = 0.1
FIRST_STEP = 0.5  # of a profile in its first season
LEAST_FACTOR = 0.05  # of a season that multiplies: what is smaller tells nothing of the level


class Seasonal(NamedTuple):
    """Levels and profiles."""

    levels: np.ndarray  # (n_channels, 4)
    profiles: np.ndarray  # (n_channels, 3, season) of smooth, quick and growing
    longer: np.ndarray  # (n_channels, other_season)


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n = c.n_channels
    return take(Seasonal, block, at, ((n, 4), (n, 3, c.season), (n, c.other_season)))


@part
def _profile_step(c, season):
    """Return how far a profile moves towards what is seen: as a mean at first."""
    if season == 1:
        return 0.0
    if c.n_rows < season:
        return FIRST_STEP
    return max(PROFILE_STEP, 1.0 / (c.n_rows // season + 1.0))


@part
def _smooth(c, levels, k, profile, value, is_first):
    """In place: level and additive profile with one more value."""
    at, season = c.n_rows % profile.shape[0], profile.shape[0]
    if is_first:
        levels[k] = value
    step = max(LEVEL_STEP[k], 1.0 / (c.n_rows + 1.0))
    levels[k] = fma(step, value - profile[at] - levels[k], levels[k])
    rest = value - levels[k] - profile[at]
    profile[at] = fma(_profile_step(c, season), rest, profile[at])


@part
def _smooth_factors(c, levels, k, profile, value, is_first):
    """In place: level and a profile that multiplies it, kept as factor - 1."""
    at, season = c.n_rows % profile.shape[0], profile.shape[0]
    if is_first:
        levels[k] = value
    factor = max(1.0 + profile[at], LEAST_FACTOR)
    step = max(LEVEL_STEP[k], 1.0 / (c.n_rows + 1.0))
    levels[k] = max(fma(step, value / factor - levels[k], levels[k]), 0.0)
    if levels[k] > 0.0:
        rest = min(value / levels[k], season) - 1.0 - profile[at]
        profile[at] = fma(_profile_step(c, season), rest, profile[at])


@part
def _start(levels, k, profile, lags):
    """In place: level and additive profile from the first season; lags, the latest first."""
    season, s = profile.shape[0], 0.0
    for j in range(season):
        s += lags[j]
    levels[k] = s / season
    for j in range(season):
        profile[j] = lags[season - 1 - j] - levels[k]


@part
def _start_factors(levels, k, profile, lags):
    """In place: level and a profile that multiplies it from the first season."""
    _start(levels, k, profile, lags)
    for j in range(profile.shape[0]):
        profile[j] = profile[j] / levels[k] if levels[k] > 0.0 else 0.0


@part
def learn(c, m, i, value, is_first, is_positive, lags):
    """In place: a channel's value; at the end of the first season all of it counts alike."""
    levels, rows = m.levels[i], c.n_rows + 1
    if c.season > 1 and rows == c.season:
        _start(levels, 0, m.profiles[i, 0], lags)
        _start(levels, 1, m.profiles[i, 1], lags)
        _start_factors(levels, 2, m.profiles[i, 2], lags)
        return
    if c.other_season > 1 and rows == c.other_season:
        _start(levels, 3, m.longer[i], lags)
    _smooth(c, levels, 0, m.profiles[i, 0], value, is_first)
    _smooth(c, levels, 1, m.profiles[i, 1], value, is_first)
    if is_positive:
        _smooth_factors(c, levels, 2, m.profiles[i, 2], value, is_first)
    if c.other_season > 1 and rows > c.other_season:
        _smooth(c, levels, 3, m.longer[i], value, is_first)


@part
def vote(c, m, lags, i, place, votes):
    """In place: the votes of all five from a place on; lags (n,), the latest first.

    Seasonal naive repeats the last value for steps whose value a season ago is not known.
    """
    levels, season, other = m.levels[i], c.season, c.other_season
    back, at, far = season, (c.n_rows + 1) % season, (c.n_rows + 1) % other
    for h in range(votes.shape[0]):
        back -= 1
        votes[h, place + NAIVE] = lags[back] if c.n_rows + 1 + h >= season else lags[0]
        back = back if back > 0 else season
        votes[h, place + SMOOTH] = levels[0] + m.profiles[i, 0, at]
        votes[h, place + QUICK] = levels[1] + m.profiles[i, 1, at]
        votes[h, place + GROWING] = fma(levels[2], m.profiles[i, 2, at], levels[2])
        votes[h, place + LONGER] = levels[3] + m.longer[i, far]
        at = at + 1 if at + 1 < season else 0
        far = far + 1 if far + 1 < other else 0
