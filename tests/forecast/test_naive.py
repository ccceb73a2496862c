"""The two forecasts that every other is compared with."""

import numpy as np
import pytest

from mooe.forecast.naive import last_value, seasonal_naive


def slow_seasonal(Y, h, season):
    """Return the same, value by value."""
    out = np.full(Y.shape, np.nan)
    for t in range(len(Y)):
        for c in range(Y.shape[1]):
            at = t + h
            while at > t:
                at -= season
            while at >= 0 and np.isnan(Y[at, c]):
                at -= season
            known = [v for v in Y[: t + 1, c] if not np.isnan(v)]
            out[t, c] = Y[at, c] if at >= 0 else known[-1] if known else np.nan
    return out


@pytest.mark.parametrize("season", [1, 2, 5, 7, 40])
@pytest.mark.parametrize("h", [1, 3, 7, 11])
def test_seasonal_naive_is_the_value_whole_seasons_ago(season, h):
    rng = np.random.default_rng(season)
    Y = rng.normal(size=(37, 3))
    Y[rng.random(Y.shape) < 0.2] = np.nan
    np.testing.assert_array_equal(seasonal_naive(Y, h, season), slow_seasonal(Y, h, season))


def test_neither_looks_ahead():
    Y = np.random.default_rng(0).normal(size=(60, 2))
    other = Y.copy()
    other[40:] = 1e6
    for made in (last_value, lambda Y, h: seasonal_naive(Y, h, 7)):
        np.testing.assert_array_equal(made(Y, 9)[:40], made(other, 9)[:40])


def test_the_last_value_is_not_known_before_the_first():
    Y = np.array([[np.nan], [2.0], [np.nan]])
    assert np.isnan(last_value(Y, 1)[0, 0])
    assert last_value(Y, 1)[1:, 0].tolist() == [2.0, 2.0]


def test_the_series_is_left_as_it_is():
    Y = np.array([[1.0], [np.nan], [2.0], [np.nan]])
    before = Y.copy()
    seasonal_naive(Y, 1, 2)
    np.testing.assert_array_equal(Y, before)
