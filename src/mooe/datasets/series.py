"""Time series to forecast: published ones by name, and made ones with seasons, trend, breaks and
regimes that return.

No address could be tried when this was written.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from mooe.datasets.archive import Published, fetch_published
from mooe.streams.delimited import table_stream
from mooe.streams.files import pieces_of
from mooe.streams.layout import Options
from mooe.streams.stream import StreamError, nearest

HOUR, DAY, WEEK = 1, 24, 168  # rows of an hourly series
BEGIN = 1_577_836_800.0  # 2020-01-01, where made series begin
TIME = "date"  # the column of times of a published series
ETT = "https://raw.githubusercontent.com/zhouhaoyi/ETDataset/main/ETT-small"
ETT_PAGE = "https://github.com/zhouhaoyi/ETDataset"
INFORMER = (
    "H. Zhou, S. Zhang, J. Peng, S. Zhang, J. Li, H. Xiong, W. Zhang: Informer: beyond efficient "
    "transformer for long sequence time-series forecasting. AAAI, 2021"
)
FIRST_QUARTER = datetime(2016, 7, 1)  # of an hour, of ETTm1


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """A series, or several channels of one, in rows that are equally far apart.

    Attributes
    ----------
    name : str
    times : array (n,), float64
        Seconds since 1970.
    values : array (n, channels), float64
    channels : tuple of str
    season : int
        Rows of the shortest season.
    regime : array (n,) of int64, or None
        The number of the regime that each row was made in, where it is known; no forecaster is
        shown it.
    """

    name: str
    times: np.ndarray
    values: np.ndarray
    channels: tuple[str, ...]
    season: int
    regime: np.ndarray | None = None


def open_series(name: str, seed: int = 0) -> TimeSeries:
    """Return the series of a name: ETTh1, ETTh2, ETTm1, WTH, or a made one.

    Examples
    --------
    >>> series = open_series("regimes")
    >>> series.values.shape, series.season, np.unique(series.regime).tolist()
    ((9600, 1), 24, [0, 1, 2, 3])
    """
    if name in MADE_SERIES:
        return MADE_SERIES[name](seed=seed)
    if name not in SERIES:
        known = [*SERIES, *MADE_SERIES]
        hint = nearest(name, known) or f"names: {', '.join(known)}"
        raise StreamError("series", "be the name of a series", name, hint)
    path = series_path(name)
    columns = channels_of(name)
    options = Options(
        labelled=False, time=TIME, inputs=tuple((column, "number") for column in columns)
    )
    stream = table_stream(name, partial(pieces_of, path), options).load()
    assert stream.times is not None  # every series here has dates
    season = DAY * (4 if name.startswith("ETTm") else 1)
    return TimeSeries(name, stream.times, stream.X, tuple(columns), season)


def series_path(name: str) -> Path:
    """Return where a published series lies, fetched first where it is not on this machine."""
    return fetch_published(SERIES[name])


def channels_of(name: str) -> tuple[str, ...]:
    """Return the columns of a published series that are forecast."""
    return WTH_CHANNELS if name == "WTH" else ETT_CHANNELS


def seasons(n: int = 8_760, seed: int = 0) -> TimeSeries:
    """Make an hourly series with a daily and a weekly season."""
    rng = np.random.default_rng((seed, 1))
    at = np.arange(n)
    values = 100.0 + _profile(rng, DAY, 12.0)[at % DAY] + _profile(rng, WEEK, 6.0)[at % WEEK]
    return _hourly("seasons", values + _noise(rng, n, 0.7, 3.0))


def growth(n: int = 2_190, seed: int = 0) -> TimeSeries:
    """Make a daily series that grows, with a weekly and a yearly season that grow with it."""
    rng = np.random.default_rng((seed, 2))
    at = np.arange(n)
    level = 50.0 * np.exp(0.0008 * at + np.cumsum(rng.normal(0.0, 0.002, n)))
    shape = 1.0 + _profile(rng, 7, 0.15)[at % 7] + 0.2 * np.sin(2 * np.pi * at / 365.25)
    values = level * shape * np.exp(_noise(rng, n, 0.5, 0.03))
    times = BEGIN + 86_400.0 * at
    return TimeSeries("growth", times, values[:, None], ("value",), 7)


def breaks(n: int = 8_760, seed: int = 0) -> TimeSeries:
    """Make an hourly series whose level, daily season and noise change at times, for good."""
    rng = np.random.default_rng((seed, 3))
    values, at = np.empty(n), np.arange(n)
    ends = np.sort(rng.choice(np.arange(500, max(n - 200, 501)), min(6, n // 1_000), replace=False))
    for first, last in zip([0, *ends], [*ends, n], strict=True):
        part = at[first:last]
        profile = rng.normal(100.0, 30.0) + _profile(rng, DAY, rng.uniform(5.0, 20.0))
        noise = _noise(rng, len(part), rng.uniform(0.2, 0.9), rng.uniform(1.0, 6.0))
        values[part] = profile[part % DAY] + noise
    return _hourly("breaks", values)


def regimes(n: int = 9_600, seed: int = 0, n_regimes: int = 4, stay: int = 400) -> TimeSeries:
    """Make an hourly series of four regimes that take turns and return.

    Each has its own level, daily season and pull back to it, and stays for about `stay` rows.
    """
    rng = np.random.default_rng((seed, 4))
    profiles = [rng.normal(0.0, 15.0) + _profile(rng, DAY, 12.0) for _ in range(n_regimes)]
    pulls = rng.uniform(0.2, 0.85, n_regimes)
    values, regime = np.empty(n), np.empty(n, dtype=np.int64)
    at, now = 0, -1
    last = 0.0
    while at < n:
        now = int((now + rng.integers(1, n_regimes)) % n_regimes) if now >= 0 else 0
        for _ in range(min(int(rng.integers(stay // 2, stay + stay // 2)), n - at)):
            last = pulls[now] * last + rng.normal(0.0, 2.0)
            values[at], regime[at] = 100.0 + profiles[now][at % DAY] + last, now
            at += 1
    return _hourly("regimes", values, regime)


def short_series(n_series: int = 300, seed: int = 0) -> list[TimeSeries]:
    """Make hourly series of 100 to 1,000 values: daily and weekly seasons, levels, zeros.

    A third of them has a weekly season as well, a fifth counts small numbers, zeros among them, and
    a third drifts in level.
    """
    rng = np.random.default_rng((seed, 5))
    made = []
    for number in range(n_series):
        n = int(rng.integers(100, 1_001))
        at = np.arange(n) + int(rng.integers(0, WEEK))
        level = float(np.exp(rng.normal(3.0, 1.5)))
        values = level * (1.0 + _profile(rng, DAY, rng.uniform(0.1, 0.5))[at % DAY])
        if rng.random() < 1 / 3:
            values += level * _profile(rng, WEEK, 0.2)[at % WEEK]
        if rng.random() < 1 / 3:
            values += np.cumsum(rng.normal(0.0, 0.02 * level, n))
        values += _noise(rng, n, rng.uniform(0.0, 0.8), level * rng.uniform(0.03, 0.2))
        if rng.random() < 1 / 5:
            rates = np.maximum(values * rng.uniform(0.5, 5.0) / level, 0.0)
            values = rng.poisson(rates).astype(np.float64)
        times = BEGIN + 3_600.0 * at
        values = np.maximum(values, 0.0)[:, None]
        made.append(TimeSeries(f"series {number + 1}", times, values, ("value",), DAY))
    return made


def _hourly(name: str, values: np.ndarray, regime: np.ndarray | None = None) -> TimeSeries:
    """Return values as an hourly series of one channel."""
    times = BEGIN + 3_600.0 * np.arange(len(values))
    return TimeSeries(name, times, values[:, None], ("value",), DAY, regime)


def _profile(rng: np.random.Generator, season: int, size: float) -> np.ndarray:
    """Return a smooth shape of a season with a mean of 0 and a standard deviation, (season,)."""
    turns = 2 * np.pi * np.arange(season) / season
    shape = sum(
        rng.normal() / k * np.sin(k * turns + rng.uniform(0.0, 2 * np.pi)) for k in (1, 2, 3)
    )
    centred = np.asarray(shape) - np.mean(shape)
    spread = float(centred.std())
    out: np.ndarray = size * centred / (spread if spread > 0.0 else 1.0)
    return out


def _noise(rng: np.random.Generator, n: int, pull: float, size: float) -> np.ndarray:
    """Return noise whose neighbours are alike, by a correlation, with a standard deviation."""
    out, steps = np.empty(n), rng.normal(0.0, size * np.sqrt(1.0 - pull * pull), n)
    last = 0.0
    for at in range(n):
        last = pull * last + steps[at]
        out[at] = last
    return out


# How the published files become a text.


def _same_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        for line in file:
            yield line.rstrip("\r\n") + "\n"


def _quarter_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with its times made anew: 15 minutes apart."""
    lines = _same_lines(path)
    yield next(lines)
    for number, line in enumerate(lines):
        moment = FIRST_QUARTER + timedelta(minutes=15 * number)
        yield f"{moment},{line.partition(',')[2]}"


_of_ett = partial(
    Published, page=ETT_PAGE, citation=INFORMER, licence="CC BY-ND 4.0", folder="forecast"
)
ETT_CHANNELS = ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
WTH_CHANNELS = (
    *("Visibility", "DryBulbFarenheit", "DryBulbCelsius", "WetBulbFarenheit"),
    *("DewPointFarenheit", "DewPointCelsius", "RelativeHumidity", "WindSpeed", "WindDirection"),
    *("StationPressure", "Altimeter", "WetBulbCelsius"),
)
SERIES: dict[str, Published] = {
    "ETTh1": _of_ett(
        "ETTh1",
        size=(17_420, 7, 0),
        sha256="f18de3ad269cef59bb07b5438d79bb3042d3be49bdeecf01c1cd6d29695ee066",
        files=(("ETTh1.csv", f"{ETT}/ETTh1.csv"),),
        convert=_same_lines,
        note="Loads and oil temperature of a transformer, hourly.",
    ),
    "ETTh2": _of_ett(
        "ETTh2",
        size=(17_420, 7, 0),
        sha256="a3dc2c597b9218c7ce1cd55eb77b283fd459a1d09d753063f944967dd6b9218b",
        files=(("ETTh2.csv", f"{ETT}/ETTh2.csv"),),
        convert=_same_lines,
        note="Loads and oil temperature of another transformer, hourly.",
    ),
    "ETTm1": _of_ett(
        "ETTm1",
        size=(69_680, 7, 0),
        sha256="6ce1759b1a18e3328421d5d75fadcb316c449fcd7cec32820c8dafda71986c9e",
        files=(("ETTm1.csv", f"{ETT}/ETTm1.csv"),),
        convert=_quarter_lines,
        note="The transformer of ETTh1 every 15 minutes; times made anew.",
    ),
    "WTH": Published(
        "WTH",
        size=(35_064, 12, 0),
        sha256="a00aa96b7e73af4fab4e03a790572e78fff037a29eb579a36210a2da6d64032f",
        files=(("WTH.csv", None),),
        convert=_same_lines,
        page="https://www.ncei.noaa.gov/data/local-climatological-data/",
        citation=INFORMER,
        licence="none stated; NOAA's data are public",
        note="Local climate, hourly, as Informer and its successors have it; 'time' is left out.",
        folder="forecast",
    ),
}
MADE_SERIES: dict[str, Callable[..., TimeSeries]] = {
    "seasons": seasons,
    "growth": growth,
    "breaks": breaks,
    "regimes": regimes,
}
