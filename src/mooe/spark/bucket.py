"""The rows of a bucket of keys, answered and learnt: all that happens to a row, without Spark.

Rows are taken key by key in the order of their places, whatever order they came in, so that a run
depends neither on how rows are cut into batches nor on who carries them out.
"""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from mooe.engine import AnyParams
from mooe.labels import is_given
from mooe.spark.models import Models, Said
from mooe.spark.outcomes import KeyRows, Plan, Rows, States, planned
from mooe.spark.record import Answer, Record, WaitingRow

# Columns that rows have beside their inputs and those that are only carried along.
KEY, PLACE, TIE, LABEL, ID = "mooe_key", "mooe_place", "mooe_tie", "mooe_label", "mooe_id"


class InMemory:
    """States of a back-test, whose rows come key by key: those of the key that may go on."""

    def __init__(self) -> None:
        self.key: str | None = None  # the last of the batch
        self.last: Record | None = None
        self.before: tuple[str | None, Record | None] = None, None
        self.waiting: dict[tuple[str, str], WaitingRow] = {}

    def begin(self, key: str | None) -> None:
        """In place: a batch begins, whose last key this is."""
        self.before = self.key, self.last
        self.waiting = {name: row for name, row in self.waiting.items() if name[0] == self.key}
        self.last = self.last if key == self.key else None
        self.key = key

    def record(self, key: str) -> Record | None:
        """Return what is kept of a key: others than that which goes on are done with or new."""
        last, record = self.before
        return record if key == last else None

    def keeps(self, key: str) -> bool:
        """Whether the key may go on."""
        return key == self.key

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key."""
        self.last = record

    def wait(self, key: str, name: str, row: WaitingRow) -> None:
        """In place: a row waits for its label."""
        self.waiting[key, name] = row

    def take(self, key: str, name: str) -> WaitingRow | None:
        """In place: return the row that waits under an id."""
        return self.waiting.pop((key, name), None)


@dataclass
class Answers:
    """What was said of rows, row by row, and what became of them."""

    predictions: list[Any]  # None for none
    classes: list[list[Any]]  # that the row's key had met by the end of the batch
    n_met: np.ndarray  # (n,) of these, when the row was answered; 0 where there is no answer
    shares: np.ndarray  # (n, n_classes) their probabilities
    regimes: np.ndarray  # (n,) 0 for none
    versions: np.ndarray  # (n,)
    outcomes: list[str]

    def one(self, at: int) -> Answer:
        """Return the answer to a row by itself."""
        n, likely = int(self.n_met[at]), None
        if n and self.shares.shape[1]:
            likely = dict(zip(self.classes[at][:n], self.shares[at, :n].tolist(), strict=True))
        regime = int(self.regimes[at]) or None
        return Answer(self.predictions[at], likely, regime, int(self.versions[at]))

    def put(self, at: int, answer: Answer) -> None:
        """In place: a row has the answer that was given to another one, before this batch."""
        likely = [] if answer.probabilities is None else list(answer.probabilities.values())
        self.predictions[at] = answer.prediction
        self.n_met[at] = len(likely)
        self.shares[at, : len(likely)] = likely
        self.regimes[at], self.versions[at] = answer.regime or 0, answer.version

    def copy(self, at: int, other: int) -> None:
        """In place: a row has the answer to another one."""
        self.predictions[at] = self.predictions[other]
        for column in (self.n_met, self.shares, self.regimes, self.versions):
            column[at] = column[other]

    def columns(self, kind: Any) -> dict[str, Any]:
        """Return the answers as columns of Arrow; kind: the type of labels."""
        found = {"prediction": pa.array(self.predictions, kind)}
        if self.shares.shape[1]:
            found["probabilities"] = self._maps(kind)
        none = self.regimes == 0
        return found | {
            "regime": pa.array(self.regimes.astype(np.int64), mask=none),
            "version": pa.array(self.versions),
            "outcome": pa.array(self.outcomes, pa.string()),
        }

    def _maps(self, kind: Any) -> Any:
        """Return probabilities as maps from label to probability, null where there is no answer."""
        n_met, width = self.n_met, self.shares.shape[1]
        ends = np.append(0, np.cumsum(n_met)).astype(np.int32)
        names = chain.from_iterable(
            classes[:n] for classes, n in zip(self.classes, n_met.tolist(), strict=True)
        )
        values = self.shares[np.arange(width) < n_met[:, None]]
        return pa.MapArray.from_arrays(
            pa.array(ends),
            pa.array(list(names), kind),
            pa.array(values),
            pa.map_(kind, pa.float64()),
            mask=pa.array(n_met == 0),
        )


@dataclass(frozen=True)
class Task:
    """How rows are answered and learnt."""

    params: AnyParams
    features: tuple[str, ...]
    carried: tuple[str, ...] = ()  # columns that are given back as they are
    has_ids: bool = False
    keeps_alive: bool = False  # whether a key that is asked only stays as one that learns

    def sorted(self, rows: Any) -> Any:
        """Return a table key by key in the order of places; equal places by their content."""
        return rows.sort_by([(name, "ascending") for name in (KEY, PLACE, TIE)])

    def run(self, table: Any, states: States) -> Any:
        """In place: answer a sorted table and learn its rows; return what was said, row by row."""
        X = np.empty((len(table), len(self.features)))
        for place, name in enumerate(self.features):
            X[:, place] = table[name].to_numpy()
        labels = [label if is_given(label) else None for label in table[LABEL].to_pylist()]
        ids = table[ID].to_pylist() if self.has_ids else None
        rows = Rows(table[KEY].to_pylist(), X, table[PLACE].to_pylist(), labels, ids)
        said = self.answer(rows, states).columns(table.schema.field(LABEL).type)
        return pa.table({**{name: table[name] for name in self.carried}, **said})

    def answer(self, rows: Rows, states: States) -> Answers:
        """In place: answer rows, key by key in the order of their places, and learn them."""
        plan = planned(self.params, rows, states)
        models = Models(self.params, rows.X.shape[1], [one.record for one in plan.keys])
        answers = self._said(rows, plan, models)
        for at, before in plan.answered_before.items():
            if isinstance(before, int):
                answers.copy(at, before)
            else:
                answers.put(at, before.answer)
        for number, one in enumerate(plan.keys, 1):
            if states.keeps(one.key):
                self._keep(number, one, models, states)
            for name, (at, known) in one.waiting.items():
                row = WaitingRow(rows.X[at].copy(), known, answers.one(at))
                states.wait(one.key, name, row)
        return answers

    def _said(self, rows: Rows, plan: Plan, models: Models) -> Answers:
        """In place: return what models say of the rows that are asked, which then learn."""
        n, labels = len(rows.keys), plan.labels
        numbers = np.zeros(n, np.int64)
        classes: list[list[Any]] = [[]] * n
        for number, one in enumerate(plan.keys, 1):
            numbers[one.first : one.end] = number
            classes[one.first : one.end] = [list(one.numbers)] * (one.end - one.first)
        width = 0
        if self.params.task == "classification":
            width = max([2, *(len(one.numbers) for one in plan.keys)])
        asked = np.flatnonzero(plan.asked)
        said = models.learn(
            numbers[asked], np.ascontiguousarray(rows.X[asked]), labels[asked], plan.known[asked],
            width,
        )  # fmt: skip
        return _spread(said, asked, plan, classes)

    def _keep(self, number: int, one: KeyRows, models: Models, states: States) -> None:
        """In place: hand back what is to be kept of a key."""
        about = {"place": one.place, "known": one.known, "n_late": one.n_late}
        if one.record is None or one.version > one.record.version:
            if one.is_changed:
                state, layout = models.state(number)
                record = Record(state, layout, list(one.numbers), version=one.version)
                states.keep(one.key, replace(record, **about))
        elif one.is_changed or self.keeps_alive:
            states.keep(one.key, replace(one.record, **about))


def _spread(said: Said, asked: np.ndarray, plan: Plan, classes: list[list[Any]]) -> Answers:
    """Return what was said of the rows that were asked among all rows."""
    n, width = len(classes), said.shares.shape[1]
    n_met, shares, regimes = np.zeros(n, np.int64), np.zeros((n, width)), np.zeros(n)
    known = np.where(plan.versions[asked] > 0, said.n_met, 0)  # before any label nothing is said
    n_met[asked], shares[asked], regimes[asked] = known, said.shares, said.regimes
    predictions: list[Any] = [None] * n
    for at, answer, met in zip(asked.tolist(), said.answers.tolist(), known.tolist(), strict=True):
        if met:
            predictions[at] = classes[at][int(answer)] if width else answer
    return Answers(predictions, classes, n_met, shares, regimes, plan.versions, plan.outcomes)
