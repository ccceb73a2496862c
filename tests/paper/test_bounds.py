"""Theorem 2 on streams that meet the paper's assumptions: observed regrets under their bounds."""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import pytest
from hindsight import best_losses
from reference import loss_value

from mooe.paper import core
from mooe_paper import theory

LABELS = ("returning", "random", "adversarial")
N_FEATURES = 4

# name: (number of classes, parameters); inputs within input_bound are taken as they are.
SETTINGS = {
    "squared": (2, {"interval": 60, "max_experts": 4}),
    "squared, no intercept": (2, {"intercept": False}),
    "squared, large ball": (
        2,
        {"interval": 100, "max_experts": 3, "radius": 3.0, "input_bound": 2.0, "intercept": False},
    ),
    "squared, large ball of small inputs": (
        2,
        {"max_experts": 5, "radius": 5.0, "input_bound": 0.1, "intercept": False},
    ),
    "logistic": (2, {"loss": "logistic"}),
    "logistic, large ball": (
        2,
        {"interval": 100, "max_experts": 3, "radius": 3.0, "input_bound": 2.0, "loss": "logistic"},
    ),
    "small ball": (2, {"interval": 30, "max_experts": 10, "radius": 0.1}),
    "reset, queue": (2, {"interval": 60, "max_experts": 4, "start": "reset", "priority": "queue"}),
    "one expert": (2, {"interval": 60, "max_experts": 1, "start": "random"}),
    "three classes": (3, {"interval": 60, "max_experts": 4}),
    "four classes, logistic": (4, {"interval": 40, "max_experts": 6, "loss": "logistic"}),
    "regression": (
        0,
        {"interval": 60, "max_experts": 4, "task": "regression", "target_bounds": (-2.0, 6.0)},
    ),
}


@dataclass
class Interval:
    """What was observed in one interval of T labels with K experts, losses in [0, 1]."""

    params: core.Params
    inputs: np.ndarray  # (T, p) as the experts see them
    targets: np.ndarray  # (T, n_outputs)
    mixture: np.ndarray  # (T,) losses of the mixture
    experts: np.ndarray  # (T, K) losses of the experts, the online one last

    @property
    def n_experts(self):
        return self.experts.shape[1]

    @property
    def rate(self):
        return 4 * math.sqrt(math.log(self.n_experts) / len(self.mixture))

    @cached_property
    def best(self):
        """Loss of the best fixed expert of the ball after each round, (T,)."""
        return best_losses(self.params, self.inputs, self.targets)

    @property
    def regret(self):
        """Regret of the mixture after each round, (T,)."""
        return self.mixture.cumsum() - self.best

    @property
    def limits(self):
        """Theorem 2, corrected, after each round, (T,)."""
        p = self.params
        rounds = range(1, len(self.mixture) + 1)
        return np.array(
            [
                theory.regret_bound_at(t, self.n_experts, self.rate, p.radius, p.smoothness)
                for t in rounds
            ]
        )


@cache
def observed(name, labels, n_intervals=5):
    """Run a stream row by row and return its intervals; the adversary sees the mixture's score."""
    n_classes, settings = SETTINGS[name]
    params = core.Params(scale=False, **settings)
    rng = np.random.default_rng(list((name + labels).encode()))
    state = core.init(params, N_FEATURES, n_classes)
    n_outputs = state.n_outputs
    concepts = rng.normal(size=(2, max(n_classes, 1), N_FEATURES))
    low, high = params.target_bounds or (-1.0, 1.0)
    intervals = []
    for number in range(n_intervals):
        rows = []
        for _ in range(params.interval):
            x = rng.normal(size=N_FEATURES)
            x *= params.input_bound * rng.uniform(0.5, 1) / np.linalg.norm(x)
            weights, scores = core.explain(params, state, x[None])
            if params.task == "regression":
                scores = (scores - (low + high) / 2) / ((high - low) / 2)
            mixed = weights @ scores
            told = concepts[number % 2] @ x
            if params.task == "regression":
                unit = {
                    "returning": np.tanh(told[0]),
                    "random": rng.uniform(-1, 1),
                    "adversarial": -np.sign(mixed[0]) or 1.0,
                }[labels]
                label, targets = (low + high) / 2 + unit * (high - low) / 2, np.array([unit])
            else:
                worst = int(mixed[0] <= 0) if n_outputs == 1 else int(mixed.argmin())
                label = {
                    "returning": int(told.argmax()),
                    "random": int(rng.integers(n_classes)),
                    "adversarial": worst,
                }[labels]
                classes = [1] if n_outputs == 1 else range(n_classes)
                targets = np.array([1.0 if c == label else -1.0 for c in classes])
            seen = np.append(x, 1.0) if params.intercept else x
            losses = loss_value(params.loss, np.vstack([scores, mixed]), targets).mean(axis=1)
            rows.append((seen, targets, losses / params.loss_range))
            core.predict_then_learn(params, state, x[None], np.array([float(label)]))
        inputs, targets, losses = (np.array(column) for column in zip(*rows, strict=True))
        intervals.append(Interval(params, inputs, targets, losses[:, -1], losses[:, :-1]))
    return intervals


each_setting = pytest.mark.parametrize("name", SETTINGS)
each_labels = pytest.mark.parametrize("labels", LABELS)


@each_setting
@each_labels
def test_the_regret_of_every_interval_is_below_the_bound_and_the_bound_says_something(name, labels):
    for interval in observed(name, labels):
        p, T = interval.params, len(interval.mixture)
        bound = theory.regret_bound(interval.n_experts, T, p.radius, p.smoothness)
        assert interval.regret[-1] <= bound
        assert bound < T


@each_setting
@each_labels
def test_the_regret_after_every_label_is_below_the_bound_of_that_round(name, labels):
    for interval in observed(name, labels):
        assert np.all(interval.regret <= interval.limits)


@each_setting
@each_labels
def test_losses_lie_in_zero_one(name, labels):
    for interval in observed(name, labels):
        losses = np.column_stack([interval.mixture, interval.experts])
        assert losses.min() >= 0
        assert losses.max() <= 1


@each_setting
@each_labels
def test_the_regret_splits_into_that_of_the_meta_expert_and_that_of_the_experts(name, labels):
    for interval in observed(name, labels):
        p, K, T = interval.params, interval.n_experts, len(interval.mixture)
        totals = interval.experts.cumsum(axis=0)  # (T, K)
        meta = interval.mixture.cumsum() - totals.min(axis=1)
        experts = totals.min(axis=1) - interval.best
        online = totals[:, -1] - interval.best
        for t in range(1, T + 1):
            assert meta[t - 1] <= theory.meta_regret_bound_at(t, K, interval.rate) + 1e-9
            assert online[t - 1] <= theory.online_regret_bound(p.radius, p.smoothness, t)
        assert meta[-1] <= theory.meta_regret_bound(K, T) + 1e-9
        assert np.all(experts <= online)
        assert interval.regret == pytest.approx(meta + experts, abs=1e-9)


def test_the_number_of_experts_grows_to_the_maximum():
    assert [i.n_experts for i in observed("squared", "random")] == [1, 2, 3, 4, 4]


@pytest.mark.parametrize("name", ["squared", "logistic", "three classes", "regression"])
def test_an_adversary_brings_the_regret_to_a_visible_share_of_the_bound(name):
    shares = [i.regret[-1] / i.limits[-1] for i in observed(name, "adversarial")]
    assert max(shares) > 0.01


@pytest.mark.parametrize("n_experts", [2, 5, 25])
def test_the_bound_of_the_last_round_is_the_bound_of_the_interval(n_experts):
    rate = 4 * math.sqrt(math.log(n_experts) / 50)
    whole = theory.regret_bound(n_experts, 50, 1.0, 0.5)
    assert theory.regret_bound_at(50, n_experts, rate, 1.0, 0.5) == pytest.approx(whole)
    others = [theory.meta_regret_bound_at(50, n_experts, rate * f) for f in (0.5, 0.9, 1.1, 2)]
    assert min(others) > theory.meta_regret_bound(n_experts, 50)


def test_bounds_grow_with_the_rounds():
    growing = [theory.regret_bound_at(t, 5, 0.7, 1.0, 0.5) for t in range(1, 60)]
    assert all(a < b for a, b in pairwise(growing))


def test_one_expert_leaves_the_meta_expert_without_regret():
    assert theory.meta_regret_bound(1, 50) == 0
    assert theory.meta_regret_bound_at(50, 1, 0.0) == 0


def test_a_rate_of_zero_promises_nothing():
    assert theory.meta_regret_bound_at(50, 2, 0.0) == math.inf


@pytest.mark.parametrize("n_experts", [2, 10])
def test_the_rate_is_the_best_one_for_its_bound(n_experts):
    def bound(rate):
        return 50 * rate / 8 + 2 * math.log(n_experts) / rate

    best = theory.meta_rate(n_experts, 50)
    assert bound(best) == pytest.approx(math.sqrt(50 * math.log(n_experts)))
    assert bound(best) < min(bound(best * 1.01), bound(best * 0.99))


def test_one_expert_needs_no_rate():
    assert theory.meta_rate(1, 50) == 0
