"""The memory of regimes: recognised, told, of use where they return and harmless where not."""

import numpy as np
import pytest
from forecast_reference import Memory

from mooe.datasets import open_series
from mooe.forecast import backtest, core
from mooe.forecast.experts import memory as experts
from mooe.forecast.layout import views
from mooe.forecast.roster import MARGIN, MEMORY


def with_regimes(n, n_channels, n_regimes, seed):
    """Return rows whose regimes take turns, some of them for the first time, and their cycles."""
    rng = np.random.default_rng(seed)
    at, Y = np.arange(n), np.zeros((n, n_channels))
    waves = rng.normal(0.0, 2.0, (n_regimes, n_channels, 6))
    pulls = rng.uniform(-0.9, 0.9, (n_regimes, n_channels))
    order = [*range(n_regimes), *rng.integers(0, n_regimes, n)]
    for t in range(1, n):
        k = order[t // 90]
        Y[t] = waves[k, :, t % 6] + pulls[k] * Y[t - 1] + rng.normal(0.0, 0.3, n_channels)
    return Y, np.column_stack([at % 6 / 6, at % 42 / 42])


@pytest.mark.parametrize(
    ("n", "n_channels", "n_regimes", "horizon"),
    [(1500, 1, 4, 5), (1200, 2, 3, 3), (1500, 1, 14, 2)],
)
def test_it_computes_what_is_written_down(n, n_channels, n_regimes, horizon):
    Y, turns = with_regimes(n, n_channels, n_regimes, seed=n_regimes)
    params, reference = core.Params(horizon=horizon), Memory(n_channels, horizon)
    state = core.init(params, n_channels, seasons=(6,), n_cycles=2)
    m, c = views(params, state), state.counters[0]
    scales, n_most = np.zeros((n, n_channels)), 0
    for t in range(n):
        errors = m.mixture.errors.copy()
        core.learn(params, state, Y[t : t + 1], turns[t : t + 1], np.zeros((1, 0)))
        scales[t] = m.seen.scales[:, t % (horizon + 1)]
        reference.recognise(t, Y, turns, scales, errors[..., 0] / np.maximum(errors[..., 1], 1))
        for i in range(n_channels):
            low, high = Y[: t + 1, i].min(), Y[: t + 1, i].max()
            reach, vote = MARGIN * (high - low), reference.learn_and_vote(t, i, Y, scales)
            if m.mixture.awake[i, MEMORY]:
                steps = np.arange(horizon)
                votes = m.mixture.votes[(t + 1 + steps) % horizon, i, steps, MEMORY]
                expected = np.clip(vote, low - reach, high + reach)
                np.testing.assert_allclose(votes, expected, rtol=1e-6, atol=1e-6)
        reference.note(t)
        if t + 1 == 6:
            reference.begin_season(6)
        facts, k = m.experts.memory.facts[:, c["in_charge"]], reference.charge
        told = facts[[experts.NUMBER, experts.ROWS, experts.N_VISITS, experts.LAST]].tolist()
        assert told == [k.number, k.rows, len(k.visits), t]
        sums = facts[[experts.USUAL, experts.RECENT, experts.SAVED, experts.EXCESS]]
        known = [k.usual, k.recent, k.saved, k.excess]
        np.testing.assert_allclose(sums, known, rtol=1e-6, atol=1e-7)
        n_most = max(n_most, c["n_concepts"])
        assert c["n_concepts"] == len(reference.concepts)
    weights = m.experts.memory.weights[..., m.experts.memory.used > 0.0]
    for k, concept in enumerate(reference.concepts):
        np.testing.assert_allclose(weights[k], concept.W, rtol=1e-5, atol=1e-6)
    assert min(n_regimes, experts.CONCEPTS) <= n_most <= experts.CONCEPTS
    assert c["n_changes"] > n_most


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
