"""The tables that commands print."""

from collections.abc import Sequence
from itertools import pairwise

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mooe.evaluate.measures import Measure, main_measure, table_measures
from mooe.evaluate.results import Results

COLUMN = 10  # characters, about
LONGEST_STREAM = 24  # characters of a name in a line of its column


def plain_table(*columns: str, wraps: bool = False) -> Table:
    """Return an empty table with a line below its header and no other.

    Of its columns the first is flush left, the others flush right; `wraps`: whether the first may
    take several lines.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    for at, name in enumerate(columns):
        table.add_column(name, justify="right" if at else "left", no_wrap=bool(at) or not wraps)
    return table


def to_stdout() -> Console:
    """Return the console of standard output."""
    return Console(highlight=False, soft_wrap=False)


def final_table(rows: Sequence[Results], width: int) -> Table:
    """Return a row for each model, the first in bold; measures as far as there is room for them."""
    measures = table_measures(rows[0].task)[: max(1, (width - 22) // COLUMN)]
    table = plain_table("model", *(measure.name for measure in measures), "rows/s")
    for at, row in enumerate(rows):
        cells = [_cell(measure, row.cumulative.get(measure.key)) for measure in measures]
        speed = two_digits(row.rows_per_second)
        table.add_row(row.model, *cells, speed, style="" if at else "bold")
    return table


def _cell(measure: Measure, value: float | None) -> str:
    """Return a measure as text, '-' where there is none."""
    return "-" if value is None else measure.plain_text(value)


def two_digits(value: float) -> str:
    """Return a large number rounded to two significant digits."""
    return f"{float(format(value, '.2g')):,.0f}"


def comparison_tables(done: Sequence[Results], width: int) -> list[Table]:
    """Return a row for each stream and a column for each model, the best of all in bold.

    Models that do not fit beside each other are in further tables. Of one stream there is one with
    a row for each model: its measures, and its time.
    """
    models = list(dict.fromkeys(results.model for results in done))
    streams = list(dict.fromkeys(results.stream for results in done))
    if len(streams) == 1:
        return [_stream_table(done, models, width)]
    longest = min(max(map(len, streams)), LONGEST_STREAM)
    room, tables = width - longest - COLUMN - 4, []
    for first, end in _fitting([max(len(model), 7) + 2 for model in models], room):
        table = plain_table("stream", "", *models[first:end], wraps=True)
        table.columns[0].max_width = LONGEST_STREAM
        for stream in streams:
            here = [results for results in done if results.stream == stream]
            measure = main_measure(here[0].task)
            means = [_mean(here, model, measure) for model in models]
            best = measure.best(mean for mean in means if mean is not None)
            cells = [_bold(_cell(measure, mean), mean == best) for mean in means]
            table.add_row(escape(stream), measure.name, *cells[first:end])
        tables.append(table)
    return tables


def _fitting(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Return where columns are cut so that they fit into a line, at least one into each.

    >>> _fitting([9, 9, 9], 20)
    [(0, 2), (2, 3)]
    """
    cuts, used = [0], 0
    for at, width in enumerate(widths):
        if used + width > room and at > cuts[-1]:
            cuts.append(at)
            used = 0
        used += width
    return list(pairwise([*cuts, len(widths)]))


def _stream_table(done: Sequence[Results], models: Sequence[str], width: int) -> Table:
    """Return a row for each model on a stream, the best of each measure in bold."""
    longest = max(map(len, models))
    room = max(1, (width - longest - 22) // COLUMN)
    measures = table_measures(done[0].task)[:room]
    names = [measure.name for measure in measures]
    table = plain_table(done[0].stream, *names, "seconds", "rows/s", wraps=True)
    table.columns[0].max_width = max(longest, 12)
    best = {}
    for measure in measures:
        means = [_mean(done, model, measure) for model in models]
        best[measure.key] = measure.best(mean for mean in means if mean is not None)
    for model in models:
        own = [results for results in done if results.model == model]
        cells = []
        for measure in measures:
            mean = _mean(own, model, measure)
            cells.append(_bold(_cell(measure, mean), mean == best[measure.key]))
        seconds = sum(results.seconds for results in own) / len(own)
        speed = sum(results.rows_per_second for results in own) / len(own)
        table.add_row(model, *cells, f"{seconds:.2f}", two_digits(speed))
    return table


def _mean(done: Sequence[Results], model: str, measure: Measure) -> float | None:
    """Return the mean of a measure over the repeats of a model, None where there is none."""
    found = [run.cumulative.get(measure.key) for run in done if run.model == model]
    values = [value for value in found if value is not None]
    return sum(values) / len(values) if values else None


def _bold(text: str, is_best: bool) -> str:
    return f"[bold]{text}[/]" if is_best else text
