"""What estimators check, tried on an estimator that does nothing else."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from mooe.labels import python_labels, sorted_classes
from mooe.paper.params import Params
from mooe.validation import (
    check_encoded,
    check_labels,
    check_rows,
    check_samples,
    check_targets,
    check_unchanged,
    make_params,
    parameter_values,
    unchanged_on_error,
)


class Estimator(BaseEstimator):
    def __init__(self, radius=1.0, random_state=None):
        self.radius = radius
        self.random_state = random_state


def met(X=((0.0, 1.0), (2.0, 3.0))):
    """Return an estimator that has met rows."""
    estimator = Estimator()
    check_samples(estimator, X, [0, 1], is_first=True, is_numeric=False)
    return estimator


def test_what_fails_halfway_leaves_no_trace():
    estimator = Estimator(radius=2.0)

    def learn():
        with unchanged_on_error(estimator):
            estimator.radius, estimator.learnt_ = 3.0, True
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn()
    assert vars(estimator) == {"radius": 2.0, "random_state": None}


def test_an_array_as_compiled_code_takes_it_is_passed_on_as_it_is():
    estimator, X, y = met(), np.ones((3, 2)), np.array(["a", "b", "a"])
    rows, labels = check_samples(estimator, X, y, is_first=False, is_numeric=False)
    assert rows is X
    assert labels is y
    assert check_rows(estimator, X) is X


@pytest.mark.parametrize(
    "X",
    [
        np.ones((3, 2), dtype=np.float32),
        np.ones((3, 2), order="F"),
        np.broadcast_to(1.0, (3, 2)),
        [[1, 1], [1, 1], [1, 1]],
    ],
    ids=["float32", "by columns", "read-only", "lists"],
)
def test_any_other_rows_become_such_an_array(X):
    rows = check_rows(met(), X)
    assert (rows == 1.0).all()
    assert rows.dtype == np.float64
    assert rows.flags.c_contiguous
    assert rows.flags.writeable


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones((3, 1)), "X has 1 features, but Estimator is expecting 2"),
        (np.full((3, 2), np.inf), "infinity"),
        ([[1.0, 2.0], [3.0, "Monday"]], "got 'Monday' in row 1, column 1"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous|sequence"),
    ],
)
def test_rows_that_no_estimator_takes_are_told_by_their_cell(X, words):
    estimator = met()
    with pytest.raises(ValueError, match=words):
        check_rows(estimator, X)
    with pytest.raises(ValueError, match=words):
        check_samples(estimator, X, [0] * len(X), is_first=False, is_numeric=False)


def test_a_cell_of_a_frame_is_told_by_the_name_of_its_column():
    estimator = met(pd.DataFrame({"a": [1.0, 2.0], "day": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="got 'Monday' in row 0, column 'day'"):
        check_rows(estimator, pd.DataFrame({"a": [1.0], "day": ["Monday"]}))


def test_one_row_of_a_frame_is_asked_for_as_a_frame():
    rule = r"X must be a frame with the columns a, b, or have the 3 columns of the model, got the"
    with pytest.raises(
        ValueError, match=rf"{rule} shape \(1, 2\); one row of a frame is frame.iloc"
    ):
        check_encoded([pd.Series({"a": 1.0, "b": "x"})], ["a", "b=x", "b=y"], ["a", "b"])


def test_labels_of_numpy_become_those_of_python_and_text_keeps_its_last_character():
    given = ["no", "yes\0", np.str_("no")]
    labels = python_labels(given, np.array(given))
    assert labels == ["no", "yes\0", "no"]
    assert python_labels(np.array([1, 2]), np.array([1, 2])) == [1, 2]
    column = [["a"], ["a\0"], ("b",), np.array(["a"])]
    assert python_labels(column, np.array(["a", "a", "b", "a"])) == ["a", "a\0", "b", "a"]
    assert sorted_classes(["yes\0", "no"]).tolist() == ["no", "yes\0"]
    assert sorted_classes([3, 1]).dtype.kind == "i"


def test_targets_stay_within_their_bounds():
    params = Params(task="regression", target_bounds=(0.0, 1.0))
    check_targets(params, np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match=r"y must lie within \(0, 1\), got 1\.5"):
        check_targets(params, np.array([0.5, 1.5]))


@pytest.mark.parametrize(("random_state", "seed"), [(None, 0), (7, 7), (np.int64(3), 3)])
def test_the_parameters_make_params_and_the_random_state_its_seed(random_state, seed):
    params = make_params(Estimator(2.0, random_state), Params, "regression")
    assert params == Params(task="regression", radius=2.0, seed=seed)


def test_a_generator_draws_the_seed_and_a_negative_one_is_refused():
    generators = (np.random.RandomState(3), np.random.RandomState(3))
    drawn = [make_params(Estimator(1.0, state), Params, "regression").seed for state in generators]
    assert drawn[0] == drawn[1] > 0
    with pytest.raises(
        ValueError, match="random_state must be a whole number of at least 0, got -1"
    ):
        make_params(Estimator(1.0, -1), Params, "regression")


def test_parameters_stay_and_equal_arrays_are_no_change():
    estimator = Estimator(radius=np.array([1.0, 2.0]))
    before = parameter_values(estimator)
    check_unchanged(estimator.set_params(radius=np.array([1.0, 2.0])), before)
    with pytest.raises(ValueError, match=r"radius must stay .* while .* got 2\.0; fit starts anew"):
        check_unchanged(estimator.set_params(radius=2.0), before)


@pytest.mark.parametrize(
    "y",
    [
        [0.5, None],
        [0.5, np.nan],
        np.array([0.5, np.nan]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a", None], dtype="string"),
        np.array(["a", None], dtype=object),
    ],
)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_a_row_without_label_is_refused_with_its_number_and_what_to_do(y, is_numeric):
    told = "y must have a label for each row, .* in row 1: leave such rows out, or judge with"
    with pytest.raises(ValueError, match=told):
        check_samples(Estimator(), [[0.0], [1.0]], y, is_first=True, is_numeric=is_numeric)
    with pytest.raises(ValueError, match=told):
        check_labels(Estimator(), y, 2, is_numeric)
