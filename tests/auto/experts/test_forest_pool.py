"""The pool of forests: agreement with its oracle, what it is worth, the laws, room and files."""

from dataclasses import replace

import numpy as np
import pytest
from forest_reference import ForestPoolReference, ForestReference

from auto.regimes import nominal
from mooe.auto import core
from mooe.auto.experts.forest import TREES, YOUNG, most_leaves
from mooe.auto.experts.forest_pool import (
    EVERY,
    MOST_COPIES,
    N_RECENT,
    ON_TRIAL,
    OUTDONE,
    PARKED,
    RECENT,
    TRIAL,
    open_arrays,
)
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.auto.roster import ROSTER
from mooe.keyed import KeyedMOOE
from mooe.model import Model
from mooe.named_rows import NamedRows
from mooe.numerics.blocks import ANYWHERE, records
from mooe.numerics.scores import answers

ALONE = tuple(name for name in ROSTER if name not in ("forest", "leaves", "forest_pool"))
WITHOUT = ("forest_pool",)


def regimes(n, n_classes=2, n_regimes=2, length=800, seed=0, d=3):
    """Return rows whose label hangs on fields of a board; each regime has columns of its own."""
    rng = np.random.default_rng(seed)
    X, regime = rng.uniform(0, 3, (n, d)), np.arange(n) // length % n_regimes
    a, b = X[np.arange(n), regime % d], X[np.arange(n), (regime + 1) % d]
    fields = np.floor(a) + 2 * np.floor(b) + regime
    if n_classes == 0:
        return X, 3.0 * (fields % 4) + 0.1 * rng.normal(size=n)
    y = fields % n_classes
    numbers = {label: float(k) for k, label in enumerate(dict.fromkeys(y.tolist()))}
    return X, np.array([numbers[label] for label in y.tolist()])


def task_of(n_classes):
    return "classification" if n_classes else "regression"


def taught(X, y, n_classes, single=False, chunk=700, stop=lambda params, state: state, **chosen):
    """Return the state of a model that has learnt rows, and its scores."""
    params = AutoParams(task_of(n_classes), **chosen)
    state, scores = core.init(params, X.shape[1], n_classes), []
    size = 1 if single else chunk
    for i in range(0, len(X), size):
        rows = X[i : i + size], y[i : i + size]
        scores.append(core.predict_then_learn(params, state, *rows))
        if not single:
            state = stop(params, state)
    return params, state, np.concatenate(scores)


def pool_of(params, state):
    return core.views(params, state).experts.forest_pool


def bits_of(params, state):
    """Return all that has been learnt, by name, as bytes."""
    return {name: array.tobytes() for name, array in learnt(params, state).items()}


def again(params, state, forge=lambda counters, arrays: None):
    """Return the state that is read from what is written of a state, perhaps after a forgery."""
    counters, arrays = {name: int(getattr(state, name)) for name in WHOLES}, learnt(params, state)
    forge(counters, arrays)
    return restored(params, counters, arrays)


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_it_agrees_with_its_oracle_through_regimes_that_return(n_classes):
    length = 800 if n_classes else 1600
    X, y = regimes(3 * length + 300, n_classes, length=length)
    params = AutoParams(task_of(n_classes), without=ALONE, seed=4)
    state = core.init(params, 3, n_classes)
    core.predict_then_learn(params, state, X[:1], y[:1])
    order = core.views(params, state).inputs.order.astype(int)
    state = core.init(params, 3, n_classes)
    trees = ForestReference(4, 3, n_classes)
    pool = ForestPoolReference(trees)
    mean = squares = 0.0
    compared = []
    for i, (x, label) in enumerate(zip(X[:, order], y, strict=True)):
        trees.vote(x - X[0, order])
        step = label - mean
        mean += step / (i + 1)
        squares += step * (label - mean)
        target = (label - mean) / (np.sqrt(squares / (i + 1)) or 1.0)
        pool.answer(label, target)
        trees.learn(label, target, 1.0, i + 1)
        pool.follow(i + 1)
        if (i + 1) % 100 == 0 or i + 1 == len(X):
            rows = slice(i // 100 * 100, i + 1)
            core.predict_then_learn(params, state, X[rows], y[rows])
            sizes = [len(trees.leaves_of(tree)) for tree in trees.trees]
            m = core.views(params, state).experts
            assert m.forest.n_leaves.tolist() == sizes
            assert (state.until_copy, state.trial_left) == (pool.until_copy, pool.trial_left)
            assert max(0, state.copies - PARKED) == len(pool.parked)
            assert m.forest_pool.status[N_RECENT] == len(pool.recent)
            rows = m.forest_pool.parked_at[PARKED : state.copies].tolist()
            assert rows == [row for row, _ in pool.parked]
            compared.append(m.forest_pool.errors[0] - pool.errors)
    assert pool.n_returned >= 1
    assert pool.n_parked >= 1
    np.testing.assert_allclose(compared, 0.0, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_a_forest_is_there_again_when_its_regime_returns(n_classes):
    X, y = regimes(16_000, n_classes, n_regimes=3, length=2000)
    back = np.arange(len(X)) >= 6000  # all three have been there
    first = back & (np.arange(len(X)) % 2000 >= 150) & (np.arange(len(X)) % 2000 < 600)
    missed = []
    for without in (WITHOUT, ()):
        params, _, scores = taught(X, y, n_classes, without=without)
        wrong = (scores[:, 0] - y) ** 2 if n_classes == 0 else answers(params, scores) != y
        missed.append(wrong[first].mean())
    assert missed[1] < 0.75 * missed[0]


@pytest.mark.parametrize("seed", [3, 7])  # where a copy takes over for a regime of its like
def test_trees_that_come_back_for_a_regime_that_is_only_alike_start_again(seed):
    rng = np.random.default_rng(seed)
    X, regime = rng.uniform(0, 1, (15_000, 10)), np.arange(15_000) // 5000
    cuts, columns = rng.uniform(0.2, 0.8, (3, 8)), rng.integers(0, 10, (3, 8))
    heights = rng.normal(0, 3.0, (3, 8))
    parts = [((X[:, c] > t) * h).sum(1) for c, t, h in zip(columns, cuts, heights, strict=True)]
    y = np.choose(regime, parts) + rng.normal(0, 0.5, len(X))
    errors = []
    for without in (WITHOUT, ()):
        _, _, scores = taught(X, y, 0, without=without)
        errors.append(np.mean((scores[10_500:, 0] - y[10_500:]) ** 2))
    assert errors[1] < 1.05 * errors[0]


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_rows_one_by_one_in_chunks_and_after_a_restart_leave_the_same_bits(n_classes):
    X, y = regimes(5200, n_classes, n_regimes=2, length=1300)
    params, whole, scores = taught(X, y, n_classes, chunk=len(X))
    assert whole.copies > PARKED
    others = [
        taught(X, y, n_classes, single=True),
        taught(X, y, n_classes, chunk=333),
        taught(X, y, n_classes, chunk=97, stop=again),
    ]
    known = bits_of(params, whole)
    for _, other, same in others:
        assert other.counters.tobytes() == whole.counters.tobytes()
        assert bits_of(params, other) == known
        np.testing.assert_array_equal(same, scores)
    for _, other, _ in others[:2]:
        assert other.block.tobytes() == whole.block.tobytes()


def test_a_restart_in_the_middle_of_a_trial_goes_on_with_it():
    X, y = regimes(3000, 2)
    params, state, _ = taught(X[:1600], y[:1600], 2)
    i = 1600
    while state.trial_left == 0:
        core.predict_then_learn(params, state, X[i : i + 1], y[i : i + 1])
        i += 1
    core.predict_then_learn(params, state, X[i : i + 20], y[i : i + 20])
    assert 0 < state.trial_left < TRIAL
    assert pool_of(params, state).status[ON_TRIAL] >= 0
    other = again(params, state)
    for each in (state, other):
        core.predict_then_learn(params, each, X[i + 20 :], y[i + 20 :])
    assert bits_of(params, state) == bits_of(params, other)
    assert state.counters.tobytes() == other.counters.tobytes()


def test_until_the_first_copy_a_model_is_the_same_as_without():
    X, y = regimes(EVERY - 1, 2)
    _, state, scores = taught(X, y, 2)
    _, _, plain = taught(X, y, 2, without=WITHOUT)
    np.testing.assert_array_equal(scores, plain)
    assert (state.copies, state.until_copy, state.copy_room) == (0, 1, PARKED)


def test_a_model_is_read_that_was_written_before_its_first_copy():
    X, y = regimes(EVERY + 3, 2)
    params, state, _ = taught(X[: EVERY - 1], y[: EVERY - 1], 2)
    assert state.copy_room > state.copies == 0
    other = again(params, state)
    for each in (state, other):
        core.predict_then_learn(params, each, X[EVERY - 1 :], y[EVERY - 1 :])
    assert other.counters.tobytes() == state.counters.tobytes()
    assert bits_of(params, other) == bits_of(params, state)


def test_where_nothing_changes_nothing_is_parked_and_answers_are_those_without():
    X, y = regimes(12_000, 2, n_regimes=1)
    params, state, scores = taught(X, y, 2)
    _, _, plain = taught(X, y, 2, without=WITHOUT)
    np.testing.assert_array_equal(scores, plain)
    assert state.copies == PARKED
    assert pool_of(params, state).status[N_RECENT] == 2


def test_an_alarm_that_was_nothing_costs_nothing():
    X, y = regimes(6000, 2, n_regimes=1)
    y[2000:2060] = 1.0 - y[2000:2060]  # slips, of which trees begin anew
    wrong = []
    for without in (WITHOUT, ()):
        params, _, scores = taught(X, y, 2, without=(*without, "neighbours"))
        wrong.append((answers(params, scores) != y)[2060:2500].sum())
    assert wrong[1] <= wrong[0] + 2


def test_after_a_trial_in_which_nothing_is_parked_no_shell_keeps_room_for_it():
    X, y = regimes(2150, 2, n_regimes=1)
    y[2000:2003] = 1.0 - y[2000:2003]  # slips, which are no regime
    params, state, _ = taught(X, y, 2)
    rows, keyed = NamedRows(Model(params, range(3))), KeyedMOOE(params)
    most = 0
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        rows.learn(dict(enumerate(x)), label)
        most = max(most, rows.model.state.copy_room)
    keyed.learn(np.zeros(len(X), int), X, y.astype(int))
    assert most == PARKED + 1  # while there was a trial
    assert (state.copies, state.copy_room, state.trial_left) == (PARKED, PARKED, 0)
    for other in (rows.model.state, keyed.model(0).state):
        assert other.counters.tobytes() == state.counters.tobytes()
        assert other.block.tobytes() == state.block.tobytes()


def test_places_are_bounded_and_the_copy_parked_longest_ago_leaves():
    rng, n_regimes, length = np.random.default_rng(0), 12, 1200
    X = rng.uniform(-1, 1, (n_regimes * length, 4))
    angles = rng.normal(size=(n_regimes, 4))
    y = np.concatenate(
        [(part @ a > 0) for part, a in zip(X.reshape(n_regimes, length, 4), angles, strict=True)]
    )
    params, state, rooms = AutoParams(), core.init(AutoParams(), 4, 2), []
    for i in range(0, len(X), 400):
        core.predict_then_learn(params, state, X[i : i + 400], y[i : i + 400].astype(float))
        rooms.append((state.copies, state.copy_room))
        again(params, state)
    assert state.copies == state.copy_room == MOST_COPIES
    assert [copies for copies, _ in rooms] == sorted(copies for copies, _ in rooms)
    assert all(0 <= room - copies <= 1 for copies, room in rooms)
    m = pool_of(params, state)
    assert m.parked_at[PARKED:].min() > 3 * length
    assert state.block.nbytes < 8e6


@pytest.mark.parametrize("d", [1, 8, 128])
def test_however_many_classes_there_are_the_pool_has_a_bound(d):
    params, most = AutoParams(), {}
    s, c = records(params, core.init(params, d, 2).counters)
    for n_classes in range(2, 200):
        c.n_classes, c.n_outputs = n_classes, n_classes if n_classes > 2 else 1
        c.leaf_room, c.copy_room = TREES * most_leaves(s, c), MOST_COPIES
        most[n_classes] = 8 * open_arrays(s, c, ANYWHERE, 0)[1]
    assert most[2] < 2.1e6
    assert max(most.values()) < 14e6


@pytest.mark.parametrize("chosen", [WITHOUT, ("forest", "leaves")])
def test_a_pool_that_is_left_out_takes_no_room(chosen):
    X, y = regimes(2000, 2)
    params, state, _ = taught(X, y, 2, without=chosen)
    assert pool_of(params, state).errors.size == pool_of(params, state).owner.size == 0
    assert state.copies == state.copy_room == state.until_copy == 0
    again(params, state)


@pytest.mark.parametrize("before", [2, 3])
def test_late_classes_find_copies_that_never_met_them(before):
    X, y = regimes(2600, before, length=800)
    params, state, _ = taught(X, y, before)
    assert state.copies > PARKED
    votes = core.predict(params, state, X[:50])
    m = pool_of(params, state)
    n_parked, parked_at = state.copies, m.parked_at.copy()
    core.grow_classes(params, state, 5)
    m = pool_of(params, state)
    assert (state.copies, m.parked_at.tolist()) == (n_parked, parked_at.tolist())
    again(params, state)
    rows = regimes(4000, 5, length=800, seed=3)
    other = state.copy()
    core.predict_then_learn(params, state, *rows)
    for i in range(0, 4000, 9):
        core.predict_then_learn(params, other, *(part[i : i + 9] for part in rows))
    assert state.block.tobytes() == other.block.tobytes()
    assert np.isfinite(votes).all()


def test_late_columns_leave_the_copies_as_they_are_and_wide_inputs_have_none():
    X, y = regimes(2600, 2)
    params, state, _ = taught(X, y, 2)
    before = pool_of(params, state).owner.copy(), state.copies
    core.grow_inputs(params, state, 5)
    assert pool_of(params, state).owner.tobytes() == before[0].tobytes()
    X = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 2))])
    core.predict_then_learn(params, state, X, y)
    again(params, state)
    core.grow_inputs(params, state, 200)
    assert state.copies == state.copy_room == state.until_copy == 0
    again(params, state)


def test_nominal_columns_and_absent_values_come_back_too():
    rows, groups = nominal(np.random.default_rng(0), 6000, 3, (4, 6), 2, 0.2)
    X, turned = rows.X.copy(), np.arange(6000) // 1000 % 2
    y = (X[:, 3] + X[:, 4] + X[:, 8] + X[:, 9] > 0) ^ (X[:, 0] > 0) ^ (turned > 0) ^ (X[0, 0] > 0)
    y = np.where(y == y[0], 0.0, 1.0)
    X[1:, 1:3][np.random.default_rng(1).random((5999, 2)) < 0.1] = np.nan
    params = AutoParams()
    states = [core.init(params, X.shape[1], 2, groups) for _ in range(2)]
    for state, size in zip(states, (6000, 41), strict=True):
        for i in range(0, 6000, size):
            core.predict_then_learn(params, state, X[i : i + size], y[i : i + size])
    assert states[0].copies > PARKED
    assert states[0].block.tobytes() == states[1].block.tobytes()
    again(params, states[0])


@pytest.mark.parametrize("weight", [1e-6, 1e50])
def test_rows_of_any_weight_and_labels_without_a_pattern_leave_a_model_that_can_be_saved(weight):
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 0):
        X = rng.normal(size=(3000, 3)) * 1e6
        y = rng.integers(0, n_classes or 2, 3000) * (1.0 if n_classes else 1e9)
        y[: max(1, n_classes)] = np.arange(max(1, n_classes))
        params = AutoParams(task_of(n_classes))
        state = core.init(params, 3, n_classes)
        core.predict_then_learn(params, state, X, y, np.full(3000, weight))
        again(params, state)


def test_a_model_of_before_goes_on_without_and_gains_it_on_request():
    X, y = regimes(5200, 2, length=1300)
    params, state, _ = taught(X[:1300], y[:1300], 2, without=WITHOUT)
    after, gained = core.upgraded(params, state)
    assert "forest_pool" not in after.without
    assert gained.until_copy == EVERY
    np.testing.assert_array_equal(
        core.predict(params, state, X[:9]), core.predict(after, gained, X[:9])
    )
    core.predict_then_learn(after, gained, X[1300:], y[1300:])
    assert gained.copies > PARKED
    again(after, gained)
    same = core.upgraded(after, gained)[1]
    assert same.block.tobytes() == gained.block.tobytes()
    assert same.counters.tobytes() == gained.counters.tobytes()


def counter_with(name, value):
    def forge(counters, arrays):
        counters[name] = value

    return forge


def array_with(name, value, place=...):
    def forge(counters, arrays):
        arrays[f"forest_pool.{name}"][place] = value

    return forge


def whole_with(name, value, place):
    def forge(counters, arrays):
        arrays[f"forest_pool.{name}"].view(np.int32)[place] = value

    return forge


def node_that_nobody_owns(counters, arrays):
    owner = arrays["forest_pool.owner"].view(np.int32)[PARKED, :, 0]
    free = np.flatnonzero(owner == 0)[0]
    arrays["forest_pool.nodes"].view(np.int32)[PARKED, free, -1] = 1_000_000


def shortened(name):
    def forge(counters, arrays):
        arrays[f"forest_pool.{name}"] = arrays[f"forest_pool.{name}"][:-1]

    return forge


FORGERIES = {
    "more copies than are written": counter_with("copies", MOST_COPIES),
    "one copy": counter_with("copies", 1),
    "no row until the next copy": counter_with("until_copy", 0),
    "too many rows until the next copy": counter_with("until_copy", EVERY + 1),
    "a trial that is too long": counter_with("trial_left", TRIAL + 1),
    "a copy on trial without a trial": array_with("status", float(RECENT), ON_TRIAL),
    "half a recent copy": array_with("status", 0.5, N_RECENT),
    "three recent copies": array_with("status", 3.0, N_RECENT),
    "a copy of a row to come": array_with("parked_at", 1e9, PARKED),
    "less than nothing saved": array_with("saved", -1.0),
    "errors above 1": array_with("errors", 2.0),
    "numbers that are none": array_with("leaves", np.nan),
    "weights beyond all bounds": array_with("leaves", 1e30),
    "a column that is not there": whole_with("nodes", 9, np.s_[PARKED, :20, 0]),
    "a pair that is not there": whole_with("nodes", 10_000, np.s_[PARKED, 0, 2]),
    "an owner that is no tree": whole_with("owner", 21, np.s_[PARKED, 30]),
    "leaves that nobody owns": whole_with("owner", 0, np.s_[PARKED, 30]),
    "a node of a pair that nobody owns": node_that_nobody_owns,
    "errors of trees above 1": array_with("tree_errors", 2.0),
    "too few owners": shortened("owner"),
    "too few nodes": shortened("nodes"),
    "too few leaves": shortened("leaves"),
}


@pytest.fixture(scope="module")
def parked():
    """Return a model that has parked a copy."""
    X, y = regimes(2600, 2)
    params, state, _ = taught(X, y, 2)
    assert state.copies > PARKED
    assert state.trial_left == 0
    return params, state


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_pool_is_refused(parked, forge):
    with pytest.raises(ValueError, match="must"):
        again(*parked, forge)


def test_its_constants_leave_time_for_a_trial_between_two_copies():
    assert TRIAL < YOUNG < EVERY
    assert OUTDONE > 0
    params = replace(AutoParams(), without=("neighbours",))
    s, c = records(params, core.init(params, 3, 2).counters)
    assert c.until_copy == EVERY
    assert s.forest_pool
