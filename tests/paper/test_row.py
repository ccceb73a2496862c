"""A row: scored by every expert, charged to every expert, learnt by the online one."""

import math

import numpy as np
import pytest
from reference import loss_slope, loss_value

from mooe.paper import core

X = np.array([[0.3, -0.4]])
SEEN = np.array([0.3, -0.4, 1.0])


def started(online, n_classes=2, **chosen):
    """Return params and a state whose online expert is set, inputs taken as they are."""
    params = core.Params(**{"scale": False, "interval": 100, "radius": 2.0, **chosen})
    state = core.init(params, 2, n_classes)
    core.views(params, state).online[:] = online
    return params, state


each_loss = pytest.mark.parametrize("loss", ["squared", "logistic"])
each_label = pytest.mark.parametrize("label", [0.0, 1.0])
START = np.array([0.5, -0.2, 0.1])


@each_loss
@each_label
@pytest.mark.parametrize("step", ["corrected", "printed"])
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_the_online_expert_takes_a_gradient_step_of_the_divided_loss(loss, label, step, weight):
    params, state = started(START, loss=loss, step=step)
    numerator = params.radius if step == "corrected" else params.reach
    w = START
    for t in (1, 2, 3):
        slope = loss_slope(loss, w @ SEEN, 2 * label - 1) / params.loss_range
        w = w - numerator / math.sqrt(params.smoothness * t) * weight * slope * SEEN
        assert np.linalg.norm(w) < params.radius
        core.predict_then_learn(params, state, X, np.array([label]), np.array([weight]))
        np.testing.assert_allclose(core.views(params, state).online[0], w, atol=1e-14)


def test_a_step_that_leaves_the_ball_ends_on_it():
    params, state = started(START, online_rate=1e6)
    core.predict_then_learn(params, state, X, np.ones(1))
    online = core.views(params, state).online[0]
    np.testing.assert_allclose(online, 2.0 * SEEN / np.linalg.norm(SEEN), atol=1e-5)
    assert np.linalg.norm(online) <= 2.0 * (1 + 1e-15)


@each_loss
@each_label
def test_losses_are_divided_by_their_range_and_weighted(loss, label):
    params, state = started(START, loss=loss)
    core.predict_then_learn(params, state, X, np.array([label]), np.array([0.5]))
    expected = 0.5 * loss_value(loss, START @ SEEN, 2 * label - 1) / params.loss_range
    assert core.views(params, state).losses[-1] == pytest.approx(expected, rel=1e-14)


def test_with_three_classes_targets_are_one_against_rest_and_the_loss_is_their_mean():
    online = np.array([START, -START, 2 * START])
    params, state = started(online, n_classes=3)
    scores = core.predict_then_learn(params, state, X, np.array([2.0]))
    np.testing.assert_allclose(scores[0], online @ SEEN, atol=1e-15)
    targets = np.array([-1.0, -1.0, 1.0])
    expected = np.mean((online @ SEEN - targets) ** 2) / params.loss_range
    assert core.views(params, state).losses[-1] == pytest.approx(expected, rel=1e-14)


def test_regression_answers_in_the_unit_of_the_labels():
    params, state = started(START, task="regression", n_classes=0, target_bounds=(10.0, 50.0))
    core.predict_then_learn(params, state, X, np.array([20.0]))
    loss = (START @ SEEN - -0.5) ** 2 / params.loss_range  # 20 is -1/2 between 10 and 50
    assert core.views(params, state).losses[-1] == pytest.approx(loss, rel=1e-14)
    unit = core.views(params, state).online[0] @ SEEN
    assert core.predict(params, state, X)[0, 0] == pytest.approx(30 + 20 * unit, rel=1e-14)


def test_the_bounds_of_regression_follow_the_labels_until_the_first_interval_is_full():
    params = core.Params(task="regression", interval=3)
    state = core.init(params, 1)
    bounds = []
    for y in (5.0, 5.0, 5.0, 7.0, 4.0, 6.0, 100.0, -100.0):
        core.predict_then_learn(params, state, np.ones((1, 1)), np.array([y]))
        bounds.append((state.low, state.high))
    # The first interval has one label only: it leaves no expert and freezes nothing.
    assert bounds == [(5, 5), (5, 5), (5, 5), (5, 7), (4, 7), (4, 7), (4, 7), (4, 7)]
    assert (state.n_clipped, state.n_offline, state.n_intervals) == (2, 1, 2)


def test_an_anytime_rate_falls_with_the_root_of_the_labels():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(30, 2)), rng.integers(2, size=30).astype(float)
    params = core.Params(interval=10, meta_rate="anytime")
    state = core.init(params, 2, n_classes=2)
    for i in range(30):
        core.predict_then_learn(params, state, rows[i : i + 1], y[i : i + 1])
        block, n = core.views(params, state), state.n_offline
        losses = np.append(block.losses[:n], block.losses[-1])
        rate = math.sqrt(8 * math.log(n + 1) / (state.t + 1))
        prior = np.array([(n + 2) / ((n + 1 - k) * (n + 2 - k) * (n + 1)) for k in range(n + 1)])
        expected = prior * np.exp(-rate * losses)
        np.testing.assert_allclose(
            core.weights(params, state), expected / expected.sum(), rtol=1e-12
        )
