"""The records that compiled code reads are aligned."""

import pytest

from mooe.auto.records import COUNTERS, SETTINGS


@pytest.mark.parametrize("record", [SETTINGS, COUNTERS])
def test_records_are_aligned_and_have_no_name_twice(record):
    assert record.isalignedstruct
    assert len(set(record.names)) == len(record.names)
