"""OGD: online gradient descent in a ball.

Zinkevich, "Online Convex Programming and Generalized Infinitesimal Gradient Ascent", ICML 2003,
with the step and the constant of Hazan, "Introduction to Online Convex Optimization", theorem 3.1
(doi:10.1561/2400000013): w <- the point of the ball nearest to w - D/(G sqrt(t)) gradient, D the
diameter of the ball and G a bound on gradients. Its regret against the best point of the ball is at
most 1.5 G D sqrt(T).
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mooe.baselines import linear
from mooe.baselines.estimators import BaselineEstimator, ClassAnswers, ValueAnswers
from mooe.numerics.checks import check_choice, parameters_of
from mooe.numerics.compiled import announced, compiled, forced
from mooe.numerics.losses import logistic_slope, squared_slope
from mooe.paper.params import Params
from mooe.paper.row import descend, meet_target, target_of


@dataclass(frozen=True)
class OGDParams(linear.LinearParams):
    """Parameters of OGD: those of `OGDClassifier` and `OGDRegressor`; `seed` draws nothing."""

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
        super().__post_init__()

    def _own_settings(self) -> dict[str, Any]:
        bound = gradient_bound(self.core)
        return {"n_slots": 1, "restart": self.restart, "gradient_bound": bound}


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
def count_label(s, c, label):
    """In place: count a label; it widens the bounds of regression targets until they are frozen."""
    if not s.classify:
        meet_target(c, label)
    c.n_labelled += 1
    if not s.classify and c.n_labelled % s.interval == 0 and c.high > c.low:
        c.bounds_frozen = 1


with announced(__name__, "online gradient descent (a few seconds)"):

    @compiled(linear.LEARN)
    def _learn_rows(settings, counters, block, scratch, X, labels, first, out):
        """In place: answer and learn rows, see `LinearLearner._learn`."""
        s, c = settings[0], counters[0]
        m = linear.open_arrays(s, c, block, scratch)
        c.n_experts = 1
        m.weights[0] = 1.0
        for i in range(first, X.shape[0]):
            if linear.is_new_class(s, c, labels[i]):
                return -1 - i
            learnt = labels[i] == labels[i]
            linear.answer_row(s, c, m, 1.0, X[i], learnt, out[i])
            if not learnt:
                continue
            count_label(s, c, labels[i])
            step = s.online_rate
            if step < 0.0:
                step = 2.0 * s.radius / (s.gradient_bound * np.sqrt(c.t + 1.0))
            for o in range(c.n_outputs):
                slope = slope_of(s, m.played[o], target_of(s, c, labels[i], o))
                descend(m.experts[o, 0], m.seen, -step * slope, s.radius)
            c.t += 1
            if s.restart and c.t == s.interval:
                c.t = 0
                for o in range(c.n_outputs):
                    for j in range(m.seen.shape[0]):
                        m.experts[o, 0, j] = 0.0
        return 0


class OGD(linear.LinearLearner):
    """Online gradient descent, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> from mooe.evaluate import prequential
    >>> stream = recurring(n=2000, length=200)
    >>> round(prequential(OGD(OGDParams()), stream).cumulative["accuracy"], 4)
    0.5918
    >>> judged = prequential(OGD(OGDParams(restart=True, interval=50)), stream)
    >>> round(judged.cumulative["accuracy"], 4)
    0.6743
    """

    _learn: ClassVar = staticmethod(_learn_rows)


@parameters_of(OGDParams, "seed", "target_bounds", kw_only=True)
class OGDClassifier(ClassAnswers, BaselineEstimator):
    """Online gradient descent (Zinkevich 2003), see `mooe.baselines.ogd`.

    Parameters
    ----------
    restart : bool, default=False
        Begin anew, from 0 and with the first step, after every `interval` labels, as the "OGD" of
        MOOE's figures does.
    interval : int, default=50
        Labels between restarts, at least 1.
    loss : {"squared", "logistic"}
    radius : float, default=1.0
        Radius of the ball that the model stays in, above 0.
    input_bound : float, default=1.0
        Norm that standardised inputs are shrunk to where they are longer, above 0; with scale=False
        a longer input is an error.
    online_rate : float or None, default=None
        A constant step, at least 0; None is D/(G sqrt(t)), that of the guarantee.
    scale : bool, default=True
        Standardise inputs as they arrive.
    intercept : bool, default=True
        Append a constant 1 to the inputs.

    Examples
    --------
    >>> from mooe.baselines import OGDClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = OGDClassifier(radius=3.0).fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.6
    """

    _learner_class = OGD


@parameters_of(OGDParams, "seed", "loss", kw_only=True)
class OGDRegressor(ValueAnswers, BaselineEstimator):
    """Online gradient descent on the squared loss.

    Parameters
    ----------
    restart, radius, input_bound, online_rate, scale, intercept
        As in `OGDClassifier`.
    interval : int, default=50
        Labels between restarts, and those that set the bounds of the labels; at least 1.
    target_bounds : (float, float) or None, default=None
        Bounds of the labels, in their unit, the lower first; a label outside is an error. None
        takes those of the first interval, and later labels outside count as the nearest bound.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe.baselines import OGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = 5.0 + np.tanh(X[:, 0])
    >>> round(OGDRegressor(radius=3.0).fit(X, y).score(X, y), 2)
    0.95
    """

    _learner_class = OGD
