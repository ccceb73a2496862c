"""One model per sensor on Spark Structured Streaming, killed or not: run it, stop it, run it again.

    pip install 'mooe[spark]'          # and Java 17
    python examples/spark_streaming.py            # rows as files arrive, two cores of this machine
    python examples/spark_streaming.py --again    # more rows; the models go on where they stopped

Files of readings come into a folder, as they would from Kafka; every sensor has a model of its own,
which predicts each reading's alarm and then learns it. Some alarms are known only later and come as
rows of their own. All that is kept lies under one folder: rows, answers, and the checkpoint.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from mooe.spark import SETTINGS, predict_then_learn

FOLDER = Path(tempfile.gettempdir()) / "mooe-spark-example"
SCHEMA = "sensor string, at long, reading long, heat double, load double, wind double, alarm string"
SENSORS, EACH = 50, 12  # readings of each sensor in a file
LATE = 0.2  # of the alarms: known one file later


def session() -> SparkSession:
    """Return a Spark of this machine with what mooe needs."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("mooe")
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    # Partitions and buckets are fixed by the checkpoint: choose them for the cluster to come.
    for name, value in {**SETTINGS, **quiet, "spark.sql.shuffle.partitions": "4"}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def write_readings(folder: Path, number: int) -> None:
    """Put a file of readings into a folder, at once, with late alarms of the file before."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = readings(number)
    known = rows["alarm"].where(~is_late(number), None)
    parts = [rows.assign(alarm=known)]
    if number:
        before = readings(number - 1)[is_late(number - 1)]
        nothing = dict.fromkeys(("heat", "load", "wind"), np.nan)
        parts.insert(0, before.assign(**nothing))  # known before the readings of this file
    beside = folder.parent / f"{number}.parquet.tmp"
    whole = pd.concat(parts)
    whole["at"] = number * 10**6 + np.arange(len(whole))
    whole.to_parquet(beside, index=False)
    beside.rename(folder / f"{number:05}.parquet")


def readings(number: int) -> pd.DataFrame:
    """Return the readings of a file; what an alarm is made of changes every six files, and back."""
    rng = np.random.default_rng(number)
    n = SENSORS * EACH
    sensor, season = np.tile(np.arange(SENSORS), EACH), number // 6 % 2
    heat, load, wind = rng.normal(size=(3, n))
    score = np.where(season == 0, heat + load, wind - heat) + 0.3 * (sensor % 3 - 1) * load
    return pd.DataFrame(
        {
            "sensor": [f"sensor {one:02}" for one in sensor],
            "at": number * 10**6 + np.arange(n),
            "reading": number * n + np.arange(n),
            **{"heat": heat, "load": load, "wind": wind},
            "alarm": np.where(score + 0.3 * rng.normal(size=n) > 0.0, "yes", "no"),
        }
    )


def is_late(number: int) -> np.ndarray:
    """Return which alarms of a file are known only later."""
    return np.random.default_rng((number, 1)).random(SENSORS * EACH) < LATE


def main() -> None:
    """Run to the end of what is there, and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--files", type=int, default=8, help="of readings, each a batch")
    parser.add_argument("--again", action="store_true", help="go on with what is there")
    asked = parser.parse_args()
    if not asked.again and asked.folder.exists():
        shutil.rmtree(asked.folder)
    there = len(list((asked.folder / "in").glob("*.parquet")))
    for number in range(there, there + asked.files):
        write_readings(asked.folder / "in", number)

    spark = session()
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    answers = predict_then_learn(
        rows.parquet(str(asked.folder / "in")),
        key="sensor",
        features=["heat", "load", "wind"],
        label="alarm",
        seq="at",
        id="reading",
        label_within=timedelta(days=2),
        idle=timedelta(days=90),
        buckets=16,
    )
    began = time.perf_counter()
    query = (
        answers.writeStream.format("parquet")
        .option("path", str(asked.folder / "answers"))
        .option("checkpointLocation", str(asked.folder / "checkpoint"))
        .trigger(availableNow=True)  # to its end; a service has processingTime="5 seconds"
        .start()
    )
    query.awaitTermination()
    seconds = time.perf_counter() - began
    n = sum(progress["numInputRows"] for progress in query.recentProgress)
    print(f"{n:,} rows in {seconds:.1f} s, {len(query.recentProgress)} batches")

    # Read answers through Spark: files of a batch that was cut off are no part of them.
    said = spark.read.parquet(str(asked.folder / "answers"))
    said.groupBy("outcome").count().orderBy("outcome").show()
    judged = said.where("alarm is not null and prediction is not null")
    right = (F.col("alarm") == F.col("prediction")).cast("double")
    judged.groupBy((F.col("version") / 24).cast("int").alias("two dozen labels")).agg(
        F.round(F.avg(right), 3).alias("answered right"), F.count("*").alias("rows")
    ).orderBy("two dozen labels").show()
    spark.stop()


if __name__ == "__main__":
    main()
