"""Pages of the documentation in which tables and figures stand between marks, and are filled in.

`<!-- rendered: table1 -->` begins all tables and figures of a result, `<!-- rendered: table1 | Who
is best -->` a single table by its title, `<!-- rendered: figure-kmax | figures -->` the figures,
`<!-- rendered: verdicts -->` how many printed numbers hold, `<!-- rendered: in short -->` that and
other counts; `<!-- end -->` ends each of them.
"""

import re
from collections.abc import Callable
from typing import Any

from mooe_paper import RESULTS, result_module
from mooe_paper.accuracy.comparison import BATCH_TITLE, NOT_RUN, OWN_TITLE, SWEEP_COLUMN
from mooe_paper.experiment import ResultTable
from mooe_paper.formats import as_markdown
from mooe_paper.paper_report import Results, Tables, printed_verdicts, tally
from mooe_paper.store import records_of

MARKED = re.compile(
    r"(<!-- rendered: ([^|>]+?)(?: \| ([^>]+?))? -->\n).*?(<!-- end -->)", re.DOTALL
)
VERDICTS = ("holds", "ours higher", "ours lower", NOT_RUN)
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
    """Return how many printed numbers hold, result by result."""
    rows: list[list[Any]] = []
    for name, result in results.items():
        counts = tally(tables[name])
        if counts:
            rows.append([result["title"], *(counts.get(word, 0) for word in VERDICTS)])
    sums = [sum(row[at] for row in rows) for at in range(1, len(VERDICTS) + 1)]
    rows.append(["all", *sums])
    return ResultTable("Printed numbers beside ours", ["result", *VERDICTS], rows)


def short_table(tables: Tables) -> ResultTable:
    """Return how many printed numbers hold, which model is best where, and what is out of reach."""
    every = [table for some in tables.values() for table in some]
    verdicts = [verdict for verdict in printed_verdicts(every) if verdict != NOT_RUN]
    rows: list[list[Any]] = [
        [f"printed numbers: {word}", _share(verdicts.count(word), len(verdicts))]
        for word in ("holds", "ours higher", "ours lower")
    ]
    best = best_models(every)
    for model in OUR_MODELS:
        firsts = sum(models == [model] for models in best.values())
        rows.append([f"streams on which {model} is best of all", _share(firsts, len(best))])
    batch = [table for table in every if table.title == BATCH_TITLE]
    reach = _column(batch, "verdict")
    above = sum(word in ABOVE for word in reach)
    rows.append(["the paper's MOOE, above every batch reference", _share(above, len(reach))])
    places = _column([table for table in every if SWEEP_COLUMN in table.columns], SWEEP_COLUMN)
    within = _share(places.count("within the sweep"), len(places))
    rows.append(["printed numbers of MOOE and Condor within our sweep", within])
    return ResultTable(
        "In short, in numbers",
        ["count", "of those that were run"],
        rows,
        "Best of all: the highest accuracy of the paper's four methods, our default model mooe, "
        f"no-change and majority, on {', '.join(best) or 'no stream'}. The default model is left "
        "out of the first three lines.",
    )


def best_models(tables: list[ResultTable]) -> dict[str, list[str]]:
    """Return the models with the highest accuracy, by stream; several where they are equal."""
    best: dict[str, list[str]] = {}
    for stream, scores in _accuracies(tables).items():
        if set(OUR_MODELS) <= set(scores):
            highest = max(scores.values())
            best[stream] = [model for model, value in scores.items() if value == highest]
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
