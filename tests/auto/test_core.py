"""The default model: agreement with its oracle, the same bits in any chunks, and other laws."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import sparse

from auto.regimes import (
    Rows,
    decisions,
    expected_decisions,
    learn,
    learners,
    memories,
    nominal,
    oracle,
    overlapping,
    regimes,
    rows_for,
    settings,
    widened,
)
from mooe.auto import core
from mooe.auto.experts.memory import N_CONCEPTS, N_MADE
from mooe.auto.params import AutoParams
from mooe.auto.roster import CLASSES_ONLY, EXPERTS

# Of scores, in the unit of the targets. In regression AdaGrad among the online experts overshoots
# at first and so enlarges what rounding makes different.
TOLERANCE = {"classification": 1e-9, "regression": 1e-7}


def compared(params, rows, n_classes=0, groups=None):
    """Learn the rows with model and oracle, compare all they know; return both.

    Neighbours have an oracle of their own, beside their tests.
    """
    params = replace(params, without=(*params.without, "neighbours"))
    d, atol = rows.X.shape[1], TOLERANCE[params.task]
    state = core.init(params, d, n_classes, groups)
    reference = oracle(params, d, n_classes, groups)
    reported = learn(params, state, rows)
    expected = []
    for x, y, weight, known in zip(rows.X, rows.y, rows.weights, rows.known, strict=True):
        expected.append(widened(reference.learn(x, y, weight, known), state.n_outputs))
    unit = np.nanmax(np.abs(rows.y), initial=1.0) if params.task == "regression" else 1.0
    np.testing.assert_allclose(reported, expected, rtol=0, atol=atol * unit)
    block = core.views(params, state)
    np.testing.assert_allclose(
        block.mixture.shares[: len(EXPERTS)], reference.shares, rtol=0, atol=atol
    )
    np.testing.assert_allclose(
        block.mixture.tuned[: len(EXPERTS)], reference.tuned, rtol=0, atol=atol
    )
    for lanes, memory, own in memories(params, state, reference):
        assert decisions(memory) == expected_decisions(own)
        for found, wanted in learners(lanes, own):
            for array, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(array, other, rtol=atol, atol=atol)
    return state, reference


@hypothesis_settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data())
def test_it_agrees_with_the_oracle_on_random_streams(data):
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params), "rows")
    known = data.draw(st.booleans(), "classes known beforehand") and params.task != "regression"
    n_classes = max(2, int(np.nanmax(rows.y, initial=0.0)) + 1) if known else 0
    _, reference = compared(params, rows, n_classes)
    event(f"switched early: {reference.memory_plain.n_switched > 0}")
    event(f"forgot a concept: {reference.memory_plain.n_made > params.max_concepts}")


@pytest.mark.parametrize("n_classes", [2, 3, 0])
@pytest.mark.parametrize("sizes", [(4, 3), (9, 9, 8)])
def test_it_agrees_with_the_oracle_on_nominal_columns(n_classes, sizes):
    task = "classification" if n_classes else "regression"
    rows, groups = nominal(np.random.default_rng(3), 160, 4, sizes, n_classes, absent=0.1)
    rows.X[20:25, 0] = rows.X[30:40, -1] = np.nan
    state, reference = compared(AutoParams(task, interval=8), rows, n_classes, groups)
    seen = core.views(AutoParams(task, interval=8), state).inputs
    np.testing.assert_array_equal(seen.pairs, reference.pairs)
    one, other = seen.group[seen.pairs.astype(int)].T
    assert not ((one == other) & (one > 0)).any()
    assert len(seen.pairs) == min(300, len(reference.pairs_of_different_groups()))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("interval", [6, 10])
def test_it_agrees_with_the_oracle_where_concepts_take_over_early(task, interval):
    params = AutoParams(task, interval=interval, max_concepts=3)
    n_classes = 2 if task == "classification" else 0
    rows = regimes(np.random.default_rng(3), n=400, d=2, n_classes=n_classes, length=40)
    _, reference = compared(params, rows)
    assert reference.memory_plain.n_switched >= 2


def test_it_agrees_with_the_oracle_where_concepts_are_forgotten_all_the_time():
    rows = regimes(np.random.default_rng(0), n=250, d=2, n_classes=3, length=20, noise=0.15)
    for max_concepts in (1, 2):
        _, reference = compared(AutoParams(interval=3, max_concepts=max_concepts), rows)
        for memory in (reference.memory_plain, reference.memory_rich):
            assert memory.n_made > 2 * max_concepts
            assert len(memory.concepts) <= max_concepts


def test_it_agrees_with_the_oracle_where_concepts_are_merged():
    params = AutoParams(interval=3, max_concepts=3)
    _, reference = compared(params, overlapping(np.random.default_rng(8)))
    assert reference.memory_plain.n_absorbed == reference.memory_rich.n_absorbed == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_agrees_with_the_oracle_until_least_squares_are_held_back(n_classes):
    # A constant column: the inverse grows by a fiftieth with every row.
    params = AutoParams(interval=10)
    rows = regimes(np.random.default_rng(1), n=420, d=2, n_classes=n_classes, constant=True)
    state, reference = compared(params, rows)
    assert np.trace(reference.squares_fast.inverse) > 0.5 * 1000 * 3
    block = core.views(params, state)
    np.testing.assert_allclose(
        block.experts.least_squares.fast.weights, reference.squares_fast.weights, atol=1e-9
    )
    np.testing.assert_allclose(
        block.experts.least_squares.slow.weights, reference.squares_slow.weights, atol=1e-9
    )


@pytest.mark.parametrize("weight", [1e-3, 100.0, 1e4])
def test_it_agrees_with_the_oracle_in_rows_of_any_weight(weight):
    rows = regimes(np.random.default_rng(0), n=100, length=40)
    rows = Rows(rows.X, rows.y, np.full(100, weight), rows.known)
    compared(AutoParams(interval=8, max_concepts=3), rows)


@pytest.mark.parametrize(
    "part", [*EXPERTS, "hedge", "gradient", "fourier", "products", "sparse_columns"]
)
def test_it_agrees_with_the_oracle_without_a_part(part):
    rows = regimes(np.random.default_rng(2), n=60, d=4, zeros=0.5, length=15)
    compared(AutoParams(interval=5, max_concepts=2, without=(part,)), rows)


def in_chunks(params, state, rows, cuts):
    """Learn the rows up to each cut in turn; return the scores of all, as the last chunk's."""
    scores = []
    for first, last in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        scores.extend(learn(params, state, rows[first:last]))
    return np.array([widened(s, state.n_outputs) for s in scores])


def remembered(state):
    """Return all that a state holds, as bytes."""
    return state.counters.tobytes(), state.block.tobytes()


@hypothesis_settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_any_chunks_give_the_same_bits(data):
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params), "rows")
    n, d = rows.X.shape
    cuts = data.draw(st.lists(st.integers(0, n), max_size=6).map(sorted), "cuts")
    whole, single, chunked = (core.init(params, d) for _ in range(3))
    expected = in_chunks(params, whole, rows, [])
    np.testing.assert_array_equal(in_chunks(params, single, rows, range(1, n)), expected)
    np.testing.assert_array_equal(in_chunks(params, chunked, rows, cuts), expected)
    assert remembered(single) == remembered(whole) == remembered(chunked)


@hypothesis_settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_predict_gives_what_learning_reports_and_changes_nothing(data):
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params, n=60), "rows")
    rows = Rows(rows.X, rows.y, rows.weights, np.full(len(rows), math.nan))
    state = core.init(params, rows.X.shape[1])
    for i in range(len(rows)):
        before = remembered(state)
        predicted = core.predict(params, state, rows.X[i : i + 1])[0]
        assert remembered(state) == before
        reported = learn(params, state, rows[i : i + 1])[0]
        np.testing.assert_array_equal(reported, widened(predicted, state.n_outputs))


@pytest.mark.parametrize("d", [4, 140])
def test_rows_without_label_or_weight_change_nothing(d):
    params = AutoParams(interval=5)
    rows = regimes(np.random.default_rng(0), n=60, d=d, zeros=0.5)
    state = core.init(params, d)
    learn(params, state, rows)
    before = remembered(state)
    learn(params, state, Rows(rows.X, np.full(60, math.nan), rows.weights, rows.known))
    learn(params, state, Rows(rows.X, rows.y, np.zeros(60), rows.known))
    assert remembered(state) == before


def test_no_rows_change_nothing():
    params = AutoParams()
    state = core.init(params, 3)
    before = remembered(state)
    assert core.predict_then_learn(params, state, np.empty((0, 3)), np.empty(0)).shape == (0, 1)
    assert core.predict(params, state, np.empty((0, 3))).shape == (0, 1)
    assert remembered(state) == before


@pytest.mark.parametrize("d", [3, 140])
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(d):
    rows = regimes(np.random.default_rng(0), d=d)
    states = []
    for seed in (1, 1, 2):
        params = AutoParams(seed=seed)
        states.append(core.init(params, d))
        learn(params, states[-1], rows)
    assert remembered(states[0]) == remembered(states[1])
    # Wide inputs leave nothing to draw.
    assert (remembered(states[0]) == remembered(states[2])) == (d == 140)


@pytest.mark.parametrize("factor", [1e6, 1e12, 1e-12])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
@pytest.mark.parametrize("d", [3, 140])
def test_inputs_of_any_scale_give_finite_answers(d, n_classes, factor):
    params = AutoParams("classification" if n_classes else "regression", interval=6)
    rows = regimes(np.random.default_rng(0), n=80, d=d, n_classes=n_classes)
    state = core.init(params, d, n_classes)
    learn(params, state, rows)
    learn(params, state, Rows(rows.X * factor, rows.y, rows.weights, rows.known))
    learn(params, state, rows)
    assert np.isfinite(core.predict(params, state, rows.X)).all()
    assert np.isfinite(core.predict(params, state, rows.X * factor)).all()
    assert np.isfinite(state.block).all()


def test_the_unit_of_a_column_does_not_matter():
    params = AutoParams(interval=10)
    rows = regimes(np.random.default_rng(0), n=150)
    # Powers of two: the standardised values are the same to the last bit.
    units = 2.0 ** np.array([-30, 5, 40])
    one, other = core.init(params, 3), core.init(params, 3)
    expected = learn(params, one, rows)
    found = learn(params, other, Rows(rows.X * units, rows.y, rows.weights, rows.known))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("d", [3, 140])
@pytest.mark.parametrize("value", [0.0, 0.1, -7e5])
def test_constant_columns_say_nothing(d, value):
    params = AutoParams(interval=100)
    state = core.init(params, d, 2)
    scores = core.predict_then_learn(params, state, np.full((80, d), value), np.arange(80) % 2.0)
    assert np.isfinite(scores).all()
    assert np.isfinite(state.block).all()
    memory = core.views(params, state).experts.memory.plain
    for row, length in zip(memory.rows[:80], memory.lengths[:80].astype(int), strict=True):
        assert not row[: length - 1].any()
        assert row[length - 1] == 1.0


@pytest.mark.parametrize("d", [3, 140])
def test_inputs_are_not_modified(d):
    params = AutoParams(interval=5)
    rows = regimes(np.random.default_rng(0), d=d, absent=0.1, unlabelled=0.1, late=2)
    arrays = (rows.X, rows.y, rows.weights, rows.known)
    before = [array.tobytes() for array in arrays]
    state = core.init(params, d)
    learn(params, state, rows)
    core.predict(params, state, rows.X)
    assert [array.tobytes() for array in arrays] == before


@pytest.mark.parametrize("n_classes", [2, 4, 0])
def test_weights_sum_to_one_after_every_row(n_classes):
    params = AutoParams("classification" if n_classes else "regression", interval=4)
    rows = regimes(np.random.default_rng(0), n=100, n_classes=n_classes, weighted=True)
    state = core.init(params, 3)
    for i in range(len(rows)):
        learn(params, state, rows[i : i + 1])
        weights = core.weights(params, state)
        n_experts = len(EXPERTS) - (0 if n_classes else len(CLASSES_ONLY))
        assert (len(weights), weights.min() > 0) == (n_experts, True)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)


def test_memory_is_bounded_whatever_the_stream_does():
    rng = np.random.default_rng(0)
    params = AutoParams(interval=2, max_concepts=3)
    state = core.init(params, 2, 2)
    sizes = []
    for _ in range(4):
        y = rng.integers(0, 2, 10_000).astype(float)  # noise: trees grow as fast as they can
        core.predict_then_learn(params, state, rng.normal(size=(10_000, 2)), y)
        sizes.append(state.block.nbytes)
    block = core.views(params, state)
    for memory in (block.experts.memory.plain, block.experts.memory.rich):
        assert memory.status[N_MADE] > 100
        assert memory.status[N_CONCEPTS] <= 3
    assert sizes[0] < sizes[1] == sizes[2] == sizes[3] < 4e6


@hypothesis_settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_the_future_changes_no_answer(data):
    # Labels from t on and rows after t are scrambled: rows up to t are answered as before.
    params = data.draw(settings(), "params")
    rows = data.draw(rows_for(params, n=80), "rows")
    n_classes = 4 if params.task == "classification" else 0
    t = data.draw(st.integers(0, 79), "t")
    rng = np.random.default_rng(t)
    X, y = rows.X.copy(), rows.y.copy()
    X[t + 1 :] = 1e3 * rng.normal(size=X[t + 1 :].shape)
    y[t:] = rng.integers(0, 4, len(y[t:]))
    other = Rows(X, y, rows.weights, rows.known)
    one, two = (core.init(params, X.shape[1], n_classes) for _ in range(2))
    np.testing.assert_array_equal(
        learn(params, one, rows)[: t + 1], learn(params, two, other)[: t + 1]
    )


@pytest.mark.parametrize("d", [5, 150])
def test_sparse_rows_are_the_same_rows(d):
    params = AutoParams(interval=8)
    rows = regimes(np.random.default_rng(0), d=d, zeros=0.8, n_classes=3)
    dense, listed = core.init(params, d), core.init(params, d)
    expected = core.predict_then_learn(params, dense, rows.X, rows.y)
    X = sparse.csr_array(rows.X)
    np.testing.assert_array_equal(core.predict_then_learn(params, listed, X, rows.y), expected)
    assert remembered(listed) == remembered(dense)
    np.testing.assert_array_equal(
        core.predict(params, listed, X), core.predict(params, dense, rows.X)
    )


def test_no_change_repeats_the_label_that_was_known():
    others = tuple(name for name in EXPERTS if name != "no_change")
    params = AutoParams(without=(*others, "calibration"))
    rows = regimes(np.random.default_rng(0), n=60, n_classes=3, late=7)
    scores = learn(params, core.init(params, 3, 3), rows)
    assert not scores[0].any()
    assert (scores[1:7].argmax(axis=1) == rows.y[:6]).all()  # nothing known: the last one learnt
    assert (scores[7:].argmax(axis=1) == rows.y[:-7]).all()


def test_explain_gives_weights_and_votes_that_make_the_score():
    for n_classes in (2, 3, 0):
        task = "classification" if n_classes else "regression"
        params = AutoParams(task, interval=6, without=("calibration",))
        rows = regimes(np.random.default_rng(0), n_classes=n_classes)
        state = core.init(params, 3)
        learn(params, state, rows)
        weights, votes = core.explain(params, state, rows.X[:1])
        expected = core.predict(params, state, rows.X[:1])[0]
        np.testing.assert_allclose(weights @ votes, expected, rtol=1e-12)


@pytest.mark.parametrize(("n", "given"), [(0, math.nan), (1, -math.inf)])
def test_before_two_classes_there_is_no_score(n, given):
    params = AutoParams()
    state = core.init(params, 2)
    core.predict_then_learn(params, state, np.ones((n, 2)), np.zeros(n))
    np.testing.assert_array_equal(core.predict(params, state, np.ones((1, 2))), [[given]])
    if n == 0:
        value = AutoParams("regression")
        empty = core.predict(value, core.init(value, 2), np.ones((1, 2)))
        np.testing.assert_array_equal(empty, [[math.nan]])


def test_a_chunk_moves_the_state_only_where_it_needs_more_room():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4_000, 4))
    y = (X[:, 0] > 0.0).astype(float)
    params = AutoParams()
    state = core.init(params, 4, 2)
    core.predict_then_learn(params, state, X[:2_000], y[:2_000])
    moved = 0
    for k in range(2_000, 4_000, 50):
        block = state.block
        core.predict_then_learn(params, state, X[k : k + 50], y[k : k + 50])
        moved += state.block is not block
    assert moved < 10  # of 40 chunks


def test_a_long_chunk_stops_seldom_for_want_of_room(monkeypatch):
    rng = np.random.default_rng(0)
    X, made, make_room = rng.normal(size=(5_000, 4)), [], core.make_room

    def noted(params, state, n):
        made.append(n)
        make_room(params, state, n)

    monkeypatch.setattr(core, "make_room", noted)
    state = core.init(AutoParams(), 4, 2)
    core.predict_then_learn(AutoParams(), state, X, (X[:, 0] > 0.0).astype(float))
    assert made[-1] == 1
    assert len(made) <= 4
