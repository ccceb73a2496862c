"""A stream as a run takes it: columns in the model's order, cut where something happens.

What a learner is given must not depend on how a source cuts its rows, or a model that is saved and
goes on would differ from one that never stopped. So a column is there from the row on in which its
first value appears, and an interrupt waits until the rows at hand are learnt.
"""

import signal
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from mooe.datasets import Chunk, Stream
from mooe.datasets.stream import WIDEST, Numbered, places_in
from mooe.evaluate import CELLS, Numbering, check_width

__all__ = ["Feed", "Interrupts", "Spool", "alike"]

CHUNK = 10_000  # rows that are asked of the source at once
MOST_CLASSES = 1_000
NONE = np.zeros(0, dtype=np.int64)


class Interrupts:
    """Ctrl-C, which waits while rows are learnt, so that no model is left between two steps."""

    def __init__(self) -> None:
        self.is_held = self.is_asked = False

    def __enter__(self) -> "Interrupts":
        self.before = signal.signal(signal.SIGINT, self.take)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def take(self, *_: object) -> None:
        """In place: the user has pressed Ctrl-C."""
        self.is_asked = True
        if not self.is_held:
            self.is_held = True
            raise KeyboardInterrupt

    def hold(self) -> None:
        """In place: from now on an interrupt waits."""
        self.is_held = True

    def release(self) -> None:
        """In place: from now on an interrupt comes at once, also one that has waited."""
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_held = False


class Spool:
    """Labels and times of a run in a temporary file, for learners that need nothing else."""

    def __init__(self, task: str) -> None:
        self.name, self.task = "", task
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the spool is
        weakref.finalize(self, self.file.close)
        self.numbering = Numbering()
        self.low, self.high = np.inf, -np.inf

    @property
    def is_constant(self) -> bool:
        """Whether all labels are one."""
        if self.task == "classification":
            return len(self.numbering.labels) == 1
        return bool(self.low == self.high)

    def add(self, y: np.ndarray, times: np.ndarray | None) -> None:
        """In place: more rows."""
        labels = self.numbering.number_all(y) if self.task == "classification" else y
        n_classes = len(self.numbering.labels)
        if n_classes > MOST_CLASSES:
            raise ValueError(
                f"labels must be of at most {MOST_CLASSES:,} classes, got {n_classes:,}: is "
                "--label the right column, or the task a regression?"
            )
        self.low = min(self.low, np.nanmin(labels, initial=np.inf))
        self.high = max(self.high, np.nanmax(labels, initial=-np.inf))
        clock = np.zeros(len(y)) if times is None else times
        self.file.write(np.column_stack([labels, clock]).astype(np.float64).tobytes())

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Yield all rows from the first, without columns; classes as numbers."""
        self.file.seek(0)
        while text := self.file.read(16 * rows):
            y, times = np.frombuffer(text).reshape(-1, 2).T
            yield Chunk(np.zeros((len(y), 0)), y.copy(), (), times.copy())


@dataclass
class Feed:
    """A stream on its way to a model.

    Parameters
    ----------
    stream : Stream
    columns : sequence of str
        Those that the model knows, in its order; new ones are added unless it is fixed.
    interrupts : Interrupts, optional
    is_fixed : bool
        Whether columns the model does not know are left out and counted.
    labels : sequence
        Classes that the model knows; other labels must be of their type.
    spool : Spool, optional
        In place: keeps labels and times.
    keeps_sparse : bool
        Whether sparse rows are handed on as they are.
    beside : callable, optional
        Is given the same rows, before they are handed out.

    Attributes
    ----------
    texts : list of str
        Input columns of the source that are texts.
    place : dict of str to int
        Where each column of the model is.
    latest : array (n,)
        The labels of the rows that were handed out last.
    rows, n_missing, n_skipped, n_unknown : int
        Rows handed out, cells without a value, bad rows left out, texts left out.
    """

    stream: Stream
    columns: Sequence[str] = field(default_factory=list)
    interrupts: Interrupts | None = None
    is_fixed: bool = False
    labels: Sequence[Any] = ()
    spool: Spool | None = None
    keeps_sparse: bool = False
    beside: Callable[[Chunk], None] | None = None
    texts: list[str] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    latest: Any = None
    rows: int = 0
    n_missing: int = 0
    n_skipped: int = 0
    n_unknown: int = 0

    @property
    def name(self) -> str:
        return self.stream.name

    @property
    def task(self) -> str:
        return self.stream.task

    def chunks(self, rows: int = CHUNK) -> Iterator[Chunk]:
        """In place: yield the rows, cut where the number of rows doubles or a column appears."""
        if not self.is_fixed:
            check_width(self.name, len(self.stream.feature_names))
        for chunk in self.stream.chunks(rows):
            if not sparse.issparse(chunk.X):  # where there are only numbers
                names = set(chunk.columns)
                self.texts = [name for name in self.stream.feature_names if name not in names]
            self.n_missing += chunk.n_missing
            self.n_skipped += chunk.n_skipped
            for piece in self.pieces(chunk):
                if self.interrupts is not None:
                    self.interrupts.hold()
                self.rows += len(piece.y)
                self.latest = piece.y
                if self.spool is not None:
                    self.spool.add(piece.y, piece.times)
                if self.beside is not None:
                    self.beside(piece)
                yield piece
                if self.interrupts is not None:
                    self.interrupts.release()
        if self.interrupts is not None:
            self.interrupts.hold()  # late labels are learnt after the last row

    def pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """In place: yield a chunk in pieces with the model's columns."""
        is_alike = self.hands_on(chunk)
        if is_alike:
            self.columns = chunk.columns
        places, first = (NONE, NONE) if is_alike else self.appearances(chunk)
        width = max(len(self.columns), len(places))
        wide = 1 if is_alike or self.stays_sparse(chunk.X, width) else width
        target = np.full(len(places), -1)  # the model's column of each
        n_there = 0
        by_row = np.argsort(first, kind="stable")
        for start, stop in pairwise(self.cuts(len(chunk.y), first, wide)):
            X = chunk.X[start:stop]
            if not is_alike:
                is_there = first <= start
                n_before, n_there = n_there, int(is_there.sum())
                new = np.sort(by_row[n_before:n_there])
                target[new] = self.model_columns([chunk.columns[at] for at in places[new].tolist()])
                X = self.arranged(X, places[is_there], target[is_there])
            times = None if chunk.times is None else chunk.times[start:stop]
            y = alike(chunk.y[start:stop], self.labels)
            columns = self.columns if isinstance(self.columns, Numbered) else tuple(self.columns)
            yield Chunk(X, y, columns, times)

    def hands_on(self, chunk: Chunk) -> bool:
        """Whether the rows of a chunk are sparse, have the model's columns, and may stay so."""
        if not (self.keeps_sparse and sparse.issparse(chunk.X)):
            return False
        known = self.columns or self.stream.feature_names
        return chunk.columns == (known if isinstance(known, Numbered) else tuple(known))

    def stays_sparse(self, X: Any, width: int) -> bool:
        """Whether rows are handed out sparse where the model has so many columns."""
        return self.keeps_sparse and sparse.issparse(X) and width > WIDEST

    def appearances(self, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of a chunk that matter, and the row from which on each is there.

        That is the first one for columns that are known, and that of the first value for others;
        of those, a sparse chunk may have millions without any.
        """
        known = dict.fromkeys([*self.columns, *self.stream.feature_names])
        if not sparse.issparse(chunk.X):
            places = np.arange(len(chunk.columns))
            first = np.zeros(len(places), dtype=np.int64)
            new = [at for at, name in enumerate(chunk.columns) if name not in known]
            if new and not self.is_fixed:
                is_used = chunk.X[:, new] != 0.0
                first[new] = np.where(is_used.any(axis=0), is_used.argmax(axis=0), len(is_used))
            return places, first
        old = np.array(places_in(chunk.columns, known), dtype=np.int64)
        row = np.repeat(np.arange(chunk.X.shape[0]), np.diff(chunk.X.indptr))
        is_value = chunk.X.data != 0.0
        used, at = np.unique(chunk.X.indices[is_value], return_index=True)
        is_new = ~np.isin(used, old)
        begins = np.zeros_like(used) if self.is_fixed else row[is_value][at]
        places = np.concatenate([old, used[is_new]])
        first = np.concatenate([np.zeros_like(old), begins[is_new]])
        order = np.argsort(places)
        return places[order], first[order]

    def model_columns(self, names: Sequence[str]) -> list[int]:
        """In place: return the model's columns of some names; new ones are added, or are -1."""
        for at in range(len(self.place), len(self.columns)):
            self.place[self.columns[at]] = at
        if not self.is_fixed:
            new = [name for name in names if name not in self.place]
            if new:
                self.place.update((name, at) for at, name in enumerate(new, len(self.columns)))
                self.columns = [*self.columns, *new]
        return [self.place.get(name, -1) for name in names]

    def cuts(self, n: int, appears: np.ndarray, wide: int) -> list[int]:
        """Return where the n rows of a chunk are cut, the ends included; wide is cells a row."""
        most = max(1, CELLS // max(1, wide))
        doublings = (2**k - self.rows for k in range((self.rows + n).bit_length()))
        inside = {*range(0, n, most), *doublings, *appears.tolist()}
        return sorted({0, n} | {at for at in inside if 0 < at < n})

    def arranged(self, X: Any, places: np.ndarray, target: np.ndarray) -> Any:
        """Return rows with the model's columns: of X those at the places, each at its target.

        What has no target is left out and counted.
        """
        width, is_known = len(self.columns), target >= 0
        if sparse.issparse(X):
            places, target = places[is_known], target[is_known]
            at = np.searchsorted(places, X.indices)
            is_kept = np.append(places, -1)[at] == X.indices
            self.n_unknown += int((X.data[~is_kept] != 0.0).sum())
            row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[is_kept]
            cells = X.data[is_kept], (row, target[at[is_kept]])
            out = sparse.csr_matrix(cells, shape=(X.shape[0], width))
            return out if self.stays_sparse(X, width) else out.toarray()
        if len(places) == X.shape[1] == width and np.array_equal(target, np.arange(width)):
            return np.ascontiguousarray(X)
        out = np.zeros((len(X), width))
        out[:, target[is_known]] = X[:, places[is_known]]
        self.n_unknown += int((X[:, places[~is_known]] != 0.0).sum())
        return out


def alike(y: np.ndarray, known: Sequence[Any]) -> np.ndarray:
    """Return labels of the type of those that are known: a source may take texts for numbers."""
    if not known or (y.dtype.kind in "biuf" and not isinstance(known[0], str)):
        return y
    given = [label for label in y.tolist() if label is not None]
    if isinstance(known[0], str):
        if all(isinstance(label, str) for label in given):
            return y
        if all(isinstance(label, int) for label in given):
            texts = [None if label is None else str(label) for label in y.tolist()]
            return np.array(texts, dtype=object)
    elif not any(isinstance(label, str) for label in given):
        return y
    odd = next(label for label in given if type(label) is not type(known[0]))
    raise ValueError(f"labels must be like the model's, such as {known[0]!r}, got {odd!r}")
