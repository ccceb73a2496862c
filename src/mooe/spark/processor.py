"""The bucket in Spark: what `transformWithStateInPandas` calls, and where its states lie."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor

from mooe.spark import layouts
from mooe.spark.bucket import KEY, Task
from mooe.spark.packing import PACKED, of_bytes, to_bytes
from mooe.spark.record import Record, WaitingRow

CHUNK = 20_000  # rows of a bucket that are answered at a time
DENSE = 3  # where a batch has one of so many keys of a bucket, all are read in one go


class BucketProcessor(StatefulProcessor):
    """Buckets of keys in Spark's state: a model per key, rows that wait, and how it was begun.

    Parameters
    ----------
    task : Task
        How rows are answered and learnt.
    about : dict
        What must not change from one start of a query to the next, by name: it is kept with every
        bucket, and another value is refused.
    place : str
        Type of places in Spark.
    idle, label_within : int, optional
        Milliseconds after which a key without rows, and a row without its label, is forgotten.
    """

    def __init__(
        self,
        task: Task,
        about: dict[str, Any],
        place: str,
        idle: int | None,
        label_within: int | None,
    ) -> None:
        self.task, self.about, self.place = task, about, place
        self.idle, self.label_within = idle, label_within

    def init(self, handle: Any) -> None:
        """In place: open the states."""
        columns = f"{Record.COLUMNS}, place {self.place}"
        self.records = handle.getMapState("models", "key string", columns, self.idle)
        self.waiting = handle.getMapState(
            "waiting",
            "key string, id string",
            "inputs binary, known double, answer string",
            self.label_within,
        )
        self.layouts = handle.getMapState("layouts", "name string", "description string")
        self.begun = handle.getValueState("about", "text string")
        self.count = handle.getValueState("count", "keys long")  # that were ever kept
        self.bucket, self.described = None, set[tuple[Any, str]]()
        self.new, self.n_new = set[str](), 0
        self.ahead: dict[str, Any] | None = None

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """Yield the answers to the rows of a bucket, and learn them."""
        self.bucket = key
        self._check_begun()
        blobs = (blob for frame in rows for blob in frame[PACKED])
        everything = self.task.sorted(of_bytes(blobs))
        n_keys = self._read_ahead(len(everything[KEY].unique()))
        for first in range(0, len(everything), CHUNK):
            answers = self.task.run(everything.slice(first, CHUNK), self)
            yield pd.DataFrame({PACKED: [to_bytes(answers)]})
        if self.n_new:
            self.count.update((n_keys + self.n_new,))

    def _read_ahead(self, n_asked: int) -> int:
        """In place: read all keys of the bucket at once if many are asked for; return their number.

        A call for each is what costs most: it waits for the other process.
        """
        found = self.count.get()
        n_keys = 0 if found is None else int(found[0])
        self.new, self.n_new, self.ahead = set(), 0, None
        if n_asked * DENSE >= n_keys:
            self.ahead = {key[0]: value for key, value in self.records.iterator()} if n_keys else {}
        return n_keys

    def close(self) -> None:
        """Nothing is open."""

    def _check_begun(self) -> None:
        """In place: note how the query was begun, or raise ValueError if it goes on otherwise."""
        found = self.begun.get()
        if found is None:
            self.begun.update((json.dumps(self.about),))
            return
        before = json.loads(found[0])
        for name, value in self.about.items():
            if name in before and not _is_same(before[name], value):
                raise ValueError(
                    f"{name} must be {before[name]!r}, with which the checkpoint was begun, got "
                    f"{value!r}; another one needs a new checkpoint"
                )

    # States, as the bucket asks for them

    def record(self, key: str) -> Record | None:
        """Return what is kept of a key."""
        found = self.records.getValue((key,)) if self.ahead is None else self.ahead.get(key)
        if found is None:
            self.new.add(key)
            return None
        return Record.of_columns(self.task.params, tuple(found), self._description_of)

    def _description_of(self, layout: str) -> str:
        """Return how an older version of mooe laid states out."""
        return str(self.layouts.getValue((layout,))[0])

    def keeps(self, key: str) -> bool:
        """Whether the key will be asked for again: any may."""
        return True

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key, and how it lies there, once in a bucket."""
        columns, layout = record.to_columns(), record.layout
        if (self.bucket, layout) not in self.described:
            if not self.layouts.containsKey((layout,)):
                described = layouts.description(self.task.params, record.state)
                self.layouts.updateValue((layout,), (described,))
            self.described.add((self.bucket, layout))
        self.records.updateValue((key,), columns)
        if self.ahead is not None:
            self.ahead[key] = columns  # the next rows of a long key may follow in another chunk
        if key in self.new:
            self.new.discard(key)
            self.n_new += 1

    def wait(self, key: str, name: str, row: WaitingRow) -> None:
        """In place: a row waits for its label."""
        self.waiting.updateValue((key, name), row.to_columns())

    def take(self, key: str, name: str) -> WaitingRow | None:
        """In place: return the row that waits under an id."""
        found = self.waiting.getValue((key, name))
        if found is None:
            return None
        self.waiting.removeKey((key, name))
        return WaitingRow.of_columns(*found)


def _is_same(before: Any, now: Any) -> bool:
    """Whether a value is what it was; of several by name, those that both versions know."""
    if isinstance(before, dict) and isinstance(now, dict):
        return all(before[name] == now[name] for name in before if name in now)
    return bool(before == now)
