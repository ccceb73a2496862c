"""Who votes: the experts of all kinds, called one after the other.

Written out, because compiled code must know what it calls.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.forecast import inputs, mixture
from mooe.forecast.experts import (
    covariates,
    last_value,
    least_squares,
    mean_reversion,
    memory,
    offline,
    seasonal,
    trend,
)
from mooe.forecast.mixture import PLACES, set_awake
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared

FIRST = 8  # values before which a row teaches no regression
# Rows, or two seasons, that the memory and regressions of many inputs learn before they vote.
FEW, MANY = 48, 96
MARGIN, FAR = 0.1, 1.0  # of the range seen, by which votes may leave it, and those of trends
LAST, SEASONAL, REGRESSIONS, OFFLINE, MEMORY, TREND, REVERSION = 0, 1, 6, 11, 12, 13, 16
SMOOTH = SEASONAL + seasonal.SMOOTH
NAMES = (
    *(last_value.NAME, *seasonal.NAMES, *least_squares.NAMES),
    *(offline.NAME, memory.NAME, *trend.NAMES, mean_reversion.NAME),
)
STEADY, SLOW, QUICK, JOINT_STEADY, JOINT_SLOW = least_squares.FORGET


class Experts(NamedTuple):
    """The arrays of all kinds."""

    seasonal: Any
    squares: Any
    offline: Any
    memory: Any
    covariates: Any
    trend: Any
    mean_reversion: Any


class Desk(NamedTuple):
    """What is computed on the way."""

    votes: np.ndarray  # (n_channels, horizon, PLACES)
    room: np.ndarray  # as wide as the widest row of inputs
    gains: np.ndarray  # (PLACES,)
    trial: np.ndarray  # (3, width of what covariates are seen as)
    bounds: np.ndarray  # (2, PLACES) within which votes lie


@shared
def open_first(s, c, block, at):
    """Return the views of the experts that every forecaster has, and the place behind them."""
    of_season, at = seasonal.open_arrays(s, c, block, at)
    squares, at = least_squares.open_arrays(s, c, block, at)
    of_warm_up, at = offline.open_arrays(s, c, block, at)
    of_regimes, at = memory.open_arrays(s, c, block, at)
    of_covariates, at = covariates.open_arrays(s, c, block, at)
    return (of_season, squares, of_warm_up, of_regimes, of_covariates), at


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    (of_season, squares, of_warm_up, of_regimes, of_covariates), at = open_first(s, c, block, at)
    of_trend, at = trend.open_arrays(s, c, block, at)
    of_mean, at = mean_reversion.open_arrays(s, c, block, at)
    kinds = of_season, squares, of_warm_up, of_regimes, of_covariates, of_trend, of_mean
    return Experts(*kinds), at


@shared
def open_scratch(s, c, scratch, at):
    """Return the views of scratch, and the place behind them."""
    h, wide = s.horizon, max(inputs.own_width(c), inputs.joint_width(c))
    shapes = ((c.n_channels, h, PLACES), (wide,), (PLACES,), (3, covariates.width(c)), (2, PLACES))
    return take(Desk, scratch, at, shapes)


def awake_from_the_start() -> np.ndarray:
    """Return who votes before anything is known, (PLACES,); others are woken."""
    awake = np.zeros(PLACES)
    awake[[LAST, SEASONAL + seasonal.SMOOTH, SEASONAL + seasonal.QUICK]] = 1.0
    return awake


@part
def wake(s, c, seen, of_mixture, i):
    """In place: experts that have something to say vote from now on, others no more."""
    rows, season, other = c.n_rows + 1, c.season, c.other_season
    set_awake(of_mixture, i, SEASONAL + seasonal.NAIVE, season > 1, False)
    is_positive = seen.low[i] >= 0.0 and seen.mean[i] > 0.0
    growing = SEASONAL + seasonal.GROWING
    set_awake(of_mixture, i, growing, is_positive and season > 1 and rows > season, False)
    set_awake(of_mixture, i, SEASONAL + seasonal.LONGER, other > 1 and rows >= other, False)
    has_learnt = rows >= max(MANY, 2 * season)
    for k in range(5):
        is_there = k < 3 or seen.joint.shape[1] > 0
        set_awake(of_mixture, i, REGRESSIONS + k, is_there and has_learnt, True)
    set_awake(of_mixture, i, OFFLINE, c.warm_up > 0 and rows >= c.warm_up, False)
    is_ready = c.has_newcomers > 0 and trend.is_ready(c)
    for k in range(trend.GROWING):
        set_awake(of_mixture, i, TREND + k, is_ready, True)
    is_growing = is_ready and seen.low[i] > trend.LEAST
    set_awake(of_mixture, i, TREND + trend.GROWING, is_growing, True)
    has_mean = rows >= max(mean_reversion.FIRST, season + mean_reversion.FIRST if season > 1 else 1)
    set_awake(of_mixture, i, REVERSION, c.has_newcomers > 0 and has_mean, False)
    set_awake(of_mixture, i, MEMORY, s.remembers and rows >= max(FEW, 2 * season), True)


@part
def set_bounds(low, high, bounds):
    """In place: how far votes may leave the range seen, (2, PLACES); 0 unless that went below."""
    for k in range(PLACES):
        reach = (FAR if TREND <= k < TREND + 3 else MARGIN) * (high - low)
        least = low - reach
        bounds[0, k] = 0.0 if low >= 0.0 and least < 0.0 else least
        bounds[1, k] = high + reach


@part
def learn_and_vote(s, c, seen, experts, i, now, n_origins, value, given, votes, trial):
    """In place: all experts learn a channel's value, NaN for none, and vote; votes (h, PLACES)."""
    steady, slow, quick, joint_steady, joint_slow = experts.squares
    own, is_known = seen.own[i], value == value
    n = seen.lags.shape[1] // 2
    at = n - 1 - c.n_rows % n
    lags = seen.lags[i, at : at + n]
    if is_known:
        is_first, is_positive = seen.counts[i] == 1.0, seen.low[i] >= 0.0
        seasonal.learn(c, experts.seasonal, i, value, is_first, is_positive, lags)
    low, high = seen.low[i], seen.high[i]
    trend.learn(c, experts.trend, i, value, is_known and seen.counts[i] == 1.0, low, lags)
    trend.vote(c, experts.trend, i, low, high, lags, TREND, votes)
    profile = experts.seasonal.profiles[i, 0]
    mean_reversion.learn(c, experts.mean_reversion, i, value, profile)
    mean_reversion.vote(c, experts.mean_reversion, i, lags[0], profile, REVERSION, votes)
    last_value.vote(lags[0], LAST, votes)
    seasonal.vote(c, experts.seasonal, lags, i, SEASONAL, votes)
    follow = least_squares.learn_and_vote
    for_one = seen, i, now, n_origins, value
    follow(steady.weights[i], own, steady.gains[i], *for_one, REGRESSIONS, votes)
    follow(slow.weights[i], own, slow.gains[i], *for_one, REGRESSIONS + 1, votes)
    follow(quick.weights[i], own, quick.gains[i], *for_one, REGRESSIONS + 2, votes)
    if seen.joint.shape[1] > 0:
        weights, more = joint_steady.weights[i], joint_slow.weights[i]
        follow(weights, seen.joint, joint_steady.gains[0], *for_one, REGRESSIONS + 3, votes)
        follow(more, seen.joint, joint_slow.gains[0], *for_one, REGRESSIONS + 4, votes)
    if c.warm_up > 0:
        if c.n_rows + 1 == c.warm_up:
            offline.fit(experts.offline, i, steady.weights[i])
        last, unit = seen.anchors[i, now], seen.scales[i, now]
        offline.vote(experts.offline, i, own[now], last, unit, OFFLINE, votes)
    if is_known and c.n_covariates > 0:
        covariates.learn(
            *(experts.covariates, seen, i, now, min(n_origins, max(c.n_rows + 1 - FIRST, 0))),
            *(value, given, REGRESSIONS, SMOOTH, trial),
        )
    if s.remembers:
        remembered = memory.learn_and_vote
        remembered(c, experts.memory, seen, i, now, n_origins, value, given, LAST, MEMORY, votes)


@part
def set_gains(s, c, seen, experts, i, now, room):
    """In place: what will be learnt of a channel's latest row, when its labels arrive.

    Nothing of a row whose value is not known, and of the first ones, which tell no unit yet.
    """
    steady, slow, quick, _, _ = experts.squares
    is_usable = seen.known[i] > 0.0 and seen.counts[i] >= FIRST
    if s.remembers:
        memory.set_gains(c, experts.memory, i, now, is_usable, room)
    row, of_cycles = seen.own[i, now], inputs.n_cycle_inputs(c) + 1
    long = of_cycles + inputs.LAGS + inputs.n_season_lags(c.season)
    if is_usable:
        gain = least_squares.set_gain
        short = of_cycles + inputs.SHORT_LAGS
        gain(steady.covariance[i], row, STEADY, long + 1, room, steady.gains[i, now])
        gain(slow.covariance[i], row, SLOW, long, room, slow.gains[i, now])
        gain(quick.covariance[i], row, QUICK, short, room, quick.gains[i, now])
    else:
        least_squares.no_gain(steady.gains[i, now])
        least_squares.no_gain(slow.gains[i, now])
        least_squares.no_gain(quick.gains[i, now])


@part
def recognise(s, c, seen, experts, errors, given, now, y):
    """In place: which regime a row belongs to; errors are those of the mixture."""
    if s.remembers:
        for i in range(c.n_channels):
            memory.see(c, experts.memory, i, now, seen.own[i, now])
        memory.recognise(c, experts.memory, seen, errors, given, LAST, now, y)


@part
def tell_regime(s, c, experts, of_mixture, out):
    """In place: the number of the regime in charge, 0 for none, and the share of the memory."""
    out[0] = memory.number(c, experts.memory) if s.remembers else 0.0
    weight, n = 0.0, of_mixture.weights.shape[1]
    for i in range(c.n_channels):
        for b in range(n):
            weight += of_mixture.weights[i, b, MEMORY]
    out[1] = weight / (n * c.n_channels)


@part
def set_joint_gains(s, c, seen, experts, now, room):
    """In place: what will be learnt of the latest row of all channels, and its regime."""
    if s.remembers:
        memory.note_row(c, experts.memory, now)
    _, _, _, steady, slow = experts.squares
    if seen.joint.shape[1] == 0:
        return
    if c.n_rows + 1 < FIRST:
        least_squares.no_gain(steady.gains[0, now])
        least_squares.no_gain(slow.gains[0, now])
        return
    of_cycles, row = inputs.n_cycle_inputs(c) + 1, seen.joint[now]
    n = of_cycles + inputs.joint_lags(c) * c.n_channels + 2 * c.n_covariates
    least_squares.set_gain(steady.covariance[0], row, JOINT_STEADY, n, room, steady.gains[0, now])
    least_squares.set_gain(slow.covariance[0], row, JOINT_SLOW, n, room, slow.gains[0, now])


def start(c: Any, seen: Any, experts: Experts, of_mixture: mixture.Mixture) -> None:
    """In place: what is not 0 before the first row."""
    own, joint = inputs.used_inputs(c)
    least_squares.start(experts.squares, own, joint)
    memory.start(experts.memory, inputs.n_cycle_inputs(c) + memory.FEW_LAGS + 2)
    covariates.start(experts.covariates, c.n_covariates)
    of_mixture.awake[:] = awake_from_the_start()
    of_mixture.weights[:] = of_mixture.awake[:, None] / of_mixture.awake[0].sum()
    of_mixture.squares[:] = mixture.FIRST_SQUARES
