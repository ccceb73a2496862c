"""What came out of forecasting a table: scores by horizon, the forecast itself, and their JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from mooe.forecast.scores import Scores, joined
from mooe.forecast.series import Columns, Series

if TYPE_CHECKING:
    from mooe.forecast.forecaster import Forecast, MOOEForecaster

MODEL = "mooe"
OTHERS = {"last_value": "last value", "seasonal_naive": "seasonal naive"}  # as people are told


@dataclass(frozen=True, eq=False)
class Answers:
    """What was said of each row, by a forecast made every horizon: as one would have used it.

    Attributes
    ----------
    origin : array (n,) of int64
        The row that the forecast of a row was made in, -1 for none.
    mean : array (n, channels)
    lower, upper : dict of level to array (n, channels)
    """

    origin: np.ndarray
    mean: np.ndarray
    lower: dict[float, np.ndarray]
    upper: dict[float, np.ndarray]


@dataclass(frozen=True, eq=False)
class Hits:
    """Whether values lay within a band, along a series.

    Attributes
    ----------
    h : int
        How far ahead the band was told.
    level : float
    rows : array (n,) of int64
        Rows of the series that values came in.
    shares : array (n,)
        Of the channels, those within the band; NaN where no value came.
    """

    h: int
    level: float
    rows: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Memory:
    """Which regime was in charge of each row, and how much the memory weighed.

    Attributes
    ----------
    regime : array (n,) of int64
        Its number, 0 for none.
    weight : array (n,)
    regimes : list of dict
        As `mooe.evaluate.results.Results.concepts` has them.
    """

    regime: np.ndarray
    weight: np.ndarray
    regimes: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class SeriesResult:
    """What came out of one series.

    Attributes
    ----------
    series : Series
        Also the rows before `begin`, which were learnt in an earlier run.
    begin : int
        The first row of `series.values` that is new.
    judged_from : int
        The row that the first forecast which is judged was made in.
    seasons : tuple of int
        Rows of each, () for none; those that were found where none were said.
    scores : dict of str to Scores
        Of mooe, last_value and seasonal_naive.
    forecast : Forecast
    answers : Answers
    hits : list of Hits
    memory : Memory or None
    forecaster : MOOEForecaster
        As it is after the last row.
    """

    series: Series
    begin: int
    judged_from: int
    seasons: tuple[int, ...]
    scores: dict[str, Scores]
    forecast: "Forecast"
    answers: Answers
    hits: list[Hits]
    memory: Memory | None
    forecaster: "MOOEForecaster"

    def ahead(self) -> np.ndarray:
        """Return the rows of the grid that are forecast."""
        return self.series.first + len(self.series.values) + np.arange(len(self.forecast.mean))

    def forecast_rows(self) -> list[dict[str, Any]]:
        """Return the forecast as the JSON has it: a step and a channel each."""
        texts, out = self.series.grid.texts(self.ahead()), []
        for at, channel in enumerate(self.series.channels):
            for row, time in enumerate(texts):
                bands = {
                    f"{level:g}": [
                        _known(self.forecast.lower[level][row, at]),
                        _known(self.forecast.upper[level][row, at]),
                    ]
                    for level in self.forecast.lower
                }
                line: dict[str, Any] = {"id": self.series.name} if self.series.name else {}
                mean = _known(self.forecast.mean[row, at])
                out.append(line | {"channel": channel, "time": time, "mean": mean, "bands": bands})
        return out


@dataclass(eq=False)
class ForecastResults:
    """What came out of a table.

    Attributes
    ----------
    source : str
    columns : Columns
    horizon : int
    levels : tuple of float
        Of the bands, in percent.
    results : list of SeriesResult
        In the order of the table.
    remarks : list of str
        What was done to the table, a line each.
    seconds : float
    origin : dict
        What the numbers depend on: versions, machine, hash of the data.
    """

    source: str
    columns: Columns
    horizon: int
    levels: tuple[float, ...]
    results: list[SeriesResult] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows of all series, those that were learnt in an earlier run left out."""
        return sum(len(each.series.values) - each.begin for each in self.results)

    @property
    def seasons(self) -> tuple[int, ...]:
        """The seasons of most series."""
        found = Counter(each.seasons for each in self.results)
        return max(found, key=found.__getitem__) if found else ()

    def scores(self) -> dict[str, Scores]:
        """Return the scores over all series."""
        return {
            name: joined([each.scores[name] for each in self.results]) for name in (MODEL, *OTHERS)
        }

    def summary(self) -> dict[str, Any]:
        """Return what the command prints as JSON."""
        scores = self.scores()
        first = self.results[0].series
        seasons = self.seasons
        return {
            "model": MODEL,
            "source": self.source,
            "rows": self.rows,
            "series": len(self.results),
            "channels": len(self.columns.targets),
            "targets": list(self.columns.targets),
            "covariates": list(self.columns.covariates),
            "time": self.columns.time,
            "step": first.grid.said(),
            "season": (list(seasons) if len(seasons) > 1 else seasons[0]) if seasons else None,
            "horizon": self.horizon,
            "levels": list(self.levels),
            "judged_from": first.grid.texts([first.first + self.results[0].judged_from])[0],
            "overall": _told(scores, None),
            "by_horizon": [{"h": h, **_told(scores, h)} for h in range(1, self.horizon + 1)],
            "by_channel": list(self.by_channel()),
            "forecast": [line for each in self.results for line in each.forecast_rows()],
            "remarks": self.remarks,
            "seconds": self.seconds,
            "rows_per_second": self.rows / self.seconds if self.seconds else 0.0,
            "version": version("mooe"),
        }

    def by_channel(self) -> Sequence[dict[str, Any]]:
        """Return the scores of every channel of every series, over all horizons."""
        out = []
        for each in self.results:
            for at, channel in enumerate(each.series.channels):
                own = {name: of_channel(scores, at) for name, scores in each.scores.items()}
                name = {"id": each.series.name} if each.series.name else {}
                out.append({**name, "channel": channel, **_told(own, None)})
        return out


def of_channel(scores: Scores, at: int) -> Scores:
    """Return the scores of one channel."""
    cut = slice(at, at + 1)
    names = ("mse", "mae", "mase", "smape", "judged", "pinball", "crps")
    arrays: dict[str, Any] = {
        name: None if getattr(scores, name) is None else getattr(scores, name)[:, cut]
        for name in names
    }
    coverage = {level: each[:, cut] for level, each in scores.coverage.items()}
    return Scores(coverage=coverage, **arrays)


def _known(value: float) -> float | None:
    """Return a number as JSON has it, None where it is not known."""
    return float(value) if np.isfinite(value) else None


def _told(scores: dict[str, Scores], h: int | None) -> dict[str, Any]:
    """Return scores at a horizon, or over all of them, with those of the others by name."""
    return {**scores[MODEL].at(h), **{name: scores[name].at(h) for name in OTHERS}}
