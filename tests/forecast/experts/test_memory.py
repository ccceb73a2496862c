"""The memory of regimes: recognised, told, of use where they return and harmless where not."""

import numpy as np
import pytest

from mooe.datasets import open_series
from mooe.forecast import backtest


def error(Y, memory, horizon=24, first=1000):
    result = backtest(Y, horizon=horizon, season=24, levels=(), memory=memory)
    squares = [
        (result.mean[first : len(Y) - h, h - 1] - Y[first + h :]) ** 2
        for h in range(1, horizon + 1)
    ]
    return np.mean([one.mean() for one in squares]), result


@pytest.mark.parametrize("seed", [0, 1])
def test_where_four_regimes_return_the_error_is_lower_by_8_percent(seed):
    series = open_series("regimes", seed=seed)
    without, _ = error(series.values, memory=False)
    with_memory, result = error(series.values, memory=True)
    assert with_memory < 0.92 * without
    assert 4 <= len(result.forecaster.explain().regimes) <= 8


def test_regimes_are_told_row_by_row():
    series = open_series("regimes")
    result = backtest(series.values, series.times, 24, levels=())
    late = slice(4000, None)
    pairs = np.stack([series.regime[late], result.regime[late]])
    right = 0
    for true in range(4):
        found = pairs[1, pairs[0] == true]
        right += np.bincount(found).max()
    assert right / pairs.shape[1] > 0.9
    known = result.forecaster.explain()
    assert known.regime is not None
    assert known.regime.name == result.regime[-1]
    first, last = known.regime.visits[-1]
    assert (result.regime[first + 100 : last + 1] == known.regime.name).all()
    assert last == len(series.values) - 1
    assert ((result.memory_weight >= 0.0) & (result.memory_weight <= 1.0)).all()


def test_where_nothing_returns_it_costs_at_most_one_percent():
    series = open_series("seasons")
    without, _ = error(series.values[:4000], memory=False)
    with_memory, _ = error(series.values[:4000], memory=True)
    assert with_memory < 1.01 * without
