"""Times as parts of full turns, and the calendar's seasons."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from mooe.forecast.cycles import DAY, cycles_of, gaps, seasons_of, seconds, turns


def test_times_are_seconds_since_1970_however_they_are_written():
    moment = np.datetime64("2024-02-29T12:00:00")
    expected = [1_709_208_000.0]
    for at in (moment, [moment], datetime(2024, 2, 29, 12), "2024-02-29T12:00", 1_709_208_000):
        assert seconds(at).tolist() == expected
    with pytest.raises(ValueError, match="NaT"):
        seconds(np.array([moment, np.datetime64("NaT")]))
    for bad in (["03.01.2022"], [pd.NaT, pd.Timestamp("2024")]):
        with pytest.raises(ValueError, match="at must hold numbers, datetime64"):
            seconds(bad)


def test_times_of_zones_are_told_in_utc_without_a_warning():
    west, east = timezone(timedelta(hours=-1)), timezone(timedelta(hours=2))
    moments = [datetime(2024, 1, 1, 0, tzinfo=east), datetime(2024, 1, 1, 0, tzinfo=west)]
    expected = [1_704_060_000.0, 1_704_070_800.0]
    assert seconds(moments).tolist() == expected
    assert seconds([moment.isoformat() for moment in moments]).tolist() == expected


@pytest.mark.parametrize(
    ("step", "seasons", "n_cycles"),
    [
        (60, (1440,), 2),
        (3600, (24, 168), 2),
        (86_400, (7, 365), 2),
        (604_800, (52,), 1),
        (1e9, (), 0),
    ],
)
def test_the_step_of_rows_says_what_seasons_they_may_have(step, seasons, n_cycles):
    assert seasons_of(step) == seasons
    assert len(cycles_of(step)) == n_cycles


def test_a_gap_is_more_than_a_step_and_a_weekend_is_none():
    months = np.array(["2024-01", "2024-02", "2024-03", "2024-05"], "datetime64[M]")
    assert gaps(seconds(months), 31 * DAY) == 1
    weekdays = seconds(pd.bdate_range("2024-01-04", periods=10))
    assert gaps(weekdays, DAY) == 0
    assert gaps(np.delete(weekdays, 3), DAY) == 1
    assert gaps(np.arange(3.0), 0.0) == 0


def test_turns_are_parts_of_a_full_one():
    day = turns(np.array([0.0, 21_600.0, 86_400.0 * 3 + 43_200.0]), (86_400.0,))
    assert day[:, 0].tolist() == [0.0, 0.25, 0.5]
    assert turns(np.zeros(4), ()).shape == (4, 0)
