"""Schedules: labels late, out of order, or never; nothing lost, nothing twice."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from mooe.evaluate.schedule import Schedule


def happenings(schedule, n, sizes, times=None):
    """Return [(row, asked, learnt)] of n rows that come in chunks of these sizes, and the end."""
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n, dtype=float)
    events, at = [], 0
    while at < n:
        size = sizes[len(events) % len(sizes)]
        some = slice(at, at + size)
        events.append(schedule.arrive(X[some], y[some], None if times is None else times[some]))
        at += size
    events.append(schedule.end())
    found = []
    for part in events:
        if part is not None:
            assert np.array_equal(part.X[:, 0], part.row)
            learnt = ~np.isnan(part.y)
            assert np.array_equal(part.y[learnt], part.row[learnt])
            found += zip(part.row.tolist(), part.asked.tolist(), learnt.tolist(), strict=True)
    return found


def known_at(schedule, delays, sizes):
    """Return what was known at each row's answer, as said at its answer and at its label."""
    n, at, at_answer, at_label = len(delays), 0, {}, {}
    parts = []
    while at < n:
        size = sizes[len(parts) % len(sizes)]
        row = np.arange(at, min(n, at + size), dtype=float)
        parts.append(schedule.arrive(row[:, None], row))
        at += size
    for part in [*parts, schedule.end()]:
        if part is not None:
            for row, asked, known in zip(part.row, part.asked, part.known, strict=True):
                (at_answer if asked else at_label)[int(row)] = float(known)
    return at_answer, at_label


def told_after(found, n):
    """Return for each row the labels that were learnt once its moment was over."""
    told, after = set(), {}
    for row, asked, learnt in found:
        if asked:
            current = row
        if learnt:
            assert row not in told, "learnt twice"
            assert row <= current, "learnt before it came"
            told.add(row)
        after[current] = set(told)
    return after


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@given(st.integers(0, 12), st.integers(0, 40), sizes)
def test_after_row_t_exactly_the_labels_up_to_t_minus_delay_are_learnt(delay, n, sizes):
    after = told_after(happenings(Schedule(delay), n, sizes), n)
    assert after == {t: set(range(t - delay + 1)) for t in range(n)}


@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=40), sizes)
def test_out_of_order_labels_lose_nothing_and_double_nothing(delays, sizes):
    n = len(delays)
    after = told_after(happenings(Schedule(lambda row: delays[row]), n, sizes), n)
    for t in range(n):
        due = {i for i in range(n) if delays[i] is not None and i + delays[i] <= t}
        assert after[t] == due


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 12), sizes)
def test_a_delay_in_time_is_learnt_before_the_first_row_at_or_after_it(gaps, delay, sizes):
    times, n = np.cumsum(gaps).astype(float), len(gaps)
    found = happenings(Schedule(timedelta(seconds=delay)), n, sizes, times)
    told = set()
    for row, asked, learnt in found:
        if asked:
            assert told == {i for i in range(row) if times[i] + delay <= times[row]}
        if learnt:
            told.add(row)


@given(st.integers(0, 30), sizes)
def test_never_is_never(n, sizes):
    assert not any(learnt for _, _, learnt in happenings(Schedule(None), n, sizes))


@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=40), sizes)
def test_a_label_comes_with_the_last_one_known_when_its_row_was_answered(delays, sizes):
    at_answer, at_label = known_at(Schedule(lambda row: delays[row]), delays, sizes)
    learnt = sorted((row + 1 + wait, row) for row, wait in enumerate(delays) if wait is not None)
    for row, known in at_answer.items():
        before = [label for due, label in learnt if due <= row]
        assert known == (before[-1] if before else -np.inf)
    assert at_label == {row: at_answer[row] for row in at_label}


def test_what_was_known_before_the_stream_is_known_at_its_first_rows():
    schedule = Schedule(1)
    schedule.last = 7.0
    events = schedule.arrive(np.zeros((4, 1)), np.array([0.0, 1.0, 2.0, 3.0]))
    assert events.row.tolist() == [0, 1, 0, 2, 1, 3]
    assert events.known.tolist() == [7, 7, 7, 0, 7, 1]


def test_labels_that_come_at_once_leave_it_to_the_learner():
    events = Schedule().arrive(np.zeros((2, 1)), np.zeros(2))
    assert np.isnan(events.known).all()


def test_no_rows_are_no_events():
    schedule = Schedule(2)
    schedule.arrive(np.zeros((2, 1)), np.zeros(2))
    assert len(schedule.arrive(np.zeros((0, 1)), np.zeros(0)).row) == 0
    events = schedule.arrive(np.zeros((2, 1)), np.ones(2))
    assert events.row.tolist() == [2, 0, 3]
    assert events.known.tolist() == [-np.inf, -np.inf, 0.0]


def test_some_labels_come_by_chance_and_by_seed():
    runs = [
        [row for row, _, learnt in happenings(Schedule(0, 0.3, seed), 2000, [64]) if learnt]
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert 500 < len(runs[0]) < 700


@given(st.integers(0, 9), st.floats(0.1, 1.0), sizes)
def test_every_row_is_asked_once_and_in_order(delay, probability, sizes):
    found = happenings(Schedule(delay, probability), 30, sizes)
    assert [row for row, asked, _ in found if asked] == list(range(30))


def test_rows_without_label_are_never_learnt():
    events = Schedule(1).arrive(np.zeros((3, 1)), np.array([0.0, np.nan, 1.0]))
    assert events.row[~np.isnan(events.y)].tolist() == [0]


def test_columns_that_appear_later_are_absent_before():
    schedule = Schedule(1)
    schedule.arrive(np.ones((2, 1)), np.zeros(2))
    events = schedule.arrive(np.ones((2, 2)), np.zeros(2))
    assert np.isnan(events.X[~np.isnan(events.y)][0]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delay": -1}, "delay must be at least 0, got -1"),
        ({"delay": 1.5}, "delay must be a whole number, .* got 1.5"),
        ({"delay": timedelta(-1)}, "delay must be at least 0"),
        ({"label_probability": 0.0}, "label_probability must be above 0 and at most 1, got 0.0"),
    ],
)
def test_errors_carry_name_value_and_rule(arguments, message):
    with pytest.raises(ValueError, match=message):
        Schedule(**arguments)


def test_a_delay_in_time_needs_times():
    with pytest.raises(ValueError, match="in rows where they have no times"):
        Schedule(timedelta(hours=1)).arrive(np.zeros((1, 1)), np.zeros(1))


def test_a_callable_may_not_look_back():
    with pytest.raises(ValueError, match="got -2 from the callable"):
        Schedule(lambda _: -2).arrive(np.zeros((1, 1)), np.zeros(1))


@pytest.mark.parametrize("first", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize("second", [np.array, sparse.csr_matrix])
def test_a_row_that_waits_keeps_its_cells_when_a_column_appears(first, second):
    """The cell that it lacks has no value in an array, and is 0 where only others are written."""
    schedule = Schedule(delay=1)
    schedule.arrive(first([[1.0], [2.0]]), np.array([0.0, 1.0]))
    events = schedule.arrive(second([[3.0, 4.0]]), np.array([0.0]))
    X = events.X.toarray() if sparse.issparse(events.X) else events.X
    lacking = np.nan if second is np.array else 0.0
    rows = {0: [1.0, lacking], 1: [2.0, lacking], 2: [3.0, 4.0]}
    assert events.row.tolist() == [0, 2]
    assert np.array_equal(X, [rows[row] for row in events.row.tolist()], equal_nan=True)
    assert schedule.pending.X.shape[1] == 2
