"""Cells and tables: what every result of the paper has to offer."""

import json
import re

import pytest

from mooe_paper import RESULTS, result_of

SMALL = {"Usenet1", "Email"}  # streams that a quick run takes along where they are

each_result = pytest.mark.parametrize("name", RESULTS)
each_size = pytest.mark.parametrize("quick", [True, False], ids=["quick", "full"])


@each_result
@each_size
def test_the_cells_of_a_result_have_names_of_their_own(name, quick):
    names = [cell.name for cell in result_of(name).cells(quick)]
    assert names
    assert len(set(names)) == len(names)


@each_result
@each_size
def test_a_cell_is_a_function_of_a_module_with_plain_arguments(name, quick):
    for cell in result_of(name).cells(quick):
        assert getattr(cell.work, "__name__", "<lambda>") in dir(
            __import__(cell.work.__module__, fromlist=["work"])
        )
        assert json.loads(json.dumps(cell.arguments)) == cell.arguments
        assert cell.cost > 0.0


@each_result
def test_a_quick_run_needs_no_download(name):
    cells = result_of(name).cells(quick=True)
    assert any(not cell.needs for cell in cells)
    assert {need for cell in cells for need in cell.needs} <= SMALL


@each_result
def test_a_title_says_which_result_it_is(name):
    titles = {other: result_of(other).TITLE for other in RESULTS}
    letters = {other: re.sub(r"[^a-z0-9]", "", title.lower()) for other, title in titles.items()}
    word = name.removeprefix("figure-")
    assert [
        other for other, title in letters.items() if title.startswith((word, f"the{word}"))
    ] == [name]
