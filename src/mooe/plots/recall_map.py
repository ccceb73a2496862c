"""The recall map: which regime or stretch of the past weighs how much, along the stream."""

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.results import Results
from mooe.explanation import regime_text
from mooe.plots import style

LEAST_WEIGHT = 1e-3  # smaller weights have the colour of this one
MOST_NAMED = 24  # regimes that have their names written beside them
THIN = 0.25  # least height of the line of all that has no name, a regime's is 1
MOST_LINES = 120  # of the map; with more intervals, neighbours share a line


def interval_rows(results: Results) -> dict[int, tuple[int, int]]:
    """Return the first and last row of each interval that an expert stems from, oldest first."""
    spans: dict[int, tuple[int, int]] = {}
    for moment in results.moments:
        spans.update(zip(moment.names, moment.spans, strict=True))
    return dict(sorted(spans.items()))


def plot_recall(
    results: Results,
    *,
    marks: Iterable[float] | None = None,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw the recall map: a line per regime, the memory's weight as colour where it is in charge.

    Rows in the charge of no regime that has a name and is known at the end share a thin line,
    "others". In paper mode a line is a past interval, its colour the weight of its expert; where
    that was not born yet or has left, the map is blank, and a concept that returns lights up the
    lines of its earlier visits. Above the map the weight of the online experts.

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
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 4.6)
        strip, ax = figure.subplots(2, 1, sharex=True, height_ratios=[1, 5.5])
        edges = _moment_edges(results)
        online = np.array([moment.weights[-1] for moment in results.moments])
        of_regimes = results.remembers == "regimes"
        _draw_online(strip, colours, edges, online, "experts" if of_regimes else "expert")
        norm = Normalize(0.0, 1.0) if of_regimes else LogNorm(LEAST_WEIGHT, 1.0)
        weights, borders, places = regime_map(results) if of_regimes else weight_map(results)
        part = colormaps[colours.colormap](np.linspace(*colours.colours, 256))
        mesh = ax.pcolormesh(
            places, borders, weights, cmap=ListedColormap(part), norm=norm, rasterized=True
        )
        if of_regimes:
            _draw_bar(figure, mesh, ax, [0.0, 0.25, 0.5, 0.75, 1.0], "weight of the memory (%)")
            _name_lines(ax, colours, results, borders)
        else:
            _draw_bar(figure, mesh, ax, [0.001, 0.01, 0.1, 1.0], "weight of the expert (%)")
            _fitted_axis(ax, StreamAxis.of(results), results.rows)
        n_rows, along = max(results.rows, int(edges[-1])), StreamAxis.of(results)
        style.stream_axis([strip, ax], colours, n_rows, marks, along)
        ax.set_ylim(borders[0], borders[-1])
    return figure, ax


def _name_lines(ax: Axes, theme: style.Theme, results: Results, borders: np.ndarray) -> None:
    """In place: the names of the regimes beside their lines, and borders between these."""
    narrow = style.is_narrow(ax.get_figure())
    texts = [_line_name(regime, narrow) for regime in results.concepts]
    middles = (borders[:-1] + borders[1:]) / 2
    each = max(1, -(-len(texts) // MOST_NAMED))
    named = list(zip(middles.tolist(), texts, strict=False))[::each]
    if len(borders) > len(texts) + 1:
        named.append((middles[-1], "others"))
    ax.set_yticks([place for place, _ in named], [text for _, text in named])
    ax.tick_params(axis="y", length=0)
    if narrow:
        ax.set_ylabel("regime")
    for border in borders[1:-1]:
        ax.axhline(border, color=theme.soft, alpha=0.35, linewidth=0.5)


def _fitted_axis(ax: Axes, along: StreamAxis, n_rows: int) -> None:
    """In place: up the map, the rows that experts were fitted on, or their dates."""
    if along.has_dates:
        places, words = along.ticks(n_rows, 6)
        between = "\n" if style.is_narrow(ax.get_figure()) else " "
        ax.set_yticks(places, [text.replace("\n", between) for text in words])
        ax.set_ylabel("when the expert was fitted")
        return
    style.count_ticks(ax.yaxis)
    ax.set_ylabel("rows that the expert was fitted on")


def _line_name(regime: dict[str, Any], narrow: bool) -> str:
    """Return what a line of the map is called."""
    title = regime.get("title", "")
    if not narrow:
        return regime_text(regime["name"], title)
    return f"{regime['name']} {textwrap.shorten(title, 12, placeholder='…')}".strip()


def _draw_online(
    ax: Axes, theme: style.Theme, edges: np.ndarray, online: np.ndarray, word: str
) -> None:
    """In place: the online experts' weight as an area from 0 to 100 %."""
    steps = 100.0 * np.concatenate([online[:1], online])
    ax.fill_between(edges, steps, 0.0, step="pre", color=theme.soft, alpha=0.35, linewidth=0)
    ax.plot(edges, steps, drawstyle="steps-pre", color=theme.soft, linewidth=0.9)
    ax.axhline(50.0, color=theme.ink, linewidth=0.6, linestyle=(0, (4, 3)))
    ax.set_ylim(0, 100)
    ax.set_yticks([0, 50, 100])
    ax.set_ylabel("online\n(%)" if style.is_narrow(ax.get_figure()) else f"online\n{word} (%)")
    ax.tick_params(axis="x", length=0)


def _draw_bar(figure: Figure, mesh: QuadMesh, ax: Axes, ticks: list[float], label: str) -> None:
    """In place: the scale of weights beside the map, in percent."""
    extend = "min" if ticks[0] else "neither"
    text: Any = {"format": FuncFormatter(lambda value, _: f"{100 * value:g}"), "label": label}
    size: Any = {"pad": 0.02, "aspect": 28, "fraction": 0.05}
    if style.is_narrow(figure):
        size |= {"location": "bottom", "pad": 0.04}
    bar = figure.colorbar(mesh, ax=ax, extend=extend, ticks=ticks, **text, **size)
    bar.minorticks_off()
    bar.outline.set_visible(False)


def weight_map(results: Results) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights (n_lines, n_moments), NaN where there is no expert, and borders of both.

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
    borders = np.zeros(len(weights) + 1)
    borders[-1] = 1.0
    for name, (first, last) in spans.items():
        borders[0] = min(borders[0], first)
        borders[lines[name] + 1] = last + 1
    return weights, np.maximum.accumulate(borders), _moment_edges(results)


def regime_map(results: Results) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights (n_lines, n_columns), NaN where not in charge, and borders of both.

    A line is a regime, in the order of names; where others were in charge, there is one more above
    them. A column is a stretch of rows with one regime in charge, seen at one moment.
    """
    end = max(results.rows, results.moments[-1].row + 1)
    visits = [
        (line, max(first, 0), last + 1)
        for line, regime in enumerate(results.concepts)
        for first, last in regime["visits"]
        if last >= 0
    ]
    borders = {end, *_moment_edges(results).tolist()}
    borders.update(row for _, first, stop in visits for row in (first, stop))
    places = np.array(sorted(row for row in borders if row <= end))
    n_lines, n_columns = len(results.concepts), len(places) - 1
    weights, unnamed = np.full((n_lines + 1, n_columns), np.nan), np.ones(n_columns, dtype=bool)
    seen = np.array([moment.row for moment in results.moments])
    at = np.minimum(np.searchsorted(seen, places[:-1]), len(seen) - 1)
    held = np.array([1.0 - moment.weights[-1] for moment in results.moments])[at]
    for line, first, stop in visits:
        inside = slice(*np.searchsorted(places, (first, stop)))
        weights[line, inside], unnamed[inside] = held[inside], False
    for regime in results.concepts:
        if regime["in_charge"]:  # no label has come since
            unnamed[places[:-1] > regime["last"]] = False
    known = np.array([bool(moment.names) for moment in results.moments])[at]
    weights[-1, unnamed & known] = held[unnamed & known]
    heights = np.arange(n_lines + 1.0)
    if n_lines and np.isnan(weights[-1]).all():
        return weights[:-1], heights, places
    return weights, np.append(heights, n_lines + max(THIN, n_lines / 30)), places


def _moment_edges(results: Results) -> np.ndarray:
    """Return the rows between which a moment stands for the others, (n_moments + 1,)."""
    return np.array([0, *(moment.row + 1 for moment in results.moments)])
