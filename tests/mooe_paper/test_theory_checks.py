"""The whole of the theory's checks: its experiments, and tables and figures from records."""

import json
from pathlib import Path

from mooe_paper import theory_checks
from mooe_paper.checks.streams import LABELS, SETTINGS
from mooe_paper.store import load_result, records_of

KEPT = Path(__file__).parents[2] / "docs" / "results" / "theory.json"


def test_every_setting_is_checked_with_every_kind_of_labels():
    names = {experiment.name for experiment in theory_checks.experiments(quick=False)}
    for setting in SETTINGS:
        assert all(f"regrets, {setting}, {labels}" in names for labels in LABELS)


def test_names_are_unique_and_arguments_are_json():
    for quick in (False, True):
        planned = theory_checks.experiments(quick)
        assert len({experiment.name for experiment in planned}) == len(planned)
        json.dumps([experiment.arguments for experiment in planned], allow_nan=False)
        assert not any(experiment.needs for experiment in planned)


def test_in_the_committed_results_every_corrected_inequality_holds_and_every_printed_one_breaks():
    records = records_of(load_result(KEPT))
    assert list(records) == [
        experiment.name for experiment in theory_checks.experiments(quick=False)
    ]
    tables = {table.title: table for table in theory_checks.tables(records)}
    held = tables["Corrected inequalities, observed"]
    assert [row[-1] for row in held.rows] == ["holds"] * 19
    broken = tables["What is printed, broken"].rows
    assert [row[4] for row in broken] == ["broken"] * 8
    assert [row[-1] for row in broken] == [*["holds"] * 4, "", "", "", ""]


def test_counter_examples_give_their_table_without_the_other_experiments():
    records = {
        experiment.name: experiment.function(**experiment.arguments)
        for experiment in theory_checks.counter_example_experiments(quick=True)
        if experiment.name != "rademacher"
    }
    tables = {table.title: table for table in theory_checks.tables(records)}
    verdicts = [row[4] for row in tables["What is printed, broken"].rows]
    assert set(verdicts) == {"broken"}
    assert theory_checks.figures(records) == {}
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
