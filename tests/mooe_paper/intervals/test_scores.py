"""Scores of paper mode and the regrets made from them, against the meter that goes row by row."""

import numpy as np
import pytest

from mooe.datasets.synthetic import moving_gaussians
from mooe.evaluate.learners import MooeLearner
from mooe.evaluate.regret import RegretMeter
from mooe.paper.core import Params
from mooe_paper.intervals import scores

STREAM = moving_gaussians(n_intervals=5, length=20, seed=4)
X, Y = STREAM.X, STREAM.y.astype(float)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("start", ["warm", "reset", "random"])
def test_regrets_are_those_of_the_meter(loss, start):
    params = Params(interval=20, max_experts=3, loss=loss, start=start)
    meter = RegretMeter(started(params))
    meter.predict_then_learn(X, Y)
    intervals = scores.intervals(params, X, Y)
    assert len(intervals) == 5
    assert len(meter.regrets) == 4  # the first interval is not whole to the meter
    for metered in meter.regrets:
        ours = intervals[int(metered["interval"])].regrets()
        assert ours == pytest.approx({name: metered[name] for name in ours}, abs=1e-9)


def started(params):
    learner = MooeLearner(params)
    learner.model.start(2)
    learner.model.grow_classes(2)
    return learner


def test_the_mixtures_regret_is_the_sum_of_its_parts():
    for interval in scores.intervals(Params(interval=20, max_experts=3), X, Y):
        regrets = interval.regrets()
        assert regrets["mixture"] == pytest.approx(regrets["meta"] + regrets["experts"])
        assert regrets["experts"] <= regrets["online"] + 1e-12
        assert regrets["mixture"] <= regrets["bound"]


def test_an_interval_that_is_not_full_has_no_regrets():
    assert len(scores.intervals(Params(interval=30), X, Y)) == 3


def test_scores_are_those_of_the_learner():
    params = Params(interval=20, max_experts=3)
    learner = started(params)
    chosen = learner.predict_then_learn(X, Y).chosen
    assert np.array_equal(scores.scores(params, X, Y) > 0, chosen == 1)


def test_experts_that_know_nothing_answer_as_the_online_expert():
    params = Params(interval=20, max_experts=5)
    alone = scores.scores(scores.online_params(params), X, Y)
    blank = scores.blank_scores(params, X, Y)
    assert np.array_equal(np.sign(blank), np.sign(alone))
    later = slice(20, None)
    assert (np.abs(blank) < np.abs(alone))[later].all()
    assert np.array_equal(blank[:20], alone[:20]), "the first interval has no offline expert"


def test_a_restarted_online_expert_knows_nothing_at_first():
    alone = scores.scores(scores.online_params(Params(interval=20), "reset"), X, Y)
    assert alone[::20].tolist() == [0.0] * 5
    assert scores.errors(alone, Y)[::20].tolist() == [0.5] * 5
