"""A back-test that is honest by construction: every row forecasts before the next one is seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.forecast.forecaster import MOOEForecaster, checked_rows
from mooe.forecast.model import begin, learn
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
    forecaster : MOOEForecaster
        As it is after the last row.
    """

    mean: np.ndarray
    lower: dict[float, np.ndarray]
    upper: dict[float, np.ndarray]
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
    progress: Callable[[int], object] | None = None,
    forecaster: MOOEForecaster | None = None,
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
    progress : callable, optional
        Is told how many rows are done.
    forecaster : MOOEForecaster, optional
        One that has learnt the rows before these and goes on, in place; what it was made with
        stands for horizon, season, warm_up, levels and memory.

    Examples
    --------
    >>> day = np.sin(np.arange(200) * 2 * np.pi / 24)
    >>> backtest(day, horizon=6, season=24).mean.shape
    (200, 6, 1)
    """
    check_whole("warm_up", int(warm_up) if isinstance(warm_up, np.integer) else warm_up, 0)
    known = None if forecaster is None else forecaster._fitted()
    rows = checked_rows(Y, X, times, known)
    if forecaster is None:
        forecaster = MOOEForecaster(horizon, season, levels, memory)
    n, n_channels = rows.Y.shape
    model = known or begin(
        forecaster._params(), n_channels, rows.X.shape[1], times is not None, int(warm_up)
    )
    params = model.params
    means = np.empty((n, params.horizon, n_channels), np.float32)
    n_quantiles = len(params.probabilities)
    quantiles = np.empty((n, n_quantiles, params.horizon, n_channels), np.float32)
    learn(model, rows, means, quantiles, progress)
    forecaster._model = model
    half = n_quantiles // 2
    lower = {level: quantiles[:, j] for j, level in enumerate(params.levels)}
    upper = {level: quantiles[:, half + j] for j, level in enumerate(params.levels)}
    return Backtest(means, lower, upper, forecaster)
