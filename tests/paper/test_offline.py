"""The offline fit is the constrained minimiser: optimality conditions, scipy, primal and dual."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mooe.paper import core
from paper.fits import fits

each_loss = pytest.mark.parametrize("loss", ["squared", "logistic"])
each_radius = pytest.mark.parametrize("radius", [0.05, 0.5, 2.0, 30.0])
each_size = pytest.mark.parametrize(("interval", "d"), [(12, 3), (40, 7), (5, 20), (8, 7), (1, 4)])


@each_loss
@each_radius
@each_size
def test_the_optimality_conditions_hold(loss, radius, interval, d):
    for fit in fits(loss=loss, radius=radius, interval=interval, d=d, pull=1e-3):
        w, scale = fit.expert, np.linalg.norm(fit.loss_gradient(fit.expert)) + fit.pull * radius
        length = np.linalg.norm(w)
        assert length <= radius * (1 + 1e-14)
        assert fit.multiplier >= 0
        assert fit.multiplier == 0 or length == pytest.approx(radius, rel=1e-13)
        residual = fit.gradient(w) + fit.multiplier * w
        assert np.linalg.norm(residual) <= 1e-10 * scale


@each_loss
@pytest.mark.parametrize("radius", [0.05, 0.5, 2.0])
def test_no_solver_finds_a_better_expert(loss, radius):
    for fit in fits(loss=loss, radius=radius, pull=1e-3):
        ball = {
            "type": "ineq",
            "fun": lambda w: radius**2 - w @ w,
            "jac": lambda w: -2 * w,
        }
        start = fit.mixture * 0.9
        found = minimize(
            fit.objective, start, jac=fit.gradient, method="SLSQP", constraints=ball,
            options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        inside = found.x * min(1, radius / np.linalg.norm(found.x))
        assert fit.objective(fit.expert) <= fit.objective(inside) + 1e-14
        np.testing.assert_allclose(fit.expert, inside, atol=1e-4 * radius)


@each_loss
def test_the_ball_is_active_in_some_fits_and_not_in_others(loss):
    active = [f.multiplier > 0 for radius in (0.05, 30.0) for f in fits(loss=loss, radius=radius)]
    assert any(active)
    assert not all(active)


@each_loss
def test_a_constrained_fit_is_not_a_clipped_one(loss):
    gaps = []
    for fit in fits(loss=loss, radius=0.3, pull=1e-3, d=5):
        if fit.multiplier == 0:
            continue
        free = minimize(fit.objective, fit.mixture, jac=fit.gradient, method="BFGS").x
        clipped = free * 0.3 / np.linalg.norm(free)
        gaps.append(fit.objective(clipped) - fit.objective(fit.expert))
    assert min(gaps) >= -1e-12
    assert max(gaps) > 1e-6


@each_loss
def test_primal_and_dual_systems_give_the_same_expert(loss):
    # Inputs padded with a column of zeros cross from one system to the other: 6 rows, 6 or 7 wide.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 6))
    X *= 0.99 / np.linalg.norm(X, axis=1).max()
    y = np.r_[0.0, 1.0, rng.integers(2, size=28)]
    for radius in (0.1, 5.0):
        params = core.Params(
            scale=False, intercept=False, interval=6, loss=loss, radius=radius, pull=1e-2
        )
        found = []
        for wide in (X, np.hstack([X, np.zeros((30, 1))])):
            state = core.init(params, wide.shape[1])
            core.predict_then_learn(params, state, wide, y)
            found.append(core.views(params, state).experts[0, :6, : state.n_offline])
        np.testing.assert_allclose(*found, rtol=0, atol=1e-11 * max(1, radius))


@each_loss
def test_a_strong_pull_leaves_the_mixture_and_a_weak_one_the_data(loss):
    for strong, weak in zip(
        fits(1, loss=loss, pull=1e9, radius=3.0), fits(1, loss=loss, pull=0.0, radius=3.0),
        strict=True,
    ):  # fmt: skip
        np.testing.assert_allclose(strong.expert, strong.mixture, atol=1e-8)
        assert weak.loss(weak.expert) < weak.loss(weak.mixture)
