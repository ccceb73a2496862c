"""Streams that meet the paper's assumptions, with known optimum, risk and eigenvalues.

Inputs are uniform on the sphere of radius D in five dimensions, so that E[x x'] is D^2 / 5 times
the identity. Labels of a concept are drawn so that the concept is the best expert of the ball: its
score is the mean label for the squared loss, the log-odds for the logistic loss.
"""

import math
from typing import Any

import numpy as np

from mooe.evaluate.learners import MooeLearner
from mooe.paper import core
from mooe.paper.core import Params, State

DIMENSION = 5
LABELS = ("returning", "random", "adversarial")
INSIDE = 0.9  # of the largest norm that a concept may have

SETTINGS: dict[str, dict[str, Any]] = {
    "squared": {},
    "logistic": {"loss": "logistic"},
    "large ball, short inputs": {"radius": 5.0, "input_bound": 0.1},
    "small ball, long inputs": {"radius": 0.05, "input_bound": 1.0},
    "small ball, short inputs": {"radius": 0.2, "input_bound": 0.2},
    "large ball, long inputs": {"radius": 3.0, "input_bound": 2.0},
}


def params_of(setting: str, interval: int, max_experts: int, pull: float | None = None) -> Params:
    """Return the settings of paper mode; inputs are taken as they are."""
    return Params(
        interval=interval,
        max_experts=max_experts,
        pull=pull,
        scale=False,
        intercept=False,
        **SETTINGS[setting],
    )


def learner_of(params: Params) -> MooeLearner:
    """Return a learner that knows of both classes from the beginning."""
    learner = MooeLearner(params)
    learner.model.start(DIMENSION)
    learner.model.grow_classes(2)
    return learner


def state_of(learner: MooeLearner) -> State:
    """Return the state of a learner that has one, as those of `learner_of` have."""
    if learner.state is None:
        raise ValueError("learner must have a state, got None")
    return learner.state


def inputs_of(params: Params, rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Return rows of norm D in random directions."""
    X = rng.normal(size=(n_rows, DIMENSION))
    return np.asarray(X * (params.input_bound / np.linalg.norm(X, axis=1, keepdims=True)))


def concepts_of(params: Params, rng: np.random.Generator, n: int = 2) -> np.ndarray:
    """Return experts of the ball, (n, DIMENSION), whose scores are possible means of labels."""
    directions = rng.normal(size=(n, DIMENSION))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    largest = params.radius
    if params.loss == "squared":
        largest = min(largest, 1 / params.input_bound)
    return np.asarray(INSIDE * largest * directions)


def draw_labels(params: Params, rng: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    """Return labels, 0 or 1, for which these scores are the best."""
    chances = (1 + scores) / 2 if params.loss == "squared" else 1 / (1 + np.exp(-scores))
    return (rng.uniform(size=len(scores)) < chances).astype(float)


def opposing_label(params: Params, learner: MooeLearner, x: np.ndarray) -> np.ndarray:
    """Return the label that the mixture, as it is, expects least of a row: an adversary's."""
    return np.array([float(core.predict(params, state_of(learner), x)[0, 0] <= 0.0)])


def spectrum_of(params: Params) -> list[float]:
    """Return the eigenvalues of E[x x']."""
    return [params.input_bound**2 / DIMENSION] * DIMENSION


def excess_risk(params: Params, expert: np.ndarray, optimum: np.ndarray) -> float:
    """Return L(w) - L(w*) for the squared loss, exactly.

    >>> params = params_of("squared", interval=50, max_experts=2)
    >>> round(excess_risk(params, np.zeros(5), np.full(5, 0.4)), 6)
    0.04
    """
    if params.loss != "squared":
        raise ValueError(f"loss must be 'squared', got {params.loss!r}")
    distance = float(np.sum((expert - optimum) ** 2))
    return distance * params.input_bound**2 / (DIMENSION * params.loss_range)


def rotation(first: np.ndarray, second: np.ndarray, n: int) -> np.ndarray:
    """Return experts on the way from the first to its opposite, in the plane of both, (n, d).

    >>> rotation(np.array([1.0, 0.0]), np.array([1.0, 1.0]), 3).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    """
    size = float(np.linalg.norm(first))
    aside = second - (second @ first) / size**2 * first
    aside *= size / np.linalg.norm(aside)
    angles = np.linspace(0.0, math.pi, n)[:, None]
    return np.asarray(np.cos(angles) * first + np.sin(angles) * aside)
