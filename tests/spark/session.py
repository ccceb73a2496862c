"""A Spark of the tests' own, and queries that run in a process of theirs, to be killed."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from mooe.spark import SETTINGS

MOST_STARTS = 3
SCHEMA = "key string, seq long, a double, b double, c double, label string"


def needs_java() -> None:
    """Skip a test where there is no Java."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17, and there is no java on the path")


def start(cores: int = 2, partitions: int = 2):
    """Return a session of this process."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{cores}]").appName("mooe tests")
    settings = {
        **SETTINGS,
        "spark.sql.shuffle.partitions": partitions,
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def put_rows(folder: Path, name: str, rows) -> None:
    """Write rows as a file of a stream's source, at once."""
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder.parent / f"{name}.{folder.name}.tmp"
    rows.to_parquet(beside, index=False)
    beside.rename(folder / f"{name}.parquet")


def source(session, folder: Path, schema: str = SCHEMA, files: int = 1):
    """Return a stream of the files of a folder, so many in a batch, in the order of their times."""
    reader = session.readStream.schema(schema).option("maxFilesPerTrigger", files)
    return reader.parquet(str(folder))


def run_to_end(answers, folder: Path):
    """Run a query over all that is there, started again where Spark did not wait; return it."""
    from pyspark.errors import StreamingQueryException

    for _ in range(MOST_STARTS - 1):
        try:
            return _run(answers, folder)
        except StreamingQueryException as problem:
            if not came_too_late(str(problem)):
                raise
    return _run(answers, folder)


def came_too_late(told: str) -> bool:
    """Whether a query ended because the driver's Python took more than ten seconds to start.

    So long does Spark wait for it before the first batch, whatever else the machine has to do, and
    no setting changes that. Nothing has been learnt then; a query that is started again goes on.
    """
    return "Python worker failed to connect back" in told


def _run(answers, folder: Path):
    query = (
        answers.writeStream.format("parquet")
        .option("path", str(folder / "out"))
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return query


def read_back(session, folder: Path) -> list:
    """Return the answers that were committed."""
    return session.read.parquet(str(folder / "out")).collect()
