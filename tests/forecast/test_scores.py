"""Errors, coverage, pinball loss and CRPS by horizon."""

import warnings

import numpy as np
import pytest
from scipy import stats

from mooe.forecast.scores import joined, judge, judge_naive, naive_scale, pinball

RNG = np.random.default_rng(3)
Y = RNG.normal(size=(50, 2))


def made(h):
    return Y + 0.1 * h


def test_errors_are_over_what_came_h_rows_on():
    scores = judge(Y, made, 4, 10, np.ones(2))
    for h in range(1, 5):
        errors = [Y[t + h] - made(h)[t] for t in range(10, 50 - h)]
        assert scores.at(h)["mse"] == pytest.approx(np.mean(np.square(errors)))
        assert scores.at(h)["mae"] == pytest.approx(np.mean(np.abs(errors)))
        assert scores.judged[h - 1].tolist() == [40 - h, 40 - h]
    assert scores.at()["mse"] == pytest.approx(np.mean([scores.at(h)["mse"] for h in range(1, 5)]))


def test_mase_is_in_units_of_seasonal_naive_on_the_whole_series():
    scale = naive_scale(Y, 7)
    np.testing.assert_allclose(scale, np.abs(Y[7:] - Y[:-7]).mean(axis=0))
    scores = judge(Y, made, 1, 0, scale)
    np.testing.assert_allclose(scores.mase, scores.mae / scale)
    naive = judge_naive(Y, 7, 7, 7, naive_scale(Y, 7))["seasonal_naive"]
    assert 0.8 < naive.at(7)["mase"] < 1.2


def test_smape_is_between_0_and_200_and_two_zeros_are_no_error():
    truth = np.array([[0.0], [0.0], [5.0], [0.0]])
    scores = judge(truth, lambda h: np.array([[0.0], [1.0], [0.0], [0.0]]), 1, 0, np.ones(1))
    # about rows 1 to 3: 0 for 0, 1 for 5, 0 for 0
    assert scores.at(1)["smape"] == pytest.approx(np.mean([0.0, 200 * 4 / 6, 0.0]))


def test_what_is_not_known_is_not_judged():
    holes = Y.copy()
    holes[20, 0] = np.nan
    scores = judge(holes, lambda h: np.zeros_like(Y), 1, 0, np.ones(2))
    assert scores.judged[0].tolist() == [48, 49]
    assert scores.at(1)["mae"] == pytest.approx(
        np.mean([np.abs(np.delete(Y[1:, 0], 19)).mean(), np.abs(Y[1:, 1]).mean()])
    )


def test_nothing_to_judge_is_none_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        empty = np.full((5, 1), np.nan)
        for truth, first in ((empty, 0), (Y[:3], 3), (Y[:0], 0)):
            scores = judge(truth, lambda h, truth=truth: truth, 10, first, naive_scale(truth, 1))
            assert scores.at(10) == dict.fromkeys(("mse", "mae", "mase", "smape"))


def test_a_constant_series_has_no_mase():
    flat = np.ones((20, 1))
    scores = judge(flat, lambda h: flat, 3, 0, naive_scale(flat, 5))
    assert scores.at(3)["mase"] is None
    assert scores.at(3)["mse"] == 0.0


def test_coverage_is_the_share_within_the_band():
    bands = {80: 1.2816, 95: 1.96}
    lower = {level: lambda h, z=z: np.full((5_000, 1), -z) for level, z in bands.items()}
    upper = {level: lambda h, z=z: np.full((5_000, 1), z) for level, z in bands.items()}
    normal = np.random.default_rng(0).normal(size=(5_000, 1))
    scores = judge(normal, lambda h: np.zeros((5_000, 1)), 2, 0, np.ones(1), lower, upper)
    told = scores.at(2)["coverage"]
    assert told["80"] == pytest.approx(0.8, abs=0.02)
    assert told["95"] == pytest.approx(0.95, abs=0.01)


def test_crps_with_many_quantiles_is_that_of_the_distribution():
    levels = [2 * k for k in range(1, 50)]
    normal = np.random.default_rng(1).normal(size=(4_000, 1))
    shape = (4_000, 1)
    lower = {k: lambda h, k=k: np.full(shape, stats.norm.ppf(0.5 - k / 200)) for k in levels}
    upper = {k: lambda h, k=k: np.full(shape, stats.norm.ppf(0.5 + k / 200)) for k in levels}
    scores = judge(normal, lambda h: np.zeros(shape), 1, 0, np.ones(1), lower, upper)
    # Gneiting and Raftery 2007: CRPS of N(0, 1) at x is x (2 F(x) - 1) + 2 f(x) - 1 / sqrt(pi)
    x = normal[1:, 0]
    exact = x * (2 * stats.norm.cdf(x) - 1) + 2 * stats.norm.pdf(x) - 1 / np.sqrt(np.pi)
    assert scores.at(1)["crps"] == pytest.approx(exact.mean(), rel=0.01)


def test_pinball_is_least_at_the_quantile():
    sample = np.random.default_rng(2).exponential(size=20_000)
    losses = {q: pinball(sample, np.full(20_000, q), 0.9).mean() for q in (1.5, 2.303, 3.2)}
    assert min(losses, key=losses.get) == 2.303


def test_series_are_joined_as_channels():
    both = joined([judge(Y[:, :1], lambda h: Y[:, :1], 2, 0, np.ones(1)),
                   judge(Y[:, 1:], lambda h: Y[:, 1:], 2, 0, np.ones(1))])  # fmt: skip
    wanted = judge(Y, lambda h: Y, 2, 0, np.ones(2)).at(2)
    assert both.at(2) == {name: pytest.approx(value) for name, value in wanted.items()}
