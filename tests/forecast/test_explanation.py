"""What a forecaster tells of itself."""

import pytest

from forecast.test_file import series
from mooe.forecast import MOOEForecaster


def test_weights_are_told_by_channel_and_steps_and_sum_to_one():
    told = MOOEForecaster(10, season=24).update(series(200)).explain()
    steps = [(one["channel"], one["first"], one["last"]) for one in told.weights]
    assert steps == [(i, a, b) for i in (0, 1) for a, b in ((1, 1), (2, 3), (4, 7), (8, 10))]
    for one in told.weights:
        assert sum(one["weights"].values()) == pytest.approx(1.0)
        assert list(one["weights"].values()) == sorted(one["weights"].values(), reverse=True)


def test_what_moved_adds_up_to_the_change_that_is_forecast():
    Y = series(200, 1)
    model = MOOEForecaster(4, season=24).update(Y)
    told = model.explain().weights[0]
    change = model.predict(1).mean[0, 0] - Y[-1, 0]
    assert sum(told["moved"].values()) == pytest.approx(change, abs=1e-9)
    assert told["moved"]["last value"] == 0.0


def test_a_regime_has_the_title_that_its_user_gave_it():
    model = MOOEForecaster(4, season=24).update(series(200, 1))
    regime = model.explain().regime
    assert (regime.called, regime.visits, regime.rows) == ("regime 1", ((0, 199),), 200)
    model.notes["titles"] = {"1": "winter"}
    assert "winter" in str(model.explain())
    assert MOOEForecaster(4, memory=False).update(series(50)).explain().regimes == []
