"""What is estimated from rows, from kernels, and from models."""

import numpy as np
import pytest

from mooe.paper import core
from mooe_paper import theory


def rows(n=50, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * np.arange(1, d + 1)


def test_the_eigenvalues_descend_and_sum_to_the_mean_squared_norm():
    for n, d in ((50, 4), (5, 12)):
        X = rows(n, d)
        values = theory.eigenvalues(X)
        assert np.all(np.diff(values) <= 0)
        assert values.sum() == pytest.approx((X**2).sum(axis=1).mean())
        assert values[0] <= theory.input_bound(X) ** 2


def test_a_kernel_gives_the_eigenvalues_of_its_space():
    X = rows()
    values = theory.kernel_eigenvalues(X @ X.T)
    assert values[:4] == pytest.approx(theory.eigenvalues(X))
    assert values[4:] == pytest.approx(np.zeros(46), abs=1e-9)


def test_the_radius_is_that_of_the_expert_that_made_the_targets():
    X = rows()
    expert = np.array([0.03, -0.02, 0.01, 0.0])
    assert theory.least_radius(X, X @ expert) == pytest.approx(np.linalg.norm(expert))


def test_the_assumptions_of_a_stream_are_those_of_params_with_the_same_numbers():
    X = rows()
    known = theory.stream_assumptions(X, np.sign(X[:, 0]), loss="logistic")
    params = core.Params(
        loss="logistic", radius=known.radius, input_bound=known.input_bound, intercept=False
    )
    assert known.smoothness == params.smoothness
    assert known.loss_range == params.loss_range


def test_the_assumptions_of_a_model_are_what_it_enforces_and_has_seen():
    params = core.Params(interval=10, max_experts=3)
    state = core.init(params, 4, n_classes=2)
    fresh = theory.model_assumptions(params, state)
    assert (fresh.n_experts, fresh.eigenvalues, fresh.mean_loss) == (1, (), 1.0)
    X = rows(35)
    core.predict_then_learn(params, state, X, (X[:, 0] > 0).astype(float))
    known = theory.model_assumptions(params, state)
    assert (known.n_experts, known.rounds) == (3, 10)
    assert sum(known.eigenvalues) <= params.reach**2 + 1e-12
    assert 0 < known.mean_loss < 1


@pytest.mark.parametrize(
    ("task", "loss"),
    [("classification", "squared"), ("classification", "logistic"), ("regression", "squared")],
)
def test_the_mean_loss_of_a_model_is_that_of_its_experts_as_they_are(task, loss):
    bounds = (-4.0, 4.0) if task == "regression" else None
    params = core.Params(
        interval=10, max_experts=3, task=task, loss=loss, scale=False, target_bounds=bounds
    )
    X = rows(37) / 10
    y = 3 * X[:, 0] if task == "regression" else (X[:, 0] > 0).astype(float)
    state = core.init(params, 4, n_classes=0 if task == "regression" else 2)
    core.predict_then_learn(params, state, X, y)
    losses = []
    for x, label in zip(X[30:], y[30:], strict=True):  # those of the open interval
        weights, scores = core.explain(params, state, x[None])
        if task == "regression":
            losses.append(weights @ ((scores[:, 0] - label) / 4) ** 2)
        else:
            sign = 2 * label - 1
            each = (scores[:, 0] - sign) ** 2, np.log1p(np.exp(-sign * scores[:, 0]))
            losses.append(weights @ each[loss == "logistic"])
    known = theory.model_assumptions(params, state).mean_loss
    assert known == pytest.approx(np.mean(losses) / params.loss_range)


def test_the_observed_complexity_of_one_row_is_its_norm_times_the_radius():
    assert theory.observed_rademacher(np.array([[3.0, 4.0]]), 2.0) == pytest.approx(10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": 0}, "rounds must be at least 1, got 0"),
        ({"n_experts": 0}, "n_experts must be at least 1, got 0"),
        ({"radius": -1.0}, "radius must be a finite number above 0, got -1.0"),
        ({"smoothness": float("nan")}, "smoothness must be a finite number above 0, got nan"),
        ({"failure": 1.0}, "failure must be between 0 and 1, got 1.0"),
    ],
)
def test_assumptions_that_mean_nothing_are_refused(change, message):
    known = {"n_experts": 5, "rounds": 50, "radius": 1.0, "input_bound": 1.0, "smoothness": 0.5}
    with pytest.raises(ValueError, match=message):
        theory.Assumptions(**{**known, **change})


def test_rows_that_cannot_be_measured_are_refused():
    with pytest.raises(
        ValueError, match=r"shape \(rows, inputs\) with a row or more, got \(0, 2\)"
    ):
        theory.input_bound(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="finite numbers, got nan"):
        theory.eigenvalues(np.array([[np.nan]]))
    with pytest.raises(ValueError, match=r"targets must lie in \[-1, 1\], got 2.0"):
        theory.stream_assumptions(rows(3), np.array([0.0, 2.0, 1.0]))
    with pytest.raises(ValueError, match="loss must be one of"):
        theory.stream_assumptions(rows(3), np.zeros(3), loss="hinge")
