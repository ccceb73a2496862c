"""Theorem 2: its rates, what breaks it as printed, its condition on the number of experts."""

import math

import numpy as np
import pytest
from reference import loss_slope, loss_value

from mooe.paper import core
from mooe_paper import theory


def descend(numerator, label_of, x, radius, loss_range=1.0, rounds=50):
    """Return the loss of gradient descent on (w x - y)^2 / range from the far end of the ball."""
    smoothness, w, total = 2 * x * x / loss_range, -radius, 0.0
    for t in range(1, rounds + 1):
        error = w * x - label_of(w)
        total += error**2 / loss_range
        w -= numerator / math.sqrt(smoothness * t) * 2 * error * x / loss_range
        w = min(max(w, -radius), radius)
    return total


def test_the_printed_step_breaks_the_printed_bound_on_the_counter_example_of_the_errata():
    # |x| <= D = 0.1, |w| <= R = 5, |y| <= 0.5: losses lie in [0, 1] undivided; w = 5 has none.
    losses = {step: descend(step, lambda w: 0.5, x=0.1, radius=5.0) for step in (0.1, 5.0)}
    printed = theory.printed_online_regret_bound(0.1, 0.02, 50)
    corrected = theory.online_regret_bound(5.0, 0.02, 50)
    assert (round(losses[0.1], 2), round(printed, 2)) == (40.06, 0.6)
    assert (round(losses[5.0], 2), round(corrected, 2)) == (1.12, 30.0)


def test_the_bound_holds_only_for_losses_divided_by_their_range():
    # R = D = 5, every label opposes the score; w = 0 has the loss 1 each time, before division.
    for loss_range, holds in ((26.0**2, True), (1.0, False)):
        loss = descend(5.0, lambda w: -math.copysign(1, w), 5.0, 5.0, loss_range)
        bound = theory.online_regret_bound(5.0, 50 / loss_range, 50)
        assert (loss - 50 / loss_range <= bound) == holds
    assert loss - 50 > 22 * bound


def test_a_loss_that_is_smooth_on_the_ball_alone_breaks_even_the_corrected_bound():
    # (1 - y s) / 2, |s| <= 1: in [0, 1] and convex, and smooth on the ball with any beta > 0.
    smoothness, w, loss, labels = 1e-6, 1.0, 0.0, 0.0
    for t in range(1, 51):
        label = -math.copysign(1.0, w)
        loss, labels = loss + (1 - label * w) / 2, labels + label
        w = min(max(w + 1 / math.sqrt(smoothness * t) * label / 2, -1.0), 1.0)
    best = (50 - abs(labels)) / 2
    assert loss - best > 100 * theory.online_regret_bound(1.0, smoothness, 50)


@pytest.mark.parametrize(("step", "holds"), [("corrected", True), ("printed", False)])
def test_the_online_expert_shows_the_same_counter_example(step, holds):
    params = core.Params(
        interval=51, max_experts=1, radius=5.0, input_bound=0.1, step=step, scale=False,
        intercept=False,
    )  # fmt: skip
    state = core.init(params, 1, n_classes=2)
    core.views(params, state).online[:] = -5.0
    scores = core.predict_then_learn(params, state, np.full((50, 1), 0.1), np.ones(50))
    best = loss_value("squared", 0.5, 1.0)
    regret = (loss_value("squared", scores[:, 0], 1.0) - best).sum() / params.loss_range
    corrected = theory.online_regret_bound(params.radius, params.smoothness, 50)
    printed = theory.printed_online_regret_bound(params.reach, params.smoothness, 50)
    assert (regret <= corrected) == holds
    assert step == "corrected" or regret > 50 * printed


@pytest.mark.parametrize("experts_regret", [0.0, 3.0, 10.0, 20.0])
def test_the_corrected_condition_is_where_the_two_sides_of_its_inequality_meet(experts_regret):
    radius, smoothness, T = 0.7, 0.5, 50
    most = theory.max_experts_condition(radius, smoothness, T, experts_regret)
    right = theory.online_regret_bound(radius, smoothness, T)
    left = math.sqrt(T * math.log(most)) + experts_regret
    assert left == pytest.approx(right)


def test_no_number_of_experts_meets_the_condition_where_the_best_expert_is_worse_than_the_bound():
    bound = theory.online_regret_bound(0.1, 0.02, 50)
    assert theory.max_experts_condition(0.1, 0.02, 50, bound + 0.1) == 0
    assert theory.printed_max_experts_condition(0.1, 0.02, 50, bound + 0.1) > 1


def test_the_condition_may_allow_any_number_of_experts():
    assert theory.max_experts_condition(5.0, 2.0, 50, 0.0) == math.inf
    assert theory.printed_max_experts_condition(100.0, 2.0, 50, 0.0) == math.inf


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
