"""The forecaster that users hold."""

import numpy as np
import pytest
from sklearn.base import clone

from forecast.test_file import HOURS, series
from mooe.forecast import MOOEForecaster


def test_rows_one_by_one_equal_one_chunk():
    Y = series(120)
    one = MOOEForecaster(4).update(Y[:1], at=HOURS[:1])
    for t in range(1, 120):
        one.update(Y[t], at=HOURS[t])
    chunk = MOOEForecaster(4).update(Y, at=HOURS[:120])
    assert one.to_bytes() == chunk.to_bytes()
    assert one.seasons_ == chunk.seasons_ == (24,)
    assert one.n_rows_ == 120


def test_predicting_changes_nothing_and_inputs_are_left_alone():
    Y = series(100)
    Y.flags.writeable = False
    kept = Y.copy()
    model = MOOEForecaster(4).update(Y)
    before = model.to_bytes()
    first, second = model.predict(level=[50, 80]), model.predict(level=[50, 80])
    assert np.array_equal(first.mean, second.mean)
    assert model.to_bytes() == before
    assert np.array_equal(Y, kept)
    assert np.array_equal(model.forecast_.mean, first.mean)


def test_it_is_sensible_from_the_second_value_on():
    model = MOOEForecaster(6)
    for n, value in enumerate([10.0, 12.0, 11.0, 13.0]):
        forecast = model.update(value).predict()
        assert np.isfinite(forecast.mean).all()
        assert ((forecast.mean > 9.0) & (forecast.mean < 14.0)).all()
        if n:
            assert (forecast.lower[80] < forecast.mean).all()
            assert (forecast.mean < forecast.upper[80]).all()


def test_levels_that_are_not_followed_lie_between_those_that_are():
    model = MOOEForecaster(4).update(series(300, 1))
    asked = model.predict(3, level=[20, 50, 80, 90, 95, 99])
    assert asked.mean.shape == (3, 1)
    widths = [(asked.upper[one] - asked.lower[one]).mean() for one in (20, 50, 80, 90, 95, 99)]
    assert widths == sorted(widths)
    assert widths[0] < widths[1] < widths[2] < widths[3] < widths[4] < widths[5]
    assert list(model.predict(level=80).lower) == [80]


def test_a_level_may_be_a_number_of_numpy():
    model = MOOEForecaster(3).update(series(50))
    for level in (np.int64(80), np.float32(80)):
        assert np.array_equal(model.predict(level=level).lower[80], model.predict().lower[80])


@pytest.mark.parametrize("at", [HOURS[:40][::-1], np.repeat(HOURS[:1], 40)])
def test_times_that_do_not_ascend_are_refused(at):
    with pytest.raises(ValueError, match="at must hold times that ascend"):
        MOOEForecaster(3).update(series(40), at=at)


def test_a_whole_number_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="y must hold numbers"):
        MOOEForecaster(3).update([10**400])


def test_what_is_not_known_is_answered_and_late_values_are_filled_in():
    Y, at = series(200, 1), HOURS[:200]
    gap = Y.copy()
    gap[150:160] = np.nan
    model = MOOEForecaster(4).update(gap, at=at)
    assert np.isfinite(model.predict().mean).all()
    model.update(Y[198:199] + 0.5, at=at[198:199])
    assert model.n_rows_ == 200
    model.update(Y[:1], at=HOURS[200:201])
    assert model.n_rows_ == 201


def test_rows_one_by_one_equal_one_chunk_where_some_are_late_or_given_again():
    Y, at = series(60), HOURS[:60].copy()
    at[[20, 33, 34, 59]] = at[[20 - 5, 33, 33, 40]]
    one, chunk = MOOEForecaster(4), MOOEForecaster(4).update(Y, at=at)
    for row in range(60):
        one.update(Y[row : row + 1], at=at[row : row + 1])
    assert chunk.to_bytes() == one.to_bytes()
    assert chunk.n_rows_ == 57
    chunk.update(Y[:1], at=at[50:51])
    assert chunk.n_rows_ == 57


def test_late_rows_and_gaps_are_told_of():
    Y = series(60)
    model = MOOEForecaster(4).update(Y[:20], at=HOURS[:20])
    assert model.remarks_ == []
    model.update(Y[:4], at=HOURS[[20, 22, 21, 25]])
    late, gap = model.remarks_
    assert late == "1 row late, for a time seen before (filled in, not learnt)"
    assert gap == "2 rows behind a gap in the times (learnt as the next row)"
    assert model.update(Y[:1], at=HOURS[26]).remarks_ == []
    fitted = MOOEForecaster(4).fit(Y[:50], at=np.concatenate([HOURS[:49], HOURS[3:4]]))
    assert fitted.n_rows_ == 49
    assert "offline" in fitted.explain().weights[0]["weights"]


def test_a_masked_value_is_not_known_and_times_are_no_values():
    masked = np.ma.array([1.0, 2.0, 900.0], mask=[False, False, True])
    plain = MOOEForecaster(3).update([1.0, 2.0, np.nan])
    assert MOOEForecaster(3).update(masked).to_bytes() == plain.to_bytes()
    with pytest.raises(ValueError, match="y must hold numbers: times are none"):
        MOOEForecaster(3).update(np.array(["2024-01-01", "2024-01-02"], "datetime64[D]"))


def test_no_rows_are_no_rows_however_many_channels_there_are():
    model = MOOEForecaster(3).update([]).update(np.ones((5, 2)))
    before = model.to_bytes()
    assert model.update([]).n_rows_ == 5
    assert model.to_bytes() == before


def test_fit_begins_anew_and_has_an_offline_expert():
    model = MOOEForecaster(4, season=24).update(series(50)).fit(series(200))
    assert model.n_rows_ == 200
    assert "offline" in model.explain().weights[0]["weights"]


def test_a_clone_knows_nothing_and_says_so():
    model = clone(MOOEForecaster(4, season=7).update(series(30)))
    assert model.get_params() == {"horizon": 4, "season": 7, "levels": (80, 95), "memory": True}
    with pytest.raises(AttributeError, match="call update or fit first"):
        model.predict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.update(np.ones((2, 3))), "y must have 2 channels, got 3"),
        (lambda m: m.update(np.ones((1, 2)), X=[[1.0]]), "X must have 0 columns, got 1"),
        (lambda m: m.update(np.ones((1, 2)), at=0), "at must be given with no row"),
        (lambda m: m.update([["a", "b"]]), "y must hold numbers"),
        (lambda m: m.update([[1e200, 1.0]]), "size up to 1e"),
        (lambda m: m.predict(5), "h must be a whole number from 1 to 4, got 5"),
        (lambda m: m.predict(True), "h must be a whole number from 1 to 4, got True"),
        (lambda m: m.update(np.full(3, 1j)), "y must hold numbers: complex ones have no order"),
        (lambda _: MOOEForecaster(4, season=b"a").update([1.0]), "season must be 'auto'"),
        (lambda m: m.predict(level=101), "level must be a number above 0 and below 100"),
        (lambda m: m.predict(2, X_future=[[1.0], [2.0]]), "had no covariates"),
    ],
)
def test_an_error_leaves_the_model_as_it_was(call, message):
    model = MOOEForecaster(4).update(series(60))
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        call(model)
    assert model.to_bytes() == before


@pytest.mark.parametrize("kind", ["zeros", "constant", "counts", "spikes", "tiny"])
def test_odd_series_give_finite_forecasts(kind):
    rng = np.random.default_rng(0)
    y = {
        "zeros": np.zeros(200),
        "constant": np.full(200, 7.0),
        "counts": rng.poisson(0.3, 200).astype(float),
        "spikes": np.where(np.arange(200) % 50 == 0, 1e6, 0.0),
        "tiny": 1e-9 * rng.normal(size=200),
    }[kind]
    model = MOOEForecaster(12).update(y)
    forecast = model.predict()
    assert np.isfinite(forecast.mean).all()
    assert np.isfinite(forecast.lower[95]).all()
    if kind in ("zeros", "constant"):
        np.testing.assert_allclose(forecast.mean, y[0], atol=1e-9)
