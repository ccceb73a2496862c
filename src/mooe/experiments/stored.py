"""The files of an experiment: one for each finished cell, one for each result."""

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mooe import modelfile
from mooe.experiments import RESULTS
from mooe.experiments.cells import Cell, Found
from mooe.results import origin

__all__ = [
    "cell_path",
    "code_digest",
    "depends_on",
    "fingerprint",
    "found_in",
    "load_result",
    "read_cell",
    "results_in",
    "write_cell",
    "write_result",
]


def code_digest(folder: Path | None = None) -> str:
    """Return a hash of the text of every module in a folder, that of mooe unless told."""
    folder = folder or Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()} {len(text)}\n".encode() + text)
    return found.hexdigest()


def fingerprint(cell: Cell, quick: bool, digests: dict[str, str], code: str) -> str:
    """Return a hash of all that the record of a cell depends on.

    Its name, function and arguments, the code, versions and machine, and the bytes of the streams
    it needs.
    """
    known = {
        "name": cell.name,
        "work": f"{cell.work.__module__}.{cell.work.__name__}",
        "arguments": cell.arguments,
        "quick": quick,
        "code": code,
        "origin": depends_on(),
        "data": {need: digests[need] for need in cell.needs},
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def cell_path(folder: Path, result: str, cell: Cell, quick: bool) -> Path:
    """Return the file of a cell."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", cell.name).strip("-")
    size = "quick" if quick else "full"
    mark = hashlib.sha256(cell.name.encode()).hexdigest()[:6]  # names may differ in a comma only
    return folder / "cells" / result / size / f"{words}-{mark}.json"


def read_cell(path: Path, mark: str) -> dict[str, Any] | None:
    """Return the record of a cell that was finished with the same fingerprint, or None."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["fingerprint"] == mark:
            record: dict[str, Any] = kept["record"]
            return record
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none, or not a whole one: it is run again
    return None


def write_cell(path: Path, mark: str, record: dict[str, Any]) -> None:
    """Write the record of a finished cell; whoever looks finds all of it or nothing."""
    write_whole(path, {"fingerprint": mark, "record": record})


def write_result(
    folder: Path,
    result: str,
    title: str,
    cells: list[Cell],
    found: Found,
    quick: bool,
    digests: dict[str, str],
) -> Path:
    """Write the records of all cells of a result, in order, and what they depend on."""
    data = {need: digests[need] for cell in cells for need in cell.needs if need in digests}
    path = folder / f"{result}.json"
    write_whole(
        path,
        {
            "result": result,
            "title": title,
            "quick": quick,
            "origin": depends_on(),
            "data": data,
            "cells": [
                {"name": cell.name, "arguments": cell.arguments, "record": found[cell.name]}
                for cell in cells
            ],
        },
    )
    return path


def load_result(path: Path) -> dict[str, Any]:
    """Return what `write_result` wrote."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def results_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the results that have a file in a folder, in the order of `RESULTS`."""
    paths = {name: folder / f"{name}.json" for name in RESULTS}
    return {name: load_result(path) for name, path in paths.items() if path.exists()}


def found_in(kept: dict[str, Any]) -> Found:
    """Return the records of a result's file by the name of their cell."""
    return {cell["name"]: cell["record"] for cell in kept["cells"]}


def depends_on() -> dict[str, str]:
    """Return versions and machine; batch learners and the theory lean on scipy as well."""
    return origin(scipy=version("scipy"))


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """Write JSON in a way that leaves the old file or the new one, never a part."""
    text = json.dumps(content, indent=1, sort_keys=False, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():  # replaced, not followed
        path.unlink()
    modelfile.write(path, text.encode())
