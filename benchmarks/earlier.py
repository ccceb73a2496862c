"""The code at an earlier commit, beside that of now: checked out into a folder of its own."""

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def checked_out(commit):
    """Give the folder of the code at a commit, which is taken away afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "worktree", "add", "--detach", folder, commit], cwd=ROOT, check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


class Worker:
    """A process that runs a script on the code of a folder, and answers a line with a line."""

    def __init__(self, folder, script, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, *words):
        """Return the numbers that it answers with."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def end(self):
        """Wait until it has ended."""
        self.process.stdin.close()
        self.process.wait()
