"""The columns of a stream in a model's order, cut where something happens.

What a learner is given must not depend on how a source cuts its rows, or a model that is saved and
goes on would differ from one that never stopped. So a column is there from the row on in which its
first value appears.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from mooe.streams.stream import Chunk, Stream

CHUNK = 10_000  # rows that are asked of the source at once
CELLS = 4_000_000  # most that are handed out at once


@dataclass
class ArrangedStream:
    """A stream whose rows have the columns of a model.

    Parameters
    ----------
    stream : Stream
    columns : list of str
        In place: those that the model knows, in its order; new ones are added unless it is fixed.
    is_fixed : bool
        Whether columns the model does not know are left out and counted.
    labels : sequence
        Classes that the model knows; other labels must be of their type.
    keeps_sparse : bool
        Whether sparse rows are handed on as they are.

    Attributes
    ----------
    texts : list of str
        Input columns of the source that are texts.
    rows, n_missing, n_skipped, n_unknown : int
        Rows handed out, cells without a value, bad rows left out, texts left out.
    """

    stream: Stream
    columns: list[str] = field(default_factory=list)
    is_fixed: bool = False
    labels: Sequence[Any] = ()
    keeps_sparse: bool = False
    texts: list[str] = field(default_factory=list)
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
        for chunk in self.stream.chunks(rows):
            names = set(chunk.columns)
            self.texts = [name for name in self.stream.feature_names if name not in names]
            self.n_missing += chunk.n_missing
            self.n_skipped += chunk.n_skipped
            for piece in self._pieces(chunk):
                self.rows += len(piece.y)
                yield piece

    def _pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """In place: yield a chunk in pieces with the model's columns."""
        appears = self._appearances(chunk)
        wide = 1 if self._stays_sparse(chunk) else len(appears)
        for start, stop in pairwise(self._cuts(len(chunk.y), appears, wide)):
            there = np.flatnonzero(appears <= start)
            if not self.is_fixed:
                known = set(self.columns)
                names = [chunk.columns[at] for at in there]
                self.columns += [name for name in names if name not in known]
            X = chunk.X[start:stop]
            if not self._stays_sparse(chunk):
                X = self._arranged(X, there, chunk.columns)
            times = None if chunk.times is None else chunk.times[start:stop]
            y = labels_like(self.labels, chunk.y[start:stop])
            yield Chunk(X, y, tuple(self.columns), times)

    def _appearances(self, chunk: Chunk) -> np.ndarray:
        """Return the row of the chunk from which on each column is there."""
        known = {*self.columns, *self.stream.feature_names}
        new = [at for at, name in enumerate(chunk.columns) if name not in known]
        first = np.zeros(len(chunk.columns), dtype=np.int64)
        if new and not self.is_fixed:
            values = chunk.X[:, new]
            is_used = (values.toarray() if sparse.issparse(values) else values) != 0.0
            first[new] = np.where(is_used.any(axis=0), is_used.argmax(axis=0), len(is_used))
        return first

    def _stays_sparse(self, chunk: Chunk) -> bool:
        """Whether the rows of a chunk are sparse, have the model's columns, and may stay so."""
        has_columns = not self.columns or tuple(chunk.columns) == tuple(self.columns)
        return self.keeps_sparse and has_columns and sparse.issparse(chunk.X)

    def _cuts(self, n: int, appears: np.ndarray, wide: int) -> list[int]:
        """Return where the n rows of a chunk are cut, the ends included; wide is cells a row."""
        most = max(1, CELLS // max(1, wide))
        doublings = (2**k - self.rows for k in range((self.rows + n).bit_length()))
        inside = {*range(0, n, most), *doublings, *appears.tolist()}
        return sorted({0, n} | {at for at in inside if 0 < at < n})

    def _arranged(self, X: Any, there: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return rows with the model's columns; a text that is not there is 0."""
        if len(there) == len(names) and tuple(names) == tuple(self.columns):
            return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X)
        place = {name: at for at, name in enumerate(self.columns)}
        here = [at for at in there.tolist() if names[at] in place]
        X = X.toarray() if sparse.issparse(X) else X
        out = np.zeros((len(X), len(self.columns)))
        out[:, [place[names[at]] for at in here]] = X[:, here]
        if len(here) < len(there):
            unknown = np.setdiff1d(there, here)
            self.n_unknown += int((X[:, unknown] != 0.0).sum())
        return out


def labels_like(known: Sequence[Any], y: np.ndarray) -> np.ndarray:
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
