"""Texts and times as numbers: indicators in bounded room, hour, weekday and season."""

import numpy as np
import pytest

from mooe.auto import inputs
from mooe.datasets import open_stream
from mooe.streams import columns, encoding

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def path(tmp_path):
    def write(text, name="d.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def written(cells):
    """Return a table of one column of texts and a label."""
    rows = (f"{cell};{row % 2}" for row, cell in enumerate(cells))
    return "\n".join(["x;y", *rows]) + "\n"


def test_the_calendar_has_hour_weekday_and_season(path):
    text = "when,x,y\n1970-01-01T06:00,1,0\n1970-07-02T18:00,2,1\nlater,3,0\n"
    stream = open_stream(path(text), label="y", time="when", calendar=True)
    assert stream.kinds == {"when": "time", "x": "number"}
    loaded = stream.load()
    parts = [f"when: {part}" for part in encoding.CALENDAR]
    days = ["when: weekday=Thursday"]
    assert list(loaded.feature_names) == ["x", *parts, *days]
    assert loaded.groups == (None,) * 5 + ("when: weekday",)
    np.testing.assert_allclose(loaded.X[0], [1, 1, 0, 0, 1, 1], atol=0.01)
    np.testing.assert_allclose(loaded.X[1], [2, -1, 0, 0, -1, 1], atol=0.02)
    np.testing.assert_array_equal(loaded.X[2], [3, *[np.nan] * 4, 0])
    assert stream.times is None
    (chunk,) = stream.chunks()
    assert chunk.n_missing == 5


def many(n, n_texts, start=0):
    return [f"t{start + row % n_texts}" for row in range(n)]


def test_texts_of_many_values_have_bounded_columns(path, monkeypatch):
    monkeypatch.setattr(encoding, "MOST_OWN", 200)
    cells = [*many(1_000, 150), *many(5_000, 5_000, 1_000)]
    stream = open_stream(path(written(cells)), label="y")
    assert not stream.is_narrow
    loaded = stream.load()
    assert len(loaded.feature_names) == 200 + encoding.N_SHARED
    assert set(loaded.groups) == {"x"}
    np.testing.assert_array_equal(loaded.X.sum(axis=1), 1.0)  # groups: one of them in each row
    small = [chunk.X[:, :] for chunk in stream.chunks(77)]
    wide = np.zeros_like(loaded.X)
    start = 0
    for X in small:
        wide[start : start + len(X), : X.shape[1]] = X
        start += len(X)
    np.testing.assert_array_equal(wide, loaded.X)


def test_a_narrow_table_stays_narrow(path):
    cells = [*many(1_000, 90), *many(3_000, 3_000, 1_000)]
    text = written(cells).replace("x;y", "x;y", 1)
    stream = open_stream(path(text), label="y")
    assert stream.is_narrow
    loaded = stream.load()
    assert len(loaded.feature_names) == columns.NARROW
    assert sum(name.startswith("x#") for name in loaded.feature_names) == encoding.N_SHARED_NARROW
    assert columns.NARROW == inputs.NARROW
