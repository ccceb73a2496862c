"""The arena: slots of several sizes in a few large blocks of memory, found by their addresses.

Blocks are never moved, so that compiled code may go on while others make room. Memory that no slot
has used yet is only promised by the system.
"""

import numpy as np

from mooe.numerics.addresses import floats_at
from mooe.numerics.arithmetic import copy, vector
from mooe.numerics.blocks import zeros
from mooe.numerics.compiled import announced, compiled
from mooe.numerics.compiler import int64, void

FLOAT = 8  # bytes
SEGMENT = 2**23  # floats, 64 MiB

with announced(__name__, "the arena (a second)"):

    @compiled(void(int64[::1], vector))
    def fill(addresses, slot):
        """In place: the slots at these addresses are copies of one."""
        for i in range(addresses.shape[0]):
            copy(slot, floats_at(addresses[i], slot.shape[0]))


class Arena:
    """Slots in memory.

    Attributes
    ----------
    n_floats : int
        Of the slots that are taken.
    """

    def __init__(self) -> None:
        self.n_floats = 0
        self._segments: dict[int, np.ndarray] = {}  # by the address of their first float
        self._free: dict[int, list[int]] = {}  # addresses of slots given back, by size
        self._next = self._end = 0  # addresses: what is left of the last segment

    def take(self, size: int, n: int = 1) -> np.ndarray:
        """In place: return the addresses of n slots of so many floats, a multiple of a line."""
        self.n_floats += n * size
        free = self._free.get(size, [])
        n_old = min(n, len(free))
        found = [np.array([free.pop() for _ in range(n_old)], np.int64)]
        n -= n_old
        while n > 0:
            here = min(n, (self._end - self._next) // (FLOAT * size))
            if here == 0:
                self._add_segment(size)
                continue
            found.append(self._next + FLOAT * size * np.arange(here))
            self._next += FLOAT * size * here
            n -= here
        return np.concatenate(found)

    def _add_segment(self, size: int) -> None:
        """In place: more memory, for slots of a size at least."""
        segment = zeros(max(SEGMENT, size))
        address = segment.ctypes.data
        self._segments[address] = segment
        self._next, self._end = address, address + FLOAT * len(segment)

    def give(self, address: int, size: int) -> None:
        """In place: a slot is free again."""
        self.n_floats -= size
        self._free.setdefault(size, []).append(address)

    def view(self, address: int, size: int) -> np.ndarray:
        """Return the floats of a slot; not a copy."""
        for first, segment in self._segments.items():
            if first <= address < first + FLOAT * len(segment):
                at = (address - first) // FLOAT
                return segment[at : at + size]
        raise ValueError(f"address must be that of a slot, got {address}")
