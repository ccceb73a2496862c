"""The report on the paper: one page, and each result in Markdown and LaTeX; it computes nothing."""

import html
from pathlib import Path
from typing import Any

from mooe.report import page
from mooe.report.files import write
from mooe.report.tables import as_html
from mooe.report.words import counted
from mooe_paper import result_of
from mooe_paper.accuracy.in_short import printed_verdicts
from mooe_paper.accuracy.verdicts import NOT_RUN
from mooe_paper.cells import Table
from mooe_paper.shown import as_latex, as_markdown, pictures, report_table
from mooe_paper.stored import found_in, results_in

__all__ = ["PAGE", "tally", "write_report"]

PAGE = "index.html"
INEQUALITIES = "Corrected inequalities, observed"  # a table of the theory
STAND_IN = "made streams stand in for the paper's"
LESS = "fewer seeds and cases"
QUESTIONS = {  # by a word of the answer
    "printed number": "Do the printed numbers hold?",
    "inequalities": "Do the inequalities hold?",
}
OTHERWISE = "What is here?"


def write_report(folder: Path) -> Path:
    """Write a page on all results that have a file in a folder, and their tables; return the page.

    The same results give the same bytes.
    """
    kept = results_in(folder)
    blocks, shown, links = [], {}, []
    for name, one in kept.items():
        found, module = found_in(one), result_of(name)
        tables = shown[name] = module.tables(found)
        images = pictures(folder, name, found)
        links.append(f'<a href="#{name}-1">{html.escape(module.TITLE)}</a>')
        blocks += [table_block(name, at, one, table) for at, table in enumerate(tables, start=1)]
        blocks += [image.as_html() for image in images]
        heading = f"# {module.TITLE}\n\n{quick_words(name, one)}"
        drawn = [f"![{image.caption}]({image.name}.png)\n" for image in images]
        write(folder / f"{name}.md", "\n".join([heading, *map(as_markdown, tables), *drawn]))
        write(folder / f"{name}.tex", "\n".join(map(as_latex, tables)))
    top = [*summary(kept, shown), f'<p class="note">{" · ".join(links)}</p>']
    text = page.page("The paper, reproduced", under(kept), [*top, *blocks], foot(kept))
    write(folder / PAGE, text)
    return folder / PAGE


def table_block(name: str, at: int, kept: dict[str, Any], table: Table) -> str:
    """Return a section with a table."""
    title = kept["title"] if at == 1 else kept["title"].partition(":")[0]
    heading = f"{title}. {table.title}"
    return page.table_block(f"{name}-{at}", heading, as_html(report_table(table)), [table.note])


def tally(tables: list[Table]) -> dict[str, int]:
    """Return how often each verdict on a printed number was given."""
    found = printed_verdicts({"": tables})
    return {word: found.count(word) for word in sorted(set(found))}


def summary(kept: dict[str, dict[str, Any]], tables: dict[str, list[Table]]) -> list[str]:
    """Return what came out, in words and as key figures."""
    counts: dict[str, dict[str, int]] = {name: tally(some) for name, some in tables.items()}
    total: dict[str, int] = {}
    for one in counts.values():
        for word, n in one.items():
            total[word] = total.get(word, 0) + n
    replaced = [name for name, one in kept.items() if stands_in(name, one)]
    said = [*printed_words(total, bool(replaced)), *inequality_words(tables)]
    question = next((ask for word, ask in QUESTIONS.items() if word in " ".join(said)), OTHERWISE)
    silent = [
        one["title"]
        for name, one in kept.items()
        if not counts[name] and name not in replaced and not inequality_words({name: tables[name]})
    ]
    if silent:
        said.append(f"Of these the paper prints no number: {'; '.join(silent)}.")
    facts = [(word, f"{n:,}", "") for word, n in total.items()]
    blocks = [page.answer(question, said)] if said else []
    return [*blocks, page.tiles(facts)] if facts else blocks


def printed_words(total: dict[str, int], replaced: bool) -> list[str]:
    """Return how many printed numbers hold; `replaced`: whether made streams stand in."""
    n_run = sum(n for word, n in total.items() if word != NOT_RUN)
    said = []
    if n_run:
        holds = total.get("holds", 0)
        said.append(f"{holds:,} of {counted(n_run, 'comparison')} with a printed number hold.")
    elif total.get(NOT_RUN):
        said.append("No printed number was put to the test: the streams are not on this machine.")
    elif replaced:
        said.append("No printed number was put to the test: made streams stand in.")
    if total.get(NOT_RUN):
        said.append(f"{counted(total[NOT_RUN], 'comparison')} could not be run.")
    return said


def inequality_words(tables: dict[str, list[Table]]) -> list[str]:
    """Return how many inequalities of the theory hold."""
    outcomes = [
        row[table.columns.index("outcome")]
        for some in tables.values()
        for table in some
        if table.title == INEQUALITIES
        for row in table.rows
    ]
    holds = f"{outcomes.count('holds'):,} of {len(outcomes):,} inequalities hold"
    return [f"{holds} on streams that meet their assumptions."] if outcomes else []


def stands_in(name: str, kept: dict[str, Any]) -> bool:
    """Return whether a quick run has streams in the place of those of the full one."""
    if not kept["quick"]:
        return False
    full = {cell.arguments.get("stream") for cell in result_of(name).cells(quick=False)}
    return any(cell["arguments"].get("stream") not in full for cell in kept["cells"])


def quick_words(name: str, kept: dict[str, Any]) -> str:
    """Return what a quick run is worth, '' for a full one."""
    if not kept["quick"]:
        return ""
    return f"A quick run: {STAND_IN if stands_in(name, kept) else LESS}.\n"


def under(kept: dict[str, dict[str, Any]]) -> str:
    """Return the line below the title."""
    made = [name for name, one in kept.items() if stands_in(name, one)]
    less = [name for name, one in kept.items() if one["quick"] and name not in made]
    if not made and not less:
        return "every table and figure, computed again"
    parts = [(names, words) for names, words in ((made, STAND_IN), (less, LESS)) if names]
    if len(parts) == 1 and len(parts[0][0]) == len(kept):
        return f"a quick run: {parts[0][1]}"
    return "a quick run: " + "; ".join(f"{words} in {', '.join(names)}" for names, words in parts)


def foot(kept: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return what the numbers depend on."""
    facts: dict[str, str] = {}
    for one in kept.values():
        for name, value in {**one["origin"], **one["data"]}.items():
            values = facts.setdefault(name, value)
            if value not in values.split(", "):
                facts[name] = f"{values}, {value}"
    return facts
