"""One setting per method and table, taken by a rule, and the same rule for all."""

import pytest

from mooe_paper.accuracy.runs import run_setting
from mooe_paper.accuracy.sweep import (
    TAKEN,
    Printed,
    place_in,
    runs_of,
    settings_table,
    sweep_experiments,
    sweep_table,
    table_setting,
    table_settings,
)
from mooe_paper.unknowns import N_SETTINGS, SWEEPS


def printed(paper, of="s", model="condor", **accuracies):
    """Return a printed number with our accuracy by setting, 'mu_1' for 'mu 1'."""
    runs = {
        name.replace("_", " "): [{"accuracy": value / 100.0, "rows": 10_000}]
        for name, value in accuracies.items()
    }
    return Printed((of,), model, paper, runs)


def test_the_setting_with_which_most_numbers_hold_is_taken_for_all():
    numbers = [
        printed(80.0, "a", default=80.0, mu_1=70.0),
        printed(80.0, "b", default=70.0, mu_1=80.0),
        printed(80.0, "c", default=70.0, mu_1=79.0),
    ]
    assert table_setting(numbers) == "mu 1"
    assert [number.line("mu 1")[-2:] for number in numbers] == [
        [70.0, "ours lower at mu 1"],
        [80.0, "holds at mu 1"],
        [79.0, "holds at mu 1"],
    ]
    assert [number.line("mu 1")[4] for number in numbers] == ["holds", "ours lower", "ours lower"]


def test_of_equals_the_first_is_taken_so_that_our_default_is_left_only_for_more():
    assert table_setting([printed(80.0, default=81.0, mu_1=80.0)]) == "default"
    assert table_setting([printed(80.0, default=70.0, mu_1=71.0)]) == "default"
    assert table_setting([printed(80.0, default=70.0, mu_1=81.0, mu_2=80.0)]) == "mu 1"


def test_a_setting_that_was_not_run_everywhere_is_not_taken():
    numbers = [printed(80.0, "a", default=60.0, mu_1=80.0), printed(80.0, "b", default=60.0)]
    assert table_setting(numbers) == "default"


def test_without_a_printed_number_or_a_run_nothing_is_taken():
    assert table_setting([printed(None, default=80.0)]) == ""
    assert table_setting([Printed(("s",), "condor", 80.0, {"mu 0.1": []})]) == ""
    assert table_settings([printed(80.0, model="mooe", default=80.0)]) == {}
    line = printed(80.0, default=81.0).line("")
    assert line[-2:] == [None, ""]


def test_each_method_is_fitted_on_its_own():
    numbers = [
        printed(80.0, default=80.0, mu_1=70.0),
        printed(80.0, model="dtel", default=60.0, leaf_5=81.0),
    ]
    assert table_settings(numbers) == {"dtel": "leaf 5", "condor": "default"}
    rows = settings_table(numbers).rows
    assert [row[:3] for row in rows if row[-1] == TAKEN] == [
        ["dtel", "leaf 5", "1 of 1"],
        ["condor", "default", "1 of 1"],
    ]


@pytest.mark.parametrize("model", SWEEPS)
def test_a_sweep_has_a_column_for_each_setting(model):
    runs = {name: [{"accuracy": 0.5, "rows": 10}] for name in SWEEPS[model]}
    swept = sweep_table([Printed(("made",), model, 60.0, runs)], model, "title", ["stream"])
    assert swept.columns[2:-1] == list(SWEEPS[model])
    assert swept.rows == [["made", 60.0, *[50.0] * N_SETTINGS, "above the sweep"]]


def test_runs_are_those_of_the_default_and_of_every_setting():
    records = {
        "a": {"stream": "s", "model": "condor", "seed": 0},
        "b": {"stream": "s", "model": "condor swept", "setting": "mu 1"},
        "c": {"stream": "t", "model": "condor swept", "setting": "mu 10"},
    }
    found = runs_of(records, "condor", stream="s")
    assert found == {"mu 0.1": [records["a"]], "mu 1": [records["b"]]}
    assert runs_of(records, "majority", stream="s") == {"": []}


def test_all_settings_but_the_default_are_run_and_the_last_one_quickly():
    quick, full = (sweep_experiments(run_setting, "Usenet1", (), size) for size in (True, False))
    assert len(quick) == len(SWEEPS)
    assert len(full) == len(SWEEPS) * (N_SETTINGS - 1)


def test_a_printed_number_is_placed_beside_the_sweep():
    assert place_in(3.0, [4.0, 6.0]) == "below the sweep"
    assert place_in(6.0, [4.0, 6.0]) == "within the sweep"
    assert place_in(None, [4.0]) == place_in(3.0, [None]) == ""
