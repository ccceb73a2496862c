"""Forecasts drawn: history and bands, the error by step, coverage along time, who decides."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.dates import StreamAxis
from mooe.forecast.results import MODEL, OTHERS, ForecastResults, SeriesResult
from mooe.plots import style

MOST_PANELS = 6  # channels or series that are drawn
HISTORY = 4.0  # horizons before now that are drawn,
LEAST_HISTORY = 60  # and so many rows at least
WINDOWS, LEAST_WINDOW = 40, 25  # of coverage along time: how many, and rows of each at least
MOST_EXPERTS = 6  # that are named
DOTS: tuple[Any, ...] = ((0, (1, 1.2)), (0, (1, 3)))


class Panel(NamedTuple):
    """A channel of a series, as it is drawn."""

    title: str
    result: SeriesResult
    channel: int


def panels_of(results: ForecastResults) -> list[Panel]:
    """Return what is drawn of a table: its first channels, of many series the first of each."""
    if len(results.results) == 1:
        (one,) = results.results
        names = one.series.channels
        return [Panel(name, one, at) for at, name in enumerate(names)][:MOST_PANELS]
    return [Panel(one.series.name, one, 0) for one in results.results][:MOST_PANELS]


def plot_forecast(
    results: ForecastResults,
    *,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw history, what was forecast of it one horizon before, and the forecast with its bands.

    Parameters
    ----------
    results : ForecastResults
        The first channels, or the first series, are drawn.
    theme : {"light", "dark"}
    figure : Figure, optional
        What to draw on instead of a new figure of pyplot.
    """
    panels = panels_of(results)
    with style.themed(theme) as colours:
        height = 3.3 if len(panels) == 1 else 0.9 + 1.6 * len(panels)
        figure = style.sheet(figure, height)
        axes = np.atleast_1d(np.asarray(figure.subplots(len(panels), 1)))
        for ax, panel in zip(axes, panels, strict=True):
            _draw_panel(ax, colours, panel, is_named=len(panels) > 1)
        _name_lines(figure, axes[0], colours, results.levels)
    return figure, axes[0]


def _draw_panel(ax: Axes, colours: style.Theme, panel: Panel, is_named: bool) -> None:
    """In place: a channel of a series."""
    result, c = panel.result, panel.channel
    series, n = result.series, len(result.series.values)
    n_ahead = len(result.forecast.mean)
    shown = int(max(HISTORY * n_ahead, LEAST_HISTORY))
    begin = max(n - shown, 0)
    rows = np.arange(begin, n)
    past, x = _places(result, rows), series.values[begin:, c]
    blue, orange = colours.series[0], colours.series[1]
    # The forecast and its bands open at the last value, where there is one.
    is_joined = n > 0 and bool(np.isfinite(x[-1]))
    ahead = _places(result, np.arange(n - is_joined, n + n_ahead))
    opening = x[-1:] if is_joined else x[:0]
    levels = sorted(result.forecast.lower, reverse=True)
    for at, level in enumerate(levels):
        sides = (result.forecast.lower, result.forecast.upper)
        low, high = (np.append(opening, side[level][:, c]) for side in sides)
        ax.fill_between(ahead, low, high, color=blue, linewidth=0, alpha=_alpha(at))
        if at == len(levels) - 1:
            told = (side[level][begin:, c] for side in (result.answers.lower, result.answers.upper))
            ax.fill_between(
                past, next(told), next(told), color=orange, linewidth=0, alpha=_alpha(0)
            )
    then = result.answers.mean[begin:, c]
    ax.plot(past, then, color=orange, linewidth=1.1, linestyle=(0, (4, 1.5)))
    marker = "." if len(rows) <= LEAST_HISTORY else None
    ax.plot(past, x, color=colours.ink, linewidth=1.2, marker=marker, markersize=3.5)
    ax.plot(ahead, np.append(opening, result.forecast.mean[:, c]), color=blue, linewidth=2.0)
    if n:
        ax.axvline(past[-1], color=colours.soft, linewidth=0.8)
    ax.grid(axis="y")
    style.number_ticks(ax.yaxis, most=4)
    _keep_in_sight(
        ax, x, result.forecast.mean[:, c], result.forecast.lower, result.forecast.upper, c
    )
    _time_axis(ax, result, float(past[0]) if len(past) else float(ahead[0]), float(ahead[-1]))
    if is_named:
        ax.set_title(panel.title, parse_math=False, fontsize=9)
    else:
        ax.set_ylabel(panel.title, parse_math=False)


def _alpha(at: int) -> float:
    """Return how much a band covers, the widest being the first."""
    return 0.2 + 0.16 * at


def _keep_in_sight(
    ax: Axes, x: np.ndarray, mean: np.ndarray, lower: Any, upper: Any, c: int
) -> None:
    """In place: limits by history and forecast; bands of the past may run out of them."""
    parts = [x, mean, *(side[:, c] for sides in (lower, upper) for side in sides.values())]
    known = np.concatenate(parts)
    known = known[np.isfinite(known)]
    if len(known) and known.max() > known.min():
        room = 0.06 * (known.max() - known.min())
        ax.set_ylim(known.min() - room, known.max() + room)


def _name_lines(figure: Figure, ax: Axes, colours: style.Theme, levels: Sequence[float]) -> None:
    """In place: what lines and bands are, below the figure."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    blue, orange = colours.series[0], colours.series[1]
    handles: list[Any] = [
        Line2D([], [], color=colours.ink, linewidth=1.2, label="what came"),
        Line2D([], [], color=orange, linewidth=1.1, linestyle=(0, (4, 1.5)), label="forecast then"),
        Line2D([], [], color=blue, linewidth=2.0, label="forecast now"),
    ]
    for at, level in enumerate(sorted(levels, reverse=True)):
        handles.append(Patch(color=blue, alpha=_alpha(at), linewidth=0, label=f"{level:g} %"))
    columns = 2 if style.is_narrow(figure) else len(handles)
    figure.legend(handles=handles, loc="outside lower left", ncols=columns, handlelength=2.2)


def plot_errors(
    results: ForecastResults,
    *,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw the mean absolute scaled error by how far ahead a forecast looks, beside the naive ones.

    Where a series never changes, so that there is no scale, the absolute error.
    """
    scores = results.scores()
    has_scale = np.isfinite(scores[MODEL].mase).any()
    key = "mase" if has_scale else "mae"
    steps = np.arange(1, results.horizon + 1)
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.0)
        ax = figure.add_subplot()
        ends = []
        lines: dict[str, dict[str, Any]] = {
            MODEL: {"color": colours.series[0], "linewidth": 2.2, "marker": "o"}
        }
        lines |= {
            name: {"color": colours.soft, "linestyle": dots, "linewidth": 1.5}
            for name, dots in zip(OTHERS, DOTS, strict=True)
        }
        for name, stroke in lines.items():
            values = np.array([_or_nan(scores[name].at(int(h))[key]) for h in steps])
            label = OTHERS.get(name, name)
            every = max(1, len(steps) // 12)
            ax.plot(steps, values, label=label, markersize=3.5, markevery=every, **stroke)
            known = values[np.isfinite(values)]
            if len(known):
                ends.append((label, float(known[-1]), str(stroke["color"])))
        ax.set_ylim(bottom=0.0)
        ax.set_xlim(1 if len(steps) > 1 else 0.5, max(len(steps), 1.5))
        style.count_ticks(ax.xaxis, 4 if style.is_narrow(figure) else 8)
        grid = results.results[0].series.grid
        ax.set_xlabel(f"steps ahead, {grid.said()} each" if grid.has_dates else "steps ahead")
        ax.set_ylabel("MASE" if has_scale else "MAE")
        ax.grid(axis="y")
        style.number_ticks(ax.yaxis)
        style.label_ends(ax, ends)
    return figure, ax


def plot_coverage(
    results: ForecastResults,
    *,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw the share of values within each band, window by window, one and all steps ahead."""
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.2)
        ax = figure.add_subplot()
        ends, lowest = [], 100.0
        first, last = np.inf, -np.inf
        for at, level in enumerate(results.levels):
            ax.axhline(level, color=colours.series[at % 6], linewidth=0.8, linestyle=(0, (4, 3)))
            for h, dash in ((1, "-"), (results.horizon, (0, (2.2, 1.2)))):
                places, shares = coverage_windows(results, level, h)
                if not len(places) or (h > 1 and results.horizon == 1):
                    continue
                colour = colours.series[at % 6]
                label = f"{level:g} %, step {h:,}"
                ax.plot(places, 100 * shares, color=colour, linestyle=dash, label=label)
                ends.append((label, float(100 * shares[-1]), colour))
                lowest = min(lowest, 100 * float(np.nanmin(shares)))
                first, last = min(first, places[0]), max(last, places[-1])
        ax.set_ylim(max(min(lowest - 8.0, 60.0), 0.0), 101.0)
        ax.grid(axis="y")
        style.number_ticks(ax.yaxis)
        ax.set_ylabel("within the band (%)")
        if np.isfinite(first):
            _time_axis(ax, results.results[0], float(first), float(last))
        style.label_ends(ax, ends)
    return figure, ax


def coverage_windows(
    results: ForecastResults, level: float, h: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return where windows of rows end, and the share of values within a band in each."""
    places, shares = [], []
    for result in results.results:
        for hits in result.hits:
            if (hits.level, hits.h) == (level, h):
                places.append(_places(result, hits.rows))
                shares.append(hits.shares)
    x = np.concatenate(places) if places else np.zeros(0)
    y = np.concatenate(shares) if shares else np.zeros(0)
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    size = max(LEAST_WINDOW, -(-len(x) // WINDOWS))
    ends = np.arange(size, len(x) + 1, size)
    means = np.array([y[end - size : end].mean() for end in ends])
    return x[ends - 1], means


def plot_weights(
    results: ForecastResults,
    *,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw which experts decide on the forecast, by how far ahead it looks: mean over channels."""
    shares, spans = expert_shares(results)
    names = sorted(shares, key=lambda name: -float(shares[name].sum()))
    shown, rest = names[:MOST_EXPERTS], names[MOST_EXPERTS:]
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 1.2 + 0.36 * len(spans))
        ax = figure.add_subplot()
        left, at = np.zeros(len(spans)), np.arange(len(spans))
        for k, name in enumerate(shown):
            bar: Any = {"color": colours.series[k], "edgecolor": colours.paper}
            ax.barh(at, 100 * shares[name], left=left, height=0.75, label=name, **bar)
            left = left + 100 * shares[name]
        if rest:
            others = 100 * np.sum([shares[name] for name in rest], axis=0)
            ax.barh(at, others, left=left, height=0.75, color=colours.grid, label="others")
        words = [f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in spans]
        ax.set_yticks(at, words)
        ax.invert_yaxis()
        ax.set_ylabel("steps ahead")
        ax.set_xlim(0, 100)
        ax.set_xlabel("weight (%)")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        columns = 1 if style.is_narrow(figure) else 2
        n = len(shown) + bool(rest)
        figure.set_figheight(figure.get_figheight() + 0.2 * -(-n // columns))
        figure.legend(loc="outside lower left", ncols=columns, handlelength=1.4)
    return figure, ax


def expert_shares(
    results: ForecastResults,
) -> tuple[dict[str, np.ndarray], list[tuple[int, int]]]:
    """Return the weight of each expert by bucket of steps, mean over channels, and the buckets."""
    told = [line for one in results.results for line in one.forecaster.explain().weights]
    spans = sorted({(line["first"], line["last"]) for line in told})
    shares: dict[str, np.ndarray] = {}
    for line in told:
        at = spans.index((line["first"], line["last"]))
        for name, share in line["weights"].items():
            shares.setdefault(name, np.zeros(len(spans)))[at] += share
    n = max(len(told) // max(len(spans), 1), 1)
    return {name: each / n for name, each in shares.items()}, spans


def _places(result: SeriesResult, rows: np.ndarray) -> np.ndarray:
    """Return where rows of a series are drawn: at their times."""
    return result.series.grid.times(result.series.first + rows)


def _time_axis(ax: Axes, result: SeriesResult, first: float, last: float) -> None:
    """In place: times along an axis, as dates where they are."""
    last = last if last > first else first + 1.0
    ax.set_xlim(first, last)
    narrow = style.is_narrow(ax.get_figure())
    if not result.series.grid.has_dates:
        ax.set_xlabel("rows" if result.series.grid.kind == "rows" else "time")
        style.count_ticks(ax.xaxis, 4 if narrow else 8)
        if result.series.grid.kind == "number":
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        return
    knots: Any = [(first, first), (last, last)]
    ax.set_xticks(*StreamAxis(knots).ticks(int(last - first), 4 if narrow else 8))


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value
