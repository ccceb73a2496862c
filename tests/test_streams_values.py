"""Cells of a column as numbers and labels, and the rules that some of them break."""

import math

import numpy as np
import pytest

from mooe.streams.cells import ISO, Spelling
from mooe.streams.values import numbers_of, values_of


@pytest.mark.parametrize("plain", [False, True])
def test_numbers_are_read_and_what_is_none_is_named_with_its_rule(plain):
    cells = ["1.5", "", "x", "1e101"]
    values, wrong = numbers_of(cells, "real", Spelling(), plain)
    np.testing.assert_array_equal(values[:2], [1.5, math.nan])
    assert [(at, rule.split(",")[0]) for at, rule in wrong] == [
        (2, "be a number"), (3, "be finite and of size up to 1e+100"),
    ]  # fmt: skip


def test_a_fraction_among_whole_numbers_breaks_their_rule():
    _, wrong = numbers_of(["1", "1.5"], "whole", Spelling())
    assert wrong == [(1, "be a whole number, as in the first 1,000 rows")]


def test_a_time_that_cannot_be_read_is_absent_and_breaks_no_rule():
    values, wrong = numbers_of(["1970-01-02", "soon"], "date", Spelling(date_format=ISO))
    np.testing.assert_array_equal(values, [86_400.0, math.nan])
    assert wrong == []


def test_labels_stay_what_they_are_cell_by_cell():
    labels, wrong = values_of(["1", "2.5", "NA"], "real", Spelling(has_truth=False))
    assert (labels, wrong) == ([1, 2.5, None], [])
    assert [type(label) for label in labels[:2]] == [int, float]
    assert values_of([" a ", "?"], "text", Spelling())[0] == ["a", None]


def test_no_two_labels_become_one():
    codes = Spelling(has_zeros=False)
    _, wrong = values_of(["1", "01", "01"], "whole", codes)
    assert [at for at, _ in wrong] == [1, 2]
    assert values_of(["1", "01"], "text", codes)[0] == ["1", "01"]
