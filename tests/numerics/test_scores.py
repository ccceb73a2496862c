"""Scores and what they stand for: classes, values, probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.auto.params import AutoParams
from mooe.numerics.scores import answers, probabilities, row_probabilities, two_scores
from mooe.paper.params import Params

each_params = pytest.mark.parametrize("params", [AutoParams(), Params(), Params(loss="logistic")])
score = st.floats(-1.0, 1.0)


def test_a_single_score_stands_for_two():
    found = two_scores(np.array([0.5, -1.0, 0.0]))
    np.testing.assert_array_equal(found, [[-0.5, 0.5], [1.0, -1.0], [0.0, 0.0]])


def test_one_class_alone_scores_nothing_and_the_other_cannot_be():
    np.testing.assert_array_equal(two_scores(np.array([-np.inf])), [[0.0, -np.inf]])


@each_params
def test_the_answer_is_the_class_with_the_largest_score(params):
    many = np.array([[0.1, 0.3, -1.0], [0.2, 0.2, 0.1], [0.0, -np.inf, -np.inf]])
    assert answers(params, many).tolist() == [1, 0, 0]
    assert answers(params, np.array([[0.1], [-0.1], [0.0], [-np.inf]])).tolist() == [1, 0, 0, 0]


@each_params
def test_before_any_label_there_is_no_answer(params):
    assert answers(params, np.array([[np.nan], [0.5]])).tolist() == [-1, 1]
    assert answers(params, np.full((1, 3), np.nan)).tolist() == [-1]


def test_in_regression_the_score_is_the_answer():
    values = np.array([[1.5], [np.nan]])
    np.testing.assert_array_equal(answers(AutoParams(task="regression"), values), [1.5, np.nan])


@each_params
@given(st.lists(st.lists(score, min_size=4, max_size=4), min_size=1, max_size=5))
def test_probabilities_sum_to_one_and_rank_as_the_scores_do(params, rows):
    scores = np.array(rows)
    found = probabilities(params, scores)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
    assert (np.diff(np.take_along_axis(found, scores.argsort(axis=1), axis=1)) >= 0.0).all()


@each_params
@given(score)
def test_two_classes_are_alike_from_one_score_and_from_two(params, single):
    one = probabilities(params, np.array([[single]]))
    two = probabilities(params, two_scores(np.array([single])))
    np.testing.assert_allclose(one, two, rtol=1e-12)


@each_params
def test_a_class_that_cannot_be_has_no_probability(params):
    np.testing.assert_array_equal(probabilities(params, np.array([[-np.inf]]))[0, 0], 1.0)
    found = probabilities(params, np.array([[0.0, -np.inf, 0.0]]))
    np.testing.assert_allclose(found, [[0.5, 0.0, 0.5]])


def test_the_default_model_is_as_sure_as_its_mixture():
    found = probabilities(AutoParams(), np.array([[0.5]]))
    np.testing.assert_allclose(found[0, 1], 1.0 / (1.0 + np.exp(-2.0)))


@each_params
@pytest.mark.parametrize("n_outputs", [1, 3, 9, 40])
def test_a_row_alone_has_the_same_bits_as_among_others(params, n_outputs):
    scores = np.random.default_rng(n_outputs).uniform(-1.0, 1.0, (500, n_outputs))
    scores[:3, 0] = 0.0, 1e-300, -1e3
    alone = [row_probabilities(params, row) for row in scores.tolist()]
    assert alone == probabilities(params, scores).tolist()


def test_a_class_alone_is_certain():
    assert row_probabilities(AutoParams(), [-np.inf]) == [1.0]
