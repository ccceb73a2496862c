"""What becomes of each row of a batch, decided by keys, places and labels alone.

No model is asked, so that all rows of all keys can then go through their models in one pass.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from mooe.engine import AnyParams, engine_of
from mooe.labels import is_given
from mooe.model import MOST_CLASSES
from mooe.numerics.features import LARGEST_INPUT
from mooe.spark.record import NOTHING, Record, WaitingRow

ANSWERED, LEARNT = "answered", "learnt"
LATE = "late"  # its label came out of order, and was not learnt
UNMATCHED = "unmatched"  # a label whose row is not waiting: it never came, or for too long
REFUSED = "refused"  # no model can take its inputs or its label, or it has no key
OUTCOMES = (ANSWERED, LEARNT, LATE, UNMATCHED, REFUSED)


class States(Protocol):
    """Where records and waiting rows are kept between batches."""

    def record(self, key: str) -> Record | None:
        """Return what is kept of a key."""

    def keeps(self, key: str) -> bool:
        """Whether anybody will ask for this key again."""

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key."""

    def wait(self, key: str, name: str, row: WaitingRow) -> None:
        """In place: a row waits for its label, under an id."""

    def take(self, key: str, name: str) -> WaitingRow | None:
        """In place: return the row that waits under an id, which waits no more."""


@dataclass
class Rows:
    """Rows of many keys, key by key in the order of their places."""

    keys: list[Any]
    X: np.ndarray  # (n, n_features)
    places: list[Any]
    labels: list[Any]  # Python's own values, None for none
    ids: list[Any] | None = None  # where labels may come later


@dataclass
class KeyRows:
    """A key's rows of a batch, and where in its stream the key is; first as before them."""

    key: str
    first: int
    end: int
    record: Record | None  # as it was before the batch
    numbers: dict[Any, int]  # of its classes
    place: Any = None
    known: float = NOTHING
    n_late: int = 0
    version: int = 0  # labels learnt
    is_changed: bool = False
    waiting: dict[str, tuple[int, float]] = field(default_factory=dict)  # by id: row, last label


@dataclass
class Plan:
    """What is to be done with each row."""

    keys: list[KeyRows]
    outcomes: list[str]
    labels: np.ndarray  # (n,) that is learnt: the key's own number of it, or a value; NaN for none
    known: np.ndarray  # (n,) the label known when a row was answered whose label came later
    versions: np.ndarray  # (n,) labels that the key had learnt
    asked: np.ndarray  # (n,) whether the row's model is asked, or learns
    answered_before: dict[int, int | WaitingRow]  # a label's row: where the answer to it is


def planned(params: AnyParams, rows: Rows, states: States) -> Plan:
    """In place: return what becomes of rows; those whose label came later get their inputs back."""
    n = len(rows.keys)
    unknown = np.full(n, np.nan)
    plan = Plan(
        *([], [REFUSED] * n, unknown, unknown.copy(), np.zeros(n, np.int64), np.zeros(n, bool), {})
    )
    planner = _Planner(params, rows, states, plan)
    for first, end in _runs(rows.keys):
        if is_given(rows.keys[first]):
            planner.take(first, end)
    return plan


class _Planner:
    """Goes from row to row."""

    def __init__(self, params: AnyParams, rows: Rows, states: States, plan: Plan) -> None:
        self.is_regression = params.task == "regression"
        self.rows, self.states, self.plan = rows, states, plan
        self.is_bad = _refused(params, rows.X)
        # A row with an id, a label and no inputs is the label of an earlier row.
        self.is_label = [False] * len(rows.keys)
        if rows.ids is not None:
            self.is_label = np.isnan(rows.X).all(axis=1).tolist()

    def take(self, first: int, end: int) -> None:
        """In place: the rows of a key."""
        name = self.rows.keys[first]
        record = self.states.record(name)
        if record is None:
            one = KeyRows(name, first, end, None, {})
        else:
            numbers = {label: number for number, label in enumerate(record.labels)}
            about = record.place, record.known, record.n_late, record.version
            one = KeyRows(name, first, end, record, numbers, *about)
        self.plan.keys.append(one)
        ids, labels = self.rows.ids, self.rows.labels
        for at in range(first, end):
            label, own = labels[at], None if ids is None else ids[at]
            if label is not None and self.is_label[at] and is_given(own):
                self._take_label(one, at, own)
            elif not self.is_bad[at] and not self._is_unusable(label):
                self._take_sample(one, at, own)

    def _take_sample(self, one: KeyRows, at: int, name: Any) -> None:
        """In place: a row with inputs; it is learnt if its label is there and comes in order."""
        plan, label = self.plan, self.rows.labels[at]
        plan.asked[at], plan.versions[at] = True, one.version
        if label is None:
            plan.outcomes[at] = ANSWERED
            if is_given(name):
                one.waiting[name] = at, one.known
        elif self._is_in_order(one, at):
            self._learn(one, at, label)
        else:
            self._leave_out(one, at)

    def _take_label(self, one: KeyRows, at: int, name: Any) -> None:
        """In place: a label that comes later than its row."""
        plan, rows = self.plan, self.rows
        found: int | WaitingRow | None = self.states.take(one.key, name)
        known = NOTHING if found is None else found.known  # type: ignore[union-attr]
        if name in one.waiting:  # the later one of that id
            found, known = one.waiting.pop(name)
        if found is None:
            plan.outcomes[at], plan.versions[at] = UNMATCHED, one.version
            return
        plan.answered_before[at] = found
        if not self._is_in_order(one, at):
            self._leave_out(one, at)
        elif not self._is_unusable(rows.labels[at]):
            rows.X[at] = rows.X[found] if isinstance(found, int) else found.x
            plan.known[at], plan.asked[at] = known, True
            self._learn(one, at, rows.labels[at])

    def _learn(self, one: KeyRows, at: int, label: Any) -> None:
        """In place: a row is learnt."""
        number = float(label) if self.is_regression else float(_number(one.numbers, label))
        self.plan.labels[at], self.plan.outcomes[at] = number, LEARNT
        one.place, one.known, one.is_changed = self.rows.places[at], number, True
        one.version += 1

    def _leave_out(self, one: KeyRows, at: int) -> None:
        """In place: a label that came out of order is counted."""
        self.plan.outcomes[at] = LATE
        one.n_late += 1
        one.is_changed = one.is_changed or one.record is not None

    def _is_in_order(self, one: KeyRows, at: int) -> bool:
        """Whether a row that brings a label comes behind the last such one."""
        place = self.rows.places[at]
        return is_given(place) and (one.place is None or bool(place > one.place))

    def _is_unusable(self, label: Any) -> bool:
        """Whether no model takes a label: one too large, or an infinite number as a class."""
        if self.is_regression:
            return label is not None and not abs(label) <= LARGEST_INPUT
        return isinstance(label, float) and math.isinf(label)


def _number(numbers: dict[Any, int], label: Any) -> int:
    """In place: return the number of a class, a new one for one that was not met."""
    if len(numbers) >= MOST_CLASSES and label not in numbers:
        raise ValueError(f"labels must be of at most {MOST_CLASSES:,} classes for a key")
    return numbers.setdefault(label, len(numbers))


def _refused(params: AnyParams, X: np.ndarray) -> list[bool]:
    """Return which rows no model takes, for infinite inputs or such."""
    check = engine_of(params).check_inputs
    try:
        check(params, X)
    except ValueError:
        if len(X) == 1:
            return [True]
        middle = len(X) // 2
        return _refused(params, X[:middle]) + _refused(params, X[middle:])
    return [False] * len(X)


def _runs(keys: list[Any]) -> Iterator[tuple[int, int]]:
    """Yield where the rows of each key begin and end."""
    first = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[first]:
            yield first, at
            first = at
