"""The back-test: honest by construction, and the figures that forecasting must show, in part."""

import os
from pathlib import Path

import numpy as np
import pytest

from forecast.test_file import HOURS, series
from mooe.datasets.series import open_series, short_series
from mooe.forecast import MOOEForecaster, back_test, backtest
from mooe.forecast.naive import last_value, seasonal_naive

SHARED = Path(os.environ.get("MOOE_DATA_HOME", "")) / "forecast" / "ETTh2.csv.xz"


def test_row_t_is_what_a_forecaster_says_after_row_t():
    Y, at = series(150), HOURS[:150]
    result = backtest(Y, at, 4, warm_up=100)
    for t in (0, 10, 23, 24, 60, 149):
        one = backtest(Y[: t + 1], at[: t + 1], 4, warm_up=100)
        assert np.array_equal(one.mean[-1], result.mean[t])
        assert np.array_equal(one.upper[95][-1], result.upper[95][t])
        assert np.array_equal(one.forecaster.predict().mean.astype(np.float32), result.mean[t])
    assert result.mean.shape == result.lower[80].shape == (150, 4, 2)


@pytest.mark.parametrize("times", [None, HOURS[:300]])
def test_scrambling_the_future_changes_no_earlier_forecast_or_band(times):
    Y = series(300)
    other = Y.copy()
    other[200:] = np.random.default_rng(1).normal(5.0, 50.0, other[200:].shape)
    one, two = backtest(Y, times, 6), backtest(other, times, 6)
    assert np.array_equal(one.mean[:200], two.mean[:200])
    for level in (80, 95):
        assert np.array_equal(one.lower[level][:200], two.lower[level][:200])
        assert np.array_equal(one.upper[level][:200], two.upper[level][:200])


def test_without_levels_there_are_no_bands_and_the_same_means():
    Y = series(100)
    assert np.array_equal(backtest(Y, horizon=3, levels=()).mean, backtest(Y, horizon=3).mean)
    assert backtest(Y, horizon=3, levels=()).lower == {}


def test_it_goes_on_with_a_forecaster_and_tells_its_progress():
    Y, told = series(200), []
    whole = backtest(Y, horizon=3, progress=told.append)
    model = MOOEForecaster(3).update(Y[:120])
    rest = backtest(Y[120:], forecaster=model)
    assert np.array_equal(rest.mean, whole.mean[120:])
    assert told[-1] == 200
    assert told == sorted(told)
    with pytest.raises(ValueError, match="warm_up must be a whole number of at least 0"):
        backtest(Y, warm_up=-1)


def mean_squares(forecast, Y, first, horizon):
    """Return the mean squared error over the steps, of forecasts from a row on."""
    errors = [
        (forecast[first : len(Y) - h, h - 1] - Y[first + h :]) ** 2 for h in range(1, horizon + 1)
    ]
    return float(np.mean([one.mean() for one in errors]))


@pytest.mark.parametrize("name", ["seasons", "growth", "breaks"])
def test_made_series_are_no_worse_than_the_better_naive_forecast(name):
    made = open_series(name)
    Y, horizon, first = made.values[:2000], 24, 200
    naive = np.stack([seasonal_naive(Y, h, made.season) for h in range(1, horizon + 1)], 1)
    last = np.stack([last_value(Y, h) for h in range(1, horizon + 1)], 1)
    for times in (made.times[:2000], None):
        result = backtest(Y, times, horizon, levels=())
        best = min(mean_squares(one, Y, first, horizon) for one in (naive, last))
        assert mean_squares(result.mean, Y, first, horizon) < 0.9 * best


def test_short_series_are_better_than_seasonal_naive_by_20_percent():
    ours, naive, percent, naive_percent = [], [], [], []
    for made in short_series(60, seed=1):
        Y = made.values
        result = backtest(Y, made.times, 24, levels=())
        unit = np.abs(Y[24:] - Y[:-24]).mean()
        for h in (1, 6, 12, 18, 24):
            seen, other = Y[48 + h :], seasonal_naive(Y, h, 24)[48:-h]
            mine = result.mean[48:-h, h - 1]
            ours.append(np.abs(mine - seen).mean() / unit)
            naive.append(np.abs(other - seen).mean() / unit)
            for one, found in ((mine, percent), (other, naive_percent)):
                size = np.abs(one) + np.abs(seen)
                found.append((2 * np.abs(one - seen) / np.where(size > 0, size, 1.0)).mean())
    assert np.mean(ours) < 0.8 * np.mean(naive)
    assert np.mean(percent) < np.mean(naive_percent)


@pytest.mark.skipif(not SHARED.exists(), reason="ETTh2 is not on this machine")
def test_ETTh2_keeps_its_figures():
    """The split of DSOF, 20/5/75, and its bands at every step: a part of benchmarks/forecast.py."""
    made = open_series("ETTh2")
    Y = (made.values - made.values[:2880].mean(0)) / made.values[:2880].std(0)
    Y, first, horizon = Y[:14_400], 3599, 48
    result = backtest(Y, made.times[:14_400], horizon, warm_up=2880)
    for ahead, most in ((1, 0.325), (24, 1.58), (48, 2.66)):
        origins = np.arange(first, len(Y) - ahead)
        errors = [
            ((result.mean[origins, h - 1] - Y[origins + h]) ** 2).mean()
            for h in range(1, ahead + 1)
        ]
        assert np.mean(errors) < most
    for level in (80, 95):
        for h in range(1, horizon + 1):
            lower, upper = (one[level][first:-h, h - 1] for one in (result.lower, result.upper))
            inside = (Y[first + h :] >= lower) & (Y[first + h :] <= upper)
            assert abs(inside.mean() - level / 100) < 0.02
            if level == 80 and h in (1, 24, 48):
                sums = np.cumsum(np.vstack([np.zeros((1, Y.shape[1])), inside]), 0)
                assert np.quantile(sums[500:] - sums[:-500], 0.01) > 0.59 * 500


def test_what_does_not_fit_into_memory_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(back_test, "_memory", lambda: 1e6)
    with pytest.raises(ValueError, match="got 5000 x 48 x 1 with 2 bands"):
        backtest(np.zeros(5000))
    assert backtest(np.zeros(50), horizon=4).mean.shape == (50, 4, 1)
