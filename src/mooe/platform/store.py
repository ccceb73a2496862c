"""What a store holds, and every question that is asked of it: SQL is here and nowhere else.

A prediction keeps its x (float64 values beside the number of a list of names, or a dict as JSON
where a model has too many lists), its answer (the number of a class and all probabilities, or a
value) beside the number of the list of classes that it was given in, and the last label that was
known then, by the same list. Feedback is numbered per model in the order in which it is learnt.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mooe.platform.database import Database
from mooe.platform.errors import StoreError, UnknownModelError
from mooe.platform.ids import server_id
from mooe.platform.lesson import Lesson, known_of
from mooe.platform.life import Kind, Status
from mooe.platform.rows import Names, Row, is_storable, numbers, row_of
from mooe.platform.schema import HAS_INPUTS, INPUTS_INDEX

MOST_LISTS = 1_000  # of names per model; rows of further ones are kept as JSON
AS_JSON = -1  # in place of the number of a list
PART = 256 * 1024  # bytes of a snapshot in one piece
AT_ONCE = 1_000  # rows that are read in one go
PREDICTION = "n, model, id, at, names, x, labels, answer, version, known, status, seq"
PREDICTED = ", ".join(f"p.{name.strip()}" for name in PREDICTION.split(","))
MODEL = "k, name, task, mode, params, settings, created, shadow_of, width"
ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
EARLIEST, LATEST = -62_000_000_000.0, 250_000_000_000.0  # seconds since 1970: years 5 and 9892
SNAPSHOT = "k, model, seq, at, kind, size, sha256, numerics"
COUNTS = (  # a row f of feedback that was not rolled back, see `is_void`
    "NOT EXISTS (SELECT 1 FROM rollback r WHERE r.model = f.model AND f.seq > r.after "
    "AND f.seq <= r.until)"
)


@dataclass
class StoredModel:
    """A model as the store knows it."""

    k: int
    name: str
    task: str
    mode: str
    params: dict[str, Any]
    settings: dict[str, Any]
    created: int
    shadow_of: int | None = None
    width: int | None = None

    def values(self) -> tuple[Any, ...]:
        """Return a row of the table."""
        texts = dump(self.params), dump(self.settings)
        return (
            *(self.k, self.name, self.task, self.mode, *texts),
            *(self.created, self.shadow_of, self.width),
        )


class Answered(NamedTuple):
    """An answer: numbers as `Learner.answer` gives them, and the classes that they are about."""

    numbers: list[float] | None
    classes: tuple[Any, ...] | None


@dataclass(slots=True)
class Prediction:
    """A prediction as the store knows it."""

    n: int
    model: int
    id: str | None
    at: int
    row: Row | None  # None: deleted
    answer: Answered
    version: int | None  # None: a labelled row that nobody had asked about
    known: float | None
    status: Status
    seq: int | None = None
    label: Any = None  # that was learnt last
    kind: Kind | None = None  # why it was

    @property
    def public_id(self) -> str:
        """The id that its client knows."""
        return self.id or server_id(self.n)

    @property
    def x(self) -> dict[str, float] | list[float | None] | None:
        """The input as it was given; None where it was deleted."""
        return None if self.row is None else self.row.as_given()

    @property
    def known_label(self) -> Any:
        """The last label that was known when it was answered; None for none."""
        if self.known is None or self.answer.classes is None:
            return self.known
        return self.answer.classes[int(self.known)]


class Snapshot(NamedTuple):
    """What is known of a snapshot."""

    k: int
    model: int
    seq: int
    at: int
    kind: str
    size: int
    sha256: str
    numerics: str


class Rollback(NamedTuple):
    """Rows after one number until another that count no longer."""

    model: int
    after: int
    until: int
    at: int


MessageKey = tuple[str, int, int]  # of a message: its source, part and position


@dataclass
class Changes:
    """What one transaction writes."""

    predictions: list[Prediction] = field(default_factory=list)
    feedback: list[tuple[int, int, int, str, int, int]] = field(default_factory=list)
    statuses: dict[int, tuple[int, int | None, int, int]] = field(default_factory=dict)
    shadow_answers: list[tuple[int, int, Answered]] = field(default_factory=list)
    widths: dict[int, int] = field(default_factory=dict)
    positions: dict[tuple[str, int], int] = field(default_factory=dict)
    refusals: dict[MessageKey, str] = field(default_factory=dict)
    told: list[MessageKey] = field(default_factory=list)  # of them nothing needs to be kept
    pending: dict[int, int] = field(default_factory=dict)  # how many more wait, by model

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not any(vars(self).values())


class Store:
    """All that outlives the process.

    Parameters
    ----------
    database : Database
        SQLite's or PostgreSQL's.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.forget()

    def forget(self) -> None:
        """In place: drop what memory has counted; after a transaction that failed."""
        self._listed: dict[int, tuple[Any, ...]] = {}
        self._lists: dict[int, dict[Any, int]] = {}
        self._last_lists: dict[tuple[int, bool], tuple[Any, int]] = {}  # see `_list_number`
        self._next: dict[str, int] = {}
        self._pending: dict[int, int] = {}  # see `n_pending`
        self._has_inputs_index = False

    def next_number(self, table: str, key: str) -> int:
        """In place: return the next number of a table."""
        return self.next_numbers(table, key, 1)[0]

    def next_numbers(self, table: str, key: str, n: int) -> range:
        """In place: return the next n numbers of a table."""
        first = self._next.get(table)
        if first is None:
            ((most, gone),) = self.database.select(
                f"SELECT (SELECT max({key}) FROM {table}), numbered FROM store"
            )
            first = max(most or 0, gone if table == "prediction" else 0) + 1
        self._next[table] = first + n
        return range(first, first + n)

    # Models

    def numerics(self) -> str:
        """Return the fingerprint of what wrote the store last."""
        ((numerics,),) = self.database.select("SELECT numerics FROM store")
        return str(numerics)

    def set_numerics(self, numerics: str) -> None:
        """Keep the fingerprint of what writes the store now."""
        with self.database.transaction():
            self.database.execute("UPDATE store SET numerics = ?", (numerics,))

    def models(self) -> list[StoredModel]:
        """Return all models, in the order in which they were made."""
        rows = self.database.select(f"SELECT {MODEL} FROM model WHERE deleted IS NULL ORDER BY k")
        return [
            StoredModel(k, name, task, mode, json.loads(params), json.loads(settings), *rest)
            for k, name, task, mode, params, settings, *rest in rows
        ]

    def add_model(self, model: StoredModel, blob: bytes | None, numerics: str, seq: int) -> None:
        """Write a new model and, where it is not a fresh one, its first snapshot."""
        with self.database.transaction():
            self.database.insert("model", MODEL, [model.values()])
            if blob is not None:
                self._add_parts(
                    self._add_snapshot(model.k, seq, model.created, "first", blob, numerics), blob
                )

    def set_model(self, model: StoredModel) -> None:
        """Write what has changed of a model."""
        with self.database.transaction():
            self._set_model(model)

    def _set_model(self, model: StoredModel) -> None:
        """Write what has changed of a model, inside a transaction."""
        k, *values = model.values()
        self.database.update("model", MODEL.removeprefix("k, "), "k", [(*values, k)])

    def delete_model(self, k: int, at: int) -> None:
        """Mark a model as deleted; what it has stored goes with `purge`."""
        with self.database.transaction():
            sql = "UPDATE model SET deleted = ? WHERE k = ? OR shadow_of = ?"
            self.database.execute(sql, (at, k, k))
            last = "(SELECT coalesce(max(n), 0) FROM prediction)"
            sql = f"UPDATE store SET numbered = {last} WHERE numbered < {last}"
            self.database.execute(sql)

    def purge(self) -> Iterator[None]:
        """Delete what deleted models have stored, a piece for each step."""
        gone = self.database.select("SELECT k FROM model WHERE deleted IS NOT NULL")
        for (k,) in gone:
            for table, key in (("prediction", "n"), ("feedback", "seq"), ("shadow_answer", "n")):
                last = 0
                while True:
                    where = f"WHERE model = ? AND {key} > ? ORDER BY {key} LIMIT ?"
                    sql = f"SELECT {key} FROM {table} {where}"
                    rows = self.database.select(sql, (k, last, AT_ONCE))
                    if not rows:
                        break
                    first, last = rows[0][0], rows[-1][0]
                    with self.database.transaction(lasting=False):
                        sql = f"DELETE FROM {table} WHERE model = ? AND {key} BETWEEN ? AND ?"
                        self.database.execute(sql, (k, first, last))
                    yield
            for (snapshot,) in self.database.select("SELECT k FROM snapshot WHERE model = ?", (k,)):
                self.delete_snapshots([snapshot])
                yield
            with self.database.transaction():
                for table in ("names", "rollback"):
                    self.database.execute(f"DELETE FROM {table} WHERE model = ?", (k,))
                self.database.execute("DELETE FROM model WHERE k = ?", (k,))
            self._pending.pop(k, None)
            for number in self._lists.pop(k, {}).values():
                self._listed.pop(number, None)
            for always in (True, False):
                self._last_lists.pop((k, always), None)

    # Predictions and feedback

    def write(self, changes: Changes) -> int:
        """Write changes in one transaction, all or nothing; return the ticket for `sync`."""
        lasting = bool(changes.feedback or changes.statuses or changes.positions)
        database = self.database
        try:
            with database.transaction(lasting):
                rows = [self._prediction_values(each) for each in changes.predictions]
                shadows = [
                    (n, model, *self._answer_values(model, answer))
                    for n, model, answer in changes.shadow_answers
                ]
                if rows:
                    database.insert("prediction", PREDICTION, rows)
                if shadows:
                    database.insert("shadow_answer", "n, model, labels, answer", shadows)
                if changes.feedback:
                    columns = "model, seq, n, label, at, kind"
                    database.insert("feedback", columns, changes.feedback)
                if changes.statuses:
                    rows = list(changes.statuses.values())
                    met = database.update("prediction", "status, seq", "n, status", rows)
                    if met != len(changes.statuses):
                        raise StoreError(f"{database.where}: a prediction has changed meanwhile")
                for k, width in changes.widths.items():
                    database.execute("UPDATE model SET width = ? WHERE k = ?", (width, k))
                for (source, part), position in changes.positions.items():
                    keys = (source, part)
                    database.execute(
                        "DELETE FROM source_position WHERE source = ? AND part = ?", keys
                    )
                    values = [(*keys, position)]
                    database.insert("source_position", "source, part, position", values)
                for message in changes.told:
                    sql = (
                        "DELETE FROM source_refusal WHERE source = ? AND part = ? AND position = ?"
                    )
                    database.execute(sql, message)
                if changes.refusals:
                    refused = [(*message, reason) for message, reason in changes.refusals.items()]
                    database.insert("source_refusal", "source, part, position, reason", refused)
        except BaseException:
            self.forget()
            raise
        for k, more in changes.pending.items():
            if k in self._pending:
                self._pending[k] += more
        return database.commits

    def _prediction_values(self, prediction: Prediction) -> tuple[Any, ...]:
        """Return a row of the table; a new list of names is written on the way."""
        each, model = prediction, prediction.model
        assert each.row is not None
        names, x = self._x_values(model, each.row)
        labels, answer = self._answer_values(model, each.answer)
        # fmt: off
        return (
            each.n, model, each.id, each.at, names, x, labels, answer,
            each.version, each.known, int(each.status), each.seq,
        )
        # fmt: on

    def _x_values(self, model: int, row: Row) -> tuple[int | None, bytes]:
        """Return what is stored of an x."""
        if row.names is None:
            return None, row.values
        key = self._list_number(model, row.names)
        if key is None:
            return AS_JSON, dump(row.as_dict()).encode()
        return key, row.values

    def _answer_values(self, model: int, answer: Answered) -> tuple[int | None, bytes | None]:
        """Return what is stored of an answer."""
        if answer.numbers is None:
            return None, None
        packed = numbers(len(answer.numbers)).pack(*answer.numbers)
        if answer.classes is None:
            return None, packed
        return self._list_number(model, answer.classes, always=True), packed

    def _list_number(self, model: int, listed: tuple[Any, ...], always: bool = False) -> int | None:
        """Return the number of a list of names or classes, written if it is new.

        None where a model has too many.
        """
        last = self._last_lists.get((model, always))
        if last is not None and last[0] is listed:
            return last[1]
        lists = self._lists.get(model)
        if lists is None:
            lists = self._lists[model] = {}
            sql = "SELECT k, listed FROM names WHERE model = ?"
            for k, text in self.database.select(sql, (model,)):
                self._listed[k] = tuple(json.loads(text))
                lists[_key(self._listed[k])] = k
        key = _key(listed)
        number = lists.get(key)
        if number is None and (always or len(lists) < MOST_LISTS):
            number = lists[key] = self.next_number("names", "k")
            self.database.insert("names", "k, model, listed", [(number, model, dump(listed))])
            self._listed[number] = listed
        if number is not None:
            self._last_lists[model, always] = listed, number
        return number

    def _list(self, k: int) -> tuple[Any, ...]:
        """Return a list by its number."""
        listed = self._listed.get(k)
        if listed is None:
            ((text,),) = self.database.select("SELECT listed FROM names WHERE k = ?", (k,))
            listed = self._listed[k] = tuple(json.loads(text))
        return listed

    def _row(self, names: int | None, x: bytes | None) -> Row | None:
        """Return an x."""
        if x is None:
            return None
        if names == AS_JSON:
            return row_of(json.loads(x))
        listed: Names | None = None if names is None else self._list(names)
        return Row(listed, bytes(x))

    def _answer(self, labels: int | None, answer: bytes | None) -> Answered:
        """Return an answer."""
        if answer is None:
            return Answered(None, None)
        values = list(numbers(len(answer) // 8).unpack(answer))
        return Answered(values, None if labels is None else self._list(labels))

    def _predictions(self, where: str, values: Sequence[Any]) -> list[Prediction]:
        """Return the predictions that meet a condition, with the labels they learnt last."""
        sql = (
            f"SELECT {PREDICTED}, f.label, f.kind FROM prediction p "
            f"LEFT JOIN feedback f ON f.model = p.model AND f.seq = p.seq WHERE {where}"
        )
        found = []
        for row in self.database.select(sql, values):
            n, model, name, at, names, x, labels, answer, version, known, status, seq, *last = row
            label, kind = last
            found.append(
                Prediction(
                    *(n, model, name, at, self._row(names, x), self._answer(labels, answer)),
                    *(version, known, Status(status), seq),
                    None if label is None else _label(label),
                    None if kind is None else Kind(kind),
                )
            )
        return found

    def by_ids(self, model: int, ids: Iterable[str]) -> dict[str, Prediction]:
        """Return the predictions of ids that clients gave."""
        condition, values = self.database.among("p.id", filter(is_storable, ids))
        found = self._predictions(f"p.model = ? AND {condition}", (model, values))
        return {prediction.id or "": prediction for prediction in found}

    def by_numbers(self, model: int, numbers: Iterable[int]) -> dict[int, Prediction]:
        """Return predictions by their numbers."""
        condition, values = self.database.among("p.n", numbers)
        found = self._predictions(f"p.model = ? AND {condition}", (model, values))
        return {prediction.n: prediction for prediction in found}

    def pending(
        self, model: int, after: int = 0, limit: int = AT_ONCE, before: int | None = None
    ) -> list[Prediction]:
        """Return predictions whose labels are waited for, oldest first, from a number on.

        before: only those that were made before a time.
        """
        time, values = ("", ()) if before is None else (" AND p.at < ?", (before,))
        where = f"p.status = 0 AND p.model = ? AND p.n > ?{time} ORDER BY p.n LIMIT ?"
        return self._predictions(where, (model, after, *values, limit))

    def n_pending(self, model: int) -> int:
        """Return how many labels are waited for; they are counted once, and then on the way."""
        n = self._pending.get(model)
        if n is None:
            sql = "SELECT count(*) FROM prediction WHERE status = 0 AND model = ?"
            n = self._pending[model] = int(self.database.select(sql, (model,))[0][0])
        return n

    def n_expired(self, model: int) -> tuple[int, int]:
        """Return how many labels were waited for in vain: without, and with a default label."""
        sql = (
            "SELECT status, count(*) FROM prediction WHERE model = ? AND status IN (2, 3) "
            "GROUP BY status"
        )
        counts = dict(self.database.select(sql, (model,)))
        return counts.get(int(Status.EXPIRED), 0), counts.get(int(Status.DEFAULTED), 0)

    def last_seq(self, model: int) -> int:
        """Return the number of the last row of feedback."""
        sql = "SELECT max(seq) FROM feedback WHERE model = ?"
        return int(self.database.select(sql, (model,))[0][0] or 0)

    def label_time(self, model: int, seq: int) -> int | None:
        """Return when a row of feedback came, None where there is none."""
        sql = "SELECT at FROM feedback WHERE model = ? AND seq = ?"
        return next((int(at) for (at,) in self.database.select(sql, (model, seq))), None)

    def learnt(self, model: int, after: int, until: int, limit: int = AT_ONCE) -> Lesson:
        """Return rows of feedback in their order, after a number and until another."""
        sql = (
            "SELECT f.seq, f.label, p.names, p.x, p.labels, p.known, p.version "
            "FROM feedback f JOIN prediction p ON p.n = f.n "
            "WHERE f.model = ? AND f.seq > ? AND f.seq <= ? ORDER BY f.seq LIMIT ?"
        )
        found = self.database.select(sql, (model, after, until, limit))
        if not found:
            return Lesson()
        seqs, labels, names, inputs, lists, known, versions = zip(*found, strict=True)
        return Lesson(
            list(seqs),
            self._rows(names, inputs),  # type: ignore[arg-type]
            list(map(_label, labels)),
            list(map(known_of, seqs, versions, map(self._known_label, lists, known))),
        )

    def _known_label(self, labels: int | None, known: float | None) -> Any:
        """Return a label that was known, by the list of classes that it is from."""
        return known if known is None or labels is None else self._list(labels)[int(known)]

    def _rows(
        self, names: Sequence[int | None], inputs: Sequence[bytes | None]
    ) -> list[Row | None]:
        """Return many x; most have one list of names."""
        of_one = len(set(names)) == 1 and names[0] != AS_JSON and None not in inputs
        if not of_one:
            return list(map(self._row, names, inputs))
        listed = None if names[0] is None else self._list(names[0])
        return [Row(listed, bytes(x)) for x in inputs]  # type: ignore[arg-type]

    def answered(
        self, model: int, shadow: int | None, limit: int
    ) -> Iterator[tuple[Any, Answered]]:
        """Yield label and answer of the latest labelled predictions, newest first.

        shadow: the answers that this model gave beside, where it did.
        """
        for _, _, label, answer in self._answers(
            model, shadow, "ORDER BY f.seq DESC LIMIT ?", (limit,)
        ):
            yield label, answer

    def answers_between(
        self, model: int, shadow: int | None, after: int, until: int
    ) -> Iterator[tuple[int, int, Any, Answered]]:
        """Yield labelled predictions in their order: number, when it was asked, label, answer."""
        where = "AND f.seq > ? AND f.seq <= ? ORDER BY f.seq"
        return self._answers(model, shadow, where, (after, until))

    def _answers(
        self, model: int, shadow: int | None, where: str, values: Sequence[Any]
    ) -> Iterator[tuple[int, int, Any, Answered]]:
        """Yield labelled predictions with the answers of a model, or of a shadow of it.

        Each by the label that counts: not by one that was corrected or rolled back.
        """
        answer, join, of = "p.labels, p.answer", "", [model]
        if shadow is not None:
            answer = "s.labels, s.answer"
            join = "JOIN shadow_answer s ON s.n = p.n AND s.model = ? "
            of = [shadow, model]
        sql = (
            f"SELECT f.seq, p.at, f.label, {answer} "
            f"FROM feedback f JOIN prediction p ON p.n = f.n AND p.seq = f.seq {join}"
            f"WHERE f.model = ? AND f.kind IN (0, 1) {where}"
        )
        for seq, at, label, labels, given in self.database.select(sql, (*of, *values)):
            yield seq, at, _label(label), self._answer(labels, given)

    def times(self, model: int, seqs: Iterable[int]) -> dict[int, int]:
        """Return when the rows of feedback were asked about, by number."""
        condition, values = self.database.among("f.seq", seqs)
        sql = (
            "SELECT f.seq, p.at FROM feedback f JOIN prediction p ON p.n = f.n "
            f"WHERE f.model = ? AND {condition}"
        )
        return dict(self.database.select(sql, (model, values)))

    def seqs_around(self, model: int, time: int) -> tuple[int, int | None]:
        """Return the last row of feedback that came before a time, 0 for none, and the first after.

        Of those that count. A clock that was set back may have the first after before the last.
        """
        sql = (
            "SELECT max(CASE WHEN f.at < ? THEN f.seq END), "
            "min(CASE WHEN f.at >= ? THEN f.seq END) "
            f"FROM feedback f WHERE f.model = ? AND {COUNTS}"
        )
        ((last, first),) = self.database.select(sql, (time, time, model))
        return last or 0, first

    def positions(self, source: str) -> dict[int, int]:
        """Return how far a source of feedback has been read, by its parts."""
        sql = "SELECT part, position FROM source_position WHERE source = ?"
        return dict(self.database.select(sql, (source,)))

    def refusals(self, source: str) -> dict[MessageKey, str]:
        """Return why messages of a source were refused whose senders may not know it yet."""
        sql = "SELECT part, position, reason FROM source_refusal WHERE source = ?"
        rows = self.database.select(sql, (source,))
        return {(source, part, position): reason for part, position, reason in rows}

    def inputs_before(self, model: int, before: int, upto: int) -> dict[int, int]:
        """Return some predictions made before a time whose x could be deleted, oldest first.

        By their numbers the row of feedback that each was learnt by, 0 for none; of those that were
        learnt only up to a number, behind which a replay may need them.
        """
        if not self._has_inputs_index:
            with self.database.transaction():
                self.database.execute(INPUTS_INDEX)
            self._has_inputs_index = True
        sql = (
            f"SELECT n, seq FROM prediction WHERE model = ? AND at < ? AND {HAS_INPUTS} "
            "AND (seq IS NULL OR seq <= ?) ORDER BY at LIMIT ?"
        )
        rows = self.database.select(sql, (model, before, upto, AT_ONCE))
        return {n: seq or 0 for n, seq in rows}

    def n_without_input(self, model: int) -> int:
        """Return how many rows of feedback that count cannot be learnt again: their x is gone."""
        sql = (
            "SELECT count(*) FROM feedback f JOIN prediction p ON p.n = f.n "
            f"WHERE f.model = ? AND p.x IS NULL AND {COUNTS}"
        )
        return int(self.database.select(sql, (model,))[0][0])

    def delete_inputs(self, numbers: Iterable[int]) -> None:
        """Delete the x of predictions by their numbers; `Database.scrub` erases it."""
        condition, values = self.database.among("n", numbers)
        with self.database.transaction():
            self.database.execute(f"UPDATE prediction SET x = NULL WHERE {condition}", (values,))

    # Snapshots and rollbacks

    def snapshots(self, model: int) -> list[Snapshot]:
        """Return the snapshots of a model, oldest first."""
        sql = f"SELECT {SNAPSHOT} FROM snapshot WHERE model = ? AND complete = 1 ORDER BY seq, k"
        return [Snapshot(*row) for row in self.database.select(sql, (model,))]

    def snapshot_bytes(self, snapshot: Snapshot) -> bytes:
        """Return the model file of a snapshot, or raise StoreError."""
        sql = "SELECT bytes FROM snapshot_part WHERE snapshot = ? ORDER BY part"
        blob = b"".join(bytes(part) for (part,) in self.database.select(sql, (snapshot.k,)))
        if hashlib.sha256(blob).hexdigest() != snapshot.sha256:
            raise StoreError(f"{self.database.where}: the snapshot at {snapshot.seq} is damaged")
        return blob

    def add_snapshot(
        self, model: int, seq: int, at: int, kind: str, blob: bytes, numerics: str
    ) -> Iterator[None]:
        """Write a snapshot, a piece for each step; it counts once all are written."""
        with self.database.transaction(lasting=False):
            k = self._add_snapshot(model, seq, at, kind, blob, numerics, complete=False)
        for part, begin in enumerate(range(0, len(blob), PART)):
            with self.database.transaction(lasting=False):
                values = [(k, part, blob[begin : begin + PART])]
                self.database.insert("snapshot_part", "snapshot, part, bytes", values)
            yield
        with self.database.transaction():
            self.database.execute("UPDATE snapshot SET complete = 1 WHERE k = ?", (k,))

    def _add_snapshot(
        self,
        model: int,
        seq: int,
        at: int,
        kind: str,
        blob: bytes,
        numerics: str,
        complete: bool = True,
    ) -> int:
        """Write the head of a snapshot and return its number."""
        k, sha256 = self.next_number("snapshot", "k"), hashlib.sha256(blob).hexdigest()
        values = (k, model, seq, at, kind, len(blob), sha256, numerics, int(complete))
        self.database.insert("snapshot", f"{SNAPSHOT}, complete", [values])
        return k

    def _add_parts(self, k: int, blob: bytes) -> None:
        """Write the pieces of a snapshot."""
        parts = [
            (k, part, blob[begin : begin + PART])
            for part, begin in enumerate(range(0, len(blob), PART))
        ]
        self.database.insert("snapshot_part", "snapshot, part, bytes", parts)

    def delete_snapshots(self, which: Iterable[int]) -> None:
        """Delete snapshots by their numbers."""
        with self.database.transaction(lasting=False):
            for k in which:
                self._delete_snapshot(k)

    def _delete_snapshot(self, k: int) -> None:
        """Delete a snapshot, inside a transaction."""
        self.database.execute("DELETE FROM snapshot_part WHERE snapshot = ?", (k,))
        self.database.execute("DELETE FROM snapshot WHERE k = ?", (k,))

    def delete_incomplete(self) -> None:
        """Delete snapshots that were being written when a process died."""
        rows = self.database.select("SELECT k FROM snapshot WHERE complete = 0")
        if rows:
            self.delete_snapshots(k for (k,) in rows)

    def rollbacks(self, model: int) -> list[Rollback]:
        """Return the rollbacks of a model, in the order of the rows that they took back."""
        sql = "SELECT model, after, until, at FROM rollback WHERE model = ? ORDER BY after, until"
        return [Rollback(*row) for row in self.database.select(sql, (model,))]

    def replace_states(
        self,
        states: Sequence[tuple[StoredModel, bytes | None]],
        seq: int,
        at: int,
        kind: str,
        numerics: str,
        rollback: Rollback | None = None,
        promoted: int | None = None,
    ) -> None:
        """Let models go on from other bytes, in one transaction; None where they are lost.

        rollback: the rows that count no longer; predictions that they were about are withdrawn.
        promoted: a shadow that is one no longer.
        """
        with self.database.transaction():
            if rollback is not None:
                self.database.insert("rollback", "model, after, until, at", [tuple(rollback)])
                self._withdraw(rollback)
            for model, blob in states:
                if rollback is not None:
                    sql = "SELECT k FROM snapshot WHERE model = ? AND seq > ? AND kind <> 'first'"
                    for (k,) in self.database.select(sql, (model.k, rollback.after)):
                        self._delete_snapshot(k)
                if blob is not None:
                    k = self._add_snapshot(model.k, seq, at, kind, blob, numerics)
                    self._add_parts(k, blob)
                    self._set_model(model)
            if promoted is not None:
                sql = "UPDATE model SET deleted = ? WHERE k = ?"
                self.database.execute(sql, (at, promoted))

    def _withdraw(self, rollback: Rollback) -> None:
        """Take back, inside a transaction, what predictions were taught by rows of a rollback.

        One that was corrected in them has the label from before; one that was corrected after them
        stays.
        """
        among = "model = ? AND seq > ? AND seq <= ?"
        values = (rollback.model, rollback.after, rollback.until)
        self.database.execute(
            f"UPDATE prediction SET status = {int(Status.WITHDRAWN)}, seq = NULL "
            f"WHERE n IN (SELECT n FROM feedback WHERE {among}) AND seq > ? AND seq <= ?",
            (*values, rollback.after, rollback.until),
        )
        corrected = (
            f"SELECT n FROM feedback WHERE {among} AND kind = {int(Kind.CORRECTION)} "
            "AND n IN (SELECT n FROM prediction WHERE seq IS NULL)"
        )
        sql = (
            f"SELECT seq, n, kind FROM feedback WHERE model = ? AND seq <= ? AND n IN ({corrected})"
        )
        rows = self.database.select(sql, (rollback.model, rollback.after, *values))
        others = self.rollbacks(rollback.model)
        before = {
            n: (int(Status.DEFAULTED if kind == Kind.DEFAULT else Status.LEARNT), seq, n)
            for seq, n, kind in sorted(rows)
            if not is_void(seq, others)
        }
        self.database.update("prediction", "status, seq", "n", list(before.values()))

    # The whole

    def problems(self) -> list[str]:
        """Return what is wrong with the store, in words; nothing is changed."""
        found = [f"the database says: {line}" for line in self.database.integrity()]
        for words, sql in _CHECKS:
            ((n,),) = self.database.select(sql)
            if n:
                found.append(f"{n:,} {words}")
        for model in self.models():
            for snapshot in self.snapshots(model.k):
                try:
                    self.snapshot_bytes(snapshot)
                except StoreError as problem:
                    found.append(f"{model.name}: {problem}")
        return found


def is_void(seq: int, rollbacks: Sequence[Rollback]) -> bool:
    """Whether a row of feedback was rolled back."""
    return any(each.after < seq <= each.until for each in rollbacks)


# Each counts rows that must not be; what deleted models had stored goes piece by piece.
_KEPT = "model NOT IN (SELECT k FROM model WHERE deleted IS NOT NULL)"
_CHECKS = (
    (
        "rows of feedback without their prediction",
        "SELECT count(*) FROM feedback f LEFT JOIN prediction p ON p.n = f.n "
        f"WHERE p.n IS NULL AND f.{_KEPT}",
    ),
    (
        "rows of feedback that are missing in the numbers of a model",
        "SELECT coalesce(sum(most - many), 0) FROM "
        f"(SELECT max(seq) AS most, count(*) AS many FROM feedback WHERE {_KEPT} GROUP BY model) "
        "AS counted",
    ),
    (
        "predictions that were learnt twice as their first label",
        f"SELECT count(*) FROM (SELECT f.n FROM feedback f WHERE f.kind IN (0, 2, 3) AND {COUNTS} "
        f"AND f.{_KEPT} GROUP BY f.n HAVING count(*) > 1) AS twice",
    ),
    (
        "predictions whose status says learnt, without a row of feedback",
        "SELECT count(*) FROM prediction p LEFT JOIN feedback f ON f.model = p.model "
        "AND f.seq = p.seq "
        f"WHERE p.status IN (1, 3) AND (f.n IS NULL OR f.n <> p.n) AND p.{_KEPT}",
    ),
    (
        "predictions that wait for a label they have learnt",
        "SELECT count(*) FROM prediction "
        f"WHERE status IN (0, 2, 4) AND seq IS NOT NULL AND {_KEPT}",
    ),
    (
        "predictions whose names or classes are missing",
        "SELECT count(*) FROM prediction p LEFT JOIN names a ON a.k = p.names "
        "LEFT JOIN names b ON b.k = p.labels "
        "WHERE ((p.names >= 0 AND a.k IS NULL) OR (p.labels IS NOT NULL AND b.k IS NULL)) "
        f"AND p.{_KEPT}",
    ),
    (
        "snapshots of rows that are not there",
        "SELECT count(*) FROM snapshot s JOIN model m ON m.k = s.model WHERE s.seq > coalesce("
        "(SELECT max(f.seq) FROM feedback f WHERE f.model = coalesce(m.shadow_of, m.k)), 0) "
        "AND m.deleted IS NULL",
    ),
)


def _key(listed: tuple[Any, ...]) -> Any:
    """Return what tells lists apart: to Python (True,) and (1,) are the same."""
    return listed, type(listed[0]) if listed else None


@lru_cache(4096)
def _label(text: str) -> Any:
    """Return a label; most come again and again."""
    return json.loads(text)


def dump(value: Any) -> str:
    """Return JSON in as few letters as it takes."""
    return ENCODER.encode(value)


def open_store(place: str | os.PathLike[str], numerics: str = "", read_only: bool = False) -> Store:
    """Return the store at a path or URL; it is made where there is none.

    numerics: the fingerprint that is noted in a new store.
    """
    database: Database
    if isinstance(place, str) and place.startswith(("postgresql://", "postgres://")):
        from mooe.platform.postgres import Postgres

        database = Postgres(place, read_only)
    else:
        from mooe.platform.sqlite import SQLite

        database = SQLite(Path(place), read_only)
    store = Store(database)
    try:
        if not read_only:
            database.begin(numerics)
            store.delete_incomplete()
    except BaseException:
        database.close()
        raise
    return store


@contextmanager
def reading(place: str | os.PathLike[str]) -> Iterator[Store]:
    """Look at the store at a path or URL beside whoever writes it."""
    store = open_store(place, read_only=True)
    try:
        yield store
    finally:
        store.database.close()


def stored_model(store: Store, name: str) -> StoredModel:
    """Return a model by its name, or raise UnknownModelError."""
    for model in store.models():
        if model.name == name:
            return model
    raise UnknownModelError(f"no model is called {name!r:.120}")


def microseconds(seconds: float) -> int:
    """Return a time since 1970 as it is stored, or raise ValueError."""
    try:
        is_time = EARLIEST <= seconds <= LATEST
    except TypeError:
        is_time = False
    if not is_time:
        raise ValueError(
            f"a time must be seconds since 1970 in the years 5 to 9892, got {seconds!r:.80}"
        )
    return int(seconds * 1e6)
