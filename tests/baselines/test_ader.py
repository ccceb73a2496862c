"""Ader: its grid, its prior, its rates, its weights, its dynamic regret."""

import numpy as np
import pytest
from made_streams import within

from mooe.baselines import linear
from mooe.baselines.ader import Ader, AderParams, dynamic_regret_bound, grid_size
from mooe.baselines.ogd import OGD, OGDParams, gradient_bound


@pytest.mark.parametrize(("rounds", "n"), [(1, 2), (50, 4), (1000, 6), (45312, 9)])
def test_the_grid_has_as_many_steps_as_the_paper_says(rounds, n):
    assert grid_size(rounds) == n
    learner = Ader(AderParams(horizon=rounds))
    learner.predict_then_learn(np.zeros((1, 2)), np.array([np.nan]))
    assert learner.state.n_experts == n


def test_the_steps_by_hand():
    # D = 2, G = 1, T = 14: 2 sqrt(7/28) = 1, then doubled; 4T/7 = 8: ceil(1.58) + 1 = 3
    params = AderParams(horizon=14, intercept=False)
    assert gradient_bound(params.core) == 1.0
    learner = Ader(params)
    learner.predict_then_learn(np.zeros((1, 2)), np.array([np.nan]))
    np.testing.assert_allclose(linear.views(params, learner.state).steps, [4.0, 2.0, 1.0])


def test_the_prior_by_hand():
    # (N+1)/(N i (i+1)) for N = 4: 5/8, 5/24, 5/48, 5/80
    learner = Ader(AderParams(horizon=50))
    learner.predict_then_learn(np.zeros((1, 2)), np.array([np.nan]))
    np.testing.assert_allclose(learner.weights[::-1], [5 / 8, 5 / 24, 5 / 48, 5 / 80], rtol=1e-12)


@pytest.mark.parametrize(
    ("form", "rate"),
    [("basic", 0.2), ("improved", 0.05)],  # sqrt(8/200); D = 2, G = 1: sqrt(2/(200 * 4))
)
def test_the_rates_by_hand(form, rate):
    learner = Ader(AderParams(horizon=200, form=form, intercept=False))
    learner.predict_then_learn(np.zeros((1, 2)), np.array([np.nan]))
    assert learner.state.meta_rate == pytest.approx(rate)


def reference(params, X, targets):
    """Return the scores of Ader by the paper's formulas, row by row."""
    p, horizon = params.core, params.horizon
    gradient, diameter = gradient_bound(p), 2 * p.radius
    n = int(np.ceil(np.log2(1 + 4 * horizon / 7) / 2)) + 1
    i = np.arange(1, n + 1)
    steps = 2.0 ** (i - 1) * diameter / gradient * np.sqrt(7 / (2 * horizon))
    prior = weights = (n + 1) / (n * i * (i + 1))
    rate = np.sqrt(8 / horizon)
    if params.form == "improved":
        rate = np.sqrt(2 / (horizon * gradient**2 * diameter**2))
    experts, out = np.zeros((len(steps), targets.shape[1], X.shape[1])), []
    for t, (x, target) in enumerate(zip(X, targets, strict=True)):
        scores = experts @ x
        played = np.einsum("k,ko->o", weights, scores)
        out.append(played)
        if params.form == "improved":
            slopes = np.broadcast_to(2 * (played - target) / p.loss_range, scores.shape)
            losses = (slopes * scores).mean(axis=1)
        else:
            slopes = 2 * (scores - target) / p.loss_range
            losses = ((scores - target) ** 2 / p.loss_range).mean(axis=1)
        weights = weights * np.exp(-rate * losses)
        weights /= weights.sum()
        experts = experts - steps[:, None, None] * slopes[:, :, None] * x
        norms = np.linalg.norm(experts, axis=2, keepdims=True)
        experts *= np.minimum(1.0, p.radius / np.maximum(norms, 1e-300))
        if (t + 1) % horizon == 0:
            experts[:] = np.einsum("k,kod->od", weights, experts)
            weights = prior
    return np.array(out)


@pytest.mark.parametrize("form", ["improved", "basic"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("horizon", [70, 200])
def test_scores_are_those_of_the_formulas(form, n_classes, horizon):
    rng = np.random.default_rng(0)
    X = within(rng.normal(size=(200, 5)), 1.0)
    y = (X @ rng.normal(size=(5, n_classes))).argmax(axis=1).astype(float)
    params = AderParams(horizon=horizon, form=form, radius=2.0, scale=False, intercept=False)
    learner = Ader(params)
    learner.state = linear.empty_state(params, 5)
    linear.grow_classes(params, learner.state, n_classes)
    classes = [1] if n_classes == 2 else range(n_classes)
    expected = reference(params, X, np.where(y[:, None] == classes, 1.0, -1.0))
    for x, label, score in zip(X[:, None], y[:, None], expected, strict=True):
        np.testing.assert_allclose(learner.scores(x)[0], score, rtol=1e-8, atol=1e-11)
        learner.predict_then_learn(x, label)


def drifting(n, turns, seed=0):
    """Return inputs of norm 1, labels u_t . x, the points u_t on the circle, and their path."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * turns * np.arange(n) / n
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    X = rng.normal(size=(n, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    path = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    return X, (points * X).sum(axis=1), path


OPTIONS = {
    "task": "regression",
    "target_bounds": (-1.0, 1.0),
    "scale": False,
    "intercept": False,
    "radius": 1.0,
    "input_bound": 1.0 + 1e-9,
}


def regret(learner, X, y):
    """Return the sum of losses; the points of the comparison have none."""
    found = np.nan_to_num(learner.predict_then_learn(X, y).chosen)
    return np.sum((found - y) ** 2) / learner.params.core.loss_range


# So many rows that standing still at 0, which costs 1/8 a row, is beyond the bound.
DRIFTS = pytest.mark.parametrize(
    ("turns", "n"), [(0, 8_000), (1, 16_000), (10, 80_000), (100, 600_000)]
)
FORMS = pytest.mark.parametrize("form", ["improved", "basic"])


def run(n, turns, form, factor=1.0):
    """Return regret and bound on a drift, of Ader with its steps multiplied by a factor."""
    X, y, path = drifting(n, turns)
    params = AderParams(horizon=n, form=form, **OPTIONS)
    learner = Ader(params)
    learner.predict_then_learn(X[:1], np.array([np.nan]))  # the grid is laid
    linear.views(params, learner.state).steps[:] *= factor
    bound = dynamic_regret_bound(n, path, 1.0, gradient_bound(params.core), form)
    return regret(learner, X, y), bound


@FORMS
@DRIFTS
def test_dynamic_regret_on_a_drifting_quadratic_is_below_its_bound(form, turns, n):
    found, bound = run(n, turns, form)
    assert found <= bound < n / 8


@FORMS
@DRIFTS
@pytest.mark.parametrize("factor", [1e-5, 1e4])  # beyond the grid, which spans a factor of 2^N
def test_steps_far_from_the_grid_break_the_bound(form, turns, n, factor):
    found, bound = run(n, turns, form, factor)
    assert found > bound


def test_it_follows_a_drift_that_ogd_with_its_falling_step_loses():
    X, y, _ = drifting(20_000, 40)
    known, guessed = AderParams(horizon=len(X), **OPTIONS), AderParams(**OPTIONS)
    static = regret(OGD(OGDParams(**OPTIONS)), X, y)
    assert regret(Ader(known), X, y) < 0.5 * static
    assert regret(Ader(guessed), X, y) < 0.5 * static


def test_a_guessed_horizon_doubles_and_goes_on_from_the_played_point():
    params = AderParams()
    learner = Ader(params)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(151, 3))
    y = (X[:, 0] > 0).astype(float)
    horizons, sizes = [], []
    for x, label in zip(X[:, None], y[:, None], strict=True):
        before = learner.scores(X[:1]) if learner.state is not None else 0.0
        learner.predict_then_learn(x, label)
        if learner.state.t == 0:
            experts = linear.views(params, learner.state).experts[0, : learner.state.n_experts]
            assert (experts == experts[0]).all()
            assert abs(learner.scores(X[:1]) - before) < 1.0  # no jump back to 0
            assert np.abs(experts[0]).max() > 0.1
            horizons.append(learner.state.horizon)
            sizes.append(learner.state.n_experts)
    assert horizons == [100, 200]
    assert sizes == [grid_size(100), grid_size(200)]


def test_weights_survive_losses_of_any_size():
    params = AderParams(horizon=400_000, **OPTIONS)
    X, y, _ = drifting(200_000, 3)
    learner = Ader(params)
    assert np.isfinite(learner.predict_then_learn(X, y).chosen[1:]).all()
    assert learner.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "words"), [({"horizon": 0}, "horizon"), ({"form": "best"}, "form")]
)
def test_errors_name_the_parameter(options, words):
    with pytest.raises(ValueError, match=words):
        AderParams(**options)
