"""The command as its users start it, for tests."""

import os
import subprocess
import sys
from pathlib import Path

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
