"""Regret: what every interval cost against its best expert in hindsight, and the bound on it."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.results import Results
from mooe.plots import style

MANY = 100  # intervals, whose lines are thin
FAR = 2.0  # a bound so many times the largest regret is drawn apart

LINES = {  # key in Results.regrets: what the line says
    "mixture": "mixture",
    "online": "online expert",
    "experts": "best expert",
    "meta": "weighting",
}


def plot_regret(
    results: Results, *, theme: str = "light", figure: Figure | None = None
) -> tuple[Figure, Axes]:
    """Draw the regrets of every interval and the bound of Theorem 2 above them.

    The mixture, the online expert and the best expert are compared with the best in hindsight; the
    weighting is the mixture compared with the best expert.

    Parameters
    ----------
    results : Results
        With regrets: they are computed on request only.
    theme, figure
        As in `plot_windowed_results`.
    """
    if not results.regrets:
        raise ValueError("results must have regrets, which are computed on request, got none")
    columns = {
        key: np.array([regret.get(key, np.nan) for regret in results.regrets], dtype=np.float64)
        for key in ("interval", "bound", *LINES)
    }
    interval, bound, mixture = columns["interval"] + 1, columns["bound"], columns["mixture"]
    highest = max(np.nanmax(columns[key]) for key in LINES)
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.6)
        if np.nanmin(bound) > FAR * highest:
            upper, ax = _broken_axes(figure, colours, bound)
        else:
            upper = ax = figure.add_subplot()
        upper.plot(interval, bound, color=colours.ink, linewidth=1.6, label="bound", zorder=5)
        ends: dict[Axes, list[Any]] = {upper: [], ax: []}  # names beside the axes; one may be both
        ends[upper].append(("bound", float(bound[-1]), colours.ink))
        strokes = style.strokes(colours, list(LINES))
        every, thin = max(1, len(interval) // 10), len(interval) > MANY
        for (key, text), stroke in zip(LINES.items(), strokes, strict=True):
            stroke |= {"linewidth": 0.8} if thin else {}
            ax.plot(interval, columns[key], label=text, markevery=every, **stroke)
            ends[ax].append((text, float(columns[key][-1]), stroke["color"]))
        ax.axhline(0.0, color=colours.soft, linewidth=0.7)
        ax.set_xlim(interval[0], max(interval[-1], interval[0] + 1))
        style.count_ticks(ax.xaxis, 4 if style.is_narrow(figure) else 8)
        ax.set_xlabel("interval")
        ax.set_ylabel("regret of the interval\n(sum of losses from 0 to 1)")
        for axes, names in ends.items():
            axes.grid(axis="y")
            style.number_ticks(axes.yaxis, most=6 if axes is ax else 2)
            style.label_ends(axes, names)
        worst, above = np.nanmax(mixture / bound), np.sum(mixture > bound)
        style.write_title(
            upper,
            f"the mixture's regret is above its bound in {above} of {len(bound)} intervals"
            if above
            else f"the mixture's regret reaches at most {max(100 * worst, 0.0):.0f} % of its bound",
        )
    return figure, ax


def _broken_axes(figure: Figure, theme: style.Theme, bound: np.ndarray) -> tuple[Axes, Axes]:
    """Return two axes, one above the other, for a bound far above the regrets."""
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[1, 3.4])
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(axis="x", length=0)
    low, high = float(np.nanmin(bound)), float(np.nanmax(bound))
    margin = max(0.35 * (high - low), 0.05 * high)
    upper.set_ylim(low - margin, high + margin)
    for axes, place in ((upper, 0), (lower, 1)):  # the cut in the axis
        cut: Any = {"marker": [(-1, -0.5), (1, 0.5)], "markersize": 10, "linestyle": "none"}
        axes.plot([0], [place], transform=axes.transAxes, color=theme.soft, clip_on=False, **cut)
    return upper, lower
