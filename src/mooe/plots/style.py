"""The look of all figures: themes, strokes, ticks, labels."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.measures import TRIVIAL, TRIVIAL_NAMES

WIDTH = 7.2  # inches, a page between its margins
PHONE = 3.7  # inches: with as many, letters are as large on a phone as those of its text
NARROW = 5.0  # inches; a figure that is given and narrower stays so, and is laid out for it
TITLE = 34  # characters of a title in a line of a narrow figure
MOST_LINES = 60  # marks drawn as lines through the figure; more become ticks at its foot
LABEL_GAP = 0.07  # least distance of two labels at line ends, as a share of the axes


@dataclass(frozen=True)
class Theme:
    """Colours: paper and ink, `series` of lines in Okabe and Ito's order, and the map of weights.

    The series keep their hues and are as dark (or, on dark paper, as light) as text must be.
    """

    paper: str
    ink: str
    soft: str  # ink of what should not be loud
    grid: str
    series: tuple[str, ...]
    colormap: str
    colours: tuple[float, float]  # the part of the colormap in use


THEMES = {
    "light": Theme(
        paper="#ffffff",
        ink="#1b1f24",
        soft="#5c6670",
        grid="#dfe3e8",
        series=("#0072b2", "#c24e00", "#007f5c", "#a14f7f", "#9a6a00", "#3b6fd4"),
        colormap="magma_r",
        colours=(0.02, 1.0),
    ),
    "dark": Theme(
        paper="#171a20",
        ink="#e8eaed",
        soft="#a3acb6",
        grid="#323841",
        series=("#56b4e9", "#ff8f45", "#2cc79b", "#e79cc4", "#f0c24e", "#9db8ff"),
        colormap="magma",
        colours=(0.16, 1.0),
    ),
}
SETTINGS: dict[str, Any] = {  # of matplotlib, in every theme
    **{"font.family": "DejaVu Sans", "font.size": 9},
    **{"axes.titlelocation": "left", "axes.titlesize": 9.5, "axes.titlepad": 9},
    **{"axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True},
    **{"grid.linewidth": 0.7, "hatch.linewidth": 0.8, "legend.frameon": False},
    **{"svg.fonttype": "path", "svg.hashsalt": "mooe", "pdf.fonttype": 42},
}
DASHES: tuple[Any, ...] = ("-", (0, (6, 1.6)), (0, (5, 1.5, 1, 1.5)), (0, (2.2, 1.2)))
Marks = Iterable[float] | None
MARKERS = ("o", "s", "^", "D", "v", "P")


@contextmanager
def themed(name: str) -> Iterator[Theme]:
    """Matplotlib in a theme for a while, whatever its global settings are."""
    if name not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, got {name!r}")
    theme = THEMES[name]
    colours = {
        theme.paper: ("figure.facecolor", "savefig.facecolor", "axes.facecolor"),
        theme.ink: ("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"),
        theme.soft: ("axes.edgecolor", "xtick.color", "ytick.color"),
        theme.grid: ("grid.color",),
    }
    settings = {part: colour for colour, parts in colours.items() for part in parts}
    with matplotlib.style.context(["default", SETTINGS, settings]):
        yield theme


def sheet(figure: Figure | None, height: float) -> Figure:
    """Prepare the figure to draw on: the one given, else a new one, `height` inches high.

    One that is given and narrow keeps its width.
    """
    figure = plt.figure(figsize=(WIDTH, height)) if figure is None else figure
    figure.set_facecolor(plt.rcParams["figure.facecolor"])
    if isinstance(figure, Figure):  # a part of one has its place already
        figure.set_size_inches(figure.get_figwidth() if is_narrow(figure) else WIDTH, height)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.06)
    return figure


def is_narrow(figure: Any) -> bool:
    """Whether a figure is to be read on a phone."""
    whole = figure.get_figure(root=True)
    return bool(whole.get_figwidth() < NARROW)


def write_title(ax: Axes, text: str, **style: Any) -> None:
    """In place: a title above the axes, in several lines where the figure is narrow."""
    lines = textwrap.fill(text, TITLE) if is_narrow(ax.get_figure()) else text
    ax.set_title(lines, **style)


def strokes(theme: Theme, models: Sequence[str]) -> list[dict[str, Any]]:
    """Choose how each model's line is drawn: alike in every figure that has the same models.

    The first is the widest; trivial models are grey and dotted; dashes and markers tell lines
    apart where colours cannot.
    """
    learners = [model for model in models if model not in TRIVIAL_NAMES]

    def stroke(model: str) -> dict[str, Any]:
        if model in TRIVIAL_NAMES:
            dots = (0, (1, 1.2)) if model == TRIVIAL[0] else (0, (1, 3))
            return {"color": theme.soft, "linestyle": dots, "linewidth": 1.3, "zorder": 2}
        k = learners.index(model)
        return {
            "color": theme.series[k % len(theme.series)],
            "linestyle": DASHES[(k + k // len(theme.series)) % len(DASHES)],
            "linewidth": 2.0 if k == 0 else 1.4,
            "marker": MARKERS[k % len(MARKERS)],
            "markersize": 4.0,
            "zorder": 4 if k == 0 else 3,
        }

    return [stroke(model) for model in models]


def count(value: float) -> str:
    """Write a whole number with thousands separators.

    >>> count(20000), count(-1500)
    ('20,000', '−1,500')
    """
    return f"{value:,.0f}".replace("-", "−")


def count_ticks(axis: Any, most: int = 8) -> None:
    """In place: whole numbers with thousands separators along an axis, about `most` of them."""
    axis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))


def number_ticks(axis: Any, signed: bool = False, most: int = 6) -> None:
    """In place: numbers along an axis, with as few digits as they need; `signed` writes + too."""
    sign = "+" if signed else ""

    def shown(value: float, _: int) -> str:
        text = f"{value:{sign},.6f}".rstrip("0").rstrip(".") if value else "0"
        return text.replace("-", "−")

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(shown))


def stream_axis(
    axes: Sequence[Axes], theme: Theme, n_rows: int, marks: Marks, places: StreamAxis | None = None
) -> None:
    """In place: rows of the stream along the last of the axes, and marks at rows in all of them.

    Marks are lines through the axes, or ticks at the foot if many. Where rows have dates, these are
    written along the axis, each where its first row is.
    """
    rows = list(marks or ())
    few = len(rows) <= MOST_LINES
    style: Any = {"linestyles": (0, (3, 2)) if few else "-", "linewidths": 0.7, "alpha": 0.6}
    for ax in axes if marks is not None else ():
        style |= {"transform": ax.get_xaxis_transform(), "colors": theme.soft, "zorder": 1}
        ax.vlines(rows, 0.0, 1.0 if few else 0.03, **style)
    axes[-1].set_xlim(0, n_rows)
    narrow = is_narrow(axes[-1].get_figure())
    if places is not None and places.has_dates:
        axes[-1].set_xticks(*places.ticks(n_rows, 4 if narrow else 8))
        return
    axes[-1].set_xlabel("rows of the stream")
    count_ticks(axes[-1].xaxis, 4 if narrow else 8)


def label_ends(ax: Axes, ends: Sequence[tuple[str, float, str]]) -> None:
    """In place: names (text, value at the end, colour) right of the axes, pushed apart.

    More names than fit beside the axes become a legend, for which the lines must have labels; so do
    they in a narrow figure, below the axes.
    """
    if not ends:
        return
    if is_narrow(ax.get_figure()):
        legend_below(ax)
        return
    if len(ends) * LABEL_GAP > 1.0:
        for text in ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0)).get_texts():
            text.set_parse_math(False)
        return
    low, high = ax.get_ylim()
    ends = sorted(ends, key=lambda end: end[1])
    wanted = np.array([(value - low) / (high - low) for _, value, _ in ends]).clip(0.0, 1.0)
    for (name, _, colour), place, end in zip(ends, spread(wanted), wanted, strict=True):
        side: dict[str, Any] = {"color": colour, "transform": ax.transAxes, "clip_on": False}
        ax.plot([1.0, 1.025], [end, place], linewidth=0.6, alpha=0.7, scalex=False, **side)
        ax.text(1.032, place, name, va="center", parse_math=False, **side)
    ax.set_ylim(low, high)


def legend_below(ax: Axes) -> None:
    """In place: the lines of all axes of a figure by name, below them."""
    figure: Any = ax.get_figure()
    for old in figure.legends:
        old.remove()
    lines = [line for axes in figure.axes for line in axes.get_legend_handles_labels()[0]]
    longest = max(len(str(line.get_label())) for line in lines)
    columns = 2 if longest <= (16 if is_narrow(figure) else 42) and len(lines) > 1 else 1
    legend = figure.legend(handles=lines, loc="outside lower left", ncols=columns, handlelength=2.6)
    for text in legend.get_texts():
        text.set_parse_math(False)
    figure.set_figheight(figure.get_figheight() + 0.19 * -(-len(lines) // columns))


def spread(wanted: np.ndarray) -> np.ndarray:
    """Find places near the wanted ones (ascending, 0 to 1), at least LABEL_GAP apart.

    >>> spread(np.array([0.5, 0.5])).round(3).tolist()
    [0.465, 0.535]
    """
    steps = LABEL_GAP * np.arange(len(wanted))
    room = wanted - steps  # ascending places with gaps taken out: a monotone fit of it is nearest
    blocks: list[list[float]] = []
    for value in room:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    fitted = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    places: np.ndarray = np.clip(fitted, 0.0, max(1.0 - steps[-1], 0.0)) + steps
    return places
