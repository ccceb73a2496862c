"""Panels: bands around means, and records that are missing."""

from matplotlib.figure import Figure

from mooe.plots.style import THEMES
from mooe_paper.intervals.last_interval import AUTHORS, SOURCES, losses
from mooe_paper.intervals.panels import LABELS, band, known, stream_experiments, strokes_of


def test_a_band_reaches_from_low_to_high():
    ax = Figure().add_subplot()
    band(ax, [1, 2], [[0.0, -1.0, 1.0], [2.0, 1.0, 4.0]], {"color": "black"}, 1)
    assert ax.lines[0].get_ydata().tolist() == [0.0, 2.0]
    ends = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (ends.min(), ends.max()) == (-1.0, 4.0)


def test_a_missing_stream_has_no_record():
    records = {"a": {"missing": "fetch it"}, "b": {"loss": 1}}
    assert (known(records, "a"), known(records, "b"), known(records, "c")) == (
        None,
        {"loss": 1},
        None,
    )


def test_the_authors_models_look_like_ours():
    strokes = strokes_of(THEMES["dark"])
    assert strokes[AUTHORS[0]] == strokes["MOOE"]
    assert strokes[AUTHORS[1]] == strokes["OGD restarted"]
    assert {stroke["label"] for stroke in strokes.values()} == set(LABELS.values())


def test_quick_needs_no_download():
    assert [experiment.needs for experiment in stream_experiments(losses, quick=True)] == [()]
    full = stream_experiments(losses, quick=False)
    assert [experiment.name for experiment in full] == list(SOURCES)
    assert full[0].arguments["n_seeds"] == 30
