"""What is put into the file of slots comes back, and its places are used again."""

import numpy as np
import pytest

from mooe.keyed.spill import SpillFile


@pytest.mark.parametrize("has_name", [False, True])
def test_slots_come_back_as_they_were(tmp_path, has_name):
    path = tmp_path / "slots" if has_name else None
    file, rng = SpillFile(path), np.random.default_rng(0)
    slots = [rng.normal(size=size) for size in (8, 24, 8, 16)]
    places = [file.put(slot) for slot in slots]
    for place, slot in zip(places, slots, strict=True):
        again = np.empty_like(slot)
        file.read(place, again)
        assert again.tobytes() == slot.tobytes()
    file.give(places[0], 8)
    assert file.put(slots[2]) == places[0]
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_touched(tmp_path):
    (tmp_path / "slots").write_text("mine")
    with pytest.raises(FileExistsError):
        SpillFile(tmp_path / "slots")
    assert (tmp_path / "slots").read_text() == "mine"


def test_a_file_that_was_cut_is_an_error(tmp_path):
    file = SpillFile(tmp_path / "slots")
    place = file.put(np.ones(8))
    (tmp_path / "slots").write_bytes(b"short")
    with pytest.raises(OSError, match="the spill file ends"):
        file.read(place, np.empty(8))
