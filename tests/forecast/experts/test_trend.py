"""Lines with a season: those of the textbook, growth, gaps."""

import numpy as np
import pytest
from forecast_reference import line, trend_votes

from forecast.experts.test_seasonal import votes_of
from forecast.test_kernel import made
from mooe.forecast import backtest
from mooe.forecast.naive import last_value
from mooe.forecast.roster import NAMES, TREND


@pytest.mark.parametrize("season", [1, 6, 20])
@pytest.mark.parametrize("n", [25, 41, 100])
def test_votes_are_those_written_down(n, season):
    Y, turns = made(n, 1)
    if season == 20 and n < 40:
        return
    votes = votes_of(Y, turns, season=season)[:, TREND : TREND + 3].T
    reach = np.ptp(Y)
    expected = np.clip(trend_votes(Y[:, 0], season, 5), Y.min() - reach, Y.max() + reach)
    np.testing.assert_allclose(votes, expected, rtol=1e-9)


def test_a_line_is_found_exactly_and_followed_less_and_less():
    at = np.arange(30)
    Y = (5.0 + 2.0 * at)[:, None]
    votes = votes_of(Y, np.column_stack([at % 6 / 6, at % 42 / 42]), season=1)
    ahead = np.cumsum(0.97 ** np.arange(1, 6))
    np.testing.assert_allclose(votes[:, NAMES.index("trend")], Y[-1, 0] + 2.0 * ahead, rtol=1e-9)


def test_slopes_of_walks_are_doubted_and_those_of_noisy_lines_are_not():
    at, followed = np.arange(60), {"walk": [], "line": []}
    turns = np.column_stack([at % 6 / 6, at % 42 / 42])
    for seed in range(20):
        steps = np.random.default_rng(seed).normal(size=(60, 1))
        for name, Y in (("walk", np.cumsum(steps, 0)), ("line", 0.5 * at[:, None] + steps)):
            votes = votes_of(Y, turns, season=1)[:, TREND]
            slope = line(Y[:, 0], 1, (0.2, 0.01))[1]
            followed[name].append((votes[1] - votes[0]) / (slope * 0.97**2))
    assert np.median(followed["walk"]) < 0.6
    assert np.median(followed["line"]) > 0.98


def test_growth_with_a_season_that_multiplies_is_a_line_of_logarithms():
    at = np.arange(60)
    Y = (100.0 * 1.02**at * (1.0 + 0.3 * np.sin(at * 2 * np.pi / 6)))[:, None]
    votes = votes_of(Y[:-5], np.column_stack([at % 6 / 6, at % 42 / 42])[:-5])
    error = np.abs(votes - Y[-5:]).mean(0)
    assert error[NAMES.index("trend growing")] < 0.25 * error[NAMES.index("smooth growing")]


def test_a_gap_is_crossed_along_the_line():
    at = np.arange(60)
    Y = (5.0 + 2.0 * at)[:, None]
    Y[40:44] = np.nan
    votes = votes_of(Y[:44], np.column_stack([at % 6 / 6, at % 42 / 42])[:44], season=1)
    assert abs(votes[0, NAMES.index("trend")] - (5.0 + 2.0 * 44)) < 0.1


def test_rising_months_are_forecast_better_than_by_their_last_value():
    rng = np.random.default_rng(0)
    Y = (200.0 + 1.5 * np.arange(40) + rng.normal(0.0, 2.0, 40))[:, None]
    mean = backtest(Y, horizon=12, levels=()).mean
    errors = np.zeros(2)
    for h in range(1, 13):
        for k, forecast in enumerate((mean[:, h - 1], last_value(Y, h))):
            errors[k] += np.square(forecast[15:-h] - Y[15 + h :]).mean()
    assert errors[0] < 0.75 * errors[1]


def test_small_and_negative_values_do_no_harm():
    rng = np.random.default_rng(0)
    Y, turns = made(100, 1)
    for values in (np.abs(rng.normal(size=(100, 1))) * 1e-290, Y - 10.0, np.zeros((100, 1))):
        assert np.isfinite(votes_of(values, turns)).all()
