"""Checks of what an estimator is given: rows, labels, and parameters that have to stay."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_X_y, validate_data

from mooe.decision import NAMES
from mooe.labels import is_given
from mooe.numerics.checks import check_whole, plain
from mooe.numerics.features import LARGEST_INPUT


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Restore the attributes of an estimator if anything goes wrong inside."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


# Rows and labels


def check_rows(estimator: Any, X: Any, is_first: bool = False, **accepted: Any) -> Any:
    """Return rows to be answered as an array, or raise an error that says what is wrong.

    The first rows say how many columns there are, and their names; `accepted` is what scikit-learn
    is to let through: accept_sparse and ensure_all_finite.
    """
    if not is_first and _is_plain(estimator, X):
        return X
    return _writable(_validate(estimator, X, reset=is_first, **accepted))


def check_samples(
    estimator: Any, X: Any, y: Any, is_first: bool, is_numeric: bool, **accepted: Any
) -> tuple[Any, np.ndarray]:
    """Return rows and labels as arrays, or raise an error that says what is wrong.

    `is_first` and `accepted` are as in `check_rows`.
    """
    if not is_first and _is_plain(estimator, X) and _is_plain_label(y, len(X)):
        return X, y
    check_no_gap(y)
    given = as_numbers("y", y) if is_numeric else y
    rows, labels = _validate(estimator, X, given, reset=is_first, y_numeric=is_numeric, **accepted)
    if not is_numeric and labels.dtype.kind == "f":
        check_classification_targets(labels)
    return _writable(rows), labels


def check_labels(estimator: Any, y: Any, n: int, is_numeric: bool) -> np.ndarray:
    """Return the labels of n rows, which are checked elsewhere, as an array."""
    check_no_gap(y)
    given = as_numbers("y", y) if is_numeric else y
    labels: np.ndarray = check_X_y(np.zeros((n, 1)), given, y_numeric=is_numeric)[1]
    if not is_numeric and labels.dtype.kind == "f":
        check_classification_targets(labels)
    return labels


def check_no_gap(y: Any) -> None:
    """Raise ValueError for a row without a label, which cannot be learnt."""
    if isinstance(y, np.ndarray) and y.dtype.kind in "biuSU":
        return
    values = y.tolist() if hasattr(y, "tolist") else y if isinstance(y, (list, tuple)) else []
    for row, label in enumerate(values):
        if not is_given(label):
            raise ValueError(
                f"y must have a label for each row, got {label!r} in row {row}: leave such "
                "rows out, or judge with mooe.evaluate.prequential, which only answers them"
            )


def check_encoded(X: Any, columns: list[Any], inputs: list[str], **accepted: Any) -> Any:
    """Return rows that have the columns of a model, which are not those of its table."""
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] != len(columns):
        raise ValueError(
            f"X must be a frame with the columns {', '.join(inputs)}, or have the "
            f"{len(columns):,} columns of the model, got the shape {shape}"
            + ("; one row of a frame is frame.iloc[[0]]" if shape[:1] == (1,) else "")
        )
    return _writable(check_array(X, dtype=np.float64, order="C", **accepted))


def _validate(estimator: Any, X: Any, y: Any = "no_validation", **settings: Any) -> Any:
    """Return what scikit-learn lets through; where it cannot, say which cell is no number."""
    _check_no_times("X", X)
    try:
        return validate_data(estimator, X, y, dtype=np.float64, order="C", **settings)
    except (TypeError, ValueError, OverflowError) as problem:
        _refuse_cell(X, problem)


def check_targets(params: Any, y: np.ndarray) -> None:
    """Raise ValueError for a label that is outside the bounds that the user gave."""
    low, high = getattr(params, "target_bounds", None) or (-LARGEST_INPUT, LARGEST_INPUT)
    bad = y[(y < low) | (y > high)]
    if len(bad):
        raise ValueError(f"y must lie within ({low:g}, {high:g}), got {bad[0]:g}")


# Parameters


def parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator's class, which keeps them."""
    names: tuple[str, ...] | None = vars(kind).get("_parameter_names")
    if names is None:
        kind._parameter_names = names = tuple(kind._get_param_names())
    return names


def parameter_values(estimator: Any) -> dict[str, Any]:
    """Return the values of an estimator's parameters now, as a file would give them back."""
    return plain({name: getattr(estimator, name) for name in parameter_names(type(estimator))})


def make_params(estimator: Any, kind: Any, task: str) -> Any:
    """Return the Params, of this kind, that an estimator's parameters stand for."""
    values = parameter_values(estimator)
    if not isinstance(values.get("calendar", False), bool):
        raise ValueError(f"calendar must be True or False, got {values['calendar']!r}")
    for name in ("random_state", "calendar", *NAMES):
        values.pop(name, None)
    seed = getattr(estimator, "random_state", None)
    if isinstance(seed, (np.random.RandomState, ModuleType)):
        seed = check_random_state(seed).randint(2**31 - 1)
    seed = seed.item() if isinstance(seed, np.integer) else 0 if seed is None else seed
    check_whole("random_state", seed, 0, 2**63)
    return kind(task=task, seed=seed, **values)


def check_unchanged(estimator: Any, before: dict[str, Any]) -> None:
    """Raise ValueError if a parameter is not what it was when learning began."""
    for name, now in parameter_values(estimator).items():
        if now != before[name]:
            raise ValueError(
                f"{name} must stay {before[name]!r} while learning goes on, got {now!r}; fit "
                "starts anew"
            )


def _is_plain(estimator: Any, X: Any) -> bool:
    """Whether X is an array as compiled code takes it: nothing for scikit-learn to convert."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[1] == estimator.n_features_in_
        and len(X) > 0
        and X.flags.c_contiguous
        and X.flags.writeable
        and "feature_names_in_" not in vars(estimator)
        and bool((np.abs(X) <= LARGEST_INPUT).all())
    )


def _is_plain_label(y: Any, n: int) -> bool:
    """Whether y is an array of n labels that need no conversion."""
    if type(y) is not np.ndarray or y.ndim != 1 or len(y) != n:
        return False
    return y.dtype.kind in "biuU" or (y.dtype.kind == "f" and bool(np.isfinite(y).all()))


def _writable(X: Any) -> Any:
    """Return X, or a copy where it may not be written to, which compiled code does not take."""
    return X if issparse(X) or X.flags.writeable else np.array(X)


def as_numbers(name: str, values: Any) -> Any:
    """Return a list or an array of objects as numbers; arrays of numbers, and None, as they are."""
    _check_no_times(name, values)
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


def _check_no_times(name: str, X: Any) -> None:
    """Raise ValueError for a column of dates or times, which numpy takes for numbers."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        for column, kind in zip(X.columns, X.dtypes, strict=True):
            if getattr(kind, "kind", "") in ("m", "M"):
                where = f"in column {column!r}{_hint(X)}"
                raise ValueError(f"{name} must hold numbers, got {kind} {where}")
    elif getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError(f"{name} must hold numbers, got {X.dtype}")


def _refuse_cell(X: Any, problem: Exception) -> NoReturn:
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
            hint = "" if isinstance(cell, int) else _hint(X)  # which is too large
            raise ValueError(message + hint) from problem
    if isinstance(X, dict) or (isinstance(X, list) and isinstance(next(iter(X), None), dict)):
        kind, how = type(X).__name__, "pandas.DataFrame(X) makes a frame of it"
        rule = "X must be an array, a frame or a sparse matrix"
        raise TypeError(f"{rule}, got a {kind} of values: {how}")
    raise problem


def _hint(X: Any) -> str:
    """Return where other things than numbers may be, unless X is there."""
    is_named = all(isinstance(name, str) for name in getattr(X, "columns", [0]))
    return "" if is_named else "; texts, categories and dates need a frame with named columns"


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
