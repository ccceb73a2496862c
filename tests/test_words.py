"""How counts, lists and dates are said."""

import pytest

from mooe.words import counted, date_form, listed, some_of, times, visible


@pytest.mark.parametrize(
    ("n", "what", "said"),
    [(0, "row", "0 rows"), (1, "class", "1 class"), (2, "class", "2 classes"), (1e6, "miss", "")],
)
def test_what_there_is_more_of_has_its_ending(n, what, said):
    assert counted(int(n), what) == (said or "1,000,000 misses")


def test_once_and_twice_have_words_of_their_own():
    assert [times(n) for n in (1, 2, 3)] == ["once", "twice", "3 times"]


def test_the_last_of_a_list_comes_after_and():
    assert [listed(list("abc"[:n])) for n in range(1, 4)] == ["a", "a and b", "a, b and c"]


def test_of_many_names_the_first_are_said_in_one_line():
    assert some_of(["a", "b\nc", "d"], most=2) == "a, b c and 1 more"
    assert some_of(["a, b"]) == "'a, b'"


@pytest.mark.parametrize(
    ("seconds", "are_days", "form"),
    [
        (0.0, True, "%Y-%m-%d"),
        (0.0, False, "%Y-%m-%d %H:%M:%S"),
        (3_600.0, False, "%Y-%m-%d %H:%M"),
        (60 * 86_400.0, False, "%Y-%m-%d"),
    ],
)
def test_dates_are_as_short_as_their_length_of_time_allows(seconds, are_days, form):
    assert date_form(seconds, are_days) == form


def test_letters_that_nobody_sees_are_written_out_and_all_others_stay():
    assert visible("\x00\x1b[0m\x7f\x85\u202e\udc80") == r"\x00\x1b[0m\x7f\x85\u202e\udc80"
    seen = "a\tb\nc é 一 🙂 \u00a0\u200d"
    assert visible(seen) == seen
