"""The compiled kernel against the literal reference, and its laws."""

import numpy as np
import pytest
from forecast_reference import forecasts

from mooe.forecast import core


def made(n, n_channels, seed=0, lift=10.0):
    """Return rows with a season of 6 and channels that follow each other, and turns."""
    rng = np.random.default_rng(seed)
    at = np.arange(n)
    Y = np.sin(at[:, None] * 2 * np.pi / 6 + np.arange(n_channels)) + lift
    Y = (
        Y
        + np.cumsum(rng.normal(0.0, 0.1, (n, n_channels)), 0)
        + rng.normal(0, 0.2, (n, n_channels))
    )
    return Y, np.column_stack([at % 6 / 6, at % 42 / 42])


def run(Y, turns, horizon=5, season=6, warm_up=0, **chosen):
    params = core.Params(horizon=horizon, **chosen)
    state = core.init(
        params, Y.shape[1], seasons=(season,), n_cycles=turns.shape[1], warm_up=warm_up
    )
    means = np.zeros((len(Y), horizon, Y.shape[1]), np.float32)
    quantiles = np.zeros((len(Y), len(params.probabilities), *means.shape[1:]), np.float32)
    core.learn(params, state, Y, turns, np.zeros((len(Y), 0)), means, quantiles)
    return means, quantiles, params, state


@pytest.mark.parametrize(
    ("n_channels", "season", "warm_up", "lift", "memory"),
    [(1, 6, 0, 10.0, False), (3, 6, 60, 0.0, False), (2, 1, 0, 0.0, False), (2, 6, 0, 0.0, True)],
)
def test_it_computes_what_is_written_down(n_channels, season, warm_up, lift, memory):
    Y, turns = made(150, n_channels, lift=lift)
    means, quantiles, *_ = run(Y, turns, season=season, warm_up=warm_up, memory=memory)
    expected, bounds = forecasts(Y, turns, 5, season, warm_up=warm_up, memory=memory)
    np.testing.assert_allclose(means, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(quantiles, bounds, rtol=1e-4, atol=1e-5)


def test_of_a_series_that_was_never_negative_no_forecast_is():
    Y, turns = made(300, 1, lift=0.0)
    Y = np.round(np.exp(3.0 * Y - 3.0 * Y.max() + 3.0))
    assert Y.min() == 0.0 < Y.max()
    means, quantiles, *_ = run(Y, turns)
    assert means.min() >= 0.0
    assert quantiles.min() >= 0.0


def test_a_long_season_is_seen_by_strided_lags():
    Y, turns = made(160, 1)
    means, *_ = run(Y, turns, season=70, memory=False)
    expected, _ = forecasts(Y, turns, 5, 70)
    np.testing.assert_allclose(means, expected, rtol=1e-4, atol=1e-5)


def test_what_comes_later_changes_no_forecast_and_no_band():
    Y, turns = made(400, 2)
    other = Y.copy()
    other[250:] = np.random.default_rng(1).normal(0.0, 1e3, other[250:].shape)
    one, two = run(Y, turns, warm_up=100), run(other, turns, warm_up=100)
    assert np.array_equal(one[0][:250], two[0][:250])
    assert np.array_equal(one[1][:250], two[1][:250])
    assert not np.array_equal(one[0][250:], two[0][250:])


def test_predicting_changes_nothing_and_gives_what_was_answered():
    Y, turns = made(100, 2)
    means, quantiles, params, state = run(Y, turns)
    before = state.block.copy(), state.counters.copy()
    mean, bounds = core.predict(params, state)
    assert np.array_equal(mean.astype(np.float32), means[-1])
    assert np.array_equal(bounds.astype(np.float32), quantiles[-1])
    assert np.array_equal(state.block, before[0])
    assert state.counters == before[1]


def test_a_multiple_of_a_series_has_that_multiple_as_forecast():
    Y, turns = made(300, 2)
    one, big = run(Y, turns), run(2.0**20 * Y, turns)
    np.testing.assert_allclose(big[0], 2.0**20 * one[0], rtol=1e-6)
    np.testing.assert_allclose(big[1], 2.0**20 * one[1], rtol=1e-5)


@pytest.mark.parametrize("size", [1e-6, 1e6, 1e60])
def test_values_of_any_size_give_finite_states(size):
    Y, turns = made(300, 2)
    Y[150:] *= size
    *_, state = run(Y, turns)
    assert np.isfinite(state.block).all()
