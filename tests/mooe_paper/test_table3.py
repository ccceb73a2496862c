"""Table 3, from records that are made."""

import pytest

from mooe_paper import table3


def made(quick=False, missing=False):
    records = {}
    for experiment in table3.experiments(quick):
        arguments = {**experiment.arguments, "stream": f"{experiment.arguments['stream']}-noise"}
        record = {"rows": 1_000, "accuracy": 0.8, "tail": 0.5, **arguments}
        if "setting" in record:
            record["model"] += " swept"
        records[experiment.name] = {"missing": "not here"} if missing else record
    return records


def test_every_model_has_noise_of_three_seeds():
    names = {experiment.name for experiment in table3.experiments(quick=False)}
    assert {f"Covertype mooe-paper seed {seed}" for seed in range(3)} <= names
    assert "Covertype no-change seed 0" in names


def test_the_papers_numbers_stand_beside_covertype_only():
    (full, _), (quick, _) = table3.tables(made()), table3.tables(made(quick=True))
    assert full.rows[2][1] == 80.1
    assert full.rows[2][5] == "holds"
    assert quick.rows[2][1] is None
    assert "in the place of Covertype" in quick.note
    assert full.rows[0][-1] == 50.0


def test_every_method_has_its_setting():
    records = made()
    records["Covertype mooe-paper with R 3"]["accuracy"] = 0.858
    shown, settings = table3.tables(records)
    lines = {row[0]: row for row in shown.rows}
    assert lines["mooe-paper"][5:8] == ["ours lower", pytest.approx(85.8), "holds at R 3"]
    assert lines["mooe"][6:8] == lines["no-change"][6:8] == [None, ""]
    assert ["mooe-paper", "R 3", "1 of 1"] in [row[:3] for row in settings.rows if row[-1]]


@pytest.mark.parametrize("quick", [True, False])
def test_what_is_missing_is_said(quick):
    (one, _) = table3.tables(made(quick, missing=True))
    assert one.rows[0][5] == "not run"
    assert "Not run: not here." in one.note
    assert all(len(row) == len(one.columns) for row in one.rows)
