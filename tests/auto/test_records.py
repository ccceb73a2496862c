"""The records that compiled code reads: aligned, with a switch for every expert."""

import numpy as np
import pytest

from mooe.auto.params import AutoParams
from mooe.auto.records import COUNTERS, EXPERTS, SETTINGS


@pytest.mark.parametrize("record", [SETTINGS, COUNTERS])
def test_records_are_aligned_and_have_no_name_twice(record):
    assert record.isalignedstruct
    assert len(set(record.names)) == len(record.names)


def test_every_expert_can_be_left_out_of_the_settings():
    for name in EXPERTS:
        assert not AutoParams(without=(name,)).settings[name][0]
        assert AutoParams().settings[name][0] == np.True_
