"""The six panels of the paper's figure as a grid: a stream per column, and who made it per row."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mooe.plots import look
from mooe_paper.cells import Found
from mooe_paper.early.last_interval import AUTHORS

__all__ = ["LABELS", "OURS", "band", "draw_grid", "known", "strokes_of"]

OURS = ("MOOE", "OGD restarted", "OGD warm")
LABELS = {  # of a model in a record: what its line is called
    "MOOE": "MOOE",
    "OGD restarted": "OGD restarted (authors' code: at random)",
    "OGD warm": "OGD warm (goes on)",
    "blank, authors": "MOOE with offline experts that are zeros",
}
LINES = {AUTHORS[0]: "MOOE", AUTHORS[1]: "OGD restarted"}  # whose stroke the authors' models take
COLUMNS = (
    ("synthetic", "synthetic"),
    ("ijcnn-drift", "ijcnn-drift-leaking"),
    ("cod-rna-drift", "cod-rna-drift-leaking"),
)
Draw = Callable[[Axes, dict[str, Any], tuple[str, ...], dict[str, dict[str, Any]]], None]


def known(found: Found, name: str) -> dict[str, Any] | None:
    """Return a record, None where there is none or its stream is missing."""
    record = found.get(name)
    return None if record is None or "missing" in record else record


def draw_grid(
    found: Found,
    theme: str,
    draw: Draw,
    authors: tuple[str, ...],
    labels: tuple[str, str],
    caption: str,
) -> Figure | None:
    """Return the figure: the paper's algorithm, the same where the stream leaks, authors' code.

    `draw(axes, record, models, strokes)` fills a panel; `authors` are the models of the last row;
    `labels` are those of the upward axes, of ours and of the authors' row.
    """
    columns = [pair for pair in COLUMNS if known(found, pair[0]) or known(found, pair[1])]
    if not columns:
        return None
    rows = ["paper", "leaking", "authors"] if len(columns) > 1 else ["paper", "authors"]
    with look.themed(theme) as colours:
        figure = look.sheet(Figure(), 2.35 * len(rows) + 0.35)
        axes = figure.subplots(len(rows), len(columns), squeeze=False)
        strokes = strokes_of(colours)
        for row, line in zip(rows, axes, strict=True):
            label = labels[row == "authors"]
            for ax, (clean, leaking) in zip(line, columns, strict=True):
                name = clean if row == "paper" else leaking
                record = known(found, name)
                if (row == "leaking" and name == clean) or record is None:
                    ax.axis("off")
                    continue
                draw(ax, record, authors if row == "authors" else OURS, strokes)
                ax.grid(axis="y")
                ax.set_title(title_of(row, clean))
                ax.set_ylabel(label)
                label = ""  # once in a row
                if row == "authors" or (row == "paper" and name == leaking):
                    ax.set_xlabel("row in the last interval")
        handles: dict[str, Any] = {}
        for ax in axes.flat:
            lines, names = ax.get_legend_handles_labels()
            handles |= dict(zip(names, lines, strict=True))
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
        figure.set_label(caption)
    return figure


def strokes_of(theme: look.Theme) -> dict[str, dict[str, Any]]:
    """Return how each model's line is drawn and what it is called."""
    made = look.strokes(theme, list(LABELS))
    strokes = dict(zip(LABELS, made, strict=True))
    strokes |= {name: strokes[like] for name, like in LINES.items()}
    for name, stroke in strokes.items():
        stroke["label"] = LABELS[LINES.get(name, name)]
    return strokes


def title_of(row: str, clean: str) -> str:
    """Return the title of a panel."""
    stream = clean.removesuffix("-drift")
    return {
        "paper": stream,
        "leaking": f"{stream}, leaking",
        "authors": f"{stream}, authors' code",
    }[row]


def band(ax: Axes, x: Any, found: list[list[float]], stroke: dict[str, Any], every: int) -> None:
    """In place: a line of means and the band of their 95 % intervals."""
    mean, low, high = zip(*found, strict=True)
    ax.plot(x, mean, markevery=every, **stroke)
    ax.fill_between(x, low, high, color=stroke["color"], alpha=0.14, linewidth=0)
