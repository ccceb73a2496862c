"""Times of any kind become a regular grid, and what was done to them is said."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from mooe.forecast.grid import DAY, HOUR, Grid, Oddities, grid_of, place
from mooe.streams.stream import StreamError


def seconds(*texts):
    return np.array([np.datetime64(text, "s").astype(np.int64) for text in texts], dtype=float)


def hours(start, n):
    return seconds(start)[0] + HOUR * np.arange(n)


def placed(times, values=None, **options):
    values = np.arange(float(len(times))) if values is None else np.asarray(values, dtype=float)
    return place(np.asarray(times, dtype=float), values[:, None], **options)


def test_regular_times_are_left_as_they_are():
    out = placed(hours("2024-01-01", 50))
    assert out.grid == Grid("seconds", seconds("2024-01-01")[0], HOUR)
    assert out.values[:, 0].tolist() == list(range(50))
    assert out.oddities == Oddities()
    assert out.oddities.words(out.grid) == ""


def test_a_missing_stamp_is_a_row_without_a_value():
    times = np.delete(hours("2024-01-01", 30), [4, 5, 20])
    out = placed(times)
    assert np.flatnonzero(np.isnan(out.values[:, 0])).tolist() == [4, 5, 20]
    assert out.oddities.empty == 3
    assert out.oddities.words(out.grid) == "3 times without a row (answered, not learnt)"


def test_half_of_the_stamps_may_be_missing():
    kept = np.sort(np.random.default_rng(0).choice(400, 200, replace=False))
    out = placed(seconds("2024-01-01")[0] + HOUR * kept)
    assert out.grid.said() == "1 hour"
    assert len(out.values) == kept[-1] - kept[0] + 1


def test_doubled_stamps_count_by_their_mean():
    times = hours("2024-01-02", 10)
    out = placed(np.append(times, times[3]), [*range(10), 5.0])
    assert out.values[3, 0] == 4.0
    assert out.oddities.doubled == 1
    assert "1 time given again (their mean counts)" in out.oddities.words(out.grid)


def test_rows_that_run_back_are_put_in_order():
    times = hours("2024-01-01", 40)[::-1]
    out = placed(times)
    assert out.values[:, 0].tolist() == list(range(39, -1, -1))
    assert out.oddities.back == 39
    assert "39 rows out of order (put in order)" in out.oddities.words(out.grid)


def test_local_hours_of_a_spring_and_an_autumn_change_are_known_as_such():
    utc = [datetime(2024, 3, 1) + timedelta(hours=k) for k in range(24 * 260)]
    spring, autumn = datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1)
    local = [t + timedelta(hours=1 + (spring <= t < autumn)) for t in utc]
    out = placed([t.replace(tzinfo=UTC).timestamp() for t in local])
    odd = out.oddities
    assert (odd.empty, odd.skipped_hours, odd.doubled, odd.doubled_hours) == (1, 1, 1, 1)
    words = odd.words(out.grid)
    assert "1 time skipped by daylight saving (answered, not learnt)" in words
    assert "1 time given twice by daylight saving (their mean counts)" in words
    assert len(out.values) == 24 * 260


def test_a_quarter_of_an_hour_knows_the_change_too():
    utc = [datetime(2024, 10, 26) + timedelta(minutes=15 * k) for k in range(96 * 4)]
    local = [t + timedelta(hours=1 + (t < datetime(2024, 10, 27, 1))) for t in utc]
    out = placed([t.replace(tzinfo=UTC).timestamp() for t in local])
    assert (out.oddities.doubled, out.oddities.doubled_hours, out.oddities.back) == (4, 4, 1)


def test_days_of_a_zone_are_days_whatever_its_clock_does():
    days = [24.0 * k - (1 if 60 <= k < 200 else 0) for k in range(300)]
    out = placed(seconds("2024-01-01T23:00")[0] + HOUR * np.array(days))
    assert out.grid.said() == "1 day"
    assert len(out.values) == 300
    assert not np.isnan(out.values).any()
    assert out.oddities.moved == 140


@pytest.mark.parametrize("day", ["01", "15", "31"])
def test_months_are_months_on_the_same_day_or_the_last(day):
    texts = [np.datetime64("2020-01") + k for k in range(30)]
    ends = [(month + 1).astype("datetime64[D]") - 1 for month in texts]
    days = [np.datetime64(f"{month}-{day}") if day != "31" else end
            for month, end in zip(texts, ends, strict=True)]  # fmt: skip
    out = placed(seconds(*days))
    assert (out.grid.kind, out.grid.step, out.grid.at_end) == ("months", 1.0, day == "31")
    assert out.grid.texts(range(30)) == [str(each) for each in days]
    assert out.grid.texts([31])[0] == ("2022-08-31" if day == "31" else f"2022-08-{day}")


@pytest.mark.parametrize(("n", "said"), [(3, "3 months"), (12, "12 months"), (2, "2 months")])
def test_quarters_and_years_are_months(n, said):
    days = [(np.datetime64("1990-01") + n * k).astype("datetime64[D]") for k in range(20)]
    assert placed(seconds(*days)).grid.said() == said


def test_two_months_are_months_and_four_weeks_are_not():
    assert placed(seconds("2024-01-01", "2024-02-01")).grid.said() == "1 month"
    assert placed(seconds("2024-01-01")[0] + 28 * DAY * np.arange(10)).grid.said() == "4 weeks"


def test_a_month_may_be_missing():
    days = seconds(*(f"2020-{month:02}-01" for month in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12)))
    out = placed(days)
    assert np.flatnonzero(np.isnan(out.values[:, 0])).tolist() == [3]


def test_days_of_work_have_no_weekends():
    days = [np.datetime64("2024-01-03") + k for k in range(40)]
    days = [day for day in days if np.is_busday(day)]
    out = placed(seconds(*days))
    assert out.grid.kind == "weekdays"
    assert len(out.values) == len(days)
    assert out.grid.texts(range(len(days))) == [str(day) for day in days]
    holiday = placed(np.delete(seconds(*days), 7))
    assert np.flatnonzero(np.isnan(holiday.values[:, 0])).tolist() == [7]


def test_jitter_is_taken_as_the_nearest_row():
    rng = np.random.default_rng(1)
    times = hours("2024-01-01", 200) + rng.uniform(-60, 60, 200)
    out = placed(times)
    assert out.grid.said() == "1 hour"
    assert out.values[:, 0].tolist() == list(range(200))
    assert "200 times between rows" not in out.oddities.words(out.grid)  # the first is a row
    assert "taken as the nearest row" in out.oddities.words(out.grid)


def test_irregular_times_are_means_of_equal_steps():
    rng = np.random.default_rng(2)
    times = seconds("2024-01-01")[0] + np.cumsum(rng.exponential(3600.0, 500))
    out = placed(times, np.ones(500))
    assert out.grid.bins
    assert out.grid.said() in ("30 minutes", "1 hour")
    assert np.nanmax(out.values) == np.nanmin(out.values) == 1.0
    assert "the mean within a row counts" in out.oddities.words(out.grid)


def test_numbers_are_times_too():
    out = placed([1990, 1991, 1993, 1994, 1995, 1996, 1997, 1998, 1999, 2000], has_dates=False)
    assert out.grid.kind == "number"
    assert out.grid.texts([0, 3]) == ["1990", "1993"]
    assert np.isnan(out.values[2, 0])


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6, 1e9])
def test_numbers_that_count_from_1970_are_dates_in_what_goes_on_too(unit):
    times = unit * hours("2024-01-01", 20)
    out = placed(times[:10], has_dates=False)
    assert out.grid.texts([1]) == ["2024-01-01T01:00:00"]
    more = placed(times[10:], has_dates=False, grid=out.grid, first=10)
    assert (len(more.values), more.oddities) == (10, Oddities())


@pytest.mark.parametrize("unit", [1e6, 1e9])
def test_a_model_that_learnt_such_numbers_as_they_are_goes_on_with_dates(unit):
    times = hours("2024-01-01", 20)
    before = Grid("number", unit * times[0], unit * HOUR)
    out = placed(times[10:], grid=before, first=10)
    assert (out.first, len(out.values), out.oddities) == (10, 10, Oddities())


def test_without_times_rows_are_rows():
    out = place(None, np.arange(5.0)[:, None])
    assert out.grid == Grid()
    assert out.grid.texts([4, 5]) == ["4", "5"]


def test_one_row_has_no_step():
    out = placed(hours("2024-01-01", 1))
    assert out.grid.kind == "rows"
    assert out.values.tolist() == [[0.0]]


def test_times_that_cannot_be_read_are_left_out_and_counted():
    times = hours("2024-01-01", 10)
    times[3] = np.nan
    out = placed(times)
    assert out.oddities.unreadable == out.oddities.empty == 1
    assert "1 row without a time that can be read (left out)" in out.oddities.words(out.grid)


def test_a_series_goes_on_and_what_is_too_late_is_left_out():
    first = placed(hours("2024-01-01", 10))
    times = hours("2024-01-01T08:00", 6)
    out = placed(np.append(times[:3], times[4:]), grid=first.grid, first=10)
    assert (out.first, out.oddities.late, out.oddities.empty) == (10, 2, 1)
    assert np.isnan(out.values[:, 0]).tolist() == [False, True, False, False]
    assert "2 rows too late" in out.oddities.words(out.grid)


def test_a_series_with_times_does_not_go_on_without():
    grid = placed(hours("2024-01-01", 10)).grid
    with pytest.raises(StreamError, match="times must be given, as rows are 1 hour apart"):
        place(None, np.ones((2, 1)), grid=grid, first=10)


def test_a_time_far_from_all_others_is_refused_and_named():
    times = np.append(hours("2024-01-01", 20), seconds("9024-01-01"))
    with pytest.raises(StreamError, match="2024-01-01T19:00:00 and then 9024-01-01"):
        placed(times)


def test_nothing_is_a_series_too():
    out = place(np.zeros(0), np.zeros((0, 1)))
    assert out.values.shape == (0, 1)


def test_all_values_may_be_missing():
    out = placed(hours("2024-01-01", 5), np.full(5, np.nan))
    assert np.isnan(out.values).all()
    assert out.oddities.missing == 5


@pytest.mark.parametrize(
    ("grid", "text", "n"),
    [
        (Grid("seconds", step=HOUR), "2d", 48),
        (Grid("seconds", step=HOUR), "90min", 2),
        (Grid("seconds", step=900.0), "1d", 96),
        (Grid("months"), "1y", 12),
        (Grid("months", step=3), "1y", 4),
        (Grid("weekdays"), "1w", 5),
        (Grid("weekdays"), "2w", 10),
        (Grid("seconds", step=DAY), "1w", 7),
        (Grid(), " 24 ", 24),
    ],
)
def test_a_length_of_time_is_a_number_of_rows(grid, text, n):
    assert grid.steps(text) == n


@pytest.mark.parametrize("text", ["0", "-3", "2 fortnights", "1.5", "", "0d", "nan"])
def test_a_length_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="horizon must be"):
        Grid("seconds", step=HOUR).steps(text)


def test_a_time_needs_dates():
    with pytest.raises(ValueError, match="must be in rows where times are no dates, got '2d'"):
        Grid("number").steps("2d")


@pytest.mark.parametrize(
    "grid",
    [
        Grid(),
        Grid("number", 1990.0, 1.0),
        Grid("seconds", 1e9, 900.0, has_zone=True),
        Grid("weekdays", float(seconds("2024-01-03")[0])),
        Grid("months", float(seconds("2024-01-31")[0]), 1.0, at_end=True),
    ],
)
def test_rows_and_times_agree_and_a_grid_is_noted(grid):
    rows = np.arange(-30, 500)
    assert grid.rows(grid.times(rows)).tolist() == rows.tolist()
    assert Grid.of(grid.noted()) == grid
    assert float(grid.times(7)) == grid.times([7])[0]
    if grid.has_dates:
        assert grid_of(grid.times(rows), has_zone=grid.has_zone).said() == grid.said()


@pytest.mark.parametrize("noted", [None, {}, {"kind": "rows"}, {**Grid().noted(), "step": -1.0}])
def test_what_is_no_grid_is_refused(noted):
    with pytest.raises(ValueError, match="grid must be one that was noted"):
        Grid.of(noted)


def test_times_with_a_zone_are_told_in_utc():
    out = placed(hours("2024-01-01", 10), has_zone=True)
    assert out.grid.texts([0]) == ["2024-01-01T00:00:00Z"]
