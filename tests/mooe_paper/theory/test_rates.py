"""Prior and rates by hand and as the core uses them; gradients stay below their bound."""

import math

import numpy as np
import pytest
from reference import loss_slope, loss_value

from mooe.paper import core
from mooe_paper import theory


@pytest.mark.parametrize("n_experts", [1, 2, 3, 10, 25, 100])
def test_the_prior_ascends_sums_to_one_and_begins_at_one_over_k_squared(n_experts):
    weights = theory.prior(n_experts)
    assert np.all(np.diff(weights) > 0)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(1 / n_experts**2, rel=1e-14)
    assert weights[-1] > 0.5


def test_the_prior_is_what_a_hand_computes():
    # (K + 1) / (K i (i + 1)), i = 1 for the online expert, which is last.
    assert theory.prior(3) == pytest.approx([1 / 9, 2 / 9, 2 / 3])


@pytest.mark.parametrize(("n_experts", "rounds"), [(2, 100), (25, 50)])
def test_the_meta_rate_has_the_least_bound_and_is_what_a_hand_computes(n_experts, rounds):
    by_hand = {(2, 100): 0.33302184, (25, 50): 1.01490899}  # 4 sqrt(.693147 / 100), ...
    rate = theory.meta_rate(n_experts, rounds)
    assert rate == pytest.approx(by_hand[n_experts, rounds], abs=1e-8)
    near = [theory.meta_regret_bound_at(rounds, n_experts, f * rate) for f in (0.99, 1.0, 1.01)]
    assert min(near) == near[1]


def test_the_core_weighs_experts_by_the_prior_and_the_meta_rate():
    params = core.Params(interval=10, max_experts=2, scale=False, intercept=False)
    state = core.init(params, 1, n_classes=2)
    core.predict_then_learn(params, state, np.full((13, 1), 0.8), np.ones(13))
    first, last = core.views(params, state).losses
    weights = np.array([0.25, 0.75]) * np.exp(
        -4 * math.sqrt(math.log(2) / 10) * np.array([first, last])
    )
    assert core.weights(params, state) == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("step", ["corrected", "printed"])
def test_the_online_rate_is_the_step_that_the_core_takes(step):
    params = core.Params(
        interval=10, step=step, radius=5.0, input_bound=0.1, scale=False, intercept=False
    )
    state = core.init(params, 1, n_classes=2)
    core.views(params, state).online[:] = -5.0  # from there no step leaves the ball
    for t in range(1, 3):
        before = core.views(params, state).online[0, 0]
        core.predict_then_learn(params, state, np.array([[0.1]]), np.array([1.0]))
        moved = core.views(params, state).online[0, 0] - before
        slope = loss_slope("squared", 0.1 * before, 1.0) * 0.1 / params.loss_range
        assert moved == pytest.approx(-theory.online_rate(params, t) * slope)


def test_a_constant_online_rate_is_returned_as_it_is():
    assert theory.online_rate(core.Params(online_rate=0.25), 7) == 0.25


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize(("radius", "bound"), [(1.0, 1.0), (5.0, 0.1), (0.3, 4.0)])
def test_no_gradient_is_above_the_bound_nor_above_its_sharper_form(loss, radius, bound):
    params = core.Params(loss=loss, radius=radius, input_bound=bound, intercept=False)
    scores = np.linspace(-radius * bound, radius * bound, 201)
    values = loss_value(loss, scores, 1.0) / params.loss_range
    gradients = np.abs(loss_slope(loss, scores, 1.0)) * bound / params.loss_range
    limits = np.array([theory.gradient_bound(params.smoothness, v) for v in values])
    assert np.all(gradients <= limits / math.sqrt(2) + 1e-12)
    assert np.all(limits <= theory.gradient_bound(params.smoothness) + 1e-12)


def test_a_loss_that_is_smooth_on_the_ball_alone_breaks_the_gradient_bound():
    # (1 - s) / 2 for |s| <= 1: in [0, 1], convex, and without curvature on the ball.
    scores = np.linspace(-1, 1, 11)
    losses = (1 - scores) / 2
    curvature = np.abs(np.diff(losses, 2)).max()
    assert losses.min() == 0
    assert losses.max() == 1
    assert np.abs(np.gradient(losses, scores)).max() > 1e6 * theory.gradient_bound(curvature)
