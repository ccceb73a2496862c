"""Measures, against scikit-learn's and against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from mooe.metrics import (
    ClassCounts,
    Naive,
    ValueCounts,
    class_measures,
    count_classes,
    count_values,
)


def rows(n=400, c=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, c, n)
    given = rng.dirichlet(np.ones(c), n)
    return truth, given.argmax(axis=1), given


def whole(parts):
    total = ClassCounts()
    for part in parts:
        total.add(part)
    return total


def test_the_measures_are_those_of_scikit_learn():
    truth, chosen, given = rows()
    (part,) = count_classes(np.zeros(400, int), Naive(), truth, chosen, given)
    found = part.measures()
    assert found["accuracy"] == pytest.approx(sk.accuracy_score(truth, chosen))
    assert found["kappa"] == pytest.approx(sk.cohen_kappa_score(truth, chosen))
    for name, score in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
    ):
        assert found[name] == pytest.approx(score(truth, chosen, average="macro"))
    assert found["log_loss"] == pytest.approx(sk.log_loss(truth, given))


@given(st.integers(1, 5), st.integers(2, 6), st.integers(0, 99))
def test_segments_add_up_to_the_whole(n_segments, c, seed):
    truth, chosen, given = rows(90, c, seed)
    segment = np.arange(90) * n_segments // 90
    parts = count_classes(segment, Naive(), truth, chosen, given)
    (one,) = count_classes(np.zeros(90, int), Naive(), truth, chosen, given)
    assert len(parts) == n_segments
    assert whole(parts).measures() == pytest.approx(one.measures())


@given(st.integers(1, 89), st.integers(0, 99))
def test_chunks_add_up_to_the_whole_although_classes_appear(cut, seed):
    truth, chosen, given = rows(90, 5, seed)
    naive, total = Naive(), ClassCounts()
    for some in (slice(0, cut), slice(cut, None)):
        n = len(truth[some])
        for part in count_classes(np.zeros(n, int), naive, truth[some], chosen[some], given[some]):
            total.add(part)
    (one,) = count_classes(np.zeros(90, int), Naive(), truth, chosen, given)
    assert total.measures() == pytest.approx(one.measures())


def test_the_two_naive_answers_by_hand():
    (part,) = count_classes(
        np.zeros(6, int), Naive(), np.array([0, 0, 1, 1, 1, 0]), np.zeros(6, int), None
    )
    # last label: none, 0 right, 0 wrong, 1 right, 1 right, 1 wrong
    assert part.no_change == 3
    # most frequent so far: none, 0 right, 0 wrong, 0 wrong, 0 (a tie) wrong, 1 wrong
    assert part.majority == 1
    assert part.measures()["kappa_temporal"] == pytest.approx((3 / 6 - 3 / 6) / (1 - 3 / 6))
    assert part.measures()["kappa_m"] == pytest.approx((3 / 6 - 1 / 6) / (1 - 1 / 6))


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 7))
def test_naive_answers_do_not_depend_on_chunks(labels, size):
    truth = np.array(labels, dtype=np.int64)
    leader = np.array([-1] + [np.bincount(truth[: i + 1]).argmax() for i in range(len(truth))])
    naive, found = Naive(), []
    for at in range(0, len(truth), size):
        last, best = naive.take(truth[at : at + size])
        found += best[:-1].tolist()
        assert last[1:].tolist() == truth[at : at + size].tolist()
    assert found == leader[: len(truth)].tolist()


def test_a_leader_far_ahead_is_found_the_short_way_too():
    long = np.concatenate([np.zeros(50, int), np.ones(3, int)])
    naive = Naive()
    naive.take(long)
    last, leader = naive.take(np.array([1, 1]))
    assert (last.tolist(), leader.tolist()) == ([1, 1, 1], [0, 0, 0])
    assert naive.seen.tolist() == [50, 5]


def test_no_answer_counts_as_wrong_and_has_no_probability():
    truth, chosen = np.array([0, 1, 1]), np.array([-1, -1, 1])
    given = np.array([[np.nan, np.nan], [np.nan, np.nan], [0.25, 0.75]])
    (part,) = count_classes(np.zeros(3, int), Naive(), truth, chosen, given)
    found = part.measures()
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["log_loss"] == pytest.approx(-np.log(0.75))
    assert found["calibration_error"] == pytest.approx(0.25)


def test_a_class_nobody_knew_had_no_probability():
    (part,) = count_classes(
        np.zeros(1, int), Naive(), np.array([2]), np.array([0]), np.array([[0.9, 0.1]])
    )
    assert part.measures()["log_loss"] == pytest.approx(-np.log(1e-15))


def test_windows_without_rows_have_no_measures():
    assert class_measures([ClassCounts()]) == [{}]
    assert ValueCounts().measures() == {}


@given(st.integers(1, 4), st.integers(0, 99))
def test_regression_measures_are_those_of_scikit_learn_and_add_up(n_segments, seed):
    rng = np.random.default_rng(seed)
    truth = 1e6 + rng.normal(size=80)
    chosen = truth + rng.normal(size=80)
    total = ValueCounts()
    for part in count_values(np.arange(80) * n_segments // 80, truth, chosen):
        total.add(part)
    assert total.measures() == pytest.approx(
        {
            "mae": sk.mean_absolute_error(truth, chosen),
            "rmse": sk.root_mean_squared_error(truth, chosen),
            "r2": sk.r2_score(truth, chosen),
        },
        abs=1e-9,
    )
