"""Verdicts follow their rules."""

import pytest

from mooe_paper.accuracy.verdicts import mean, reach, spread, standard_error, verdict


@pytest.mark.parametrize(
    ("values", "n_rows", "expected"),
    [
        ([78.0], 10**9, "holds"),
        ([77.9], 10**9, "ours lower"),
        ([82.1], 10**9, "ours higher"),
        ([76.0], 300, "holds"),  # 2.47 points are a standard error of 300 rows
        ([74.9], 300, "ours lower"),
        # The mean over these four seeds is 77 and its standard error 1.63, half of their spread.
        ([73.0, 81.0, 76.0, 78.0], 10**9, "holds"),
        ([72.5, 80.5, 75.5, 77.5], 10**9, "ours lower"),
        ([76.0, 76.0], 300, "ours lower"),  # over seeds, the number of rows does not matter
    ],
)
def test_two_points_or_two_standard_errors(values, n_rows, expected):
    assert verdict(80.0, values, n_rows) == expected


def test_without_a_number_there_is_no_verdict():
    assert verdict(None, [1.0], 10) == ""
    assert verdict(1.0, [], 10) == ""


def test_above_batch_needs_two_standard_errors():
    error = standard_error(90.0, 1_000)
    assert reach(90.0 + 2.01 * error, 90.0, 1_000) == "above batch"
    assert reach(90.0 + 1.99 * error, 90.0, 1_000) == "barely above"
    assert reach(90.0, 90.0, 1_000) == "within reach"


def test_the_spread_is_the_standard_deviation_over_seeds():
    assert spread([1.0, 2.0, 3.0]) == 1.0
    assert spread([1.0]) is None
    assert mean([1.0, 2.0]) == 1.5
    assert mean([]) is None
