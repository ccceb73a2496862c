"""Made results of forecasting, for tests of what shows them."""

from functools import cache

import numpy as np

from mooe.forecast.evaluation import evaluate
from mooe.forecast.grid import Grid
from mooe.forecast.results import ForecastResults, Memory
from mooe.forecast.series import Columns, Series

HOURS = Grid("seconds", 1_700_000_000.0 // 3600 * 3600, 3600.0)


def made_series(n=400, n_channels=1, name="", grid=HOURS, seed=0):
    rng = np.random.default_rng(seed)
    day = 10.0 + np.sin(2 * np.pi * np.arange(n) / 24)[:, None] * np.arange(1, n_channels + 1)
    channels = tuple(f"channel {k + 1}" for k in range(n_channels))
    return Series(name, channels, grid, 0, day + rng.normal(0.0, 0.2, day.shape))


def results_of(*series, horizon=12, levels=(80, 95), **known):
    columns = Columns("when", series[0].channels, "shop" if series[0].name else None)
    results = [evaluate(one, horizon, levels=levels) for one in series]
    made = ForecastResults("made.csv", columns, horizon, tuple(levels), results, **known)
    made.origin = {"mooe": "0", "data": "abc"}
    return made


@cache
def one_series():
    return results_of(made_series(), remarks=["2 times without a row (answered, not learnt)"])


@cache
def seven_channels():
    return results_of(made_series(n_channels=7))


@cache
def many_series():
    return results_of(*(made_series(150 + k, name=f"s{k}", seed=k) for k in range(8)))


def with_regimes():
    """Return results in which two regimes took turns."""
    made = results_of(made_series())
    one = made.results[0]
    n = len(one.series.values)
    regime = 1 + np.arange(n) // 50 % 2
    visits = [[(a, a + 49) for a in range(50 * k, n, 100)] for k in range(2)]
    known = [
        {
            "name": k + 1, "title": "", "visits": visits[k], "first": visits[k][0][0],
            "last": visits[k][-1][1], "in_charge": k == 1,
        }
        for k in range(2)
    ]  # fmt: skip
    object.__setattr__(one, "memory", Memory(regime, np.full(n, 0.4), known))
    return made
