"""What the README shows works as it stands."""

import os
import re
import shlex
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from command import run
from shop import as_csv, made_rows

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^    mooe ([^#\n]+)", README, re.MULTILINE)


def test_the_ten_lines_of_python_run(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    accuracy, shown = done.stdout.splitlines()
    assert 0.8 < float(accuracy) <= 1.0
    assert re.search(r"regime now: \d+, since row [\d,]+; here before: rows [\d,]+-", shown)
    assert (tmp_path / "model.mooe").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works_where_no_data_was_fetched(command, tmp_path):
    (tmp_path / "sales.csv").write_text(as_csv(made_rows(n=1_000)))
    days = ((date(2023, 1, 1) + timedelta(day), 100 + 30 * (day % 7 > 4)) for day in range(200))
    lines = "".join(f"{day},{value}\n" for day, value in days)
    (tmp_path / "turnover.csv").write_text(f"day,turnover\n{lines}")
    done = run(*shlex.split(command), cwd=tmp_path, MOOE_DATA_HOME=str(tmp_path / "data"))
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert (tmp_path / "report" / "index.html").exists() == ("--report" in command)


def test_every_link_of_the_readme_leads_somewhere():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_make_target_of_the_readme_is_there():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"make (\w+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_ci_script_calls_the_command_of_the_readme():
    assert "make test" in (ROOT / ".ci/run").read_text()
    assert os.access(ROOT / ".ci/run", os.X_OK)
