"""The command as its users start it, for tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from mooe.cli import app

MOOE = Path(sys.executable).with_name("mooe")
# A terminal's own wishes (FORCE_COLOR, COLUMNS, ...) are not to reach the tests.
PLAIN = {
    name: value
    for name, value in os.environ.items()
    if name not in {"FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"}
}


def run(*arguments, text_in=None, cwd=None, **environment):
    """Run the command in a process of its own, to its end."""
    return subprocess.run(
        [MOOE, *map(str, arguments)],
        capture_output=True,
        text=True,
        input=text_in,
        cwd=cwd,
        env=PLAIN | environment,
        check=False,
    )


def words(text):
    """Return a text without the frames and line ends that terminals put in."""
    return " ".join(text.replace("│", " ").split())


def inside(*arguments, text_in=None):
    """Run the command inside this process."""
    return CliRunner().invoke(app, list(map(str, arguments)), input=text_in)


def found_by(*arguments, text_in=None):
    """Return the JSON of `mooe run`, inside this process."""
    done = inside("run", *arguments, "--json", text_in=text_in)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)
