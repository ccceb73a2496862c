"""mooe snapshot: states of a model that a store keeps, and the way back to one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from mooe.cli.app import app, fail, usage
from mooe.cli.options import AsJson, place

snapshot = typer.Typer(help="List, save, restore and compare states of a model in a store.")
app.add_typer(snapshot, name="snapshot", no_args_is_help=True)

StorePlace = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        envvar="MOOE_STORE",
        help="A SQLite file, or postgresql://...",
    ),
]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Its name in the store.")]


@contextmanager
def in_words() -> Iterator[None]:
    """Stop with exit code 1 and a line on what a platform cannot do."""
    from mooe.platform.errors import PlatformError

    try:
        yield
    except PlatformError as problem:
        fail(str(problem))


@snapshot.command("list")
@in_words()
def list_snapshots(model: ModelName, store: StorePlace, as_json: AsJson = False) -> None:
    """Show the snapshots of a model, also while a server has the store."""
    from mooe.platform.store import open_store, stored_model

    opened = open_store(store, read_only=True)
    try:
        stored = stored_model(opened, model)
        rows = opened.snapshots(stored.k)
        head = opened.last_seq(stored.shadow_of or stored.k)
    finally:
        opened.database.close()
    if as_json:
        facts = [{**each._asdict(), "at": _date(each.at)} for each in rows]
        print(json.dumps({"model": model, "feedback": head, "snapshots": facts}, indent=2))
        return
    from mooe.cli.terminal_tables import plain_table, to_stdout

    table = plain_table("labels learnt", "when", "kind", "bytes")
    for each in rows:
        table.add_row(f"{each.seq:,}", _date(each.at), each.kind, f"{each.size:,}")
    console = to_stdout()
    if rows:
        console.print(table)
    console.print(f"{model}: {head:,} labels learnt, {len(rows):,} snapshots", markup=False)


@snapshot.command()
@in_words()
def save(
    model: ModelName,
    store: StorePlace,
    output: Annotated[
        Path | None, place("--output", "FILE", "Write it to a model file too.", None)
    ] = None,
) -> None:
    """Save a snapshot of a model as it is now; it is kept until the model is deleted."""
    from mooe.platform import Platform

    with Platform(store) as platform:
        saved = platform.save_snapshot(model)
        if output is not None:
            platform.get(model).save(output)
    print(f"{model}: saved after {saved.seq:,} labels, {saved.size:,} bytes")


@snapshot.command()
@in_words()
def restore(
    model: ModelName,
    store: StorePlace,
    to: Annotated[
        int | None,
        typer.Option(min=0, metavar="LABELS", help="Back to when it had learnt so many."),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Back to before a time: 2026-11-17T13:00, UTC."),
    ] = None,
) -> None:
    """Take a model back to an earlier state: what came after counts no longer."""
    from mooe.platform import Platform

    if (to is None) == (before is None):
        usage("--to", "must be given, or --before, and not both")
    when = None if before is None else _time(before)
    with Platform(store) as platform:
        seq = to if when is None else platform.seq_before(model, when)
        n = platform.restore(model, seq or 0)
    print(f"{model}: back to {seq:,} labels; {n:,} after that count no longer")


@snapshot.command()
@in_words()
def diff(
    model: ModelName,
    first: Annotated[int, typer.Argument(metavar="LABELS", help="From when it had so many.")],
    store: StorePlace,
    second: Annotated[
        int | None, typer.Argument(metavar="[LABELS]", help="To when it had so many; now.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model has learnt between two states, also while a server has the store."""
    from mooe.platform.history import state_at
    from mooe.platform.snapshots import difference
    from mooe.platform.store import open_store, stored_model

    opened = open_store(store, read_only=True)
    try:
        stored = stored_model(opened, model)
        head = opened.last_seq(stored.shadow_of or stored.k)
        states = []
        for seq in (first, head if second is None else second):
            if not 0 <= seq <= head:
                usage("LABELS", f"must be from 0 to {head:,}, got {seq:,}")
            state, _ = state_at(opened, stored, seq)
            state.check_sound()
            states.append(state.model)
    finally:
        opened.database.close()
    changes = difference(*states)
    if as_json:
        print(json.dumps([change._asdict() for change in changes], indent=2))
        return
    from mooe.cli.terminal_tables import plain_table, to_stdout

    table = plain_table("what", "before", "after")
    for change in changes:
        table.add_row(change.what, _told(change.before), _told(change.after))
    to_stdout().print(table)


def _told(value: Any) -> str:
    """Return a value in a table."""
    if isinstance(value, float):
        return f"{100 * value:.1f} %"
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def _date(microseconds: int) -> str:
    """Return a time in words."""
    return f"{datetime.fromtimestamp(microseconds / 1e6, UTC):%Y-%m-%d %H:%M:%S}"


def _time(text: str) -> datetime:
    """Return a time, UTC where it does not say otherwise."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        usage("--before", f"must be a time such as 2026-11-17T13:00, got {text!r}")
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
