"""Regrets of paper mode, interval by interval, with the comparators of the paper's Section 5.2.

For an interval of T labels, f_t being the loss at label t divided by its range: the mixture, each
expert, the online expert as it moves, and the best fixed expert of the ball, w-hat, which is found
afterwards. This costs a pass in Python and a fit per interval, so it is done on request only.
"""

import math

import numpy as np

from mooe.evaluate.learners import Answers, MooeLearner, together
from mooe.paper import core
from mooe.paper.core import Params
from mooe_paper import theory
from mooe_paper.theory.charges import loss, scaled, targets_of

__all__ = ["RegretMeter", "best_in_ball", "split"]

NEWTON_STEPS = 100


class RegretMeter:
    """A paper-mode learner that writes down the regrets of each full interval.

    Attributes
    ----------
    regrets : list of dict
        `interval`, `rows`, the paper's regrets `meta` (ME), `experts` (KE), `online` (OE) and
        `mixture` (MOOE), and `bound`, the corrected Theorem 2. An interval in which a class
        appears has none, because its losses are not of one kind.
    """

    def __init__(self, learner: MooeLearner) -> None:
        if not isinstance(learner.params, Params):
            raise ValueError(f"regret must be that of mode='paper', got {learner.params.mode!r}")
        self.learner, self.params = learner, learner.params
        self.regrets: list[dict[str, float]] = []
        self.losses: list[np.ndarray] = []  # per label: of the mixture, then of every expert
        self.whole = True  # whether all labels of the open interval are in self.losses

    takes_sparse = False

    def predict_then_learn(
        self, X: np.ndarray, y: np.ndarray, known: np.ndarray | None = None
    ) -> Answers:
        """In place: answer each row, then learn it, one by one."""
        return together([self.step(X[i : i + 1], y[i : i + 1]) for i in range(len(X))])

    def step(self, x: np.ndarray, y: np.ndarray) -> Answers:
        """In place: one row."""
        state = self.learner.state
        if state is None or np.isnan(y[0]):
            self.whole = self.whole and np.isnan(y[0])
            return self.learner.predict_then_learn(x, y)
        outputs, interval = state.n_outputs, state.n_intervals
        weights, scores = core.explain(self.params, state, x)
        low, high = state.low, state.high
        answers = self.learner.predict_then_learn(x, y)
        comparable = state.n_outputs == outputs and (low, high) == (state.low, state.high)
        self.whole = self.whole and comparable and state.n_labelled > 1
        if self.whole:
            everyone = np.vstack([weights @ scores, scores])
            if self.params.task == "regression":
                everyone = scaled(state, everyone)
            targets = targets_of(self.params, state, y)
            self.losses.append(loss(self.params, everyone, targets).mean(axis=1))
        if state.n_intervals > interval:
            self.close(interval)
        return answers

    def close(self, interval: int) -> None:
        """In place: an interval is full; its rows are still in the buffer."""
        state = self.learner.state
        if self.whole and state is not None and len(self.losses) == self.params.interval:
            block = core.views(self.params, state)
            targets = targets_of(self.params, state, block.labels)
            best = sum(
                best_in_ball(self.params, block.rows, targets[:, c])[1]
                for c in range(state.n_outputs)
            )
            parts = split(self.params, np.sum(self.losses, axis=0), best / state.n_outputs)
            self.regrets.append({"interval": interval, "rows": self.params.interval, **parts})
        self.losses, self.whole = [], True


def split(params: Params, totals: np.ndarray, best: float) -> dict[str, float]:
    """Return the paper's regrets of an interval, and the corrected Theorem 2 as `bound`.

    Parameters
    ----------
    totals : array (1 + n_experts,)
        Summed losses of the mixture, then of every expert, the online one last.
    best : float
        That of w-hat.

    >>> found = split(Params(interval=50, radius=1.0), np.array([5.0, 4.0, 7.0]), 3.0)
    >>> {name: float(found[name]) for name in ("meta", "experts", "online", "mixture")}
    {'meta': 1.0, 'experts': 1.0, 'online': 4.0, 'mixture': 2.0}
    """
    least = totals[1:].min()
    return {
        "meta": totals[0] - least,
        "experts": least - best,
        "online": totals[-1] - best,
        "mixture": totals[0] - best,
        "bound": theory.regret_bound(
            len(totals) - 1, params.interval, params.radius, params.smoothness
        ),
    }


def best_in_ball(params: Params, rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, float]:
    """Return w-hat, the expert of the ball with the least summed loss on rows, and that sum."""
    w = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        scores = rows @ w
        bends, slopes = curvature(params.loss, scores), slope(params.loss, scores, targets)
        best = ridge_in_ball(rows, bends, scores - slopes / bends, params.radius)
        value = float(loss(params, rows @ w, targets).sum())
        while loss(params, rows @ best, targets).sum() > value and not np.allclose(best, w):
            best = 0.5 * (best + w)
        moved, w = float(np.abs(best - w).max()), best
        if moved <= 1e-10 * params.radius:
            break
    return w, float(loss(params, rows @ w, targets).sum())


def curvature(kind: str, scores: np.ndarray) -> np.ndarray:
    """Return the second derivative of the loss in the score."""
    if kind == "squared":
        return np.full(len(scores), 2.0)
    bend = 0.25 / np.cosh(0.5 * np.minimum(np.abs(scores), 700.0)) ** 2
    return np.asarray(np.maximum(bend, 1e-12))


def slope(kind: str, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the first derivative of the loss in the score."""
    if kind == "squared":
        return np.asarray(2.0 * (scores - targets))
    return np.asarray(-targets / (1.0 + np.exp(np.minimum(targets * scores, 700.0))))


def ridge_in_ball(
    rows: np.ndarray, bends: np.ndarray, targets: np.ndarray, radius: float
) -> np.ndarray:
    """Return the point of the ball with the least sum of bends * (rows w - targets)^2.

    In the eigenbasis of the normal matrix, with the multiplier that puts the norm on the radius
    where the unconstrained solution of least norm is longer.
    """
    values, basis = np.linalg.eigh((rows.T * bends) @ rows)
    sides = basis.T @ (rows.T @ (bends * targets))
    known = values > 1e-12 * max(values[-1], 1e-300)

    def at(multiplier: float) -> np.ndarray:
        return np.where(known, sides / np.where(known, values + multiplier, 1.0), 0.0)

    if np.linalg.norm(at(0.0)) > radius:
        from scipy.optimize import brentq  # costs half a second, and few runs need it

        highest = float(np.linalg.norm(sides)) / radius
        multiplier = brentq(
            lambda m: math.log(np.linalg.norm(at(m)) / radius),
            0.0,
            highest,
            xtol=1e-300,
            rtol=1e-14,
        )
        return np.asarray(basis @ at(multiplier))
    return np.asarray(basis @ at(0.0))
