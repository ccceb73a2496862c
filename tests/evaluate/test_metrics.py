"""Measures, against scikit-learn's and against themselves; who leads, however labels are cut."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from mooe.evaluate.metrics import (
    BINS,
    CLASSES,
    LOG_LOSS,
    LONGEST,
    NOT_POSSIBLE,
    SEEN,
    ClassJudge,
    ValueJudge,
    count_classes,
    leaders,
    with_room,
)


def rows(n=400, c=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, c, n).astype(float)
    given = rng.dirichlet(np.ones(c), n)
    return truth, given.argmax(axis=1), given


def counted(judge, truth, chosen, given=None, window=1000, sizes=(), first=0):
    """Return the counts of rows that come in chunks of these sizes, the rest in one."""
    counts = judge.nothing(0)
    for some in np.split(np.arange(len(truth)), np.cumsum(sizes).astype(int)):
        if len(some):
            answers = SimpleNamespace(
                chosen=chosen[some], probabilities=None if given is None else given[some]
            )
            counts = judge.count(counts, truth[some], answers, first + int(some[0]), window)
    return counts


def measured(*args, **kwargs):
    judge = ClassJudge()
    (found,) = judge.measures(counted(judge, *args, **kwargs))
    return found


def test_the_measures_are_those_of_scikit_learn():
    truth, chosen, given = rows()
    found = measured(truth, chosen, given)
    assert found["accuracy"] == pytest.approx(sk.accuracy_score(truth, chosen))
    assert found["kappa"] == pytest.approx(sk.cohen_kappa_score(truth, chosen))
    for name, score in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
    ):
        assert found[name] == pytest.approx(score(truth, chosen, average="macro"))
    assert found["log_loss"] == pytest.approx(sk.log_loss(truth, given), rel=1e-13)


@settings(deadline=None)
@given(st.integers(1, 90), st.integers(2, 6), st.integers(0, 99))
def test_windows_add_up_to_the_whole(window, c, seed):
    truth, chosen, given = rows(90, c, seed)
    judge = ClassJudge()
    counts = counted(judge, truth, chosen, given, window)
    assert len(counts) == -(-90 // window)
    (found,) = judge.measures(judge.joined(counts, len(counts)))
    assert found == pytest.approx(measured(truth, chosen, given), abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=4), st.integers(1, 90), st.integers(0, 99))
def test_chunks_count_as_the_whole_although_classes_appear(sizes, window, seed):
    truth, chosen, given = rows(90, 5, seed)
    truth[:30] %= 2
    chosen[:30] %= 2
    parts = counted(ClassJudge(), truth, chosen, given, window, sizes)
    whole = counted(ClassJudge(), truth, chosen, given, window)
    assert parts == pytest.approx(whole, abs=1e-12)


@settings(deadline=None)
@given(st.sampled_from([ClassJudge, ValueJudge]), st.integers(1, 9), st.integers(0, 99))
def test_windows_can_be_joined_to_longer_ones(kind, k, seed):
    truth, chosen, given = rows(90, 3, seed)
    chosen = chosen if kind is ClassJudge else chosen.astype(float)
    judge = kind()
    short = judge.joined(counted(kind(), truth, chosen, given, 4), k)
    long = counted(judge, truth, chosen, given, 4 * k)
    assert short == pytest.approx(long, abs=1e-9)


def test_a_window_is_measured_by_its_own_rows():
    truth, chosen, given = rows(90, 3)
    judge = ClassJudge()
    first, _, last = judge.measures(counted(judge, truth, chosen, given, 40))
    assert first["accuracy"] == pytest.approx(np.mean(truth[:40] == chosen[:40]))
    assert last["log_loss"] == pytest.approx(sk.log_loss(truth[80:], given[80:], labels=[0, 1, 2]))


def test_rows_may_begin_in_the_middle_of_a_window():
    truth, chosen, _ = rows(25)
    judge = ClassJudge()
    counts = counted(judge, truth, chosen, window=10, first=17)
    found = [one.get("accuracy") for one in judge.measures(counts)]
    hits = truth == chosen
    cuts = [
        None,
        *(pytest.approx(hits[some].mean()) for some in np.split(np.arange(25), [3, 13, 23])),
    ]
    assert found == cuts


def test_the_two_naive_answers_by_hand():
    found = measured(np.array([0.0, 0, 1, 1, 1, 0]), np.zeros(6, int))
    # last label: none, 0 right, 0 wrong, 1 right, 1 right, 1 wrong
    assert found["kappa_temporal"] == pytest.approx((3 / 6 - 3 / 6) / (1 - 3 / 6))
    # most frequent so far: none, 0 right, 0 wrong, 0 wrong, 0 (a tie) wrong, 1 wrong
    assert found["kappa_m"] == pytest.approx((3 / 6 - 1 / 6) / (1 - 1 / 6))


def test_no_answer_counts_as_wrong_and_has_no_probability():
    given = np.array([[np.nan, np.nan], [np.nan, np.nan], [0.25, 0.75]])
    found = measured(np.array([0.0, 1, 1]), np.array([-1, -1, 1]), given)
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["log_loss"] == pytest.approx(-np.log(0.75))
    assert found["calibration_error"] == pytest.approx(0.25)


def test_a_row_that_no_answer_was_possible_to_is_not_judged_but_its_label_is_known():
    truth, chosen, given = rows(50)
    chosen[:7] = NOT_POSSIBLE
    judge = ClassJudge()
    counts = counted(judge, truth, chosen, given)
    (found,) = judge.measures(counts)
    for name in ("accuracy", "kappa", "f1", "log_loss"):
        assert found[name] == pytest.approx(measured(truth[7:], chosen[7:], given[7:])[name])
    assert judge.n_judged(counts) == 43
    assert judge.class_shares().sum() == pytest.approx(1.0)
    assert judge.naive[SEEN:].sum() == 50
    # no-change and majority are judged on the same rows, by what they knew then
    repeated = np.mean(truth[7:] == truth[6:-1])
    share = (found["accuracy"] - repeated) / (1 - repeated)
    assert found["kappa_temporal"] == pytest.approx(share)


def test_measures_of_one_class_are_those_of_scikit_learn():
    truth, chosen, given = rows()
    judge = ClassJudge()
    counts = counted(judge, truth, chosen, given)
    for number in range(4):
        found, about = judge.of_class(counts, number)
        own, answered = truth == number, chosen == number
        assert found["rare_precision"] == pytest.approx(sk.precision_score(own, answered))
        assert found["rare_recall"] == pytest.approx(sk.recall_score(own, answered))
        assert found["rare_f1"] == pytest.approx(sk.f1_score(own, answered))
        exact = sk.average_precision_score(own, given[:, number])
        assert found["average_precision"] == pytest.approx(exact, abs=2e-3)
        assert found["alarms_per_1000_rows"] == pytest.approx(1000 * answered.mean())
        assert about["rows"] == own.sum()
        assert (about["alarms"], about["hits"]) == (answered.sum(), (own & answered).sum())


def test_a_row_without_label_is_not_judged():
    truth, chosen, given = rows(50)
    some = np.arange(50) % 3 > 0
    truth[~some] = np.nan
    assert measured(truth, chosen, given) == pytest.approx(
        measured(truth[some], chosen[some], given[some])
    )


def test_a_class_nobody_knew_had_no_probability():
    found = measured(np.array([2.0]), np.array([0]), np.array([[0.9, 0.1]]))
    assert found["log_loss"] == pytest.approx(-np.log(1e-15))


def test_many_rows_that_were_thought_impossible_have_a_finite_loss():
    given = np.tile([1.0, 0.0], (1000, 1))
    found = measured(np.ones(1000), np.zeros(1000, int), given)
    assert found["log_loss"] == pytest.approx(-np.log(1e-15), rel=1e-13)


def test_windows_without_rows_have_no_measures():
    for judge in (ClassJudge(), ValueJudge()):
        assert judge.measures(judge.nothing(2)) == [{}, {}]
        assert judge.measures(judge.joined(judge.nothing(3), 2)) == [{}, {}]


@settings(deadline=None)
@given(st.integers(1, 80), st.lists(st.integers(0, 30), max_size=3), st.integers(0, 99))
def test_regression_measures_are_those_of_scikit_learn_and_add_up(window, sizes, seed):
    rng = np.random.default_rng(seed)
    truth = 1e6 + rng.normal(size=80)
    chosen = truth + rng.normal(size=80)
    truth[seed % 80], chosen[seed % 7] = np.nan, np.nan
    judge = ValueJudge()
    counts = counted(judge, truth, chosen, None, window, sizes)
    (found,) = judge.measures(judge.joined(counts, len(counts)))
    some = ~np.isnan(truth + chosen)
    assert found == pytest.approx(
        {
            "mae": sk.mean_absolute_error(truth[some], chosen[some]),
            "rmse": sk.root_mean_squared_error(truth[some], chosen[some]),
            "r2": sk.r2_score(truth[some], chosen[some]),
        },
        abs=1e-9,
    )


def test_the_median_of_a_window_is_exact_and_forgotten_with_it():
    rng = np.random.default_rng(0)
    truth, chosen = rng.normal(size=(2, 95))
    truth[3], chosen[40:60] = np.nan, np.nan
    judge = ValueJudge()
    counted(judge, truth, chosen, None, 20, (7, 50))
    error = np.abs(chosen - truth)
    first = judge.close_windows(2, 20)
    assert [m["median_error"] for m in first] == [
        np.nanmedian(error[:20]), np.nanmedian(error[20:40]),
    ]  # fmt: skip
    rest = judge.close_windows(3, 20)
    assert [m.get("median_error") for m in rest] == [
        None, np.median(error[60:80]), np.median(error[80:]),
    ]  # fmt: skip
    assert len(judge.open) == 0
    counted(judge, truth, chosen, None, LONGEST + 1)
    assert len(judge.open) == 0, "a longer window keeps no errors"
    assert judge.close_windows(1, LONGEST + 1) == [{}]


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]), max_size=60), st.integers(1, 7))
def test_the_leader_does_not_depend_on_chunks(labels, size):
    y = np.array(labels)
    known = [y[:i][~np.isnan(y[:i])].astype(int) for i in range(len(y))]
    expected = [int(np.bincount(some).argmax()) if len(some) else -1 for some in known]
    naive, found = None, []
    for at in range(0, len(y), size):
        leader, naive = leaders(y[at : at + size], naive)
        found += leader.tolist()
    assert found == expected


def test_room_for_more_classes_keeps_what_was_seen():
    _, naive = leaders(np.array([1.0, 1.0, 0.0]), None)
    larger = with_room(naive, 4)
    assert larger[SEEN:].tolist() == [1, 2, 0, 0]
    assert with_room(larger, 2).tolist() == larger.tolist()


@pytest.mark.parametrize("sure", [np.nan, -1.0, 0.0, 1.0, 7.0])
def test_a_probability_that_is_none_stays_inside_the_counts(sure):
    counts = np.zeros((1, CLASSES + 6))
    count_classes(
        np.array([0.0]), np.array([0]), np.array([[sure, 0.0]]), 0, 10, with_room(None, 2), counts
    )
    assert counts[0, BINS:CLASSES:3].sum() == 1
    assert np.isfinite(counts[0, LOG_LOSS])


def test_a_class_without_column_of_probabilities_had_none():
    counts = np.zeros((1, CLASSES + 9))
    count_classes(
        np.array([2.0]), np.array([2]), np.array([[0.6, 0.4]]), 0, 10, with_room(None, 3), counts
    )
    assert counts[0, LOG_LOSS] == pytest.approx(-np.log(1e-15))
    assert counts[0, CLASSES + 6 :].tolist() == [1, 1, 1]
