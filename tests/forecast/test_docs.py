"""What the page on forecasting shows works as it stands."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from command import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/forecasting.md").read_text()


def test_the_python_of_the_page_runs(tmp_path):
    first, second = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for code, words in ((first, "(24,) (6, 1)"), (second, "'MOOE-lo-80', 'MOOE-hi-80'")):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert words in done.stdout


def test_what_the_page_says_is_printed_is_printed():
    shown = PAGE.partition("<!-- output -->")[2].partition("<!-- end of output -->")[0]
    done = run("forecast", "regimes", "--quiet")
    assert done.returncode == 0
    assert dedent(shown).strip() == dedent(done.stdout).strip()  # docs/images/forecast.py makes it


def test_the_links_and_pictures_of_the_page_are_there():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
