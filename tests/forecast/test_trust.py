"""How far the mixture is followed: not on a random walk, and wholly where it saves error."""

import numpy as np
import pytest

from forecast.test_kernel import made, run
from mooe.forecast import backtest
from mooe.forecast.layout import views
from mooe.forecast.mixture import GIVEN, MIXED
from mooe.forecast.naive import last_value, seasonal_naive


def test_a_random_walk_is_forecast_about_as_well_as_by_its_last_value():
    ratios = []
    for seed in range(20):
        Y = np.cumsum(np.random.default_rng(seed).normal(size=(200, 1)), 0)
        mean = backtest(Y, horizon=12, levels=()).mean
        pairs = [(mean[24:-h, h - 1], last_value(Y, h)[24:-h], Y[24 + h :]) for h in range(1, 13)]
        errors = [[np.square(f - y).mean() for f in (ours, last)] for ours, last, y in pairs]
        ratios.append(np.divide(*np.mean(errors, 0)))
    assert np.mean(ratios) < 1.03
    assert np.mean(np.array(ratios) > 1.08) <= 0.1


def test_a_season_is_followed_wholly_and_a_walk_hardly():
    rng = np.random.default_rng(0)
    _, turns = made(1500, 1)
    walk = np.cumsum(rng.normal(size=(1500, 1)), 0)
    season = np.tile(rng.normal(size=(6, 1)), (250, 1)) + rng.normal(0.0, 0.1, (1500, 1))
    shares = [views(*run(Y, turns)[2:]).trust.shares for Y in (walk, season)]
    assert shares[0].max() < 0.3
    assert (shares[1] == 1.0).all()


def test_what_is_forecast_lies_between_the_last_value_and_the_mixture():
    *_, params, state = run(*made(90, 2), horizon=9)
    block = views(params, state)
    assert ((block.trust.shares >= 0.0) & (block.trust.shares <= 1.0)).all()
    for i in range(2):
        for h in range(9):
            votes, share = block.mixture.votes[(90 + h) % 9, i, h], block.trust.shares[i]
            expected = votes[0] + share[int(np.log2(h + 1))] * (votes[MIXED] - votes[0])
            assert votes[GIVEN] == pytest.approx(expected, abs=1e-12)


def test_a_constant_series_is_forecast_as_it_is():
    Y = np.full((60, 1), 3.0)
    assert (backtest(Y, horizon=4, levels=()).mean == 3.0).all()


def ratio(y, step, season, horizon, first):
    """Return the squared error from a row on by that of the better of both naive forecasts."""
    Y, times = y[:, None], 1.6e9 + step * np.arange(len(y))
    mean, sums = backtest(Y, times, horizon, levels=()).mean, np.zeros(3)
    for h in range(1, horizon + 1):
        forecasts = mean[:, h - 1], last_value(Y, h), seasonal_naive(Y, h, season)
        sums += [np.square(f[first:-h] - Y[first + h :]).mean() for f in forecasts]
    return sums[0] / min(sums[1:])


@pytest.mark.parametrize("rows", [100, 150])
def test_a_line_is_not_thought_to_return_when_its_first_year_of_weeks_is_over(rows):
    noise = np.random.default_rng(0).normal(0.0, 0.5, rows)
    assert ratio(np.arange(rows) + noise, 7 * 86_400, 52, 13, 48) < 1.01


@pytest.mark.parametrize(
    ("step", "season", "horizon", "rows"),
    [(86_400, 7, 14, 100), (2_629_746, 12, 12, 60), (3_600, 24, 24, 100)],
)
def test_a_season_with_little_noise_is_followed_soon(step, season, horizon, rows):
    ratios = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        shape, noise = rng.normal(size=season), rng.normal(0.0, 0.05, rows)
        y = 100.0 + shape[np.arange(rows) % season] + noise
        ratios.append(ratio(y, step, season, horizon, min(48, rows // 2)))
    assert np.mean(ratios) < 1.08
