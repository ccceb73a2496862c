"""The file of a forecaster: restart == never stopped; damaged and forged ones are refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import numpy as safetensors

from mooe.forecast import MOOEForecaster
from mooe.forecast.file import FORMAT
from mooe.modelfile import KEY, ModelFileError, digest, dump, read_header


def series(n=300, n_channels=2, seed=0):
    rng = np.random.default_rng(seed)
    at = np.arange(n)[:, None]
    return np.sin(at * 2 * np.pi / 24 + np.arange(n_channels)) + rng.normal(0, 0.2, (n, n_channels))


HOURS = np.datetime64("2024-01-01T00", "s") + np.arange(400) * np.timedelta64(3600, "s")


@pytest.mark.parametrize("with_times", [False, True])
@pytest.mark.parametrize("cut", [1, 30, 47, 48, 250])
def test_saved_loaded_and_continued_equals_never_stopped(cut, with_times):
    Y = series()
    at = HOURS[:300] if with_times else None
    whole = MOOEForecaster(5).update(Y, at=at)
    parts = MOOEForecaster(5).update(Y[:cut], at=None if at is None else at[:cut])
    again = MOOEForecaster.from_bytes(parts.to_bytes())
    again.update(Y[cut:], at=None if at is None else at[cut:])
    assert again.to_bytes() == whole.to_bytes()
    assert again.get_params() == whole.get_params()


def test_notes_and_choices_come_back(tmp_path):
    model = MOOEForecaster(3, season=[24, 168], levels=(50,), memory=False).update(series())
    model.notes["channels"] = ["load", "oil"]
    model.save(tmp_path / "model.mooe")
    again = MOOEForecaster.load(tmp_path / "model.mooe")
    assert again.notes == {"channels": ["load", "oil"]}
    assert (again.season, again.levels, again.memory) == ((24, 168), (50,), False)
    assert again.to_bytes() == model.to_bytes()


def changed(blob, **changes):
    """Return a forged file: other header or arrays, and a checksum that is right."""
    begin = 8 + int.from_bytes(blob[:8], "little")
    whole = json.loads(json.loads(blob[8:begin])["__metadata__"][KEY])
    header, tensors = json.loads(whole["header"]), safetensors.load(blob)
    for name, value in changes.items():
        if name == "block":
            tensors["block"] = value(tensors["block"])
        elif name == "counters":
            header["counters"] |= value
        else:
            header[name] = value
    text = dump(header)
    return safetensors.save(tensors, {KEY: dump({"header": text, "sha256": digest(text, tensors)})})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": FORMAT + 1}, "newer mooe"),
        ({"format": "1"}, "damaged"),
        ({"kind": "table"}, "another kind"),
        ({"counters": {"season": 0}}, "at least 1"),
        ({"counters": {"in_charge": 8}}, "in_charge"),
        ({"counters": {"n_channels": 5}}, "block must hold"),
        ({"counters": {"n_rows": -1}}, "n_rows"),
        ({"block": lambda block: block[:-8]}, "block must hold"),
        ({"block": lambda block: np.where(np.arange(len(block)) == 0, np.nan, block)}, "finite"),
        ({"cycles": [24.0, 1.0]}, "cycles"),
    ],
)
def test_what_no_rows_lead_to_is_refused(changes, message):
    blob = MOOEForecaster(3, season=24).update(series(60)).to_bytes()
    with pytest.raises(ModelFileError, match=message):
        MOOEForecaster.from_bytes(changed(blob, **changes))
    assert MOOEForecaster.from_bytes(changed(blob)).to_bytes() == blob


def test_a_damaged_file_is_refused_by_name(tmp_path):
    blob = bytearray(MOOEForecaster(3).update(series(30)).to_bytes())
    blob[-5] ^= 1
    (tmp_path / "bad.mooe").write_bytes(blob)
    with pytest.raises(ModelFileError, match=r"bad\.mooe: its checksum"):
        MOOEForecaster.load(tmp_path / "bad.mooe")
    with pytest.raises(ModelFileError):
        MOOEForecaster.from_bytes(bytes(blob[:100]))


GOLDEN = Path(__file__).parent / "golden"
KEPT = {"format1": 1, "format2": 2, "format2-times": 2}


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_file_answers_as_when_it_was_written(name):
    path = GOLDEN / f"{name}.mooe"
    known = json.loads(path.with_suffix(".json").read_text())
    model = MOOEForecaster.load(path)
    ahead = model.predict()
    np.testing.assert_array_equal(ahead.mean, known["mean"])
    np.testing.assert_array_equal(ahead.lower[80], known["lower"])
    np.testing.assert_array_equal(ahead.upper[80], known["upper"])
    assert json.loads(read_header(path.read_bytes())[0])["format"] == KEPT[name]
    assert KEPT[name] < FORMAT or model.to_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_file_learns_on_one_by_one_as_in_one_go(name):
    whole, parts = (MOOEForecaster.load(GOLDEN / f"{name}.mooe") for _ in range(2))
    more = np.array(json.loads((GOLDEN / f"{name}.json").read_text())["rows"])[:30]
    state, times = whole._model.state, whole._model.has_times
    X = np.ones((30, 1)) if state.n_covariates else None
    at = whole._model.last + 3600.0 * np.arange(1, 31) if times else None
    whole.update(more, X, at)
    for t in range(30):
        of_row = (None if some is None else some[t : t + 1] for some in (X, at))
        parts.update(more[t : t + 1], *of_row)
    assert parts.to_bytes() == whole.to_bytes()
    assert np.isfinite(whole.predict().mean).all()


def test_there_is_no_kept_file_that_nobody_reads():
    assert {path.stem for path in GOLDEN.glob("*.mooe")} == set(KEPT)
    assert max(KEPT.values()) == FORMAT


def test_a_file_of_the_first_format_goes_on_without_experts_that_came_later():
    known = json.loads((GOLDEN / "format1.json").read_text())
    model = MOOEForecaster.load(GOLDEN / "format1.mooe")
    more = np.array(known["rows"])[:12]
    weights = model.update(more).explain().weights
    assert not {"trend", "mean reversion"} & set(weights[0]["weights"])
    assert MOOEForecaster.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_a_file_of_the_first_format_gains_them_on_request():
    known = json.loads((GOLDEN / "format1.json").read_text())
    more = np.array(known["rows"])[:24]
    plain, model = (MOOEForecaster.load(GOLDEN / "format1.mooe") for _ in range(2))
    assert model.upgrade() is model
    assert {"trend", "trend growing", "mean reversion"} <= set(
        model.update(more[:1]).explain().weights[0]["weights"]
    )
    assert model.upgrade().to_bytes() == model.to_bytes()  # a second time changes nothing
    model.update(more[1:])
    assert np.abs(model.predict().mean - plain.update(more).predict().mean).max() < 5.0
