"""The results of forecasting a table, and the JSON that the command prints of them."""

import json

import numpy as np
import pytest

from forecast.results import many_series, one_series, seven_channels
from mooe.forecast.results import of_channel


def test_the_json_has_what_is_promised():
    told = json.loads(json.dumps(one_series().summary()))
    assert (told["rows"], told["channels"], told["season"], told["horizon"]) == (400, 1, 24, 12)
    assert [line["h"] for line in told["by_horizon"]] == list(range(1, 13))
    for line in told["by_horizon"]:
        assert {"mse", "mae", "mase", "smape", "coverage", "crps", "pinball"} <= line.keys()
        assert set(line["coverage"]) == {"80", "95"}
        for naive in ("last_value", "seasonal_naive"):
            assert {"mse", "mae", "mase", "smape"} <= line[naive].keys()
    assert len(told["forecast"]) == 12
    first = told["forecast"][0]
    assert {"time", "mean", "bands", "channel"} == first.keys()
    assert first["bands"]["95"][0] < first["bands"]["80"][0] < first["mean"]


def test_the_forecast_goes_on_where_the_table_ends():
    result = one_series()
    grid = result.results[0].series.grid
    assert [line["time"] for line in result.summary()["forecast"]] == grid.texts(range(400, 412))


def test_channels_are_told_one_by_one_and_on_average():
    told = seven_channels().summary()
    assert len(told["by_channel"]) == 7
    assert told["overall"]["mse"] == pytest.approx(
        np.mean([line["mse"] for line in told["by_channel"]])
    )
    assert len(told["forecast"]) == 7 * 12
    scores = seven_channels().scores()["mooe"]
    assert of_channel(scores, 3).at(2)["mae"] == pytest.approx(scores.mae[1, 3])


def test_series_are_told_by_their_names():
    told = many_series().summary()
    assert (told["series"], told["rows"]) == (8, sum(150 + k for k in range(8)))
    assert [line["id"] for line in told["by_channel"]] == [f"s{k}" for k in range(8)]
    assert {line["id"] for line in told["forecast"]} == {f"s{k}" for k in range(8)}
