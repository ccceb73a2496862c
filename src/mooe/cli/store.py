"""mooe store: is a store sound, and a copy of it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from mooe.cli.app import app, fail
from mooe.cli.options import AsJson
from mooe.cli.snapshot import StorePlace, in_words

store = typer.Typer(help="Check and copy the store of a platform.")
app.add_typer(store, name="store", no_args_is_help=True)


@store.command()
@in_words()
def check(store: StorePlace, as_json: AsJson = False) -> None:
    """Look for damage and contradictions, also while a server has the store."""
    from mooe.platform.store import open_store

    opened = open_store(store, read_only=True)
    try:
        problems = opened.problems()
        counts = {
            table: opened.database.select(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("model", "prediction", "feedback", "snapshot")
        }
    finally:
        opened.database.close()
    if as_json:
        print(json.dumps({**counts, "problems": problems}, indent=2))
    else:
        for problem in problems:
            print(problem)
        if not problems:
            told = ", ".join(f"{n:,} {table}{'s' * (n != 1)}" for table, n in counts.items())
            print(f"sound: {told.replace('feedbacks', 'feedback')}")
    if problems:
        fail(f"{len(problems)} problems; a backup may have what is missing")


@store.command()
@in_words()
def backup(
    output: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")], store: StorePlace
) -> None:
    """Copy a store into a new file, also while a server has it."""
    from mooe.platform.store import open_store

    opened = open_store(store, read_only=True)
    try:
        opened.database.backup(output)
    finally:
        opened.database.close()
    print(f"{output}: {output.stat().st_size:,} bytes")
