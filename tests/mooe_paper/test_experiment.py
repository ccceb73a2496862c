"""Experiments and titles that every result of the paper offers, and text of values."""

import json
import re

import pytest

from mooe_paper import RESULTS, result_module
from mooe_paper.experiment import cell_text, matching, unique

SMALL = {"Usenet1", "Email"}  # streams that a quick run takes along where they are

each_result = pytest.mark.parametrize("name", RESULTS)
each_size = pytest.mark.parametrize("quick", [True, False], ids=["quick", "full"])


@each_result
@each_size
def test_the_experiments_of_a_result_have_names_of_their_own(name, quick):
    names = [experiment.name for experiment in result_module(name).experiments(quick)]
    assert names
    assert len(set(names)) == len(names)


@each_result
@each_size
def test_an_experiment_is_a_function_of_a_module_with_plain_arguments(name, quick):
    for experiment in result_module(name).experiments(quick):
        assert getattr(experiment.function, "__name__", "<lambda>") in dir(
            __import__(experiment.function.__module__, fromlist=["work"])
        )
        assert json.loads(json.dumps(experiment.arguments)) == experiment.arguments
        assert experiment.cost > 0.0


@each_result
def test_a_quick_run_needs_no_download(name):
    planned = result_module(name).experiments(quick=True)
    assert any(not experiment.needs for experiment in planned)
    assert {need for experiment in planned for need in experiment.needs} <= SMALL


@each_result
def test_a_title_says_which_result_it_is(name):
    titles = {other: result_module(other).TITLE for other in RESULTS}
    letters = {other: re.sub(r"[^a-z0-9]", "", title.lower()) for other, title in titles.items()}
    word = name.removeprefix("figure-")
    assert [
        other for other, title in letters.items() if title.startswith((word, f"the{word}"))
    ] == [name]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1.25, 1, "1.2"), (-12.345, 2, "−12.35"), (-0.0, 1, "0.0"), (True, 1, "True"), (7, 3, "7")],
)
def test_floats_are_rounded_and_everything_else_stays(value, digits, text):
    assert cell_text(value, digits) == text


def test_records_are_picked_by_their_values_and_values_kept_once():
    records = {"a": {"pool": 5, "rows": 1}, "b": {"pool": 5, "rows": 2}, "c": {"missing": "why"}}
    assert matching(records, pool=5) == [records["a"], records["b"]]
    assert matching(records, pool=5, rows=2) == [records["b"]]
    assert unique([2, 1, 2, 3, 1]) == [2, 1, 3]
