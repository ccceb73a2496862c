"""The tables that commands print."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mooe.evaluate.measures import (
    MEASURES,
    Measure,
    main_measure,
    rare_measures,
    shown_measures,
    table_measures,
)
from mooe.evaluate.results import Results
from mooe.forecast.results import MODEL, OTHERS, ForecastResults
from mooe.words import four_digits, visible

SPEED = len("10,000,000")  # characters of a column of speeds, whatever they are today
SHORT = {
    "average_precision": "AP",
    "alarms_per_day": "alarms/day",
    "alarms_per_1000_rows": "alarms/1k",
}
COLUMN = 10  # characters, about
MOST_STEPS = 12  # of a forecast that are printed
LONG = 1e6  # a score from which on it is written in powers of ten
LONGEST_STREAM = 24  # characters of a name in a line of its column


def plain_table(*columns: str, wraps: bool = False, gap: int = 3) -> Table:
    """Return an empty table with a line below its header and no other.

    Of its columns the first is flush left, the others flush right; `wraps`: whether the first may
    take several lines; `gap`: between columns.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap - 1, 0, 0), pad_edge=False, show_edge=False)
    for at, name in enumerate(columns):
        table.add_column(name, justify="right" if at else "left", no_wrap=bool(at) or not wraps)
    return table


class Terminal(Console):
    """A console on which every letter of a text is seen: no cell of a table steers it."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is shown."""
        return super().render_str(visible(text), **options)


def to_stdout() -> Console:
    """Return the console of standard output."""
    return Terminal(highlight=False, soft_wrap=False)


def final_table(rows: Sequence[Results], width: int) -> Table:
    """Return a row for each model, the first in bold; measures as far as there is room for them.

    Where a class is rare, what was found of it comes right after the accuracy.
    """
    main = main_measure(rows[0].task, rows[0].unit)
    known = shown_measures(rows)
    at = 1 + [measure.key for measure in known].index(main.key)
    shown = [*known[:at], *(rare_measures(rows) if rows[0].rare else ()), *known[at:]]
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


def comparison_tables(done: Sequence[Results], width: int) -> list[Table]:
    """Return a row for each stream and a column for each model, the best of all in bold.

    A stream with a rare class has a second row, its average precision. Models that do not fit
    beside each other are in further tables. Of one stream there is one with a row for each model:
    its measures, and its time.
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
            for at, measure in enumerate(_main_measures(here[0])):
                means = [_mean(here, model, measure) for model in models]
                best = measure.best(mean for mean in means if mean is not None)
                cells = [_bold(_cell(measure, mean), mean == best) for mean in means]
                name = "" if at else escape(stream)
                table.add_row(name, _heading(measure), *cells[first:end])
        tables.append(table)
    return tables


def _main_measures(results: Results) -> list[Measure]:
    """Return the measures by which models are compared on a stream."""
    rare = [MEASURES["average_precision"]] if results.rare else []
    return [main_measure(results.task, results.unit), *rare]


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
    rare = [MEASURES["average_precision"]] if done[0].rare else []
    main, *others = table_measures(done[0].task, done[0].unit)
    measures = [main, *rare, *others][:room]
    table = plain_table(done[0].stream, *map(_heading, measures), "seconds", "rows/s", wraps=True)
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


def forecast_tables(results: ForecastResults, width: int) -> list[Table | str]:
    """Return the scores over all steps, the error by step, and the first steps of the forecast."""
    scores = results.scores()
    levels = [f"{level:g}" for level in results.levels]
    names = {MODEL: MODEL, **OTHERS}
    bands = [f"in {level} %" for level in levels]
    overall = plain_table("", "MSE", "MAE", "MASE", "sMAPE", "CRPS", *bands, gap=2)
    for at, (key, name) in enumerate(names.items()):
        told = scores[key].at()
        measures = ("mse", "mae", "mase", "smape", "crps")
        cells = [_short(told.get(measure), LONG) for measure in measures]
        shares = told.get("coverage", {})
        cells += [_share(shares.get(level)) for level in levels]
        overall.add_row(name, *cells, style="" if at else "bold")
    steps = shown_steps(results.horizon, max(2, (width - 22) // 9))
    by_step = plain_table("MASE at step", *(f"{h:,}" for h in steps), gap=2)
    for at, (key, name) in enumerate(names.items()):
        cells = [_short(scores[key].at(h)["mase"]) for h in steps]
        by_step.add_row(name, *cells, style="" if at else "bold")
    first = results.results[0]
    lines = first.forecast_rows()[: len(first.forecast.mean)][:MOST_STEPS]
    what = f"forecast of {first.series.name}" if first.series.name else "forecast"
    ahead = plain_table(what, lines[0]["channel"], *(f"{n} %" for n in levels))
    for line in lines:
        bands = [" – ".join(map(_short, line["bands"][level])) for level in levels]
        ahead.add_row(line["time"].replace("T", " "), _short(line["mean"]), *bands)
    more = sum(len(each.forecast_rows()) for each in results.results) - len(lines)
    rest = [f"and {more:,} more: --json and --predictions have them all"] if more > 0 else []
    return [overall, "", by_step, "", ahead, *rest]


def shown_steps(horizon: int, most: int) -> list[int]:
    """Return steps to tell of: the first, the last, and some between them.

    >>> shown_steps(24, 6), shown_steps(3, 6)
    ([1, 2, 4, 8, 16, 24], [1, 2, 3])
    """
    steps = [h for k in range(30) if (h := 2**k) < horizon]
    if horizon <= most:
        steps = list(range(1, horizon))
    while len(steps) >= most:
        steps = [steps[0], *steps[2::2]] if len(steps) > 2 else steps[:1]
    return [*steps, horizon]


def _short(value: float | None, most: float = math.inf) -> str:
    """Return a number in four digits, '-' where there is none; from `most` on in powers of ten."""
    if value is None or value != value:
        return "-"
    return four_digits(value) if abs(value) < most else f"{value:.3g}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100.0 * value:.1f}"
