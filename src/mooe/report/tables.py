"""Tables of results, and the same table as HTML, Markdown and LaTeX."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mooe.evaluate.measures import (
    LABEL_UNIT,
    Measure,
    rare_measures,
    shown_measures,
    trivial_models,
)
from mooe.evaluate.metrics import reference_accuracy
from mooe.evaluate.ranks import Ranks
from mooe.evaluate.results import Results

NONE = "–"
RECALLS = (0.25, 0.5, 0.75, 0.9)  # of a rare class, for which a threshold is told
# How a cell of a column of numbers begins; a date is none.
NUMBER = re.compile(rf"(?!\d{{4}}-\d\d-)[−+±-]?[.\d]|{NONE}$|$")
DATE = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?")
# In characters: a line, a column of text from which on it is broken, and between columns.
LINE, WIDE, BETWEEN = 90, 30, 3
MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in r"\`*_[]<>|#&~$"})
# LaTeX's names of smaller letters, by how wide a table is, in lines, with which it still fits.
SIZES = {"": 0.95, "small": 1.05, "footnotesize": 1.15, "scriptsize": 1.35}
NAMED_SIGNS = {
    **{"\\": "backslash", "^": "asciicircum", "~": "asciitilde"},
    **{"<": "less", ">": "greater", "|": "bar"},
}
LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}$&#%_"}
    | {sign: rf"\text{name}{{}}" for sign, name in NAMED_SIGNS.items()}
    | {"−": "$-$", "±": r"$\pm$", "–": "--", "²": r"\textsuperscript{2}"}
)


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
    """Return the results with no-change and majority, or the mean, among them.

    Of one that was not run, the accuracy is known from the first model's kappa; its other measures
    stay unknown.
    """
    out, first = list(results), results[0]
    for model in trivial_models(first.task):
        if all(run.model != model for run in results):
            accuracy = reference_accuracy(first.cumulative, model)
            known = {"accuracy": accuracy} if np.isfinite(accuracy) else {}
            like_first = (first.stream, first.task, first.window, first.seed, first.rows)
            same = {name: getattr(first, name) for name in ("unanswered", "label", "unit")}
            out.append(Results(model, *like_first, cumulative=known, **same))
    return out


def results_table(results: Sequence[Results]) -> Table:
    """Make a line per model: its measures, the best in bold, then its speed."""
    measures = shown_measures(results)
    columns = [[Cell(run.model) for run in results]]
    for measure in measures:
        values = [run.cumulative.get(measure.key, np.nan) for run in results]
        columns.append(_cells(values, measure))
    for decimals, speeds in (
        (0, [run.rows_per_second for run in results]),
        (2, [run.seconds for run in results]),
    ):
        columns.append([Cell(f"{n:,.{decimals}f}", n) if n else Cell(NONE) for n in speeds])
    names = [measure.heading.replace(f" ({LABEL_UNIT})", "") for measure in measures]
    return Table(("model", *names, "rows/s", "seconds"), tuple(zip(*columns, strict=True)))


def rare_table(results: Sequence[Results]) -> Table:
    """Make a line per model of what it made of the rare class."""
    measures, known = rare_measures(results), [run for run in results if run.rare]
    columns = [[Cell(run.model) for run in known]]
    columns += [
        _cells([run.cumulative.get(measure.key, np.nan) for run in known], measure)
        for measure in measures
    ]
    header = ("model", *(measure.heading for measure in measures))
    return Table(header, tuple(zip(*columns, strict=True)))


def threshold_table(run: Results) -> Table | None:
    """Make a line for each of some shares of a rare class to find: the threshold, and its price.

    None where a model has no probabilities to set a threshold to.
    """
    lines: dict[float, tuple[Cell, ...]] = {}
    for least in RECALLS:
        point = next((point for point in run.rare["curve"] if point[0] >= least), None)
        if point is not None and len(run.rare["curve"]) > len(RECALLS):
            recall, precision, threshold = point
            alarms = 1000.0 * recall * run.rare["rows"] / precision / run.judged
            lines[threshold] = (
                Cell(f"{threshold:.3g}", threshold),
                Cell(f"{100.0 * recall:.1f}", recall),
                Cell(f"{100.0 * precision:.1f}", precision),
                Cell(f"{alarms:,.2f}", alarms),
            )
    header = ("threshold", "recall (%)", "precision (%)", "alarms per 1,000 rows")
    return Table(header, tuple(lines.values())) if lines else None


def scores_table(
    scores: dict[str, dict[str, list[float]]], measure: Measure, ranks: Ranks
) -> Table:
    """Make a line per stream: mean and spread over the repeats of every model; then the ranks.

    `scores` holds the measure of every repeat, by stream and model.
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


def repeats_table(scores: dict[str, dict[str, list[float]]], measure: Measure) -> Table:
    """Make a line per model of a single stream: mean and spread over the repeats."""
    (by_model,) = scores.values()
    means = _cells([float(np.mean(values)) for values in by_model.values()], measure)
    spreads = [
        Cell(measure.number(float(np.std(values, ddof=1)))) if len(values) > 1 else Cell(NONE)
        for values in by_model.values()
    ]
    names = [Cell(model) for model in by_model]
    header = ("model", f"mean {measure.heading}", "standard deviation", "repeats")
    counts = [Cell(f"{len(values):,}") for values in by_model.values()]
    return Table(header, tuple(zip(names, means, spreads, counts, strict=True)))


def p_table(ranks: Ranks) -> Table:
    """Make a table of the corrected p-values of all pairs, below the diagonal."""
    rows = []
    for k, model in enumerate(ranks.models[1:], start=1):
        cells = [Cell(f"{p:.3g}", p) for p in ranks.p_values[k, :k].tolist()]
        rows.append((Cell(model), *cells, *[Cell("")] * (len(ranks.models) - 1 - k)))
    return Table(("corrected p-value", *ranks.models[:-1]), tuple(rows))


def _cells(values: Sequence[float], measure: Measure) -> list[Cell]:
    """Write the values of one measure; all that read like the best are the best.

    Where all of several are alike, none is.
    """
    texts = [measure.number(value) if np.isfinite(value) else NONE for value in values]
    are_alike = len(texts) > 1 and len({*texts}) == 1
    is_told = measure.is_judged and not are_alike
    best = measure.number(measure.best(values)) if is_told else ""
    return [
        Cell(text, value, text == best) if text != NONE else Cell(NONE)
        for text, value in zip(texts, values, strict=True)
    ]


class _Column(NamedTuple):
    """Whether it holds text, its longest cell in characters, its share of a line if broken."""

    is_text: bool
    size: int
    share: float | None


def _columns(table: Table) -> list[_Column]:
    """Measure the columns; the first, of names, holds text, and those of long text are broken.

    They share what the others leave by the root of their length: a text ten times as long is about
    three times as wide and as high.
    """
    texts, sizes = [], []
    for at, name in enumerate(table.header):
        column = [row[at] for row in table.rows]
        sizes.append(max(len(text) for text in (name, *(cell.text for cell in column))))
        is_number = all(cell.value is not None or NUMBER.match(cell.text) for cell in column)
        texts.append(at == 0 or not is_number)
    broken = [text and size > WIDE for text, size in zip(texts, sizes, strict=True)]
    whole = sum(size for size, wide in zip(sizes, broken, strict=True) if not wide)
    room = max(LINE - whole - BETWEEN * len(sizes), LINE / 2)
    roots = sum(size**0.5 for size, wide in zip(sizes, broken, strict=True) if wide)
    return [
        _Column(text, size, min(room * size**0.5 / roots, size) / LINE if wide else None)
        for text, size, wide in zip(texts, sizes, broken, strict=True)
    ]


def as_html(table: Table) -> str:
    """Write the table in HTML; the exact numbers are the values of <data> elements."""
    columns, head, kinds = _columns(table), "", []
    total = sum(column.share or 0.0 for column in columns)  # the others get what they need
    for column, heading in zip(columns, table.header, strict=True):
        kinds.append(f' class="text{" long" if column.share else ""}"' if column.is_text else "")
        width = f' style="width: {(column.share or 0.01) / total:.0%}"' if total else ""
        head += f'<th scope="col"{kinds[-1]}{width}>{html.escape(heading)}</th>'
    lines = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for name, *others in table.rows:
        line = f'<tr><th scope="row"{kinds[0]}>{html_text(name.text)}</th>'
        for kind, cell in zip(kinds[1:], others, strict=True):
            text = html_text(cell.text)
            if cell.value is not None:
                text = f'<data value="{cell.value!r}">{text}</data>'
            line += f"<td{kind}>{f'<strong>{text}</strong>' if cell.best else text}</td>"
        lines.append(f"{line}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def html_text(text: str) -> str:
    """Write a text in HTML, in which no line ends within 'first–last' or a date.

    >>> html_text("a < b: 1–2")
    'a &lt; b: 1&NoBreak;–&NoBreak;2'
    """
    escaped = re.sub(r"(?<=\d)–(?=\d)", "&NoBreak;–&NoBreak;", html.escape(text))
    return DATE.sub(r'<span class="date">\g<0></span>', escaped)


def as_markdown(table: Table) -> str:
    """Write the table in GitHub's Markdown."""
    rows = [
        ["**" * cell.best + escape_markdown(cell.text) + "**" * cell.best for cell in row]
        for row in table.rows
    ]
    head = [escape_markdown(name) for name in table.header]
    rule = ["---" if column.is_text else "---:" for column in _columns(table)]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *rows])


def escape_markdown(text: str) -> str:
    r"""Write a text that Markdown shows as it is.

    >>> print(escape_markdown("a|b_c <i>"))
    a\|b\_c \<i\>
    """
    return " ".join(text.split()).translate(MARKDOWN)


def as_latex(table: Table) -> str:
    """Write the table in LaTeX, for the package booktabs."""
    head, *rows = _latex_lines(table)
    begin = rf"\begin{{tabular}}{{{_latex_columns(table)}}}"
    end = (r"\bottomrule", r"\end{tabular}", "")
    return "\n".join([begin, r"\toprule", head, r"\midrule", *rows, *end])


def as_longtable(table: Table, caption: str) -> str:
    """Write the table in LaTeX, for the packages booktabs and longtable.

    It goes on over pages, and what is wider than a line is set smaller.
    """
    head, *rows = _latex_lines(table)
    lines = [
        rf"{{{_latex_size(table)}\setlength{{\LTcapwidth}}{{\linewidth}}",
        rf"\begin{{longtable}}{{{_latex_columns(table)}}}",
        rf"\caption{{{escape_latex(caption)}}} \\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        *(r"\end{longtable}", "}", ""),
    ]
    return "\n".join(lines)


def _latex_lines(table: Table) -> list[str]:
    """Write head and rows in LaTeX; in columns of long text names may be broken at their _."""
    lines = [[escape_latex(name) for name in table.header]]
    columns = _columns(table)
    for row in table.rows:
        line = []
        for cell, column in zip(row, columns, strict=True):
            text = escape_latex(cell.text)
            if column.share:
                text = text.replace(r"\_", r"\_\allowbreak{}")
            line.append(rf"\textbf{{{text}}}" if cell.best else text)
        lines.append(line)
    return [" & ".join(line) + r" \\" for line in lines]


def _latex_size(table: Table) -> str:
    r"""Return the command for letters with which a table fits into a line, '' where they all do.

    >>> _latex_size(Table(("a", "b"), ((Cell("name"), Cell("1.5")),)))
    ''
    >>> _latex_size(Table(("a",) * 9, ((Cell("0123456789"),) * 9,)))
    '\\scriptsize\\setlength{\\tabcolsep}{3pt}'
    """
    columns = _columns(table)
    width = sum(LINE * column.share if column.share else column.size for column in columns) / LINE
    width += BETWEEN * len(columns) / LINE
    size = next((name for name, most in SIZES.items() if width <= most), "tiny")
    return rf"\{size}\setlength{{\tabcolsep}}{{3pt}}" if size else ""


def _latex_columns(table: Table) -> str:
    r"""Return the columns for tabular: numbers right, names left, long texts in broken lines.

    >>> _latex_columns(Table(("a", "b"), ((Cell("name"), Cell("1.5")),)))
    'lr'
    >>> _latex_columns(Table(("a", "b"), ((Cell("name"), Cell("many words " * 9)),)))
    'lp{0.89\\linewidth}'
    """
    return "".join(
        rf"p{{{share:.2f}\linewidth}}" if share else "l" if is_text else "r"
        for is_text, _, share in _columns(table)
    )


def escape_latex(text: str) -> str:
    r"""Write a text that LaTeX prints as it is.

    >>> print(escape_latex("50_% & more"))
    50\_\% \& more
    """
    return " ".join(text.split()).translate(LATEX)
