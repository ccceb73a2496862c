"""The simple experts: the last label again, and the usual one."""

import numpy as np
import pytest

from mooe.auto import core
from mooe.auto.params import PARTS, AutoParams
from mooe.auto.roster import EXPERTS
from mooe.numerics import scores


def alone(expert, **chosen):
    """Return parameters that leave one expert."""
    assert set(EXPERTS) <= set(PARTS)
    return AutoParams(without=tuple(name for name in EXPERTS if name != expert), **chosen)


def answers(params, y, known=None):
    state = core.init(params, 1, 3 if params.task == "classification" else 0)
    given = core.predict_then_learn(params, state, np.zeros((len(y), 1)), y, None, known)
    return scores.answers(params, given)


def test_no_change_repeats_the_last_label_that_was_known():
    y = np.array([2.0, 0.0, 1.0, np.nan, 1.0, 0.0])
    assert answers(alone("no_change"), y)[1:].tolist() == [2, 0, 1, 1, 1]
    known = np.array([np.nan, 2.0, 2.0, np.nan, 0.0, np.nan])
    assert answers(alone("no_change"), y, known)[1:].tolist() == [2, 2, 1, 0, 1]


def test_the_usual_label_is_the_most_frequent_one():
    y = np.array([1.0, 1.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0])
    assert answers(alone("usual"), y)[1:].tolist() == [1, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("n", [10, 500])
def test_of_values_it_is_the_mean(n):
    y = np.random.default_rng(0).normal(5.0, 2.0, n)
    params = alone("usual", task="regression")
    means = y.cumsum() / np.arange(1, n + 1)
    np.testing.assert_allclose(answers(params, y)[1:], means[:-1], rtol=1e-9)
