"""Figures of a keyed stream: by age of key, along the stream, and keys beside each other."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.key_results import KeyedResults
from mooe.plots import style

MOST_BARS = 30
LETTERS, NARROW_LETTERS = 70, 44  # that have room below an axis


def plot_ages(
    results: KeyedResults, *, theme: str = "light", figure: Figure | None = None
) -> tuple[Figure, Axes]:
    """Draw the measure by how many rows of its key came before, beside repeating the last label."""
    ages = results.by_age()
    measure = results.measure
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.1)
        ax = figure.add_subplot()
        places, ends = np.arange(len(ages)), []
        series = (("one model per key", 2), ("no-change", 3))
        for (name, at), stroke in zip(
            series, style.strokes(colours, [name for name, _ in series]), strict=True
        ):
            values = [measure.scale * age[at] for age in ages]
            ax.plot(places, values, label=name, **stroke)
            if values:
                ends.append((name, values[-1], stroke["color"]))
        spans = [_span(*age[:2]) for age in ages]
        every = _every(spans, NARROW_LETTERS if style.is_narrow(figure) else LETTERS)
        ax.set_xticks(places[::every], spans[::every])
        ax.set_xlabel("rows of the key so far")
        ax.set_ylabel(measure.heading)
        ax.grid(axis="y")
        style.number_ticks(ax.yaxis)
        style.label_ends(ax, ends)
    return figure, ax


def plot_changes(
    results: KeyedResults, *, theme: str = "light", figure: Figure | None = None
) -> tuple[Figure, Axes]:
    """Draw the measure along the stream, and below it how many keys changed their regime."""
    last, value, changed = results.windows()
    measure = results.measure
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 4.2)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        stroke = style.strokes(colours, ["one model per key"])[0]
        above.plot(last, measure.scale * value, **{**stroke, "marker": ""})
        above.set_ylabel(measure.heading)
        above.grid(axis="y")
        style.number_ticks(above.yaxis)
        width = float(last[0]) if len(last) else 1.0
        below.bar(last - width, changed, width=0.9 * width, align="edge", color=colours.series[1])
        below.set_ylabel("changes of regime")
        below.grid(axis="y")
        below.set_ylim(0.0, max(1.0, 1.05 * float(changed.max(initial=0))))
        style.count_ticks(below.yaxis, 4)
        style.stream_axis([above, below], colours, results.rows, None)
    return figure, above


def plot_spread(
    results: KeyedResults, *, theme: str = "light", figure: Figure | None = None
) -> tuple[Figure, Axes]:
    """Draw how many keys have which measure."""
    measure, values = results.measure, results.by_key()
    values = measure.scale * values[~np.isnan(values)]
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 2.6)
        ax = figure.add_subplot()
        bins: Any = min(MOST_BARS, max(5, len(values) // 4))
        ax.hist(values, bins=bins, color=colours.series[0], rwidth=0.92)
        ax.set_xlabel(measure.heading)
        ax.set_ylabel("keys")
        ax.grid(axis="y")
        style.number_ticks(ax.xaxis)
        style.count_ticks(ax.yaxis, 5)
    return figure, ax


def _every(names: list[str], room: int) -> int:
    """Return which of the names below an axis are written, so that they do not meet.

    >>> _every(["1", "2–3", "4–7"], 60), _every(["1,024–2,047"] * 12, 60)
    (1, 3)
    """
    width = (2 + max(map(len, names), default=0)) * len(names)
    return max(1, -(-width // room))


def _span(first: int, last: int) -> str:
    """Return a range of ages.

    >>> _span(1, 1), _span(4, 7)
    ('1', '4–7')
    """
    return style.count(first) if first == last else f"{style.count(first)}–{style.count(last)}"
