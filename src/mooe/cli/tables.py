"""The tables that commands print."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mooe.evaluate.results import Results

__all__ = [
    "comparison_table",
    "final_table",
    "full_summary",
    "plain_table",
    "to_stdout",
    "two_digits",
]

# Measure, header, form; those behind are left out where the terminal is less wide.
COLUMNS: dict[str, list[tuple[str, str, str]]] = {
    "classification": [
        ("accuracy", "accuracy", "percent"),
        ("kappa", "kappa", ".3f"),
        ("kappa_m", "kappa-M", ".3f"),
        ("kappa_temporal", "kappa-t", ".3f"),
        ("f1", "F1", ".3f"),
        ("log_loss", "log-loss", ".3f"),
    ],
    "regression": [("mae", "MAE", ".4g"), ("rmse", "RMSE", ".4g"), ("r2", "R2", ".3f")],
}
COLUMN = 10  # characters, about


def plain_table() -> Table:
    """Return an empty table with a line below its header and no other."""
    return Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)


def to_stdout() -> Console:
    """Return the console of standard output."""
    return Console(highlight=False, soft_wrap=False)


def final_table(rows: Sequence[Results], width: int) -> Table:
    """Return a row for each model, the first one in bold."""
    columns = COLUMNS[rows[0].task][: max(1, (width - 22) // COLUMN)]
    table = plain_table()
    table.add_column("model", no_wrap=True)
    for _, name, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("rows/s", justify="right", no_wrap=True)
    for at, row in enumerate(rows):
        cells = [shown(row.cumulative.get(measure), form) for measure, _, form in columns]
        table.add_row(
            row.model, *cells, two_digits(row.rows_per_second), style="" if at else "bold"
        )
    return table


def shown(value: float | None, form: str) -> str:
    """Return a measure as text, '-' where there is none."""
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if form == "percent" else format(value, form)


def two_digits(value: float) -> str:
    """Return a large number rounded to two significant digits."""
    return f"{float(format(value, '.2g')):,.0f}"


def full_summary(results: Results) -> dict[str, Any]:
    """Return the summary with all its keys: null where there is no such measure."""
    found = results.summary()
    for name in ("accuracy", "kappa"):
        found.setdefault(name, None)
    return {**found, "task": results.task, "interrupted": results.interrupted}


def comparison_table(done: Sequence[Results]) -> Table:
    """Return a row for each stream and a column for each model, the best in bold."""
    models = list(dict.fromkeys(one.model for one in done))
    table = plain_table()
    table.add_column("stream")
    for name in ("", *models):
        table.add_column(name, justify="right", no_wrap=True)
    for stream in dict.fromkeys(one.stream for one in done):
        here = [one for one in done if one.stream == stream]
        measure, name, form = COLUMNS[here[0].task][0]
        means = {
            model: mean([one.cumulative[measure] for one in here if one.model == model])
            for model in models
        }
        known = [value for value in means.values() if value is not None]
        best = (max if measure == "accuracy" else min)(known, default=None)
        cells = [
            f"[bold]{shown(value, form)}[/]" if value == best else shown(value, form)
            for value in means.values()
        ]
        table.add_row(escape(stream), name, *cells)
    return table


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None where there is nothing."""
    return sum(values) / len(values) if values else None
