"""The loop around a kernel that learns a chunk of rows: a new class in its middle makes room first.

A kernel stops before a row of a class that there is no room for. That row is answered without the
class, as any row is answered before its label; then the model grows and the kernel goes on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mooe.numerics.blocks import State
from mooe.numerics.scores import Scored, n_outputs_of, two_scores


def check_rows(state: State, X: Any, **others: np.ndarray) -> None:
    """Raise ValueError unless the shapes are those of n rows of the state: compiled code is blind.

    `others` hold a number for each row.
    """
    if X.ndim != 2 or X.shape[1] != state.n_features:
        raise ValueError(f"X must have the shape (n, {state.n_features}), got {X.shape}")
    n = X.shape[0]
    for name, values in others.items():
        if values.shape != (n,):
            raise ValueError(f"{name} must have the shape ({n},), got {values.shape}")


def learn_in_order(
    params: Scored,
    state: State,
    labels: np.ndarray,
    learn: Callable[[int, np.ndarray], int],
    answer: Callable[[int], np.ndarray],
    grow: Callable[[int], None],
) -> np.ndarray:
    """In place: learn rows in their order and return the scores given before each label.

    Parameters
    ----------
    labels : array (n,)
        Classification: numbers of classes in order of appearance, NaN where none is learnt.
    learn : function of a row's number and the scores (n, n_outputs)
        Learns that row and those that follow, puts their scores in place, and returns 0, or early
        -1 - the number of a row whose class there is no room for.
    answer : function of a row's number
        Returns its scores, (n_outputs now,), and learns nothing.
    grow : function of a number of classes
        Makes room for them.

    Returns
    -------
    array (n, n_outputs after the last row); a class that was not met yet when a row came has the
    score -inf.
    """
    classes = state.n_classes
    if params.task == "classification":
        classes = max(classes, int(np.fmax.reduce(labels, initial=-1.0)) + 1)
    out = np.full((len(labels), n_outputs_of(params, classes)), -np.inf)
    row, kept = 0, out[:0]
    while row < len(labels):
        stop = learn(row, out)
        out[row : row + len(kept)] = kept  # as it was answered before its class was known
        if stop == 0:
            break
        row, before = -1 - stop, state.n_outputs
        out[row, :before] = answer(row)
        grow(int(labels[row]) + 1)
        if before == 1 and state.n_outputs > 1:
            out[: row + 1, :2] = two_scores(out[: row + 1, 0])
        kept = out[row : row + 1].copy()
    return out
