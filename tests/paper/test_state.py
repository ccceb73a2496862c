"""State: counters by name, copies, growth that is whole or not at all."""

import pickle

import numpy as np
import pytest

from mooe.numerics.scores import answers
from mooe.paper import core, kernel
from mooe.paper.core import State, grow_classes, grow_inputs, init, views
from mooe.paper.params import Params


def learnt(n=130, n_classes=2, **settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (X @ rng.normal(size=(3, n_classes))).argmax(axis=1).astype(float)
    params = Params(interval=20, **settings)
    state = init(params, 3, n_classes)
    core.predict_then_learn(params, state, X, y)
    return params, state, X


def test_counters_have_names_and_nothing_else_has():
    _, state, _ = learnt()
    assert (state.n_labelled, state.n_intervals, state.t) == (130, 6, 10)
    with pytest.raises(AttributeError):
        _ = state.n_wishes


def test_a_copy_shares_nothing():
    params, state, X = learnt()
    before, twin = state.block.copy(), state.copy()
    core.predict_then_learn(params, twin, X, np.zeros(len(X)))
    assert np.array_equal(state.block, before)
    assert state.n_labelled == 130


def test_an_unpickled_state_can_be_written_to():
    _, state, _ = learnt()
    again = pickle.loads(pickle.dumps(state))
    frozen = State.__new__(State)
    arrays = {name: getattr(state, name) for name in ("counters", "block")}
    for array in arrays.values():
        array.setflags(write=False)
    frozen.__setstate__(arrays)
    assert again.block.flags.writeable
    assert frozen.block.flags.writeable


@pytest.mark.parametrize("n_classes", [3, 5])
def test_classes_that_nobody_met_are_answered_never_and_the_others_as_before(n_classes):
    params, state, X = learnt(n=120)  # an interval has just begun: weights are the prior
    before = answers(params, core.predict(params, state, X))
    grow_classes(params, state, n_classes)
    assert state.n_outputs == n_classes
    assert np.array_equal(answers(params, core.predict(params, state, X)), before)


def test_features_that_appear_find_experts_that_do_not_know_them():
    params, state, _ = learnt()
    online, experts = views(params, state).online.copy(), views(params, state).experts.copy()
    grow_inputs(params, state, 5)
    after = views(params, state)
    assert np.array_equal(after.online[:, [0, 1, 2, 5]], online)
    assert np.array_equal(after.experts[:, [0, 1, 2, 5]], experts)
    assert not after.online[:, 3:5].any()


def test_growth_that_fails_leaves_the_state_as_it_was(monkeypatch):
    params, state, _ = learnt()
    counters, block = state.counters.copy(), state.block.copy()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel, "recharge", fail)
    with pytest.raises(KeyboardInterrupt):
        grow_classes(params, state, 4)
    assert state.counters == counters
    assert np.array_equal(state.block, block)
