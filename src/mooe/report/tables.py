"""Tables of results, and the same table as HTML and Markdown; as LaTeX in `mooe.report.latex`."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mooe.evaluate.results import Results
from mooe.plots import MEASURES, Measure, Ranks
from mooe.report.page import as_text

__all__ = [
    "BETWEEN",
    "LINE",
    "Cell",
    "Table",
    "as_html",
    "as_markdown",
    "broken_columns",
    "column_sizes",
    "escape_markdown",
    "p_table",
    "results_table",
    "scores_table",
    "text_columns",
    "with_trivial",
]

COLUMNS = {
    "classification": ("accuracy", "kappa", "kappa_m", "kappa_temporal", "f1", "log_loss"),
    "regression": ("mae", "rmse", "r2"),
}
NAIVE = {"no-change": "kappa_temporal", "majority": "kappa_m"}  # what each is the reference of
NONE = "–"
NUMBER = re.compile(rf"[−+±-]?[.\d]|{NONE}$|$")  # how a cell of a column of numbers begins
# In characters: a line, a column of text from which on it is broken, and between columns.
LINE, WIDE, BETWEEN = 90, 30, 3


@dataclass(frozen=True)
class Cell:
    """What is written, the exact number behind it, and whether it is the best of its kind."""

    text: str
    value: float | None = None
    best: bool = False


@dataclass(frozen=True)
class Table:
    """Names of the columns, and rows that begin with a name."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def with_trivial(results: Sequence[Results]) -> list[Results]:
    """Return the results with no-change and majority among them.

    Where one was not run, its accuracy is taken from the kappa of which it is the reference, kappa
    = (accuracy - reference) / (1 - reference); its other measures stay unknown.
    """
    out = list(results)
    for model, kappa in NAIVE.items():
        if any(one.model == model for one in results):
            continue
        first = results[0]
        known = first.cumulative.get("accuracy", np.nan), first.cumulative.get(kappa, np.nan)
        accuracy, beyond = known
        found = (accuracy - beyond) / (1.0 - beyond) if beyond < 1.0 else np.nan
        cumulative = {"accuracy": found} if np.isfinite(found) else {}
        out.append(
            Results(
                model, first.stream, first.task, first.window, first.seed, first.rows,
                cumulative=cumulative,
            )
        )  # fmt: skip
    return out


def results_table(results: Sequence[Results]) -> Table:
    """Return a line per model: its measures, the best in bold, then its speed."""
    columns = [[Cell(one.model) for one in results]]
    for key in COLUMNS[results[0].task]:
        values = [one.cumulative.get(key, np.nan) for one in results]
        columns.append(cells(values, MEASURES[key]))
    speeds = [(f"{one.rows_per_second:,.0f}", one.rows_per_second) for one in results]
    times = [(f"{one.seconds:,.2f}", one.seconds) for one in results]
    columns += [
        [Cell(*pair) if pair[1] else Cell(NONE) for pair in pairs] for pairs in (speeds, times)
    ]
    names = [MEASURES[key].axis for key in COLUMNS[results[0].task]]
    names = [name.replace(" (unit of the label)", "") for name in names]
    header = ("model", *names, "rows/s", "seconds")
    return Table(header, tuple(zip(*columns, strict=True)))


def scores_table(scores: dict[str, dict[str, list[float]]], measure: str, ranks: Ranks) -> Table:
    """Return a line per stream: mean and spread over the repeats of every model; then the ranks.

    Parameters
    ----------
    scores : dict of stream to dict of model to list of float
        A measure of every repeat.
    """
    unit, rows = MEASURES[measure], []
    for stream, by_model in scores.items():
        values = [by_model.get(model, []) for model in ranks.models]
        means = [float(np.mean(one)) if one else np.nan for one in values]
        line = [
            replace(cell, text=f"{cell.text} ± {unit.shown(float(np.std(one, ddof=1)))}")
            if len(one) > 1
            else cell
            for cell, one in zip(cells(means, unit), values, strict=True)
        ]
        rows.append((Cell(stream), *line))
    places = cells(ranks.mean_ranks.tolist(), Measure("rank", higher_is_better=False, digits=2))
    return Table((f"stream, {unit.axis}", *ranks.models), (*rows, (Cell("mean rank"), *places)))


def p_table(ranks: Ranks) -> Table:
    """Return the corrected p-values of all pairs, below the diagonal."""
    rows = [
        (
            Cell(model),
            *(
                Cell(f"{ranks.p_values[k, j]:.3g}", float(ranks.p_values[k, j]))
                if j < k
                else Cell("")
                for j in range(len(ranks.models) - 1)
            ),
        )
        for k, model in enumerate(ranks.models)
    ]
    return Table(("corrected p-value", *ranks.models[:-1]), tuple(rows[1:]))


def cells(values: Sequence[float], unit: Measure) -> list[Cell]:
    """Return cells of one measure; all that read like the best are the best."""
    texts = [unit.shown(value) if np.isfinite(value) else NONE for value in values]
    known = [value for value in values if np.isfinite(value)]
    best = (max if unit.higher_is_better else min)(known, default=np.nan)
    champion = unit.shown(best) if known else NONE
    return [
        Cell(text, value, text == champion) if text != NONE else Cell(NONE)
        for text, value in zip(texts, values, strict=True)
    ]


def text_columns(table: Table) -> list[bool]:
    """Return for each column whether it holds text; the first one, of names, does."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    return [
        at == 0 or any(cell.value is None and not NUMBER.match(cell.text) for cell in column)
        for at, column in enumerate(columns)
    ]


def column_sizes(table: Table) -> list[int]:
    """Return how many characters the longest cell of each column has."""
    return [
        max(len(name), *(len(row[at].text) for row in table.rows), 0)
        for at, name in enumerate(table.header)
    ]


def broken_columns(table: Table) -> list[float | None]:
    """Return the share of the line of each column of long text, None for the others.

    By the root of its length: a text ten times as long is about three times as wide and as high.
    """
    sizes = column_sizes(table)
    broken = [text and size > WIDE for text, size in zip(text_columns(table), sizes, strict=True)]
    whole = sum(size for size, wide in zip(sizes, broken, strict=True) if not wide)
    room = max(LINE - whole - BETWEEN * len(sizes), LINE / 2)
    roots = sum(size**0.5 for size, wide in zip(sizes, broken, strict=True) if wide)
    return [
        min(room * size**0.5 / roots, size) / LINE if wide else None
        for size, wide in zip(sizes, broken, strict=True)
    ]


def as_html(table: Table) -> str:
    """Return the table in HTML; the exact numbers are the values of <data> elements."""
    shares = broken_columns(table)
    kinds = [
        "" if not text else ' class="text"' if share is None else ' class="text long"'
        for text, share in zip(text_columns(table), shares, strict=True)
    ]
    total = sum(share or 0.0 for share in shares)  # the others get what they need
    widths = [f' style="width: {(share or 0.01) / total:.0%}"' if total else "" for share in shares]
    head = "".join(
        f'<th scope="col"{kind}{width}>{html.escape(name)}</th>'
        for kind, width, name in zip(kinds, widths, table.header, strict=True)
    )
    lines = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for name, *others in table.rows:
        shown = "".join(
            f"<td{kind}>{html_cell(cell)}</td>"
            for kind, cell in zip(kinds[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row"{kinds[0]}>{as_text(name.text)}</th>{shown}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def html_cell(cell: Cell) -> str:
    """Return a cell's content in HTML."""
    text = as_text(cell.text)
    if cell.value is not None:
        text = f'<data value="{cell.value!r}">{text}</data>'
    return f"<strong>{text}</strong>" if cell.best else text


def as_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown."""
    rows = [
        ["**" * cell.best + escape_markdown(cell.text) + "**" * cell.best for cell in row]
        for row in table.rows
    ]
    head = [escape_markdown(name) for name in table.header]
    rule = ["---" if text else "---:" for text in text_columns(table)]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *rows])


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> print(escape_markdown("a|b_c <i>"))
    a\|b\_c \<i\>
    """
    return "".join(
        f"\\{sign}" if sign in r"\`*_[]<>|#&~$" else sign for sign in " ".join(text.split())
    )
