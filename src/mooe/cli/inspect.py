"""mooe inspect: what is in a model file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from mooe.cli.app import app
from mooe.cli.options import AsJson

__all__ = ["inspect"]

MOST_NAMES = 8  # of classes or columns in a line


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    as_json: AsJson = False,
) -> None:
    """Show what a saved model has learnt: parameters, experts, classes, columns."""
    found = facts(model)
    if as_json:
        print(json.dumps(found, indent=2))
        return
    from mooe.cli.tables import plain_table, to_stdout

    console = to_stdout()
    experts, params = found.pop("experts"), found.pop("params")
    for name, value in found.items():
        console.print(f"{name.replace('_', ' '):<14}{line(value)}", markup=False, soft_wrap=True)
    console.print("\nparameters    " + ", ".join(f"{k}={v}" for k, v in params.items()) + "\n")
    table = plain_table()
    for name in ("expert", "interval", "samples", "weight"):
        table.add_column(name, justify="left" if name == "expert" else "right", no_wrap=True)
    for one in sorted(experts, key=lambda one: -one["weight"]):
        first, last = one["samples"]
        samples = f"{first:,}-{last:,}" if last >= first else "none yet"
        weight = f"{100 * one['weight']:.2f} %"
        table.add_row(one["kind"], f"{one['interval']:,}", samples, weight)
    console.print(table)


def facts(path: Path) -> dict[str, Any]:
    """Return what is in a model file."""
    from mooe import core, modelfile

    if not path.exists():
        raise ValueError(f"model file must exist, got {str(path)!r}")
    params, state, extras = modelfile.read(path)
    source = extras.get("source") or {}
    return {
        "file": str(path),
        "kind": extras.get("class"),
        "model": source.get("model"),
        "format": modelfile.FORMAT,
        "task": params.task,
        "samples": state.n_labelled,
        "intervals": state.n_intervals,
        "classes": extras.get("labels"),
        "label": source.get("label"),
        "features": state.n_features,
        "columns": extras.get("feature_names"),
        "state_bytes": state.block.nbytes + state.counters.nbytes,
        "file_bytes": path.stat().st_size,
        "params": {k: v for k, v in asdict(params).items() if k != "task"},
        "experts": [asdict(one) for one in core.experts(params, state)],
    }


def line(value: Any) -> str:
    """Return a fact in a line."""
    if isinstance(value, list):
        more = f", ... {len(value) - MOST_NAMES:,} more" if len(value) > MOST_NAMES else ""
        return ", ".join(map(str, value[:MOST_NAMES])) + more
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
