"""The compiled entries: one signature each, inside their block; intervals close in time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from auto.regimes import learn, regimes, rows_for, settings
from mooe.auto import core, kernel
from mooe.auto.experts.memory import N_CLOSED, N_SWITCHED, T
from mooe.auto.params import AutoParams


def test_the_entry_is_compiled_for_one_signature():
    params = AutoParams()
    for d in (2, 130):
        state = core.init(params, d)
        core.predict_then_learn(params, state, np.ones((3, d)), np.array([0.0, 1.0, 2.0]))
        core.predict(params, state, np.ones((3, d)))
    assert len(kernel.learn.nopython_signatures) == 1


@pytest.mark.parametrize("interval", [2, 3, 7, 40])
def test_an_interval_closes_exactly_after_its_number_of_labels(interval):
    params = AutoParams(interval=interval, without=("early_switch",))
    rows = regimes(np.random.default_rng(0), n=160, n_classes=3, unlabelled=0.3, weighted=True)
    learnt = ~np.isnan(rows.y) & (rows.weights > 0)
    state = core.init(params, 3)
    for i in range(160):
        learn(params, state, rows[i : i + 1])
        assert state.n_labelled == learnt[: i + 1].sum()
        block = core.views(params, state)
        for memory in (block.experts.memory.plain, block.experts.memory.rich):
            closed, t = divmod(state.n_labelled, interval)
            assert (memory.status[N_CLOSED], memory.status[T]) == (closed, t)
    assert 60 < state.n_labelled < 160


@pytest.mark.parametrize("d", [2, 130])
def test_a_chunk_may_close_many_intervals(d):
    params = AutoParams(interval=3, without=("early_switch",))
    rows = regimes(np.random.default_rng(1), n=100, d=d)
    state = core.init(params, d)
    learn(params, state, rows)
    memory = core.views(params, state).experts.memory.plain
    assert (memory.status[N_CLOSED], memory.status[T]) == (33, 1)
    assert memory.status[N_SWITCHED] == 0


def test_classes_are_met_in_the_middle_of_a_chunk():
    X = np.random.default_rng(2).normal(size=(6, 2))
    params = AutoParams(interval=4)
    state = core.init(params, 2)
    scores = core.predict_then_learn(params, state, X, np.array([0.0, 0, 1, 1, 2, 3]))
    assert (scores.shape, state.n_classes, state.n_outputs) == ((6, 4), 4, 4)
    assert np.isfinite(scores).tolist() == [
        [False, False, False, False],  # nothing known: NaN
        [True, False, False, False],  # one class
        [True, False, False, False],
        [True, True, False, False],
        [True, True, False, False],
        [True, True, True, False],
    ]


@hypothesis_settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_compiled_code_stays_inside_the_block(data):
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params), "rows")
    n_classes = max(2, int(np.nanmax(rows.y, initial=0.0)) + 1)
    state = core.init(params, rows.X.shape[1], 0 if params.task == "regression" else n_classes)
    core.make_room(params, state, len(rows))
    guarded = np.full(len(state.block) + 128, 12345.0)
    guarded[64:-64] = state.block
    state.block = guarded[64:-64]
    before = guarded.copy()
    learn(params, state, rows)
    assert np.isnan(rows.y).all() or not np.array_equal(guarded, before) or not rows.weights.any()
    core.explain(params, state, rows.X[:1])
    assert (guarded[:64] == 12345.0).all()
    assert (guarded[-64:] == 12345.0).all()
