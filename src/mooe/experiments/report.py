"""The report on the paper: one page, and each result in Markdown and LaTeX; it computes nothing."""

import html
from pathlib import Path
from typing import Any

from mooe.experiments import result_of
from mooe.experiments.cells import Table
from mooe.experiments.shown import as_latex, as_markdown, pictures, report_table
from mooe.experiments.stored import found_in, results_in
from mooe.report import page
from mooe.report.files import write
from mooe.report.tables import as_html
from mooe.report.words import counted

__all__ = ["PAGE", "tally", "verdicts_in", "write_report"]

PAGE = "index.html"
NOT_RUN = "not run"
OURS = "mooe"


def write_report(folder: Path) -> Path:
    """Write a page on all results that have a file in a folder, and their tables; return the page.

    The same results give the same bytes.
    """
    kept = results_in(folder)
    blocks, counts, links = [], {}, []
    for name, one in kept.items():
        found, module = found_in(one), result_of(name)
        tables = module.tables(found)
        images = pictures(folder, name, found)
        links.append(f'<a href="#{name}-1">{html.escape(module.TITLE)}</a>')
        counts[name] = tally(tables)
        blocks += [table_block(name, at, one, table) for at, table in enumerate(tables, start=1)]
        blocks += [image.as_html() for image in images]
        heading = f"# {module.TITLE}\n\n{quick_words(one)}"
        drawn = [f"![{image.caption}]({image.name}.png)\n" for image in images]
        write(folder / f"{name}.md", "\n".join([heading, *map(as_markdown, tables), *drawn]))
        write(folder / f"{name}.tex", "\n".join(map(as_latex, tables)))
    top = [*summary(counts), f'<p class="note">{" · ".join(links)}</p>']
    text = page.page("The paper, reproduced", under(kept), [*top, *blocks], foot(kept))
    write(folder / PAGE, text)
    return folder / PAGE


def table_block(name: str, at: int, kept: dict[str, Any], table: Table) -> str:
    """Return a section with a table."""
    title = kept["title"] if at == 1 else kept["title"].partition(":")[0]
    heading = f"{title}. {table.title}"
    return page.table_block(f"{name}-{at}", heading, as_html(report_table(table)), [table.note])


def verdicts_in(tables: list[Table]) -> list[str]:
    """Return the verdicts on printed numbers in tables that compare the paper with ours.

    Our default model, which is not in the paper, is left out.
    """
    return [
        row[table.columns.index("verdict")]
        for table in tables
        if {"paper", "verdict"} <= set(table.columns)
        for row in table.rows
        if row[table.columns.index("paper")] is not None and OURS not in row
    ]


def tally(tables: list[Table]) -> dict[str, int]:
    """Return how often each verdict was given."""
    found = [word for word in verdicts_in(tables) if word]
    return {word: found.count(word) for word in sorted(set(found))}


def summary(counts: dict[str, dict[str, int]]) -> list[str]:
    """Return how many printed numbers hold, in words and as key figures."""
    total: dict[str, int] = {}
    for one in counts.values():
        for word, n in one.items():
            total[word] = total.get(word, 0) + n
    n_run = sum(n for word, n in total.items() if word != NOT_RUN)
    if not n_run:
        said = ["No printed number was put to the test: the streams are not on this machine."]
        return [page.answer("Do the printed numbers hold?", said)]
    holds = total.get("holds", 0)
    said = [f"{holds:,} of {counted(n_run, 'comparison')} with a printed number hold."]
    if total.get(NOT_RUN):
        said.append(f"{counted(total[NOT_RUN], 'comparison')} could not be run.")
    facts = [(word, f"{n:,}", "") for word, n in total.items()]
    return [page.answer("Do the printed numbers hold?", said), page.tiles(facts)]


def quick_words(kept: dict[str, Any]) -> str:
    """Return what a quick run is worth, '' for a full one."""
    return "A quick run: made streams stand in for the paper's.\n" if kept["quick"] else ""


def under(kept: dict[str, dict[str, Any]]) -> str:
    """Return the line below the title."""
    quick = [name for name, one in kept.items() if one["quick"]]
    if not quick:
        return "every table and figure, computed again"
    if len(quick) == len(kept):
        return "a quick run: made streams stand in for the paper's"
    return f"of a quick run, in which made streams stand in for the paper's: {', '.join(quick)}"


def foot(kept: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return what the numbers depend on."""
    facts: dict[str, str] = {}
    for one in kept.values():
        for name, value in {**one["origin"], **one["data"]}.items():
            values = facts.setdefault(name, value)
            if value not in values.split(", "):
                facts[name] = f"{values}, {value}"
    return facts
