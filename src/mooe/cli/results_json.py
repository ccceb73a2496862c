"""The JSON that `mooe run` and `mooe compare` print."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mooe.evaluate.measures import MEASURES
from mooe.evaluate.results import Results

if TYPE_CHECKING:
    from mooe.run.execution import Run


def run_json(run: "Run") -> str:
    """Return a finished run, with what was compared with it under `others`."""
    counts = {"missing_cells": run.rows.n_missing, "skipped_rows": run.rows.n_skipped}
    others = [full_summary(other) for other in run.others]
    summary = {**full_summary(run.results), **counts, "others": others}
    return json.dumps(summary, indent=2, default=str)


def comparison_json(finished: Sequence[Results]) -> str:
    """Return the runs of a comparison."""
    return json.dumps([full_summary(run) for run in finished], indent=2, default=str)


def full_summary(results: Results) -> dict[str, Any]:
    """Return the summary with all its keys: null where there is no such measure."""
    summary = results.summary()
    for measure in MEASURES.values():
        if measure.in_every_json:
            summary.setdefault(measure.key, None)
    return {**summary, "task": results.task, "interrupted": results.interrupted}
