"""A regime keeps its name: on streams of known regimes, and what the memory does for it."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from auto.regimes import learn, regimes
from mooe.auto import core
from mooe.auto.experts.linear import BUSY
from mooe.auto.experts.memory import IN_CHARGE, MEAN, N_CONCEPTS, UNIT, T
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams

ROOT = Path(__file__).parents[2]
# Of the streams of benchmarks/regimes.py, those of long stretches that broke before: in six of them
# a regime had two names, and in three fewer than 93 % of the rows were named right.
SOME = (2, 18, 38, 42, 54, 66, 90, 102, 134, 186)


@pytest.fixture(scope="module")
def streams():
    """Return the module that makes and judges streams of known regimes."""
    path = ROOT / "benchmarks" / "regimes_streams.py"
    spec = importlib.util.spec_from_file_location("regimes_streams", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_97_of_100_rows_are_named_right_and_nine_of_ten_streams_have_one_name_a_regime(streams):
    found = [streams.measured(number) for number in SOME]
    assert all(streams.plan(number).long for number in SOME)
    right, rows = (sum(one[key] for one in found) for key in ("right", "rows"))
    assert right >= 0.97 * rows
    assert sum(one["ever two names"] == 0 for one in found) >= 0.9 * len(found)


def three_linear(seed):
    """Return a regression of three linear regimes, four visits each, and the regime of a row."""
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(6000, 3)), rng.normal(size=(3, 3))
    regime = np.repeat(np.tile(np.arange(3), 4), 500)
    return X, (X * weights[regime]).sum(axis=1), regime


def test_of_three_linear_regimes_in_a_regression_none_has_two_names(streams):
    for seed in range(6):
        X, y, regime = three_linear(seed)
        one = streams.Plan(0, 0, 3, 3, False, 0.0, (500, 501), 4)
        found = streams.judged(regime, np.ones(6000, dtype=bool), streams.named(one, X, y))
        assert found["two names"] == 0


def test_judging_names(streams):
    regime, names = np.repeat([0, 1, 2], 100), np.repeat([1, 2, 2], 100)
    names[:10], names[90:100], names[100:120] = 0, 3, 4
    counts = {"rows": 300, "right": 80 + 20 + 100, "unnamed": 10}
    found = streams.judged(regime, np.ones(300, dtype=bool), names)
    assert found == {**counts, "two names": 1, "two regimes": 1}
    names[90:110] = 1  # a change that is noticed late, which is no second name
    assert streams.judged(regime, regime < 2, names)["two names"] == 1
    names[110:120] = 2
    assert streams.judged(regime, regime < 2, names)["two names"] == 0


def test_a_stream_has_every_regime_five_times_and_never_twice_in_a_row(streams):
    for number in range(0, 24, 2):
        one = streams.plan(number)
        X, y, regime, returned = streams.made(one)
        begins = np.flatnonzero(np.diff(regime, prepend=-1))
        visits = np.bincount(regime[begins])
        assert len(visits) == one.n_regimes
        assert visits.max() <= 5
        assert visits.sum() >= 5 * one.n_regimes - 2
        assert np.diff(np.append(begins, len(y))).min() >= one.stretch[0]
        for k in range(one.n_regimes):
            first = begins[regime[begins] == k][0]
            assert (~returned)[first : first + one.stretch[0]].all()
        assert (X.shape[1], len(np.unique(y)) > 4) == (one.columns, one.n_classes == 0)


@pytest.mark.parametrize("seed", [0, 4])
def test_a_regime_keeps_its_number_when_columns_become_too_many_for_the_memory_that_is_seen(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(340, 3))
    y = (X[:, 0] * (X[:, 1] + 0.3) > 0.0).astype(float)
    params = AutoParams()
    state = core.init(params, 3, 2)
    core.predict_then_learn(params, state, X[:300], y[:300])
    assert state.shown, "the memory over products, which 130 columns do not have"
    assert [concept.name for concept in core.concepts(params, state)] == [1]
    core.grow_inputs(params, state, 130)
    core.predict_then_learn(params, state, np.pad(X[300:], ((0, 0), (0, 127))), y[300:])
    (regime,) = core.concepts(params, state)
    assert (regime.name, regime.first) == (1, 0)


def lanes(params, state):
    """Return the plain scorers, as they are now: a state that grows takes other arrays."""
    return core.views(params, state).experts.linear.plain


def turned(rows, first):
    """In place: from a row on every label is the other one."""
    rows.y[first:] = 1.0 - rows.y[first:]
    return rows


@pytest.mark.parametrize("row", [406, 428, 434])
def test_a_concept_learns_nothing_of_an_interval_in_which_another_regime_begins(row):
    params = AutoParams()
    rows = turned(regimes(np.random.default_rng(0), n=480, length=1000), row)
    state = core.init(params, 3, 2)
    learn(params, state, rows[:400])
    before = lanes(params, state).frozen.weights[:, :, 0].copy()
    learn(params, state, rows[400:440])
    status = core.views(params, state).experts.memory.plain.status
    assert (status[T], status[N_CONCEPTS]) == (0, 2 if row < 425 else 1)
    np.testing.assert_array_equal(lanes(params, state).frozen.weights[:, :, 0], before)
    learn(params, state, rows[440:])
    status = core.views(params, state).experts.memory.plain.status
    assert (status[N_CONCEPTS], status[IN_CHARGE]) == (2, 1)
    np.testing.assert_array_equal(lanes(params, state).frozen.weights[:, :, 0], before)


def test_what_was_held_back_is_taken_over_if_the_regime_goes_on():
    params = AutoParams()
    rows = regimes(np.random.default_rng(0), n=480, length=1000)
    rows.y[428:436] = 1.0 - rows.y[428:436]  # a few wrong labels
    state = core.init(params, 3, 2)
    learn(params, state, rows[:400])
    before = lanes(params, state).frozen.weights[:, :, 0].copy()
    learn(params, state, rows[400:440])
    np.testing.assert_array_equal(lanes(params, state).frozen.weights[:, :, 0], before)
    assert not np.array_equal(lanes(params, state).busy.weights[:, :, 0], before)
    learn(params, state, rows[440:480])
    frozen, busy = (scorers.weights[:, :, 0] for scorers in lanes(params, state))
    np.testing.assert_array_equal(frozen, busy)


def said(params, state, k, X):
    """Return the labels that concept k of the plain memory expects of standardised rows."""
    weights = core.views(params, state).experts.linear.plain.frozen.weights[0, :, k]
    return state.target_mean + state.target_unit * (X @ weights)


def test_a_concept_of_a_regression_says_the_same_labels_when_their_unit_is_another():
    params = AutoParams("regression")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    y = np.where(np.arange(1200) < 400, X[:, 0], 50.0 + 20.0 * X[:, 1])
    state = core.init(params, 3)
    core.predict_then_learn(params, state, X[:400], y[:400])
    asked = np.column_stack([rng.normal(size=(9, 3)), np.ones(9)])
    before, unit = said(params, state, 0, asked), state.target_unit
    core.predict_then_learn(params, state, X[400:], y[400:])
    memory = core.views(params, state).experts.memory.plain
    assert memory.status[IN_CHARGE] != 0
    assert state.target_unit > 10.0 * unit
    np.testing.assert_allclose(said(params, state, 0, asked), before, rtol=1e-6, atol=1e-6)


def test_a_file_of_before_units_were_kept_goes_on_with_that_of_its_next_interval():
    params = AutoParams("regression", interval=8)
    rows = regimes(np.random.default_rng(0), n=120, n_classes=0)
    state = core.init(params, 3)
    learn(params, state, rows[:60])
    arrays = learnt(params, state)
    for name in ("plain.gains", "rich.gains"):
        arrays[name][-BUSY:] = 0.0
    again = restored(params, {name: int(getattr(state, name)) for name in WHOLES}, arrays)
    assert np.isfinite(learn(params, again, rows[60:])).all()
    gains = core.views(params, again).experts.memory.plain.gains
    assert gains[len(gains) - BUSY + UNIT] > 0.0
    assert np.isfinite(gains[len(gains) - BUSY + MEAN])
