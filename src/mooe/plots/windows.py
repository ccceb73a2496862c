"""Measures along the stream: every model window by window, and memory against no memory."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.measures import Measure, measure_of
from mooe.evaluate.results import Results
from mooe.plots import look

N_MARKERS = 10  # about so many on a line


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
    with look.themed(theme) as colours:
        figure = look.sheet(figure, 3.3)
        ax = figure.add_subplot()
        ends = []
        strokes = look.strokes(colours, [run.model for run in results])
        for run, stroke in zip(results, strokes, strict=True):
            rows, values = _windowed(run, shown)
            ax.plot(rows, values, label=run.model, markevery=_spacing(len(rows)), **stroke)
            known = values[~np.isnan(values)]
            if len(known):
                ends.append((run.model, float(known[-1]), stroke["color"]))
        if marks is not None:
            look.draw_marks(ax, colours, marks)
        ax.set_xlim(0, max(run.rows for run in results))
        ax.grid(axis="y")
        look.count_ticks(ax.xaxis)
        look.number_ticks(ax.yaxis)
        ax.set_xlabel("rows of the stream")
        ax.set_ylabel(shown.heading)
        ax.set_title(f"each point: the last {_window_words(results)}", color=colours.soft)
        look.label_ends(ax, ends)
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
    rows, gain = _gains(with_memory, without, shown)
    with look.themed(theme) as colours:
        figure = look.sheet(figure, 2.7)
        ax = figure.add_subplot()
        edges = np.concatenate([[0.0], rows])
        steps = np.concatenate([gain[:1], gain])
        good, bad = colours.series[0], colours.series[1]
        for part, colour, hatch in (
            (np.maximum(steps, 0.0), good, None),
            (np.minimum(steps, 0.0), bad, "////"),
        ):
            ax.fill_between(
                edges,
                part,
                0.0,
                step="pre",
                facecolor=colour,
                edgecolor=colours.paper,
                hatch=hatch,
                linewidth=0,
            )
        ax.axhline(0.0, color=colours.ink, linewidth=0.8)
        if marks is not None:
            look.draw_marks(ax, colours, marks)
        reach = 1.15 * float(np.nanmax(np.abs(gain), initial=0.0)) or 1.0
        low, high = np.nanmin(gain, initial=0.0), np.nanmax(gain, initial=0.0)
        ax.set_ylim(max(-reach, low - 0.25 * reach), min(reach, high + 0.25 * reach))
        ax.set_xlim(0, max(with_memory.rows, without.rows))
        ax.grid(axis="y")
        look.count_ticks(ax.xaxis)
        look.number_ticks(ax.yaxis, signed=True)
        ax.set_xlabel("rows of the stream")
        ax.set_ylabel(f"gain of memory\n({shown.name}, {shown.difference_unit or 'difference'})")
        ax.set_title(_memory_words(with_memory, without, shown))
        for place, text, colour in ((1.0, "memory\nhelps", good), (0.0, "memory\nhurts", bad)):
            ax.annotate(
                text,
                xy=(1.02, place),
                xycoords="axes fraction",
                color=colour,
                va="top" if place else "bottom",
                annotation_clip=False,
            )
    return figure, ax


def _windowed(results: Results, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return the last rows of the windows and a measure of each, in its unit; NaN where none."""
    rows = np.array([window["row"] for window in results.windows], dtype=np.float64)
    values = [window.get(measure.key, np.nan) for window in results.windows]
    return rows, measure.scale * np.array(values, dtype=np.float64)


def _gains(
    with_memory: Results, without: Results, measure: Measure
) -> tuple[np.ndarray, np.ndarray]:
    """Return the windows that both have and by how much memory is better in each."""
    rows, values = _windowed(with_memory, measure)
    other_rows, others = _windowed(without, measure)
    if not np.array_equal(rows, other_rows):
        raise ValueError(
            f"without must have the windows of with_memory, got {len(other_rows)} windows of "
            f"{without.window} rows, not {len(rows)} of {with_memory.window}"
        )
    return rows, values - others if measure.higher_is_better else others - values


def _memory_words(with_memory: Results, without: Results, measure: Measure) -> str:
    """Return the overall figures in a line."""
    value, other = (run.cumulative.get(measure.key, np.nan) for run in (with_memory, without))
    gain = measure.signed(measure.gain(value, other), like=value)
    return (
        f"{measure.name} {measure.text(value)} with memory, {measure.text(other)} without: "
        f"gain {gain} {measure.difference_unit}"
    ).strip()


def _window_words(results: tuple[Results, ...]) -> str:
    """Return 'N rows', or 'window' where the results differ."""
    sizes = {run.window for run in results}
    return f"{look.count(sizes.pop())} rows" if len(sizes) == 1 else "window"


def _spacing(n: int) -> int:
    """Return the distance of markers on a line of n points."""
    return max(1, n // N_MARKERS)
