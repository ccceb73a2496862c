"""Sweeps show every setting."""

import pytest

from mooe_paper.accuracy.published import RECURRING
from mooe_paper.accuracy.sweeps import (
    SETTINGS,
    place_in,
    printed,
    sweep_cells,
    sweep_table,
    swept,
)


def test_the_first_and_the_last_setting_are_run_quickly_all_of_them_otherwise():
    quick, full = (sweep_cells("Usenet1", None, ("Usenet1",), size) for size in (True, False))
    assert len(quick) == 2 * len(SETTINGS)
    assert len(full) == sum(map(len, SETTINGS.values()))


@pytest.mark.parametrize("model", SETTINGS)
def test_every_setting_can_be_run(model):
    records = [swept("recurring", model, name, max_rows=150) for name in SETTINGS[model]]
    assert {record["model"] for record in records} == {f"{model} swept"}
    assert len({record["accuracy"] for record in records}) > 1, "settings change something"
    table = sweep_table({record["setting"]: record for record in records}, model)
    assert table.columns[2:-1] == list(SETTINGS[model])
    assert [row[0] for row in table.rows] == ["recurring"]
    assert None not in table.rows[0][2:-1]


def test_a_printed_number_is_placed_beside_the_sweep():
    assert place_in(3.0, [4.0, 6.0]) == "below the sweep"
    assert place_in(6.0, [4.0, 6.0]) == "within the sweep"
    assert place_in(None, [4.0]) == place_in(3.0, [None]) == ""
    assert printed("Email", "condor") == RECURRING["Email"]["condor"][0]
    assert printed("recurring", "condor") is None
