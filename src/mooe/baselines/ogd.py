"""OGD: online gradient descent in a ball.

Zinkevich, "Online Convex Programming and Generalized Infinitesimal Gradient Ascent", ICML 2003,
with the step and the constant of Hazan, "Introduction to Online Convex Optimization", theorem 3.1
(doi:10.1561/2400000013): w <- the point of the ball nearest to w - D/(G sqrt(t)) gradient, D the
diameter of the ball and G a bound on gradients. Its regret against the best point of the ball is at
most 1.5 G D sqrt(T).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numba import int64

from mooe.baselines import linear
from mooe.baselines.linear import (
    counters_type,
    mix,
    new_class,
    open_block,
    open_scratch,
    settings_of,
    settings_type,
)
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.blocks import State
from mooe.numerics.checks import check_choice
from mooe.numerics.compiled import announced, compiled, forced
from mooe.numerics.losses import logistic_slope, squared_slope
from mooe.paper.params import Params
from mooe.paper.row import descend, meet_target, see, target_of

__all__ = ["OGD", "OGDParams", "gradient_bound", "regret_bound", "slope_of", "take_target"]


@dataclass(frozen=True)
class OGDParams:
    """What the user chooses.

    Parameters
    ----------
    task : {"classification", "regression"}
    restart : bool
        Begin anew, from 0 and with the first step, after every `interval` labels, as the "OGD" of
        MOOE's figures does.
    interval : int
        Labels between restarts, at least 1; in regression also those that set the bounds of the
        targets.
    online_rate : float or None
        A constant step, at least 0; None is D/(G sqrt(t)).
    loss, radius, input_bound, scale, intercept, target_bounds, seed
        As in `mooe.paper.params.Params`.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> y = stream.y.astype(float)
    >>> found = OGD(OGDParams(restart=True, interval=50)).predict_then_learn(stream.X, y)
    >>> round(float((found.chosen == y).mean()), 3)
    0.674
    """

    task: str = "classification"
    restart: bool = False
    interval: int = 50
    loss: str = "squared"
    radius: float = 1.0
    input_bound: float = 1.0
    online_rate: float | None = None
    scale: bool = True
    intercept: bool = True
    target_bounds: tuple[float, float] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("restart", self.restart, (False, True))
        _ = self.core

    def __getstate__(self) -> dict[str, Any]:
        return linear.chosen(self)

    @cached_property
    def core(self) -> Params:
        """The parameters that the core knows, checked."""
        return Params(
            task=self.task, interval=self.interval, max_experts=1, loss=self.loss,
            radius=self.radius, input_bound=self.input_bound, online_rate=self.online_rate,
            scale=self.scale, intercept=self.intercept, target_bounds=self.target_bounds,
            seed=self.seed,
        )  # fmt: skip

    @cached_property
    def settings(self) -> np.ndarray:
        """The record that compiled code reads."""
        return settings_of(
            self.core, n_slots=1, restart=self.restart, gradient_bound=gradient_bound(self.core)
        )


def gradient_bound(core: Params) -> float:
    """Return the longest gradient of a loss divided by its range, over the ball and the inputs.

    >>> gradient_bound(Params(intercept=False))
    1.0
    """
    largest = core.radius * core.reach
    slope = 2.0 * (largest + 1.0) if core.loss == "squared" else 1.0 / (1.0 + math.exp(-largest))
    return slope * core.reach / core.loss_range


def regret_bound(rounds: int, radius: float, gradient: float) -> float:
    """Return 1.5 G D sqrt(T), the regret against the best point of the ball after any T rounds.

    >>> regret_bound(100, radius=1.0, gradient=0.5)
    15.0
    """
    return 1.5 * gradient * 2.0 * radius * math.sqrt(rounds)


@forced
def slope_of(s, score, target):
    """Return the derivative in the score of the loss divided by its range."""
    raw = logistic_slope(score, target) if s.is_logistic else squared_slope(score, target)
    return raw / s.range


@forced
def take_target(s, c, label):
    """In place: a label is told; the bounds of regression targets follow until they are frozen."""
    if not s.classify:
        meet_target(c, label)
    c.n_labelled += 1
    if not s.classify and c.n_labelled % s.interval == 0 and c.high > c.low:
        c.bounds_frozen = 1


with announced(__name__, "online gradient descent (a few seconds)"):

    @compiled(int64(settings_type, counters_type, vector, vector, matrix, vector, int64, matrix))
    def learn(settings, counters, block, scratch, X, labels, first, out):
        """In place: answer each row from `first` on, then learn it if it has a label.

        Returns early before a class not met yet, with -1 - its row; 0 when all rows are done.
        """
        s, c = settings[0], counters[0]
        m, w = open_block(s, c, block), open_scratch(s, c, scratch)
        c.n_experts = 1
        w.weights[0] = 1.0
        for i in range(first, X.shape[0]):
            learnt = labels[i] == labels[i]
            if learnt and new_class(s, c, labels[i]):
                return -1 - i
            see(s, X[i], m.counts, m.mean, m.squares, learnt, w.seen)
            mix(s, c, m, w, 1.0, out[i])
            if not learnt:
                continue
            take_target(s, c, labels[i])
            step = s.online_rate
            if step < 0.0:
                step = 2.0 * s.radius / (s.gradient_bound * np.sqrt(c.t + 1.0))
            for o in range(c.n_outputs):
                slope = slope_of(s, w.played[o], target_of(s, c, labels[i], o))
                descend(m.experts[o, 0], w.seen, -step * slope, s.radius)
            c.t += 1
            if s.restart and c.t == s.interval:
                c.t = 0
                for o in range(c.n_outputs):
                    for j in range(w.seen.shape[0]):
                        m.experts[o, 0, j] = 0.0
        return 0


class OGD:
    """Online gradient descent, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> y = stream.y.astype(float)
    >>> found = OGD(OGDParams()).predict_then_learn(stream.X, y)
    >>> round(float((found.chosen == y).mean()), 3)
    0.592
    """

    learn: ClassVar = staticmethod(learn)
    predict = linear.predict
    predict_then_learn = linear.predict_then_learn
    takes_sparse = False
    weights = property(linear.weights)

    def __init__(self, params: OGDParams, state: State | None = None) -> None:
        self.params = params
        self.state = state
