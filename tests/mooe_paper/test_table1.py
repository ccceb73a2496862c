"""Table 1, from records that are made."""

import pytest

from mooe_paper import table1
from mooe_paper.accuracy.models import MODELS
from mooe_paper.accuracy.runs import SWEEPS
from mooe_paper.printed_numbers import ACCURACY, RECURRING
from mooe_paper.table1 import place_in, printed_accuracy, sweep_experiments, sweep_table


def made(quick=False, missing=("Kitsune",), accuracy=0.8):
    """Return a record for every experiment, without running any."""
    records = {}
    for experiment in table1.experiments(quick):
        if set(experiment.needs) & set(missing):
            records[experiment.name] = {"missing": f"{experiment.needs[0]} is not here"}
            continue
        record = {"rows": 10_000, "accuracy": accuracy, **experiment.arguments}
        if "setting" in record:
            record["model"] += " swept"
        records[experiment.name] = record
    return records


def table(records, title):
    (wanted,) = [table for table in table1.tables(records) if table.title == title]
    return wanted


def test_every_stream_has_every_model_and_the_trivial_ones():
    names = {experiment.name for experiment in table1.experiments(quick=False)}
    for stream in ACCURACY:
        for model in (*MODELS, "no-change", "majority"):
            assert f"{stream} {model} seed 0" in names
        for model, settings in SWEEPS.items():
            assert {f"{stream} {model} with {name}" for name in settings} <= names
    assert "Usenet1 mooe seed 2" in names
    assert "Usenet1 condor seed 1" not in names, "Condor draws no random numbers"


def test_a_missing_stream_has_a_line_that_says_so():
    shown = table(made(), "Paper and ours")
    assert ["Kitsune", "mooe-paper", 93.4, None, None, None, "not run"] in shown.rows
    assert "Kitsune is not here" in shown.note
    assert len(shown.rows) == len(ACCURACY) * len(MODELS)


def test_the_default_is_compared_with_the_papers_method():
    shown = table(made(accuracy=0.784), "Paper and ours")
    (line,) = [row for row in shown.rows if row[:2] == ["Usenet1", "mooe"]]
    assert line[2] == 78.5
    assert line[-1] == "holds"


def test_the_whole_sweep_is_shown_and_the_printed_number_placed():
    shown = table(made(accuracy=0.8), "Condor, by the strength mu of its pull")
    lines = {row[0]: row for row in shown.rows}
    assert "Kitsune" not in lines
    assert len(lines["Weather"]) == 3 + len(SWEEPS["condor"])
    assert lines["Weather"][-1] == "below the sweep"
    assert lines["Covertype"][-1] == "above the sweep"


def test_printed_numbers_above_all_batch_learners_are_named():
    shown = table(made(accuracy=0.8), "Batch references")
    words = {row[0]: row[-1] for row in shown.rows}
    assert words["Weather"] == "above batch"
    assert words["Powersupply"] == "within reach"
    assert words["Email"] == "above batch"


@pytest.mark.parametrize("quick", [True, False])
def test_rows_are_as_long_as_their_header(quick):
    for missing in ((), ("Usenet1", "Kitsune"), tuple(ACCURACY)):
        for shown in table1.tables(made(quick, missing)):
            assert all(len(row) == len(shown.columns) for row in shown.rows), shown.title


def test_the_first_and_the_last_setting_are_run_quickly_all_of_them_otherwise():
    quick, full = (sweep_experiments("Usenet1", ("Usenet1",), size) for size in (True, False))
    assert len(quick) == 2 * len(SWEEPS)
    assert len(full) == sum(map(len, SWEEPS.values()))


@pytest.mark.parametrize("model", SWEEPS)
def test_a_sweep_has_a_column_for_each_setting(model):
    records = {
        name: {"stream": "made", "model": f"{model} swept", "setting": name, "accuracy": 0.5}
        for name in SWEEPS[model]
    }
    swept = sweep_table(records, model)
    assert swept.columns[2:-1] == list(SWEEPS[model])
    assert [row[0] for row in swept.rows] == ["made"]
    assert None not in swept.rows[0][2:-1]


def test_a_printed_number_is_placed_beside_the_sweep():
    assert place_in(3.0, [4.0, 6.0]) == "below the sweep"
    assert place_in(6.0, [4.0, 6.0]) == "within the sweep"
    assert place_in(None, [4.0]) == place_in(3.0, [None]) == ""
    assert printed_accuracy("Email", "condor") == RECURRING["Email"]["condor"][0]
    assert printed_accuracy("recurring", "condor") is None
