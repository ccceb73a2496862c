"""Inputs as the platform keeps them: a list of names, stored once, and eight bytes a value.

An x is a dict of numbers by name, or a list of numbers; None is an absent value.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from mooe.numerics.features import LARGEST_INPUT

MOST_VALUES = 10_000  # in a row
LONGEST_NAME = 1_000  # characters

Names = tuple[str, ...]


class Row(NamedTuple):
    """One x: names, None of a list, and float64 values as bytes."""

    names: Names | None
    values: bytes

    @property
    def width(self) -> int:
        """How many values there are."""
        return len(self.values) // 8

    @property
    def array(self) -> np.ndarray:
        """The values, (width,)."""
        return np.frombuffer(self.values)

    def as_dict(self) -> dict[Any, float]:
        """Return the values by name, of a list by number."""
        names: Sequence[Any] = range(self.width) if self.names is None else self.names
        return dict(zip(names, numbers(self.width).unpack(self.values), strict=True))

    def as_given(self) -> dict[str, float] | list[float | None]:
        """Return the x of the user: a dict or a list, None where a value is absent."""
        if self.names is not None:
            return self.as_dict()
        return [None if value != value else value for value in self.array.tolist()]


@cache
def numbers(n: int) -> struct.Struct:
    """Return how n numbers are packed."""
    return struct.Struct(f"={n}d")


def row_of(x: Any) -> Row:
    """Return an x as a row, or raise ValueError.

    >>> row_of({"size": 2, "weight": None}).as_given(), row_of([1, None]).as_given()
    ({'size': 2.0}, [1.0, None])
    """
    if type(x) is dict or isinstance(x, Mapping):
        if None in x.values():
            x = {name: value for name, value in x.items() if value is not None}
        names, values = checked_names(tuple(x)), tuple(x.values())
        return Row(names, _packed(names, values))
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "biuf":
        x = x.tolist()
    if not isinstance(x, (list, tuple)) or not x:
        raise ValueError(f"x must be a dict of numbers by name or a list of numbers, got {x!r:.80}")
    listed = tuple(math.nan if value is None else value for value in x) if None in x else tuple(x)
    return Row(None, _packed(range(len(listed)), listed))


def of_row(problem: ValueError, at: int, n: int) -> ValueError:
    """Return what is wrong with a row, of several with its place among them.

    >>> of_row(ValueError("x must be a list"), 2, 5), of_row(ValueError("x must be a list"), 0, 1)
    (ValueError('row 2: x must be a list'), ValueError('x must be a list'))
    """
    return ValueError(f"row {at}: {problem}") if n > 1 else problem


@lru_cache(4096)
def checked_names(names: Names) -> Names:
    """Return the names of an x, or raise ValueError unless a store can keep them.

    Equal names are one object as long as they are remembered.
    """
    for name in names:
        is_text = isinstance(name, str) and len(name) <= LONGEST_NAME and is_storable(name)
        if not is_text:
            rule = f"texts of at most {LONGEST_NAME:,} characters, without NUL"
            raise ValueError(f"names in x must be {rule}, got {name!r:.80}")
    return names


def is_storable(text: str) -> bool:
    """Whether every store can keep a text: no NUL, no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _packed(names: Sequence[Any], values: tuple[Any, ...]) -> bytes:
    """Return numbers as bytes, or raise ValueError for the first that is none."""
    if len(values) > MOST_VALUES:
        raise ValueError(f"x must hold at most {MOST_VALUES:,} values, got {len(values):,}")
    try:
        packed = numbers(len(values)).pack(*values)
        if not values or max(map(abs, values)) <= LARGEST_INPUT:
            return packed
    except (struct.error, OverflowError, TypeError):
        pass
    for name, value in zip(names, values, strict=True):
        if not _is_usable(value):
            raise ValueError(
                f"{name!r} in x must be a finite number of size up to {LARGEST_INPUT:g}, or be "
                f"left out where it is missing; got {value!r:.80}"
            )
    return packed  # NaN hides what is larger from `max`; all are usable


def _is_usable(value: Any) -> bool:
    """Whether a value is a number that an expert can take, or NaN for an absent one."""
    try:
        (number,) = struct.unpack("=d", struct.pack("=d", value))
    except (struct.error, OverflowError):
        return False
    return math.isnan(number) or abs(number) <= LARGEST_INPUT


def same_x(one: Row, other: Row) -> bool:
    """Whether two rows are the same x: the order of names does not matter, NaN equals NaN.

    >>> same_x(row_of({"a": 1, "b": 2}), row_of({"b": 2, "a": 1.0}))
    True
    """
    if one == other:
        return True
    if (one.names is None) != (other.names is None) or one.width != other.width:
        return False
    if one.names != other.names:
        mine, theirs = one.as_dict(), other.as_dict()
        if mine.keys() != theirs.keys():
            return False
        other = Row(one.names, numbers(one.width).pack(*(theirs[name] for name in mine)))
    return bool(np.array_equal(one.array, other.array, equal_nan=True))


class Batch(NamedTuple):
    """Rows of one list of names as a matrix, (n, len(names)); a list of numbers has range(n)."""

    names: Sequence[Any]
    values: np.ndarray


def batches(rows: Sequence[Row]) -> list[Batch]:
    """Return rows as matrices, each as long as names stay the same."""
    found: list[Batch] = []
    at = 0
    while at < len(rows):
        end = end_of_alike(rows, at)
        found.append(batch_of(rows[at:end]))
        at = end
    return found


def batch_of(rows: Sequence[Row]) -> Batch:
    """Return rows of the same names as a matrix."""
    names: Sequence[Any] = rows[0].names or range(rows[0].width)
    block = np.frombuffer(bytearray().join([row.values for row in rows]))
    return Batch(names, block.reshape(len(rows), len(names)))


def end_of_alike(rows: Sequence[Row], first: int) -> int:
    """Return where the rows end that have the names of the first of them.

    >>> end_of_alike([Row(("a",), bytes(8)), Row(("a",), bytes(8)), Row(None, bytes(8))], 0)
    2
    """
    names, n_bytes = rows[first].names, len(rows[first].values)
    for at in range(first + 1, len(rows)):
        own, values = rows[at]
        if (own is not names and own != names) or len(values) != n_bytes:
            return at
    return len(rows)
