"""The tables of docs/baselines.md are what the committed results give."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tables_are_rendered_from_the_result_file():
    command = [sys.executable, "benchmarks/baselines_page.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs" / "baselines.md").read_text()
    assert page.count("<!-- rendered: ") == page.count("<!-- end -->") == 2
    assert "| Learn++.NSE |" in page
