"""The forecaster that users hold: rows in, forecasts with bands out, updated without a refit."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mooe import modelfile
from mooe.forecast import core, file
from mooe.forecast.cycles import gaps, seconds, step_of
from mooe.forecast.explanation import Explanation, explained
from mooe.forecast.model import Model, Rows, begin, learn
from mooe.forecast.params import Params, check_level
from mooe.numerics.features import LARGEST_INPUT
from mooe.words import counted


@dataclass(frozen=True)
class Forecast:
    """Means and bands of the steps ahead.

    Attributes
    ----------
    mean : array (h, n_channels)
    lower, upper : dict of arrays (h, n_channels)
        The bands, by level in percent.
    """

    mean: np.ndarray
    lower: dict[float, np.ndarray]
    upper: dict[float, np.ndarray]


class MOOEForecaster(BaseEstimator):
    """Forecasts of one series or several that help each other, learnt row by row.

    Parameters
    ----------
    horizon : int
        Steps that are forecast.
    season : "auto", int or sequence of ints
        Rows of a season, the one that matters most first, of which two count; None or () for none.
        "auto": found while rows arrive, from the calendar where they have times.
    levels : sequence of numbers
        Bands that are followed, in percent; others can be asked for and are put between them.
    memory : bool
        Whether regimes are remembered.

    Attributes
    ----------
    n_rows_ : int
        Rows that were learnt.
    seasons_ : tuple of int
        Rows of the seasons that are used, () for none.
    forecast_ : Forecast
        What is forecast from the last row.
    remarks_ : list of str
        What was odd about the times of the latest rows, a line each.
    notes : dict
        JSON values that are saved with the forecaster and mean nothing to it.

    Examples
    --------
    >>> day = np.sin(np.arange(300) * 2 * np.pi / 24)
    >>> model = MOOEForecaster(horizon=24).update(day)
    >>> model.seasons_
    (24,)
    >>> float(np.abs(model.predict().mean[:, 0] - day[12:36]).max()) < 0.05
    True
    """

    def __init__(
        self,
        horizon: int = 24,
        season: Any = "auto",
        levels: Any = (80, 95),
        memory: bool = True,
    ) -> None:
        self.horizon = horizon
        self.season = season
        self.levels = levels
        self.memory = memory

    def fit(self, y: Any, X: Any = None, at: Any = None) -> "MOOEForecaster":
        """Begin anew and learn rows; an offline expert is fitted on them and votes from then on."""
        rows = checked_rows(y, X, at, None)
        params, has_times = self._params(), at is not None
        n_late = int(_late(rows, -np.inf).sum()) if has_times else 0
        fresh = begin(params, *_widths(rows), has_times, len(rows) - n_late)
        self._remarks = _learn_in_order(fresh, rows)
        self._model = fresh
        return self

    def update(self, y: Any, X: Any = None, at: Any = None) -> "MOOEForecaster":
        """Learn rows, the first ones or more.

        Parameters
        ----------
        y : number, array (n,) or (n, n_channels)
            Values; NaN where none is known, which is answered and not learnt. Where there are
            several channels, an array (n_channels,) is one row.
        X : array (n, n_covariates), optional
            What else is known of each row.
        at : time or array (n,), optional
            Times of the rows, in order and at equal steps: seconds since 1970, datetime64 or what
            numpy makes such of. With all rows or with none. Values of rows that were seen before
            are late: they are filled in for the forecasts to come, and not learnt. A row behind a
            gap is learnt as the next one; `remarks_` tells of both.
        """
        model, rows = self._begun(y, X, at)
        self._remarks = _learn_in_order(model, rows)
        self._model = model
        return self

    def prepared(
        self, y: Any, X: Any = None, at: Any = None, warm_up: int = 0
    ) -> tuple[Model, Rows]:
        """Return the model and the rows that it has yet to learn, checked; late ones are filled in.

        Rows of a new model are taken as they are, whatever their times.
        """
        model, rows = self._begun(y, X, at, warm_up)
        if model.has_times and model.state.n_rows:
            late = rows.at <= model.last
            _fill_in(model, rows[late])
            rows = rows[~late] if late.any() else rows
        return model, rows

    def _begun(self, y: Any, X: Any, at: Any, warm_up: int = 0) -> tuple[Model, Rows]:
        """Return the model, a new one where it has seen no row yet, and the rows, checked."""
        held: Model | None = getattr(self, "_model", None)
        if held is not None and held.state.n_rows:
            return held, checked_rows(y, X, at, held)
        rows = checked_rows(y, X, at, None)
        fresh = begin(self._params(), *_widths(rows), at is not None, warm_up)
        fresh.notes = {} if held is None else held.notes
        return fresh, rows

    def predict(self, h: int | None = None, level: Any = None, X_future: Any = None) -> Forecast:
        """Return the forecast of the next h steps, by default all; nothing is changed.

        Parameters
        ----------
        h : int, optional
            Steps, at most the horizon.
        level : number or sequence of numbers, optional
            Bands in percent; by default those that are followed.
        X_future : array (h, n_covariates), optional
            Covariates of the steps ahead, where they are known in advance.
        """
        model = self._fitted()
        params = model.params
        h = params.horizon if h is None else h
        is_whole = isinstance(h, (int, np.integer)) and not isinstance(h, bool)
        if not (is_whole and 1 <= h <= params.horizon):
            raise ValueError(f"h must be a whole number from 1 to {params.horizon}, got {h!r}")
        chosen = params.levels if level is None else level
        levels = list(chosen) if isinstance(chosen, Iterable) else [chosen]
        for one in levels:
            check_level(one)
        mean, quantiles = core.predict(params, model.state)
        if X_future is not None and model.state.n_rows:
            ahead = _future(X_future, int(h), int(model.state.n_covariates))
            moved = core.with_covariates(params, model.state, mean, ahead)
            quantiles[:, :h] += moved - mean[:h]
            mean[:h] = moved
        lower, upper = {}, {}
        for one in levels:
            low, high = band(params, mean, quantiles, one)
            lower[one], upper[one] = low[:h], high[:h]
        return Forecast(mean[:h], lower, upper)

    @property
    def forecast_(self) -> Forecast:
        """What is forecast from the last row, all steps and bands."""
        return self.predict()

    @property
    def n_rows_(self) -> int:
        """How many rows were learnt."""
        return int(self._fitted().state.n_rows)

    @property
    def seasons_(self) -> tuple[int, ...]:
        """Rows of the seasons that are used, () for none."""
        return self._fitted().seasons

    @property
    def notes(self) -> dict[str, Any]:
        """JSON values that are saved with the forecaster; None of them means anything to it."""
        return self._fitted().notes

    @property
    def remarks_(self) -> list[str]:
        """What was odd about the times of the latest rows, a line each."""
        return list(getattr(self, "_remarks", ()))

    def explain(self) -> Explanation:
        """Return who decides on the forecast, which regime is in charge, and what moved."""
        return explained(self._fitted())

    def upgrade(self) -> "MOOEForecaster":
        """Let experts that came after the forecaster was saved vote from the next row on.

        They know little at first and must earn their weight.
        """
        model = self._fitted()
        core.upgrade(model.params, model.state)
        return self

    def to_bytes(self) -> bytes:
        """Return the forecaster as a file."""
        return file.to_bytes(self._fitted())

    @classmethod
    def from_bytes(cls, blob: bytes) -> "MOOEForecaster":
        """Return the forecaster of a file's bytes, or raise ModelFileError."""
        model = file.from_bytes(blob)
        p = model.params
        one = cls(horizon=p.horizon, season=p.season, levels=p.levels, memory=p.memory)
        one._model = model
        return one

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forecaster to a file, whole or not at all."""
        modelfile.write(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "MOOEForecaster":
        """Return the forecaster of a file; errors name it."""
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except modelfile.ModelFileError as problem:
            raise modelfile.ModelFileError(f"{os.fspath(path)}: {problem}") from problem

    def _params(self) -> Params:
        """Return the parameters, checked."""
        return Params(self.horizon, self.season, self.levels, self.memory)

    def _fitted(self) -> Model:
        """Return the model, or raise AttributeError before the first row."""
        model: Model | None = getattr(self, "_model", None)
        if model is None:
            raise AttributeError("the forecaster has not seen a row yet: call update or fit first")
        return model


def band(
    params: Params, mean: np.ndarray, quantiles: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper bound of a level.

    One that is not followed lies between those that are, in the units of a normal distribution; the
    mean stands for a band of no width. Beyond the widest it grows as that distribution does.
    """
    if not params.levels:
        raise ValueError(f"level {level:g} cannot be told: levels must not be empty for bands")
    n = len(params.levels)
    if level in params.levels:
        j = params.levels.index(level)
        return quantiles[j], quantiles[n + j]
    wide = [0.0, *(_wideness(one) for one in params.levels)]
    asked = _wideness(level)
    above = min(int(np.searchsorted(wide, asked)), n)
    part = (asked - wide[above - 1]) / (wide[above] - wide[above - 1])
    bounds = []
    for side in (quantiles[:n], quantiles[n:]):
        inner = mean if above == 1 else side[above - 2]
        bounds.append(inner + part * (side[above - 1] - inner))
    return bounds[0], bounds[1]


def _wideness(level: float) -> float:
    """Return half the width of a band of a normal distribution."""
    return NormalDist().inv_cdf(0.5 + level / 200.0)


def checked_rows(y: Any, X: Any, at: Any, model: Model | None) -> Rows:
    """Return rows as the core takes them, or raise ValueError; model is what they go on with."""
    n_channels = None if model is None else int(model.state.n_channels)
    Y = _floats("y", y)
    if Y.ndim == 0:
        Y = Y.reshape(1, 1)
    elif Y.shape == (0,):
        Y = Y.reshape(0, n_channels or 1)
    elif Y.ndim == 1:
        Y = Y.reshape(1, -1) if n_channels is not None and n_channels > 1 else Y.reshape(-1, 1)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise ValueError(f"y must be (n,) or (n, n_channels), got the shape {np.shape(y)}")
    if n_channels is not None and Y.shape[1] != n_channels:
        raise ValueError(f"y must have {n_channels} channels, got {Y.shape[1]}")
    covariates = np.zeros((len(Y), 0)) if X is None else _floats("X", X)
    if covariates.ndim < 2 and (len(Y) == 1 or len(covariates) == len(Y)):
        covariates = covariates.reshape(len(Y), -1)
    if covariates.ndim != 2 or len(covariates) != len(Y):
        raise ValueError(f"X must be ({len(Y)}, n_covariates), got the shape {np.shape(X)}")
    if model is not None and covariates.shape[1] != model.state.n_covariates:
        expected = model.state.n_covariates
        raise ValueError(f"X must have {expected} columns, got {covariates.shape[1]}")
    if model is not None and model.has_times != (at is not None):
        rule = "with all rows" if model.has_times else "with no row, as before"
        raise ValueError(f"at must be given {rule}, got {at!r:.60}")
    times = np.zeros(len(Y)) if at is None else seconds(at)
    if times.shape != (len(Y),):
        raise ValueError(f"at must hold a time for each of {len(Y)} rows, got {times.shape}")
    if not np.isfinite(times).all():
        raise ValueError("at must hold finite times")
    if model is None and at is not None and len(times) > 1 and step_of(times) <= 0.0:
        raise ValueError("at must hold times that ascend, got such that mostly do not")
    return Rows(*(np.require(one, requirements=("C", "W")) for one in (Y, covariates, times)))


def _floats(name: str, values: Any) -> np.ndarray:
    """Return numbers as float64, or raise ValueError; those that are absent or masked are NaN."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex ones have no order")
        if np.asarray(values).dtype.kind in "mM":
            raise TypeError("times are none")
        if np.ma.isMaskedArray(values):
            values = np.ma.filled(np.ma.asarray(values, np.float64), np.nan)
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"{name} must hold numbers: {problem}") from None
    with np.errstate(invalid="ignore"):
        if (np.abs(numbers) > LARGEST_INPUT).any():
            raise ValueError(f"{name} must hold numbers of size up to {LARGEST_INPUT:g}")
    return numbers


def _future(X_future: Any, h: int, n_covariates: int) -> np.ndarray:
    """Return the covariates of the steps ahead, or raise ValueError."""
    ahead = _floats("X_future", X_future)
    ahead = ahead[:, None] if ahead.ndim == 1 and n_covariates == 1 else ahead
    if n_covariates == 0:
        raise ValueError("X_future must be None: the rows that were learnt had no covariates")
    if ahead.shape != (h, n_covariates):
        raise ValueError(f"X_future must be ({h}, {n_covariates}), got the shape {ahead.shape}")
    return ahead


def _widths(rows: Rows) -> tuple[int, int]:
    """Return the numbers of channels and covariates."""
    return rows.Y.shape[1], rows.X.shape[1]


def _late(rows: Rows, last: float) -> np.ndarray:
    """Return which rows are no later than one before them, or than `last`, (n,)."""
    before = np.concatenate([[last], rows.at])[:-1]
    late: np.ndarray = rows.at <= np.maximum.accumulate(before)
    return late


def _learn_in_order(model: Model, rows: Rows) -> list[str]:
    """In place: learn rows, filling in those that are late; return what is odd about their times.

    Whether a row is late depends on those before it alone, so rows one by one equal one chunk.
    """
    if not (model.has_times and len(rows)):
        learn(model, rows)
        return []
    begins = not model.state.n_rows
    late = _late(rows, -np.inf if begins else model.last)
    onward = rows.at[~late] if begins else np.concatenate([[model.last], rows.at[~late]])
    step = model.step
    for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(late)) + 1):
        (_fill_in if late[part[0]] else learn)(model, rows[part[0] : part[-1] + 1])
    lines = []
    if late.any():
        told = counted(int(late.sum()), "row")
        lines.append(f"{told} late, for a time seen before (filled in, not learnt)")
    n_gaps = gaps(onward, step or model.step)
    if n_gaps:
        lines.append(f"{counted(n_gaps, 'row')} behind a gap in the times (learnt as the next row)")
    return lines


def _fill_in(model: Model, rows: Rows) -> None:
    """In place: values of rows that were seen before."""
    if model.step <= 0.0:
        return
    for y, at in zip(rows.Y, rows.at.tolist(), strict=True):
        core.fill_in(model.params, model.state, round((model.last - at) / model.step), y)
