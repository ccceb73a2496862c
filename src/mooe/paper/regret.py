"""The regrets of an interval in paper mode, with the comparators of the paper's Section 5.2.

Losses are divided by their range, so they lie in [0, 1]. The regret of an interval is against
w-hat, the best fixed expert of the ball, which is found once all labels of the interval are known.
Theorem 2, corrected, bounds it: K experts, T labels, R the radius of the ball, beta the smoothness
of the loss divided by its range. No regret over T labels exceeds T: a bound above T says nothing.
"""

import math

import numpy as np

from mooe.numerics.blocks import State
from mooe.paper.params import Params

NEWTON_STEPS = 100


def loss(params: Params, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the loss of each score, divided by the range.

    >>> loss(Params(radius=1.0, intercept=False), np.array([0.0, -1.0]), np.ones(2)).tolist()
    [0.25, 1.0]
    """
    if params.loss == "squared":
        return np.asarray((scores - targets) ** 2 / params.loss_range)
    return np.asarray(np.logaddexp(0.0, -targets * scores) / params.loss_range)


def slope(kind: str, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the first derivative of the loss, not divided by its range, in the score."""
    if kind == "squared":
        return np.asarray(2.0 * (scores - targets))
    return np.asarray(-targets / (1.0 + np.exp(np.minimum(targets * scores, 700.0))))


def _curvature(kind: str, scores: np.ndarray) -> np.ndarray:
    """Return the second derivative of the loss, not divided by its range, in the score."""
    if kind == "squared":
        return np.full(len(scores), 2.0)
    bend = 0.25 / np.cosh(0.5 * np.minimum(np.abs(scores), 700.0)) ** 2
    return np.asarray(np.maximum(bend, 1e-12))


def targets_of(params: Params, state: State, labels: np.ndarray) -> np.ndarray:
    """Return the targets in [-1, 1] that labels set, (n, n_outputs)."""
    if params.task == "regression":
        return scaled(state, np.clip(labels, state.low, state.high)).reshape(-1, 1)
    classes = np.arange(state.n_outputs) if state.n_outputs > 1 else np.ones(1)
    return np.where(labels[:, None] == classes, 1.0, -1.0)


def scaled(state: State, labels: np.ndarray) -> np.ndarray:
    """Return labels, or scores in their unit, on the scale of the targets."""
    half = (state.high - state.low) / 2 or 1.0
    return np.asarray((labels - (state.low + state.high) / 2) / half)


def meta_regret_bound(n_experts: int, rounds: int) -> float:
    """Return sqrt(T ln K), the meta expert's regret against the best of K experts (eq. rg:me).

    It holds after all T rounds for the rate 4 sqrt(ln K / T); for fewer the
    reproduction of the paper has a bound too, in its `theory.regret`.

    >>> round(meta_regret_bound(25, 50), 2)
    12.69
    """
    return math.sqrt(rounds * math.log(n_experts))


def online_regret_bound(radius: float, smoothness: float, rounds: int) -> float:
    """Return 6 R sqrt(T beta), the online expert's regret against the best of the ball (eq. rg:oe).

    Corrected: the step is R / sqrt(beta t), because gradient descent is bounded by the diameter 2R
    of the ball that it moves in. The step needs no horizon, so this holds at every round.

    >>> round(online_regret_bound(1.0, 0.5, 50), 2)
    30.0
    """
    return 6 * radius * math.sqrt(rounds * smoothness)


def regret_bound(n_experts: int, rounds: int, radius: float, smoothness: float) -> float:
    """Return sqrt(T ln K) + 6 R sqrt(T beta), the regret of MOOE in an interval (Theorem 2).

    Corrected: R for the D of the printed form.

    >>> round(regret_bound(25, 50, radius=1.0, smoothness=0.5), 2)
    42.69
    """
    online = online_regret_bound(radius, smoothness, rounds)
    return meta_regret_bound(n_experts, rounds) + online


def split(params: Params, totals: np.ndarray, best: float) -> dict[str, float]:
    """Return the paper's regrets of an interval, and the corrected Theorem 2 as `bound`.

    `meta` is its ME, `experts` KE, `online` OE and `mixture` MOOE, so mixture = meta + experts.

    Parameters
    ----------
    totals : array (1 + n_experts,)
        Summed losses of the mixture, then of every expert, the online one last.
    best : float
        That of w-hat.

    >>> regrets = split(Params(interval=50, radius=1.0), np.array([5.0, 4.0, 7.0]), 3.0)
    >>> {name: float(regrets[name]) for name in ("meta", "experts", "online", "mixture")}
    {'meta': 1.0, 'experts': 1.0, 'online': 4.0, 'mixture': 2.0}
    """
    least = totals[1:].min()
    return {
        "meta": totals[0] - least,
        "experts": least - best,
        "online": totals[-1] - best,
        "mixture": totals[0] - best,
        "bound": regret_bound(len(totals) - 1, params.interval, params.radius, params.smoothness),
    }


def best_in_ball(params: Params, rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, float]:
    """Return w-hat, the expert of the ball with the least summed loss on rows, and that sum."""
    w = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        scores = rows @ w
        bends, slopes = _curvature(params.loss, scores), slope(params.loss, scores, targets)
        best = _ridge_in_ball(rows, bends, scores - slopes / bends, params.radius)
        value = float(loss(params, rows @ w, targets).sum())
        while loss(params, rows @ best, targets).sum() > value and not np.allclose(best, w):
            best = 0.5 * (best + w)
        moved, w = float(np.abs(best - w).max()), best
        if moved <= 1e-10 * params.radius:
            break
    return w, float(loss(params, rows @ w, targets).sum())


def _ridge_in_ball(
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

    multiplier = 0.0
    if np.linalg.norm(at(0.0)) > radius:
        from scipy.optimize import brentq  # costs half a second, and few runs need it

        def excess(multiplier: float) -> float:
            return math.log(np.linalg.norm(at(multiplier)) / radius)

        highest = float(np.linalg.norm(sides)) / radius
        multiplier = brentq(excess, 0.0, highest, xtol=1e-300, rtol=1e-14)
    return np.asarray(basis @ at(multiplier))
