"""What labels ask of the experts of paper mode, and what their scores cost, in [0, 1]."""

import numpy as np

from mooe.paper.core import Params, State

__all__ = ["loss", "scaled", "targets_of"]


def loss(params: Params, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the loss of each score, divided by the range.

    >>> loss(Params(radius=1.0, intercept=False), np.array([0.0, -1.0]), np.ones(2)).tolist()
    [0.25, 1.0]
    """
    if params.loss == "squared":
        return np.asarray((scores - targets) ** 2 / params.loss_range)
    return np.asarray(np.logaddexp(0.0, -targets * scores) / params.loss_range)


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
