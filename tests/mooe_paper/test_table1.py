"""Table 1, from records that are made."""

import pytest

from mooe_paper import table1
from mooe_paper.accuracy.published import ACCURACY
from mooe_paper.accuracy.sweeps import SETTINGS


def made(quick=False, missing=("Kitsune",), accuracy=0.8):
    """Return a record for every cell, without running any."""
    found = {}
    for cell in table1.cells(quick):
        if set(cell.needs) & set(missing):
            found[cell.name] = {"missing": f"{cell.needs[0]} is not here"}
            continue
        record = {"rows": 10_000, "accuracy": accuracy, **cell.arguments}
        if "setting" in record:
            record["model"] += " swept"
        found[cell.name] = record
    return found


def table(found, title):
    (one,) = [one for one in table1.tables(found) if one.title == title]
    return one


def test_every_stream_has_every_model_and_the_trivial_ones():
    names = {cell.name for cell in table1.cells(quick=False)}
    for stream in ACCURACY:
        for model in (*table1.MODELS, "no-change", "majority"):
            assert f"{stream} {model} seed 0" in names
        for model, settings in SETTINGS.items():
            assert {f"{stream} {model} with {name}" for name in settings} <= names
    assert "Usenet1 mooe seed 2" in names
    assert "Usenet1 condor seed 1" not in names, "Condor draws no random numbers"


def test_a_missing_stream_has_a_line_that_says_so():
    one = table(made(), "Paper and ours")
    assert ["Kitsune", "mooe-paper", 93.4, None, None, None, "not run"] in one.rows
    assert "Kitsune is not here" in one.note
    assert len(one.rows) == len(ACCURACY) * len(table1.MODELS)


def test_the_default_is_compared_with_the_papers_method():
    one = table(made(accuracy=0.784), "Paper and ours")
    (line,) = [row for row in one.rows if row[:2] == ["Usenet1", "mooe"]]
    assert line[2] == 78.5
    assert line[-1] == "holds"


def test_the_whole_sweep_is_shown_and_the_printed_number_placed():
    one = table(made(accuracy=0.8), "Condor, by the strength mu of its pull")
    lines = {row[0]: row for row in one.rows}
    assert "Kitsune" not in lines
    assert len(lines["Weather"]) == 3 + len(SETTINGS["condor"])
    assert lines["Weather"][-1] == "below the sweep"
    assert lines["Covertype"][-1] == "above the sweep"


def test_printed_numbers_above_all_batch_learners_are_named():
    one = table(made(accuracy=0.8), "Batch references")
    words = {row[0]: row[-1] for row in one.rows}
    assert words["Weather"] == "above batch"
    assert words["Powersupply"] == "within reach"
    assert words["Email"] == "above batch"


@pytest.mark.parametrize("quick", [True, False])
def test_rows_are_as_long_as_their_header(quick):
    for missing in ((), ("Usenet1", "Kitsune"), tuple(ACCURACY)):
        for one in table1.tables(made(quick, missing)):
            assert all(len(row) == len(one.columns) for row in one.rows), one.title
