"""Table 3, from records that are made."""

import pytest

from mooe_paper import table3


def made(quick=False, missing=False):
    records = {}
    for experiment in table3.experiments(quick):
        arguments = {**experiment.arguments, "stream": f"{experiment.arguments['stream']}-noise"}
        record = {"rows": 1_000, "accuracy": 0.8, "tail": 0.5, **arguments}
        records[experiment.name] = {"missing": "not here"} if missing else record
    return records


def test_every_model_has_noise_of_three_seeds():
    names = {experiment.name for experiment in table3.experiments(quick=False)}
    assert {f"Covertype mooe-paper seed {seed}" for seed in range(3)} <= names
    assert "Covertype no-change seed 0" in names


def test_the_papers_numbers_stand_beside_covertype_only():
    (full,), (quick,) = table3.tables(made()), table3.tables(made(quick=True))
    assert full.rows[2][1] == 80.1
    assert full.rows[2][5] == "holds"
    assert quick.rows[2][1] is None
    assert "in the place of Covertype" in quick.note
    assert full.rows[0][-1] == 50.0


@pytest.mark.parametrize("quick", [True, False])
def test_what_is_missing_is_said(quick):
    (one,) = table3.tables(made(quick, missing=True))
    assert one.rows[0][5] == "not run"
    assert "Not run: not here." in one.note
    assert all(len(row) == len(one.columns) for row in one.rows)
