"""OGD: its steps one by one, its constants, its regret."""

import numpy as np
import pytest
from hindsight import best_losses
from made_streams import within
from reference import loss_value

from mooe.baselines import linear
from mooe.baselines.ogd import OGD, OGDParams, gradient_bound, regret_bound
from mooe.paper.params import Params


def slope(loss, score, target):
    if loss == "squared":
        return 2 * (score - target)
    return -target / (1 + np.exp(target * score))


def reference(params, X, y, classes):
    """Return the scores of OGD by the formula, row by row."""
    p = params.core
    w, t, out = np.zeros((len(classes), X.shape[1])), 0, []
    for x, label in zip(X, y, strict=True):
        out.append(w @ x)
        t += 1
        rate = 2 * p.radius / (gradient_bound(p) * np.sqrt(t))
        if p.online_rate is not None:
            rate = p.online_rate
        for o, number in enumerate(classes):
            target = 1.0 if label == number else -1.0
            w[o] = w[o] - rate * slope(p.loss, out[-1][o], target) / p.loss_range * x
            w[o] *= min(1.0, p.radius / max(np.linalg.norm(w[o]), 1e-300))
        if params.restart and t == p.interval:
            w, t = np.zeros_like(w), 0
    return np.array(out)


def rows(n=200, d=5, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = within(rng.normal(size=(n, d)), 1.0)
    y = (X @ rng.normal(size=(d, n_classes))).argmax(axis=1)
    y[:n_classes] = range(n_classes)
    return X, y.astype(float)


@pytest.mark.parametrize("options", [{}, {"restart": True, "interval": 30}, {"online_rate": 0.3}])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_those_of_the_formula(options, loss, n_classes):
    X, y = rows(n_classes=n_classes)
    params = OGDParams(loss=loss, radius=2.0, scale=False, intercept=False, **options)
    learner = OGD(params)
    learner.state = linear.empty_state(params, X.shape[1])
    linear.grow_classes(params, learner.state, n_classes)
    expected = reference(params, X, y, [1] if n_classes == 2 else range(n_classes))
    for x, label, score in zip(X[:, None], y[:, None], expected, strict=True):
        np.testing.assert_allclose(learner.scores(x)[0], score, rtol=1e-9, atol=1e-12)
        learner.predict_then_learn(x, label)


def test_one_step_by_hand():
    params = OGDParams(scale=False, intercept=False)  # R = D = 1: range 4, gradient bound 1
    learner = OGD(params)
    learner.predict_then_learn(np.array([[0.6, 0.0]]), np.array([0.0]))
    # slope 2 (0 + 1) / 4, step 2 / (1 sqrt(1)): w = -2 * .5 * .6
    found = linear.views(params, learner.state).experts[0, 0]
    np.testing.assert_allclose(found, [-0.6, 0.0], rtol=1e-15)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize(("radius", "bound"), [(1.0, 1.0), (5.0, 0.3), (0.2, 3.0)])
def test_no_gradient_is_longer_than_the_bound_and_one_is_as_long(loss, radius, bound):
    p = Params(loss=loss, radius=radius, input_bound=bound)
    scores = np.linspace(-radius * p.reach, radius * p.reach, 1001)
    longest = np.abs(slope(loss, scores, 1.0)).max() * p.reach / p.loss_range
    assert gradient_bound(p) == pytest.approx(longest, rel=1e-12)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("seed", range(3))
def test_static_regret_is_below_its_bound(loss, seed):
    X, y = rows(n=400, seed=seed)
    params = OGDParams(loss=loss, radius=3.0, scale=False, intercept=False)
    p, learner = params.core, OGD(params)
    scores = np.zeros(len(X))
    for t, x in enumerate(X[:, None]):
        if t > 1:
            scores[t] = learner.scores(x)[0, 0]
            if t % 2:
                y[t] = float(scores[t] <= 0)  # every other label is the one that was not answered
        learner.predict_then_learn(x, y[t : t + 1])
    targets = np.where(y == 1, 1.0, -1.0)[:, None]
    losses = loss_value(loss, scores[:, None], targets)[:, 0] / p.loss_range
    regret = losses.sum() - best_losses(p, X, targets)[-1]
    assert 0 < regret <= regret_bound(len(X), p.radius, gradient_bound(p))


def test_values_come_in_the_unit_of_the_labels_and_bounds_freeze_after_an_interval():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = 100.0 + 10.0 * np.tanh(X[:, 0])
    learner = OGD(OGDParams(task="regression", interval=40, radius=3.0))
    found = learner.predict_then_learn(X, y).chosen
    assert np.isnan(found[0])
    assert np.mean((found[300:] - y[300:]) ** 2) < 0.5 * y.var()
    assert (learner.state.low, learner.state.high) == (y[:40].min(), y[:40].max())
    assert learner.state.n_clipped == np.sum((y[40:] < y[:40].min()) | (y[40:] > y[:40].max()))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"restart": 2}, "restart"), ({"radius": 0.0}, "radius"), ({"interval": 0}, "interval")],
)
def test_errors_name_the_parameter(options, words):
    with pytest.raises(ValueError, match=words):
        OGDParams(**options)
