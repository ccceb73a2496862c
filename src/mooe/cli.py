"""The mooe command: parse, call, print.

Results go to standard output, everything else to standard error. Exit codes: 0 fine, 1 failed or
interrupted, 2 wrong usage. What a command needs is imported when it runs, so that help comes at
once.
"""

import json
import sys
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

__all__ = ["app", "main"]

app = typer.Typer(
    name="mooe",
    help="Learn from streams whose concepts change and come back.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of everything random.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]


def main() -> None:
    """Run the command; a failure is one line on standard error."""
    try:
        app()
    except (OSError, ValueError, MemoryError) as problem:
        print(f"mooe: {str(problem) or type(problem).__name__}", file=sys.stderr)
        sys.exit(1)


def fail(message: str) -> NoReturn:
    """Print a line on standard error and stop with exit code 1."""
    print(f"mooe: {message}", file=sys.stderr)
    raise typer.Exit(1)


def show_version(wanted: bool) -> None:
    """Print the version and stop, if wanted."""
    if wanted:
        print(f"mooe {version('mooe')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options of the command itself."""


@app.command()
def demo(
    rows: Annotated[
        int, typer.Option(min=150, max=1_000_000, help="Rows of the stream.")
    ] = 200_000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Watch MOOE recall concepts that return, beside its online expert alone."""
    try:
        from rich.console import Console

        from mooe.demo import begin, play, results, summary

        console = Console(highlight=False)
        replay = begin(rows, seed)
        finished = play(replay, console, live=console.is_interactive and not as_json)
    except KeyboardInterrupt:
        fail("interrupted before the first row")
    if replay.returns:
        if as_json:
            print(json.dumps(results(replay), indent=2))
        else:
            console.print(summary(replay, console.width))
    if not finished:
        fail(f"interrupted after {replay.rows_done:,} of {len(replay.stream.y):,} rows")
