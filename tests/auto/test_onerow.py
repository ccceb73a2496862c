"""Samples one by one, as dicts: the same bits as from an array."""

import math

import numpy as np
import pytest

from auto.regimes import regimes
from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.named_rows import NamedRows
from mooe.numerics.scores import answers

KINDS = {"regression": 0, "two classes": 2, "four classes": 4}


def sample(row):
    """Return a row as a dict, without what is absent."""
    return {j: value for j, value in enumerate(row.tolist()) if value == value}


def empty(kind, d):
    params = AutoParams("classification" if KINDS[kind] else "regression", interval=7)
    return NamedRows(Model(params, range(d)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("absent", [0.0, 0.3])
def test_dicts_one_by_one_teach_the_same_model_as_an_array(kind, absent):
    data = regimes(
        np.random.default_rng(1), n=150, d=4, n_classes=KINDS[kind], absent=absent, weighted=True
    )
    rows, array = empty(kind, 4), empty(kind, 4)
    scores = core.predict_then_learn(array.params, array.model.state, data.X, data.y, data.weights)
    compared = 0
    for i, (x, y, w) in enumerate(zip(data.X, data.y, data.weights, strict=True)):
        number, given = rows.answer(sample(x)), rows.scores.copy()
        if len(given) == scores.shape[1]:
            compared += 1
            np.testing.assert_array_equal(given, scores[i])
        if KINDS[kind] and i > 50:
            assert number == answers(rows.params, given[None])[0]
        assert rows.learn(sample(x), y, w) == (w > 0)
    assert compared > 100
    assert rows.model.state.block.tobytes() == array.model.state.block.tobytes()
    assert rows.model.state.counters.tobytes() == array.model.state.counters.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_labels_may_come_to_rows_that_were_not_the_last_answered(kind):
    data = regimes(np.random.default_rng(2), n=150, d=4, n_classes=KINDS[kind])
    rows, array = empty(kind, 4), empty(kind, 4)
    core.predict_then_learn(array.params, array.model.state, data.X, data.y)
    for i, (x, y) in enumerate(zip(data.X, data.y, strict=True)):
        for asked in [(), (i,), (i, i - 1), (i - 1, i, i), (i - 1,)][i % 5]:
            rows.answer(sample(data.X[asked]))
        rows.learn(sample(x), y)
    assert rows.model.state.block.tobytes() == array.model.state.block.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_changes_nothing_and_what_is_no_number_is_refused(kind):
    rows = empty(kind, 3)
    data = regimes(np.random.default_rng(0), n=60, n_classes=KINDS[kind])
    for x, y in zip(data.X, data.y, strict=True):
        rows.learn(sample(x), y)
    before = rows.model.state.block.tobytes()
    for x in ({0: 1.0}, {}, {0: 1.0, 1: 2.0, 2: 3.0}, {"unknown": 1.0}):
        rows.answer(x)
    for value in (1e101, math.inf, -math.inf):
        with pytest.raises(ValueError, match="feature"):
            rows.answer({0: value})
    assert rows.model.state.block.tobytes() == before
