"""Labels and their numbers: the one numbering of classes, for every shell."""

import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

Label = str | int | float | bool
LARGEST = sys.float_info.max
FEW = 1000  # whole numbers between the smallest and the largest label: a look-up beats a sort


class Labels:
    """Classes, numbered from 0 in the order in which they were first met.

    Labels that are equal in Python are one class: 1, 1.0 and True.

    Examples
    --------
    >>> labels = Labels(["oak"])
    >>> labels.encode(np.array(["elm", "oak", "elm"])).tolist()
    [1.0, 0.0, 1.0]
    >>> labels.names
    ['oak', 'elm']
    """

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.names: list[Any] = []
        self.numbers: dict[Any, int] = {}
        for name in names:
            self.number(name)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Labels({self.names!r})"

    def copy(self) -> "Labels":
        """Return the same numbering, to be extended on its own."""
        return Labels(self.names)

    def number(self, label: Any) -> int:
        """In place: return the number of a label; a new label gets the next number."""
        number = self.numbers.get(label)
        if number is None:
            number = self.numbers[label] = len(self.names)
            self.names.append(label)
        return number

    def add(self, labels: Iterable[Any]) -> None:
        """In place: number labels that come from a user, or raise ValueError and stay unchanged."""
        new = [label for label in dict.fromkeys(labels) if label not in self.numbers]
        known = self.names[:1] or new[:1]
        for label in new:
            check_label(label, known)
        for label in new:
            self.number(label)

    def encode(self, y: np.ndarray) -> np.ndarray:
        """In place: return the numbers of labels, new ones numbered; NaN for None and NaN."""
        if y.dtype.kind in "fO":
            if y.dtype.kind == "f":
                missing = np.isnan(y)
            else:
                missing = np.array([label is None or label != label for label in y.tolist()])
            if missing.any():
                numbers = np.full(len(y), np.nan)
                numbers[~missing] = self.encode(y[~missing])
                return numbers
        if y.dtype.kind in "biu" and len(y):
            low, high = int(y.min()), int(y.max())
            if high - low < FEW:
                return self._encode_near(y, low, high)
        if y.dtype.kind in "biuf" and len(y):
            values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
            for place in np.sort(first):
                self.number(y[place].item())
            table = np.array([self.numbers[value] for value in values.tolist()], dtype=np.float64)
            numbers = table[inverse.ravel()]
            return numbers
        return np.array([self.number(label) for label in y.tolist()], dtype=np.float64)

    def _encode_near(self, y: np.ndarray, low: int, high: int) -> np.ndarray:
        """In place: `encode` whole numbers that lie close together, by a table of all of them."""
        table = np.array([self.numbers.get(label, -1) for label in range(low, high + 1)], float)
        place = (y.astype(object) - low).astype(np.int64) if y.dtype.kind == "u" else y - low
        place = place.astype(np.int64, copy=False)
        numbers: np.ndarray = table[place]
        while numbers.min() < 0:  # the label that appears first comes first
            new = int(numbers.argmin())
            table[place[new]] = self.number(y[new].item())
            numbers = table[place]
        return numbers

    def find(self, labels: Iterable[Any]) -> np.ndarray:
        """Return the numbers of labels; NaN for one that has none."""
        return np.array([self.numbers.get(label, math.nan) for label in labels], dtype=np.float64)

    def order(self) -> list[int]:
        """Return the numbers of the classes in the order of their sorted labels."""
        return sorted(range(len(self.names)), key=self.names.__getitem__)


def is_given(label: Any) -> bool:
    """Whether there is a label: None, NaN and pandas' NA are none."""
    return label is not None and type(label).__name__ != "NAType" and bool(label == label)


def as_label(value: Any, whole: bool = False, name: str = "y") -> Label:
    """Return a label as a Python value, or raise ValueError; `whole` allows no fractions."""
    label: Label = value
    if isinstance(value, np.generic):
        label = str.__str__(value) if isinstance(value, str) else value.item()
    if isinstance(label, str):
        return label
    usable = isinstance(label, (int, float)) and abs(label) <= LARGEST
    if not usable or (whole and label != int(label)):
        rule = "whole numbers" if whole else "finite numbers"
        raise ValueError(f"{name} must hold text or {rule}, got {value!r:.80}")
    return label


def python_labels(y: Any, checked: np.ndarray, name: str = "y") -> list[Label]:
    """Return the labels of y as Python's own values, or raise ValueError.

    Arrays of numpy would make one class of labels that differ: texts lose the NULs at their end,
    whole numbers are rounded beside others. `checked` is y as an array of one dimension.
    """
    exact = "biuf" if isinstance(getattr(y, "dtype", None), np.dtype) else "biu"
    if checked.dtype.kind in exact:
        return list(checked.tolist())
    given = y if isinstance(y, (list, tuple)) or getattr(y, "ndim", 0) == 1 else checked
    values = given.tolist() if hasattr(given, "tolist") else list(given)
    if values and isinstance(values[0], (list, tuple, np.ndarray)):  # a column
        values = [label for row in values for label in row]
    if not set(map(type, values)) <= {str, int, bool}:
        values = [as_label(value, True, name) for value in values]
    return values


def sorted_classes(labels: list[Label]) -> np.ndarray:
    """Return the labels in order, as an array of numpy's own kind where that keeps them exact."""
    ordered = sorted(labels)
    classes = np.array(ordered)
    return classes if classes.tolist() == ordered else np.array(ordered, dtype=object)


def check_label(label: Any, known: list[Any]) -> None:
    """Raise ValueError unless a label is text or a finite number, and of the type of the known."""
    try:
        as_label(label)
    except ValueError as problem:
        raise ValueError(
            f"y must be text or a finite number, None for no label; got {label!r}"
        ) from problem
    if known and isinstance(label, str) != isinstance(known[0], str):
        raise ValueError(f"y must be of one type, got {label!r} after {known[0]!r}")
