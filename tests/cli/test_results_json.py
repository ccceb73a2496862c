"""The JSON that commands print: every key for every task, others beside."""

import json
from types import SimpleNamespace

from made import made, made_values

from mooe.cli.results_json import comparison_json, run_json


def test_json_has_accuracy_and_kappa_for_every_task():
    (summary,) = json.loads(comparison_json([made_values()]))
    assert (summary["accuracy"], summary["kappa"], summary["mae"]) == (None, None, 0.5)


def test_a_run_tells_its_cells_and_rows_left_out_and_what_it_is_compared_with():
    rows = SimpleNamespace(n_missing=3, n_skipped=1)
    run = SimpleNamespace(results=made(), others=[made("no-change", 0.5)], rows=rows)
    summary = json.loads(run_json(run))
    assert (summary["model"], summary["missing_cells"], summary["skipped_rows"]) == ("mooe", 3, 1)
    assert [other["model"] for other in summary["others"]] == ["no-change"]
