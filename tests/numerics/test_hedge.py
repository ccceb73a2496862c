"""Exponential weights: the prior's laws, the rate, and weights that survive any loss."""

import numpy as np
import pytest
from numba import njit

from mooe.numerics import hedge
from mooe.numerics.hedge import fill_log_prior, weigh

each_number = pytest.mark.parametrize("n_experts", [1, 2, 3, 7, 25, 100, 1000])


@njit
def weights_into(losses, speed, log_prior, weights):
    n = losses.shape[0] - 1
    fill_log_prior(log_prior, n)
    return weigh(log_prior, losses, n, speed, weights)


def weights_of(losses, speed):
    """Return the weights before they are divided by their sum, and that sum."""
    log_prior, weights = np.zeros((2, len(losses)))
    total = weights_into(np.asarray(losses, dtype=float), float(speed), log_prior, weights)
    return weights, total


@each_number
def test_the_prior_ascends_sums_to_one_and_starts_at_one_over_k_squared(n_experts):
    prior = hedge.prior(n_experts)
    assert prior.shape == (n_experts,)
    assert np.all(np.diff(prior) > 0)
    assert prior.sum() == pytest.approx(1, abs=1e-14)
    assert prior[0] == pytest.approx(1 / n_experts**2, rel=1e-15)
    assert prior[-1] > 0.5  # the online expert


@each_number
def test_without_loss_the_weights_are_the_prior(n_experts):
    weights, total = weights_of(np.zeros(n_experts), 1.0)
    np.testing.assert_allclose(weights / total, hedge.prior(n_experts), rtol=1e-14)


@pytest.mark.parametrize("n_experts", [2, 5, 6, 9, 25])
def test_the_weights_are_the_prior_times_the_exponential_of_the_losses(n_experts):
    losses = np.random.default_rng(n_experts).uniform(0, 50, n_experts)
    weights, total = weights_of(losses, 0.7)
    expected = hedge.prior(n_experts) * np.exp(-0.7 * losses)
    np.testing.assert_allclose(weights / total, expected / expected.sum(), rtol=1e-12)
    assert total == pytest.approx(weights.sum(), rel=1e-14)


def test_updates_one_after_the_other_give_the_weights_of_the_sum():
    rng = np.random.default_rng(0)
    alpha, steps = hedge.prior(6), rng.uniform(0, 1, (30, 6))
    for losses in steps:
        alpha = alpha * np.exp(-0.4 * losses)
        alpha /= alpha.sum()
    weights, total = weights_of(steps.sum(axis=0), 0.4)
    np.testing.assert_allclose(weights / total, alpha, rtol=1e-12)


@pytest.mark.parametrize("common", [0.0, 1e3, 1e6, 1e9])
def test_losses_of_any_size_leave_a_distribution_that_favours_the_best(common):
    weights, total = weights_of([common + 3.0, common, common + 5.0], 10.0)
    assert np.isfinite(weights).all()
    assert weights.sum() / total == pytest.approx(1, abs=1e-12)
    assert weights.argmax() == 1
    assert weights[1] / total > 0.99


def test_a_common_loss_changes_nothing():
    losses = np.array([3.0, 1.0, 2.0, 0.5])
    (near, n), (far, f) = weights_of(losses, 1.0), weights_of(losses + 2.0**16, 1.0)
    np.testing.assert_allclose(near / n, far / f, rtol=1e-10)
