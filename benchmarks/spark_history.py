"""A history of a million keys on Spark, a DataFrame that is all there: rows a second, once.

    python benchmarks/spark_history.py      # some minutes; results/spark.json and the page

Few rows of each key: what is measured is what a key costs, not its learning.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import digest
import page
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from spark import CORES, FEATURES, RESULTS

from mooe.evaluate.results import origin
from mooe.spark import SETTINGS, predict_then_learn

KEYS, EACH, PARTITIONS = 1_000_000, 3, 16


def history(spark):
    """Return rows of all keys in turn, made by Spark."""
    rows = spark.range(KEYS * EACH, numPartitions=PARTITIONS)
    inputs = [F.randn(place).alias(name) for place, name in enumerate(FEATURES)]
    made = rows.select((F.col("id") % KEYS).alias("key"), F.col("id").alias("seq"), *inputs)
    label = F.when(F.col("f0") + 0.5 * F.randn(len(FEATURES)) > 0, "up").otherwise("down")
    return made.withColumn("label", label)


def main():
    """Measure, keep, render."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{CORES}]")
    quiet = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
    more = {"spark.sql.shuffle.partitions": PARTITIONS, "spark.driver.memory": "3g"}
    for name, value in {**SETTINGS, **quiet, **more}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory(prefix="mooe-spark-") as folder:
        path = str(Path(folder) / "rows")
        history(spark).write.parquet(path)
        asked = {"key": "key", "features": FEATURES, "label": "label", "seq": "seq"}
        began = time.perf_counter()
        answers = predict_then_learn(spark.read.parquet(path), **asked, setting="light")
        n = answers.where("outcome = 'learnt'").count()
        seconds = time.perf_counter() - began
    spark.stop()
    whole = json.loads(RESULTS.read_text())
    found = {"keys": KEYS, "rows": n, "seconds": seconds, "origin": origin()}
    whole["history"] = {**found, "digest": digest.of("spark")}
    RESULTS.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    print(whole["history"])
    page.write()


if __name__ == "__main__":
    main()
