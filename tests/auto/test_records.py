"""The records and numbers that compiled code is made with fit together."""

import numpy as np
import pytest

from mooe.auto import records
from mooe.auto.params import PARTS, AutoParams
from mooe.auto.records import COUNTERS, SETTINGS


@pytest.mark.parametrize("record", [SETTINGS, COUNTERS])
def test_every_field_lies_where_a_processor_can_load_it_at_once(record):
    for name in record.names:
        assert record.fields[name][1] % record[name].itemsize == 0, name
    assert record.itemsize % max(record[name].itemsize for name in record.names) == 0


def test_every_part_that_has_a_switch_is_switched_by_its_own_name():
    whole = AutoParams().settings[0]
    parts = [name for name in SETTINGS.names if SETTINGS[name] == np.bool_ and name != "classify"]
    assert set(parts) <= set(PARTS)
    for part in parts:
        without = AutoParams(without=(part,)).settings[0]
        assert [name for name in SETTINGS.names if without[name] != whole[name]] == [part]


@pytest.mark.parametrize(
    ("names", "size"),
    [
        ("N_CONCEPTS IN_CHARGE T N_MADE N_SWITCHED N_CLOSED N_NAMED LIVE_LOSS", "N_STATUS"),
        ("BORN LAST SAMPLES RECOGNISED NAME N_VISITS WORSE COMPARED", "N_FACTS"),
        ("LIVE FRESH ADAGRAD PASSIVE", "BUSY"),
    ],
)
def test_places_in_an_array_are_all_of_them_and_each_has_one_name(names, size):
    places = [getattr(records, name) for name in names.split()]
    assert sorted(places) == list(range(getattr(records, size)))
