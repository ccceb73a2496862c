"""Measures along the stream: every model window by window, and memory against no memory."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.measures import TRIVIAL_NAMES, Measure, measure_of
from mooe.evaluate.results import Results
from mooe.plots import style

N_MARKERS = 10  # about so many on a line
USUAL = 0.75  # of the windows: twice their largest error is where an axis may be cut,
PEAK = 2.0  # if others are so many times beyond


class _Line(NamedTuple):
    """What is drawn of a model."""

    model: str
    rows: np.ndarray
    values: np.ndarray
    colour: str


def plot_windowed_results(
    *results: Results,
    measure: str | None = None,
    marks: Iterable[float] | None = None,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw a measure of each window over the rows of the stream, a line for each result.

    Parameters
    ----------
    results : Results
        Of one stream; the first is drawn the widest.
    measure : str, optional
        One of `mooe.plots.MEASURES`; by default accuracy, in regression MAE.
    marks : iterable of float, optional
        Rows at which intervals or concepts change.
    theme : {"light", "dark"}
    figure : Figure, optional
        What to draw on instead of a new figure of pyplot.
    """
    if not results:
        raise ValueError("results must hold at least one Results, got none")
    shown = measure_of(results, measure)
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.3)
        ax = figure.add_subplot()
        ends, drawn = [], []
        strokes = style.strokes(colours, [run.model for run in results])
        for run, stroke in zip(results, strokes, strict=True):
            rows, values = _windowed(run, shown)
            drawn.append(_Line(run.model, rows, values, stroke["color"]))
            every = max(1, len(rows) // N_MARKERS)
            ax.plot(rows, values, label=run.model, markevery=every, **stroke)
            known = values[~np.isnan(values)]
            if len(known):
                ends.append((run.model, float(known[-1]), stroke["color"]))
        n_rows = max(run.rows for run in results)
        style.stream_axis([ax], colours, n_rows, marks, StreamAxis.of(results[0]))
        ax.grid(axis="y")
        style.number_ticks(ax.yaxis)
        ax.set_ylabel(shown.heading)
        cut = "" if shown.higher_is_better else _cut_peaks(ax, shown, drawn)
        sizes = {run.window for run in results}
        window = f"{style.count(sizes.pop())} rows" if len(sizes) == 1 else "window"
        style.write_title(ax, f"each point: the last {window}{cut}", color=colours.soft)
        style.label_ends(ax, ends)
    return figure, ax


def plot_memory(
    with_memory: Results,
    without: Results,
    *,
    measure: str | None = None,
    marks: Iterable[float] | None = None,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw what memory gains: the difference of a measure, window by window; above 0 is a gain.

    Parameters
    ----------
    with_memory, without : Results
        Of one stream, with the same windows.
    measure, marks, theme, figure
        As in `plot_windowed_results`. Where less is better, the difference is turned round.
    """
    shown = measure_of([with_memory, without], measure)
    rows, values = _windowed(with_memory, shown)
    other_rows, others = _windowed(without, shown)
    if not np.array_equal(rows, other_rows):
        raise ValueError(
            f"without must have the windows of with_memory, got {len(other_rows)} windows of "
            f"{without.window} rows, not {len(rows)} of {with_memory.window}"
        )
    gain = values - others if shown.higher_is_better else others - values
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 2.7)
        ax, narrow = figure.add_subplot(), style.is_narrow(figure)
        edges = np.concatenate([[0.0], rows])
        steps = np.concatenate([gain[:1], gain])
        for side, hatch, words, place, colour in (
            (np.maximum, None, "memory\nhelps", 1.0, colours.series[0]),
            (np.minimum, "////", "memory\nhurts", 0.0, colours.series[1]),
        ):
            area: Any = {"facecolor": colour, "edgecolor": colours.paper, "hatch": hatch}
            ax.fill_between(edges, side(steps, 0.0), 0.0, step="pre", linewidth=0, **area)
            align = "top" if place else "bottom"
            inside: Any = {"x": 0.99, "ha": "right"} if narrow else {"x": 1.02, "ha": "left"}
            words = words.replace("\n", " ") if narrow else words
            ax.text(y=place, s=words, color=colour, va=align, transform=ax.transAxes, **inside)
        ax.axhline(0.0, color=colours.ink, linewidth=0.8)
        n_rows = max(with_memory.rows, without.rows)
        style.stream_axis([ax], colours, n_rows, marks, StreamAxis.of(with_memory))
        reach = 1.15 * float(np.nanmax(np.abs(gain), initial=0.0)) or 1.0
        low, high = np.nanmin(gain, initial=0.0), np.nanmax(gain, initial=0.0)
        cut = None if shown.higher_is_better else reach_of(gain)
        if cut is not None:  # the few windows beyond the axis end at its edge
            reach, low, high = cut, max(low, -cut), min(high, cut)
        ax.set_ylim(max(-reach, low - 0.25 * reach), min(reach, high + 0.25 * reach))
        ax.grid(axis="y")
        style.number_ticks(ax.yaxis, signed=True)
        ax.set_ylabel(f"gain of memory\n({shown.name}, {shown.difference_unit or 'difference'})")
        value, other = (run.cumulative.get(shown.key, np.nan) for run in (with_memory, without))
        overall = shown.signed(shown.gain(value, other), like=value)
        title = f"{shown.name} {shown.text(value)} with memory, {shown.text(other)} without: "
        style.write_title(ax, f"{title}gain {overall} {shown.difference_unit}".strip())
    return figure, ax


def _windowed(results: Results, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return the last rows of the windows and a measure of each, in its unit; NaN where none.

    A short window at the end is left out: by fewer rows it would seem to say as much.
    """
    rows = np.array([window["row"] for window in results.windows], dtype=np.float64)
    values = [window.get(measure.key, np.nan) for window in results.windows]
    n = len(rows)
    if n > 1 and rows[-1] - rows[-2] < results.window:
        n -= 1
    return rows[:n], measure.scale * np.array(values[:n], dtype=np.float64)


def reach_of(*lines: np.ndarray, usual: float | None = None) -> float | None:
    """Return how far an axis of errors reaches where some are far above the usual, else None.

    `usual` is how far it should reach, by default twice what three quarters of the windows of
    every line are below.

    >>> reach_of(np.array([1.0] * 95 + [900.0] * 5)), reach_of(np.arange(10.0), np.arange(9.0))
    (2.0, None)
    """
    reach = usual_reach(*lines) if usual is None else usual
    largest = max((float(np.nanmax(np.abs(line))) for line in _known(lines)), default=0.0)
    return reach if 0.0 < PEAK * reach < largest else None


def usual_reach(*lines: np.ndarray) -> float:
    """Return twice what three quarters of the windows of every line are below."""
    quantiles = [float(np.nanquantile(np.abs(line), USUAL)) for line in _known(lines)]
    return 2.0 * max(quantiles, default=0.0)


def _known(lines: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Return the lines that have a value."""
    return [line for line in lines if not np.isnan(line).all()]


def _cut_peaks(ax: Axes, measure: Measure, drawn: list[_Line]) -> str:
    """In place: an axis for the usual errors; return what is beyond it, which its edge marks.

    Usual are those of all models that learn, and of the better one of those that do not.
    """
    learnt = [line.values for line in drawn if line.model not in TRIVIAL_NAMES]
    trivial = [line.values for line in drawn if line.model in TRIVIAL_NAMES]
    better = sorted(_known(tuple(trivial)), key=lambda values: float(np.nanmedian(values)))[:1]
    reach = reach_of(*learnt, *trivial, usual=usual_reach(*learnt, *better))
    if reach is None:
        return ""
    ax.set_ylim(0.0, reach)
    beyond, said = [], ""
    for line in drawn:
        is_above = line.values > reach
        if 2 * np.count_nonzero(is_above) > len(is_above):
            middle = measure.text(float(np.nanmedian(line.values)))
            said += f"; {line.model} is beyond the axis: {middle}"
            continue
        beyond += line.values[is_above].tolist()
        ax.plot(
            line.rows[is_above], np.full(np.count_nonzero(is_above), reach), linestyle="none",
            marker=10, markersize=6.0, color=line.colour, clip_on=False, zorder=6,
        )  # fmt: skip
    return said + (f"; ▲ {len(beyond)} up to {measure.text(max(beyond))}" if beyond else "")
