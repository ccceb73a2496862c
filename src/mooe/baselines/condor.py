"""Condor: models of past epochs, mixed and re-used to fit the next.

Zhao, Cai, Zhou, "Handling Concept Drift via Model Reuse", Machine Learning 109 (2020),
doi:10.1007/s10994-019-05835-w. Within an epoch the models vote with weights that fall by exp(-rate)
at every mistake; at its end a model is fitted to its rows by ridge regression towards the mixture.
The paper gives a bound on the new model's excess risk that shrinks with the risk of the mixture,
for smooth losses and independent rows; no regret bound is promised here.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mooe.baselines import linear
from mooe.baselines.checks import check_classification, check_number
from mooe.baselines.estimators import BaselineEstimator, ClassAnswers
from mooe.numerics.arithmetic import copy, winner
from mooe.numerics.blocks import cut
from mooe.numerics.checks import check_positive, check_whole, parameters_of
from mooe.numerics.compiled import announced, compiled, part
from mooe.paper.offline import fit_squared
from mooe.paper.params import Params
from mooe.paper.row import target_of

NO_BOUND = 1e50  # on inputs: the largest that `Params` takes


@dataclass(frozen=True)
class CondorParams(linear.LinearParams):
    """Parameters of Condor: those of `CondorClassifier`; `seed` draws nothing."""

    task: str = "classification"
    epoch: int = 50
    max_models: int = 25
    mu: float = 0.1
    rate: float = 0.75
    scale: bool = True
    intercept: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_classification("condor", self.task)
        check_whole("epoch", self.epoch, 1)
        check_whole("max_models", self.max_models, 1)
        check_positive("mu", self.mu)
        check_number("rate", self.rate)
        super().__post_init__()

    @cached_property
    def core(self) -> Params:
        """The parameters that paper mode has too, checked."""
        return Params(
            interval=self.epoch, input_bound=NO_BOUND, scale=self.scale, intercept=self.intercept,
            seed=self.seed,
        )  # fmt: skip

    def _own_settings(self) -> dict[str, Any]:
        return {
            "n_slots": self.max_models,
            "keeps_rows": True,
            "radius": np.inf,
            "online_rate": self.rate,
            "pull": 2.0 * self.mu,
        }


@part
def _close_epoch(s, c, m):
    """In place: fit a model to the full epoch, drop the oldest, make all weights equal again.

    Per output it is the minimiser of mean (y - X w)^2 + mu ||w - centre||^2 around the mixture, in
    closed form centre + (X'X/p + mu I)^-1 X'(y - X centre)/p.
    """
    n, o, b, p = c.n_experts, c.n_outputs, s.interval, m.rows.shape[1]
    centre, fit = cut(m.rest, 0, (o, p)), cut(m.rest, o * p, (o, p))
    at = 2 * o * p
    targets, ones = cut(m.rest, at, (o, b)), cut(m.rest, at + o * b, (b,))
    at += o * b + b
    multipliers, scratch = cut(m.rest, at, (o,)), cut(m.rest, at + o, (m.rest.shape[0] - at - o,))
    mass = linear.weigh_pool(c, m)
    for i in range(b):
        ones[i] = 1.0
    for q in range(o):
        linear.mix_scorers(c, m, mass, q, centre[q])
        multipliers[q] = 0.0
        for i in range(b):
            targets[q, i] = target_of(s, c, m.labels[i], q)
    fit_squared(m.rows, ones, targets, 1.0 / b, centre, s.pull, s.radius, multipliers, scratch, fit)
    if n == s.n_slots:
        for q in range(o):
            for k in range(1, n):
                copy(m.experts[q, k], m.experts[q, k - 1])
    else:
        c.n_experts = n = n + 1
    for q in range(o):
        copy(fit[q], m.experts[q, n - 1])
    for k in range(n):
        m.losses[k] = 0.0
    c.t = 0


with announced(__name__, "Condor (a few seconds)"):

    @compiled(linear.LEARN)
    def _learn_rows(settings, counters, block, scratch, X, labels, first, out):
        """In place: answer and learn rows, see `LinearLearner._learn`."""
        s, c = settings[0], counters[0]
        m = linear.open_arrays(s, c, block, scratch)
        c.meta_rate = s.online_rate
        mass = linear.weigh_pool(c, m)
        for i in range(first, X.shape[0]):
            label = labels[i]
            if linear.is_new_class(s, c, label):
                return -1 - i
            linear.answer_row(s, c, m, mass, X[i], label == label, out[i])
            if label != label:
                continue
            for k in range(c.n_experts):
                if winner(m.scores[:, k]) != label:
                    m.losses[k] += 1.0
            copy(m.seen, m.rows[c.t])
            m.labels[c.t] = label
            c.n_labelled += 1
            c.t += 1
            if c.t == s.interval:
                _close_epoch(s, c, m)
            mass = linear.weigh_pool(c, m)
        return 0


class Condor(linear.LinearLearner):
    """Concept drift via model reuse, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> from mooe.evaluate import prequential
    >>> stream = recurring(n=2000, length=200)
    >>> round(prequential(Condor(CondorParams()), stream).cumulative["accuracy"], 4)
    0.7964
    >>> round(prequential(Condor(CondorParams(mu=10.0)), stream).cumulative["accuracy"], 4)
    0.7219
    """

    _learn: ClassVar = staticmethod(_learn_rows)


@parameters_of(CondorParams, "seed", kw_only=True)
class CondorClassifier(ClassAnswers, BaselineEstimator):
    """Models of past epochs, mixed and re-used (Zhao, Cai, Zhou 2020).

    See `mooe.baselines.condor`; doi:10.1007/s10994-019-05835-w.

    Parameters
    ----------
    epoch : int, default=50
        Labels per epoch, at least 1; each epoch leaves a model.
    max_models : int, default=25
        Models kept, at least 1; the oldest leaves.
    mu : float, default=0.1
        Strength of the pull of a new model towards the mixture, above 0. Not known from its paper:
        show a sweep, never the best alone.
    rate : float, default=0.75
        A model's weight is multiplied by exp(-rate) at each of its mistakes; at least 0.
    scale, intercept : bool, default=True
        Standardise inputs as they arrive, but do not shrink them; append a constant 1 to them.

    Examples
    --------
    >>> from mooe.baselines import CondorClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = CondorClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.74
    """

    _learner_class = Condor
