"""What a model file keeps: a restored state goes on as if it had never stopped; forgeries fail."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from auto.regimes import learn, regimes, rows_for, settings, widened
from mooe import modelfile
from mooe.auto import core
from mooe.auto.experts.memory import IN_CHARGE, N_CONCEPTS, T
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.model import Model


def taken(params, state):
    """Return what a file would hold of a state: counters and arrays."""
    return {name: int(getattr(state, name)) for name in WHOLES}, learnt(params, state)


def again(params, state):
    return restored(params, *taken(params, state))


@hypothesis_settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_restarted_equals_never_stopped(data):
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params), "rows")
    cut = data.draw(st.integers(0, len(rows)), "cut")
    state = core.init(params, rows.X.shape[1])
    learn(params, state, rows[:cut])
    other = again(params, state)
    one, two = (learn(params, each, rows[cut:]) for each in (state, other))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(
        core.predict(params, state, rows.X), core.predict(params, other, rows.X)
    )
    assert core.concepts(params, state) == core.concepts(params, other)
    for name, array in learnt(params, state).items():
        np.testing.assert_array_equal(learnt(params, other)[name], array)


@pytest.mark.parametrize(("before", "after"), [(3, 5), (127, 131), (140, 150)])
def test_a_state_that_has_grown_is_restored(before, after):
    params = AutoParams(interval=6)
    rows = regimes(np.random.default_rng(0), n=100, d=before)
    state = core.init(params, before)
    learn(params, state, rows)
    core.grow_inputs(params, state, after)
    core.grow_classes(params, state, 4)
    other = again(params, state)
    more = regimes(np.random.default_rng(1), n=100, d=after, n_classes=4)
    one, two = (learn(params, each, more) for each in (state, other))
    np.testing.assert_array_equal(one, two)
    assert widened(one[0], 4).shape == (4,)


def test_nothing_is_shared_with_the_state():
    params = AutoParams(interval=6)
    rows = regimes(np.random.default_rng(0), n=100)
    state = core.init(params, 3)
    learn(params, state, rows)
    counters, arrays = taken(params, state)
    copies = {name: array.copy() for name, array in arrays.items()}
    learn(params, state, rows)
    learn(params, restored(params, counters, arrays), rows)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, copies[name])


def status_with(place, value):
    def forge(counters, arrays):
        for name in ("plain.status", "rich.status"):
            arrays[name][place] = value

    return forge


def array_with(name, value):
    def forge(counters, arrays):
        arrays[name] = np.full_like(arrays[name], value)

    return forge


def counter_with(name, value):
    def forge(counters, arrays):
        counters[name] = value

    return forge


def shortened(name):
    def forge(counters, arrays):
        arrays[name] = arrays[name][:-1]

    return forge


# Each would have compiled code read or write where it must not, or go on with nonsense.
FORGERIES = {
    "an interval fuller than full": status_with(T, 6.0),
    "a row before the first": status_with(T, -1.0),
    "more concepts than room": status_with(N_CONCEPTS, 99.0),
    "a concept in charge that is not there": status_with(IN_CHARGE, 12.0),
    "nobody in charge": status_with(IN_CHARGE, -1.0),
    "half a row": status_with(T, 1.5),
    "pairs of columns that are not there": array_with("pairs", 3.0),
    "a pair before the first column": array_with("pairs", -1.0),
    "labels of classes that are not there": array_with("plain.labels", 2.0),
    "rows longer than the inputs": array_with("plain.lengths", 100.0),
    "evidence without end": array_with("plain.gains", 1e101),
    "evidence from rows to come": array_with("plain.since", 50.0),
    "sums of squares that are 0": array_with("plain.sums", 0.0),
    "weights that are no numbers": array_with("slow.weights", np.nan),
    "weights without end": array_with("plain.weights", np.inf),
    "no shares": array_with("shares", 0.0),
    "negative counts": array_with("counts", -1.0),
    "another number of outputs": counter_with("n_outputs", 7),
    "more features": counter_with("n_features", 4),
    "features without end": counter_with("n_features", 2**31 - 1),
    "wide for no reason": counter_with("narrow", 0),
    "more pairs": counter_with("n_pairs", 300),
    "a counter that is no whole number": counter_with("n_labelled", 1.5),
    "rows that were never seen": counter_with("n_seen", 7),
    "too few facts": shortened("plain.facts"),
    "too few visits": shortened("plain.visits"),
    "too short an inverse": shortened("slow.inverse"),
    "too few gains": shortened("rich.gains"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_file_is_refused(forge):
    params = AutoParams(interval=6)
    rows = regimes(np.random.default_rng(0), n=100)
    state = core.init(params, 3)
    learn(params, state, rows)
    assert 0 < core.views(params, state).experts.memory.plain.status[T] < 6
    counters, arrays = taken(params, state)
    restored(params, counters, arrays)  # as it is it is accepted
    forge(counters, arrays)
    with pytest.raises(ValueError, match="must"):
        restored(params, counters, arrays)


def test_a_file_of_more_classes_than_memory_is_refused_before_room_is_made_for_them():
    params = AutoParams()
    state = core.init(params, 1)
    learn(params, state, regimes(np.random.default_rng(0), n=50, d=1))
    counters, arrays = taken(params, state)
    counters["n_classes"] = counters["n_outputs"] = 10**8
    arrays["plain.weights"] = np.zeros((10**8, 2, 0))
    with pytest.raises(ValueError, match=r"plain\.weights must be those of 2 inputs"):
        restored(params, counters, arrays)


@pytest.mark.parametrize("name", ["dense", "plain.places"])
@pytest.mark.parametrize("value", [-1.0, 141.0, 0.5])
def test_forged_columns_of_wide_inputs_are_refused(name, value):
    params = AutoParams(interval=7)
    rows = regimes(np.random.default_rng(0), n=100, d=140, zeros=0.9)
    state = core.init(params, 140)
    learn(params, state, rows)
    counters, arrays = taken(params, state)
    assert arrays[name].size
    arrays[name][...] = value
    with pytest.raises(ValueError, match="must"):
        restored(params, counters, arrays)


@pytest.mark.parametrize(
    "without",
    [
        ("squares_fast",),
        ("squares_slow",),
        ("memory_rich", "passive_rich"),
        ("memory_rich", "passive_rich", "adagrad"),
        ("memory_plain", "passive_plain", "steady"),
    ],
)
def test_a_file_with_arrays_for_parts_that_are_left_out_loads_and_goes_on(without):
    params, whole = AutoParams(interval=6, without=without), AutoParams(interval=6)
    rows = regimes(np.random.default_rng(0), n=90, d=3)
    model, full = Model(params), Model(whole)
    for each in (model, full):
        each.learn(rows.X[:60], rows.y[:60])
    text, _ = modelfile.read_header(model.to_bytes())
    tensors, others = learnt(params, model.state), learnt(whole, full.state)
    for name, array in tensors.items():
        if array.shape == others[name].shape or name.split(".")[1:] not in OF_LANES:
            continue
        if name.split(".")[0] in OF_SQUARES:
            continue
        lanes = np.zeros((*array.shape[:2], 4))  # as all four of them had been kept
        lanes[:, :, 2 : 2 + array.shape[2]] = array
        tensors[name] = np.where(lanes == 0.0, 1.0, lanes)
    for name in others:
        if name.split(".")[0] in OF_SQUARES and tensors[name].size == 0:
            tensors[name] = others[name]
    old = modelfile._pack(json.loads(text), tensors, {})
    again = Model.from_bytes(old)
    assert len(old) > len(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(
        again.learn(rows.X[60:], rows.y[60:]), model.learn(rows.X[60:], rows.y[60:])
    )


OF_LANES, OF_SQUARES = (["weights"], ["sums"]), ("fast", "slow")
