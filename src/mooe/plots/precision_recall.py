"""Precision against recall of a rare class: what every threshold would have given."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.evaluate.results import Results
from mooe.plots import style

FEWEST = 4  # points of a curve that is drawn; fewer come from answers without probabilities


def plot_precision_recall(
    *results: Results, theme: str = "light", figure: Figure | None = None
) -> tuple[Figure, Axes]:
    """Draw the precision-recall curve of the rare class, a line for each result.

    A mark is what the model answered. Grey, the share of the class: the precision of guessing.

    Parameters
    ----------
    results : Results
        Of one stream; those of which `rare` is known. The first is drawn the widest.
    theme, figure
        As in `plot_windowed_results`.
    """
    drawn = [run for run in results if run.rare.get("curve")]
    if not drawn:
        raise ValueError("results must hold at least one with a rare class, got none")
    with style.themed(theme) as colours:
        figure = style.sheet(figure, 3.9)
        ax = figure.add_subplot()
        strokes = style.strokes(colours, [run.model for run in drawn])
        for run, stroke in zip(drawn, strokes, strict=True):
            recall, precision, _ = zip(*run.rare["curve"], strict=True)
            average = run.cumulative["average_precision"]
            name = f"{run.model}: average precision {average:.3f}"
            line = {key: stroke[key] for key in ("color", "linestyle", "linewidth", "zorder")}
            has_curve = len(recall) >= FEWEST
            if has_curve:
                ax.plot(
                    [0.0, *(100.0 * value for value in recall)],
                    [100.0 * value for value in (precision[0], *precision)],
                    drawstyle="steps-pre", label=name, **line,
                )  # fmt: skip
            alarms, hits, rows = (run.rare[key] for key in ("alarms", "hits", "rows"))
            if alarms:
                ax.plot(
                    100.0 * hits / rows, 100.0 * hits / alarms, linestyle="none", clip_on=False,
                    marker=stroke.get("marker", "x"), markersize=7.0, color=stroke["color"],
                    markeredgecolor=colours.paper if "marker" in stroke else stroke["color"],
                    zorder=5, label=None if has_curve else name,
                )  # fmt: skip
        share = 100.0 * drawn[0].rare["share"]
        ax.axhline(share, color=colours.soft, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
        beside = (12, -12) if share > 10.0 else (24, 4)  # where no-change, on the line, is not
        ax.annotate(
            f"guessing: {share:.2g} %", (0.0, share), beside, textcoords="offset points",
            color=colours.soft, fontsize=8.5,
        )  # fmt: skip
        ax.set_xlim(0.0, 100.0)
        ax.set_ylim(0.0, 103.0)
        ax.grid()
        name = f"class {drawn[0].rare['class']}"
        ax.set_xlabel(f"recall (%): how many rows of {name} are found", parse_math=False)
        ax.set_ylabel("precision (%): how many alarms are right")
        style.legend_below(ax)
    return figure, ax
