"""Learners of chunks: rows are answered as they come, learnt when a chunk is full.

Absent values are filled with the mean of the labelled rows so far. Before the first chunk is full
the most frequent class so far is the answer.
"""

from typing import Any, ClassVar

import numpy as np

from mooe.baselines.checks import numeric_labels, numeric_rows
from mooe.baselines.trees import OwnArrays
from mooe.evaluate.learners import Answers, together
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import compiled
from mooe.numerics.compiler import boolean, void
from mooe.paper.params import Params

LARGEST = 3e38  # that a float32 holds, which is what scikit-learn's trees compare
ANY = Params()


@compiled(void(matrix, boolean[::1], vector, vector, matrix))
def _fill(X, learnt, counts, mean, out):
    """In place: out = X with the mean so far for absent values; learnt rows move the mean."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            value = X[i, j]
            if value != value:
                out[i, j] = mean[j]
                continue
            out[i, j] = value
            if learnt[i]:
                counts[j] += 1.0
                mean[j] += (value - mean[j]) / counts[j]


class Chunk(OwnArrays):
    """The open chunk: its rows and labels, and what is known of columns and classes."""

    def __init__(self, size: int, n_features: int) -> None:
        self.rows = np.zeros((size, n_features))
        self.labels = np.zeros(size)
        self.t = 0  # labels in the open chunk
        self.counts, self.mean = np.zeros(n_features), np.zeros(n_features)
        self.n_classes = 0
        self.seen = np.zeros(0)  # (n_classes,) labels before the first chunk was full

    def filled(self, X: np.ndarray, learnt: np.ndarray | None = None) -> np.ndarray:
        """Return rows as trees see them; in place: learnt rows move the means."""
        out = np.empty_like(X)
        learnt = np.zeros(len(X), dtype=bool) if learnt is None else learnt
        _fill(X, learnt, self.counts, self.mean, out)
        rows: np.ndarray = np.clip(out, -LARGEST, LARGEST).astype(np.float32).astype(np.float64)
        return rows

    def take(self, X: np.ndarray, y: np.ndarray) -> bool:
        """In place: add labelled rows; return whether the chunk is full."""
        end = self.t + len(y)
        self.rows[self.t : end], self.labels[self.t : end] = X, y
        self.t = end
        self.n_classes = max(self.n_classes, int(y.max(initial=-1.0)) + 1)
        return end == len(self.labels)


class ChunkLearner:
    """A learner of chunks of `params.chunk` labelled rows, each by what the method makes of it."""

    takes_sparse: ClassVar = False
    members: Any  # that answer, as many as its `n`

    def __init__(self, params: Any) -> None:
        self.params = params
        self.chunk: Chunk | None = None
        self.n_chunks = 0  # that were full

    @property
    def n_members(self) -> int:
        """How many members answer."""
        return int(self.members.n)

    def shares(self, X: np.ndarray) -> np.ndarray:
        """Return the share of each class in the members' answer, (n, n_classes)."""
        raise NotImplementedError

    def close(self, X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
        """In place: learn a full chunk, and count it."""
        raise NotImplementedError

    def predict(self, X: Any) -> Answers:
        """Return the answers to rows; the learner is only read."""
        X, chunk = self._rows(X), self.chunk
        if chunk is None:
            return _as_answers(np.zeros((len(X), 0)))
        if self.n_members:
            return _as_answers(self.shares(chunk.filled(X)))
        return _as_answers(_most_frequent(chunk.seen, np.full(len(X), np.nan))[0])

    def predict_then_learn(self, X: Any, y: Any, known: Any = None) -> Answers:
        """In place: answer each row; every full chunk of labelled rows (not NaN) is learnt.

        `known`, the labels that were known meanwhile, is of no account.
        """
        X = self._rows(X)
        y = numeric_labels(X, y)
        if self.chunk is None:
            self.chunk = Chunk(self.params.chunk, X.shape[1])
        chunk = self.chunk
        labelled = y == y
        places = np.flatnonzero(labelled)
        first, done, parts = 0, 0, []
        while first < len(X):
            last = done + self.params.chunk - chunk.t - 1  # the label that fills the chunk
            end = places[last] + 1 if last < len(places) else len(X)
            this = slice(first, end)
            learnt = labelled[this]
            rows = chunk.filled(X[this], learnt)
            if self.n_members:
                shares = self.shares(rows)
            else:
                shares, chunk.seen = _most_frequent(chunk.seen, y[this])
            parts.append(_as_answers(shares))
            if chunk.take(rows[learnt], y[this][learnt]):
                self.close(chunk.rows, chunk.labels, chunk.n_classes)
                chunk.t = 0
            done += int(learnt.sum())
            first = end
        return together(parts) if parts else _as_answers(np.zeros((0, chunk.n_classes)))

    def _rows(self, X: Any) -> np.ndarray:
        """Return rows as trees and their like take them."""
        return numeric_rows(ANY, X, None if self.chunk is None else len(self.chunk.mean))


def _most_frequent(seen: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of the classes before each row, NaN before any label, and the counts after.

    `seen` are the counts before, (n_classes,); a label NaN is none.
    """
    width = max(len(seen), int(np.fmax.reduce(y, initial=-1.0)) + 1)
    counts = np.pad(seen, (0, width - len(seen))) + np.zeros((len(y) + 1, 1))
    counts[1:] += (y[:, None] == np.arange(width)).cumsum(axis=0)
    before, after = counts[:-1], counts[-1]
    totals = before.sum(axis=1, keepdims=True)
    return np.where(totals > 0, before / np.maximum(totals, 1), np.nan), after


def _as_answers(shares: np.ndarray) -> Answers:
    """Return the class with the largest share, the first among equals; -1 where none is known."""
    if not shares.shape[1]:
        return Answers(np.full(len(shares), -1), shares)
    unknown = np.isnan(shares[:, 0])
    chosen = np.where(unknown, -1, np.where(unknown[:, None], 0.0, shares).argmax(axis=1))
    return Answers(chosen, shares)
