"""The engine's functions: states, late values, covariates of the steps ahead."""

import numpy as np

from forecast.test_kernel import made
from mooe.forecast import core
from mooe.forecast.layout import views


def learnt(Y, turns, X=None, **chosen):
    params = core.Params(horizon=4, **chosen)
    X = np.zeros((len(Y), 0)) if X is None else X
    state = core.init(params, Y.shape[1], X.shape[1], seasons=(6,), n_cycles=2)
    core.learn(params, state, Y, turns, X)
    return params, state


def test_before_the_first_row_nothing_is_forecast():
    params = core.Params(horizon=3)
    mean, quantiles = core.predict(params, core.init(params, 2))
    assert np.isnan(mean).all()
    assert np.isnan(quantiles).all()


def test_a_channel_without_a_value_is_not_forecast_and_does_not_harm_others():
    Y, turns = made(120, 2)
    Y[:, 1] = np.nan
    params, state = learnt(Y, turns)
    mean, quantiles = core.predict(params, state)
    assert np.isfinite(mean[:, 0]).all()
    assert np.isnan(mean[:, 1]).all()
    assert np.isnan(quantiles[..., 1]).all()
    assert np.isfinite(state.block).all()


def test_what_is_not_known_is_answered_and_not_learnt():
    Y, turns = made(200, 1)
    params, state = learnt(Y, turns)
    weights = views(params, state).experts.squares[0].weights.copy()
    core.learn(params, state, np.full((3, 1), np.nan), turns[:3], np.zeros((3, 0)))
    assert np.array_equal(views(params, state).experts.squares[0].weights, weights)
    assert views(params, state).seen.counts[0] == 200
    assert np.isfinite(core.predict(params, state)[0]).all()


def test_a_late_value_is_what_forecasts_go_on_from():
    Y, turns = made(200, 1)
    gap = Y.copy()
    gap[-2:] = np.nan
    params, state = learnt(gap, turns)
    before = views(params, state).seen.lags.copy()
    core.fill_in(params, state, 1, Y[-2])
    lags, n = views(params, state).seen.lags[0], before.shape[1] // 2
    at = n - 1 - (state.n_rows - 1) % n
    assert lags[at + 1] == Y[-2, 0]
    assert lags[at] == before[0, at]
    core.fill_in(params, state, n + 1, Y[-2])  # farther back than anything reaches
    assert (views(params, state).seen.lags != before).sum() == 2


def test_covariates_of_the_steps_ahead_move_the_forecast():
    rng = np.random.default_rng(0)
    Y, turns = made(600, 1)
    X = rng.normal(size=(604, 1))
    Y = Y + 3.0 * X[:600]
    params, state = learnt(Y, turns, X[:600])
    mean, _ = core.predict(params, state)
    up = core.with_covariates(params, state, mean, np.full((4, 1), 1.0))
    down = core.with_covariates(params, state, mean, np.full((4, 1), -1.0))
    assert (np.abs(up - down - 6.0) < 1.0).all()
