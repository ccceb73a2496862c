"""Regrets, per interval."""

import numpy as np
import pytest
from reference import Reference

from mooe.evaluate.learners import MooeLearner
from mooe.evaluate.regret import RegretMeter
from mooe.paper.core import Params

SETTINGS = {
    "squared": {"interval": 20, "max_experts": 4, "radius": 1.0},
    "small ball": {"interval": 25, "max_experts": 3, "radius": 0.2},
    "logistic": {"interval": 20, "max_experts": 4, "loss": "logistic", "radius": 2.0},
    "regression": {"interval": 20, "max_experts": 4, "task": "regression"},
}


def stream(n=150, task="classification", c=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = X @ rng.normal(size=(3, c)) + 0.2 * rng.normal(size=(n, c))
    if task == "regression":
        return X, np.clip(scores[:, 0], -2, 2)
    labels = scores.argmax(axis=1)
    order = list(dict.fromkeys(labels.tolist()))
    return X, np.array([order.index(one) for one in labels], dtype=float)


def metered(c=2, **settings):
    X, y = stream(task=settings.get("task", "classification"), c=c)
    if settings.get("task") == "regression":
        settings["target_bounds"] = (-2.0, 2.0)
    meter = RegretMeter(MooeLearner(Params(**settings)))
    answers = meter.predict_then_learn(X, y)
    return X, y, meter, answers


@pytest.mark.parametrize("name", SETTINGS)
def test_regrets_are_those_of_the_reference(name):
    X, y, meter, _ = metered(**SETTINGS[name])
    settings = dict(SETTINGS[name])
    if settings.get("task") == "regression":
        settings["target_bounds"] = (-2.0, 2.0)
    slow, sums, found = Reference(n_features=3, **settings), [], {}
    for x, label in zip(X, y, strict=True):
        inputs = slow._see(x)[0]
        everyone = [slow.mixture, *slow.experts, slow.online]
        before = slow.n_intervals
        targets = slow._targets(label)
        sums.append([slow._loss(w, inputs, targets) for w in everyone])
        slow.learn(x, label)
        if slow.n_intervals > before:
            total = np.sum(sums, axis=0)
            found[before], sums = (total[0] - total[1:].min(), total[0] - total[-1]), []
    assert len(meter.regrets) >= 4
    for one in meter.regrets:
        meta, gap = found[one["interval"]]
        assert one["meta"] == pytest.approx(meta, abs=1e-10)
        assert one["mixture"] - one["online"] == pytest.approx(gap, abs=1e-10)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_four_regrets_add_up_and_stay_below_the_bound(name):
    _, _, meter, _ = metered(**SETTINGS[name])
    assert len(meter.regrets) >= 4
    for one in meter.regrets:
        assert one["mixture"] == pytest.approx(one["meta"] + one["experts"], abs=1e-9)
        assert one["experts"] <= one["online"] + 1e-12
        assert one["mixture"] <= one["bound"]


@pytest.mark.parametrize("name", SETTINGS)
def test_the_meter_answers_as_the_learner_does(name):
    X, y, meter, answers = metered(**SETTINGS[name])
    plain = MooeLearner(meter.params).predict_then_learn(X, y)
    assert np.array_equal(answers.chosen, plain.chosen, equal_nan=True)


def test_a_column_that_appears_is_unknown_to_the_experts_that_answer_it():
    X, y = stream(c=2)
    params = Params(interval=10)
    late = np.where(np.arange(len(X)) < 25, np.nan, X[:, 2])
    whole = RegretMeter(MooeLearner(params))
    whole.predict_then_learn(np.column_stack([X[:, :2], late]), y)
    grown = RegretMeter(MooeLearner(params))
    grown.predict_then_learn(X[:25, :2], y[:25])
    grown.predict_then_learn(X[25:], y[25:])
    for there, added in zip(whole.regrets, grown.regrets, strict=True):
        assert added == pytest.approx(there, abs=1e-9)


def test_an_interval_in_which_a_class_appears_has_no_regrets():
    X, y = stream(c=4)
    meter = RegretMeter(MooeLearner(Params(interval=10)))
    y = np.where((y == 3) & (np.arange(150) < 42), 0, y)
    meter.predict_then_learn(X, y)
    intervals = [one["interval"] for one in meter.regrets]
    first = int(np.flatnonzero(y == 3)[0]) // 10
    assert first not in intervals
    assert len(intervals) >= 10
