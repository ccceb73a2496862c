"""A batch of rows through the slots of their keys: threads of their own keys, compiled code.

Shared models go ahead: they say what they have to say of rows and learn them, bucket by bucket,
while keys learn the rows before. What a key does then depends on no other key, so that any number
of threads gives the same bits.

Compiled code stops where a slot needs room, for a class or for what the next row may teach; room is
made, and it goes on. Nothing is left half-way: an interrupt waits until all rows are done.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from mooe.engine import AnyParams, engine_of
from mooe.keyed.shared import SharedModels
from mooe.keyed.slot_store import FRESH, SlotStore
from mooe.keyed.slots import CLASSES, DONE, KIND, ROOM, Content
from mooe.numerics.blocks import zeros
from mooe.numerics.scores import probabilities

STRETCH = 8_192  # rows that a shared model is ahead of its keys by
FEW = 256  # rows that a thread of their own is not worth while for


@dataclass
class Batch:
    """Rows that are answered and learnt together, and what is said of them."""

    X: np.ndarray  # (n, width), or (n, 0) of wide rows
    lists: tuple[np.ndarray, np.ndarray, np.ndarray]  # values, places, begins of wide rows
    given: np.ndarray  # (n, width) as it came
    labels: np.ndarray  # (n,) numbers among all classes, or values; NaN for none
    weights: np.ndarray  # (n,)
    numbers: np.ndarray  # (n,) the number of each row's key in the store
    buckets: np.ndarray  # (n,)
    answers: np.ndarray  # (n,) classes or values; -1 or NaN for none
    scores: np.ndarray  # (n, n_classes), or (n, 0) where nobody asks
    columns: np.ndarray  # (n, n_classes) the classes of the scores, -1 for none
    standard: np.ndarray  # (n, width) rows by the statistics of buckets, for corrections; (n, 0)
    votes: np.ndarray  # (n, n_classes) of shared models; (n, 1) values; (n, 0) without
    n_known: np.ndarray  # (n,) classes that these knew; (0,) without
    orders: np.ndarray  # (n_buckets, n_classes) which
    known: np.ndarray  # (n,) for late labels, as in `Model.learn`; (0,) where none is late
    regimes: np.ndarray  # (n,) that keys were in, 0 for none; (0,) where nobody asks

    def __len__(self) -> int:
        return len(self.labels)

    def n_met(self) -> np.ndarray:
        """Return how many classes the key of each row had met, 0 where it has no answer."""
        return np.where(self.answers >= 0.0, np.count_nonzero(self.columns >= 0.0, axis=1), 0)

    def probabilities(self, params: AnyParams, n_classes: int) -> np.ndarray:
        """Return the probabilities of classes, (n, n_classes) in the order of all.

        0 for a class that a key has not met, NaN where it has no answer.
        """
        out, n_met = np.zeros((len(self), n_classes)), self.n_met()
        out[n_met == 0] = np.nan
        for n in np.unique(n_met[n_met > 0]).tolist():
            rows = np.flatnonzero(n_met == n)
            scores = np.ascontiguousarray(self.scores[rows, : n if n > 2 else 1])
            shares = probabilities(params, scores)[:, :n]
            out[rows[:, None], self.columns[rows, :n].astype(np.int64)] = shares
        return out


def new_batch(
    store: SlotStore,
    X: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    numbers: np.ndarray,
    n_scores: int,
) -> Batch:
    """Return rows of keys of these numbers with room for what is said of them, without votes.

    n_scores: classes that scores are asked for, 0 for none.
    """
    n, given = len(X), X
    lists: tuple[np.ndarray, ...] = np.zeros(0), np.zeros(0), np.zeros(n + 1)
    state = store.content(FRESH).state
    if not getattr(state, "narrow", True):
        from mooe.auto.core import kernel_rows  # which is compiled where it is needed

        X, *lists = kernel_rows(state, X)  # type: ignore[assignment]
    is_regression = store.kinds[0].task == "regression"
    return Batch(
        X=X,
        lists=tuple(lists),  # type: ignore[arg-type]
        given=given,
        labels=labels,
        weights=weights,
        numbers=numbers.copy(),
        buckets=np.zeros(n, np.int64),
        answers=np.full(n, np.nan if is_regression else -1.0),
        scores=np.zeros((n, n_scores)),
        columns=np.full((n, n_scores), -1.0),
        standard=np.zeros((n, 0)),
        votes=np.zeros((n, 0)),
        n_known=np.zeros(0, np.int64),
        orders=np.zeros((1, 1), np.int64),
        known=np.zeros(0),
        regimes=np.zeros(0),
    )


def learn_batch(
    batch: Batch, rows: np.ndarray, store: SlotStore, shared: SharedModels | None, spare: list[int]
) -> None:
    """In place: answer rows of a batch, whose slots are in memory, and learn those with a label.

    spare: a number in the store for each thread that no key has.
    """
    threads = [_Thread(batch, store, number) for number in spare[: 1 + len(rows) // FEW]]
    with ThreadPoolExecutor(1 + len(threads)) as pool:
        task = pool.submit(_carry_out, pool, threads, batch, rows, shared)
        try:
            wait([task])
        finally:  # after an interrupt too
            wait([task])
        task.result()


def learn_rows(batch: Batch, rows: np.ndarray, store: SlotStore, spare: int) -> None:
    """In place: as `learn_batch`, in this thread and without shared models.

    An interrupt may leave rows half-way.
    """
    _Thread(batch, store, spare).go(rows)


def _carry_out(
    pool: ThreadPoolExecutor,
    threads: list["_Thread"],
    batch: Batch,
    rows: np.ndarray,
    shared: SharedModels | None,
) -> None:
    """In place: answer and learn rows in their order, stretch by stretch."""
    stretches, asking, learning = [rows], list[Future[None]](), list[Future[None]]()
    if shared is not None:
        _standardise(batch, rows, shared)
        length = STRETCH * len(shared.models)
        stretches = np.split(rows, range(length, len(rows), length))
        asking = _ask(pool, batch, stretches[0], shared, len(threads))
    for stretch, following in zip(stretches, [*stretches[1:], None], strict=True):
        _finish(asking)
        if shared is not None and following is not None:
            asking = _ask(pool, batch, following, shared, len(threads))
        _finish(learning)
        turns = batch.numbers[stretch] % len(threads)
        learning = [
            pool.submit(thread.go, np.ascontiguousarray(stretch[turns == turn]))
            for turn, thread in enumerate(threads)
        ]
    _finish(learning)


def _finish(tasks: list[Future[None]]) -> None:
    """Wait for tasks, and raise what the first of them ran into."""
    wait(tasks)
    for task in tasks:
        task.result()


def _standardise(batch: Batch, rows: np.ndarray, shared: SharedModels) -> None:
    """In place: rows by the statistics of their buckets, which meet those that are learnt."""
    if batch.standard.shape[1]:
        from mooe.keyed import default_rows  # which is compiled where it is needed

        labels = batch.labels if shared.meets else np.full(len(batch), np.nan)
        about = shared.stats, batch.buckets, rows, batch.X, labels, batch.weights
        default_rows.standardise(*about, batch.standard)


def _ask(
    pool: ThreadPoolExecutor, batch: Batch, rows: np.ndarray, shared: SharedModels, n_threads: int
) -> list[Future[None]]:
    """In place: begin to ask shared models, which learn the rows; one that is frozen in parts."""
    own = np.arange(len(rows)) * n_threads // max(1, len(rows))
    if not shared.is_frozen:
        own = batch.buckets[rows]
    order = np.argsort(own, kind="stable")
    parts = np.split(rows[order], np.flatnonzero(np.diff(own[order])) + 1)
    return [pool.submit(_hear, batch, part, shared) for part in parts if len(part)]


def _hear(batch: Batch, rows: np.ndarray, shared: SharedModels) -> None:
    """In place: the votes of a bucket's shared model, which learns its rows."""
    bucket = int(batch.buckets[rows[0]])
    about = batch.given[rows], batch.labels[rows], batch.weights[rows]
    votes, known = shared.votes(bucket, *about, batch.votes.shape[1])
    batch.votes[rows], batch.n_known[rows] = votes, known
    order = shared.orders[bucket]
    batch.orders[bucket if not shared.is_frozen else slice(None), : len(order)] = order


class _Thread:
    """The work of a thread on the rows of a batch."""

    def __init__(self, batch: Batch, store: SlotStore, spare: int) -> None:
        self.batch, self.store, self.spare = batch, store, spare
        self.desk = zeros(store.scratch)
        self.status = np.zeros(2, np.int64)
        self.learn = _kernel(batch, store)

    def go(self, rows: np.ndarray) -> None:
        """In place: answer and learn rows in their order."""
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
                self.store.put(number, self._with_known(row, number))
            else:
                self._answer(row)
                content, label = self.store.content(number), int(self.batch.labels[row])
                self.store.put(number, self.store.grow_classes(number, content, [label]))
                again = 1

    def _call(self, rows: np.ndarray, at: int, again: int) -> int:
        """In place: compiled code takes rows; return where it has ended."""
        if len(self.desk) < self.store.scratch:
            self.desk = zeros(self.store.scratch)
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
        content, params = self.store.content(number), self.store.params(number)
        engine_of(params).make_room(params, content.state, 1)
        self.store.put(number, content)

    def _with_known(self, row: int, number: int) -> Content:
        """Return what a key's slot holds, with room for the classes that its shared model knows."""
        content = self.store.content(number)
        order = self.batch.orders[self.batch.buckets[row]].tolist()
        new = [one for one in order[: int(self.status[1])] if one not in content.classes]
        return self.store.grow_classes(number, content, new)

    def _answer_on_copy(self, row: int, number: int) -> None:
        """In place: the answer to a row by its key, as if that knew what its shared model knows."""
        kind = int(self.store.facts[number, KIND])
        self.store.put(self.spare, self._with_known(row, number), kind)
        self.batch.numbers[row] = self.spare
        try:
            self._answer(row)
        finally:
            self.batch.numbers[row] = number
            self.store.forget(self.spare)


def _kernel(batch: Batch, store: SlotStore) -> Callable[..., int]:
    """Return compiled code over the rows of a batch: of rows, desk, place, again, status."""
    settings = np.concatenate([params.settings for params in store.kinds])
    like = store.content(FRESH).state.counters
    if store.kinds[0].mode == "paper":
        from mooe.keyed import paper_rows

        def learn_paper(rows, desk, at, again, status):  # type: ignore[no-untyped-def]
            about = settings, like, store.facts, batch.numbers, rows, batch.X, batch.labels
            said = batch.answers, batch.scores, batch.columns, status
            return paper_rows.learn(*about, batch.weights, desk, at, again, *said)

        return learn_paper
    from mooe.keyed import default_rows

    spare = like.copy()

    def learn(rows, desk, at, again, status):  # type: ignore[no-untyped-def]
        about = settings, like, spare, store.facts, batch.numbers, rows
        given = batch.X, *batch.lists, batch.labels, batch.weights, batch.known
        beside = batch.votes, batch.n_known, batch.orders, batch.buckets, batch.standard
        said = batch.answers, batch.scores, batch.columns, batch.regimes, status
        return default_rows.learn(*about, *given, *beside, desk, at, again, *said)

    return learn
