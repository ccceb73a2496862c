"""Records become the paper's number beside ours, and verdicts follow their rules."""

import pytest

from mooe_paper.accuracy.comparison import (
    comparison,
    mean,
    missing_reason,
    n_seeds,
    not_run,
    printed_as,
    reach,
    spread,
    standard_error,
    streams_of,
    verdict,
)
from mooe_paper.experiment import matching

RECORDS = {
    "a condor seed 0": {"stream": "a", "model": "condor", "seed": 0, "rows": 1000, "accuracy": 0.8},
    "a condor seed 1": {"stream": "a", "model": "condor", "seed": 1, "rows": 1000, "accuracy": 0.9},
    "b condor seed 0": {"missing": "b is not here"},
    "b dtel seed 0": {"missing": "b is not here"},
}


def test_ours_is_the_mean_over_seeds_and_the_difference_is_ours_less_the_papers():
    paper, ours, around, difference, word = comparison(matching(RECORDS, stream="a"), 70.0)
    assert (paper, round(ours, 9), round(difference, 9)) == (70.0, 85.0, 15.0)
    assert round(around, 6) == 7.071068
    assert word == "ours higher"


def test_a_share_of_few_rows_has_a_larger_error():
    records = matching(RECORDS, stream="a", seed=0)
    assert comparison(records, 84.0)[-1] == "ours lower"
    assert comparison(records, 84.0, size=lambda record: record["rows"] // 10)[-1] == "holds"


def test_streams_are_in_the_papers_order_also_those_that_are_missing():
    records = {"c dtel seed 0": {"stream": "c", "model": "dtel"}, **RECORDS}
    assert streams_of(records, ["b", "a", "d"]) == ["b", "a", "c"]


def test_what_was_not_run_is_said_once():
    assert comparison(matching(RECORDS, stream="b"), 70.0) == [70.0, None, None, None, "not run"]
    assert not_run(RECORDS) == " Not run: b is not here."
    assert not_run({}) == ""
    assert missing_reason(RECORDS, "b") == "b is not here"
    assert missing_reason(RECORDS, "a") == ""


def test_without_a_printed_number_there_is_no_difference():
    assert comparison(matching(RECORDS, stream="a", seed=0), None) == [None, 80.0, None, None, ""]


def test_our_default_stands_beside_the_papers_method():
    assert printed_as("mooe") == "mooe-paper"
    assert printed_as("dtel") == "dtel"
    assert n_seeds(RECORDS) == 2


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
