"""Probabilities are true: against the oracle, against the best sharpness in hindsight, by laws."""

import math

import numpy as np
import pytest
from auto_reference import Calibration, of_all_classes
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from auto.regimes import learn, regimes, rows_for, settings
from mooe.auto import calibration, core
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.numerics.scores import answers, probabilities

WITHOUT = AutoParams(without=("calibration",))


def both(X, y, n_classes=0, weights=None):
    """Return the scores with calibration and without it, and the state of the first."""
    given = []
    for params in (AutoParams(), WITHOUT):
        state = core.init(params, X.shape[1], n_classes)
        scores = core.predict_then_learn(params, state, X, y, weights)
        given.append((scores, state))
    return given[0][0], given[1][0], given[0][1]


def log_loss(chances, y):
    return -np.log(chances[np.arange(len(y)), y.astype(int)]).mean()


def calibration_error(chances, y, n_bins=15):
    """Return the mean distance of confidence and accuracy over equal bins of confidence."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == y
    bins = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    return np.abs(np.bincount(bins, right - sure)).sum() / len(y)


def noisy_pairs(rng, n):
    """Return rows whose label is that of products of columns, one in seven wrong."""
    X = rng.normal(size=(n, 6))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0.0
    return X, (y ^ (rng.random(n) < 0.15)).astype(float)


def many_classes(rng, n):
    X = rng.normal(size=(n, 6))
    scores = X @ rng.normal(size=(6, 12)) + rng.gumbel(size=(n, 12))
    return X, scores.argmax(axis=1).astype(float)


def easy(rng, n):
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] > X[:, 1]).astype(float)


STREAMS = {"noisy pairs": noisy_pairs, "many classes": many_classes, "easy": easy}


@pytest.mark.parametrize("name", STREAMS)
def test_probabilities_are_no_worse_than_the_best_sharpness_in_hindsight(name):
    X, y = STREAMS[name](np.random.default_rng(3), 6000)
    n_classes = int(y.max()) + 1
    scores, plain, _ = both(X, y, n_classes)
    chances = probabilities(AutoParams(), scores)
    plain = np.array([of_all_classes(row) for row in plain])
    fixed = []
    for sharpness in np.geomspace(0.1, 30.0, 40):
        raised = np.exp(sharpness * plain)
        fixed.append(log_loss(raised / raised.sum(axis=1, keepdims=True), y))
    assert log_loss(chances, y) <= 1.01 * min(fixed)
    assert calibration_error(chances, y) < 0.025
    before = probabilities(WITHOUT, plain if n_classes > 2 else plain[:, 1:])
    assert calibration_error(before, y) > calibration_error(chances, y)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_agrees_with_the_oracle(n_classes, weighted):
    rows = regimes(np.random.default_rng(1), n=600, n_classes=n_classes, noise=0.1)
    weights = np.random.default_rng(2).choice([0.5, 1.0, 3.0], 600) if weighted else np.ones(600)
    scores, plain, state = both(rows.X, rows.y, n_classes, weights)
    reference, expected = Calibration(), []
    for row, label, weight in zip(plain, rows.y, weights, strict=True):
        found = np.log(reference.probabilities(of_all_classes(row)))
        expected.append([(found[1] - found[0]) / 4] if n_classes == 2 else found / 2)
        reference.learn(of_all_classes(row), int(label), weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-7, atol=1e-9)
    kept = core.views(AutoParams(), state).calibration
    np.testing.assert_allclose(kept.shares, reference.shares, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(kept.curve, reference.curve, rtol=1e-7)
    assert kept.trust[0] == pytest.approx(reference.trust, rel=1e-6)


@hypothesis_settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_the_answer_stays_that_of_the_largest_score(data):
    params = data.draw(settings("classification"), "params")
    rows = data.draw(rows_for(params), "rows")
    plain = AutoParams(**{**vars_of(params), "without": (*params.without, "calibration")})
    one, two = (learn(each, core.init(each, rows.X.shape[1]), rows) for each in (params, plain))
    np.testing.assert_array_equal(answers(params, one), answers(plain, two))
    np.testing.assert_array_equal(np.isfinite(one), np.isfinite(two))
    order = [3, 0, 2, 1, *range(4, one.shape[1])][: one.shape[1]]
    if one.shape[1] > 3:  # whatever the order of classes, the same one wins where none is level
        known = np.isfinite(one[:, 0])
        np.testing.assert_array_equal(
            one[known][:, order].argmax(axis=1), two[known][:, order].argmax(axis=1)
        )


def vars_of(params):
    return {name: getattr(params, name) for name in ("task", "interval", "max_concepts", "seed")}


@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_one_by_one_equal_one_chunk_and_predicting_gives_what_learning_reports(n_classes):
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=150, n_classes=n_classes, noise=0.1, weighted=True)
    chunk, single = core.init(params, 3, n_classes), core.init(params, 3, n_classes)
    reported = learn(params, chunk, rows)
    for i in range(150):
        before = single.block.copy()
        said = core.predict(params, single, rows.X[i : i + 1])
        np.testing.assert_array_equal(single.block, before)
        np.testing.assert_array_equal(said, reported[i : i + 1])
        np.testing.assert_array_equal(learn(params, single, rows[i : i + 1]), said)
    for one, two in zip(
        core.views(params, chunk).calibration, core.views(params, single).calibration, strict=True
    ):
        np.testing.assert_array_equal(one, two)


def test_restarted_equals_never_stopped():
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=200, n_classes=3, noise=0.1)
    state = core.init(params, 3)
    learn(params, state, rows[:100])
    counters = {name: int(getattr(state, name)) for name in WHOLES}
    other = restored(params, counters, learnt(params, state))
    one, two = (learn(params, each, rows[100:]) for each in (state, other))
    np.testing.assert_array_equal(one, two)


def test_nothing_is_learnt_of_one_class_nor_of_the_row_that_brings_another():
    params = AutoParams()
    state = core.init(params, 2)
    fresh = [array.copy() for array in core.views(params, state).calibration[:-1]]
    X = np.random.default_rng(0).normal(size=(40, 2))
    core.predict_then_learn(params, state, X[:30], np.zeros(30))
    core.predict_then_learn(params, state, X[30:31], np.ones(1))
    for one, two in zip(fresh, core.views(params, state).calibration[:-1], strict=True):
        np.testing.assert_array_equal(one, two)
    core.predict_then_learn(params, state, X[31:], np.ones(9))
    assert (fresh[0] != core.views(params, state).calibration.shares).any()


def test_a_class_that_comes_later_finds_what_was_learnt():
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=200, n_classes=2, noise=0.1)
    state = core.init(params, 3)
    learn(params, state, rows)
    before = [array.copy() for array in core.views(params, state).calibration]
    core.grow_classes(params, state, 4)
    core.grow_inputs(params, state, 5)
    core.add_expert(params, state)
    for one, two in zip(before, core.views(params, state).calibration, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("weight", [1e-6, 1e3, 1e6])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_rows_of_any_weight_leave_true_shares_and_a_curve_that_rises(n_classes, weight):
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=200, n_classes=n_classes, noise=0.2)
    state = core.init(params, 3, n_classes)
    scores = core.predict_then_learn(params, state, rows.X, rows.y, np.full(200, weight))
    kept = core.views(params, state).calibration
    assert kept.shares.min() > 0.0
    assert kept.shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert 0.0 < kept.trust[0] < 1.0
    assert kept.curve[0] == 0.0
    assert np.diff(kept.curve).min() > 0.9 * calibration.FLATTEST
    assert np.isfinite(scores).all()


def test_there_is_no_ceiling_where_all_answers_are_right():
    X, y = easy(np.random.default_rng(0), 20_000)
    X += np.where(y[:, None] > 0, [2, -2, 0, 0, 0, 0], [-2, 2, 0, 0, 0, 0])
    scores, plain, _ = both(X, y, 2)
    assert probabilities(WITHOUT, plain)[-1000:].max() < 0.983
    assert np.median(probabilities(AutoParams(), scores)[-1000:].max(axis=1)) > 0.9995


def test_a_level_score_stays_level():
    params = AutoParams()
    state = core.init(params, 2, 3)
    scores = core.predict(params, state, np.ones((1, 2)))
    assert len(set(scores[0])) == 1
    np.testing.assert_allclose(probabilities(params, scores), 1 / 3)


FORGERIES = {
    "shares": np.zeros((4, 8)),
    "trust": np.ones(1),
    "curve": np.zeros(24),
    "slopes": np.zeros(24),
    "met": np.full(1, 9.0),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused(name):
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=60)
    state = core.init(params, 3)
    learn(params, state, rows)
    counters = {name: int(getattr(state, name)) for name in WHOLES}
    arrays = learnt(params, state)
    for forged in (FORGERIES[name], FORGERIES[name][:-1], np.full_like(FORGERIES[name], math.nan)):
        with pytest.raises(ValueError, match=name):
            restored(params, counters, {**arrays, f"calibration.{name}": forged})


def test_a_regression_has_none():
    params = AutoParams("regression")
    assert not any(name.startswith("calibration") for name in learnt(params, core.init(params, 2)))
