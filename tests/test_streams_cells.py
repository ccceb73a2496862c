"""What a cell holds: numbers as people write them, moments, nothing."""

import math
from datetime import date, datetime

import numpy as np
import pytest

from mooe.streams.cells import (
    ISO,
    Spelling,
    are_plain,
    begins_with_zero,
    cells_of,
    date_format_of,
    is_whole,
    listed_cells,
    number_spellings,
    seconds_or_nan,
)


def test_a_spelling_reads_no_number_of_python_alone():
    for cell in ("1_000", "٣", "0x10"):
        with pytest.raises(ValueError, match=cell):
            Spelling().number(cell)


@pytest.mark.parametrize(
    ("cell", "signs"),
    [("1,5", ","), ("1.5", "."), ("7", ".,"), ("1.234", ".,"), ("1.234,5", ","), ("x", "")],
)
def test_a_cell_says_which_decimal_signs_it_could_have(cell, signs):
    assert "".join(way.decimal for way in number_spellings([cell], Spelling())) == signs


def test_what_a_user_calls_empty_is_so_in_numbers_and_texts():
    own = Spelling(na=frozenset({"none yet"}))
    assert math.isnan(own.number("none yet"))
    assert own.is_missing("none yet", is_text=True)
    assert not Spelling().is_missing("-", is_text=True), "a dash among texts means itself"
    assert math.isnan(Spelling().number("-"))


def test_truth_is_a_number_unless_it_is_a_class():
    assert Spelling().number("True") == 1.0
    with pytest.raises(ValueError, match="True"):
        Spelling(has_truth=False).number("True")


def test_the_form_of_dates_is_the_one_that_reads_them_all_and_runs_on():
    assert date_format_of(["31.01.2022", "01.02.2022"], 1.0, Spelling()) == "%d.%m.%Y"
    assert date_format_of(["2022-01-31", "2022-02-01"], 1.0, Spelling()) == ISO
    assert date_format_of(["red", "blue"], 0.5, Spelling()) is None
    assert math.isnan(seconds_or_nan(Spelling(date_format=ISO), "soon"))


def test_a_code_is_told_from_a_number_by_the_zero_before_it():
    assert [begins_with_zero(cell) for cell in ("01", " 007 ", "0", "-01", "0.1", "")] == [
        True, True, False, True, False, False,
    ]  # fmt: skip
    assert is_whole("01")


def test_plain_cells_are_those_that_pyarrow_reads_the_same():
    assert are_plain(["1.5", "", "NA"], ".")
    assert not are_plain(["1,234.5"], ".")
    assert not are_plain(["1_000"], ".")
    assert are_plain(["1,5"], ",")


def test_values_of_a_frame_are_the_cells_of_its_file():
    values = [1, 1.5, None, np.nan, True, "a", date(2022, 6, 1), datetime(2022, 6, 1, 10, 7)]
    assert cells_of(values) == [
        "1", "1.5", "", "", "True", "a", "2022-06-01", "2022-06-01T10:07:00",
    ]  # fmt: skip


def test_a_few_different_cells_are_listed():
    assert listed_cells(["a", "b", "a ", "c", "d"], 3) == "'a', 'b' and 'a'"
