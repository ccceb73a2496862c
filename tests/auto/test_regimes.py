"""What users are told: regimes by name, their visits, the experts and their weights."""

import numpy as np
import pytest

from mooe import Model
from mooe.auto import core
from mooe.auto.experts.memory import IN_CHARGE
from mooe.auto.params import AutoParams
from mooe.datasets import recurring

PARAMS = AutoParams()


@pytest.fixture(scope="module")
def watched():
    """Return the state after `recurring`, and the slot that was in charge when each row came."""
    stream = recurring()
    state = core.init(PARAMS, stream.X.shape[1], 2)
    y, found = np.asarray(stream.y, dtype=float), []
    for i in range(len(y)):
        found.append(int(core.views(PARAMS, state).experts.memory.plain.status[IN_CHARGE]))
        core.predict_then_learn(PARAMS, state, stream.X[i : i + 1], y[i : i + 1])
    return stream, state, np.array(found)


def test_recurring_has_four_regimes_and_99_of_100_rows_are_in_the_charge_of_their_own(watched):
    stream, state, found = watched
    assert [one.name for one in core.concepts(PARAMS, state)] == [1, 2, 3, 4]
    own = [np.bincount(found[(stream.concept == k) & (found >= 0)]).argmax() for k in range(4)]
    assert sorted(own) == [0, 1, 2, 3]
    assert np.mean(found == np.array(own)[stream.concept]) >= 0.99


def test_afterwards_999_of_1000_rows_lie_in_a_visit_of_their_own_regime(watched):
    stream, state, _ = watched
    named = np.zeros(len(stream.y), dtype=int)
    for concept in core.concepts(PARAMS, state):
        for first, last in concept.visits:
            named[first : last + 1] = concept.name
    own = np.array([np.bincount(named[stream.concept == k]).argmax() for k in range(4)])
    assert sorted(own) == [1, 2, 3, 4]
    assert np.mean(named == own[stream.concept]) >= 0.999


def test_visits_are_the_stretches_of_the_stream(watched):
    stream, state, _ = watched
    for concept in core.concepts(PARAMS, state):
        for first, last in concept.visits:
            if last - first < 1000:
                continue
            inside = stream.concept[first : last + 1]
            assert np.mean(inside == np.bincount(inside).argmax()) > 0.95
        assert concept.first <= concept.visits[0][0] <= concept.last == concept.visits[-1][1]
        assert concept.samples >= 40 * concept.recognised


def test_the_regime_is_the_name_of_the_concept_in_charge(watched):
    _, state, _ = watched
    (now,) = [one.name for one in core.concepts(PARAMS, state) if one.in_charge]
    model = Model(PARAMS)
    for model.state, name in ((state, now), (core.init(PARAMS, 3), None)):
        assert model.regime() == name


def test_experts_have_names_kinds_and_weights_that_sum_to_one(watched):
    _, state, _ = watched
    members = core.experts(PARAMS, state)
    assert [one.weight for one in members] == core.weights(PARAMS, state).tolist()
    assert sum(one.weight for one in members) == pytest.approx(1.0)
    assert {one.name for one in members if one.kind == "memory"} == {"memory_plain", "memory_rich"}
    names, weights = core.recalled(PARAMS, state)
    assert len(names) == 4 == len(weights) - 1
    assert sum(weights) == pytest.approx(1.0)


def test_a_part_that_is_left_out_has_no_member():
    params = AutoParams(without=("no_change", "gradient"))
    members = core.experts(params, core.init(params, 3))
    assert "no_change" not in {one.name for one in members}
    assert [one.weight for one in members] == pytest.approx([1 / 12] * 12)


def test_a_reader_tells_the_regime_in_charge_row_by_row():
    rng = np.random.default_rng(0)
    model = Model(AutoParams(interval=20))
    X = rng.normal(size=(400, 3))
    y = ((X[:, 0] > 0.0) ^ (np.arange(400) // 100 % 2 == 1)).astype(float)
    model.learn(X[:2], np.array([0.0, 1.0]))
    read, block, told = None, None, set()
    for row in range(2, 400):
        model.learn(X[row : row + 1], y[row : row + 1])
        if block is not model.state.block:
            read, block = model.engine.regime_reader(model.params, model.state), model.state.block
        expected = [concept.name for concept in model.concepts() if concept.in_charge]
        assert [read()] == (expected or [None])
        told.add(read())
    assert len(told) > 1
