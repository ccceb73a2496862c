"""Tables of results as text: Markdown, LaTeX, and HTML by way of `mooe.report`."""

from mooe.report import tables as report_tables
from mooe_paper.experiment import ResultTable, cell_text


def report_table(table: ResultTable) -> report_tables.Table:
    """Turn a table into one that `mooe.report` writes."""

    def cell(value: object) -> report_tables.Cell:
        exact = value if isinstance(value, float) else None
        return report_tables.Cell(cell_text(value, table.digits), exact)

    rows = tuple(tuple(map(cell, row)) for row in table.rows)
    return report_tables.Table(tuple(table.columns), rows)


def as_markdown(table: ResultTable) -> str:
    """Write a table in Markdown, with its title and its note."""
    note = f"\n{report_tables.escape_markdown(table.note)}\n" if table.note else ""
    title = report_tables.escape_markdown(table.title)
    return f"**{title}**\n\n{report_tables.as_markdown(report_table(table))}{note}"


def as_latex(table: ResultTable) -> str:
    """Write a table in LaTeX, for booktabs and longtable, with its title and its note."""
    return report_tables.as_longtable(report_table(table), f"{table.title}. {table.note}")
