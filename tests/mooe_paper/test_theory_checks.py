"""The whole of the theory's checks: its cells, and tables and figures from records."""

import json
from pathlib import Path

from mooe_paper import theory_checks
from mooe_paper.bounds.assumed import LABELS, SETTINGS
from mooe_paper.stored import found_in, load_result

KEPT = Path(__file__).parents[2] / "docs" / "results" / "theory.json"


def test_every_setting_is_checked_with_every_kind_of_labels():
    names = {cell.name for cell in theory_checks.cells(quick=False)}
    for setting in SETTINGS:
        assert all(f"regrets, {setting}, {labels}" in names for labels in LABELS)


def test_names_are_unique_and_arguments_are_json():
    for quick in (False, True):
        cells = theory_checks.cells(quick)
        assert len({cell.name for cell in cells}) == len(cells)
        json.dumps([cell.arguments for cell in cells], allow_nan=False)
        assert not any(cell.needs for cell in cells)


def test_in_the_committed_results_every_corrected_inequality_holds_and_every_printed_one_breaks():
    found = found_in(load_result(KEPT))
    assert list(found) == [cell.name for cell in theory_checks.cells(quick=False)]
    tables = {table.title: table for table in theory_checks.tables(found)}
    held = tables["Corrected inequalities, observed"]
    assert [row[-1] for row in held.rows] == ["holds"] * 19
    broken = tables["What is printed, broken"].rows
    assert [row[4] for row in broken] == ["broken"] * 7
    assert [row[-1] for row in broken] == [*["holds"] * 5, "", ""]


def test_counter_examples_give_their_table_without_the_other_cells():
    found = {
        cell.name: cell.work(**cell.arguments)
        for cell in theory_checks.broken(quick=True)
        if cell.name != "rademacher"
    }
    tables = {table.title: table for table in theory_checks.tables(found)}
    verdicts = [row[4] for row in tables["What is printed, broken"].rows]
    assert set(verdicts) == {"broken"}
    assert theory_checks.figures(found) == {}
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
