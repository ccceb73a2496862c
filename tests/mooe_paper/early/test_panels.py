"""Panels: bands around means, and records that are missing."""

from matplotlib.figure import Figure

from mooe.plots.look import THEMES
from mooe_paper.early.last_interval import AUTHORS
from mooe_paper.early.panels import LABELS, band, known, strokes_of


def test_a_band_reaches_from_low_to_high():
    ax = Figure().add_subplot()
    band(ax, [1, 2], [[0.0, -1.0, 1.0], [2.0, 1.0, 4.0]], {"color": "black"}, 1)
    assert ax.lines[0].get_ydata().tolist() == [0.0, 2.0]
    ends = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (ends.min(), ends.max()) == (-1.0, 4.0)


def test_a_missing_stream_has_no_record():
    found = {"a": {"missing": "fetch it"}, "b": {"loss": 1}}
    assert (known(found, "a"), known(found, "b"), known(found, "c")) == (None, {"loss": 1}, None)


def test_the_authors_models_look_like_ours():
    strokes = strokes_of(THEMES["dark"])
    assert strokes[AUTHORS[0]] == strokes["MOOE"]
    assert strokes[AUTHORS[1]] == strokes["OGD restarted"]
    assert {one["label"] for one in strokes.values()} == set(LABELS.values())
