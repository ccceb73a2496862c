"""Lemma 1 and Theorem 1 on experts that the core fitted, and where they say something."""

import math

import numpy as np
import pytest

from mooe.paper import core
from mooe_paper import theory

RADIUS = 3.0
OPTIMA = np.array([[0.6, 0.5, 0.0], [-0.5, 0.6, 0.2]])  # of two concepts, within the ball


def closed_interval(pull, seed, interval=40):
    """Return what Lemma 1 and Theorem 1 speak of, for the third interval of a stream."""
    params = core.Params(interval=interval, pull=pull, radius=RADIUS, scale=False, intercept=False)
    state = core.init(params, 3, n_classes=2)
    rng = np.random.default_rng(seed)
    for number in range(3):
        X = rng.normal(size=(interval, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = (rng.uniform(-1, 1, interval) < X @ OPTIMA[number % 2]).astype(float)
        core.predict_then_learn(params, state, X[:-1], y[:-1])
        if number == 2:
            mixed = theory.mixture(params, state)[0]
            shares, block = core.weights(params, state), core.views(params, state)
            experts = np.vstack([block.experts[0, :, : state.n_offline].T, block.online])
            losses = ((X @ experts.T - (2 * y - 1)[:, None]) ** 2).mean(axis=0) / params.loss_range
            mean_loss = float(shares @ losses)
        core.predict_then_learn(params, state, X[-1:], y[-1:])
    newest = core.views(params, state).experts[0, :, state.n_offline - 1].copy()
    return params, X, 2 * y - 1, mixed, mean_loss, newest


@pytest.mark.parametrize("pull", [None, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_new_expert_is_as_near_the_mixture_as_lemma_1_says(pull, seed):
    _, _, _, mixed, mean_loss, newest = closed_interval(pull, seed)
    pull = max(pull or 0.0, theory.pull_floor(mean_loss, RADIUS))
    assert np.sum((newest - mixed) ** 2) <= theory.mixture_distance_bound(mean_loss, pull)


@pytest.mark.parametrize("pull", [None, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_new_expert_is_as_near_the_optimum_as_theorem_1_says(pull, seed):
    params, _, _, mixed, mean_loss, newest = closed_interval(pull, seed)
    pull = max(pull or 0.0, theory.pull_floor(mean_loss, RADIUS))
    optimum = OPTIMA[0]
    omega = np.sum((optimum - mixed) ** 2)
    bound = theory.optimum_distance_bound(omega, mean_loss, pull, params.smoothness)
    short = theory.triangle_distance_bound(omega, mean_loss, pull)
    assert np.linalg.norm(newest - optimum) <= short < bound


@pytest.mark.parametrize("pull", [None, 3.0])
def test_the_short_form_of_theorem_1_holds_for_any_expert(pull):
    _, _, _, mixed, mean_loss, newest = closed_interval(pull, 0)
    pull = max(pull or 0.0, theory.pull_floor(mean_loss, RADIUS))
    for other in np.random.default_rng(0).uniform(-1, 1, (100, 3)) * RADIUS / math.sqrt(3):
        bound = theory.triangle_distance_bound(np.sum((other - mixed) ** 2), mean_loss, pull)
        assert np.linalg.norm(newest - other) <= bound


def test_the_short_form_of_theorem_1_is_below_the_paper_s():
    rng = np.random.default_rng(0)
    for omega, mean_loss, pull, smoothness in rng.exponential(size=(1000, 4)):
        short = theory.triangle_distance_bound(omega, mean_loss, pull)
        assert short**2 <= 2 * omega + 2 * mean_loss / pull + 1e-12
        assert short < theory.optimum_distance_bound(omega, mean_loss, pull, smoothness)


def test_the_core_pulls_with_the_floor_where_nothing_else_is_said():
    params, X, targets, mixed, mean_loss, newest = closed_interval(None, 0)
    slopes = X.T @ (2 * (X @ newest - targets)) / (len(X) * params.loss_range)
    uphill = slopes + theory.pull_floor(mean_loss, RADIUS) * (newest - mixed)
    assert np.linalg.norm(newest) < RADIUS  # so the gradient is 0 there
    assert uphill == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("mean_loss", [0.01, 0.3, 1.0])
def test_at_the_floor_neither_lemma_1_nor_theorem_1_says_anything(mean_loss):
    floor = theory.pull_floor(mean_loss, 2.0)
    assert theory.mixture_distance_bound(mean_loss, floor) == pytest.approx(4 * 2.0**2)
    assert theory.is_vacuous(theory.optimum_distance_bound(0, mean_loss, floor, 1e-9), 2 * 2.0)


@pytest.mark.parametrize("mean_loss", [0.0, 0.2, 1.0])
def test_theorem_1_says_something_just_above_the_useful_pull_and_nothing_at_it(mean_loss):
    radius, smoothness = 1.5, 0.4
    least = theory.useful_pull(mean_loss, radius, smoothness)
    assert least >= max(
        math.sqrt(8 * smoothness) / radius - 1e-12, 6 * theory.pull_floor(mean_loss, radius)
    )
    for pull, vacuous in ((least * 0.999, True), (least * 1.001, False)):
        bound = theory.optimum_distance_bound(0.0, mean_loss, pull, smoothness)
        assert theory.is_vacuous(bound, 2 * radius) == vacuous


def test_without_a_pull_nothing_is_promised():
    assert theory.mixture_distance_bound(0.1, 0.0) == math.inf
    assert theory.optimum_distance_bound(0.0, 0.1, 0.0, 0.5) == math.inf
    assert theory.triangle_distance_bound(0.0, 0.1, 0.0) == math.inf
