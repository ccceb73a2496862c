"""A stream: rows in the order in which they come, their labels, and what is known of them."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

Task = Literal["classification", "regression"]
LabelKind = Literal["text", "number"]
InputKind = Literal["number", "text", "time"]
ROWS = 10_000  # of a chunk, unless told otherwise
WIDEST = 5_000  # columns of a dense chunk
CELLS = 4_000_000  # most that are made dense at once
MOST_COLUMNS = 4_000_000  # the default model keeps about a kilobyte of each


class OddTimes(NamedTuple):
    """How many times are not as a clock would have them."""

    unreadable: int = 0  # the time before stands for them
    repeated: int = 0  # as the one before
    back: int = 0  # before the one before

    def __add__(self, other: Any) -> "OddTimes":
        return OddTimes(*map(sum, zip(self, other, strict=True)))

    def words(self) -> str:
        """Return what is odd.

        >>> OddTimes(1, 0, 2).words()
        '1 cannot be read (taken as the one before), 2 run back'
        """
        told = (
            (self.unreadable, "cannot be read (taken as the one before)"),
            (self.repeated, "repeat the one before"),
            (self.back, "run back"),
        )
        return ", ".join(f"{n:,} {words}" for n, words in told if n)


NO_ODD_TIMES = OddTimes()


def steady_times(
    times: np.ndarray, last: float, has_time: bool = False
) -> tuple[np.ndarray, OddTimes]:
    """Return times, those that cannot be read (NaN) as the one before, and what is odd about them.

    last: the time before. has_time: whether that was read, and does not only stand for one.
    """
    gone = np.isnan(times)
    newest = np.maximum.accumulate(np.where(gone, 0, np.arange(1, 1 + len(times))))
    filled: np.ndarray = np.append(last, times)[newest]
    good = times[~gone]
    steps = np.diff(good, prepend=last) if has_time else np.diff(good)
    n_same, n_back = np.count_nonzero(steps == 0.0), np.count_nonzero(steps < 0.0)
    return filled, OddTimes(int(gone.sum()), int(n_same), int(n_back))


class StreamError(ValueError):
    """A stream that cannot be had or read as asked: what, the rule it broke, and the value.

    The value is None where what is asked for is not there at all.

    >>> print(StreamError("label", "be a column of prices.csv", "prize", "nearest: price"))
    label must be a column of prices.csv, got 'prize'; nearest: price
    """

    def __init__(self, name: str, rule: str, value: object, hint: str = "") -> None:
        self.name, self.rule, self.value, self.hint = name, rule, value, hint
        got = "" if value is None else f", got {value!r}"
        super().__init__(f"{name} must {rule}{got}" + (f"; {hint}" if hint else ""))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return 'nearest: a, b' for a name that may be misspelt, or '' where nothing is near.

    >>> nearest("elec", ["Electricity", "Weather"]), nearest("zz", ["Electricity"])
    ('nearest: Electricity', '')
    """
    lower = {other.lower(): other for other in known}
    close = get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    begins = [key for key in lower if name and key.startswith(name.lower()) and key not in close]
    names = [lower[key] for key in close + begins]
    return f"nearest: {', '.join(names[:3])}" if names else ""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a stream.

    Attributes
    ----------
    X : array (n, len(columns)), float64, C-contiguous
        NaN where a number is missing. A scipy CSR matrix where there are more than 5,000 columns.
    y : array (n,)
        Labels as the source has them: int64, float64, or text and others (object). A row without a
        label has None, or NaN among floats.
    columns : tuple of str, or another sequence where X is sparse
        What each column of X holds: a column of the source, or 'column=value' for the indicator of
        a text. Later chunks may have more columns, never others.
    times : array (n,), float64, or None
        Seconds since 1970 where the source has timestamps, otherwise its numbers; always finite.
    n_missing_texts : int
        Cells of text columns without a value.
    n_skipped : int
        Bad rows that were left out since the chunk before.
    groups : sequence of str or None
        For each column of X the text column of the source that it is an indicator of, None for
        others; shorter or empty where the rest are all None.
    odd_times : OddTimes
        Among `times`.
    kept : array (n, number of kept columns) of str and None, or None
        Cells of the columns that are carried along beside the inputs, None where missing.
    has_time : array (n,) of bool, or None
        Whether each of `times` was read, and is not that of the row before; None: all were.
    """

    X: Any
    y: np.ndarray
    columns: Sequence[str]
    times: np.ndarray | None = None
    n_missing_texts: int = 0
    n_skipped: int = 0
    groups: Sequence[str | None] = ()
    odd_times: OddTimes = NO_ODD_TIMES
    kept: np.ndarray | None = None
    has_time: np.ndarray | None = None

    @property
    def n_missing(self) -> int:
        """Cells without a value, not counting labels."""
        numbers = 0 if sparse.issparse(self.X) else np.count_nonzero(np.isnan(self.X))
        return int(numbers) + self.n_missing_texts

    @property
    def labelled(self) -> np.ndarray:
        """Whether each row has a label, array (n,) of bool."""
        if self.y.dtype == object:
            return np.array([label is not None for label in self.y], dtype=bool)
        return np.asarray(self.y == self.y)


@dataclass(frozen=True, eq=False)
class Stream:
    """Rows and labels in order, in memory or read as they are asked for.

    Attributes
    ----------
    name : str
    X : array (n, n_features), float64; None where the rows are read from a source
    y : array (n,); None where the rows are read from a source
    concept : array (n,) of int64, or None
        The number of the concept that each row was drawn from, where it is known; no learner is
        shown it.
    task : "classification" or "regression"
    feature_names : tuple of str, or another sequence where there are more than 5,000
        Input columns of the source, before texts are encoded.
    n_rows : int, or None where nobody has counted
    sha256 : str or None
        Of the text of the whole source, where it is known and was compared; see `digest`.
    source, citation, licence, note : str
        Where the data come from and what to know before using them.
    times : array (n,), float64, or None
        As in `Chunk`, beside X and y.
    read : function of the rows of a chunk that returns an iterator of chunks
        Given instead of X and y.
    text : function that returns an iterator of bytes, or None
        The text that `digest` describes.
    label_kind : {"text", "number"} or None
        What labels are read as; None where no label has shown it, or rows are not read.
    nominal : tuple of int
        Columns of X that hold codes of nominal values, where it is known.
    groups : sequence of str or None
        As in `Chunk`, of the columns of X.
    kinds : mapping of str to {"number", "text", "time"}, or None
        What the input columns of a table hold; None where all are numbers.
    time : str or None
        The column of times, where it has a name.
    written : (str, str or None)
        The decimal sign and the date format of a table; None for ISO 8601.
    is_narrow : bool
        Whether texts of a table are given no more columns than a narrow model has.
    remarks : tuple of str
        What was decided of a table that its user may not expect, a line each.
    has_dates : bool
        Whether times are dates, in seconds since 1970, and not just numbers.
    units : mapping of str to str
        What stands beside the numbers of a table's columns, such as '%' or '€'.
    decimals : mapping of str to str
        The decimal signs of its columns of numbers, where a row alone may not tell them.

    Examples
    --------
    >>> stream = Stream("two rows", np.array([[0.0], [1.0]]), np.array([0, 1]))
    >>> [(chunk.X.tolist(), chunk.y.tolist()) for chunk in stream.chunks(rows=1)]
    [([[0.0]], [0]), ([[1.0]], [1])]
    """

    name: str
    X: Any = None
    y: Any = None
    concept: np.ndarray | None = None
    task: Task = "classification"
    feature_names: Sequence[str] = ()
    n_rows: int | None = None
    sha256: str | None = None
    source: str = ""
    citation: str = ""
    licence: str = ""
    note: str = ""
    times: np.ndarray | None = field(default=None, repr=False)
    read: Callable[[int], Iterator[Chunk]] | None = field(default=None, repr=False)
    text: Callable[[], Iterator[bytes]] | None = field(default=None, repr=False)
    label_kind: LabelKind | None = None
    nominal: tuple[int, ...] = ()
    groups: Sequence[str | None] = ()
    kinds: Mapping[str, InputKind] | None = field(default=None, repr=False)
    time: str | None = None
    written: tuple[str, str | None] = (".", None)
    is_narrow: bool = True
    remarks: tuple[str, ...] = ()
    has_dates: bool = False
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    decimals: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.X is not None and not self.feature_names:
            object.__setattr__(self, "feature_names", numbered(self.X.shape[1]))
        if self.X is not None and self.n_rows is None:
            object.__setattr__(self, "n_rows", len(self.y))

    def chunks(self, rows: int = ROWS) -> Iterator[Chunk]:
        """Yield all rows in order, `rows` of them at a time; the last chunk may be shorter."""
        if rows < 1:
            raise StreamError("rows", "be at least 1", rows)
        if self.read is not None:
            yield from self.read(rows)
            return
        for start in range(0, len(self.y), rows):
            cut = slice(start, start + rows)
            times = None if self.times is None else self.times[cut]
            yield Chunk(self.X[cut], self.y[cut], self.feature_names, times, groups=self.groups)

    def load(self) -> "Stream":
        """Return the same stream in memory; columns that came later are 0 in earlier rows."""
        if self.read is None:
            return self
        parts = list(self.chunks())
        if not parts:
            raise StreamError(self.name, "have rows", 0)
        columns, groups = parts[-1].columns, parts[-1].groups
        X = stacked([part.X for part in parts], len(columns))
        kinds = {part.y.dtype for part in parts}  # whole numbers beside floats would be rounded
        y = np.concatenate([part.y if len(kinds) == 1 else part.y.astype(object) for part in parts])
        clocks = [part.times for part in parts if part.times is not None]
        times = np.concatenate(clocks) if clocks else None
        loaded = replace(self, X=X, y=y, feature_names=columns, groups=groups, read=None)
        return replace(loaded, n_rows=len(y), times=times)

    def digest(self) -> str | None:
        """Return the sha256 of the source's text, or of the arrays; None for standard input."""
        if self.sha256 is not None:
            return self.sha256
        if self.text is not None:
            return sha256_of(self.text())
        if self.X is None:
            return None
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        labels = self.y if self.y.dtype != object else np.array([str(label) for label in self.y])
        return sha256_of([np.ascontiguousarray(X).tobytes(), labels.tobytes()])


class NumberedNames(Sequence[str]):
    """Names that count up, made when they are asked for: a sparse matrix may have millions.

    >>> names = NumberedNames("f", 1, 30_000_000)
    >>> names[-1], names.index("f7"), "f0" in names
    ('f30000000', 6, False)
    """

    def __init__(self, prefix: str, first: int, n: int) -> None:
        self.prefix, self.numbers = prefix, range(first, first + n)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(f"{self.prefix}{number}" for number in self.numbers[at])
        return f"{self.prefix}{self.numbers[at]}"

    def _number(self, name: object) -> int | None:
        """Return the number of a name of this form, None for any other."""
        digits = name.removeprefix(self.prefix) if isinstance(name, str) else ""
        is_short = digits.isascii() and digits.isdigit() and len(digits) < 20
        return int(digits) if is_short and f"{self.prefix}{int(digits)}" == name else None

    def __contains__(self, name: object) -> bool:
        return self._number(name) in self.numbers

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a name."""
        number = self._number(name)
        if number not in self.numbers[start:stop]:
            raise ValueError(f"{name!r} is not among the names")
        return self.numbers.index(number)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return (self.prefix, self.numbers) == (other.prefix, other.numbers)
        if not isinstance(other, tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))  # as that of the tuple it equals

    def __repr__(self) -> str:
        return f"NumberedNames({self.prefix!r}, {self.numbers.start}, {len(self)})"


def numbered(n: int, first: int = 1, prefix: str = "f") -> Sequence[str]:
    """Return names for n columns that have none: f1, f2 and so on."""
    names = NumberedNames(prefix, first, n)
    return tuple(names) if n <= WIDEST else names


def places_in(columns: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return where names are among columns, in their order; those that are not are left out."""
    if isinstance(columns, NumberedNames):
        return [columns.index(name) for name in names if name in columns]
    place = {name: at for at, name in enumerate(columns)}
    return [place[name] for name in names if name in place]


def check_width(stream: str, width: int) -> None:
    """Raise ValueError where rows have more columns than a model can hold."""
    if width > MOST_COLUMNS:
        raise ValueError(
            f"columns of {stream} must be at most {MOST_COLUMNS:,} for a model to learn, "
            f"got {width:,}: give them smaller numbers"
        )


def sha256_of(pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def stacked(parts: list[Any], width: int, fill: float = 0.0) -> Any:
    """Return matrices above each other, the narrower ones filled up on the right: sparse with 0."""
    if any(sparse.issparse(part) for part in parts):
        wide = [sparse.csr_matrix(part) for part in parts]
        for part in wide:
            part.resize(part.shape[0], width)
        return sparse.vstack(wide, format="csr")
    X = np.full((sum(map(len, parts)), width), fill)
    start = 0
    for part in parts:
        X[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return X
