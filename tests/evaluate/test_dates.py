"""Places on a stream are said by date where rows have dates, and by row elsewhere."""

import numpy as np
import pytest
from made import made, made_regimes

from mooe.evaluate import dates
from mooe.evaluate.dates import DAY, Clock, StreamAxis, date_of, rows_spoken_of

YEAR_2022 = 1_640_995_200.0


def daily(n, first=YEAR_2022):
    return StreamAxis([(row, first + DAY * row) for row in range(n)])


def test_a_clock_gives_every_row_that_is_asked_for_its_own_time():
    clock, times = Clock(), YEAR_2022 + np.cumsum(np.random.default_rng(0).random(5000))
    for first in range(0, 5000, 700):
        clock.see(times[first : first + 700])
    found = dict(clock.times([1, 17, 4321]))
    assert all(found[row] == times[row] for row in (0, 1, 17, 4321, 4999))
    assert len(found) < 600
    assert list(found) == sorted(found)
    assert clock.date(17) == date_of(times[17])
    assert clock.date(-1) is None


def test_a_long_stream_is_held_in_bounded_room(monkeypatch):
    monkeypatch.setattr(dates, "MOST_TIMES", 100)
    clock = Clock()
    for first in range(0, 1001, 7):
        clock.see(YEAR_2022 + np.arange(first, min(first + 7, 1001)))
    assert sum(map(len, clock.pieces)) <= 100
    assert clock.every > 1
    for row, time in clock.times(range(1001)):
        assert 0.0 <= YEAR_2022 + row - time < clock.every


def test_a_time_that_is_not_known_is_that_of_the_row_before():
    clock = Clock()
    clock.see(np.array([np.nan, 5.0]))
    clock.see(np.array([np.nan, 7.0, np.nan]))
    assert clock.times([]) == [(0, 5.0), (1, 5.0), (2, 5.0), (3, 7.0), (4, 7.0)]
    none = Clock()
    none.see(np.full(3, np.nan))
    assert none.times([1]) == []
    assert none.date(1) is None


def test_a_date_is_as_short_as_the_stream_allows():
    assert daily(100).point(31) == "2022-02-01"
    hourly = StreamAxis([(row, YEAR_2022 + 3600.0 * row) for row in range(100)])
    assert hourly.point(26) == "2022-01-02 02:00"
    seconds = StreamAxis([(row, YEAR_2022 + row) for row in range(100)])
    assert seconds.point(61) == "2022-01-01 00:01:01"
    long = StreamAxis([(row, YEAR_2022 + 3600.0 * row) for row in range(10_000)])
    assert long.point(26) == "2022-01-02"


def test_sentences_speak_in_dates_or_in_rows():
    rows, days = StreamAxis(), daily(100)
    assert rows.within(10, 20) == "in rows 10–20"
    assert days.within(10, 20) == "from 2022-01-11 to 2022-01-21"
    assert days.within(10, 10) == "on 2022-01-11"
    assert (rows.at(1000), days.at(10)) == ("at row 1,000", "on 2022-01-11")
    assert rows.within(-9, -1) == days.within(-9, -1) == days.at(-1) == "before the stream"
    assert days.length(10, 52) == "42 days"
    assert days.length(10, 11) == "1 day"
    orders = StreamAxis([(row, YEAR_2022 + 86_400.0 * (row // 10)) for row in range(100)])
    assert orders.length(11, 18) == "less than a day", "a date alone does not say how long"
    hourly = StreamAxis([(row, YEAR_2022 + 3600.0 * row) for row in range(100)])
    assert hourly.length(10, 34) == "24 hours"
    assert hourly.within(1, 3) == "from 2022-01-01 01:00 to 03:00"


@pytest.mark.parametrize("length", [30, 600, 7200, 9e4, 8e5, 4e6, 3e7, 3e8, 3e9])
@pytest.mark.parametrize("most", [4, 8])
def test_ticks_are_few_round_and_where_their_dates_are(length, most):
    axis = StreamAxis([(row, YEAR_2022 + 1234.5 + length * row / 999) for row in range(1000)])
    places, words = axis.ticks(1000, most)
    assert 1 <= len(places) <= most + 1
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 999
    assert all(words)
    step = (axis.time(999) - axis.time(0)) / 999
    for place in places:  # on a whole second at least
        moment = axis.time(0) + place * step
        assert abs(moment - round(moment)) < 1e-3 * max(step, 1.0)


def test_months_that_change_the_year_say_so():
    places, words = daily(400).ticks(400, 8)
    assert words[0] == "Jan\n2022"
    assert "Jan\n2023" in words
    assert places[0] == 0.0


def test_where_times_run_back_the_axis_stands_still():
    times = [0.0, 5 * DAY, 2 * DAY, 9 * DAY]
    places, _ = StreamAxis(list(enumerate(times))).ticks(4, 8)
    assert places == sorted(places)


def test_results_keep_the_times_of_all_rows_that_they_speak_of():
    results = made_regimes()
    clock = Clock()
    clock.see(YEAR_2022 + DAY * np.arange(results.rows))
    results.times = clock.times(rows_spoken_of(results))
    along = StreamAxis.of(results)
    for regime in results.concepts:
        for visit in regime["visits"]:
            for row in visit:
                assert along.time(row) == YEAR_2022 + DAY * row
    assert not StreamAxis.of(made()).has_dates
