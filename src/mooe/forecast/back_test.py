"""A back-test that is honest by construction: every row forecasts before the next one is seen."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.forecast.forecaster import MOOEForecaster
from mooe.forecast.model import learn
from mooe.numerics.checks import check_whole


@dataclass(frozen=True)
class Backtest:
    """What was forecast from every row.

    Attributes
    ----------
    mean : array (n, horizon, n_channels) of float32
        Row t is the forecast made after rows 0..t were seen, for rows t + 1, ..., t + horizon.
    lower, upper : dict of arrays of that shape
        Bands by level in percent.
    regime : array (n,) of int
        The number of the regime in charge from each row on, from 1; 0 for none that is known yet.
    memory_weight : array (n,)
        The share that the memory of regimes had in the forecasts, on average.
    forecaster : MOOEForecaster
        As it is after the last row.
    """

    mean: np.ndarray
    lower: dict[float, np.ndarray]
    upper: dict[float, np.ndarray]
    regime: np.ndarray
    memory_weight: np.ndarray
    forecaster: MOOEForecaster

    @property
    def seasons(self) -> tuple[int, ...]:
        """Rows of the seasons that were found in the end, () for none."""
        return self.forecaster.seasons_


def backtest(
    Y: Any,
    times: Any = None,
    horizon: int = 48,
    season: Any = "auto",
    warm_up: int = 0,
    levels: Any = (80, 95),
    *,
    X: Any = None,
    memory: bool = True,
    forecaster: MOOEForecaster | None = None,
    progress: Callable[[int], object] | None = None,
) -> Backtest:
    """Return the forecasts that a forecaster makes from every row, learning as it goes.

    A forecast made at t for t + h is learnt from when t + h has been seen, never before.

    Parameters
    ----------
    Y : array (n,) or (n, n_channels)
        Values, taken as they are; NaN where none is known.
    times : array (n,), optional
        Times of the rows, for the calendar: seconds since 1970, or datetime64.
    horizon, season, levels, memory
        As of `MOOEForecaster`; levels=() computes no bands.
    warm_up : int
        The offline expert is fitted on so many rows and votes from there on; 0 for none.
    X : array (n, n_covariates), optional
        What else is known of each row.
    forecaster : MOOEForecaster, optional
        One to go on with, which learns the rows; what is chosen above is then its own choice.
    progress : callable, optional
        Is told how many rows are done.

    Examples
    --------
    >>> day = np.sin(np.arange(200) * 2 * np.pi / 24)
    >>> backtest(day, horizon=6, season=24).mean.shape
    (200, 6, 1)
    """
    check_whole("warm_up", int(warm_up) if isinstance(warm_up, np.integer) else warm_up, 0)
    if forecaster is None:
        forecaster = MOOEForecaster(horizon, season, levels, memory)
    model, rows = forecaster.prepared(Y, X, times, int(warm_up))
    n, n_channels = rows.Y.shape
    params = model.params
    half = len(params.levels)
    _check_room(n, params.horizon, n_channels, half)
    means = np.empty((n, params.horizon, n_channels), np.float32)
    quantiles = np.empty((n, 2 * half, params.horizon, n_channels), np.float32)
    told = np.zeros((n, 2))
    learn(model, rows, means, quantiles, told, progress)
    forecaster._model = model
    lower = {level: quantiles[:, j] for j, level in enumerate(params.levels)}
    upper = {level: quantiles[:, half + j] for j, level in enumerate(params.levels)}
    regime, weight = told[:, 0].astype(np.int64), told[:, 1].astype(np.float32)
    return Backtest(means, lower, upper, regime, weight, forecaster)


def _check_room(n: int, horizon: int, n_channels: int, n_levels: int) -> None:
    """Raise ValueError where the forecasts of a back-test are larger than the machine's memory."""
    needed, there = 4 * n * horizon * n_channels * (1 + 2 * n_levels), _memory()
    if needed > there:
        raise ValueError(
            f"rows x horizon x channels must fit into {there / 2**30:.0f} GiB of memory, got {n} x "
            f"{horizon} x {n_channels} with {n_levels} bands: {needed / 2**30:.0f} GiB; a shorter "
            "horizon, fewer channels or no bands need less"
        )


def _memory() -> float:
    """Return the bytes of memory that the machine has; no bound where it does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
