"""The rows of a bucket of keys, answered and learnt: all that happens to a row, without Spark.

Rows are taken key by key in the order of their places, whatever order they came in, so that a run
depends neither on how rows are cut into batches nor on who carries them out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from mooe.engine import AnyParams
from mooe.labels import is_given
from mooe.numerics.scores import probabilities
from mooe.spark.record import Answer, Record, WaitingRow

# Columns that rows have beside their inputs and those that are only carried along.
KEY, PLACE, TIE, LABEL, ID = "mooe_key", "mooe_place", "mooe_tie", "mooe_label", "mooe_id"

# What became of a row.
ANSWERED, LEARNT = "answered", "learnt"
LATE = "late"  # its label came out of order, and was not learnt
UNMATCHED = "unmatched"  # a label whose row is not waiting: it never came, or for too long
REFUSED = "refused"  # no model can take its inputs or its label, or it has no key
OUTCOMES = (ANSWERED, LEARNT, LATE, UNMATCHED, REFUSED)


class States(Protocol):
    """Where records and waiting rows are kept between batches."""

    def record(self, key: str) -> Record | None:
        """Return what is kept of a key."""

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key."""

    def wait(self, key: str, name: str, row: WaitingRow) -> None:
        """In place: a row waits for its label, under an id."""

    def take(self, key: str, name: str) -> WaitingRow | None:
        """In place: return the row that waits under an id, which waits no more."""


class InMemory:
    """States of a back-test, which last as long as it does; those of one key at a time."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.last: Record | None = None
        self.waiting: dict[str, WaitingRow] = {}

    def record(self, key: str) -> Record | None:
        """In place: return what is kept of a key; rows come key by key, others are done with."""
        if key != self.key:
            self.key, self.last, self.waiting = key, None, {}
        return self.last

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key."""
        self.last = record

    def wait(self, key: str, name: str, row: WaitingRow) -> None:
        """In place: a row waits for its label."""
        self.waiting[name] = row

    def take(self, key: str, name: str) -> WaitingRow | None:
        """In place: return the row that waits under an id."""
        return self.waiting.pop(name, None)


@dataclass(frozen=True)
class Task:
    """How rows are answered and learnt."""

    params: AnyParams
    features: tuple[str, ...]
    carried: tuple[str, ...] = ()  # columns that are given back as they are
    has_ids: bool = False
    whole_labels: bool = False  # whether labels are whole numbers, which come as texts
    keeps_alive: bool = False  # whether a key that is asked only stays as one that learns

    def sorted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows key by key in the order of their places; equal places by their content."""
        return rows.sort_values([KEY, PLACE, TIE], kind="stable", ignore_index=True)

    def run(self, rows: pd.DataFrame, states: States) -> pd.DataFrame:
        """In place: answer sorted rows and learn them; return what was said, row by row."""
        X = np.ascontiguousarray(rows[list(self.features)].to_numpy(np.float64))
        keys, names = rows[KEY].tolist(), rows[ID].tolist() if self.has_ids else [None] * len(rows)
        places, labels = rows[PLACE].tolist(), self._labels(rows[LABEL])
        said: list[tuple[Answer, str]] = []
        for first, end in _runs(keys):
            if not is_given(keys[first]):
                said += [(Answer(), REFUSED)] * (end - first)
                continue
            asked = _OneKey(self, keys[first], states)
            said += [
                asked.row(X[at : at + 1], places[at], labels[at], names[at])
                for at in range(first, end)
            ]
            asked.keep()
        out = pd.DataFrame({name: _as_spark_takes(rows[name]) for name in self.carried})
        out["prediction"] = _column([answer.prediction for answer, _ in said])
        if self.params.task == "classification":
            out["probabilities"] = _column([answer.probabilities for answer, _ in said])
        out["regime"] = pd.array([answer.regime for answer, _ in said], dtype="Int64")
        out["version"] = np.array([answer.version for answer, _ in said], np.int64)
        out["outcome"] = _column([outcome for _, outcome in said])
        return out

    def _labels(self, column: pd.Series) -> list[Any]:
        """Return labels as Python's own values, None for none."""
        values = [label if is_given(label) else None for label in column.tolist()]
        if self.whole_labels:
            return [None if label is None else int(label) for label in values]
        return values


class _OneKey:
    """A key while its rows of a batch are answered and learnt."""

    def __init__(self, task: Task, key: str, states: States) -> None:
        self.task, self.key, self.states = task, key, states
        found = states.record(key)
        self.is_new, self.is_changed = found is None, False
        self.record = Record.new(task.params) if found is None else found
        self.read_block: Any = None  # that `read_regime` looks at
        self.read_regime: Callable[[], int | None] = lambda: None

    def keep(self) -> None:
        """In place: hand back what is to be kept of the key."""
        if self.is_changed or (self.task.keeps_alive and not self.is_new):
            self.states.keep(self.key, self.record)

    def row(self, x: np.ndarray, place: Any, label: Any, name: Any) -> tuple[Answer, str]:
        """In place: answer a row, or take the label that it brings; return what became of it."""
        is_named = is_given(name)
        if self.task.has_ids and is_named and label is not None and np.isnan(x).all():
            return self._late_label(place, label, name)
        try:
            return self._sample(x, place, label, name if is_named else None)
        except ValueError:  # such as inputs that are infinite; a stream must not end by one row
            return Answer(), REFUSED

    def _sample(self, x: np.ndarray, place: Any, label: Any, name: Any) -> tuple[Answer, str]:
        """In place: answer a row, and learn it if its label is there and comes in order."""
        if label is None:
            answer = self._answer(x)
            if name is not None:
                self.states.wait(self.key, name, WaitingRow(x[0].copy(), self.record.known, answer))
            return answer, ANSWERED
        model = self.record.model
        is_known = model.task == "regression" or label in model.labels.numbers
        if is_known and model.n_labelled and self._is_in_order(place):
            before = self._regime(), model.n_labelled
            scores = self._learn(x, place, label, None)
            return self._told(scores, *before), LEARNT  # in one step: as asked, then learnt
        answer = self._answer(x)
        if not self._is_in_order(place):
            return answer, self._leave_out()
        self._learn(x, place, label, None)
        return answer, LEARNT

    def _late_label(self, place: Any, label: Any, name: Any) -> tuple[Answer, str]:
        """In place: learn the row that has waited for this label; return what was said of it."""
        row = self.states.take(self.key, name)
        if row is None:
            return Answer(version=self.record.model.n_labelled), UNMATCHED
        if not self._is_in_order(place):
            return row.answer, self._leave_out()
        try:
            self._learn(row.x.reshape(1, -1), place, label, row.known)
        except ValueError:
            return row.answer, REFUSED
        return row.answer, LEARNT

    def _answer(self, x: np.ndarray) -> Answer:
        """Return what the model says of a row."""
        model = self.record.model
        if model.state is None or not model.n_labelled:
            return Answer()
        return self._told(model.scores(x), self._regime(), model.n_labelled)

    def _told(self, scores: np.ndarray, regime: int | None, version: int) -> Answer:
        """Return the answer that the scores of a row stand for."""
        model = self.record.model
        (prediction,) = model.named(model.answers(scores))
        likely = None
        if model.task == "classification":
            shares = probabilities(model.params, scores)[0].tolist()
            likely = dict(zip(model.labels.names, shares, strict=False))
        return Answer(prediction, likely, regime, version)

    def _regime(self) -> int | None:
        """Return the number of the regime that the key is in."""
        model = self.record.model
        state: Any = model.state
        if self.read_block is not state.block:
            self.read_block = state.block
            self.read_regime = model.engine.regime_reader(model.params, state)
        return self.read_regime()

    def _is_in_order(self, place: Any) -> bool:
        """Whether a row that brings a label comes behind the last such one."""
        last = self.record.place
        return bool(place == place and (last is None or place > last))

    def _leave_out(self) -> str:
        """In place: a label that came out of order is counted."""
        self.record.n_late += 1
        self.is_changed = self.is_changed or not self.is_new
        return LATE

    def _learn(self, x: np.ndarray, place: Any, label: Any, known: float | None) -> np.ndarray:
        """In place: learn a row; return the scores that it had before."""
        record, model = self.record, self.record.model
        with model.undone_unless_learnt():
            if model.task == "classification":
                if label not in model.labels.numbers:
                    model.labels = model.labels.copy()
                    model.labels.add([label])
                number = float(model.labels.numbers[label])
            else:
                number = float(label)
            before = None if known is None else np.array([known])
            scores = model.learn(x, np.array([number]), None, before)
        record.place, record.known, self.is_changed, self.is_new = place, number, True, False
        return scores


def _runs(keys: list[Any]) -> Iterator[tuple[int, int]]:
    """Yield where the rows of each key begin and end."""
    first = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[first]:
            yield first, at
            first = at


def _column(values: list[Any]) -> pd.Series:
    """Return values as a column of objects, as they are."""
    return pd.Series(values, dtype=object)


def _as_spark_takes(column: pd.Series) -> pd.Series:
    """Return texts, and columns without any value, as objects.

    Of pandas' own texts, and of the floats that it takes nothing but gaps for, Spark's conversion
    may make an array in pieces, which it then refuses.
    """
    missing = column.isna()
    if missing.all() or isinstance(column.dtype, pd.StringDtype):
        return _column([None if gap else value for value, gap in zip(column, missing, strict=True)])
    return column.reset_index(drop=True)
