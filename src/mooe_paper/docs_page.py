"""Pages of the documentation in which tables and figures stand between marks, and are filled in.

`<!-- rendered: table1 -->` begins all tables and figures of a result, `<!-- rendered: table1 | Who
is best -->` a single table by its title, `<!-- rendered: figure-kmax | figures -->` the figures,
`<!-- rendered: verdicts -->` how many printed numbers hold, `<!-- rendered: in short -->` that and
other counts; `<!-- end -->` ends each of them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from mooe_paper import RESULTS, result_module
from mooe_paper.accuracy.comparison import BATCH_TITLE, FITTED, NOT_RUN, OWN_TITLE
from mooe_paper.accuracy.models import PAPER_MODELS
from mooe_paper.accuracy.sweep import SETTINGS_TITLE, SWEEP_COLUMN, TAKEN
from mooe_paper.experiment import ResultTable
from mooe_paper.formats import as_markdown
from mooe_paper.paper_report import Results, Tables, printed_verdicts, tally
from mooe_paper.store import records_of

MARKED = re.compile(
    r"(<!-- rendered: ([^|>]+?)(?: \| ([^>]+?))? -->\n).*?(<!-- end -->)", re.DOTALL
)
WORDS = ("holds", "ours higher", "ours lower")
FIGURES = "figures"
OUR_MODELS = ("mooe-paper", "mooe")
ABOVE = ("above batch", "barely above")


def fill(text: str, results: Results, images: str = "images") -> str:
    """Return a page with everything between marks as the results have it.

    Parameters
    ----------
    text : str
        The page.
    results : dict
        By name, see `results_in`.
    images : str
        Folder of the figures, as the page names it.
    """
    tables = {
        name: result_module(name).tables(records_of(result)) for name, result in results.items()
    }

    def render(name: str, part: str | None) -> str:
        if name == "verdicts":
            return as_markdown(_verdict_table(results, tables))
        if name == "in short":
            return as_markdown(short_table(tables))
        if name not in RESULTS:
            raise ValueError(f"rendered must name one of {', '.join(RESULTS)}, got {name!r}")
        if name not in results:
            return f"Not run yet: `mooe reproduce {name}`.\n"
        if part == FIGURES:
            return _figure_links(name, results[name], images)
        if part is None:
            texts = [*map(as_markdown, tables[name]), _figure_links(name, results[name], images)]
            return "\n".join(filter(None, texts))
        titles = [table.title for table in tables[name]]
        if part not in titles:
            raise ValueError(f"rendered: {name} must have one of {titles}, got {part!r}")
        return as_markdown(tables[name][titles.index(part)])

    return between_marks(text, render)


def between_marks(text: str, render: Callable[[str, str | None], str]) -> str:
    """Return a page with `render(name, part or None)` between the marks of that name and part."""

    def fill_mark(mark: re.Match[str]) -> str:
        begin, name, part, end = mark.groups()
        return f"{begin}\n{render(name, part)}\n{end}"

    return MARKED.sub(fill_mark, text)


def _figure_links(name: str, result: dict[str, Any], images: str) -> str:
    """Return the figures of a result, as a page refers to them."""
    figures = result_module(name).figures(records_of(result))
    lines = [f"![{figure.get_label()}]({images}/{stem}.png)\n" for stem, figure in figures.items()]
    return "\n".join(lines)


def _verdict_table(results: Results, tables: Tables) -> ResultTable:
    """Return how many printed numbers hold, result by result: with our defaults, and fitted."""
    rows: list[list[Any]] = []
    for name, result in results.items():
        counts, fitted = tally(tables[name]), tally(tables[name], FITTED)
        if counts:
            numbers = [some.get(word, 0) for some in (counts, fitted) for word in WORDS]
            rows.append([result["title"], *numbers, counts.get(NOT_RUN, 0), _taken(tables[name])])
    sums = [sum(row[at] for row in rows) for at in range(1, 2 * len(WORDS) + 2)]
    rows.append(["all", *sums, ""])
    columns = ["result", *WORDS, *(f"{word}, one setting" for word in WORDS), NOT_RUN, "settings"]
    return ResultTable(
        "Printed numbers beside ours",
        columns,
        rows,
        "First with our defaults; then with one setting per method and table, for all of its "
        "numbers there: the one of its sweep that fits them best, named in the last column.",
    )


def _taken(tables: list[ResultTable]) -> str:
    """Return the settings that were taken for a table or figure, in words."""
    return "; ".join(
        f"{row[0]} {row[1]}"
        for table in tables
        if table.title == SETTINGS_TITLE
        for row in table.rows
        if row[-1] == TAKEN
    )


def short_table(tables: Tables) -> ResultTable:
    """Return how many printed numbers hold, which model is best where, and what is out of reach."""
    every = [table for some in tables.values() for table in some]
    rows: list[list[Any]] = []
    for word in WORDS:
        shares = []
        for column in ("verdict", FITTED):
            verdicts = [text for text in printed_verdicts(every, column) if text != NOT_RUN]
            shares.append(_share(verdicts.count(word), len(verdicts)))
        rows.append([f"printed numbers: {word}", *shares])
    scores = [_accuracies(every), _fitted_accuracies(every)]
    for model, rivals, against in (
        ("mooe-paper", PAPER_MODELS, "the paper's four"),
        ("mooe", (*PAPER_MODELS, "mooe"), "those and ours"),
        ("mooe", None, "all, no-change and majority too"),
    ):
        firsts = [best_models(some, rivals) for some in scores]
        shares = [_share(sum(b == [model] for b in best.values()), len(best)) for best in firsts]
        rows.append([f"streams on which {model} is the best of {against}", *shares])
    batch = [table for table in every if table.title == BATCH_TITLE]
    reach = _column(batch, "verdict")
    above = sum(word in ABOVE for word in reach)
    rows.append(["the paper's MOOE, above every batch reference", _share(above, len(reach)), ""])
    places = _column([table for table in every if SWEEP_COLUMN in table.columns], SWEEP_COLUMN)
    within = _share(places.count("within the sweep"), len(places))
    rows.append(["printed numbers between the ends of our sweeps", "", within])
    return ResultTable(
        "In short, in numbers",
        ["count", "our defaults", "one setting per method and table"],
        rows,
        f"Accuracy on {', '.join(best_models(scores[0], None)) or 'no stream'}; in the paper MOOE "
        "is the best of its four methods on all of them. The default model, mooe, has one setting "
        "throughout, and is left out of the first three lines.",
    )


def best_models(
    accuracies: dict[str, dict[str, float]], rivals: Sequence[str] | None
) -> dict[str, list[str]]:
    """Return the models with the highest accuracy, by stream; several where they are equal.

    Only rivals count, all for None; streams that lack one of ours are left out.
    """
    best: dict[str, list[str]] = {}
    for stream, scores in accuracies.items():
        if set(OUR_MODELS) <= set(scores):
            own = {m: value for m, value in scores.items() if rivals is None or m in rivals}
            highest = max(own.values())
            best[stream] = [model for model, value in own.items() if value == highest]
    return best


def _accuracies(tables: list[ResultTable]) -> dict[str, dict[str, float]]:
    """Return our accuracy by stream and model: a column for each model, or a line."""
    accuracies: dict[str, dict[str, float]] = {}
    for table in tables:
        if table.title != OWN_TITLE:
            continue
        for row in table.rows:
            line = dict(zip(table.columns, row, strict=True))
            if "model" in line:
                scores = {str(line["model"]): line["accuracy"]}
            else:
                scores = {name: line[name] for name in table.columns[2:]}
            known = {name: value for name, value in scores.items() if value is not None}
            accuracies.setdefault(str(line["stream"]), {}).update(known)
    return accuracies


def _fitted_accuracies(tables: list[ResultTable]) -> dict[str, dict[str, float]]:
    """Return the same with the one setting of each method for its table, where it has one."""
    accuracies = _accuracies(tables)
    for table in tables:
        if {"stream", "model", FITTED} <= set(table.columns):
            for row in table.rows:
                line = dict(zip(table.columns, row, strict=True))
                value = line["at its setting"]
                if value is not None and line.get("measure", "accuracy") == "accuracy":
                    accuracies[str(line["stream"])][str(line["model"])] = value
    return accuracies


def _column(tables: list[ResultTable], name: str) -> list[str]:
    """Return the words in a column of tables, empty ones left out."""
    words = [row[table.columns.index(name)] for table in tables for row in table.rows]
    return [word for word in words if word]


def _share(n: int, of: int) -> str:
    """Return a count in words.

    >>> _share(3, 8)
    '3 of 8'
    """
    return f"{n:,} of {of:,}"
