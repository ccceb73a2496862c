"""The bucket in Spark: what `transformWithStateInPandas` calls, and where its states lie."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor

from mooe.spark.bucket import Task
from mooe.spark.record import Record, WaitingRow

CHUNK = 20_000  # rows of a bucket that are answered at a time


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
        columns = f"format int, model binary, place {self.place}, known double, late long"
        self.records = handle.getMapState("models", "key string", columns, self.idle)
        self.waiting = handle.getMapState(
            "waiting",
            "key string, id string",
            "inputs binary, known double, answer string",
            self.label_within,
        )
        self.begun = handle.getValueState("about", "text string")

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """Yield the answers to the rows of a bucket, and learn them."""
        self._check_begun()
        everything = self.task.sorted(pd.concat(list(rows), ignore_index=True))
        for first in range(0, len(everything), CHUNK):
            part = everything.iloc[first : first + CHUNK].reset_index(drop=True)
            yield self.task.run(part, self)

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
            if name in before and before[name] != value:
                raise ValueError(
                    f"{name} must be {before[name]!r}, with which the checkpoint was begun, got "
                    f"{value!r}; another one needs a new checkpoint"
                )

    # States, as the bucket asks for them

    def record(self, key: str) -> Record | None:
        """Return what is kept of a key."""
        found = self.records.getValue((key,))
        return None if found is None else Record.of_columns(*found)

    def keep(self, key: str, record: Record) -> None:
        """In place: keep this of a key."""
        self.records.updateValue((key,), record.to_columns())

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
