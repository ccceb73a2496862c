"""A table forecast: plans, saved forecasters that go on, answers as a file."""

import csv

import numpy as np
import pytest

from mooe.forecast.frames import load_all
from mooe.forecast.grid import DAY, Grid
from mooe.run.forecast import ForecastPlan, ForecastRun, horizon_of, season_of, warm_up_of
from mooe.streams.stream import StreamError

RNG = np.random.default_rng(5)
VALUES = 20.0 + 5.0 * np.sin(2 * np.pi * np.arange(300) / 7) + RNG.normal(0.0, 0.5, 300)


def written(path, first=0, last=300, names=None):
    lines = ["unique_id,ds,y" if names else "ds,y"]
    for name in names or [None]:
        for row in range(first, last):
            day = np.datetime64("2023-01-01") + row
            lines.append(f"{f'{name},' if name else ''}{day},{VALUES[row]}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def carried_out(source, resumed=None, **options):
    run = ForecastRun(ForecastPlan(source, **options), resumed)
    run.go()
    return run


def test_a_run_saved_and_gone_on_with_forecasts_as_one_that_never_stopped(tmp_path):
    model = tmp_path / "model.mooe"
    whole = carried_out(written(tmp_path / "all.csv"), horizon="1w", warm_up="0")
    carried_out(written(tmp_path / "early.csv", 0, 200), horizon="1w", warm_up="0").save(model)
    # Rows that were learnt already are in the second file too, and are left out.
    later = carried_out(written(tmp_path / "late.csv", 150, 300), load_all(model))
    assert later.results.summary()["forecast"] == whole.results.summary()["forecast"]
    assert later.results.rows == 100
    assert any("50 rows too late" in line for line in later.results.remarks)
    later.save(model)
    whole.save(tmp_path / "whole.mooe")
    assert model.read_bytes() == (tmp_path / "whole.mooe").read_bytes()


def test_many_series_go_on_too_and_new_ones_begin(tmp_path):
    model = tmp_path / "model.mooe"
    carried_out(written(tmp_path / "a.csv", 0, 200, ["a", "b"]), horizon="3").save(model)
    later = carried_out(written(tmp_path / "b.csv", 200, 260, ["b", "c"]), load_all(model))
    assert [each.series.name for each in later.results.results] == ["b", "c"]
    assert list(later.forecasters) == ["a", "b", "c"]
    assert "1 series of the model without a new row" in later.results.remarks
    assert later.results.horizon == 3


def test_answers_have_every_row_once_and_what_comes(tmp_path):
    run = carried_out(written(tmp_path / "all.csv"), horizon="7")
    run.write_answers(tmp_path / "answers.csv")
    lines = list(csv.DictReader((tmp_path / "answers.csv").read_text().splitlines()))
    assert [line["time"] for line in lines] == [
        str(np.datetime64("2023-01-01") + k) for k in range(307)
    ]
    assert list(lines[0]) == [
        "time", "made_at", "h", "channel", "actual", "mean",
        "lower_80", "upper_80", "lower_95", "upper_95",
    ]  # fmt: skip
    assert [line["actual"] for line in lines[-7:]] == [""] * 7
    assert [line["h"] for line in lines[-7:]] == list("1234567")
    told = lines[200]
    assert told["made_at"] < told["time"]
    assert float(told["lower_95"]) < float(told["mean"]) < float(told["upper_95"])


def test_the_same_plan_gives_the_same_results(tmp_path):
    one, other = (carried_out("breaks", horizon="12").results.summary() for _ in range(2))
    for told in (one, other):
        del told["seconds"], told["rows_per_second"]
    assert one == other


def test_a_forecaster_without_times_of_its_series_is_refused(tmp_path):
    from mooe.forecast import MOOEForecaster

    MOOEForecaster(horizon=3).update(VALUES).save(tmp_path / "bare.mooe")
    with pytest.raises(ValueError, match="forecaster must keep the times of its series"):
        carried_out(written(tmp_path / "all.csv"), load_all(tmp_path / "bare.mooe"))


def test_a_table_whose_times_cannot_be_read_is_refused(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("ds,y\nsoon,1\nlater,2\n")
    with pytest.raises(StreamError, match="time must hold times that can be read"):
        carried_out(str(path), options={"time": "ds"})


@pytest.mark.parametrize(
    ("grid", "n"),
    [
        (Grid("seconds", step=3600.0), 24),
        (Grid("seconds", step=900.0), 96),
        (Grid("seconds", step=1.0), 96),
        (Grid("seconds", step=DAY), 14),
        (Grid("seconds", step=7 * DAY), 13),
        (Grid("months"), 12),
        (Grid("months", step=3), 4),
        (Grid("months", step=12), 5),
        (Grid("weekdays"), 10),
        (Grid(), 12),
    ],
)
def test_a_horizon_that_nobody_says_suits_the_times(grid, n):
    assert horizon_of(None, grid) == n


def test_seasons_are_rows_or_times():
    assert season_of("auto", Grid()) == "auto"
    assert season_of("7", Grid()) == [7]
    assert season_of("none", Grid()) == ()
    with pytest.raises(ValueError, match="season must be a number of rows"):
        season_of("sometimes", Grid())


@pytest.mark.parametrize("text", ["-1", "120%", "x", "1.5", ""])
def test_a_warm_up_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="warm_up must be a number of rows"):
        warm_up_of(text, 10)
