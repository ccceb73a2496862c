"""Learners: one method, whatever is inside."""

import numpy as np
import pytest

from mooe import PaperMOOEClassifier
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.evaluate.learners import (
    Majority,
    MooeLearner,
    NoChange,
)
from mooe.evaluate.loop import Entrant, Pass
from mooe.evaluate.schedule import Schedule
from mooe.paper.core import Params

NONE = np.nan
ONLY_NO_CHANGE = tuple(name for name in EXPERTS if name != "no_change")


def stream(n=120, c=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X @ rng.normal(size=(4, c))).argmax(axis=1)
    first = list(dict.fromkeys(y.tolist()))
    return X, np.array([first.index(label) for label in y], dtype=float)


def test_no_change_repeats_the_last_label_it_was_told():
    model = NoChange()
    found = model.predict_then_learn(np.zeros((5, 1)), np.array([2, NONE, 0, NONE, 1.0]))
    assert found.chosen.tolist() == [-1, 2, 2, 0, 0]
    assert model.predict_then_learn(np.zeros((1, 1)), np.array([NONE])).chosen.tolist() == [1]


def test_majority_names_the_most_frequent_it_was_told():
    model = Majority()
    found = model.predict_then_learn(np.zeros((6, 1)), np.array([1, NONE, 0, 0, NONE, 0.0]))
    assert found.chosen.tolist() == [-1, 1, 1, 0, 0, 0]


def test_in_regression_they_give_values():
    labels = np.array([2.0, NONE, 4.0, NONE])
    last = NoChange("regression").predict_then_learn(np.zeros((4, 1)), labels).chosen
    mean = Majority("regression").predict_then_learn(np.zeros((4, 1)), labels).chosen
    assert np.array_equal(last, [NONE, 2.0, 2.0, 4.0], equal_nan=True)
    assert np.array_equal(mean, [NONE, 2.0, 2.0, 3.0], equal_nan=True)


LEARNERS = {
    "auto": lambda: MooeLearner(AutoParams(interval=10)),
    "paper": lambda: MooeLearner(Params(interval=10)),
    "no-change": NoChange,
    "majority": Majority,
}


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_one_by_one_are_answered_as_in_one_chunk(name):
    X, y = stream()
    y[::5] = np.nan
    whole, single = LEARNERS[name](), LEARNERS[name]()
    answers = whole.predict_then_learn(X, y).chosen
    ones = [single.predict_then_learn(X[i : i + 1], y[i : i + 1]).chosen[0] for i in range(len(X))]
    assert answers.tolist() == ones


def test_mooe_is_the_estimator_row_by_row():
    X, y = stream()
    answers = MooeLearner(Params()).predict_then_learn(X, y)
    model = PaperMOOEClassifier()
    for i in range(len(X)):
        if i:
            assert answers.chosen[i] == model.predict(X[i : i + 1])[0]
        model.partial_fit(X[i : i + 1], y[i : i + 1].astype(int))


def test_features_may_be_added_at_the_end():
    X, y = stream()
    model = MooeLearner(Params())
    model.predict_then_learn(X[:60, :3], y[:60])
    assert len(model.predict_then_learn(X[60:], y[60:]).chosen) == 60
    assert model.state.n_features == 4


def test_the_last_label_is_what_an_expert_may_repeat():
    X, y = stream()
    assert MooeLearner(Params()).last_label is None
    model = MooeLearner(AutoParams())
    assert model.last_label == -np.inf
    model.predict_then_learn(X[:5], np.full(5, NONE))
    assert model.last_label == -np.inf
    model.predict_then_learn(X, y)
    assert model.last_label == y[-1]


def test_a_learner_may_be_told_what_was_known_at_the_answer():
    X, y = stream()
    told, silent, none = (MooeLearner(AutoParams(without=ONLY_NO_CHANGE)) for _ in range(3))
    for model in (told, silent, none):
        model.predict_then_learn(X, y)
    known = np.array([0.0, 1.0, 2.0])
    assert told.predict_then_learn(X[:3], np.full(3, NONE), known).chosen.tolist() == [0, 1, 2]
    assert silent.predict_then_learn(X[:3], np.full(3, NONE)).chosen.tolist() == [y[-1]] * 3
    unknown = none.predict_then_learn(X[:3], np.full(3, NONE), np.full(3, -np.inf))
    np.testing.assert_array_equal(unknown.probabilities, np.full((3, 3), 1 / 3))


def test_memory_names_intervals_and_weights():
    X, y = stream()
    model = MooeLearner(Params(interval=20, max_experts=4))
    assert model.memory() == ([], [1.0])
    model.predict_then_learn(X, y)
    intervals, weights = model.memory()
    assert len(intervals) == 3
    assert sum(weights) == pytest.approx(1.0)


def test_what_remembers_can_be_looked_at_and_the_others_cannot():
    def remembered(learner):
        entrant = Entrant("", learner, watch=True)
        return Pass([entrant], "made", "classification", Schedule()).results[0].remembers

    assert remembered(MooeLearner(AutoParams())) == "regimes"
    assert remembered(MooeLearner(Params())) == "intervals"
    for learner in (NoChange(), Majority()):
        assert remembered(learner) == ""


def test_the_mean_is_the_same_to_the_bit_however_rows_are_cut():
    y = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(500).clip(0, 9)
    X = np.zeros((500, 1))
    whole = Majority("regression").predict_then_learn(X, y).chosen
    cut, parts = Majority("regression"), []
    for at in (0, 1, 2, 4, 8, 300):
        stop = {0: 1, 1: 2, 2: 4, 4: 8, 8: 300, 300: 500}[at]
        parts.append(cut.predict_then_learn(X[at:stop], y[at:stop]).chosen)
    assert np.array_equal(np.concatenate(parts), whole, equal_nan=True)
