"""Spark on this machine: buckets of keys against a call per key, warm, and a back-test.

python benchmarks/spark.py                    measure all, write results/spark.json and the page
python benchmarks/spark.py --settings light   some of the settings

A batch is 5,000 keys with 6 rows each. The naive way is the one that Spark's guide shows: a group
per key and `applyInPandasWithState`, with the same models, the same rows and the same answers.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import digest
import numpy as np
import page
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.state import GroupStateTimeout

from mooe.evaluate.results import origin
from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.spark import SETTINGS, layouts, predict_then_learn
from mooe.spark.bucket import KEY, LABEL, PLACE, Task
from mooe.spark.columns import Columns
from mooe.spark.outcomes import Rows
from mooe.spark.record import Record

RESULTS = Path(__file__).parent / "results" / "spark.json"
KEYS, ROWS, FEATURES = 5_000, 6, [f"f{at}" for at in range(8)]
SETTINGS_MEASURED = ("light", "paper")
COLD, WARM = 1, 2  # batches
BUCKETS, PARTITIONS, CORES = 16, 4, 2
COLUMNS = Columns("key", tuple(FEATURES), "label", "seq")
SCHEMA = (
    "key string, seq long, " + ", ".join(f"{name} double" for name in FEATURES) + ", label string"
)
STATE = f"{Record.COLUMNS}, place long"


class OneGroup:
    """The state of a group, as a task asks for it."""

    def __init__(self, state, params):
        self.state, self.params = state, params

    def record(self, key):
        """Return what is kept of the key."""
        if not self.state.exists:
            return None
        return Record.of_columns(self.params, tuple(self.state.get), None)

    def keeps(self, key):
        """Whether the key will be asked for again."""
        return True

    def keep(self, key, record):
        """In place: keep this."""
        self.state.update(record.to_columns())


def naive(df, setting):
    """Return the answers of a group and a call per key."""
    work = Task(params_of(setting, "classification", False, 0), COLUMNS.worker_features())
    carried = COLUMNS.worker_carried()

    def answered(key, frames, state):
        frame = pd.concat(list(frames)).sort_values(PLACE, kind="stable")
        inputs = np.ascontiguousarray(frame[list(work.features)].to_numpy())
        about = frame[KEY].tolist(), inputs, frame[PLACE].tolist(), frame[LABEL].tolist()
        said = work.answer(Rows(*about), OneGroup(state, work.params))
        likely = [said.one(at).probabilities for at in range(len(frame))]
        beside = {name: frame[name].to_numpy() for name in carried}
        regimes = pd.array([int(number) or None for number in said.regimes], "Int64")
        yield pd.DataFrame(
            {
                **beside,
                "prediction": pd.Series(said.predictions, dtype=object),
                "probabilities": pd.Series(likely, dtype=object),
                "regime": regimes,
                "version": said.versions,
                "outcome": said.outcomes,
            }
        )

    grouped = COLUMNS.for_workers(df).groupBy(KEY)
    timeout = GroupStateTimeout.NoTimeout
    schema = COLUMNS.answer_schema(df)
    return grouped.applyInPandasWithState(answered, schema, STATE, "append", timeout)


def ours(df, setting):
    """Return the answers of buckets of keys."""
    asked = {"key": "key", "features": FEATURES, "label": "label", "seq": "seq"}
    return predict_then_learn(df, **asked, setting=setting, buckets=BUCKETS)


def made_batch(at):
    """Return the rows of a batch."""
    rng = np.random.default_rng(at)
    n = KEYS * ROWS
    rows = pd.DataFrame(rng.normal(size=(n, len(FEATURES))), columns=FEATURES)
    rows.insert(0, "key", [f"key {key}" for key in np.tile(np.arange(KEYS), ROWS)])
    rows.insert(1, "seq", at * n + np.arange(n))
    rows["label"] = np.where(rows["f0"] + 0.5 * rng.normal(size=n) > 0.0, "up", "down")
    return rows


def measured(spark, answers_of, setting, folder):
    """Return rows a second of each warm batch."""
    stream = (
        spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    )
    place = Path(tempfile.mkdtemp(dir=folder))
    writer = answers_of(stream, setting).writeStream.format("parquet").trigger(availableNow=True)
    query = (
        writer.option("path", f"{place}/out").option("checkpointLocation", f"{place}/state").start()
    )
    query.awaitTermination()
    batches = [one for one in query.recentProgress if one["numInputRows"]]
    speeds = [
        1000.0 * one["numInputRows"] / one["durationMs"]["triggerExecution"] for one in batches
    ]
    size = sum(path.stat().st_size for path in (place / "state").rglob("*") if path.is_file())
    return {"batches": speeds, "warm": statistics.median(speeds[COLD:]), "checkpoint bytes": size}


def size_of(setting):
    """Return how many bytes the model of a key has that has learnt from 500 rows."""
    model = Model(params_of(setting, "classification", False, 0))
    X = np.random.default_rng(0).normal(size=(500, len(FEATURES)))
    model.learn(X, (X[:, 0] > 0.0).astype(float))
    return len(layouts.to_bytes(model.params, model.state))


def back_test(spark, folder, setting):
    """Return rows a second of a history that is all there."""
    began = time.perf_counter()
    rows = spark.read.schema(SCHEMA).parquet(str(folder / "in"))
    n = ours(rows, setting).where("outcome = 'learnt'").count()
    return {"rows": n, "rows a second": n / (time.perf_counter() - began)}


def main():
    """Measure, keep, render."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", default=",".join(SETTINGS_MEASURED))
    asked = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{CORES}]").config(
        "spark.sql.shuffle.partitions", PARTITIONS
    )
    for name, value in {
        **SETTINGS,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    folder = Path(tempfile.mkdtemp(prefix="mooe-spark-"))
    (folder / "in").mkdir()
    for at in range(COLD + WARM):
        made_batch(at).to_parquet(folder / "in" / f"{at}.parquet", index=False)
    whole = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"settings": {}}
    for setting in asked.settings.split(","):
        found = {
            "buckets": measured(spark, ours, setting, folder),
            "naive": measured(spark, naive, setting, folder),
            "back-test": back_test(spark, folder, setting),
            "bytes": size_of(setting),
        }
        print(setting, found["buckets"]["warm"], found["naive"]["warm"], found["back-test"])
        whole["settings"][setting] = {**found, "digest": digest.of("spark")}
        whole |= {"keys": KEYS, "rows": ROWS, "features": len(FEATURES), "cores": CORES}
        whole |= {"buckets": BUCKETS, "partitions": PARTITIONS, "origin": origin()}
        RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    spark.stop()
    shutil.rmtree(folder)
    page.write()


if __name__ == "__main__":
    main()
