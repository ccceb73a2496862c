"""A table forecast: how far and by which seasons, series by series, saved and gone on with."""

import csv
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mooe.evaluate.results import origin
from mooe.forecast.evaluation import evaluate
from mooe.forecast.forecaster import MOOEForecaster
from mooe.forecast.frames import Place, known_in, save_all
from mooe.forecast.grid import DAY, Grid
from mooe.forecast.results import ForecastResults, SeriesResult
from mooe.forecast.series import Series, read_series
from mooe.run.answers import replaced
from mooe.streams.stream import StreamError

MOST_STEPS = 96  # of a horizon that nobody has said
USUAL_STEPS = {"months": 12, "weekdays": 10, "rows": 12, "number": 12}


@dataclass(frozen=True)
class ForecastPlan:
    """What is to be forecast; equal plans give equal results.

    Attributes
    ----------
    source : str
        A file, the name of a series, or '-'.
    horizon : str or None
        Rows or a length of time, such as 24 or 2d; by default what suits the times.
    season : str
        'auto', 'none', or one or two lengths, such as 24 or 1d,1w.
    levels : tuple of float
        Of the bands, in percent.
    warm_up : str or None
        Rows, or a share such as 20%; see `mooe.forecast.evaluation.evaluate`.
    memory : bool
        Whether regimes are remembered.
    seed : int
        For series that are made.
    options : dict
        Of `mooe.forecast.series.read_series`.
    """

    source: str
    horizon: str | None = None
    season: str = "auto"
    levels: tuple[float, ...] = (80, 95)
    warm_up: str | None = None
    memory: bool = True
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)


class ForecastRun:
    """A plan carried out: by new forecasters, or by those that go on.

    `table` has the series, `results` are complete once it has run; `forecasters` are all that there
    are then, those of series without a new row too.
    """

    def __init__(
        self, plan: ForecastPlan, resumed: Mapping[str, MOOEForecaster] | None = None
    ) -> None:
        self.plan, self.forecasters = plan, dict(resumed or {})
        self.places = {name: Place.of(each) for name, each in self.forecasters.items()}
        options = dict(plan.options)
        first = next(iter(self.places.values()), None)
        if first is not None:
            noted = {"time": first.columns.time, "target": first.columns.targets}
            options |= {**noted, "id": first.columns.id, "covariate": first.columns.covariates}
        self.table = read_series(
            plan.source, known=known_in(self.forecasters), seed=plan.seed, **options
        )
        if not self.table.rows and first is None:
            raise StreamError(self.table.name, "have a row whose time can be read", 0)
        grid = self.table.series[0].grid
        if first is not None:
            like = self.forecasters[first.name]
            self.horizon, self.season, self.levels = like.horizon, like.season, like.levels
        else:
            self.levels = plan.levels
            self.horizon = horizon_of(plan.horizon, grid)
            self.season = season_of(plan.season, grid)
        name, columns = self.table.name, self.table.columns
        remarks = [*self.table.remarks, *self._resting()]
        self.results = ForecastResults(name, columns, self.horizon, self.levels, remarks=remarks)

    def _resting(self) -> list[str]:
        """Return a line on series that have no new row."""
        here = {each.name for each in self.table.series if len(each.values)}
        n = sum(name not in here for name in self.forecasters)
        return [f"{n:,} series of the model without a new row"] if n else []

    def go(self, progress: Callable[[int], object] = lambda rows: None) -> None:
        """In place: forecast all series; `progress` is told how many rows are done."""
        began, done = time.perf_counter(), 0
        for series in self.table.series:
            self.results.results.append(self._one(series, partial(_tell, progress, done)))
            done += len(series.values)
        self.results.seconds = time.perf_counter() - began
        self.results.origin = origin(data=self.table.digest)

    def _one(self, series: Series, progress: Callable[[int], object]) -> SeriesResult:
        """In place: forecast a series, whose forecaster is then the one that goes on."""
        held, place = self.forecasters.get(series.name), self.places.get(series.name)
        before = None if place is None else place.before
        result = evaluate(
            series, self.horizon, self.season, self.levels,
            warm_up_of(self.plan.warm_up, len(series.values)),
            memory=self.plan.memory, forecaster=held, before=before, progress=progress,
        )  # fmt: skip
        after = Place.after(series, self.table.columns, result.forecaster, before)
        after.note(result.forecaster)
        self.forecasters[series.name] = result.forecaster
        return result

    def save(self, path: Path) -> None:
        """Write the forecasters to a file."""
        save_all(path, self.forecasters)

    def write_answers(self, path: Path) -> None:
        """Write what was said of every row, and of those to come, as csv text.

        The forecasts of the past were made every horizon, so that each row has one.
        """
        levels = self.levels
        has_names = self.table.columns.id is not None
        head = [*(["id"] if has_names else []), "time", "made_at", "h", "channel", "actual", "mean"]
        head += [f"{side}_{level:g}" for level in levels for side in ("lower", "upper")]
        with replaced(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            for result in self.results.results:
                name = [result.series.name] if has_names else []
                writer.writerows([*name, *line] for line in answer_lines(result, levels))


def _tell(progress: Callable[[int], object], before: int, rows: int) -> None:
    """Tell how many rows are done, of all series."""
    progress(before + rows)


def answer_lines(result: SeriesResult, levels: tuple[float, ...]) -> list[list[Any]]:
    """Return a line for each row and channel, as `ForecastRun.write_answers` has its head."""
    series, answers, made = result.series, result.answers, result.forecast
    n, n_ahead = len(series.values), len(made.mean)
    texts = series.grid.texts(series.first + np.arange(n + n_ahead))
    lines = []
    for row in range(result.begin, n + n_ahead):
        past = row < n
        at = int(answers.origin[row]) if past else n - 1
        told = texts[at] if at >= 0 else ""
        source: Any = answers if past else made
        place = row if past else row - n
        for c, channel in enumerate(series.channels):
            bands = [
                side[level][place, c] for level in levels for side in (source.lower, source.upper)
            ]
            actual = series.values[row, c] if past else float("nan")
            numbers = [_cell(value) for value in (actual, source.mean[place, c], *bands)]
            lines.append([texts[row], told, row - at if at >= 0 else "", channel, *numbers])
    return lines


def _cell(value: float) -> Any:
    return "" if value != value else float(value)


def horizon_of(text: str | None, grid: Grid) -> int:
    """Return how many rows are forecast; where nobody says it, a day, two weeks or a year of them.

    >>> horizon_of(None, Grid("seconds", step=3600.0)), horizon_of("1y", Grid("months"))
    (24, 12)
    """
    if text is not None:
        return grid.steps(text, "horizon")
    if grid.kind == "months":
        return max(1, round(12 / grid.step)) if grid.step < 12 else 5
    if grid.kind != "seconds":
        return USUAL_STEPS[grid.kind]
    if grid.step >= DAY:
        return 14 if grid.step < 7 * DAY else 13
    return int(min(max(DAY // grid.step, 1), MOST_STEPS))


def season_of(text: str, grid: Grid) -> Any:
    """Return the season of a forecaster that a text says.

    >>> season_of("1d,1w", Grid("seconds", step=3600.0)), season_of("none", Grid())
    ([24, 168], ())
    """
    if text.strip().lower() == "auto":
        return "auto"
    if text.strip().lower() in ("none", "0", "1"):
        return ()
    return [grid.steps(part, "season") for part in text.split(",")]


def warm_up_of(text: str | None, n: int) -> int | None:
    """Return how many rows a text says, which may be a share of them.

    >>> warm_up_of("25%", 200), warm_up_of("48", 200), warm_up_of(None, 200)
    (50, 48, None)
    """
    if text is None:
        return None
    number, is_share = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    rule = "warm_up must be a number of rows, or a share of them such as 20%"
    if not number.isdecimal() or (is_share and int(number) > 100) or len(number) > 15:
        raise ValueError(f"{rule}, got {text!r}")
    return n * int(number) // 100 if is_share else min(int(number), n)
