"""What scores mean: the class or value that they stand for, and the probability of each class."""

import math
from typing import Protocol

import numpy as np


class Scored(Protocol):
    """The parameters of a model that gives scores."""

    @property
    def task(self) -> str: ...

    @property
    def sharpness(self) -> float: ...


def n_outputs_of(params: Scored, n_classes: int) -> int:
    """Return how many scores an expert gives: one, or one per class from three classes on."""
    return n_classes if params.task == "classification" and n_classes > 2 else 1


def two_scores(single: np.ndarray) -> np.ndarray:
    """Return (n, 2): one score per class from the single score of two; one class alone scores 0."""
    first = np.where(np.isneginf(single), 0.0, -single)
    return np.column_stack([first, single])


def two_sided(values: np.ndarray, sign: float = -1.0) -> np.ndarray:
    """Return the values of every class, from those of a single score if there is one."""
    return np.concatenate([sign * values, values]) if len(values) == 1 else values


def answers(params: Scored, scores: np.ndarray) -> np.ndarray:
    """Return the class number (-1 before any label) or the regression value of each row."""
    if params.task == "regression":
        return scores[:, 0]
    unknown = np.isnan(scores[:, 0])
    if scores.shape[1] == 1:
        chosen = (scores[:, 0] > 0.0).astype(np.int64)
    else:
        chosen = np.where(unknown[:, None], -np.inf, scores).argmax(axis=1)
    return np.where(unknown, -1, chosen)


def probabilities(params: Scored, scores: np.ndarray) -> np.ndarray:
    """Return class probabilities, (n, n_classes) in order of appearance, from scores.

    A softmax of the class scores times params.sharpness, so they rank as the scores do; NaN before
    any label.
    """
    sharpness = params.sharpness
    if scores.shape[1] == 1:  # the scores of two classes are (-s, s)
        single = scores[:, 0]
        odds = np.exp(-2.0 * sharpness * np.abs(single))
        total = 1.0 + odds
        less, more = odds / total, 1.0 / total
        is_second = single > 0.0
        return np.column_stack([np.where(is_second, less, more), np.where(is_second, more, less)])
    raised: np.ndarray = np.exp(sharpness * (scores - scores.max(axis=1, keepdims=True)))
    raised /= raised.sum(axis=1, keepdims=True)
    return raised


def row_probabilities(params: Scored, scores: list[float]) -> list[float]:
    """Return the same bits as `probabilities`, of one row and in less time.

    A class that is alone has 1.
    """
    if len(scores) > 1:
        shares: list[float] = probabilities(params, np.array([scores]))[0].tolist()
        return shares
    (single,) = scores
    if single == -math.inf:
        return [1.0]
    odds = float(np.exp(-2.0 * params.sharpness * abs(single)))
    total = 1.0 + odds
    less, more = odds / total, 1.0 / total
    return [less, more] if single > 0.0 else [more, less]
