"""Numbers in what users give as arrays, lists or frames; errors that say which cell is none."""

from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse

__all__ = ["as_numbers", "check_no_times", "refuse_cell"]


def as_numbers(name: str, values: Any) -> Any:
    """Return a list or an array of objects as numbers; arrays of numbers, and None, as they are."""
    check_no_times(name, values)
    if values is None or getattr(getattr(values, "dtype", None), "kind", "O") not in "OSU":
        return values
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        for row, value in enumerate(np.asarray(values, dtype=object).ravel()):
            if not is_number(value):
                raise ValueError(
                    f"{name} must hold numbers, got {shown(value)} in row {row}"
                ) from problem
        raise


def check_no_times(name: str, X: Any) -> None:
    """Raise ValueError for a column of dates or times, which numpy takes for numbers."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        for column, kind in zip(X.columns, X.dtypes, strict=True):
            if getattr(kind, "kind", "") in ("m", "M"):
                raise ValueError(f"{name} must hold numbers, got {kind} in column {column!r}")
    elif getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"{name} must hold numbers, got {X.dtype}")


def refuse_cell(X: Any, problem: Exception) -> NoReturn:
    """Raise an error that names the first cell of X that is no number, or else the problem."""
    try:
        table = np.asarray([] if issparse(X) else X, dtype=object)
    except (TypeError, ValueError):  # rows of different lengths
        raise problem from None
    for place, cell in np.ndenumerate(table if table.ndim == 2 else []):
        if not (is_number(cell) or isinstance(cell, complex)):  # of those scikit-learn speaks
            row, at = place
            column = list(X.columns)[at] if hasattr(X, "columns") else at
            message = f"X must hold numbers, got {shown(cell)} in row {row}, column {column!r}"
            if isinstance(problem, TypeError):  # scikit-learn asks for its kind and words
                raise TypeError(f"{message}: {problem}") from problem
            raise ValueError(message) from problem
    raise problem


def is_number(value: Any) -> bool:
    """Whether numpy takes a value for a number, or for an absent one."""
    try:
        float(np.nan if value is None or type(value).__name__ == "NAType" else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def shown(value: Any) -> str:
    """Return a value as an error shows it."""
    value = value.item() if isinstance(value, np.generic) else value
    return f"{value!r:.80}"
