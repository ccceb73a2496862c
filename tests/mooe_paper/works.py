"""Works of cells that tests run in processes of their own."""

import os
import signal
from pathlib import Path


def doubled(number):
    return {"number": 2 * number, "third": number / 3}


def failing(number):
    raise ValueError(f"number must be even, got {number!r}")


def not_a_number():
    return {"number": float("nan")}


def dying():
    os.kill(os.getpid(), signal.SIGKILL)


def noted(path, number):
    """Leave a trace of having been run."""
    with Path(path).open("a") as file:
        file.write(f"{number}\n")
    return {"number": number}


def waiting(path):
    """Say that it has begun, and wait to be ended."""
    Path(path).write_text("begun")
    signal.pause()
