"""Paper mode over rows in memory: its score before each label, losses, errors and regrets.

Losses are squared errors of answers between 0 and 1 to labels 0 and 1, so that those of methods
that score labels -1 and +1 can be compared; to answer 1/2 always costs 0.25.
"""

from dataclasses import dataclass, replace

import numpy as np

from mooe.paper import core
from mooe.paper.core import Params, State
from mooe.paper.regret import best_in_ball, loss, split


@dataclass(frozen=True)
class _Interval:
    """Losses of one interval, divided by their range, as the paper's regrets want them.

    Attributes
    ----------
    mixture, online, best : array (interval,)
        Of the mixture, the online expert, and w-hat, the expert of the ball that is best in
        hindsight.
    offline : array (n_offline, interval)
    params : Params
        Of the run.
    """

    mixture: np.ndarray
    online: np.ndarray
    offline: np.ndarray
    best: np.ndarray
    params: Params

    def regrets(self) -> dict[str, float]:
        """Return the paper's regrets: ME, KE, OE and MOOE, named as in `mooe.paper.regret`."""
        experts = [*self.offline.sum(axis=1), self.online.sum()]
        totals = np.array([self.mixture.sum(), *experts])
        parts = split(self.params, totals, float(self.best.sum()))
        return {name: float(value) for name, value in parts.items()}


def scores(params: Params, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mixture's score before each label; y of 0 and 1, a positive score means 1."""
    state = core.init(params, X.shape[1], 2)
    return core.predict_then_learn(params, state, X, y)[:, 0]


def online_params(params: Params, start: str | None = None) -> Params:
    """Return the online expert alone, OGD, with its own start if need be."""
    return replace(params, max_experts=1, start=start or params.start)


def blank_scores(params: Params, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the scores of a mixture whose offline experts are zeros, which know nothing.

    A control: whatever it gains comes from smaller scores alone, and its answers are those of the
    online expert.
    """
    state = core.init(params, X.shape[1], 2)
    scores = []
    for part in _parts(params, y):
        scores.append(core.predict_then_learn(params, state, X[part], y[part])[:, 0])
        core.views(params, state).experts[:] = 0.0
    return np.concatenate(scores)


def losses(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the squared error of each score, -1 being the answer 0 and +1 the answer 1.

    >>> losses(np.array([0.0, 1.0, -3.0]), np.array([1.0, 1.0, 0.0])).tolist()
    [0.25, 0.0, 1.0]
    """
    return np.asarray(((1.0 + scores) / 2.0 - y) ** 2)


def errors(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return 1 where the sign of a score is wrong, 0 where it is right, 1/2 where it has none.

    >>> errors(np.array([0.0, 1.0, -3.0]), np.array([1.0, 0.0, 0.0])).tolist()
    [0.5, 1.0, 0.0]
    """
    return np.asarray(np.abs((1.0 + np.sign(scores)) / 2.0 - y))


def intervals(params: Params, X: np.ndarray, y: np.ndarray) -> list[_Interval]:
    """Return the losses of every full interval: those of `RegretMeter`, without a step per row.

    It may, because offline experts stand still during an interval, and the online expert moves as
    it does on its own.
    """
    state = core.init(params, X.shape[1], 2)
    alone = scores(online_params(params), X, y)
    full = [part for part in _parts(params, y) if part.stop - part.start == params.interval]
    return [_learn_interval(params, state, X[part], y[part], alone[part]) for part in full]


def last_regret(params: Params, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mixture's regret in the last interval; rows are a multiple of its length."""
    state = core.init(params, X.shape[1], 2)
    last = len(y) - params.interval
    core.predict_then_learn(params, state, X[:last], y[:last])
    mixed = core.predict_then_learn(params, state, X[last:], y[last:])[:, 0]
    rows, targets = core.views(params, state).rows.copy(), 2.0 * y[last:] - 1.0
    best, _ = best_in_ball(params, rows, targets)
    return float((loss(params, mixed, targets) - loss(params, rows @ best, targets)).sum())


def _learn_interval(
    params: Params, state: State, X: np.ndarray, y: np.ndarray, alone: np.ndarray
) -> _Interval:
    """In place: learn an interval, and return its losses."""
    offline = core.views(params, state).experts[0, :, : state.n_offline].T.copy()
    mixed = core.predict_then_learn(params, state, X, y)[:, 0]
    rows = core.views(params, state).rows.copy()  # as the experts saw them
    targets = 2.0 * y - 1.0
    best, _ = best_in_ball(params, rows, targets)
    mixture, online, others, hindsight = (
        loss(params, given, targets) for given in (mixed, alone, offline @ rows.T, rows @ best)
    )
    return _Interval(mixture, online, others, hindsight, params)


def _parts(params: Params, y: np.ndarray) -> list[slice]:
    """Return the rows of each interval."""
    return [
        slice(start, min(start + params.interval, len(y)))
        for start in range(0, len(y), params.interval)
    ]
