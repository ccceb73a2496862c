"""Tables and figures of results in the forms of the report: HTML, Markdown, LaTeX, pictures."""

from pathlib import Path
from typing import Any

from mooe.plots.look import THEMES
from mooe.report import tables as report_tables
from mooe.report.files import Picture, keep
from mooe.report.latex import as_longtable
from mooe_paper import result_of
from mooe_paper.cells import Found, Result, Table

__all__ = ["as_latex", "as_markdown", "pictures", "report_table", "shown"]

NONE = ""


def shown(value: Any, digits: int) -> str:
    """Return what stands in a cell of a table.

    >>> shown(-0.04, 1), shown(1234.56, 1), shown(None, 1), shown("holds", 1), shown(3, 1)
    ('0.0', '1,234.6', '', 'holds', '3')
    """
    if value is None:
        return NONE
    if isinstance(value, float):
        text = f"{value:,.{digits}f}"
        return text.replace("-", "−" if text.strip("-0.,") else "")
    return str(value)


def report_table(table: Table) -> report_tables.Table:
    """Return a table as `mooe.report` writes it."""
    rows = tuple(
        tuple(
            report_tables.Cell(
                shown(value, table.digits), value if isinstance(value, float) else None
            )
            for value in row
        )
        for row in table.rows
    )
    return report_tables.Table(tuple(table.columns), rows)


def as_markdown(table: Table) -> str:
    """Return a table in Markdown, with its title and its note."""
    note = f"\n{report_tables.escape_markdown(table.note)}\n" if table.note else ""
    title = report_tables.escape_markdown(table.title)
    return f"**{title}**\n\n{report_tables.as_markdown(report_table(table))}{note}"


def as_latex(table: Table) -> str:
    """Return a table in LaTeX, for booktabs and longtable, with its title and its note."""
    return as_longtable(report_table(table), f"{table.title}. {table.note}")


def pictures(folder: Path, name: str, found: Found) -> list[Picture]:
    """Draw the figures of a result in every theme; write the light ones as PNG, SVG and PDF."""
    module: Result = result_of(name)
    drawings: dict[str, dict[str, bytes]] = {}
    captions: dict[str, str] = {}
    for theme in THEMES:
        for stem, figure in module.figures(found, theme=theme).items():
            captions[stem] = str(figure.get_label())
            drawings.setdefault(stem, {})[theme] = keep(folder, stem, theme, figure)
    return [
        Picture(stem, module.TITLE, captions[stem], drawing) for stem, drawing in drawings.items()
    ]
