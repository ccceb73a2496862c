"""Rows of a file on Spark: written as Parquet, answered there, and read back in their order."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from mooe.labels import is_given
from mooe.spark import SETTINGS, predict_then_learn

ROWS = 50_000  # read back at a time
Row = tuple[Any, Any, dict[Any, float] | None, int | None]  # label, answer, probabilities, regime


def answered_on_spark(
    folder: Path,
    columns: list[str],
    chunks: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]],
    asked: dict[str, Any],
) -> Iterator[tuple[list[Row], np.ndarray]]:
    """Yield rows in their order with what Spark said of them, and their kept columns.

    folder: for what lies between. chunks: inputs, labels and kept columns, the key first. asked: as
    for `mooe.spark.predict_then_learn`. Spark is the session that runs, or one of this machine.
    """
    features = [f"x{at}" for at in range(len(columns))]
    kept = _written(folder / "rows", features, chunks, asked["task"])
    session = running_session()
    frame = session.read.parquet(str(folder / "rows"))
    answers = predict_then_learn(
        frame, key="key", features=features, label="label", seq="seq", **asked
    )
    names = [
        name
        for name in ("label", "prediction", "probabilities", "regime")
        if name in answers.columns
    ]
    ordered = answers.select("seq", *names).sort("seq")
    waiting: list[Row] = []
    n = 0
    for row in ordered.toLocalIterator():
        said = row.asDict()
        likely = said.get("probabilities")
        waiting.append((said["label"], said["prediction"], likely, said["regime"]))
        if len(waiting) == ROWS:
            yield waiting, kept[n : n + ROWS]
            n, waiting = n + ROWS, []
    if waiting:
        yield waiting, kept[n:]


def running_session() -> SparkSession:
    """Return the session that runs, else one of this machine, quiet, with what is needed."""
    found = SparkSession.getActiveSession()
    if found is not None:
        return found
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    builder = SparkSession.builder.appName("mooe keyed")
    if "SPARK_REMOTE" not in os.environ and "MASTER" not in os.environ:
        builder = builder.master("local[*]")
    for name, value in {**SETTINGS, **quiet}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _written(
    folder: Path,
    features: list[str],
    chunks: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]],
    task: str,
) -> np.ndarray:
    """Write rows as Parquet, numbered; return their kept columns."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir()
    kept, kind, n = [], pa.float64() if task == "regression" else None, 0
    for at, (X, y, beside) in enumerate(chunks):
        labels = [one if is_given(one) else None for one in y.tolist()]
        if kind is None and any(one is not None for one in labels):
            kind = pa.array(labels).type
            _name_labels(folder, kind)
        table = pa.table(
            {
                "key": pa.array(beside[:, 0].tolist(), pa.string()),
                "seq": pa.array(range(n, n + len(X)), pa.int64()),
                "label": pa.array(labels, kind or pa.string()),
                **{name: X[:, column] for column, name in enumerate(features)},
            }
        )
        parquet.write_table(table, folder / f"{at:06}.parquet")
        kept.append(beside)
        n += len(X)
    return np.concatenate(kept) if kept else np.zeros((0, 1), object)


def _name_labels(folder: Path, kind: Any) -> None:
    """In place: labels of what was written before the first of them are of its type too."""
    import pyarrow as pa
    from pyarrow import parquet

    for path in sorted(folder.iterdir()):
        table = parquet.read_table(path)
        at = table.column_names.index("label")
        parquet.write_table(table.set_column(at, "label", pa.nulls(len(table), kind)), path)
