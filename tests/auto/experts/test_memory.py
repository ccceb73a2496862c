"""The concept memory: what returns is recognised, what is new is made, what is alike is merged."""

import numpy as np
import pytest

from auto.regimes import learn, overlapping, regimes
from mooe.auto import core
from mooe.auto.experts.memory import (
    BORN,
    COMPARED,
    IN_CHARGE,
    N_CLOSED,
    N_CONCEPTS,
    N_MADE,
    N_SWITCHED,
    N_VISITS,
    NAME,
    RECOGNISED,
    SAMPLES,
    VISITS,
    T,
    add_visit,
)
from mooe.auto.params import AutoParams
from mooe.datasets import recurring

PARAMS = AutoParams()


def in_charge(params, X, y, step=1):
    """Return the concept in charge of the plain memory after every `step` rows, and the state."""
    state = core.init(params, X.shape[1], 2)
    found = []
    for i in range(0, len(X), step):
        core.predict_then_learn(params, state, X[i : i + step], y[i : i + step])
        found.append(int(core.views(params, state).experts.memory.plain.status[IN_CHARGE]))
    return np.array(found), state


@pytest.mark.parametrize("seed", range(3))
def test_a_concept_is_in_charge_again_within_50_rows_of_its_return(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (15000, 5))
    directions = rng.normal(size=(2, 5))
    which = np.arange(15000) // 5000 % 2  # A B A
    y = (np.sum(X * directions[which], axis=1) > 0).astype(float)
    wrong = rng.random(15000) < 0.05
    y[wrong] = 1.0 - y[wrong]
    found, state = in_charge(PARAMS, X, y, step=10)
    a, b = found[499], found[999]
    assert a != b
    assert (found[1004:] == a).all()
    assert core.views(PARAMS, state).experts.memory.plain.status[N_MADE] <= 3


def test_the_concepts_of_recurring_are_named_and_each_row_finds_its_own():
    stream, step = recurring(), 10
    found, state = in_charge(PARAMS, stream.X, np.asarray(stream.y, dtype=float), step)
    assert [concept.name for concept in core.concepts(PARAMS, state)] == [1, 2, 3, 4]
    truth = stream.concept[step - 1 :: step]
    table = np.zeros((4, found.max() + 1))
    np.add.at(table, (truth, found), found >= 0)
    own = table.argmax(axis=1)
    assert sorted(own) == [0, 1, 2, 3]
    assert np.mean(found == own[truth]) > 0.985  # after the first 40 rows of each first visit


def test_the_first_interval_makes_the_first_concept():
    params = AutoParams(interval=7)
    rows = regimes(np.random.default_rng(0), n=30)
    found, state = in_charge(params, rows.X, rows.y)
    assert (found[:6] == -1).all()
    assert (found[6:13] == 0).all()
    memory = core.views(params, state).experts.memory.plain
    assert memory.facts[BORN, 0] == 0


def test_samples_and_recognitions_are_those_of_the_intervals_closed():
    params = AutoParams(interval=6, max_concepts=50, without=("merge",))
    rows = regimes(np.random.default_rng(1), n=400, length=30, noise=0.1)
    _, state = in_charge(params, rows.X, rows.y)
    block = core.views(params, state)
    for memory in (block.experts.memory.plain, block.experts.memory.rich):
        assert memory.status[N_CONCEPTS] == memory.status[N_MADE] > 1
        assert memory.facts[RECOGNISED].sum() == memory.status[N_CLOSED]
        assert memory.facts[SAMPLES].sum() == 6 * memory.status[N_CLOSED]
        # Rows that an early switch dropped are in no interval.
        dropped = state.n_labelled - 6 * memory.status[N_CLOSED] - memory.status[T]
        assert dropped == 0 or (dropped > 0 and memory.status[N_SWITCHED] > 0)
        named = memory.facts[NAME] > 0
        np.testing.assert_array_equal(named, memory.facts[RECOGNISED] >= 3)


def test_names_are_given_in_order_and_never_again():
    params = AutoParams(interval=3, max_concepts=2)
    rows = regimes(np.random.default_rng(0), n=600, n_classes=3, length=20, noise=0.2)
    state = core.init(params, 3, 3)
    names, gone = set(), set()
    for i in range(len(rows)):
        learn(params, state, rows[i : i + 1])
        memory = core.views(params, state).experts.memory.plain
        now = {int(name) for name in memory.facts[NAME, :2] if name > 0}
        assert all(name == max(names | gone, default=0) + 1 for name in now - names)
        gone |= names - now
        names = now
    assert len(gone) > 2


def test_a_concept_takes_over_early_and_not_only_at_the_end_of_an_interval():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    y = ((X[:, 0] > 0) ^ (np.arange(1200) // 200 % 2 == 1)).astype(float)
    found, state = in_charge(AutoParams(interval=40), X, y)
    waiting, _ = in_charge(AutoParams(interval=40, without=("early_switch",)), X, y)
    assert core.views(PARAMS, state).experts.memory.plain.status[N_SWITCHED] >= 4
    for first in (400, 600, 800, 1000):
        own = found[first + 199]
        assert found[first - 1] != own
        assert (
            found[first + 8 : first + 199] == own
        ).all()  # a loss of about 1 a row: four suffice
    assert waiting[400 + 8] == waiting[399]


def test_concepts_that_do_equally_well_become_one():
    rows = overlapping(np.random.default_rng(0))
    counts = {}
    for without in ((), ("merge",)):
        params = AutoParams(interval=3, max_concepts=8, without=without)
        _, state = in_charge(params, rows.X, rows.y)
        memory = core.views(params, state).experts.memory.plain
        counts[without] = int(memory.status[N_CONCEPTS]), int(memory.facts[SAMPLES].sum())
    assert counts[()][0] == counts[("merge",)][0] - 1
    assert counts[()][1] == counts[("merge",)][1]  # what was known of it is kept


def test_a_concept_that_becomes_part_of_another_brings_its_visits():
    rows = overlapping(np.random.default_rng(0))
    covered = {}
    for without in ((), ("merge",)):
        params = AutoParams(interval=3, max_concepts=8, without=without)
        _, state = in_charge(params, rows.X, rows.y)
        memory = core.views(params, state).experts.memory.plain
        covered[without] = set()
        for k in range(int(memory.status[N_CONCEPTS])):
            starts = []
            for visit in range(int(memory.facts[N_VISITS, k])):
                first, last = memory.visits[k, visit].astype(int)
                starts.append(first)
                covered[without] |= set(range(first, last + 1))
            assert starts == sorted(starts)
    assert covered[()] == covered[("merge",)] == set(range(len(rows.y) // 3 * 3))


def test_of_too_many_visits_the_latest_are_kept_in_their_order():
    params = AutoParams()
    memory = core.views(params, core.init(params, 2, 2)).experts.memory.plain
    for first in (*range(0, 200, 10), 105, -5, 199, 3):
        add_visit.py_func(memory, 1, float(first), first + 5.0)
    n = int(memory.facts[N_VISITS, 1])
    starts = [int(memory.visits[1, (n - VISITS + i) % VISITS, 0]) for i in range(VISITS)]
    assert starts == sorted([*range(60, 200, 10), 105, 199])


def test_comparisons_with_one_concept_do_not_count_for_another():
    params = AutoParams(interval=10, max_concepts=8)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = ((X[:, 0] > 0) ^ (np.arange(1000) // 70 % 2 == 1)).astype(float)
    state = core.init(params, 2, 2)
    switched = most = 0
    for i in range(1000):
        core.predict_then_learn(params, state, X[i : i + 1], y[i : i + 1])
        memory = core.views(params, state).experts.memory.plain
        compared = memory.facts[COMPARED, : int(memory.status[N_CONCEPTS])]
        if memory.status[N_SWITCHED] > switched and memory.status[T] > 0:
            assert not compared.any()
        switched, most = memory.status[N_SWITCHED], max(most, compared.max(initial=0.0))
    assert switched > 8
    assert most >= 3  # otherwise there was nothing to forget


@pytest.mark.parametrize("max_concepts", [1, 2, 4])
def test_the_least_recently_recognised_concept_leaves(max_concepts):
    params = AutoParams(interval=4, max_concepts=max_concepts, without=("merge",))
    rows = regimes(np.random.default_rng(0), n=400, n_classes=3, length=15, noise=0.2)
    state = core.init(params, 3, 3)
    made, last = 0, {}
    for i in range(len(rows)):
        before = dict(last)
        learn(params, state, rows[i : i + 1])
        memory = core.views(params, state).experts.memory.plain
        cur = int(memory.status[IN_CHARGE])
        if memory.status[N_MADE] > max_concepts and memory.status[N_MADE] > made:
            assert cur == min(before, key=before.get)
        made = memory.status[N_MADE]
        last = {k: memory.facts[1, k] for k in range(int(memory.status[N_CONCEPTS]))}
    assert made > 2 * max_concepts


def test_a_regime_that_never_returns_costs_nothing_but_its_slot():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    w = rng.normal(size=4)
    y = (X @ w > 0).astype(float)
    once = y.copy()
    once[1000:1200] = rng.integers(0, 2, 200)
    right = []
    for labels in (y, once):
        scores = core.predict_then_learn(PARAMS, core.init(PARAMS, 4, 2), X, labels)[:, 0]
        right.append(np.mean((scores > 0)[2000:] == y[2000:]))
    assert right[1] > right[0] - 0.002


def check_outcomes(params, state):
    """The labels of a concept are as many as its samples, each of one class."""
    for kept in core.views(params, state).experts.memory:
        k = int(kept.status[N_CONCEPTS])
        assert kept.outcomes[0, :k].tolist() == kept.facts[SAMPLES, :k].tolist()
        assert not kept.outcomes[:, k:].any()
        counted = kept.outcomes[1:].sum(axis=0)
        assert (counted <= kept.outcomes[0]).all()
        assert state.n_outputs == 1 or counted.tolist() == kept.outcomes[0].tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_counted_with_the_samples_of_their_concept(n_classes):
    """Where concepts are forgotten, and a class comes late."""
    stream, params = recurring(8000, length=500), AutoParams(max_concepts=3)
    y = np.asarray(stream.y, dtype=float)
    if n_classes == 3:
        y[4000:][stream.X[4000:, 0] > 0.5] = 2.0
    state = core.init(params, stream.X.shape[1], 2)
    for first in range(0, len(y), 400):
        core.predict_then_learn(params, state, stream.X[first:][:400], y[first:][:400])
        check_outcomes(params, state)
    kept = core.views(params, state).experts.memory.plain
    assert kept.status[N_MADE] > 3
    assert kept.outcomes.shape[0] == 1 + state.n_outputs
    latest = y[int(kept.facts[BORN].min()) :]
    share = kept.outcomes[-1].sum() / kept.outcomes[0].sum()
    assert share == pytest.approx(np.mean(latest == n_classes - 1), abs=0.1)


def test_a_concept_that_becomes_part_of_another_brings_its_labels():
    rows = overlapping(np.random.default_rng(0))
    counts = {}
    for without in ((), ("merge",)):
        params = AutoParams(interval=3, max_concepts=8, without=without)
        _, state = in_charge(params, rows.X, rows.y)
        check_outcomes(params, state)
        memory = core.views(params, state).experts.memory.plain
        counts[without] = memory.outcomes.sum(axis=1).tolist()
    assert counts[()] == counts[("merge",)] == [len(rows.y), rows.y.sum()]
