"""Losses, targets and the best expert in hindsight of paper mode."""

import numpy as np
import pytest
from reference import loss_value
from scipy.optimize import minimize

from mooe.paper import core
from mooe.paper.regret import best_in_ball, loss, scaled, targets_of


@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_losses_are_those_of_the_reference_divided_by_their_range(kind):
    params = core.Params(loss=kind, radius=2.0)
    scores = np.linspace(-params.radius * params.reach, params.radius * params.reach, 11)
    for target in (-1.0, 1.0):
        found = loss(params, scores, np.full(11, target))
        assert found == pytest.approx(loss_value(kind, scores, target) / params.loss_range)
        assert 0 <= found.min() <= found.max() <= 1 + 1e-12


def test_two_classes_have_one_output_and_more_have_one_each():
    labels = np.array([0.0, 1.0, 2.0])
    two, three = (core.init(core.Params(), 2, n_classes=n) for n in (2, 3))
    assert targets_of(core.Params(), two, labels[:2]).tolist() == [[-1.0], [1.0]]
    assert targets_of(core.Params(), three, labels).tolist() == (2 * np.eye(3) - 1).tolist()


def test_numbers_are_cut_and_scaled_to_their_bounds():
    params = core.Params(task="regression", target_bounds=(0.0, 10.0))
    state = core.init(params, 2, n_classes=0)
    assert targets_of(params, state, np.array([0.0, 7.5, 20.0])).tolist() == [[-1.0], [0.5], [1.0]]
    assert scaled(state, np.array([20.0])).tolist() == [3.0]


@pytest.mark.parametrize("kind", ["squared", "logistic"])
@pytest.mark.parametrize("radius", [0.1, 1.0, 30.0])
def test_no_point_of_the_ball_is_better_than_w_hat(kind, radius):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 4))
    targets = np.sign(rows @ rng.normal(size=4) + rng.normal(size=40))
    params = core.Params(loss=kind, radius=radius)
    w, value = best_in_ball(params, rows, targets)
    assert np.linalg.norm(w) <= radius * (1 + 1e-9)

    def objective(v):
        inside = v * min(1.0, radius / max(np.linalg.norm(v), 1e-12))
        return loss(params, rows @ inside, targets).sum()

    other = minimize(objective, w + 0.01 * radius, method="Nelder-Mead", options={"maxiter": 4000})
    assert value <= other.fun + 1e-9
