"""Rows walk through the slots of their keys: threads with buckets of their own, in compiled code.

Compiled code stops where a slot needs room, for a class or for what the next row may teach; room is
made, and it goes on. Nothing is left half-way: an interrupt waits until all rows are done.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from mooe.engine import engine_of
from mooe.keyed.shared import SharedModels
from mooe.keyed.shelf import FRESH, Shelf
from mooe.keyed.slots import KIND, Content
from mooe.numerics.blocks import zeros

DONE, CLASS, CLASSES, ROOM = range(4)  # why compiled code has ended, as in `default_rows`


@dataclass
class Batch:
    """Rows that are answered and learnt together, and what is said of them."""

    X: np.ndarray  # (n, width), or (n, 0) of wide rows
    lists: tuple[np.ndarray, np.ndarray, np.ndarray]  # values, places, begins of wide rows
    given: np.ndarray  # (n, width) as it came
    labels: np.ndarray  # (n,) numbers among all classes, or values; NaN for none
    weights: np.ndarray  # (n,)
    numbers: np.ndarray  # (n,) the key of each row on the shelf
    buckets: np.ndarray  # (n,)
    answers: np.ndarray  # (n,) classes or values; -1 or NaN for none
    scores: np.ndarray  # (n, n_classes), or (n, 0) where nobody asks
    columns: np.ndarray  # (n, n_classes) the classes of the scores, -1 for none
    votes: np.ndarray  # (n, n_classes) of shared models; (n, 1) values; (n, 0) without
    n_known: np.ndarray  # (n,) classes that these knew; (0,) without
    orders: np.ndarray  # (n_buckets, n_classes) which

    def __len__(self) -> int:
        return len(self.labels)


def walk(
    batch: Batch, rows: np.ndarray, shelf: Shelf, shared: SharedModels | None, spare: list[int]
) -> None:
    """In place: answer rows of a batch, whose slots are in memory, and learn those with a label.

    spare: a number on the shelf for each thread that no key has.
    """
    n_threads = len(spare)
    n_threads = min(n_threads, int(batch.buckets.max(initial=0)) + 1)
    parts = [rows]
    if n_threads > 1:
        turns = batch.buckets[rows] % n_threads
        parts = [np.ascontiguousarray(rows[turns == turn]) for turn in range(n_threads)]
    with ThreadPoolExecutor(n_threads) as pool:
        tasks = [
            pool.submit(_walk_part, _Walker(batch, shelf, shared, number), part)
            for part, number in zip(parts, spare, strict=False)
        ]
        try:
            wait(tasks)
        finally:  # after an interrupt too
            wait(tasks)
        for task in tasks:
            task.result()


def _walk_part(walker: "_Walker", rows: np.ndarray) -> None:
    """In place: the rows of a thread, in the order of arrival; with shared models by buckets."""
    if walker.shared is None:
        walker.go(rows)
        return
    own = walker.batch.buckets[rows]
    order = np.argsort(own, kind="stable")
    for part in np.split(rows[order], np.flatnonzero(np.diff(own[order])) + 1):
        if len(part):
            walker.ask(walker.shared, np.ascontiguousarray(part))
            walker.go(np.ascontiguousarray(part))


class _Walker:
    """A thread's way through the rows of a batch."""

    def __init__(self, batch: Batch, shelf: Shelf, shared: SharedModels | None, spare: int) -> None:
        self.batch, self.shelf, self.shared, self.spare = batch, shelf, shared, spare
        self.desk = zeros(shelf.scratch)
        self.status = np.zeros(2, np.int64)
        self.learn = _kernel(batch, shelf, shared)

    def ask(self, shared: SharedModels, rows: np.ndarray) -> None:
        """In place: the votes of a bucket's shared model, which learns its rows."""
        batch, bucket = self.batch, int(self.batch.buckets[rows[0]])
        about = batch.given[rows], batch.labels[rows], batch.weights[rows]
        votes, known = shared.votes(bucket, *about, batch.votes.shape[1])
        batch.votes[rows], batch.n_known[rows] = votes, known
        order = shared.orders[bucket]
        batch.orders[bucket, : len(order)] = order

    def go(self, rows: np.ndarray) -> None:
        """In place: answer and learn rows of a bucket, or of several."""
        at, again = 0, 0
        while at < len(rows):
            at = self._call(rows, at, again)
            again = 0
            if self.status[0] == DONE:
                return
            row = int(rows[at])
            number = int(self.batch.numbers[row])
            if self.status[0] == ROOM:
                self._make_room(number)
                at += 1
            elif self.status[0] == CLASSES and np.isnan(self.batch.labels[row]):
                self._answer_on_copy(row, number)
                at += 1
            elif self.status[0] == CLASSES:
                self.shelf.put(number, self._with_known(row, number))
            else:
                self._answer(row)
                content, label = self.shelf.content(number), int(self.batch.labels[row])
                self.shelf.put(number, self.shelf.grow_classes(number, content, [label]))
                again = 1

    def _call(self, rows: np.ndarray, at: int, again: int) -> int:
        """In place: compiled code takes rows; return where it has ended."""
        if len(self.desk) < self.shelf.scratch:
            self.desk = zeros(self.shelf.scratch)
        return self.learn(rows, self.desk, at, again, self.status)

    def _answer(self, row: int) -> None:
        """In place: the answer to a row; nothing is learnt."""
        labels = self.batch.labels
        label, labels[row] = float(labels[row]), np.nan
        try:
            self._call(np.array([row]), 0, 0)
        finally:
            labels[row] = label

    def _make_room(self, number: int) -> None:
        """In place: a key's slot has room for what the next row may teach."""
        content, params = self.shelf.content(number), self.shelf.params(number)
        engine_of(params).make_room(params, content.state, 1)
        self.shelf.put(number, content)

    def _with_known(self, row: int, number: int) -> Content:
        """Return what a key's slot holds, with room for the classes that its shared model knows."""
        content = self.shelf.content(number)
        order = self.batch.orders[self.batch.buckets[row]].tolist()
        new = [one for one in order[: int(self.status[1])] if one not in content.classes]
        return self.shelf.grow_classes(number, content, new)

    def _answer_on_copy(self, row: int, number: int) -> None:
        """In place: the answer to a row by its key, as if that knew what its shared model knows."""
        kind = int(self.shelf.facts[number, KIND])
        self.shelf.put(self.spare, self._with_known(row, number), kind)
        self.batch.numbers[row] = self.spare
        try:
            self._answer(row)
        finally:
            self.batch.numbers[row] = number
            self.shelf.forget(self.spare)


def _kernel(batch: Batch, shelf: Shelf, shared: SharedModels | None) -> Callable[..., int]:
    """Return compiled code over the rows of a batch: of rows, desk, place, again, status."""
    settings = np.concatenate([params.settings for params in shelf.kinds])
    like = shelf.content(FRESH).state.counters
    if shelf.kinds[0].mode == "paper":
        from mooe.keyed import paper_rows

        def learn_paper(rows, desk, at, again, status):  # type: ignore[no-untyped-def]
            about = settings, like, shelf.facts, batch.numbers, rows, batch.X, batch.labels
            said = batch.answers, batch.scores, batch.columns, status
            return paper_rows.learn(*about, batch.weights, desk, at, again, *said)

        return learn_paper
    from mooe.keyed import default_rows

    spare = like.copy()
    stats = np.zeros((1, 0)) if shared is None else shared.stats

    def learn(rows, desk, at, again, status):  # type: ignore[no-untyped-def]
        about = settings, like, spare, shelf.facts, batch.numbers, rows
        given = batch.X, *batch.lists, batch.labels, batch.weights
        beside = batch.votes, batch.n_known, batch.orders, batch.buckets, stats
        said = batch.answers, batch.scores, batch.columns, status
        return default_rows.learn(*about, *given, *beside, desk, at, again, *said)

    return learn
