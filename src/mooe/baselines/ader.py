"""Ader: a grid of step sizes of online gradient descent, weighed by Hedge.

Zhang, Lu, Zhou, "Adaptive Online Learning in Dynamic Environments", NeurIPS 2018, arXiv:1810.10815.
N learners with the steps 2^(i-1) D/G sqrt(7/(2T)) play their weighted mean. In the improved form
every learner steps along, and is charged, the linear loss <gradient at the played point, w>.
Dynamic regret, to any sequence of points u_t of the ball with path P = sum ||u_t - u_(t-1)||:
O(sqrt(T (1 + P))), see `dynamic_regret_bound`. MOOE's prior is Ader's, reversed.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mooe.baselines import linear
from mooe.baselines.estimators import BaselineEstimator, ClassAnswers, ValueAnswers
from mooe.baselines.ogd import count_label, gradient_bound, slope_of
from mooe.numerics.arithmetic import copy
from mooe.numerics.blocks import cut
from mooe.numerics.checks import check_choice, check_whole, parameters_of
from mooe.numerics.compiled import announced, compiled, forced, part, shared
from mooe.numerics.hedge import fill_log_prior
from mooe.numerics.lanes import fma
from mooe.numerics.losses import logistic, squared
from mooe.paper.row import descend, target_of

MOST = 30  # learners: enough for 2^57 rounds
FIRST_HORIZON = 50  # rounds, where the horizon is not known: then 100, 200, ...
FORMS = ("improved", "basic")


@dataclass(frozen=True)
class AderParams(linear.LinearParams):
    """Parameters of Ader: those of `AderClassifier` and `AderRegressor`; `seed` draws nothing."""

    task: str = "classification"
    horizon: int | None = None
    form: str = "improved"
    interval: int = 50
    loss: str = "squared"
    radius: float = 1.0
    input_bound: float = 1.0
    scale: bool = True
    intercept: bool = True
    target_bounds: tuple[float, float] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("form", self.form, FORMS)
        if self.horizon is not None:
            check_whole("horizon", self.horizon, 1, 2**53)
        super().__post_init__()

    def _own_settings(self) -> dict[str, Any]:
        return {
            "n_slots": MOST if self.horizon is None else grid_size(self.horizon),
            "horizon": self.horizon or 0,
            "improved": self.form == "improved",
            "gradient_bound": gradient_bound(self.core),
        }


@shared
def grid_size(horizon: int) -> int:
    """Return N = ceil(log2(1 + 4T/7) / 2) + 1.

    >>> [grid_size(rounds) for rounds in (50, 1000, 45312)]
    [4, 6, 9]
    """
    return int(np.ceil(0.5 * np.log2(1.0 + 4.0 * horizon / 7.0))) + 1


def dynamic_regret_bound(
    horizon: int, path: float, radius: float, gradient: float, form: str = "improved"
) -> float:
    """Return the bound on the regret to a sequence of points with this path (theorems 3 and 4).

    (3G/4) sqrt(2T (7 D^2 + 4 D P)) + c sqrt(2T)/4 (1 + 2 ln(k + 1)), where
    k = floor(log2(1 + 4P/(7D)) / 2) + 1, and c is 1 for losses and 2 G D for linear ones.

    >>> round(dynamic_regret_bound(1000, 0.0, radius=1.0, gradient=0.5), 1)
    142.1
    """
    diameter = 2.0 * radius
    wide = 2.0 * gradient * diameter if form == "improved" else 1.0
    k = math.floor(0.5 * math.log2(1.0 + 4.0 * path / (7.0 * diameter))) + 1
    learner = 0.75 * gradient * math.sqrt(2.0 * horizon * diameter * (7.0 * diameter + 4.0 * path))
    return learner + wide * math.sqrt(2.0 * horizon) / 4.0 * (1.0 + 2.0 * math.log(k + 1.0))


@part
def _begin(s, c, m):
    """In place: lay a grid for the horizon, largest step first; all learners are where the last is.

    Steps are 2^(i-1) D/G sqrt(7/(2T)) and their prior (N+1)/(N i (i+1)), so smaller ones weigh
    more. The rate of Hedge is sqrt(8/T) over the range of what it is charged: 1 for losses, 2 G D
    for linear losses, D the diameter.
    """
    if s.horizon > 0:
        c.horizon = s.horizon
    else:
        c.horizon = 2 * c.horizon if c.horizon > 0 else FIRST_HORIZON
    n = grid_size(c.horizon)
    diameter = 2.0 * s.radius
    step = diameter / s.gradient_bound * np.sqrt(7.0 / (2.0 * c.horizon))
    last = max(c.n_experts, 1) - 1
    for k in range(n - 1, -1, -1):
        m.steps[k] = step
        m.losses[k] = 0.0
        step *= 2.0
    for o in range(c.n_outputs):
        for k in range(n):
            copy(m.experts[o, last], m.experts[o, k])
    fill_log_prior(cut(m.log_prior, 0, (n,)), n - 1)
    c.meta_rate = np.sqrt(8.0 / c.horizon)
    if s.improved:
        c.meta_rate /= 2.0 * s.gradient_bound * diameter
    c.n_experts, c.t = n, 0


@forced
def _learn_label(s, c, m, label):
    """In place: charge every learner its loss and take its step.

    Linear losses are counted from the least of the row: that changes no weight, and no loss is
    negative, which `mooe.numerics.hedge` asks for.
    """
    n = c.n_experts
    for k in range(n):
        m.weights[k] = 0.0
    for o in range(c.n_outputs):
        target = target_of(s, c, label, o)
        slope = slope_of(s, m.played[o], target)
        for k in range(n):
            value = m.scores[o, k]
            if s.improved:
                m.weights[k] = fma(slope, value, m.weights[k])
            else:
                loss = logistic(value, target) if s.is_logistic else squared(value, target)
                m.weights[k] += loss / s.range
                slope = slope_of(s, value, target)
            descend(m.experts[o, k], m.seen, -m.steps[k] * slope, s.radius)
    least = m.weights[0]
    for k in range(1, n):
        least = min(least, m.weights[k])
    for k in range(n):
        m.losses[k] += (m.weights[k] - least) / c.n_outputs


with announced(__name__, "Ader (a few seconds)"):

    @compiled(linear.LEARN)
    def _learn_rows(settings, counters, block, scratch, X, labels, first, out):
        """In place: answer and learn rows, see `LinearLearner._learn`."""
        s, c = settings[0], counters[0]
        m = linear.open_arrays(s, c, block, scratch)
        if c.n_experts == 0:
            _begin(s, c, m)
        mass = linear.weigh_pool(c, m)
        for i in range(first, X.shape[0]):
            if linear.is_new_class(s, c, labels[i]):
                return -1 - i
            learnt = labels[i] == labels[i]
            linear.answer_row(s, c, m, mass, X[i], learnt, out[i])
            if not learnt:
                continue
            count_label(s, c, labels[i])
            _learn_label(s, c, m, labels[i])
            c.t += 1
            mass = linear.weigh_pool(c, m)
            if c.t == c.horizon:  # the last learner moves to the point that was to be played next
                for o in range(c.n_outputs):
                    linear.mix_scorers(c, m, mass, o, m.experts[o, c.n_experts - 1])
                _begin(s, c, m)
                mass = linear.weigh_pool(c, m)
        return 0


class Ader(linear.LinearLearner):
    """Adaptive learning in dynamic environments, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> from mooe.evaluate import prequential
    >>> stream = recurring(n=2000, length=200)
    >>> round(prequential(Ader(AderParams()), stream).cumulative["accuracy"], 4)
    0.6733
    >>> judged = prequential(Ader(AderParams(horizon=2000, radius=3.0)), stream)
    >>> round(judged.cumulative["accuracy"], 4)
    0.6828
    """

    _learn: ClassVar = staticmethod(_learn_rows)


@parameters_of(AderParams, "seed", "interval", "target_bounds", kw_only=True)
class AderClassifier(ClassAnswers, BaselineEstimator):
    """A grid of step sizes of online gradient descent (Zhang, Lu, Zhou 2018, arXiv:1810.10815).

    See `mooe.baselines.ader`.

    Parameters
    ----------
    horizon : int or None, default=None
        Labels to come (T), at least 1; None guesses 50, and doubles whenever it is over. Either way
        a new grid begins then, all of it at the point that was to be played: the bound holds in
        each.
    form : {"improved", "basic"}
        One gradient a row, at the played point; or each learner's own.
    loss, radius, input_bound, scale, intercept
        As in `OGDClassifier`.

    Examples
    --------
    >>> from mooe.baselines import AderClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = AderClassifier(radius=3.0).fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.61
    """

    _learner_class = Ader


@parameters_of(AderParams, "seed", "loss", kw_only=True)
class AderRegressor(ValueAnswers, BaselineEstimator):
    """Ader on the squared loss.

    Parameters
    ----------
    horizon, form
        As in `AderClassifier`.
    interval : int, default=50
        Labels that set their bounds, at least 1.
    radius, input_bound, scale, intercept, target_bounds
        As in `OGDRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe.baselines import AderRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = 5.0 + np.tanh(X[:, 0])
    >>> round(AderRegressor(radius=3.0).fit(X, y).score(X, y), 2)
    0.92
    """

    _learner_class = Ader
