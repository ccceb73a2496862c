"""Verdicts follow their rules."""

import pytest

from mooe.experiments.verdicts import mean, reach, spread, standard_error, verdict


@pytest.mark.parametrize(
    ("ours", "around", "n_rows", "expected"),
    [
        (78.0, None, 10**9, "holds"),
        (77.9, None, 10**9, "ours lower"),
        (82.1, None, 10**9, "ours higher"),
        (77.0, 1.6, 10**9, "holds"),  # two spreads are more than two points
        (76.0, None, 300, "holds"),  # 2.47 points are a standard error of 300 rows
        (74.9, None, 300, "ours lower"),
    ],
)
def test_two_points_or_two_standard_errors(ours, around, n_rows, expected):
    assert verdict(80.0, ours, around, n_rows) == expected


def test_without_a_number_there_is_no_verdict():
    assert verdict(None, 1.0, None, 10) == ""
    assert verdict(1.0, None, None, 10) == ""


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
