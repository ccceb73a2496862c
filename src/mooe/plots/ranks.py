"""The critical-difference diagram: mean ranks of models over many streams."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.ranks import Ranks, compare_ranks
from mooe.plots import look


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
    n, half = len(ranks.models), (len(ranks.models) + 1) // 2
    floor = 0.35 + 0.22 * len(ranks.groups)  # where the highest name is, below the bars
    depth = floor + 0.42 * (half - 1) + 0.15
    with look.themed(theme) as colours:
        figure = look.sheet(figure, 0.75 + 0.62 * depth)
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
        ax.set_xlabel(f"mean rank over {look.count(ranks.n_streams)} streams (1 is best)")
        strokes = look.strokes(colours, ranks.models)
        for k, model in enumerate(ranks.models):
            row = k if k < half else n - 1 - k
            text = f"{model}  {ranks.mean_ranks[k]:.2f}"
            _draw_model(
                ax, k < half, ranks.mean_ranks[k], floor + 0.42 * row, text, strokes[k]["color"]
            )
        for k, (first, last) in enumerate(ranks.groups):
            reach = 0.012 * (n - 1)
            ax.plot(
                [ranks.mean_ranks[first] - reach, ranks.mean_ranks[last] + reach],
                [0.2 + 0.22 * k] * 2,
                color=colours.ink,
                linewidth=4,
                solid_capstyle="round",
                zorder=4,
            )
    return figure, ax


def _draw_model(ax: Axes, is_left: bool, rank: float, depth: float, text: str, colour: str) -> None:
    """In place: a line from a model's rank down and out to its name beside the axes."""
    low, high = ax.get_xlim()
    side = low if is_left else high
    ax.plot([rank, rank, side], [0, depth, depth], color=colour, linewidth=1.2, clip_on=False)
    ax.plot([rank], [0], marker="o", markersize=5, color=colour, clip_on=False, zorder=5)
    ax.annotate(
        text,
        xy=(side, depth),
        xytext=(-5 if is_left else 5, 0),
        textcoords="offset points",
        ha="right" if is_left else "left",
        va="center",
        color=colour,
        parse_math=False,
        annotation_clip=False,
    )
