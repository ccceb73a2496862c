"""Series out of files and frames: which columns are what, and what is said of them."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas
import polars
import pytest

from mooe.forecast.grid import Grid
from mooe.forecast.series import frame_series, read_series
from mooe.streams.stream import StreamError


def written(tmp_path, text, name="table.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_text(text, encoding=encoding)
    return path


def days(n, start="2024-01-01"):
    return [str(np.datetime64(start) + k) for k in range(n)]


def table(tmp_path, header, rows, **options):
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
    return written(tmp_path, text + "\n", **options)


def test_a_column_of_times_and_one_of_values_is_all_that_is_needed(tmp_path):
    path = table(tmp_path, "when,sales", zip(days(30), range(30), strict=True))
    found = read_series(path)
    (series,) = found.series
    assert (found.columns.time, found.columns.targets, found.columns.id) == (
        "when",
        ("sales",),
        None,
    )
    assert series.grid.said() == "1 day"
    assert series.values[:, 0].tolist() == list(range(30))
    assert len(found.digest) == 64


def test_german_numbers_and_days_and_a_missing_day(tmp_path):
    rows = [f"{day[8:]}.{day[5:7]}.{day[:4]};{k},5" for k, day in enumerate(days(40)) if k != 7]
    text = "Datum;Umsätze\n" + "\n".join(rows)
    found = read_series(written(tmp_path, text, encoding="cp1252"))
    (series,) = found.series
    assert series.channels == ("Umsätze",)
    assert series.values[6:9, 0].tolist()[::2] == [6.5, 8.5]
    assert np.isnan(series.values[7, 0])
    assert any("1 time without a row (answered, not learnt)" in line for line in found.remarks)
    assert any("decimal commas" in line for line in found.remarks)


@pytest.mark.parametrize("form", ["%Y-%m", "%b %Y", "%m/%Y", "%m.%Y", "%Y-%m-%d", "%B %Y", "%b-%y"])
def test_months_are_read_as_they_are_written(tmp_path, form):
    months = pandas.date_range("1999-01-01", periods=144, freq="MS").strftime(form)
    path = table(tmp_path, "Month,Passengers", zip(months, range(144), strict=True))
    (series,) = read_series(path).series
    assert series.grid.said() == "1 month"
    assert series.grid.texts([143]) == ["2010-12-01"]


@pytest.mark.parametrize("form", ["{}Q{}", "{}-Q{}", "{} q{}", "Q{1} {0}", "Q{1}-{0}", "Q{1}/{0}"])
def test_quarters_are_read_as_they_are_written(tmp_path, form):
    quarters = [form.format(1999 + k // 4, k % 4 + 1) for k in range(40)]
    path = table(tmp_path, "Quarter,Sales", zip(quarters, range(40), strict=True))
    (series,) = read_series(path).series
    assert series.grid.said() == "3 months"
    assert series.grid.texts([39]) == ["2008-10-01"]


def test_a_fifth_quarter_is_left_out(tmp_path):
    rows = [("1999Q3", 1), ("1999Q4", 2), ("1999Q5", 3), ("2000Q1", 4)]
    found = read_series(table(tmp_path, "Quarter,Sales", rows), time="Quarter")
    assert found.series[0].values[:, 0].tolist() == [1.0, 2.0, 4.0]
    assert "1 row without a time that can be read (left out)" in found.remarks[-1]


def test_a_column_without_any_value_is_no_channel_and_that_is_said(tmp_path):
    rows = [(day, k, "") for k, day in enumerate(days(30))]
    found = read_series(table(tmp_path, "day,sales,remark", rows))
    assert found.columns.targets == found.series[0].channels == ("sales",)
    assert "remark holds nothing and is left out" in found.remarks
    assert read_series(tmp_path / "table.csv", target=["remark"]).columns.targets == ("remark",)


def test_a_number_that_may_stand_for_none_is_told_of(tmp_path):
    rows = [(day, 9999 if k in (40, 250) else k % 7) for k, day in enumerate(days(300))]
    said = "9999 stands 2 times in 'sales', far from all else"
    path = table(tmp_path, "day,sales", rows)
    assert any(said in line for line in read_series(path).remarks)
    found = read_series(path, na=["9999"])
    assert not any(said in line for line in found.remarks)
    assert np.isnan(found.series[0].values[[40, 250], 0]).all()
    grown = [(day, 2**k) for k, day in enumerate(days(40))]
    assert read_series(table(tmp_path, "day,sales", grown)).remarks == []


def test_times_that_look_like_numbers_are_read_as_the_user_says(tmp_path):
    rows = [(day.replace("-", ".", 1).replace("-", ""), k) for k, day in enumerate(days(40))]
    path = table(tmp_path, "when,sales", rows)  # 2024.0131
    found = read_series(path, time="when", date_format="%Y.%m%d")
    assert found.series[0].grid.said() == "1 day"
    assert found.columns.targets == ("sales",)


def test_years_are_numbers(tmp_path):
    path = table(tmp_path, "Year,n", [(1950 + k, k) for k in range(20)])
    (series,) = read_series(path).series
    assert series.channels == ("n",)
    assert series.grid.texts([20]) == ["1970"]


def test_days_as_whole_numbers_are_dates(tmp_path):
    path = table(tmp_path, "date,n", [(day.replace("-", ""), k) for k, day in enumerate(days(70))])
    (series,) = read_series(path).series
    assert series.grid.said() == "1 day"
    assert series.grid.texts([69]) == ["2024-03-10"]


def test_without_times_rows_are_equally_far_apart_and_that_is_said(tmp_path):
    found = read_series(table(tmp_path, "a,b", [(k, -k) for k in range(12)]))
    assert found.series[0].grid == Grid()
    assert found.series[0].channels == ("a", "b")
    assert found.remarks[0].startswith("no column of times: rows are taken as equally far apart")
    assert found.remarks[1] == "2 channels: a, b"


def test_columns_can_be_named(tmp_path):
    rows = [(day, day, k, 2 * k, "x") for k, day in enumerate(days(12))]
    path = table(tmp_path, "made,seen,a,b,c", rows)
    found = read_series(path, time="seen", target=["b"])
    assert (found.columns.time, found.columns.targets) == ("seen", ("b",))
    assert found.series[0].values[3, 0] == 6.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": ["sails"]}, "nearest: sales|'sails'"),
        ({"time": "wen"}, "time must be a column of table.csv, got 'wen'; nearest: when"),
        ({"id": "shop"}, "id must be a column of table.csv, got 'shop'"),
        ({"target": ["sales"], "time": "sales"}, "must be different columns, got 'sales'"),
        ({"time": "town"}, "time must hold times that can be read"),
        ({"target": ["town"]}, "'town' must be a number"),
    ],
)
def test_a_wrong_column_is_named_with_the_rule(tmp_path, options, words):
    rows = [(day, k, "Rome") for k, day in enumerate(days(5))]
    path = table(tmp_path, "when,sales,town", rows)
    with pytest.raises(StreamError, match=words):
        read_series(path, **options)


def test_a_table_without_numbers_is_refused(tmp_path):
    path = table(tmp_path, "when,town", [(day, "Rome") for day in days(5)])
    with pytest.raises(StreamError, match="must have a column of numbers to forecast"):
        read_series(path)


def test_a_cell_that_is_no_number_is_named_with_its_line_or_left_out(tmp_path):
    rows = [(day, k) for k, day in enumerate(days(1_500))]
    rows[1_200] = (rows[1_200][0], "=CMD()")
    path = table(tmp_path, "when,sales", rows)
    with pytest.raises(StreamError, match="line 1,202, column 'sales' must be a number"):
        read_series(path)
    found = read_series(path, skip_bad_rows=True)
    assert np.isnan(found.series[0].values[1_200, 0])
    assert any("1 row could not be read (left out)" in line for line in found.remarks)


def test_a_time_that_cannot_be_read_is_left_out_and_said(tmp_path):
    rows = [(day, k) for k, day in enumerate(days(20))]
    rows[5] = ("yesterday", 99)
    found = read_series(table(tmp_path, "when,sales", rows), time="when")
    assert np.isnan(found.series[0].values[5, 0])
    assert found.series[0].values[4, 0] == 4.0
    assert "1 row without a time that can be read (left out)" in found.remarks[-1]


def long_frame(n_series=3, n=20):
    parts = []
    for k in range(n_series):
        when = pandas.date_range(f"2024-01-{k + 1:02}", periods=n + k, freq="h")
        values = 100.0 * k + np.arange(n + k)
        parts.append(pandas.DataFrame({"unique_id": f"s{k}", "ds": when, "y": values}))
    return pandas.concat(parts, ignore_index=True)


@pytest.mark.parametrize("make", [lambda f: f, polars.from_pandas], ids=["pandas", "polars"])
def test_a_long_frame_is_many_series(make):
    found = frame_series(make(long_frame()))
    assert [each.name for each in found.series] == ["s0", "s1", "s2"]
    assert [len(each.values) for each in found.series] == [20, 21, 22]
    assert found.series[2].grid.texts([0]) == ["2024-01-03T00:00:00"]
    assert found.columns.targets == ("y",)


def test_rows_of_series_may_be_mixed():
    frame = long_frame()
    mixed = frame.sample(frac=1.0, random_state=1)
    for one, other in zip(
        frame_series(frame).series,
        sorted(frame_series(mixed).series, key=lambda each: each.name),
        strict=True,
    ):
        np.testing.assert_array_equal(one.values, other.values)


def test_a_file_and_its_frame_give_the_same_series(tmp_path):
    frame = long_frame()
    path = tmp_path / "long.csv"
    frame.to_csv(path, index=False)
    for one, other in zip(frame_series(frame).series, read_series(path).series, strict=True):
        assert (one.name, one.grid) == (other.name, other.grid)
        np.testing.assert_array_equal(one.values, other.values)


def test_a_series_of_one_row_has_the_step_of_most_others():
    frame = pandas.concat([long_frame(), long_frame(1, 1).assign(unique_id="short")])
    short = frame_series(frame).series[-1]
    assert (short.name, short.grid.said()) == ("short", "1 hour")


def test_other_columns_of_a_long_frame_are_not_forecast():
    assert frame_series(long_frame().assign(price=1.0)).columns.targets == ("y",)


def test_names_may_be_numbers_and_rows_without_one_are_left_out():
    frame = long_frame(2)
    frame["unique_id"] = frame["unique_id"].map({"s0": 1.0, "s1": np.nan})
    found = frame_series(frame)
    assert [each.name for each in found.series] == ["1.0"]
    assert any("21 rows without 'unique_id' (left out)" in line for line in found.remarks)


def test_a_column_that_may_tell_series_apart_is_hinted_at():
    frame = long_frame().rename(columns={"unique_id": "shop"})
    frame["ds"] = frame.groupby("shop").cumcount().map(lambda k: pandas.Timestamp(2024, 1, 1 + k))
    assert any("--id COLUMN names it" in line for line in frame_series(frame).remarks)
    assert len(frame_series(frame, id="shop").series) == 3


def test_times_with_a_zone_are_told_in_utc():
    frame = pandas.DataFrame(
        {"ds": pandas.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Rome"), "y": 1.0}
    )
    (series,) = frame_series(frame).series
    assert series.grid.texts([0]) == ["2024-03-29T23:00:00Z"]
    assert not np.isnan(series.values).any()


def test_a_series_goes_on_where_it_stopped(tmp_path):
    path = table(tmp_path, "when,sales", [(day, k) for k, day in enumerate(days(30))])
    grid = read_series(path).series[0].grid
    (series,) = read_series(path, known=lambda name: (grid, 25)).series
    assert (series.first, series.values[:, 0].tolist()) == (25, [25, 26, 27, 28, 29])


def test_standard_input_is_read_once(monkeypatch):
    text = "when,sales\n" + "".join(f"{day},{k}\n" for k, day in enumerate(days(9)))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    found = read_series("-")
    assert (found.name, found.rows) == ("standard input", 9)


def test_a_name_that_no_series_has_is_helped():
    with pytest.raises(StreamError, match=r"series must be a file or the name of a series.*ETTh1"):
        read_series("etth1")
    with pytest.raises(StreamError, match="got 'Electricity'; names: ETTh1"):
        read_series("Electricity")


def test_made_series_have_names():
    found = read_series("regimes")
    assert found.series[0].grid.said() == "1 hour"
    with pytest.raises(StreamError, match="target must be a column of regimes, got 'x'"):
        read_series("regimes", target=["x"])


def test_covariates_are_no_targets_and_rows_ahead_are_known(tmp_path):
    rows = [(day, k if k < 30 else "", k % 5) for k, day in enumerate(days(34))]
    path = table(tmp_path, "when,sales,price", rows)
    found = read_series(path, covariate=["price"])
    (series,) = found.series
    assert (found.columns.targets, found.columns.covariates) == (("sales",), ("price",))
    assert series.values[:, 0].tolist() == list(range(30))
    assert series.covariates[:, 0].tolist() == [k % 5 for k in range(30)]
    assert series.ahead[:, 0].tolist() == [k % 5 for k in range(30, 34)]
    assert found.remarks == [
        "price helps, and 4 rows ahead are known: the forecast uses them, the scores do without"
    ]
    (plain,) = read_series(path, target=["sales"], max_rows=30, covariate=["price"]).series
    assert (len(plain.values), len(plain.ahead)) == (30, 0)


def test_a_covariate_that_is_not_there_or_is_forecast_is_refused(tmp_path):
    path = table(tmp_path, "when,sales,price", [(day, 1, 2) for day in days(30)])
    with pytest.raises(StreamError, match="nearest: price"):
        read_series(path, covariate=["prize"])
    with pytest.raises(StreamError, match="be different columns, got 'price'"):
        read_series(path, target=["price"], covariate=["price"])
    with pytest.raises(StreamError, match="a made series has none"):
        read_series("seasons", covariate=["value"])
