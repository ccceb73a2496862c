"""Many series in one frame, each with its own State, in one file."""

import numpy as np
import pandas
import polars
import pytest

from mooe.forecast import MOOEForecaster
from mooe.forecast.frames import FrameForecaster, Place, load_all
from mooe.modelfile import ModelFileError

RNG = np.random.default_rng(0)
DAYS = pandas.date_range("2024-01-01", periods=80)


def long_frame(names=("a", "b"), n=80):
    parts = [
        pandas.DataFrame(
            {
                "unique_id": name,
                "ds": DAYS[:n],
                "y": 10.0 * k + np.arange(n) % 7 + RNG.normal(size=n),
            }
        )
        for k, name in enumerate(names)
    ]
    return pandas.concat(parts, ignore_index=True)


FRAME = long_frame()


def fitted(**options):
    return FrameForecaster(horizon=5, levels=(80, 95), **options).update(FRAME)


def test_every_series_is_forecast_as_if_it_were_alone():
    both = fitted().predict()
    assert both.columns.tolist() == [
        "unique_id", "ds", "MOOE", "MOOE-lo-80", "MOOE-hi-80", "MOOE-lo-95", "MOOE-hi-95",
    ]  # fmt: skip
    for name, part in FRAME.groupby("unique_id"):
        own = both[both["unique_id"] == name]
        alone = (
            MOOEForecaster(horizon=5).update(part["y"].to_numpy().copy(), at=part["ds"]).predict()
        )
        np.testing.assert_array_equal(own["MOOE"], alone.mean[:, 0])
        np.testing.assert_array_equal(own["MOOE-hi-95"], alone.upper[95][:, 0])
        assert own["ds"].tolist() == pandas.date_range("2024-03-21", periods=5).tolist()


def test_a_frame_learnt_in_two_parts_is_a_frame_learnt_at_once():
    early = FRAME[FRAME["ds"] < "2024-02-10"]
    late = FRAME[FRAME["ds"] >= "2024-02-10"]
    two = FrameForecaster(horizon=5).update(early).update(late)
    pandas.testing.assert_frame_equal(two.predict(), fitted().predict())


def test_saved_loaded_and_continued_is_never_stopped(tmp_path):
    early, late = FRAME[FRAME["ds"] < "2024-02-10"], FRAME[FRAME["ds"] >= "2024-02-10"]
    path = tmp_path / "many.mooe"
    FrameForecaster(horizon=5).update(early).save(path)
    again = FrameForecaster.load(path).update(late)
    pandas.testing.assert_frame_equal(again.predict(), fitted().predict())
    path.unlink()
    again.save(path)
    assert load_all(path)["a"].to_bytes() == fitted().forecasters_["a"].to_bytes()


def test_what_is_known_already_is_left_out_and_said():
    model = fitted()
    before = model.predict()
    model.update(FRAME)
    pandas.testing.assert_frame_equal(model.predict(), before)
    assert "160 rows too late" in model.remarks_[-1]


def test_a_series_may_come_later():
    model = FrameForecaster(horizon=3).update(long_frame(("a",)))
    model.update(long_frame(("late",), 30))
    assert list(model.forecasters_) == ["a", "late"]
    assert len(model.predict()) == 6


def test_a_refused_frame_changes_nothing():
    model = fitted()
    before = model.predict()
    with pytest.raises(ValueError, match="times must be given, as rows are 1 day apart"):
        model.update(FRAME.drop(columns="ds"))
    pandas.testing.assert_frame_equal(model.predict(), before)


def test_forecasts_are_frames_of_the_user_s_library():
    made = FrameForecaster(horizon=2, levels=()).update(polars.from_pandas(FRAME)).predict()
    assert isinstance(made, polars.DataFrame)
    assert made["ds"].to_list()[0].isoformat() == "2024-03-21T00:00:00"


def test_several_columns_are_forecast_by_their_names():
    wide = pandas.DataFrame({"when": DAYS, "up": np.arange(80.0), "down": -np.arange(80.0)})
    made = FrameForecaster(horizon=2, levels=(90,)).update(wide).predict()
    assert made.columns.tolist() == [
        "when", "up", "up-lo-90", "up-hi-90", "down", "down-lo-90", "down-hi-90",
    ]  # fmt: skip


def test_one_series_is_saved_as_one_forecaster(tmp_path):
    path = tmp_path / "one.mooe"
    FrameForecaster(horizon=2).update(
        FRAME[FRAME["unique_id"] == "a"].drop(columns="unique_id")
    ).save(path)
    one = MOOEForecaster.load(path)
    assert Place.of(one).grid.texts([Place.of(one).next]) == ["2024-03-21"]
    assert list(FrameForecaster.load(path).forecasters_) == [""]


@pytest.mark.parametrize("cut", [0, 100, -10])
def test_a_damaged_file_is_refused_and_named(tmp_path, cut):
    path = tmp_path / "many.mooe"
    fitted().save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ModelFileError, match=r"many\.mooe: "):
        load_all(path)


def test_a_byte_that_changed_is_seen(tmp_path):
    path = tmp_path / "many.mooe"
    fitted().save(path)
    blob = bytearray(path.read_bytes())
    blob[-5] ^= 1
    path.write_bytes(bytes(blob))
    with pytest.raises(ModelFileError, match="checksum"):
        load_all(path)


def test_nothing_is_forecast_before_a_frame_is_seen():
    with pytest.raises(AttributeError, match="has not seen a frame yet"):
        FrameForecaster().predict()


def test_fit_begins_anew():
    model = fitted().fit(long_frame(("c",)))
    assert list(model.forecasters_) == ["c"]
