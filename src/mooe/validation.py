"""Checks of what an estimator is given: rows, labels, and parameters that have to stay."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mooe.labels import Labels
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


def check_rows(estimator: Any, X: Any, **accepted: Any) -> Any:
    """Return rows to be answered as an array, or raise an error that says what is wrong.

    `accepted` is what scikit-learn is to let through: accept_sparse and ensure_all_finite.
    """
    if _is_plain(estimator, X):
        return X
    with _words_for_cells(X):
        rows = validate_data(estimator, X, reset=False, dtype=np.float64, order="C", **accepted)
    return _writable(rows)


def check_samples(
    estimator: Any, X: Any, y: Any, is_first: bool, is_numeric: bool, **accepted: Any
) -> tuple[Any, np.ndarray]:
    """Return rows and labels as arrays, or raise an error that says what is wrong.

    The first rows say how many columns there are, and their names; `accepted` as in `check_rows`.
    """
    if not is_first and _is_plain(estimator, X) and _is_plain_label(y, len(X)):
        return X, y
    with _words_for_cells(X):
        rows, labels = validate_data(
            estimator, X, y, reset=is_first, y_numeric=is_numeric, dtype=np.float64, order="C",
            **accepted,
        )  # fmt: skip
    return _writable(rows), labels


def python_labels(given: Any, y: np.ndarray) -> list[Any]:
    """Return labels as Python's own values; numpy's text would lose a final NUL."""
    if isinstance(given, (list, tuple)) and np.ndim(y) == 1 and len(given) == len(y):
        plain = [label.item() if isinstance(label, np.generic) else label for label in given]
        if not any(isinstance(label, (list, tuple, np.ndarray)) for label in plain):
            return plain
    return list(y.tolist())


def sorted_classes(labels: Labels) -> np.ndarray:
    """Return the labels of the classes, sorted; those that numpy would change stay objects."""
    names = [labels.names[number] for number in labels.order()]
    classes = np.array(names)
    if classes.tolist() != names:
        classes = np.array(names, dtype=object)
    return classes


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


def parameter_values(estimator: Any) -> tuple[Any, ...]:
    """Return the values of an estimator's parameters now, in the order of their names."""
    return tuple(getattr(estimator, name) for name in parameter_names(type(estimator)))


def make_params(estimator: Any, kind: Any, task: str) -> Any:
    """Return the Params, of this kind, that an estimator's parameters stand for."""
    names = parameter_names(type(estimator))
    values = dict(zip(names, parameter_values(estimator), strict=True))
    seed = values.pop("random_state", None)
    if seed is not None and not isinstance(seed, (int, np.integer)):
        seed = check_random_state(seed).randint(2**31 - 1)
    if seed is not None and seed < 0:
        raise ValueError(f"random_state must be at least 0, got {seed!r}")
    return kind(task=task, seed=0 if seed is None else int(seed), **values)


def check_unchanged(estimator: Any, before: tuple[Any, ...]) -> None:
    """Raise ValueError if a parameter is not what it was when learning began."""
    names = parameter_names(type(estimator))
    for name, now, then in zip(names, parameter_values(estimator), before, strict=True):
        if now is not then and not _same(now, then):
            raise ValueError(
                f"{name} must stay {then!r} while learning goes on, got {now!r}; fit starts anew"
            )


def _same(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are the same."""
    try:
        return bool(a == b)
    except ValueError:  # arrays
        return bool(np.array_equal(a, b))


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


@contextmanager
def _words_for_cells(X: Any) -> Iterator[None]:
    """Say which cell is no number where scikit-learn cannot convert the rows."""
    try:
        yield
    except (TypeError, ValueError) as problem:
        for name, column in _columns_of(X):
            for row, value in enumerate(column):
                if isinstance(value, (str, bytes, date, np.datetime64, np.timedelta64)):
                    raise ValueError(
                        f"X must hold numbers, got {value!r} in row {row}, column {name!r}; "
                        "turn texts and times into numbers first"
                    ) from problem
        raise


def _columns_of(X: Any) -> Iterator[tuple[Any, Any]]:
    """Yield name or number and values of the columns of rows that may hold anything."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        for place, name in enumerate(X.columns):
            yield name, X.iloc[:, place]
        return
    try:
        cells = np.array(X, dtype=object)
    except ValueError:  # rows of different lengths
        return
    if cells.ndim == 2:
        yield from enumerate(cells.T)
