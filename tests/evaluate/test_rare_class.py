"""One class against the others: the ranking of its rows, however they are cut; which is rare."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from mooe.evaluate.rare_class import (
    HALF,
    MOST_RANKED,
    N_LEVELS,
    Ranking,
    levels,
    rare_class,
    thresholds,
)


def rows(n=5000, share=0.02, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(float)
    chance = 1.0 / (1.0 + np.exp(4.0 - 3.0 * truth - rng.normal(size=n)))
    return truth, np.column_stack([1.0 - chance, chance])


def ranked(truth, table, n_classes=2):
    ranking = Ranking()
    ranking.count(truth, table.argmax(axis=1), table, n_classes)
    return ranking


@pytest.mark.parametrize("share", [0.003, 0.02, 0.3])
def test_average_precision_is_that_of_scikit_learn_the_closer_the_more_rows(share):
    truth, table = rows(share=share)
    ranking = ranked(truth, table)
    for number in (0, 1):
        exact = average_precision_score(truth == number, table[:, number])
        assert ranking.average_precision(number)[0] == pytest.approx(exact, abs=1e-4 / share**0.8)


def test_the_curve_is_that_of_scikit_learn():
    truth, table = rows(share=0.1)
    _, curve = ranked(truth, table).average_precision(1)
    precision, recall, thresholds = precision_recall_curve(truth, table[:, 1])
    assert 50 < len(curve) <= 201
    for found_recall, found_precision, threshold in curve:
        at = np.searchsorted(thresholds, threshold)  # the first that is answered
        assert found_recall == pytest.approx(recall[at])
        assert found_precision == pytest.approx(precision[at])
    assert curve[-1][0] == 1.0


@settings(deadline=None)
@given(st.lists(st.integers(0, 200), max_size=4), st.integers(0, 99))
def test_rows_count_the_same_in_chunks_although_classes_appear(sizes, seed):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.ones(4), 300)
    truth = rng.integers(0, 4, 300).astype(float)
    truth[:100] %= 2
    table[:100, 2:] = 0.0
    table[:100] /= table[:100].sum(axis=1, keepdims=True)
    whole, cut = ranked(truth, table, 4), Ranking()
    for some in np.split(np.arange(300), np.cumsum(sizes).clip(0, 300)):
        width = 2 if len(some) and some[-1] < 100 else 4
        part = table[some, :width]
        cut.count(truth[some], part.argmax(axis=1) if len(some) else np.zeros(0, int), part, width)
    for number in range(4):
        expected, found = (each.average_precision(number)[0] for each in (whole, cut))
        assert found == pytest.approx(expected, abs=2e-2)  # 1 - p of two may lie on a border


def test_a_learner_without_probabilities_is_sure_of_its_answers():
    truth = np.array([0.0, 1.0, 1.0, 0.0])
    ranking = Ranking()
    ranking.count(truth, np.array([0, 1, 0, 1]), np.empty((0, 0)), 2)
    average, curve = ranking.average_precision(1)
    assert average == average_precision_score(truth, [0, 1, 0, 1])
    assert [point[:2] for point in curve] == [[0.5, 0.5], [1.0, 0.5]]


def test_rows_without_label_and_before_any_label_are_left_out_and_no_answer_is_none():
    truth = np.array([1.0, np.nan, 0.0, 1.0])
    table = np.array([[0.1, 0.9], [0.1, 0.9], [0.4, 0.6], [0.2, 0.8]])
    ranking = Ranking()
    ranking.count(truth, np.array([-2, 1, 1, -1]), table, 2)
    assert ranking.counts.sum() == 2
    assert ranking.average_precision(1)[0] == 0.5  # the row without answer ranks last


def test_a_class_without_rows_or_beyond_those_counted_has_no_average_precision():
    truth, table = rows(100, share=0.0)
    assert np.isnan(ranked(truth, table).average_precision(1)[0])
    assert Ranking().average_precision(0) == (pytest.approx(np.nan, nan_ok=True), [])
    many = np.eye(MOST_RANKED + 5)
    ranking = ranked(np.arange(MOST_RANKED + 5.0), many, MOST_RANKED + 5)
    assert ranking.average_precision(MOST_RANKED - 1)[0] == 1.0
    assert np.isnan(ranking.average_precision(MOST_RANKED)[0])


@given(st.floats(0.0, 1.0))
def test_a_probability_lies_in_its_level(p):
    (level,) = levels(np.array([p]))
    assert 0 <= level < N_LEVELS
    assert thresholds(np.array([level]))[0] <= p
    if level < N_LEVELS - 1:
        assert p <= thresholds(np.array([level + 1]))[0]
    assert levels(np.array([1.0 - p]))[0] == pytest.approx(N_LEVELS - 1 - level, abs=1) or p < 1e-9


def test_levels_rise_with_the_probability_and_what_is_none_is_the_least():
    p = np.sort(np.random.default_rng(0).random(1000))
    assert (np.diff(levels(p)) >= 0).all()
    assert levels(np.array([np.nan, -1.0, 0.0, 0.5, 1.0, 7.0])).tolist() == [
        0, 0, 0, HALF, N_LEVELS - 1, N_LEVELS - 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([0.995, 0.005], 1),
        ([0.005, 0.995], 0),
        ([0.6, 0.4], None),
        ([0.9, 0.1], None),
        ([0.96, 0.01, 0.03], 2),
        ([1.0], None),
        ([1.0, 0.0], None),
        ([], None),
    ],
)
def test_a_class_is_rare_where_all_but_one_have_less_than_a_tenth(shares, expected):
    assert rare_class(np.array(shares)) == expected
