"""Records become the paper's number beside ours."""

from mooe_paper.accuracy.comparing import (
    compared,
    lacking,
    n_seeds,
    not_run,
    of,
    printed_as,
    streams_of,
)

FOUND = {
    "a condor seed 0": {"stream": "a", "model": "condor", "seed": 0, "rows": 1000, "accuracy": 0.8},
    "a condor seed 1": {"stream": "a", "model": "condor", "seed": 1, "rows": 1000, "accuracy": 0.9},
    "b condor seed 0": {"missing": "b is not here"},
    "b dtel seed 0": {"missing": "b is not here"},
}


def test_ours_is_the_mean_over_seeds_and_the_difference_is_ours_less_the_papers():
    paper, ours, around, difference, word = compared(of(FOUND, stream="a"), 70.0)
    assert (paper, round(ours, 9), round(difference, 9)) == (70.0, 85.0, 15.0)
    assert round(around, 6) == 7.071068
    assert word == "ours higher"


def test_a_share_of_few_rows_has_a_larger_error():
    records = of(FOUND, stream="a", seed=0)
    assert compared(records, 84.0)[-1] == "ours lower"
    assert compared(records, 84.0, size=lambda record: record["rows"] // 10)[-1] == "holds"


def test_streams_are_in_the_papers_order_also_those_that_are_missing():
    found = {"c dtel seed 0": {"stream": "c", "model": "dtel"}, **FOUND}
    assert streams_of(found, ["b", "a", "d"]) == ["b", "a", "c"]


def test_what_was_not_run_is_said_once():
    assert compared(of(FOUND, stream="b"), 70.0) == [70.0, None, None, None, "not run"]
    assert not_run(FOUND) == " Not run: b is not here."
    assert not_run({}) == ""
    assert lacking(FOUND, "b") == "b is not here"
    assert lacking(FOUND, "a") == ""


def test_without_a_printed_number_there_is_no_difference():
    assert compared(of(FOUND, stream="a", seed=0), None) == [None, 80.0, None, None, ""]


def test_our_default_stands_beside_the_papers_method():
    assert printed_as("mooe") == "mooe-paper"
    assert printed_as("dtel") == "dtel"
    assert n_seeds(FOUND) == 2
