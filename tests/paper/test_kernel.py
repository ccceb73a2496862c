"""The compiled entries: one signature each, and intervals that close exactly when they are full."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_streams import paper_settings, stream, streams_for

from mooe.paper import core, kernel


@pytest.mark.parametrize("entry", ["start", "check", "recharge", "predict", "learn"])
def test_an_entry_is_compiled_for_one_signature(entry):
    assert len(getattr(kernel, entry).nopython_signatures) == 1


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (np.ones((3, 2), order="F"), TypeError),
        (np.ones((3, 2), dtype=np.float32), TypeError),
        (np.ones(2), ValueError),
    ],
    ids=["column-major", "float32", "one row"],
)
def test_other_arrays_are_refused_and_not_compiled_for(wrong, error):
    params = core.Params()
    state = core.init(params, 2)
    with pytest.raises(error):
        core.predict(params, state, wrong)
    assert len(kernel.predict.nopython_signatures) == 1


@pytest.mark.parametrize("interval", [1, 2, 7, 50])
def test_an_interval_closes_exactly_after_its_number_of_labels(interval):
    params = core.Params(interval=interval, max_experts=3)
    rows = stream(np.random.default_rng(0), n=160, n_classes=3, unlabelled=0.3, weighted=True)
    state = core.init(params, 3)
    learnt = 0
    for i in range(160):
        one = slice(i, i + 1)
        core.predict_then_learn(params, state, rows.X[one], rows.y[one], rows.weights[one])
        learnt += int(rows.learnt[i])
        assert state.n_labelled == learnt
        assert (state.n_intervals, state.t) == divmod(learnt, interval)
        assert state.n_offline == min(state.n_intervals, 2)
    assert 80 < learnt < 160


def test_a_chunk_may_close_many_intervals():
    params = core.Params(interval=3, max_experts=2)
    rows = stream(np.random.default_rng(1), n=100)
    state = core.init(params, 3)
    core.predict_then_learn(params, state, rows.X, rows.y)
    assert (state.n_intervals, state.t, state.n_offline) == (33, 1, 1)


def test_no_rows_change_nothing():
    params = core.Params()
    state = core.init(params, 3)
    block, counters = state.block.tobytes(), state.counters.tobytes()
    scores = core.predict_then_learn(params, state, np.empty((0, 3)), np.empty(0))
    assert scores.shape == (0, 1)
    assert (state.block.tobytes(), state.counters.tobytes()) == (block, counters)


def test_classes_are_met_in_the_middle_of_a_chunk():
    X = np.random.default_rng(2).normal(size=(6, 2))
    params = core.Params(interval=4)
    state = core.init(params, 2)
    scores = core.predict_then_learn(params, state, X, np.array([0.0, 0, 1, 1, 2, 3]))
    assert (scores.shape, state.n_classes, state.n_outputs) == ((6, 4), 4, 4)
    known = np.isfinite(scores)
    assert known.tolist() == [
        [False, False, False, False],  # nothing known: NaN
        [True, False, False, False],  # one class
        [True, False, False, False],
        [True, True, False, False],
        [True, True, False, False],
        [True, True, True, False],
    ]


def test_checking_reads_rows_in_order():
    X = np.zeros((3, 2))
    X[1, 1], X[2, 0] = np.inf, np.nan
    record = core.Params().settings
    assert kernel.check(record, X) == (1, 1)
    X[1, 1] = 0
    assert kernel.check(record, X) == (-1, -1)  # NaN is absent


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_compiled_code_stays_inside_the_block(data):
    params = data.draw(paper_settings(), "params")
    rows = data.draw(streams_for(params), "rows")
    n_classes = int(np.nanmax(rows.y[rows.learnt], initial=0.0)) + 1
    state = core.init(params, rows.X.shape[1], n_classes if params.task != "regression" else 0)
    guarded = np.full(len(state.block) + 128, 12345.0)
    guarded[64:-64] = state.block
    state.block = guarded[64:-64]
    core.predict_then_learn(params, state, rows.X, rows.y, rows.weights)
    core.explain(params, state, rows.X[:1])
    assert state.block.base is guarded
    assert (guarded[:64] == 12345.0).all()
    assert (guarded[-64:] == 12345.0).all()
