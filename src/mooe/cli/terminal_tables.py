"""The tables that commands print."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mooe.evaluate.measures import MEASURES, Measure, main_measure, rare_measures, table_measures
from mooe.evaluate.results import Results

SPEED = len("10,000,000")  # characters of a column of speeds, whatever they are today
SHORT = {
    "average_precision": "AP",
    "alarms_per_day": "alarms/day",
    "alarms_per_1000_rows": "alarms/1k",
}


def plain_table(*columns: str, wraps: bool = False, gap: int = 3) -> Table:
    """Return an empty table with a line below its header and no other.

    Of its columns the first is flush left, the others flush right; `wraps`: whether the first may
    take several lines; `gap`: between columns.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap - 1, 0, 0), pad_edge=False, show_edge=False)
    for at, name in enumerate(columns):
        table.add_column(name, justify="right" if at else "left", no_wrap=bool(at) or not wraps)
    return table


def to_stdout() -> Console:
    """Return the console of standard output."""
    return Console(highlight=False, soft_wrap=False)


def final_table(rows: Sequence[Results], width: int) -> Table:
    """Return a row for each model, the first in bold; measures as far as there is room for them.

    Where a class is rare, what was found of it comes right after the accuracy.
    """
    first, *others = table_measures(rows[0].task, rows[0].unit)
    shown = [first, *(rare_measures(rows) if rows[0].rare else ()), *others]
    measures: list[Measure] = []
    gap = 2 if rows[0].rare else 3
    room = width - max(len("model"), *(len(row.model) for row in rows)) - gap - SPEED
    for measure in shown:
        widths = [len(_cell(measure, row.cumulative.get(measure.key))) for row in rows]
        room -= gap + max(len(_heading(measure)), *widths)
        if measures and room < 0:
            break
        measures.append(measure)
    table = plain_table("model", *map(_heading, measures), "rows/s", gap=gap)
    for at, row in enumerate(rows):
        cells = [_cell(measure, row.cumulative.get(measure.key)) for measure in measures]
        speed = two_digits(row.rows_per_second)
        table.add_row(row.model, *cells, speed, style="" if at else "bold")
    return table


def _heading(measure: Measure) -> str:
    """Return the name of a measure as narrow as a column of numbers."""
    return SHORT.get(measure.key, measure.name)


def _cell(measure: Measure, value: float | None) -> str:
    """Return a measure as text, '-' where there is none."""
    return "-" if value is None else measure.plain_text(value)


def two_digits(value: float) -> str:
    """Return a large number rounded to two significant digits."""
    return f"{float(format(value, '.2g')):,.0f}"


def comparison_table(done: Sequence[Results]) -> Table:
    """Return a row for each stream and a column for each model, the best in bold.

    A stream with a rare class has a second row, its average precision.
    """
    models = list(dict.fromkeys(results.model for results in done))
    table = plain_table("stream", "", *models, wraps=True)
    for stream in dict.fromkeys(results.stream for results in done):
        here = [results for results in done if results.stream == stream]
        measures = [main_measure(here[0].task, here[0].unit)]
        if here[0].rare:
            measures.append(MEASURES["average_precision"])
        for measure in measures:
            cells = _mean_cells(here, models, measure)
            table.add_row(escape(stream) if measure is measures[0] else "", measure.name, *cells)
    return table


def _mean_cells(runs: Sequence[Results], models: Sequence[str], measure: Measure) -> list[str]:
    """Return the mean of a measure over the runs of each model, the best in bold."""
    means = []
    for model in models:
        measured = [run.cumulative.get(measure.key) for run in runs if run.model == model]
        values = [value for value in measured if value is not None]
        means.append(sum(values) / len(values) if values else None)
    best = measure.best(mean for mean in means if mean is not None)
    cells = [_cell(measure, mean) for mean in means]
    return [f"[bold]{c}[/]" if m == best else c for c, m in zip(cells, means, strict=True)]
