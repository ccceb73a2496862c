"""What the baselines refuse: parameters, and rows and labels before compiled code reads them."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mooe import baselines
from mooe.baselines.checks import (
    check_classification,
    check_number,
    numeric_labels,
    numeric_rows,
)
from mooe.paper.params import Params

LEARNERS = ("OGD", "Ader", "Condor", "LearnPPNSE", "DTEL")
each = pytest.mark.parametrize("name", LEARNERS)


def rows(n=60):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, np.abs((X[:, 0] > 0) - float(X[0, 0] > 0))


def made(name):
    """Return a learner that has learnt 60 rows of three columns."""
    learner = getattr(baselines, name)(getattr(baselines, f"{name}Params")())
    learner.predict_then_learn(*rows())
    return learner


@each
@pytest.mark.parametrize("width", [1, 2])
def test_rows_with_fewer_columns_than_the_first_are_refused(name, width):
    learner = made(name)
    X, y = rows()
    for call in (learner.predict, lambda X: learner.predict_then_learn(X, y)):
        with pytest.raises(ValueError, match=rf"X must have the shape \(n, 3 or .*\(60, {width}\)"):
            call(X[:, :width])


@each
def test_labels_are_as_many_as_rows(name):
    X, y = rows()
    with pytest.raises(ValueError, match=r"y must have the shape \(60,\), got \(59,\)"):
        made(name).predict_then_learn(X, y[:59])


def test_later_columns_are_left_out_of_dense_and_sparse_rows():
    X, _ = rows()
    for given in (X, csr_matrix(X)):
        np.testing.assert_array_equal(numeric_rows(Params(), given, 2), X[:, :2])
        np.testing.assert_array_equal(numeric_rows(Params(), given, None), X)


def test_labels_become_numbers():
    labels = numeric_labels(np.zeros((2, 1)), [1, None])
    assert labels.dtype == np.float64
    assert np.isnan(labels[1])


@pytest.mark.parametrize("value", [None, -1.0, float("nan"), "0.5", True])
def test_a_number_is_at_least_zero_and_not_none(value):
    with pytest.raises(ValueError, match="slope must be"):
        check_number("slope", value)
    check_number("slope", 0.0)


def test_another_task_is_refused_with_the_name_of_the_method():
    with pytest.raises(ValueError, match="task must be 'classification' for dtel, got 'ranking'"):
        check_classification("dtel", "ranking")
    check_classification("dtel", "classification")
