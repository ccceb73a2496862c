"""The recall map: which stretch of the past weighs how much, along the stream."""

from collections.abc import Iterable

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from mooe.plots import look
from mooe.results import Results

__all__ = ["interval_rows", "plot_recall"]

LEAST_WEIGHT = 1e-3  # smaller weights have the colour of this one
MOST_NAMED = 24  # lines of the map that have their rows written beside them
MOST_LINES = 120  # of the map; with more intervals, neighbours share a line


def interval_rows(results: Results) -> dict[int, tuple[int, int]]:
    """Return the first and last row of each interval that an expert stems from, oldest first."""
    found: dict[int, tuple[int, int]] = {}
    for moment in results.moments:
        found.update(zip(moment.names, moment.spans, strict=True))
    return dict(sorted(found.items()))


def has_gaps(spans: dict[int, tuple[int, int]]) -> bool:
    """Whether intervals lie between the experts': then a line stands for a concept."""
    return len(spans) > 1 and max(spans) - min(spans) >= len(spans)


def plot_recall(
    results: Results,
    *,
    marks: Iterable[float] | None = None,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw the recall map: a line per past interval, its expert's weight as colour along the rows.

    Above it the weight of the online expert. Where an expert was not born yet or has left, the map
    is blank. A concept that returns lights up the lines of its earlier visits.

    Parameters
    ----------
    results : Results
        Of a run that was watched: `moments` is not empty.
    marks, theme, figure
        As in `plot_windowed_results`.
    """
    if not results.moments:
        raise ValueError(
            "results must have moments (prequential(..., watch=True) of a learner with memory), "
            "got none"
        )
    with look.themed(theme) as colours:
        figure = look.sheet(figure, 4.6)
        strip, ax = figure.subplots(2, 1, sharex=True, height_ratios=[1, 5.5])
        edges = np.array([0, *(moment.row + 1 for moment in results.moments)])
        online = np.array([moment.weights[-1] for moment in results.moments])
        draw_online(strip, colours, edges, online)
        weights, borders = weight_map(results)
        part = colormaps[colours.colormap](np.linspace(*colours.colours, 256))
        mesh = ax.pcolormesh(
            edges,
            borders,
            weights,
            cmap=ListedColormap(part),
            norm=LogNorm(LEAST_WEIGHT, 1.0),
            rasterized=True,
        )
        draw_bar(figure, mesh, ax)
        if marks is not None:
            places = list(marks)
            for one in (strip, ax):
                look.draw_marks(one, colours, places)
        ax.set_xlim(0, max(results.rows, int(edges[-1])))
        ax.set_ylim(borders[0], borders[-1])
        look.count_ticks(ax.xaxis)
        ax.set_xlabel("rows of the stream")
        spans = interval_rows(results)
        if has_gaps(spans) and len(spans) <= MOST_LINES:
            texts = [f"{first:,}\u2013{last:,}" for first, last in spans.values()]
            each = -(-len(texts) // MOST_NAMED)
            ax.set_yticks(np.arange(0.5, len(texts))[::each], texts[::each])
            ax.set_ylabel("concepts, by the rows they began with")
        else:
            look.count_ticks(ax.yaxis)
            ax.set_ylabel("rows that the expert was fitted on")
    return figure, ax


def draw_online(ax: Axes, theme: look.Theme, edges: np.ndarray, online: np.ndarray) -> None:
    """In place: the online expert's weight as an area from 0 to 100 %."""
    steps = 100.0 * np.concatenate([online[:1], online])
    ax.fill_between(edges, steps, 0.0, step="pre", color=theme.soft, alpha=0.35, linewidth=0)
    ax.plot(edges, steps, drawstyle="steps-pre", color=theme.soft, linewidth=0.9)
    ax.axhline(50.0, color=theme.ink, linewidth=0.6, linestyle=(0, (4, 3)))
    ax.set_ylim(0, 100)
    ax.set_yticks([0, 50, 100])
    ax.set_ylabel("online\nexpert (%)")
    ax.tick_params(axis="x", length=0)


def draw_bar(figure: Figure, mesh: QuadMesh, ax: Axes) -> None:
    """In place: the scale of weights beside the map, in percent."""
    bar = figure.colorbar(mesh, ax=ax, extend="min", pad=0.02, aspect=28, fraction=0.05)
    bar.ax.yaxis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1.0]))
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.outline.set_visible(False)
    bar.set_label("weight of the expert (%)")


def weight_map(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (n_lines, n_moments), NaN where there is no expert, and the lines' borders.

    A line is an interval, or, where there are more than MOST_LINES, the next few of them, whose
    weights are added.
    """
    spans = interval_rows(results)
    per_line = max(1, -(-len(spans) // MOST_LINES))
    lines = {name: place // per_line for place, name in enumerate(spans)}
    weights = np.full((max(lines.values(), default=0) + 1, len(results.moments)), np.nan)
    for column, moment in enumerate(results.moments):
        for name, weight in zip(moment.names, moment.weights, strict=False):
            held = weights[lines[name], column]
            weights[lines[name], column] = weight + (0.0 if np.isnan(held) else held)
    if has_gaps(spans) and per_line == 1:
        return weights, np.arange(len(weights) + 1.0)
    borders = np.zeros(len(weights) + 1)
    borders[-1] = 1.0
    for name, (first, last) in spans.items():
        borders[0] = min(borders[0], first)
        borders[lines[name] + 1] = last + 1
    return weights, np.maximum.accumulate(borders)
