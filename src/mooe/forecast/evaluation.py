"""A series forecast: an honest back-test, judged, and the forecast itself."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mooe.forecast.back_test import Backtest, backtest
from mooe.forecast.forecaster import MOOEForecaster
from mooe.forecast.results import MODEL, Answers, Hits, Memory, SeriesResult
from mooe.forecast.scores import judge, judge_naive, naive_scale
from mooe.forecast.series import Series

WARM_UP = 0.2  # of the rows, where nothing else is said


def evaluate(
    series: Series,
    horizon: int = 24,
    season: Any = "auto",
    levels: tuple[float, ...] = (80, 95),
    warm_up: int | None = None,
    *,
    memory: bool = True,
    forecaster: MOOEForecaster | None = None,
    before: np.ndarray | None = None,
    progress: Callable[[int], object] | None = None,
) -> SeriesResult:
    """Forecast from every row of a series, judge that, and forecast what comes.

    A forecast made in a row is judged beside the last value and seasonal naive, whose season is the
    one found in the end: it knows more than it could have.

    Parameters
    ----------
    series : Series
    horizon, season, levels, memory, progress
        As of `backtest`.
    warm_up : int, optional
        Forecasts are judged from this row on, and the offline expert is fitted on the rows before;
        by default the first fifth.
    forecaster : MOOEForecaster, optional
        One that goes on, in place; its own horizon, season and levels count, and all rows are
        judged.
    before : array (n, channels), optional
        The last rows that it has learnt, for those that it is compared with.

    Examples
    --------
    >>> from mooe.forecast.series import read_series
    >>> (series,) = read_series("seasons").series
    >>> result = evaluate(series, horizon=24)
    >>> scores = {name: each.at()["mase"] for name, each in result.scores.items()}
    >>> min(scores, key=scores.get)
    'mooe'
    """
    past = np.zeros((0, len(series.channels))) if before is None else before
    if forecaster is not None:
        warm_up = 0
    n_warm = int(WARM_UP * len(series.values)) if warm_up is None else warm_up
    n_warm = min(n_warm, len(series.values))
    done = backtest(
        series.values, series.times, horizon, season, n_warm, levels,
        X=series.covariates if series.covariates.shape[1] else None,
        memory=memory, progress=progress, forecaster=forecaster,
    )  # fmt: skip
    made = done.forecaster.predict(X_future=_known_ahead(series, done.forecaster.horizon))
    n_before, n_steps = len(past), len(made.mean)
    whole = np.concatenate([past, series.values])
    seasons = done.seasons
    first = n_before + max(n_warm - 1, 0)
    scale, lag = naive_scale(whole, max(seasons[:1], default=1)), max(seasons[:1], default=1)
    means = _padded(done.mean, n_before)
    lower = {level: _padded(each, n_before) for level, each in done.lower.items()}
    upper = {level: _padded(each, n_before) for level, each in done.upper.items()}
    scores = {
        MODEL: judge(
            whole, _ahead(means), n_steps, first, scale,
            {level: _ahead(each) for level, each in lower.items()},
            {level: _ahead(each) for level, each in upper.items()},
        )
    }  # fmt: skip
    scores |= judge_naive(whole, n_steps, first, lag, scale)
    drawn = sorted({1, (n_steps + 1) // 2, n_steps})
    hits = [
        _hits(whole, lower[level], upper[level], h, level, first) for level in lower for h in drawn
    ]
    shown = replace(series, values=whole, first=series.first - n_before)
    answers = _answers(means, lower, upper, n_before)
    return SeriesResult(
        shown, n_before, first, seasons, scores, made, answers, hits,
        _memory(done, n_before), done.forecaster,
    )  # fmt: skip


def _known_ahead(series: Series, horizon: int) -> np.ndarray | None:
    """Return the covariates of the steps ahead, NaN where they are not known; None for none."""
    if not len(series.ahead):
        return None
    ahead = np.full((horizon, series.ahead.shape[1]), np.nan)
    ahead[: len(series.ahead)] = series.ahead[:horizon]
    return ahead


def _padded(array: np.ndarray, n: int) -> np.ndarray:
    """Return forecasts with rows before them that nothing was forecast in."""
    if not n:
        return array
    nothing = np.full((n, *array.shape[1:]), np.nan, array.dtype)
    return np.concatenate([nothing, array])


def _ahead(array: np.ndarray) -> Callable[[int], np.ndarray]:
    """Return forecasts (n, horizon, channels) as a function of how far ahead they look."""

    def ahead(h: int) -> np.ndarray:
        at: np.ndarray = array[:, h - 1]
        return at

    return ahead


def _hits(
    Y: np.ndarray, lower: np.ndarray, upper: np.ndarray, h: int, level: float, first: int
) -> Hits:
    """Return the share of channels within the band that was told h rows before."""
    rows = np.arange(first + h, len(Y))
    truth, low, high = Y[rows], lower[rows - h, h - 1], upper[rows - h, h - 1]
    is_known = ~(np.isnan(truth) | np.isnan(low))
    inside = (low <= truth) & (truth <= high) & is_known
    counts = is_known.sum(axis=1)
    shares = np.divide(inside.sum(axis=1), counts, out=np.full(len(rows), np.nan), where=counts > 0)
    return Hits(h, level, rows, shares)


def _answers(
    means: np.ndarray,
    lower: dict[float, np.ndarray],
    upper: dict[float, np.ndarray],
    begin: int,
) -> Answers:
    """Return what was said of each row by forecasts that follow each other, the last at the end."""
    n, horizon, _ = means.shape
    rows = np.arange(n)
    origin = n - 1 - horizon * -(-(n - rows) // horizon)  # before the row, by whole horizons
    is_told = origin >= begin
    at, h = np.where(is_told, origin, 0), np.where(is_told, rows - origin, 1)

    def picked(array: np.ndarray) -> np.ndarray:
        out: np.ndarray = array[at, h - 1].astype(np.float64)
        out[~is_told] = np.nan
        return out

    return Answers(
        np.where(is_told, origin, -1),
        picked(means),
        {level: picked(each) for level, each in lower.items()},
        {level: picked(each) for level, each in upper.items()},
    )


def _memory(done: Backtest, begin: int) -> Memory | None:
    """Return which regime was in charge of each row, None where none was met."""
    regime = np.concatenate([np.zeros(begin, np.int64), done.regime])
    weight = np.concatenate([np.zeros(begin), done.memory_weight])
    if not regime.any():
        return None
    titles = {each.name: each.title for each in done.forecaster.explain().regimes}
    ends = np.flatnonzero(np.diff(regime)) + 1
    visits: dict[int, list[tuple[int, int]]] = {}
    for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(regime)], strict=True):
        visits.setdefault(int(regime[first]), []).append((first, last - 1))
    known = [
        {
            "name": name,
            "title": titles.get(name, ""),
            "visits": own,
            "first": own[0][0],
            "last": own[-1][1],
            "in_charge": name == regime[-1],
        }
        for name, own in sorted(visits.items())
        if name > 0
    ]
    return Memory(regime, weight, known)
