"""Tables of results, and the same table as HTML and Markdown; as LaTeX in `mooe.report.latex`."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mooe.evaluate.measures import TRIVIAL, Measure, table_measures
from mooe.evaluate.metrics import reference_accuracy
from mooe.evaluate.ranks import Ranks
from mooe.evaluate.results import Results
from mooe.report.page import as_text

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

    Of one that was not run, the accuracy is known from the first model's kappa; its other measures
    stay unknown.
    """
    out, first = list(results), results[0]
    for model in TRIVIAL:
        if any(run.model == model for run in results):
            continue
        accuracy = reference_accuracy(first.cumulative, model)
        cumulative = {"accuracy": accuracy} if np.isfinite(accuracy) else {}
        out.append(
            Results(
                model, first.stream, first.task, first.window, first.seed, first.rows,
                cumulative=cumulative,
            )
        )  # fmt: skip
    return out


def results_table(results: Sequence[Results]) -> Table:
    """Return a line per model: its measures, the best in bold, then its speed."""
    measures = table_measures(results[0].task)
    columns = [[Cell(run.model) for run in results]]
    for measure in measures:
        values = [run.cumulative.get(measure.key, np.nan) for run in results]
        columns.append(_cells(values, measure))
    speeds = [(f"{run.rows_per_second:,.0f}", run.rows_per_second) for run in results]
    times = [(f"{run.seconds:,.2f}", run.seconds) for run in results]
    columns += [
        [Cell(*pair) if pair[1] else Cell(NONE) for pair in pairs] for pairs in (speeds, times)
    ]
    names = [measure.heading.replace(" (unit of the label)", "") for measure in measures]
    header = ("model", *names, "rows/s", "seconds")
    return Table(header, tuple(zip(*columns, strict=True)))


def scores_table(
    scores: dict[str, dict[str, list[float]]], measure: Measure, ranks: Ranks
) -> Table:
    """Return a line per stream: mean and spread over the repeats of every model; then the ranks.

    Parameters
    ----------
    scores : dict of stream to dict of model to list of float
        A measure of every repeat.
    """
    rows = []
    for stream, by_model in scores.items():
        repeats = [by_model.get(model, []) for model in ranks.models]
        means = [float(np.mean(values)) if values else np.nan for values in repeats]
        line = [
            replace(cell, text=f"{cell.text} ± {measure.number(float(np.std(values, ddof=1)))}")
            if len(values) > 1
            else cell
            for cell, values in zip(_cells(means, measure), repeats, strict=True)
        ]
        rows.append((Cell(stream), *line))
    rank = Measure("rank", "rank", higher_is_better=False, decimals=2)
    places = _cells(ranks.mean_ranks.tolist(), rank)
    header = (f"stream, {measure.heading}", *ranks.models)
    return Table(header, (*rows, (Cell("mean rank"), *places)))


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


def _cells(values: Sequence[float], measure: Measure) -> list[Cell]:
    """Return cells of one measure; all that read like the best are the best."""
    best = measure.number(measure.best(values))
    texts = [measure.number(value) if np.isfinite(value) else NONE for value in values]
    return [
        Cell(text, value, text == best) if text != NONE else Cell(NONE)
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
            f"<td{kind}>{_html_cell(cell)}</td>"
            for kind, cell in zip(kinds[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row"{kinds[0]}>{as_text(name.text)}</th>{shown}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def _html_cell(cell: Cell) -> str:
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
