"""Experts that know where a series is going: lines with a season, in values and in logarithms.

Holt's level and slope with an additive season (Holt 1957; Winters 1960), at two speeds and in the
view of logarithms, where growth is a line and a season multiplies. While there are few rows, the
steps are those of the straight line by least squares through all of them. What is forecast follows
the slope less and less (Gardner and McKenzie 1985). Where no season is known, a slope that a walk
could have by chance is believed in part or not at all, as a mean is by James and Stein (1961).
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.forecast.experts.seasonal import LEAST_FACTOR
from mooe.numerics.arithmetic import exp, log
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

NAMES = ("trend", "trend quick", "trend growing")
TREND, QUICK, GROWING = range(3)
LEVEL_STEP, SLOPE_STEP = (0.2, 0.5, 0.2), (0.01, 0.05, 0.01)  # at least
PROFILE_STEP = 0.1
DAMPING = 0.97  # of the slope, from one step ahead to the next
LEAST = 1e-300  # of a value whose logarithm is taken
FARTHEST = 1.0  # beyond the range of logarithms that was seen
FIRST = 10  # rows before which a line tells nothing
SHORT = 12.0  # rows of a season that a line may do without, and a slope changes in
APART = 8  # rows over which a walk is told from noise around a line
REACH = (40.0, 15.0)  # rows that the slopes of trend and trend quick are made of
DOUBT = 0.6  # half of 6/5: the variance of a line's slope in a walk, by that of a step and by rows


class Trend(NamedTuple):
    """Lines and profiles."""

    lines: np.ndarray  # (n_channels, 3, 2) level and slope; the mean of the first season before
    profiles: np.ndarray  # (n_channels, 3, season)


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n = c.n_channels
    return take(Trend, block, at, ((n, 3, 2), (n, 3, c.season)))


@part
def is_ready(c):
    """Whether enough rows have been seen for a line: two seasons, where they are long."""
    rows = c.n_rows + 1
    return rows >= FIRST and (c.season <= SHORT or rows >= 2 * c.season)


@part
def has_season(c):
    """Whether two seasons have been seen, which tell a slope and a profile."""
    return c.season > 1 and c.n_rows + 1 >= 2 * c.season


@part
def _viewed(k, value, low):
    """Return a value as an expert sees it: itself, or its logarithm."""
    return log(max(value, low)) if k == GROWING else value


@part
def _keep(profile, lags, k, low):
    """In place: the first season, till there is a second one to tell a slope by."""
    for j in range(profile.shape[0]):
        profile[j] = _viewed(k, lags[profile.shape[0] - 1 - j], low)


@part
def _start(line, profile, lags, k, low):
    """In place: line and profile from two seasons, of which the profile holds the first."""
    season, before, after = profile.shape[0], 0.0, 0.0
    for j in range(season):
        before += profile[j]
        after += _viewed(k, lags[j], low)
    before, after = before / season, after / season
    slope, middle = (after - before) / season, 0.5 * (season - 1.0)
    for j in range(season):
        here = _viewed(k, lags[season - 1 - j], low)
        both = 0.5 * ((profile[j] - before) + (here - after))
        profile[j] = fma(-slope, j - middle, both)
    line[0], line[1] = fma(slope, middle, after), slope


@part
def _follow(c, line, profile, value, k, is_first, has_season):
    """In place: level, slope and profile with one more value; NaN where it is not known."""
    n, at = c.n_rows + 1.0, c.n_rows % c.season
    if is_first:
        line[0], line[1] = value, 0.0
        return
    line[0] += line[1]
    if value != value:
        return
    level_step = max(LEVEL_STEP[k], 2.0 * (2.0 * n - 1.0) / (n * (n + 1.0)))
    least = SLOPE_STEP[k] * min(1.0, SHORT / c.season)
    slope_step = max(least, 6.0 / (n * (n + 1.0)))
    rest = value - line[0] - (profile[at] if has_season else 0.0)
    line[0] = fma(level_step, rest, line[0])
    line[1] = fma(slope_step, rest, line[1])
    if has_season:
        step = max(PROFILE_STEP, 1.0 / (c.n_rows // c.season + 1.0))
        profile[at] = fma(step, value - line[0] - profile[at], profile[at])


@part
def learn(c, m, i, value, is_first, low, lags):
    """In place: a channel's value, NaN for none; low is the smallest, lags the latest first."""
    rows, season = c.n_rows + 1, c.season
    for k in range(3):
        line, profile = m.lines[i, k], m.profiles[i, k]
        if k < GROWING or low > LEAST:
            if season > 1 and rows == 2 * season:
                _start(line, profile, lags, k, low)
                continue
            _follow(c, line, profile, _viewed(k, value, low), k, is_first, has_season(c))
            if season > 1 and rows == season:
                _keep(profile, lags, k, low)


def start_late(m: Trend, smooth: Any) -> None:
    """In place: lines without a slope from what smoothing knows, for a forecaster of before."""
    m.lines[:, :GROWING, 0] = smooth.levels[:, :1]
    m.profiles[:, :GROWING] = smooth.profiles[:, :1]
    m.lines[:, GROWING, 0] = np.log(np.maximum(smooth.levels[:, 2], LEAST))
    m.profiles[:, GROWING] = np.log(np.maximum(1.0 + smooth.profiles[:, 2], LEAST_FACTOR))


@part
def _belief(c, slope, k, lags):
    """Return how much of a slope is believed, 0 to 1; lags (n,), the latest first.

    A walk that goes nowhere has slopes too. How far it goes in a step is told by values that are
    APART, beside the slope: noise around a line grows no larger with that, a walk does.
    """
    n = min(c.n_rows + 1, lags.shape[0])
    if c.season > 1 or n < 2 * APART:
        return 1.0
    squares = 0.0
    for j in range(n - APART):
        far = fma(-APART, slope, lags[j] - lags[j + APART])
        squares = fma(far, far, squares)
    by_chance = DOUBT * squares / (APART * (n - APART) * min(n, REACH[k]))
    return max(1.0 - by_chance / (slope * slope), 0.0) if slope * slope > 0.0 else 0.0


@part
def vote(c, m, i, low, high, lags, place, votes):
    """In place: the votes of all three from a place on; low and high are the range seen."""
    season, growing = c.season, m.lines[i, GROWING]
    belief = _belief(c, m.lines[i, TREND, 1], TREND, lags)
    of_quick = _belief(c, m.lines[i, QUICK, 1], QUICK, lags)
    at, ahead, far = (c.n_rows + 1) % season, 0.0, 1.0
    is_positive, weight = low > LEAST, 1.0 if has_season(c) else 0.0
    least = log(low) - FARTHEST if is_positive else 0.0
    most = log(high) + FARTHEST if is_positive else 0.0
    for h in range(votes.shape[0]):
        far *= DAMPING
        ahead += far
        for k in range(GROWING):
            line = m.lines[i, k]
            slope = line[1] * (belief if k == TREND else of_quick)
            votes[h, place + k] = fma(weight, m.profiles[i, k, at], fma(ahead, slope, line[0]))
        if is_positive:
            growth = fma(ahead, belief * growing[1], growing[0])
            growth = fma(weight, m.profiles[i, GROWING, at], growth)
            votes[h, place + GROWING] = exp(min(max(growth, least), most))
        at = at + 1 if at + 1 < season else 0
