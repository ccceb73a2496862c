"""Rows with their labels as a model learns them."""

import math

from mooe.platform.lesson import LAST, NOTHING, Lesson, known_of
from mooe.platform.rows import row_of

ROWS = [row_of([k]) for k in range(3)]


def lesson():
    return Lesson([4, 5, 6], ROWS, ["a", "b", "a"], [LAST, NOTHING, "a"])


def test_rows_one_by_one_are_the_lesson():
    whole = Lesson()
    for each in lesson().one_by_one():
        assert len(each.seqs) == 1
        whole.extend(each)
    assert whole == lesson()


def test_rows_that_are_chosen_keep_what_belongs_to_them():
    assert lesson().those([False, True, True]) == Lesson(
        [5, 6], ROWS[1:], ["b", "a"], [NOTHING, "a"]
    )


def test_all_labels_were_known_to_a_row_that_nobody_had_asked_about_or_answered_just_before():
    assert math.isnan(known_of(7, None, None))
    assert math.isnan(known_of(7, 6, "a"))
    assert known_of(7, 5, "a") == "a"
    assert known_of(7, 5, None) == NOTHING
