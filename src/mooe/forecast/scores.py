"""How good forecasts were, by how far ahead they looked.

A forecast is judged where what it was about is known; a channel counts as much as another. Scores
of several series are those of all their channels side by side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mooe.forecast.naive import last_value, seasonal_naive

NAMES = {"mse": "MSE", "mae": "MAE", "mase": "MASE", "smape": "sMAPE", "crps": "CRPS"}

# Of the horizon h: what each row forecasts for h rows on, (n, channels).
Ahead = Callable[[int], np.ndarray]


@dataclass(frozen=True)
class Scores:
    """Scores of a forecaster; arrays are (horizon, channels), NaN where nothing was judged.

    Attributes
    ----------
    mse, mae : arrays
        Mean squared and mean absolute error, in the units of the channel.
    mase : array
        The absolute error as a multiple of what a value differs by from the one a season before, on
        average over the whole series (Hyndman and Koehler 2006, whose sample it is here).
    smape : array
        Percent of the mean of both sizes, from 0 to 200; two zeros are no error.
    coverage : dict of level (percent) to array
        Share of values within the band of a level.
    pinball, crps : arrays, or None without bands
        Mean pinball loss over the quantiles of the bands and the forecast itself as the median; and
        the continuous ranked probability score, twice the integral of that loss over quantiles,
        between those at hand by straight lines.
    judged : array
        How many values.
    """

    mse: np.ndarray
    mae: np.ndarray
    mase: np.ndarray
    smape: np.ndarray
    judged: np.ndarray
    coverage: dict[float, np.ndarray] = field(default_factory=dict)
    pinball: np.ndarray | None = None
    crps: np.ndarray | None = None

    @property
    def horizon(self) -> int:
        return len(self.mse)

    def at(self, h: int | None = None) -> dict[str, Any]:
        """Return the scores at a horizon, or over all of them: means over channels, None for none.

        Coverage is by level, as text.
        """
        rows = slice(None) if h is None else slice(h - 1, h)
        out: dict[str, Any] = {
            name: _mean(getattr(self, name)[rows]) for name in ("mse", "mae", "mase", "smape")
        }
        if self.pinball is not None and self.crps is not None:
            shares = {f"{level:g}": _mean(each[rows]) for level, each in self.coverage.items()}
            out |= {"coverage": shares, "pinball": _mean(self.pinball[rows])}
            out["crps"] = _mean(self.crps[rows])
        return out


def judge(
    Y: np.ndarray,
    ahead: Ahead,
    horizon: int,
    first: int,
    scale: np.ndarray,
    lower: Mapping[float, Ahead] | None = None,
    upper: Mapping[float, Ahead] | None = None,
) -> Scores:
    """Return the scores of forecasts made in row `first` and later.

    Parameters
    ----------
    Y : array (n, channels)
        What came; NaN is not judged.
    ahead : function of h
        Returns the forecasts (n, channels): row t is made in row t, about row t + h.
    horizon : int
    first : int
        The first row that forecasts are judged of.
    scale : array (channels,)
        What MASE divides by, see `naive_scale`.
    lower, upper : mapping of level (percent) to functions of h, optional
        The bands.

    Examples
    --------
    >>> Y = np.array([[1.0], [2.0], [4.0]])
    >>> scores = judge(Y, lambda h: Y, 1, 0, naive_scale(Y, 1))
    >>> scores.at(1)["mse"], scores.at(1)["mase"]
    (2.5, 1.0)
    """
    lower, upper = lower or {}, upper or {}
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("mse", "mae", "smape", "judged")}
    parts |= {"pinball": [], "crps": []}
    coverage: dict[float, list[np.ndarray]] = {level: [] for level in lower}
    for h in range(1, horizon + 1):
        rows = slice(first, max(len(Y) - h, first))
        truth = Y[first + h :]
        made = np.asarray(ahead(h)[rows], dtype=np.float64)
        error = truth - made
        sizes = np.abs(truth) + np.abs(made)
        relative = np.divide(
            200.0 * np.abs(error), sizes, out=np.zeros_like(sizes), where=sizes > 0
        )
        relative[np.isnan(sizes)] = np.nan
        parts["mse"].append(_means(error * error))
        parts["mae"].append(_means(np.abs(error)))
        parts["smape"].append(_means(relative))
        parts["judged"].append(np.count_nonzero(~np.isnan(error), axis=0))
        if not lower:
            continue
        quantiles = {0.5: made}
        for level in lower:
            low, high = (np.asarray(side[level](h)[rows]) for side in (lower, upper))
            is_in = np.where(
                np.isnan(truth) | np.isnan(low), np.nan, (low <= truth) & (truth <= high)
            )
            coverage[level].append(_means(is_in))
            quantiles |= {0.5 - level / 200.0: low, 0.5 + level / 200.0: high}
        losses = {tau: pinball(truth, each, tau) for tau, each in quantiles.items()}
        parts["pinball"].append(np.mean([_means(loss) for loss in losses.values()], axis=0))
        parts["crps"].append(_means(_crps(losses)))
    arrays = {name: np.array(each) for name, each in parts.items() if each}
    mase = np.divide(arrays["mae"], scale, out=np.full_like(arrays["mae"], np.nan), where=scale > 0)
    return Scores(
        mase=mase, coverage={level: np.array(each) for level, each in coverage.items()}, **arrays
    )


def judge_naive(
    Y: np.ndarray, horizon: int, first: int, season: int, scale: np.ndarray
) -> dict[str, Scores]:
    """Return the scores of the last value and of seasonal naive."""
    return {
        "last_value": judge(Y, lambda h: last_value(Y, h), horizon, first, scale),
        "seasonal_naive": judge(Y, lambda h: seasonal_naive(Y, h, season), horizon, first, scale),
    }


def naive_scale(Y: np.ndarray, season: int) -> np.ndarray:
    """Return by how much a value differs from the one a season before, on average, (channels,).

    Where a series is no longer than a season, from the value before; NaN where there is neither.
    """
    apart = season if len(Y) > season >= 1 else 1
    return _means(np.abs(Y[apart:] - Y[: max(len(Y) - apart, 0)]))


def pinball(truth: np.ndarray, quantile: np.ndarray, tau: float) -> np.ndarray:
    """Return the pinball loss of forecasts of the quantile tau, from 0 to 1.

    >>> pinball(np.array([3.0, 1.0]), np.array([2.0, 2.0]), 0.9).round(3).tolist()
    [0.9, 0.1]
    """
    error = truth - quantile
    loss: np.ndarray = np.maximum(tau * error, (tau - 1.0) * error)
    return loss


def joined(scores: Sequence[Scores]) -> Scores:
    """Return the scores of several series as of one with all their channels."""

    def side_by_side(arrays: Sequence[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    names = ("mse", "mae", "mase", "smape", "judged", "pinball", "crps")
    arrays = {name: side_by_side([getattr(each, name) for each in scores]) for name in names}
    coverage = {
        level: side_by_side([each.coverage[level] for each in scores])
        for level in scores[0].coverage
    }
    return Scores(coverage=coverage, **arrays)


def _crps(losses: Mapping[float, np.ndarray]) -> np.ndarray:
    """Return twice the integral of pinball losses over quantiles; it is 0 at quantiles 0 and 1."""
    taus = sorted(losses)
    places = np.array([0.0, *taus, 1.0])
    zero = np.zeros_like(losses[taus[0]])
    heights = np.stack([zero, *(losses[tau] for tau in taus), zero])
    area: np.ndarray = np.trapezoid(heights, places, axis=0)
    return 2.0 * area


def _means(values: np.ndarray) -> np.ndarray:
    """Return the mean of each column over what is known, NaN where nothing is."""
    is_known = ~np.isnan(values)
    counts = is_known.sum(axis=0)
    sums = np.where(is_known, values, 0.0).sum(axis=0)
    means: np.ndarray = np.divide(
        sums, counts, out=np.full(values.shape[1], np.nan), where=counts > 0
    )
    return means


def _mean(values: np.ndarray) -> float | None:
    """Return the mean over what is known, None where nothing is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None
