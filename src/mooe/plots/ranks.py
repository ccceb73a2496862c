"""The critical-difference diagram: mean ranks of models over many streams."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.ranks import Ranks, compare_ranks
from mooe.plots import style


def plot_ranks(
    table: Mapping[str, Mapping[str, float]] | Ranks,
    *,
    higher_is_better: bool = True,
    theme: str = "light",
    figure: Figure | None = None,
) -> tuple[Figure, Axes]:
    """Draw a critical-difference diagram: mean ranks on an axis, bars join models alike.

    Parameters
    ----------
    table : mapping of stream to mapping of model to score, or Ranks
    higher_is_better : bool
        Whether a larger score is better.
    theme, figure
        As in `plot_windowed_results`.
    """
    ranks = table if isinstance(table, Ranks) else compare_ranks(table, higher_is_better)
    if figure is not None and style.is_narrow(figure):
        return _list_of_ranks(ranks, theme, figure)
    n, half = len(ranks.models), (len(ranks.models) + 1) // 2
    floor = 0.35 + 0.22 * len(ranks.groups)  # where the highest name is, below the bars
    depth = floor + 0.42 * (half - 1) + 0.15
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 0.75 + 0.62 * depth)
        ax = figure.add_subplot()
        ax.set_xlim(1 - 0.02 * (n - 1), n + 0.02 * (n - 1))
        ax.set_ylim(depth, 0)
        ax.spines[["left", "bottom", "right"]].set_visible(False)
        ax.spines["top"].set_visible(True)
        ax.spines["top"].set_bounds(1, n)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.set_xticks(range(1, n + 1))
        ax.set_yticks([])
        ax.set_xlabel(f"mean rank over {style.count(ranks.n_streams)} streams (1 is best)")
        for k, stroke in enumerate(style.strokes(colours, ranks.models)):
            is_left, rank, colour = k < half, ranks.mean_ranks[k], stroke["color"]
            place = floor + 0.42 * (k if is_left else n - 1 - k)
            side = ax.get_xlim()[0 if is_left else 1]
            line: Any = {"color": colour, "clip_on": False}
            ax.plot([rank, rank, side], [0, place, place], linewidth=1.2, **line)
            ax.plot([rank], [0], marker="o", markersize=5, zorder=5, **line)
            out, align = (-5, "right") if is_left else (5, "left")
            text: Any = {"color": colour, "parse_math": False, "annotation_clip": False}
            text |= {"textcoords": "offset points", "ha": align, "va": "center"}
            ax.annotate(f"{ranks.models[k]}  {rank:.2f}", (side, place), (out, 0), **text)
        reach = 0.012 * (n - 1)
        bar: Any = {"color": colours.ink, "linewidth": 4, "zorder": 4}
        for k, (first, last) in enumerate(ranks.groups):
            ends = [ranks.mean_ranks[first] - reach, ranks.mean_ranks[last] + reach]
            ax.plot(ends, [0.2 + 0.22 * k] * 2, solid_capstyle="round", **bar)
    return figure, ax


def _list_of_ranks(ranks: Ranks, theme: str, figure: Figure) -> tuple[Figure, Axes]:
    """Draw the same on a narrow figure: a line for each model, bars beside those alike."""
    n = len(ranks.models)
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 0.75 + 0.26 * n)
        ax = figure.add_subplot()
        reach = 0.09 * (n - 1)  # of a bar
        ax.set_xlim(1 - 0.03 * (n - 1), n + reach * (len(ranks.groups) + 0.4))
        ax.set_ylim(n - 0.5, -0.6)
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.set_xticks(range(1, n + 1, max(1, n // 5)))
        ax.set_xlabel(f"mean rank, {style.count(ranks.n_streams)} streams (1 is best)")
        names = [f"{m}  {r:.2f}" for m, r in zip(ranks.models, ranks.mean_ranks, strict=True)]
        ax.set_yticks(range(n), names, parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")
        for k, stroke in enumerate(style.strokes(colours, ranks.models)):
            dot: Any = {"marker": "o", "markersize": 6, "color": stroke["color"], "zorder": 5}
            ax.plot([ranks.mean_ranks[k]], [k], **dot)
        bar: Any = {"color": colours.ink, "linewidth": 4, "solid_capstyle": "round"}
        for k, (first, last) in enumerate(ranks.groups):
            ax.plot([n + reach * (k + 0.8)] * 2, [first - 0.15, last + 0.15], **bar)
    return figure, ax
