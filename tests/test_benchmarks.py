"""The page of benchmarks is what the committed results give."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_page_is_rendered_from_the_result_files():
    command = [sys.executable, "benchmarks/page.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
