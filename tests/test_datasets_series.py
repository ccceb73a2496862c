"""The series that have a name, and those that are made."""

import lzma
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mooe.datasets import archive, describe, open_series, open_stream, series, short_series, verify
from mooe.streams.stream import StreamError, sha256_of

HERE = os.environ.get("MOOE_DATA_HOME")
needs_series = pytest.mark.skipif(
    not HERE or not (Path(HERE) / "forecast").is_dir(), reason="MOOE_DATA_HOME has no series"
)
SIZES = {"ETTh1": (17_420, 7), "ETTh2": (17_420, 7), "ETTm1": (69_680, 7), "WTH": (35_064, 12)}
STEPS = {"ETTh1": 3_600.0, "ETTh2": 3_600.0, "ETTm1": 900.0, "WTH": 3_600.0}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@needs_series
@pytest.mark.parametrize("name", SIZES)
def test_a_series_is_what_is_written_of_it(name):
    found = open_series(name)
    assert found.values.shape == SIZES[name]
    assert np.unique(np.diff(found.times)).tolist() == [STEPS[name]]
    assert found.season == (96 if name == "ETTm1" else 24)
    assert "time" not in found.channels
    assert np.isfinite(found.values).all()


@needs_series
def test_a_checksum_is_compared():
    assert verify("ETTh1").ok


def test_a_series_is_fetched_into_its_folder_and_compared(tmp_path, monkeypatch):
    text = "date,OT\r\n2016-07-01 00:00:00,30.5\r\n2016-07-01 01:00:00,27.8\r\n"
    home = tmp_path / "home"
    home.mkdir()
    (home / "ETTh1.csv").write_text(text, newline="")
    monkeypatch.setenv("MOOE_DATA_HOME", str(home))
    plain = text.replace("\r", "").encode()
    known = replace(series.SERIES["ETTh1"], sha256=sha256_of([plain]))
    path = archive.fetch_published(known)
    assert path.parent.name == "forecast"
    assert lzma.decompress(path.read_bytes()) == plain
    path.unlink()
    with pytest.raises(StreamError, match="sha256 of ETTh1"):
        archive.fetch_published(replace(known, sha256="0" * 64))


def test_times_of_quarters_are_made_anew(tmp_path):
    path = tmp_path / "ETTm1.csv"
    path.write_text("date,OT\nsome day,1.5\nanother,2.5\n")
    assert list(series._quarter_lines(path))[1:] == [
        "2016-07-01 00:00:00,1.5\n",
        "2016-07-01 00:15:00,2.5\n",
    ]


@pytest.mark.parametrize("name", series.MADE_SERIES)
def test_made_series_depend_on_their_seed_alone(name):
    one, again, other = open_series(name), open_series(name), open_series(name, seed=1)
    np.testing.assert_array_equal(one.values, again.values)
    assert not np.array_equal(one.values, other.values)
    assert np.isfinite(one.values).all()
    assert len(one.times) == len(one.values)


def test_seasons_repeat_and_growth_grows():
    daily = open_series("seasons").values[:, 0]
    assert np.corrcoef(daily[168:], daily[:-168])[0, 1] > 0.9
    grown = open_series("growth").values[:, 0]
    assert grown[-365:].mean() > 1.5 * grown[:365].mean()


def test_regimes_return_and_differ():
    made = series.regimes()
    ends = np.flatnonzero(np.diff(made.regime)) + 1
    visits = np.bincount([made.regime[at] for at in [0, *ends]])
    assert (visits >= 3).all()
    hours = np.arange(len(made.values)) % 24
    profiles = np.array(
        [
            [made.values[(made.regime == k) & (hours == h)].mean() for h in range(24)]
            for k in range(4)
        ]
    )
    apart = [np.abs(profiles[i] - profiles[j]).mean() for i in range(4) for j in range(i)]
    assert min(apart) > 4.0  # twice the noise of a step


def test_a_break_stays():
    made = series.breaks().values[:, 0]
    days = made[: len(made) // 24 * 24].reshape(-1, 24).mean(axis=1)
    assert np.abs(np.diff(days)).max() > 15.0
    assert series.breaks(n=600).values.shape == (600, 1)


def test_short_series_are_short_and_some_have_zeros():
    made = short_series()
    lengths = [len(each.values) for each in made]
    assert (len(made), min(lengths) >= 100, max(lengths) <= 1_000) == (300, True, True)
    assert sum((each.values == 0).any() for each in made) > 20
    assert min(each.values.min() for each in made) >= 0.0


def test_unknown_names_are_helped():
    with pytest.raises(StreamError, match="nearest: ETTh1"):
        open_series("etth1x")
    with pytest.raises(StreamError, match="mooe forecast ETTh1"):
        open_stream("ETTh1")


def test_series_are_listed():
    entries = {entry.name: entry for entry in describe() if entry.n_classes is None}
    assert list(entries) == [*series.SERIES, *series.MADE_SERIES]
    assert entries["ETTh1"].licence == "CC BY-ND 4.0"
    assert entries["regimes"].source.startswith("Make an hourly series of four regimes")
