"""The report on the paper: one page, and each result in Markdown and LaTeX; it computes nothing."""

import html
from pathlib import Path
from typing import Any

from mooe.plots.style import THEMES
from mooe.report import page
from mooe.report.page import keep, write
from mooe.words import counted
from mooe_paper import result_module
from mooe_paper.accuracy.comparison import FITTED, HOLDS, NOT_RUN
from mooe_paper.experiment import Records, ResultTable
from mooe_paper.formats import as_latex, as_markdown, report_table
from mooe_paper.store import records_of, results_in

INEQUALITIES = "Corrected inequalities, observed"  # a table of the theory
STAND_IN = "made streams stand in for the paper's"
LESS = "fewer seeds and cases"
OUR_MODEL = "mooe"  # not in the paper
QUESTIONS = {  # by a word of the answer
    "printed number": "Do the printed numbers hold?",
    "inequalities": "Do the inequalities hold?",
}
OTHERWISE = "What is here?"
Results = dict[str, dict[str, Any]]  # contents of result files by name
Tables = dict[str, list[ResultTable]]  # by result


def write_report(folder: Path) -> Path:
    """Write a page on all results that have a file in a folder, and their tables; return the page.

    The same results give the same bytes.
    """
    results = results_in(folder)
    tables: Tables = {}
    blocks, links = [], []
    for name, result in results.items():
        records, module = records_of(result), result_module(name)
        tables[name] = module.tables(records)
        captions, pictures = _pictures(folder, name, records)
        links.append(f'<a href="#{name}-1">{html.escape(module.TITLE)}</a>')
        blocks += [_table_block(name, at, result, t) for at, t in enumerate(tables[name], start=1)]
        blocks += pictures
        heading = f"# {module.TITLE}\n\n{_quick_words(name, result)}"
        image_links = [f"![{caption}]({stem}.png)\n" for stem, caption in captions.items()]
        texts = [heading, *map(as_markdown, tables[name]), *image_links]
        write(folder / f"{name}.md", "\n".join(texts))
        write(folder / f"{name}.tex", "\n".join(map(as_latex, tables[name])))
    top = [*_summary(results, tables), f'<p class="note">{" · ".join(links)}</p>']
    under, foot = _line_below_title(results), _facts(results)
    return page.write_page(folder, "The paper, reproduced", under, [*top, *blocks], foot)


def _pictures(folder: Path, name: str, records: Records) -> tuple[dict[str, str], list[str]]:
    """Draw the figures of a result, write their files; return captions by name, and the HTML."""
    module = result_module(name)
    drawings: dict[str, dict[str, str]] = {}
    captions: dict[str, str] = {}
    for theme in THEMES:
        for stem, figure in module.figures(records, theme=theme).items():
            captions[stem] = str(figure.get_label())
            drawings.setdefault(stem, {})[theme] = keep(folder, stem, theme, figure)
    return captions, [
        page.figure_block(stem, module.TITLE, captions[stem], drawing)
        for stem, drawing in drawings.items()
    ]


def _table_block(name: str, at: int, result: dict[str, Any], table: ResultTable) -> str:
    """Return a section with a table."""
    title = result["title"] if at == 1 else result["title"].partition(":")[0]
    heading = f"{title}. {table.title}"
    return page.table_block(f"{name}-{at}", heading, report_table(table), [table.note])


def printed_verdicts(tables: list[ResultTable], column: str = "verdict") -> list[str]:
    """Return the verdicts on printed numbers in tables that compare the paper with ours.

    Our default model, which is not in the paper, is left out. The column `FITTED` has the verdicts
    with one setting per method and table, which they name; they are returned without it.
    """
    return [
        verdict.partition(" at ")[0]
        for table in tables
        if {"paper", column} <= set(table.columns)
        for row in table.rows
        if row[table.columns.index("paper")] is not None and OUR_MODEL not in row
        if (verdict := row[table.columns.index(column)])
    ]


def tally(tables: list[ResultTable], column: str = "verdict") -> dict[str, int]:
    """Count how often each verdict on a printed number was given."""
    verdicts = printed_verdicts(tables, column)
    return {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}


def _summary(results: Results, tables: Tables) -> list[str]:
    """Return the outcome, in words and as key figures."""
    counts = {name: tally(some) for name, some in tables.items()}
    total: dict[str, int] = {}
    for by_verdict in counts.values():
        for verdict, n in by_verdict.items():
            total[verdict] = total.get(verdict, 0) + n
    replaced = [name for name, result in results.items() if _stands_in(name, result)]
    every = [table for some in tables.values() for table in some]
    fitted = tally(every, FITTED).get(HOLDS, 0)
    said = [*_printed_words(total, fitted, bool(replaced)), *_inequality_words(tables)]
    question = next((ask for word, ask in QUESTIONS.items() if word in " ".join(said)), OTHERWISE)
    silent = [
        result["title"]
        for name, result in results.items()
        if not counts[name] and name not in replaced and not _inequality_words({name: tables[name]})
    ]
    if silent:
        said.append(f"Of these the paper prints no number: {'; '.join(silent)}.")
    facts = [(verdict, f"{n:,}", "") for verdict, n in total.items()]
    blocks = [page.answer(question, said)] if said else []
    return [*blocks, page.tiles(facts)] if facts else blocks


def _printed_words(total: dict[str, int], fitted: int, replaced: bool) -> list[str]:
    """Return how many printed numbers hold, with our defaults and with one setting per table.

    `replaced`: whether made streams stand in.
    """
    n_run = sum(n for verdict, n in total.items() if verdict != NOT_RUN)
    said = []
    if n_run:
        holds = total.get(HOLDS, 0)
        said.append(
            f"{holds:,} of {counted(n_run, 'comparison')} with a printed number hold with our "
            f"defaults, {fitted:,} with one setting per method and table for what is unknown."
        )
    elif total.get(NOT_RUN):
        said.append("No printed number was put to the test: the streams are not on this machine.")
    elif replaced:
        said.append("No printed number was put to the test: made streams stand in.")
    if total.get(NOT_RUN):
        said.append(f"{counted(total[NOT_RUN], 'comparison')} could not be run.")
    return said


def _inequality_words(tables: Tables) -> list[str]:
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


def _stands_in(name: str, result: dict[str, Any]) -> bool:
    """Whether a quick run has streams in the place of those of the full one."""
    if not result["quick"]:
        return False
    full = {each.arguments.get("stream") for each in result_module(name).experiments(quick=False)}
    return any(cell["arguments"].get("stream") not in full for cell in result["cells"])


def _quick_words(name: str, result: dict[str, Any]) -> str:
    """Say what a quick run is worth, '' for a full one."""
    if not result["quick"]:
        return ""
    return f"A quick run: {STAND_IN if _stands_in(name, result) else LESS}.\n"


def _line_below_title(results: Results) -> str:
    """Return the line below the title."""
    made = [name for name, result in results.items() if _stands_in(name, result)]
    less = [name for name, result in results.items() if result["quick"] and name not in made]
    if not made and not less:
        return "every table and figure, computed again"
    parts = [(names, words) for names, words in ((made, STAND_IN), (less, LESS)) if names]
    if len(parts) == 1 and len(parts[0][0]) == len(results):
        return f"a quick run: {parts[0][1]}"
    return "a quick run: " + "; ".join(f"{words} in {', '.join(names)}" for names, words in parts)


def _facts(results: Results) -> dict[str, str]:
    """Return versions, machine and data of all results, for the foot of the page."""
    facts: dict[str, str] = {}
    for result in results.values():
        for name, value in {**result["origin"], **result["data"]}.items():
            values = facts.setdefault(name, value)
            if value not in values.split(", "):
                facts[name] = f"{values}, {value}"
    return facts
