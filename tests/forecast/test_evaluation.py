"""A series forecast from every row, judged, and forecast."""

import numpy as np
import pytest

from mooe.forecast import MOOEForecaster
from mooe.forecast.evaluation import evaluate
from mooe.forecast.grid import Grid
from mooe.forecast.naive import seasonal_naive
from mooe.forecast.series import Series

HOURS = Grid("seconds", 0.0, 3600.0)
RNG = np.random.default_rng(0)
DAY = 10.0 + np.sin(2 * np.pi * np.arange(400) / 24) + RNG.normal(0.0, 0.2, 400)


def made(values=DAY, grid=HOURS, first=0):
    values = np.asarray(values, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    channels = tuple(f"c{k}" for k in range(values.shape[1]))
    return Series("", channels, grid, first, values)


def test_forecasts_are_judged_from_the_end_of_the_warm_up_on():
    result = evaluate(made(), horizon=6)
    assert result.judged_from == 79
    assert result.scores["mooe"].judged[:, 0].tolist() == [320 - h + 1 for h in range(1, 7)]
    assert result.scores["mooe"].at()["mase"] < result.scores["last_value"].at()["mase"]
    lag = seasonal_naive(made().values, 3, 24)
    errors = [abs(DAY[t + 3] - lag[t, 0]) for t in range(79, 397)]
    assert result.scores["seasonal_naive"].at(3)["mae"] == pytest.approx(np.mean(errors))


def test_answers_follow_each_other_and_end_at_the_last_row():
    result = evaluate(made(), horizon=7)
    answers = result.answers
    rows = np.arange(400)
    told = answers.origin >= 0
    steps = (rows - answers.origin)[told]
    assert set(steps.tolist()) == set(range(1, 8))
    assert answers.origin[-1] == 399 - 7
    assert np.isnan(answers.mean[~told]).all()
    assert np.isfinite(answers.mean[told]).all()
    assert (answers.lower[95][told] <= answers.upper[95][told]).all()


def test_answers_are_those_of_a_forecaster_that_knows_no_more():
    result = evaluate(made(), horizon=7, warm_up=0)
    origin = int(result.answers.origin[-1])
    alone = MOOEForecaster(horizon=7).update(DAY[: origin + 1], at=3600.0 * np.arange(origin + 1))
    np.testing.assert_allclose(
        result.answers.mean[origin + 1 :, 0], alone.predict().mean[:, 0], rtol=1e-5
    )


def test_the_forecast_begins_after_the_last_row():
    result = evaluate(made(), horizon=3)
    lines = result.forecast_rows()
    assert [line["time"] for line in lines] == HOURS.texts([400, 401, 402])
    assert set(lines[0]["bands"]) == {"80", "95"}
    low, high = lines[0]["bands"]["80"]
    assert low < lines[0]["mean"] < high


def test_a_forecaster_goes_on_and_is_judged_on_what_is_new():
    at_once = evaluate(made(), horizon=6, warm_up=0)
    first = evaluate(made(DAY[:300]), horizon=6, warm_up=0)
    series = made(DAY[300:], first=300)
    result = evaluate(series, forecaster=first.forecaster, before=DAY[:300, None][-50:])
    assert result.begin == 50
    assert result.forecast_rows() == at_once.forecast_rows()
    assert {int(each.judged[0, 0]) for each in result.scores.values()} == {99}
    np.testing.assert_array_equal(result.answers.mean[-20:], at_once.answers.mean[-20:])


@pytest.mark.parametrize(
    "values",
    [
        np.ones(1),
        np.ones(40),
        np.full(30, np.nan),
        np.array([1.0, np.nan]),
        np.arange(3.0),
        np.where(np.arange(60) % 3, np.nan, 5.0),
        np.column_stack([np.arange(30.0), np.full(30, np.nan)]),
    ],
    ids=["one", "constant", "all NaN", "half NaN", "three", "holes", "one channel NaN"],
)
def test_any_series_is_answered(values):
    result = evaluate(made(values), horizon=12)
    assert len(result.forecast_rows()) == 12 * result.series.values.shape[1]
    told = result.forecast.mean[:, 0]
    assert np.isfinite(told).all() or np.isnan(values).all()


def test_the_future_changes_no_answer():
    other = DAY.copy()
    other[300:] = RNG.normal(size=100) * 1e3
    one, two = (evaluate(made(each), horizon=5, warm_up=0) for each in (DAY, other))
    for a, b in (
        (one.answers.mean, two.answers.mean),
        (one.answers.upper[95], two.answers.upper[95]),
    ):
        np.testing.assert_array_equal(a[:301][:295], b[:301][:295])


def test_regimes_are_told_row_by_row_with_their_visits():
    turns = np.arange(3_000) // 500 % 2
    hours = np.arange(3_000)
    shapes = [np.sin(2 * np.pi * hours / 24), 5.0 + 3.0 * np.cos(4 * np.pi * hours / 24)]
    values = np.where(turns == 0, *shapes) + RNG.normal(0.0, 0.1, 3_000)
    memory = evaluate(made(values), horizon=6).memory
    for regime in memory.regimes:
        own = np.zeros(3_000, dtype=bool)
        for first, last in regime["visits"]:
            own[first : last + 1] = True
        np.testing.assert_array_equal(memory.regime == regime["name"], own)
    assert any(len(regime["visits"]) > 1 for regime in memory.regimes)
    assert memory.weight.max() <= 1.0 + 1e-6
    assert evaluate(made(values), horizon=6, memory=False).memory is None
