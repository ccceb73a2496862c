"""A query in a process of its own, which dies with its JVM in the middle of a batch if it is to.

python -m tests.spark.killed_query FOLDER CORES PARTS SEQ: cores, parts that the rows of a batch
come in, and the row at whose answer everything is killed; -1 for none.
"""

import os
import signal
import sys
from pathlib import Path

from mooe.spark import predict_then_learn

from .rows import FEATURES
from .session import run_to_end, source, start


def main(folder: Path, cores: int, parts: int, seq: int) -> None:
    """Run the query to its end, or to the row that kills it."""
    spark = start(cores)
    rows = source(spark, folder / "in").repartition(parts)
    asked = {"key": "key", "features": FEATURES, "label": "label", "seq": "seq", "buckets": 4}
    answers = predict_then_learn(rows, **asked)
    group = os.getpgid(0)

    def passed_on(frames):
        for frame in frames:
            if (frame["seq"] == seq).any():
                os.killpg(
                    group, signal.SIGKILL
                )  # driver and JVM; nothing of this batch is committed
            yield frame

    run_to_end(answers.mapInPandas(passed_on, answers.schema), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
