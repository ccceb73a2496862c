"""The engine of forecasting: functions that take Params and a State.

Flow of a row: its values are *seen* (`inputs`); forecasts that were made for it are judged, and
with them `mixture` weighs the experts and `bands` their width; every expert of the `roster` learns
it from all origins that forecast it and *votes* for the steps to come; the votes are mixed, and
the mixture is followed as far as `trust` goes. A forecast that was made at t for t + h is learnt
from when t + h has been seen, never before.
"""

from statistics import NormalDist
from typing import Any

import numpy as np

from mooe.forecast import inputs, kernel, layout, roster
from mooe.forecast.experts import covariates, trend
from mooe.forecast.layout import COUNTERS, views
from mooe.forecast.params import Params as Params
from mooe.numerics.blocks import State as State
from mooe.numerics.blocks import values

MEAN_SIZE = 0.7978845608028654  # of an error whose deviation is 1, if it is normal


def init(
    params: Params,
    n_channels: int,
    n_covariates: int = 0,
    *,
    seasons: tuple[int, ...] = (),
    n_cycles: int = 0,
    warm_up: int = 0,
) -> State:
    """Return the state before the first row."""
    layout.check_horizon(params, n_channels)
    counters = np.zeros(1, COUNTERS)
    counters["n_channels"], counters["n_covariates"] = n_channels, n_covariates
    counters["n_cycles"], counters["warm_up"] = n_cycles, warm_up
    counters["season"], counters["other_season"] = (*seasons, 1, 1)[:2]
    counters["has_newcomers"] = 1
    state = layout.empty(params, counters)
    start(params, state)
    return state


def start(params: Params, state: State) -> None:
    """In place: what is not 0 before the first row."""
    block: Any = views(params, state)
    roster.start(values(state.counters), block.seen, block.experts, block.mixture)
    normal = [NormalDist().inv_cdf(share) for share in params.probabilities.tolist()]
    block.bands.probabilities[:] = params.probabilities
    block.bands.trackers[:] = np.array(normal)[:, None] / MEAN_SIZE


def upgrade(params: Params, state: State) -> None:
    """In place: experts that came after a file was saved vote from the next row on."""
    if state.has_newcomers:
        return
    block = views(params, state)
    trend.start_late(block.experts.trend, block.experts.seasonal)
    state.counters["has_newcomers"] = 1


def learn(
    params: Params,
    state: State,
    Y: np.ndarray,
    turns: np.ndarray,
    X: np.ndarray,
    means: np.ndarray | None = None,
    quantiles: np.ndarray | None = None,
    regimes: np.ndarray | None = None,
) -> None:
    """In place: learn rows; the forecasts from each go into means and so on, where given.

    Shapes are those of `mooe.forecast.kernel.learn`.
    """
    h, n = params.horizon, state.n_channels
    means = np.empty((0, h, n), np.float32) if means is None else means
    if quantiles is None:
        quantiles = np.empty((len(means), 0, h, n), np.float32)
    regimes = np.empty((len(means), 2)) if regimes is None else regimes
    room = layout.scratch(params, state)
    arrays = params.settings, state.counters, state.block, room
    kernel.learn(*arrays, Y, turns, X, means, quantiles, regimes)


def predict(params: Params, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return means (horizon, n_channels) and quantiles (n_quantiles, horizon, n_channels)."""
    h, n, q = params.horizon, state.n_channels, len(params.probabilities)
    mean, quantiles = np.full((h, n), np.nan), np.full((q, h, n), np.nan)
    if state.n_rows > 0:
        kernel.answer(params.settings, state.counters, state.block, mean, quantiles)
    return mean, quantiles


def with_covariates(
    params: Params, state: State, mean: np.ndarray, X_future: np.ndarray
) -> np.ndarray:
    """Return the forecasts of the first steps as covariates move them, (h, n_channels).

    X_future (h, n_covariates) are those of the steps ahead; NaN where one is not known.
    """
    block, h, row = views(params, state), len(X_future), state.n_rows - 1
    seen, now = block.seen, row % (params.horizon + 1)
    count, middle, squares = seen.covariates
    deviation = np.sqrt(squares / np.maximum(count, 1.0))
    known = np.isfinite(X_future) & (deviation > 0.0)
    ahead = np.where(known, (X_future - middle) / np.where(deviation > 0.0, deviation, 1.0), 0.0)
    ahead = np.clip(ahead, -inputs.FARTHEST, inputs.FARTHEST)
    steps = np.arange(h)
    votes = block.mixture.votes[(row + 1 + steps) % params.horizon, :, steps]
    moved = covariates.forecasts(
        block.experts.covariates,
        seen.anchors[:, now],
        seen.scales[:, now],
        votes[..., roster.REGRESSIONS],
        votes[..., roster.SMOOTH],
        seen.standard[now],
        ahead,
    )
    reach = roster.MARGIN * (seen.high - seen.low)
    moved = np.clip(moved, seen.low - reach, seen.high + reach)
    share = covariates.shares(block.experts.covariates)[:h]
    return np.asarray(mean[:h] + share * (moved - mean[:h]))


def fill_in(params: Params, state: State, back: int, y: np.ndarray) -> None:
    """In place: late values of the row `back` rows before the latest, for forecasts to come.

    Only what lags still reach is filled in; nothing is learnt from it.
    """
    lags = views(params, state).seen.lags
    n = lags.shape[1] // 2
    if not 0 <= back < min(n, state.n_rows):
        return
    at = (n - 1 - (state.n_rows - 1 - back)) % n
    for i in np.flatnonzero(np.isfinite(y)):
        lags[i, at] = lags[i, at + n] = y[i]
