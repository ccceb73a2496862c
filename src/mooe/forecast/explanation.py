"""What a forecaster tells of itself: weights of experts by horizon, the regime, what moved."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.forecast.experts import memory
from mooe.forecast.layout import views
from mooe.forecast.model import Model
from mooe.forecast.roster import NAMES
from mooe.words import listed

TITLES = "titles"  # where the notes keep the names that users gave to regimes


@dataclass(frozen=True)
class Regime:
    """A regime that the memory knows.

    Attributes
    ----------
    name : int
        Its number, from 1 on; never given again.
    title : str
        The name that the user gave it, "" for none.
    rows : int
        Rows in its charge.
    visits : tuple of (int, int)
        The latest stretches in its charge, first and last row, oldest first.
    in_charge : bool
    """

    name: int
    title: str
    rows: int
    visits: tuple[tuple[int, int], ...]
    in_charge: bool

    @property
    def called(self) -> str:
        """Its title, or "regime 3"."""
        return self.title or f"regime {self.name}"


@dataclass(frozen=True)
class Explanation:
    """Who decides on the forecast.

    Attributes
    ----------
    weights : list of dict
        For each channel and bucket of steps: `channel`, `first` and `last` step, and `weights`, the
        shares of the experts by name, the largest first; `trust`, how far the forecast goes from
        the last value to what they say together, 0 to 1; `moved`, by how much each of them moves
        it away from the last value, on average over the steps.
    seasons : tuple of int
        Rows of the seasons that are used.
    regime : Regime or None
        The one in charge; None where it is too young to have a number.
    regimes : list of Regime
        All that are known, by number.
    """

    weights: list[dict[str, Any]]
    seasons: tuple[int, ...]
    regime: Regime | None
    regimes: list[Regime]

    def __str__(self) -> str:
        first = max(self.weights[0]["weights"].items(), key=lambda one: one[1])
        said = f"the next step is mostly by {first[0]} ({first[1]:.0%})"
        season = f"season {listed(list(map(str, self.seasons)))}" if self.seasons else "no season"
        regime = "no regime yet" if self.regime is None else self.regime.called
        return f"{said}; {season}; {regime}"


def explained(model: Model) -> Explanation:
    """Return what a model tells of itself."""
    block, found = views(model.params, model.state), []
    for i in range(model.state.n_channels):
        for b, weights in enumerate(block.mixture.weights[i]):
            trust = float(block.trust.shares[i, b])
            first, last = 2**b, min(2 ** (b + 1) - 1, model.params.horizon)
            changes = _votes(model, i, first, last) - _last(model, i)
            named = zip(NAMES, weights.tolist(), changes.tolist(), strict=False)
            ordered = sorted((one for one in named if one[1] > 0.0), key=lambda one: -one[1])
            found.append(
                {
                    "channel": i,
                    "first": first,
                    "last": last,
                    "weights": {name: share for name, share, _ in ordered},
                    "trust": trust,
                    "moved": {name: trust * share * change for name, share, change in ordered},
                }
            )
    known = regimes(model)
    in_charge = next((one for one in known if one.in_charge), None)
    return Explanation(found, model.seasons, in_charge, known)


def regimes(model: Model) -> list[Regime]:
    """Return the regimes that a model knows, by number."""
    if not model.params.memory:
        return []
    block = views(model.params, model.state).experts.memory
    titles = model.notes.get(TITLES, {})
    found = []
    for k in range(model.state.n_concepts):
        number, rows = int(block.facts[memory.NUMBER, k]), int(block.facts[memory.ROWS, k])
        n = int(block.facts[memory.N_VISITS, k])
        if number > 0 and rows > 0:
            places = [j % memory.VISITS for j in range(max(0, n - memory.VISITS), n)]
            visits = tuple((int(a), int(b)) for a, b in block.visits[k, places])
            title = str(titles.get(str(number), ""))
            found.append(Regime(number, title, rows, visits, k == model.state.in_charge))
    return sorted(found, key=lambda one: one.name)


def _votes(model: Model, i: int, first: int, last: int) -> np.ndarray:
    """Return what the experts forecast of a channel from step `first` to `last`, on average."""
    votes = views(model.params, model.state).mixture.votes
    steps = np.arange(first, last + 1)
    targets = (model.state.n_rows - 1 + steps) % model.params.horizon
    return np.asarray(votes[targets, i, steps - 1].mean(0))


def _last(model: Model, i: int) -> float:
    """Return the last value of a channel."""
    ring = model.params.horizon + 1
    anchors = views(model.params, model.state).seen.anchors
    return float(anchors[i, (model.state.n_rows - 1) % ring])
