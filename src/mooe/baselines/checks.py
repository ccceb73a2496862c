"""Checks of the parameters, rows and labels that the baselines are given."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from mooe.numerics.checks import check_rate
from mooe.paper.core import check_inputs
from mooe.paper.params import Params


def check_classification(method: str, task: str) -> None:
    """Raise ValueError for another task than classification."""
    if task != "classification":
        raise ValueError(f"task must be 'classification' for {method}, got {task!r}")


def check_number(name: str, value: Any) -> None:
    """Raise ValueError unless the value is a number of at least 0: there is no formula for None."""
    if value is None:
        raise ValueError(f"{name} must be a finite number of at least 0, got None")
    check_rate(name, value)


def numeric_rows(core: Params, X: Any, n_features: int | None) -> np.ndarray:
    """Return rows as numbers; columns beyond the first n_features are left out.

    Raises ValueError where columns are missing, as compiled code does not look, or for a value that
    no model can take; n_features is None before the first rows.
    """
    width = 0 if n_features is None else n_features
    if X.ndim != 2 or X.shape[1] < width:
        raise ValueError(f"X must have the shape (n, {width} or more), got {X.shape}")
    X = X if n_features is None else X[:, :n_features]
    X = np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)
    check_inputs(core, X)
    return X


def numeric_labels(X: np.ndarray, y: Any) -> np.ndarray:
    """Return labels as numbers, NaN for none; ValueError unless there is one for each row."""
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.shape != (len(X),):
        raise ValueError(f"y must have the shape ({len(X)},), got {y.shape}")
    return y
