"""Keys and their numbers: any hashable values, numbered from 0 in the order of arrival.

Whole numbers and texts are looked up in compiled tables, all others in a dict. Keys that are equal
in Python are one key, whatever types they come in: 1, 1.0, True and Decimal(1).
"""

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, NoReturn

import numpy as np

from mooe.keyed.lookup import (
    EMPTY,
    FIRST,
    LENGTH,
    digest_texts,
    digest_wholes,
    find_texts,
    find_wholes,
    measure_texts,
    put_digests,
)
from mooe.keyed.names import dump_key

WHOLE, TEXT, OTHER = range(3)  # kinds of keys
FIRST_ROOM = 1024  # places of a table
BELOW_MICROSECONDS = ("ns", "ps", "fs", "as")  # units of numpy's times that Python has not


@dataclass
class Texts:
    """Texts as compiled code looks at them."""

    letters: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint32))
    places: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))

    def __len__(self) -> int:
        return len(self.places)

    def digests(self) -> np.ndarray:
        """Return a hash of each."""
        out = np.empty(len(self), np.int64)
        digest_texts(self.letters, self.places, out)
        return out


def texts_of(values: list[str]) -> Texts:
    """Return texts as compiled code looks at them."""
    blob = "".join(values).encode("utf-32-le", "surrogatepass")
    places = np.empty((len(values), 2), np.int64)
    places[:, LENGTH] = np.fromiter(map(len, values), np.int64, len(values))
    np.cumsum(places[:, LENGTH], out=places[:, FIRST])
    places[:, FIRST] -= places[:, LENGTH]
    return Texts(np.frombuffer(bytearray(blob), np.uint32), places)


def _texts_of_array(array: np.ndarray) -> Texts:
    """Return the texts of an array of numpy's own kind."""
    letters = np.require(array, requirements=("C", "W")).view(np.uint32)
    width = array.dtype.itemsize // 4
    places = np.full((len(array), 2), width)
    places[:, FIRST] = np.arange(len(array)) * width
    measure_texts(letters, places)
    return Texts(letters, places)


@dataclass
class Column:
    """The keys of a batch, by their kinds."""

    values: Any  # what can be taken by a row's number, as Python's own values
    wholes: np.ndarray | None = None  # where all are whole numbers
    texts: Texts | None = None  # where all are texts
    mixed: list[Hashable] | None = None  # where they are of several kinds, or of another
    codes: np.ndarray | None = None  # where these are categories: the one of each row

    def __len__(self) -> int:
        return len(self.values if self.codes is None else self.codes)

    def taken(self, rows: np.ndarray) -> list[Hashable]:
        """Return the keys of some rows."""
        if self.codes is not None:
            rows = self.codes[rows]
        if isinstance(self.values, np.ndarray):
            names: list[Hashable] = self.values[rows].tolist()
            return names
        return [self.values[row] for row in rows.tolist()]


def as_column(keys: Any) -> Column:
    """Return keys as they are looked up, or raise ValueError for one that is none."""
    keys = getattr(keys, "array", keys)  # of a Series
    if hasattr(keys, "codes") and hasattr(keys, "categories"):
        codes = np.asarray(keys.codes, np.int64)
        if (codes < 0).any():
            _refuse(None, int((codes < 0).argmax()))
        return replace(as_column(np.asarray(keys.categories)), codes=codes)
    if isinstance(keys, (str, bytes, Set, Mapping)) or not isinstance(keys, Iterable):
        raise ValueError(f"keys must be one for each row, in their order, got {keys!r:.80}")
    if np.ma.isMaskedArray(keys):
        keys = keys.tolist()  # None where a value is masked
    elif hasattr(keys, "__array__"):  # of pandas, polars or Arrow
        keys = np.asarray(keys)
    values: list[Any]
    if isinstance(keys, np.ndarray):
        if keys.ndim != 1:
            raise ValueError(f"keys must have one dimension, got the shape {keys.shape}")
        if keys.dtype.kind in "iu" and keys.dtype != np.uint64:
            return Column(keys, wholes=np.require(keys, np.int64, ("C", "W")))
        if keys.dtype.kind == "U" and keys.dtype.itemsize:
            return Column(keys, texts=_texts_of_array(keys))
        values = _in_microseconds(keys).tolist()
    else:
        values = list(keys)
    kinds = set(map(type, values))
    if kinds == {str}:
        return Column(values, texts=texts_of(values))
    if kinds == {int}:
        try:
            return Column(values, wholes=np.array(values, np.int64))
        except OverflowError:
            pass
    mixed = [_as_key(value, row) for row, value in enumerate(values)]
    return Column(mixed, mixed=mixed)


def _as_key(value: Any, row: int) -> Hashable:
    """Return a key as a Python value: equal ones are the same, or raise ValueError."""
    if isinstance(value, np.generic):
        value = _in_microseconds(value).item()
    try:
        hash(value)
    except TypeError:
        _refuse(value, row)
    if value is None or _is_unequal(value):
        _refuse(value, row)
    return _plain(value)


def _is_unequal(value: Any) -> bool:
    """Whether a value, or a part of it, is not equal to itself, as NaN: no two would be one key.

    >>> _is_unequal(("a", (1.0, float("nan")))), _is_unequal((None, "a"))
    (True, False)
    """
    if isinstance(value, (tuple, frozenset)):
        return any(map(_is_unequal, value))
    return type(value).__name__ == "NAType" or bool(value != value)


def _plain(value: Any) -> Hashable:
    """Return a key in the type that those equal to it are looked up in, and that a file has."""
    if isinstance(value, np.generic):
        value = _in_microseconds(value).item()
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, str):
        return str.__str__(value)  # of an enumeration: its value, as which it is compared
    if isinstance(value, Number):
        return _plain_number(value)
    to_datetime = getattr(value, "to_pydatetime", None)  # of pandas
    key: Hashable = value
    return key if to_datetime is None or value.nanosecond else to_datetime()


def _plain_number(value: Any) -> Hashable:
    """Return a number as a whole one, or as a float, if it equals one."""
    if isinstance(value, complex) and not value.imag:
        value = value.real
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, int):
        return int(value)
    key: Hashable = value
    if not isinstance(value, complex) and -(2**63) <= value < 2**63:
        return next((kind(value) for kind in (int, float) if kind(value) == value), key)
    return key


def _in_microseconds(values: Any) -> Any:
    """Return values of numpy; times that are finer than Python's as those, or raise ValueError."""
    if values.dtype.kind != "M" or np.datetime_data(values.dtype)[0] not in BELOW_MICROSECONDS:
        return values
    found = values.astype("M8[us]")
    lost = np.atleast_1d(values)[np.atleast_1d((found != values) & ~np.isnat(values))]
    if len(lost):
        raise ValueError(f"keys must be times of whole microseconds, got {lost[0]}")
    return found


def _refuse(value: Any, row: int) -> NoReturn:
    """Raise ValueError for a value that is no key."""
    raise ValueError(f"keys must be hashable and not missing, got {value!r:.80} in row {row}")


def _kind(key: Hashable) -> int:
    """Return where a key is looked up."""
    if type(key) is int and -(2**63) <= key < 2**63:
        return WHOLE
    return TEXT if type(key) is str else OTHER


class Keys:
    """The numbering of keys.

    Attributes
    ----------
    names : list
        The keys by their numbers.

    Examples
    --------
    >>> keys = Keys()
    >>> keys.add(as_column(["a", "b", "a", 7])).tolist()
    [0, 1, 0, 2]
    >>> keys.find(as_column(["b", 8])).tolist(), keys.names
    ([1, -1], ['a', 'b', 7])
    """

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names: list[Hashable] = []
        self._others: dict[Hashable, int] = {}
        self._wholes, self._texts = _Table(), _Table()
        self._kept, self._n_letters = Texts(), 0
        self.append(list(names))

    def __len__(self) -> int:
        return len(self.names)

    def find(self, column: Column) -> np.ndarray:
        """Return the numbers of keys, (n,) of int64; -1 for one that has none."""
        if column.wholes is not None:
            out = self._find_wholes(column.wholes)
        elif column.texts is not None:
            out = self._find_texts(column.texts)
        else:
            out = self._find_mixed(column.mixed or [])
        return out if column.codes is None else out[column.codes]

    def digests_of(self, column: Column) -> np.ndarray:
        """Return a hash of each key, (n,) of int64.

        The same in every process for keys that a file can hold; of others, such as sets and members
        of enumerations, it may be another one in each.
        """
        if column.wholes is not None:
            out = np.empty(len(column.wholes), np.int64)
            digest_wholes(column.wholes, out)
        elif column.texts is not None:
            out = column.texts.digests()
        else:
            mixed = column.mixed or []
            out = np.empty(len(mixed), np.int64)
            kinds = np.array([_kind(key) for key in mixed], np.int64)
            for kind in (WHOLE, TEXT):
                rows = np.flatnonzero(kinds == kind)
                chosen = [mixed[row] for row in rows.tolist()]
                if chosen:
                    out[rows] = self.digests_of(as_column(chosen))
            for row in np.flatnonzero(kinds == OTHER).tolist():
                out[row] = _digest(mixed[row])
        return out if column.codes is None else out[column.codes]

    def _find_wholes(self, wholes: np.ndarray) -> np.ndarray:
        out = np.empty(len(wholes), np.int64)
        digest_wholes(wholes, out)
        find_wholes(out, self._wholes.pairs, out)
        return out

    def _find_texts(self, texts: Texts) -> np.ndarray:
        out = np.empty(len(texts), np.int64)
        kept = self._kept.letters, self._kept.places
        find_texts(texts.digests(), texts.letters, texts.places, self._texts.pairs, *kept, out)
        return out

    def _find_mixed(self, keys: list[Hashable]) -> np.ndarray:
        kinds = np.array([_kind(key) for key in keys], np.int64)
        out = np.full(len(keys), EMPTY)
        parts = [np.flatnonzero(kinds == kind) for kind in range(3)]
        wholes, texts, others = ([keys[row] for row in rows.tolist()] for rows in parts)
        out[parts[WHOLE]] = self._find_wholes(np.array(wholes, np.int64))
        out[parts[TEXT]] = self._find_texts(texts_of(texts))  # type: ignore[arg-type]
        out[parts[OTHER]] = [self._others.get(key, EMPTY) for key in others]
        return out

    def add(self, column: Column, wanted: np.ndarray | None = None) -> np.ndarray:
        """In place: return the numbers of keys; those that are new get the next ones.

        wanted (n,) bools: the rows whose keys are to be numbered; a new key that is in none of
        them has no number, -1.
        """
        out = self.find(column)
        missing = out == EMPTY if wanted is None else (out == EMPTY) & wanted
        if not missing.any():
            return out
        self.append(list(dict.fromkeys(column.taken(np.flatnonzero(missing)))))
        return self.find(column)

    def append(self, names: list[Hashable]) -> None:
        """In place: different keys that are new, with the next numbers."""
        first = len(self.names)
        numbers = np.arange(first, first + len(names))
        kinds = np.array([_kind(name) for name in names], np.int64)
        self.names += names
        for kind, put in ((WHOLE, self._put_wholes), (TEXT, self._put_texts)):
            chosen = np.flatnonzero(kinds == kind)
            if len(chosen):
                put([names[i] for i in chosen.tolist()], numbers[chosen])
        for i in np.flatnonzero(kinds == OTHER).tolist():
            self._others[names[i]] = first + i

    def _put_wholes(self, names: list[Any], numbers: np.ndarray) -> None:
        """In place: new whole numbers."""
        digests = np.empty(len(names), np.int64)
        digest_wholes(np.array(names, np.int64), digests)
        self._wholes.put(digests, numbers)

    def _put_texts(self, names: list[Any], numbers: np.ndarray) -> None:
        """In place: new texts."""
        texts, kept, begin = texts_of(names), self._kept, self._n_letters
        self._texts.put(texts.digests(), numbers)
        self._n_letters += len(texts.letters)
        kept.letters = grown(kept.letters, self._n_letters)
        kept.letters[begin : self._n_letters] = texts.letters
        kept.places = grown(kept.places, len(self.names))
        kept.places[numbers] = texts.places + np.array([begin, 0])


def _digest(name: Hashable) -> int:
    """Return the hash of a key that is in no table; of one that no file holds, of Python's own."""
    try:
        text = dump_key(name)
    except ValueError:
        text = str(hash(name))
    found = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(found, "little", signed=True)


class _Table:
    """A hash table: digests of keys and their numbers."""

    def __init__(self) -> None:
        self.n, self.pairs = 0, np.full((FIRST_ROOM, 2), EMPTY)

    def put(self, digests: np.ndarray, numbers: np.ndarray) -> None:
        """In place: keys that are not there yet."""
        self.n += len(digests)
        if 2 * self.n > len(self.pairs):
            used = self.pairs[self.pairs[:, 1] != EMPTY]
            self.pairs = np.full((2 ** (2 * self.n).bit_length(), 2), EMPTY)
            put_digests(*np.ascontiguousarray(used.T), self.pairs)
        put_digests(digests, numbers, self.pairs)


def grown(array: np.ndarray, n: int) -> np.ndarray:
    """Return an array with room for at least n, zeros behind what it holds."""
    if n <= len(array):
        return array
    longer = np.zeros((max(n, len(array) + len(array) // 2), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
