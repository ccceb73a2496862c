"""A forecasting model: parameters, state, the season that was found, times, and notes of shells.

While its seasons may still change, it keeps the rows: at fixed numbers of rows it looks for seasons
in them, and where it finds others than it has, it begins anew and learns them again. So what it
knows depends on rows alone, not on how they were cut.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mooe.forecast import core, seasons
from mooe.forecast.core import Params, State
from mooe.forecast.cycles import MOST, cycles_of, season_step, seasons_of, step_of, turns

LAST_LOOK = seasons.LOOKS[-1]


@dataclass
class Rows:
    """Rows as they arrive; at are seconds since 1970, or the numbers of rows without times."""

    Y: np.ndarray  # (n, n_channels)
    X: np.ndarray  # (n, n_covariates)
    at: np.ndarray  # (n,)

    def __len__(self) -> int:
        return len(self.Y)

    def __getitem__(self, place: Any) -> "Rows":
        return Rows(self.Y[place], self.X[place], self.at[place])


def joined(parts: list[Rows]) -> Rows:
    """Return rows behind each other."""
    return Rows(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("Y", "X", "at")))


@dataclass
class Model:
    """Parameters and state of a forecaster, and what decides on its shape."""

    params: Params
    state: State
    has_times: bool
    seasons: tuple[int, ...] = ()  # rows of each, the one that matters most first
    cycles: tuple[float, ...] = ()  # seconds, or rows where there are no times
    step: float = 0.0  # seconds between rows; 0 while it is not known
    last: float = 0.0  # time of the latest row
    past: list[Rows] = field(default_factory=list)  # rows, while seasons are looked for
    notes: dict[str, Any] = field(default_factory=dict)  # JSON values that shells keep


def begin(
    params: Params, n_channels: int, n_covariates: int, has_times: bool, warm_up: int
) -> Model:
    """Return the model before the first row."""
    chosen = () if params.season == "auto" else params.season
    model = Model(params, None, has_times)  # type: ignore[arg-type]
    _shape(model, n_channels, n_covariates, warm_up, tuple(chosen))  # type: ignore[arg-type]
    return model


def learn(
    model: Model,
    rows: Rows,
    means: np.ndarray | None = None,
    quantiles: np.ndarray | None = None,
    regimes: np.ndarray | None = None,
    progress: Callable[[int], object] | None = None,
    pace: int = 1024,
) -> None:
    """In place: learn rows; forecasts from each go into means and so on, where given.

    `progress` is told how many rows are done, every `pace` rows or sooner.
    """
    first = 0
    while first < len(rows):
        last = min(len(rows), first + _until_look(model))
        last = last if progress is None else min(last, first + pace)
        some = rows[first:last]
        places = turns(_places(model, some.at), model.cycles)
        out = [None if o is None else o[first:last] for o in (means, quantiles, regimes)]
        core.learn(model.params, model.state, some.Y, places, some.X, *out)
        _remember(model, some)
        if model.state.n_rows in _looks(model):
            _look(model, None if means is None else means[last - 1 : last], quantiles, last)
        first = last
        if progress is not None:
            progress(first)


def _places(model: Model, at: np.ndarray) -> np.ndarray:
    """Return what the turns of rows follow from: times, or numbers of rows."""
    if model.has_times:
        return at
    return np.arange(model.state.n_rows, model.state.n_rows + len(at), dtype=np.float64)


def _looks(model: Model) -> tuple[int, ...]:
    """Return the numbers of rows at which the shape may change."""
    first = (2,) if model.has_times else ()
    return first + (seasons.LOOKS if model.params.season == "auto" else ())


def _until_look(model: Model) -> int:
    """Return how many rows there are till the shape may change."""
    looks, n_rows = _looks(model), model.state.n_rows
    at = bisect_right(looks, n_rows)
    return looks[at] - n_rows if at < len(looks) else 2**62


def _remember(model: Model, rows: Rows) -> None:
    """In place: keep rows that may have to be learnt again, and the latest time."""
    latest = float(rows.at.max())
    model.last = latest if model.state.n_rows == len(rows) else max(model.last, latest)
    if model.state.n_rows <= (_looks(model) or (0,))[-1]:
        model.past.append(Rows(rows.Y.copy(), rows.X.copy(), rows.at.copy()))


def _look(model: Model, mean: Any, quantiles: Any, last: int) -> None:
    """In place: look for seasons, and begin anew where they are others."""
    past = joined(model.past)
    model.past = [past]
    if model.has_times:
        model.step = step_of(past.at)
    now = _seasons(model, past)
    if now[:2] != model.seasons[:2] or _cycles(model, now) != model.cycles:
        before = model.state
        _shape(model, before.n_channels, before.n_covariates, before.warm_up, now)
        places = turns(_places(model, past.at), model.cycles)
        core.learn(model.params, model.state, past.Y, places, past.X)
        if mean is not None:
            answer, answers = core.predict(model.params, model.state)
            mean[0] = answer
            if quantiles is not None:
                quantiles[last - 1] = answers
    if len(past) >= _looks(model)[-1]:
        model.past = []


def _seasons(model: Model, past: Rows) -> tuple[int, ...]:
    """Return the seasons as far as rows show them."""
    if model.params.season != "auto":
        return model.seasons
    known = model.has_times and model.step > 0.0
    expected = seasons_of(season_step(past.at)) if known else ()
    return seasons.found(past.Y, expected) if len(past) >= seasons.LOOKS[0] else expected[:1]


def _cycles(model: Model, chosen: tuple[int, ...]) -> tuple[float, ...]:
    """Return the cycles that go with seasons."""
    if model.has_times:
        return cycles_of(model.step) if model.step > 0.0 else ()
    return tuple(map(float, chosen))[:MOST]


def _shape(
    model: Model, n_channels: int, n_covariates: int, warm_up: int, chosen: tuple[int, ...]
) -> None:
    """In place: an empty state for these seasons."""
    model.seasons, model.cycles = chosen, _cycles(model, chosen)
    model.state = core.init(
        model.params,
        n_channels,
        n_covariates,
        seasons=chosen[:2],
        n_cycles=len(model.cycles),
        warm_up=warm_up,
    )
