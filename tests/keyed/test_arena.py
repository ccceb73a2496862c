"""The arena gives slots that do not overlap, and takes them back."""

import numpy as np
import pytest

from mooe.keyed import arena
from mooe.keyed.arena import Arena, fill


def test_slots_do_not_overlap_and_begin_at_cache_lines(monkeypatch):
    monkeypatch.setattr(arena, "SEGMENT", 64)
    own, taken = Arena(), []
    for size, n in ((8, 5), (24, 3), (72, 2), (8, 4)):
        taken += [(address, size) for address in own.take(size, n).tolist()]
    assert own.n_floats == sum(size for _, size in taken)
    for number, (address, size) in enumerate(taken):
        assert address % 64 == 0
        own.view(address, size)[:] = number
    for number, (address, size) in enumerate(taken):
        assert (own.view(address, size) == number).all()


def test_what_is_given_back_is_taken_again():
    own = Arena()
    first = own.take(16, 3)
    own.give(int(first[1]), 16)
    assert own.take(16).tolist() == [first[1]]
    assert own.n_floats == 48
    with pytest.raises(ValueError, match="address must be that of a slot, got 8"):
        own.view(8, 16)


def test_slots_are_filled_with_copies():
    own, slot = Arena(), np.arange(16.0)
    addresses = own.take(16, 4)
    fill(addresses, slot)
    assert all((own.view(address, 16) == slot).all() for address in addresses.tolist())
