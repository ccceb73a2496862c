"""What becomes of rows, by keys, places and labels alone."""

import numpy as np
import pytest

pytest.importorskip("pyspark")

from mooe.keyed.settings import params_of
from mooe.spark.bucket import InMemory
from mooe.spark.outcomes import Rows, planned
from mooe.spark.record import NOTHING

LIGHT = params_of("light", "classification", False, 0)
NUMBER = params_of("light", "regression", False, 0)


def test_labels_are_numbered_by_each_key_in_the_order_in_which_it_learns_them():
    keys, labels = ["a"] * 4 + ["b"] * 2, ["x", None, "y", "x", "y", "x"]
    rows = Rows(keys, np.zeros((6, 1)), [1, 2, 3, 3, 1, 2], labels)
    plan = planned(LIGHT, rows, InMemory())
    assert plan.outcomes == ["learnt", "answered", "learnt", "late", "learnt", "learnt"]
    assert [None if number != number else number for number in plan.labels.tolist()] == [
        *(0.0, None, 1.0, None, 0.0, 1.0),
    ]
    assert plan.versions.tolist() == [0, 1, 1, 2, 0, 1]
    assert [list(one.numbers) for one in plan.keys] == [["x", "y"], ["y", "x"]]
    assert [one.n_late for one in plan.keys] == [1, 0]


def test_a_label_finds_its_row_in_the_same_batch_the_later_one_of_two_with_its_id():
    absent = np.nan
    X = np.array([[1.0], [2.0], [3.0], [absent], [absent]])
    labels, ids = ["x", None, None, "y", "y"], [None, "r", "r", "r", "r"]
    rows = Rows(["a"] * 5, X, [1, 2, 3, 4, 5], labels, ids)
    plan = planned(LIGHT, rows, InMemory())
    assert plan.outcomes == ["learnt", "answered", "answered", "learnt", "unmatched"]
    assert plan.answered_before == {3: 2}
    assert rows.X[3, 0] == 3.0
    assert plan.known[3] == 0.0  # x was the last label when the row was answered
    assert plan.asked.tolist() == [True] * 4 + [False]
    assert not plan.keys[0].waiting


def test_a_row_that_was_asked_before_any_label_knows_of_none():
    rows = Rows(["a", "a"], np.array([[1.0], [np.nan]]), [1, 2], [None, "x"], ["r", "r"])
    assert planned(LIGHT, rows, InMemory()).known[1] == NOTHING


def test_values_that_no_model_takes_are_refused():
    X = np.array([[0.0], [np.inf], [0.0], [0.0]])
    rows = Rows(["a", "a", "a", None], X, [1, 2, 3, 4], [1.0, 1.0, 1e300, 1.0])
    outcomes = planned(NUMBER, rows, InMemory()).outcomes
    assert outcomes == ["learnt", "refused", "refused", "refused"]


def test_an_infinite_number_is_no_class():
    X, labels = np.array([[1.0], [2.0], [3.0], [np.nan]]), [1.0, np.inf, None, -np.inf]
    rows = Rows(["a"] * 4, X, [1, 2, 3, 4], labels, [None, None, "r", "r"])
    plan = planned(LIGHT, rows, InMemory())
    assert plan.outcomes == ["learnt", "refused", "answered", "refused"]
    assert [list(one.numbers) for one in plan.keys] == [[1.0]]


@pytest.mark.parametrize("place", [None, np.nan])
def test_a_label_without_a_place_is_late_and_the_order_of_the_others_stays(place):
    rows = Rows(["a"] * 3, np.zeros((3, 1)), [1.0, 2.0, place], ["x", "y", "x"])
    plan = planned(LIGHT, rows, InMemory())
    assert plan.outcomes == ["learnt", "learnt", "late"]
    assert (plan.keys[0].place, plan.keys[0].n_late) == (2.0, 1)
