"""The example of docs/scale.md runs as it is, and goes on where it stopped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from .session import needs_java

pytestmark = pytest.mark.xdist_group("spark")  # one JVM

EXAMPLE = Path(__file__).parents[2] / "examples" / "spark_streaming.py"


def test_the_example_runs_as_it_is_and_again(tmp_path):
    needs_java()
    command = [sys.executable, str(EXAMPLE), "--folder", str(tmp_path / "kept"), "--files", "2"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path[1:])}
    told = [
        subprocess.run(
            [*command, *more], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for more in ([], ["--again"])
    ]
    assert "2 batches" in told[0]
    assert "learnt" in told[1]
    learnt = [line.split("|")[2] for line in told[1].splitlines() if line.startswith("|  learnt")]
    assert len(learnt) == 1
    assert int(learnt[0]) > 2_000  # of 2,400 readings; alarms of the last file are not all known
