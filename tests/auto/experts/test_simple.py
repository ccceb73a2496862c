"""Experts that look at no input: the last label again, and the usual label of late."""

import numpy as np
import pytest

from mooe.auto import core
from mooe.auto.experts.simple import OF_LATE
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS


def alone(name, task="classification"):
    return AutoParams(task, without=tuple(part for part in EXPERTS if part != name))


@pytest.mark.parametrize("d", [2, 130])
def test_the_last_label_is_said_again_and_nothing_before_the_first(d):
    params, y = alone("no_change"), np.array([1.0, 0.0, 0.0, 2.0, 1.0])
    scores = core.predict_then_learn(params, core.init(params, d, 3), np.zeros((5, d)), y)
    assert not scores[0].any()
    assert scores[1:].argmax(axis=1).tolist() == y[:-1].astype(int).tolist()
    assert set(scores[1:].ravel().tolist()) == {-1.0, 1.0}


@pytest.mark.parametrize("d", [2, 130])
def test_the_usual_label_is_the_mean_of_the_targets_where_classes_began_as_equally_likely(d):
    params = alone("usual")
    y = (np.arange(60) % 3 == 0).astype(float)
    scores = core.predict_then_learn(params, core.init(params, d, 2), np.zeros((60, d)), y)[:, 0]
    targets = 2.0 * y - 1.0
    so_far = np.cumsum(targets) / (np.arange(60) + 2.0)
    np.testing.assert_allclose(scores[1:], so_far[:-1], rtol=0, atol=1e-12)


def test_in_regression_it_is_the_mean_of_the_labels():
    params, rng = alone("usual", "regression"), np.random.default_rng(0)
    y = 100.0 + rng.normal(size=80)
    scores = core.predict_then_learn(params, core.init(params, 2), np.zeros((80, 2)), y)[:, 0]
    so_far = np.cumsum(y) / (np.arange(80) + 1.0)
    np.testing.assert_allclose(scores[1:], so_far[:-1], rtol=1e-12)


def test_what_was_usual_long_ago_is_forgotten():
    params = alone("usual")
    y = np.repeat([0.0, 1.0], 4 * OF_LATE)
    scores = core.predict_then_learn(params, core.init(params, 1, 2), np.zeros((len(y), 1)), y)
    assert scores[4 * OF_LATE, 0] < -0.99
    assert scores[5 * OF_LATE, 0] == pytest.approx(1.0 - 2.0 / np.e, abs=0.01)
    assert scores[-1, 0] > 0.85


def test_a_class_that_nobody_met_is_unusual():
    params = alone("usual")
    state = core.init(params, 1, 2)
    core.predict_then_learn(params, state, np.zeros((30, 1)), np.arange(30) % 2.0)
    before = core.predict(params, state, np.zeros((1, 1)))[0, 0]
    core.grow_classes(params, state, 4)
    after = core.predict(params, state, np.zeros((1, 1)))[0]
    np.testing.assert_array_equal(after, [-before, before, -1.0, -1.0])
