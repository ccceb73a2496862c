"""Checks of what users give, parameters and cells: an error carries name, value and rule."""

import math
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse

LARGEST_RATE = 1e50
SIZES = (1e-50, 1e50)  # of ball and inputs: the squares of their products still fit a float
LARGEST_STATE = 2**27  # floats, 1 GiB; beyond, only as many as inputs and outputs ask for
MODEST = 1000  # an interval, or a number of experts, that a state of any size may have


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if not (isinstance(value, (str, int)) and value in choices):
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}")


def check_whole(name: str, value: Any, least: int, limit: int = 2**31) -> None:
    """Raise ValueError unless the value is a whole number from `least` to below `limit`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and value >= least):
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if value >= limit:
        raise ValueError(f"{name} must be below {limit}, got {value!r}")


def check_size(params: Any, n_floats: int, kept: str) -> None:
    """Raise ValueError if the user's choices, not the inputs and outputs, make a state too large.

    Else a file of few bytes could ask for any amount of memory. `kept` is the parameter that says
    how many experts are kept.
    """
    name = max("interval", kept, key=lambda name: int(getattr(params, name)))
    if n_floats > LARGEST_STATE and getattr(params, name) > MODEST:
        raise ValueError(
            f"{name} must be at most {MODEST} where the state would hold more than {LARGEST_STATE} "
            f"numbers, here {n_floats} or more, got {getattr(params, name)}"
        )


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless the value is a finite number above 0 whose powers fit a float."""
    if not (is_number(value) and 0.0 < value < math.inf):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    if not SIZES[0] <= float(value) <= SIZES[1]:
        raise ValueError(f"{name} must be from {SIZES[0]:g} to {SIZES[1]:g}, got {value!r}")


def check_rate(name: str, value: Any) -> None:
    """Raise ValueError unless the value is None or a number from 0 to LARGEST_RATE."""
    if value is not None and not (is_number(value) and 0.0 <= value <= LARGEST_RATE):
        raise ValueError(
            f"{name} must be None or a finite number of at least 0 and at most "
            f"{LARGEST_RATE:g}, got {value!r}"
        )


def is_number(value: Any) -> bool:
    """Whether the value is a real number and not a bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def make_plain(params: Any) -> None:
    """In place: numpy's numbers as Python's, so that what is saved and loaded is the same."""
    for name, value in list(vars(params).items()):
        object.__setattr__(params, name, as_python(value))


def plain(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a shell as a file gives them back: tuples for arrays, lists, sets."""
    values = dict(chosen)
    for name, value in chosen.items():
        value = as_python(value)
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=str)
        values[name] = tuple(value) if isinstance(value, list) else value
    return values


def as_python(value: Any) -> Any:
    """Return numpy's numbers as Python's, and its arrays as lists of them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return (value.astype(np.float64) if value.dtype.kind == "f" else value).tolist()
    return value


def as_numbers(name: str, values: Any) -> Any:
    """Return a list or an array of objects as numbers; arrays of numbers, and None, as they are."""
    check_no_times(name, values)
    if values is None or getattr(getattr(values, "dtype", None), "kind", "O") not in "OSU":
        return values
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        for row, value in enumerate(np.asarray(values, dtype=object).ravel()):
            if not _is_cell(value):
                raise ValueError(
                    f"{name} must hold numbers, got {_shown(value)} in row {row}"
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
        if not (_is_cell(cell) or isinstance(cell, complex)):  # of those scikit-learn speaks
            row, at = place
            column = list(X.columns)[at] if hasattr(X, "columns") else at
            message = f"X must hold numbers, got {_shown(cell)} in row {row}, column {column!r}"
            if isinstance(problem, TypeError):  # scikit-learn asks for its kind and words
                raise TypeError(f"{message}: {problem}") from problem
            raise ValueError(message) from problem
    raise problem


def _is_cell(value: Any) -> bool:
    """Whether numpy takes a value for a number, or for an absent one."""
    try:
        float(np.nan if value is None or type(value).__name__ == "NAType" else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _shown(value: Any) -> str:
    """Return a value as an error shows it."""
    value = value.item() if isinstance(value, np.generic) else value
    return f"{value!r:.80}"
