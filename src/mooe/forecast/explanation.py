"""What a forecaster tells of itself: weights of experts by horizon, the regime, what moved."""

from dataclasses import dataclass
from typing import Any

from mooe.forecast.layout import views
from mooe.forecast.model import Model
from mooe.forecast.roster import NAMES


@dataclass(frozen=True)
class Explanation:
    """Who decides on the forecast.

    Attributes
    ----------
    weights : list of dict
        For each channel and bucket of steps: `channel`, `first` and `last` step, and `weights`, the
        shares of the experts by name, the largest first.
    seasons : tuple of int
        Rows of the seasons that are used.
    """

    weights: list[dict[str, Any]]
    seasons: tuple[int, ...]


def explained(model: Model) -> Explanation:
    """Return what a model tells of itself."""
    block = views(model.params, model.state)
    found = []
    for i in range(model.state.n_channels):
        for b, shares in enumerate(block.mixture.weights[i]):
            named = {name: float(share) for name, share in zip(NAMES, shares, strict=False)}
            ordered = sorted(named.items(), key=lambda one: -one[1])
            last = min(2 ** (b + 1) - 1, model.params.horizon)
            shown = {name: share for name, share in ordered if share > 0.0}
            found.append({"channel": i, "first": 2**b, "last": last, "weights": shown})
    return Explanation(found, model.seasons)
