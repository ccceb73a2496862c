"""The command itself, and how it fails."""

import atexit
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from mooe.words import counted, visible

INTERRUPTED = 130  # as typer ends a program after Ctrl-C

app = typer.Typer(
    name="mooe",
    help="Learn from streams whose concepts change and come back.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command; a failure, also Ctrl-C, is one line on standard error and exit code 1."""
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # Python's end would give -2
    try:
        app()
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _interrupted()
        raise
    except BrokenPipeError:  # whoever read our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (OSError, ValueError, MemoryError) as problem:
        note(str(problem) or type(problem).__name__)
        sys.exit(1)


def _interrupted() -> NoReturn:
    """Stop with exit code 1, whatever is pressed from now on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    note("interrupted")
    sys.exit(1)


def missing_line(n: int) -> str:
    """Return what becomes of cells without a value."""
    words = "a number is taken as the mean so far, a text as none"
    return f"{counted(n, 'cell')} without a value: {words}"


def note(message: str) -> None:
    """Print a line on standard error."""
    print(f"mooe: {visible(message)}", file=sys.stderr)


def fail(message: str) -> NoReturn:
    """Print a line on standard error and stop with exit code 1."""
    note(message)
    raise typer.Exit(1)


def usage(option: str, problem: object) -> NoReturn:
    """Stop with exit code 2 and words on what is wrong with an option."""
    raise typer.BadParameter(str(problem), param_hint=option)


def check_folder(what: str, folder: Path) -> None:
    """Stop with exit code 1 unless a file can be written into a folder; it is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as problem:
        fail(f"{what} must be in a folder one can write to, got {folder} ({problem.strerror})")


def check_file(what: str, path: Path) -> None:
    """Stop with exit code 1 unless a file can be written where a path, or its link, leads."""
    if os.path.isdir(path):
        fail(f"{what} must be written to a file, got the folder {path}")
    if os.path.exists(path) and not os.path.isfile(path):
        return  # a device or a pipe
    check_folder(what, Path(os.path.realpath(path) if os.path.islink(path) else path).parent)
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except OSError as problem:
        fail(f"{what} must have a name for a file, got {path.name!r:.80} ({problem.strerror})")


@contextmanager
def writing(what: str, path: Path) -> Iterator[None]:
    """Stop with exit code 1 and the name of a file that cannot be written to its end."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        fail(f"{what} could not be written to {path} ({problem.strerror or problem})")


def _show_version(wanted: bool) -> None:
    """Print the version and stop, if wanted."""
    if wanted:
        print(f"mooe {version('mooe')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options of the command itself."""
