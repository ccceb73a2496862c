"""examples/spark_streaming.py runs as it is, and goes on where it stopped."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from spark.session import MOST_STARTS, came_too_late, needs_java

pytestmark = pytest.mark.xdist_group("spark")  # one JVM
EXAMPLE = Path(__file__).parents[2] / "examples" / "spark_streaming.py"


def run(*options):
    """Return how the example ended; it ends by itself, however busy the machine is."""
    return subprocess.run([sys.executable, EXAMPLE, *options], capture_output=True, text=True)


def outcomes(folder, *more):
    """Return what became of all rows, as the example prints it after a file of readings more."""
    done = run("--folder", folder, "--files", "1", *more)
    for _ in range(MOST_STARTS - 1):
        if done.returncode and came_too_late(done.stderr):
            done = run("--folder", folder, "--files", "0", "--again")
    assert done.returncode == 0, done.stdout + done.stderr
    cells = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()]
    return {row[1]: int(row[2]) for row in cells if len(row) == 4 and row[2].isdigit()}


def test_the_example_runs_and_goes_on_where_it_stopped(tmp_path):
    needs_java()
    about = importlib.util.spec_from_file_location("example", EXAMPLE)
    example = importlib.util.module_from_spec(about)
    about.loader.exec_module(example)
    n = example.SENSORS * example.EACH
    late = [int(example.is_late(number).sum()) for number in range(2)]
    first = outcomes(tmp_path / "kept")
    assert first == {"answered": late[0], "learnt": n - late[0]}
    again = outcomes(tmp_path / "kept", "--again")
    assert again == {"answered": sum(late), "learnt": 2 * n - late[1]}
