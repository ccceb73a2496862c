"""The files of a reproduction: one for each finished experiment, one for each result."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from mooe import modelfile
from mooe_paper import RESULTS
from mooe_paper.experiment import Experiment, Record, Records
from mooe_paper.fingerprint import versions


def cell_path(folder: Path, result: str, experiment: Experiment, quick: bool) -> Path:
    """Return the file of an experiment's record."""
    name = experiment.name
    words = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
    size = "quick" if quick else "full"
    mark = hashlib.sha256(name.encode()).hexdigest()[:6]  # names may differ in a comma only
    return folder / "cells" / result / size / f"{words}-{mark}.json"


def read_cell(path: Path, fingerprint: str) -> Record | None:
    """Return the record in a file if it was made with the same fingerprint, otherwise None."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["fingerprint"] == fingerprint:
            record: Record = content["record"]
            return record
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none, or not a whole one: it is run again
    return None


def write_cell(path: Path, fingerprint: str, record: Record) -> None:
    """Write the record of an experiment; whoever looks finds all of it or nothing."""
    _write_json(path, {"fingerprint": fingerprint, "record": record})


def write_result(
    folder: Path,
    result: str,
    title: str,
    experiments: list[Experiment],
    records: Records,
    quick: bool,
    digests: dict[str, str],
) -> Path:
    """Write the records of a result, in the order of its experiments; return the file."""
    needs = [need for experiment in experiments for need in experiment.needs]
    path = folder / f"{result}.json"
    _write_json(
        path,
        {
            "result": result,
            "title": title,
            "quick": quick,
            "origin": versions(),
            "data": {need: digests[need] for need in needs if need in digests},
            "cells": [
                {"name": each.name, "arguments": each.arguments, "record": records[each.name]}
                for each in experiments
            ],
        },
    )
    return path


def load_result(path: Path) -> dict[str, Any]:
    """Return the content of a file that `write_result` wrote."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def results_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the results that have a file in a folder, in the order of `RESULTS`."""
    paths = {name: folder / f"{name}.json" for name in RESULTS}
    return {name: load_result(path) for name, path in paths.items() if path.exists()}


def records_of(result: dict[str, Any]) -> Records:
    """Return the records of a loaded result by the name of their experiment."""
    return {cell["name"]: cell["record"] for cell in result["cells"]}


def _write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON in a way that leaves the old file or the new one, never a part."""
    text = json.dumps(content, indent=1, sort_keys=False, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():  # replaced, not followed
        path.unlink()
    modelfile.write(path, text.encode())
