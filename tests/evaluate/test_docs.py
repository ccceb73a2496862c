"""The page on judging: its example runs and prints the numbers beside it."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/judging.md").read_text()


def test_the_example_prints_the_numbers_that_stand_beside_it():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    told = re.findall(r"print\(.*#\s*([\d.]+)", code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == told
    frozen, judged, *_ = map(float, told)
    assert judged - frozen > 0.2
    said = f"{frozen:.2f}".lstrip("0"), f"{judged:.2f}".lstrip("0")
    assert (
        "`fit(...).score(tail)` gives {} where {}".format(*said) in (ROOT / "README.md").read_text()
    )
