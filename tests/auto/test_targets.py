"""What an expert is charged; the losses of the open interval are read where a memory keeps them."""

import numpy as np
import pytest

from auto.regimes import oracle, regimes
from mooe.auto import core
from mooe.auto.experts.linear import BUSY, FRESH
from mooe.auto.params import AutoParams


def losses(X, y, n_classes, weights=None, task="classification"):
    """Return the losses of the fresh learner of the plain memory, row by row."""
    params = AutoParams(task, interval=200)
    state = core.init(params, X.shape[1], n_classes)
    core.predict_then_learn(params, state, X, y, weights)
    return core.views(params, state).experts.memory.plain.losses[: len(X), FRESH - BUSY]


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_no_opinion_is_wrong_and_half_unsure(label):
    assert losses(np.ones((1, 2)), np.array([label]), 2) == [0.5 + 0.125]


@pytest.mark.parametrize(("label", "loss"), [(0.0, 0.25), (1.0, 0.75), (2.0, 0.75)])
def test_of_classes_that_are_level_the_first_is_taken(label, loss):
    # Three scores of 0: the squared errors sum up to 3, of which an eighth is 3/8; half counts.
    expected = loss - 0.25 + 0.5 * 0.375
    assert losses(np.ones((1, 2)), np.array([label]), 3)[0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 6, 0])
def test_a_loss_is_between_0_and_the_weight_of_the_row(n_classes):
    rows = regimes(np.random.default_rng(0), n=150, n_classes=n_classes, length=20, noise=0.2)
    task = "classification" if n_classes else "regression"
    one = losses(rows.X, rows.y, n_classes, task=task)
    assert one.min() >= 0.0
    assert one.max() <= 1.0
    assert len(np.unique(one)) > 75
    if n_classes:
        weights = np.full(150, 0.25)
        assert losses(rows.X, rows.y, n_classes, weights, task).max() <= 0.25


def test_in_regression_the_usual_error_costs_an_eighth():
    params = AutoParams("regression", interval=200)
    rows = regimes(np.random.default_rng(0), n=150, n_classes=0)
    reference = oracle(params, 3)
    for x, y in zip(rows.X, rows.y, strict=True):
        reference.learn(x, y)
    low, high = ((end - reference.target_mean) / reference.unit for end in reference.target_range)
    # A label in the middle and a score beside it by the root of the usual squared error.
    middle = 0.5 * (low + high)
    label = reference.target_mean + reference.unit * middle
    score = np.array([middle + np.sqrt(reference.usual)])
    assert score[0] < high
    assert reference.loss(score, label) == pytest.approx(0.125)
    state = core.init(params, 3)
    core.predict_then_learn(params, state, rows.X, rows.y)
    assert state.error == pytest.approx(reference.usual, rel=1e-6)
    assert (state.low, state.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("outlier", [1e2, 1e6, 1e12, -1e99])
def test_one_outlier_does_not_ruin_a_regression(outlier):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = X @ rng.normal(size=5) + 0.1 * rng.normal(size=3000)
    errors = []
    for value in (y[1000], outlier):
        y[1000] = value
        params = AutoParams("regression")
        state = core.init(params, 5)
        scores = core.predict_then_learn(params, state, X, y)[:, 0]
        errors.append(np.abs(scores - y)[1500:].mean())
    assert errors[1] < 1.05 * errors[0]


def test_a_level_that_stays_is_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = X @ rng.normal(size=5) + 100.0 * (np.arange(4000) >= 2000)
    params = AutoParams("regression")
    scores = core.predict_then_learn(params, core.init(params, 5), X, y)[:, 0]
    assert np.abs(scores - y)[2500:].mean() < 1.0  # repeating the last label: 2.5
