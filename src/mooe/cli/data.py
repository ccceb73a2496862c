"""mooe data: the streams and series that have a name."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from mooe.cli.app import app, fail, note, usage
from mooe.cli.options import AsJson

data = typer.Typer(help="List, fetch and verify the streams that have a name.")
app.add_typer(data, name="data", no_args_is_help=True)

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of streams, or all.")]


@data.command("list")
def list_streams(as_json: AsJson = False) -> None:
    """Show the streams and series that have a name, and which of them are on this machine."""
    from mooe.datasets import describe

    entries = describe()
    if as_json:
        rows = [{**asdict(entry), "path": entry.path and str(entry.path)} for entry in entries]
        print(json.dumps(rows, indent=2))
        return
    from mooe.cli.terminal_tables import plain_table, to_stdout

    tables = {"stream": plain_table("stream", "rows", "features", "classes")}
    tables["series"] = plain_table("series", "rows", "channels")
    for table in tables.values():
        table.add_column("where")
    for entry in entries:
        is_series = entry.n_classes is None
        counts = [entry.n_rows, entry.n_features, *([] if is_series else [entry.n_classes])]
        numbers = ["-" if n is None else f"{n:,}" for n in counts]
        where = "not here" if entry.path is None else str(entry.path.parent)
        table = tables["series" if is_series else "stream"]
        table.add_row(entry.name, *numbers, "made from a seed" if entry.is_made else where)
    to_stdout().print(tables["stream"], "\nto forecast:\n", tables["series"], sep="\n")


@data.command()
def fetch(names: Names) -> None:
    """Fetch streams from where they are published, unless they are on this machine."""
    from mooe.datasets import fetch as fetched

    _attempt(names, lambda name: f"{name}: {fetched(name)}")


@data.command()
def verify(names: Names) -> None:
    """Compare streams on this machine with their checksums."""
    from mooe.datasets import verify as verified

    def line(name: str) -> str:
        file = verified(name)
        if file.path is None:
            raise ValueError(f"{name} must be on this machine; get it with: mooe data fetch {name}")
        if not file.ok:
            raise ValueError(f"{name}: sha256 must be {file.expected}, got {file.found}")
        return f"{name}: {'fine' if file.expected else 'no checksum is known'} ({file.path})"

    _attempt(names, line)


def _attempt(names: list[str], work: Any) -> None:
    """Do something for each stream and print its line; stop with exit code 1 if one failed."""
    from mooe.datasets.catalogue import NAMED, unknown_name
    from mooe.datasets.series import SERIES

    if names == ["all"]:
        names = [*NAMED, *SERIES]
    for name in names:
        if name not in NAMED and name not in SERIES:
            usage("NAME", unknown_name(name, "be the name of a published stream"))
    failed = []
    for name in names:
        try:
            print(work(name), flush=True)
        except (OSError, ValueError) as problem:
            note(str(problem))
            failed.append(name)
    if failed:
        fail(f"failed: {', '.join(failed)}")
