"""States in Spark survive what kills a query: driver and JVM, in the middle of a batch."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from .rows import made_rows, said_in_order
from .session import put_rows, read_back
from .test_frames import parts_of, said, shuffled

pytestmark = pytest.mark.xdist_group("spark")  # one JVM

ROOT = Path(__file__).parents[2]


def run_killed(folder: Path, cores: int, parts: int, seq: int) -> int:
    """Return how the process of a query ended."""
    command = [sys.executable, "-m", "tests.spark.killed_query"]
    numbers = map(str, (cores, parts, seq))
    done = subprocess.run(
        [*command, str(folder), *numbers],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path[1:])},
        check=False,
    )
    return done.returncode


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes are of POSIX systems")
def test_killed_three_times_in_mid_batch_no_row_is_lost_or_doubled_and_all_bits_are_the_same(
    spark, tmp_path
):
    rows = made_rows(6, 40)
    parts = parts_of(rows, 4)
    for at, part in enumerate(parts):
        put_rows(tmp_path / "in", f"{at}", shuffled(part, at))
    # Another number of cores and of parts that rows come in each time: neither is in the state.
    for at, (cores, n_parts) in enumerate([(2, 1), (1, 3), (2, 4)]):
        seq = int(parts[at + 1]["seq"].iloc[30])
        assert run_killed(tmp_path, cores, n_parts, seq) == -signal.SIGKILL
    assert run_killed(tmp_path, 1, 2, -1) == 0
    assert said(read_back(spark, tmp_path)) == said_in_order(rows)
