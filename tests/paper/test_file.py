"""What a file holds of paper mode: all that was learnt, no scratch, no empty slots."""

import numpy as np
import pytest
from made_streams import stream

from mooe.paper import core
from mooe.paper.file import REALS, WHOLES, learnt, restored
from mooe.paper.layout import COUNTERS
from mooe.paper.params import Params

PARAMS = Params(interval=10, max_experts=5)


def taught(n=37, params=PARAMS, n_classes=3):
    rows = stream(np.random.default_rng(0), max(n, 1), 3, n_classes)
    state = core.init(params, 3)
    core.predict_then_learn(params, state, rows.X[:n], rows.y[:n])
    return state


def taken(params, state):
    return {name: getattr(state, name) for name in WHOLES}, learnt(params, state)


@pytest.mark.parametrize("n", [0, 1, 10, 37, 130])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_restored_state_goes_on_as_if_never_stopped(n, task):
    params = Params(task=task, interval=10, max_experts=5)
    n_classes = 3 if task == "classification" else 0
    state = taught(n, params, n_classes)
    other = restored(params, *taken(params, state))
    rows = stream(np.random.default_rng(1), 50, 3, n_classes)
    one, two = (core.predict_then_learn(params, each, rows.X, rows.y) for each in (state, other))
    np.testing.assert_array_equal(one, two)
    for name, array in learnt(params, state).items():
        np.testing.assert_array_equal(learnt(params, other)[name], array)


def test_only_what_is_in_use_is_kept():
    arrays = learnt(PARAMS, taught(27))
    assert arrays["rows"].shape == (7, 4)
    assert arrays["experts"].shape == (3, 4, 2)
    assert arrays["losses"].shape == (3,)


def test_every_counter_is_kept_once():
    assert sorted((*REALS, *WHOLES)) == sorted(COUNTERS.names)
    assert {name for name in COUNTERS.names if COUNTERS[name].kind == "f"} == set(REALS)
    state = taught()
    other = restored(PARAMS, *taken(PARAMS, state))
    assert other.counters.tobytes() == state.counters.tobytes()


def test_nothing_is_shared_with_the_state():
    state = taught()
    counters, arrays = taken(PARAMS, state)
    before = {name: array.copy() for name, array in arrays.items()}
    rows = stream(np.random.default_rng(1), 50, 3, 3)
    core.predict_then_learn(PARAMS, state, rows.X, rows.y)
    core.predict_then_learn(PARAMS, restored(PARAMS, counters, arrays), rows.X, rows.y)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("name", WHOLES)
@pytest.mark.parametrize("value", [-1, 0.5, 2**63, None])
def test_a_counter_that_no_stream_leads_to_is_refused(name, value):
    counters, arrays = taken(PARAMS, taught())
    restored(PARAMS, counters, arrays)  # as it is it is accepted
    with pytest.raises(ValueError, match=f"{name} must be"):
        restored(PARAMS, {**counters, name: value}, arrays)


@pytest.mark.parametrize("name", learnt(PARAMS, taught()))
def test_an_array_of_another_shape_or_type_or_without_numbers_is_refused(name):
    counters, arrays = taken(PARAMS, taught())
    wrong = [arrays[name][:-1], arrays[name].astype(np.float32)]
    if name != "reals":
        wrong.append(np.full_like(arrays[name], np.nan))
    for array in wrong:
        with pytest.raises(ValueError, match=name):
            restored(PARAMS, counters, {**arrays, name: array})
