"""The losses: derivatives by finite differences, and ranges and smoothness that are true bounds."""

import numpy as np
import pytest
from numba import njit
from reference import loss_slope, loss_value

from mooe.numerics.losses import (
    LOSSES,
    declared_range,
    logistic,
    logistic_curvature,
    logistic_slope,
    smoothness,
    squared,
    squared_slope,
)


@njit
def evaluate(is_logistic, scores, targets, out):
    for i in range(scores.shape[0]):
        s, t = scores[i], targets[i]
        out[0, i] = logistic(s, t) if is_logistic else squared(s, t)
        out[1, i] = logistic_slope(s, t) if is_logistic else squared_slope(s, t)
        out[2, i] = logistic_curvature(s) if is_logistic else 2.0


def values(loss, scores, targets):
    """Return value, slope and curvature, (3, n)."""
    out = np.empty((3, len(scores)))
    evaluate(loss == "logistic", scores, targets, out)
    return out


def points(loss, n=2000, widest=40.0):
    """Return scores in [-widest, widest] and targets that the loss takes."""
    rng = np.random.default_rng(n)
    scores = rng.uniform(-1, 1, n) * widest ** rng.uniform(-1, 1, n)
    targets = rng.choice([-1.0, 1.0], n) if loss == "logistic" else rng.uniform(-1, 1, n)
    return scores, targets


each_loss = pytest.mark.parametrize("loss", LOSSES)


@each_loss
def test_value_and_slope_agree_with_the_formulas(loss):
    scores, targets = points(loss)
    value, slope, _ = values(loss, scores, targets)
    np.testing.assert_allclose(value, loss_value(loss, scores, targets), rtol=1e-14)
    np.testing.assert_allclose(slope, loss_slope(loss, scores, targets), rtol=1e-14)


@each_loss
def test_slope_and_curvature_are_the_derivatives(loss):
    scores, targets = points(loss, widest=10.0)
    step = 1e-5
    above, below = (values(loss, scores + shift, targets) for shift in (step, -step))
    difference = (above[:2] - below[:2]) / (2 * step)
    np.testing.assert_allclose(values(loss, scores, targets)[1:], difference, atol=2e-8)


@each_loss
def test_far_from_the_target_nothing_overflows(loss):
    found = values(loss, np.array([-1e8, 1e8, -800.0, 800.0]), np.array([1.0, 1.0, -1.0, -1.0]))
    assert np.isfinite(found).all()
    if loss == "logistic":
        np.testing.assert_allclose(found[0], [1e8, 0, 0, 800], atol=1e-200)


@each_loss
@pytest.mark.parametrize("radius", [0.1, 1.0, 7.0])
@pytest.mark.parametrize("reach", [0.2, 1.0, 3.0])
def test_range_and_smoothness_bound_the_divided_loss_over_ball_and_inputs(loss, radius, reach):
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(3, 3000, 5))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    w, v, x = directions * rng.uniform(0, 1, (3, 3000, 1)) ** 0.1
    w, v, x = radius * w, radius * v, reach * x
    _, targets = points(loss, 3000)
    most = declared_range(loss, radius * reach)
    value, slope, _ = values(loss, (w * x).sum(axis=1), targets) / most
    other = values(loss, (v * x).sum(axis=1), targets)[1] / most
    assert value.min() >= 0
    assert value.max() <= 1
    beta = smoothness(loss, reach, radius)
    gradients_apart = np.linalg.norm((slope - other)[:, None] * x, axis=1)
    assert np.all(gradients_apart <= beta * np.linalg.norm(w - v, axis=1) * (1 + 1e-12))
    gradients = np.abs(slope) * np.linalg.norm(x, axis=1)
    assert np.all(gradients <= np.sqrt(4 * beta * value) + 1e-12)  # eq. (func), self-bounding


@each_loss
def test_range_and_smoothness_are_attained(loss):
    worst = values(loss, np.array([-6.0]), np.ones(1))[0, 0]
    assert declared_range(loss, 6.0) == pytest.approx(worst, rel=1e-14)
    steepest = values(loss, np.zeros(1), np.ones(1))[2, 0]
    assert smoothness(loss, 3.0, 2.0) == pytest.approx(steepest * 9 / worst, rel=1e-14)
