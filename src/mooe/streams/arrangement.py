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

from mooe.streams.stream import (
    CELLS,
    NO_ODD_TIMES,
    WIDEST,
    Chunk,
    NumberedNames,
    OddTimes,
    Stream,
    check_width,
    places_in,
)

CHUNK = 10_000  # rows that are asked of the source at once
BOOLS = {"true": True, "false": False}
NO_PLACES = np.zeros(0, dtype=np.int64)


@dataclass
class ArrangedStream:
    """A stream whose rows have the columns of a model."""

    stream: Stream
    # Those that the model knows, in its order; new ones are added unless it is fixed.
    columns: Sequence[str] = field(default_factory=list)
    is_fixed: bool = False  # whether columns the model does not know are left out and counted
    labels: Sequence[Any] = ()  # classes that the model knows; others must be of their type
    keeps_sparse: bool = (
        False  # whether sparse rows stay so where wide, or with the model's columns
    )
    groups: list[str | None] = field(default_factory=list)  # of the columns, as in `Chunk`
    kept: np.ndarray | None = None  # of the rows handed out last, as in `Chunk`
    rows: int = 0  # handed out
    n_missing: int = 0  # cells without a value
    n_skipped: int = 0  # bad rows left out
    n_unknown: int = 0  # cells of unknown columns
    odd_times: OddTimes = NO_ODD_TIMES
    _place: dict[str, int] = field(default_factory=dict, init=False, repr=False)  # of columns

    @property
    def name(self) -> str:
        return self.stream.name

    @property
    def task(self) -> str:
        return self.stream.task

    @property
    def has_dates(self) -> bool:
        return self.stream.has_dates

    def chunks(self, rows: int = CHUNK) -> Iterator[Chunk]:
        """In place: yield the rows, cut where the number of rows doubles or a column appears."""
        if not self.is_fixed:
            check_width(self.name, len(self.stream.feature_names))
        for chunk in self.stream.chunks(rows):
            self.n_missing += chunk.n_missing
            self.n_skipped += chunk.n_skipped
            self.odd_times += chunk.odd_times
            for piece in self._pieces(chunk):
                self.rows, self.kept = self.rows + len(piece.y), piece.kept
                yield piece

    def _pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """In place: yield a chunk in pieces with the model's columns."""
        columns = self.columns or self.stream.feature_names
        may_stay = self.keeps_sparse and sparse.issparse(chunk.X)
        is_arranged = may_stay and _frozen(chunk.columns) == _frozen(columns)
        if is_arranged:
            self.columns = chunk.columns
        places, first = (NO_PLACES, NO_PLACES) if is_arranged else self._appearances(chunk)
        width = max(len(self.columns), len(places))
        wide = 1 if is_arranged or self._stays_sparse(chunk.X, width) else width
        target = np.full(len(places), -1)  # the model's column of each
        by_row, n_there = np.argsort(first, kind="stable"), 0
        for start, stop in pairwise(self._cuts(len(chunk.y), first, wide)):
            X = chunk.X[start:stop]
            if not is_arranged:
                is_there = first <= start
                n_before, n_there = n_there, int(is_there.sum())
                new = np.sort(by_row[n_before:n_there])
                names = [chunk.columns[at] for at in places[new].tolist()]
                target[new] = self._model_columns(names)
                self._meet_groups(chunk.groups, places[new], target[new])
                X = self._arranged(X, places[is_there], target[is_there])
            times = None if chunk.times is None else chunk.times[start:stop]
            y = labels_like(self.labels, chunk.y[start:stop])
            kept = None if chunk.kept is None else chunk.kept[start:stop]
            yield Chunk(X, y, _frozen(self.columns), times, groups=tuple(self.groups), kept=kept)

    def _stays_sparse(self, X: Any, width: int) -> bool:
        """Whether rows are handed out sparse where the model has so many columns."""
        return self.keeps_sparse and sparse.issparse(X) and width > WIDEST

    def _appearances(self, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of a chunk that matter, and the row from which on each is there.

        That is the first row for a column that is known, and the row of its first value for any
        other; a sparse chunk may have millions of others without a value.
        """
        known = dict.fromkeys(self.columns)
        if not self.is_fixed:
            known |= dict.fromkeys(self.stream.feature_names)
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

    def _model_columns(self, names: Sequence[str]) -> list[int]:
        """In place: return the model's columns of some names; new ones are added, or are -1."""
        for at in range(len(self._place), len(self.columns)):
            self._place[self.columns[at]] = at
        new = [] if self.is_fixed else [name for name in names if name not in self._place]
        if new:
            self._place.update((name, at) for at, name in enumerate(new, len(self.columns)))
            self.columns = [*self.columns, *new]
        return [self._place.get(name, -1) for name in names]

    def _meet_groups(
        self, groups: Sequence[str | None], places: np.ndarray, target: np.ndarray
    ) -> None:
        """In place: the groups of the model's columns at targets, which are those at places."""
        for at, column in zip(places.tolist(), target.tolist(), strict=True):
            if column >= 0 and at < len(groups) and groups[at] is not None:
                self.groups += [None] * (column + 1 - len(self.groups))
                self.groups[column] = groups[at]

    def _cuts(self, n: int, appears: np.ndarray, wide: int) -> list[int]:
        """Return where the n rows of a chunk are cut, the ends included; wide is cells a row."""
        most = max(1, CELLS // max(1, wide))
        doublings = (2**k - self.rows for k in range((self.rows + n).bit_length()))
        inside = {*range(0, n, most), *doublings, *appears.tolist()}
        return sorted({0, n} | {at for at in inside if 0 < at < n})

    def _arranged(self, X: Any, places: np.ndarray, target: np.ndarray) -> Any:
        """Return rows with the model's columns: those of X at the places, each at its target.

        What has no target is left out and counted; a column that is not there is 0.
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
            return out if self._stays_sparse(X, width) else out.toarray()
        if len(places) == X.shape[1] == width and np.array_equal(target, np.arange(width)):
            return np.ascontiguousarray(X)
        out = np.zeros((len(X), width))
        out[:, target[is_known]] = X[:, places[is_known]]
        self.n_unknown += int((X[:, places[~is_known]] != 0.0).sum())
        return out


def _frozen(names: Sequence[str]) -> Sequence[str]:
    """Return names that nobody can add to: as they are where they only count up, else a tuple."""
    return names if isinstance(names, NumberedNames) else tuple(names)


def known_label(text: str, known: Sequence[Any]) -> Any:
    """Return the label among those that are known which a text stands for, None if none does."""
    for label in known:
        if str(label) == text or (isinstance(label, bool) and str(label).lower() == text.lower()):
            return label
    return None


def label_of(text: str, stream: Stream, known: Sequence[Any] = ()) -> Any:
    """Return the label that a text stands for: one that is known, else as the stream reads it.

    >>> label_of("01", Stream("texts", label_kind="text")), label_of("1", Stream("numbers"), [0, 1])
    ('01', 1)
    """
    found = known_label(text, known)
    if found is not None:
        return found
    numbers = stream.label_kind == "number" or (stream.y is not None and stream.y.dtype != object)
    if not numbers:
        return text
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        rule = f"positive must be a number, as the labels of {stream.name} are"
        raise ValueError(f"{rule}, got {text!r}") from None


def labels_like(known: Sequence[Any], y: np.ndarray) -> np.ndarray:
    """Return labels of the type of those that are known: a source may take texts for numbers."""
    if not known or (y.dtype.kind in "biuf" and not isinstance(known[0], str)):
        return y
    if isinstance(known[0], bool):  # which a table has as texts
        y = np.array([BOOLS.get(str(label).lower(), label) for label in y.tolist()], dtype=object)
    labels = [label for label in y.tolist() if label is not None]
    are_texts = isinstance(known[0], str)
    odd = [label for label in labels if isinstance(label, str) != are_texts]
    if not odd:
        return y
    if are_texts and all(isinstance(label, int) for label in labels):
        texts = [None if label is None else str(label) for label in y.tolist()]
        return np.array(texts, dtype=object)
    raise ValueError(f"labels must be like the model's, such as {known[0]!r}, got {odd[0]!r:.80}")
