"""Labels of classes as Python and the user know them, numbered in the order of appearance.

What Python calls equal is one class: 1, 1.0 and True. Arrays of numpy would make one class of
labels that differ: texts lose the NULs at their end, whole numbers are rounded beside others.
"""

import sys
from typing import Any

import numpy as np

__all__ = [
    "Label",
    "add_declared",
    "add_labels",
    "as_label",
    "labels_in",
    "numbers_of",
    "sorted_classes",
]

Label = str | int | float | bool
LARGEST = sys.float_info.max


def as_label(value: Any, whole: bool = False, name: str = "y") -> Label:
    """Return a label as a Python value, or raise ValueError; `whole` allows no fractions."""
    label: Label = value
    if isinstance(value, np.generic):
        label = str.__str__(value) if isinstance(value, str) else value.item()
    if isinstance(label, str):
        return label
    number = isinstance(label, (int, float)) and abs(label) <= LARGEST
    if not number or (whole and label != int(label)):
        rule = "whole numbers" if whole else "finite numbers"
        raise ValueError(f"{name} must hold text or {rule}, got {value!r:.80}")
    return label


def labels_in(y: Any, checked: np.ndarray, name: str = "y") -> np.ndarray:
    """Return the labels (n,) of y, as numpy's numbers where these are exact, else as objects.

    `checked` is y as an array of one dimension.
    """
    exact = "biuf" if isinstance(getattr(y, "dtype", None), np.dtype) else "biu"
    if checked.dtype.kind in exact:
        return checked
    given = y if isinstance(y, (list, tuple)) or getattr(y, "ndim", 0) == 1 else checked
    values = given.tolist() if hasattr(given, "tolist") else list(given)
    if values and isinstance(values[0], (list, tuple, np.ndarray)):  # a column
        values = checked.tolist()
    if not set(map(type, values)) <= {str, int, bool}:
        values = [as_label(value, True, name) for value in values]
    return np.fromiter(values, dtype=object, count=len(values))


def add_labels(labels: list[Label], new: list[Any], name: str = "y") -> None:
    """In place: labels not met before, in the order of appearance; all text or all numbers."""
    for value in dict.fromkeys(new):
        label = as_label(value, name=name)
        if labels and isinstance(label, str) != isinstance(labels[0], str):
            raise ValueError(
                f"{name} must hold labels of one type, got {label!r} after {labels[0]!r}"
            )
        if label not in labels:
            labels.append(label)


def add_declared(labels: list[Label], classes: Any) -> None:
    """In place: classes that are known to come, in their order."""
    declared: list[Label] = []
    given = labels_in(classes, np.asarray(classes).ravel(), "classes")
    add_labels(declared, given.tolist(), "classes")
    add_labels(labels, sorted(declared), "classes")


def numbers_of(y: np.ndarray, labels: list[Label]) -> np.ndarray:
    """Return the numbers of the labels; NaN where a label is in none but rows of weight 0."""
    number = {label: float(k) for k, label in enumerate(labels)}
    if y.dtype == object:
        return np.array([number.get(label, np.nan) for label in y.tolist()])
    values, inverse = np.unique(y, return_inverse=True)
    of_value = np.array([number.get(label, np.nan) for label in values.tolist()])
    numbers: np.ndarray = of_value[inverse.ravel()]
    return numbers


def sorted_classes(labels: list[Label]) -> np.ndarray:
    """Return the labels in order, as an array of numpy's own kind where that keeps them exact."""
    ordered = sorted(labels)
    classes = np.array(ordered)
    return classes if classes.tolist() == ordered else np.array(ordered, dtype=object)
