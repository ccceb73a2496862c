"""The file of slots that are not in memory: fixed places, written and read whole.

It is scratch of one process and no checkpoint: what it holds is saved with the rest.
"""

import os
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

FLOAT = 8  # bytes


class SpillFile:
    """Slots on disk.

    Parameters
    ----------
    path : path, optional
        A file to make, which must not be there; by default one without a name, where the system
        keeps its temporary files.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        if path is None:
            self._file: Any = tempfile.TemporaryFile(prefix="mooe-", buffering=0)  # noqa: SIM115
        else:
            self._file = Path(path).open("x+b", buffering=0)  # noqa: SIM115
        self._closed = weakref.finalize(self, _close, self._file, path)
        self._end = 0  # in floats
        self._free: dict[int, list[int]] = {}

    def put(self, slot: np.ndarray) -> int:
        """In place: write a slot; return where it is."""
        free = self._free.get(len(slot))
        place = free.pop() if free else self._end
        self._file.seek(FLOAT * place)
        left = slot.view(np.uint8).data
        while len(left):
            left = left[self._file.write(left) :]
        self._end = max(self._end, place + len(slot))
        return place

    def read(self, place: int, slot: np.ndarray) -> None:
        """In place: slot = what was put at a place."""
        self._file.seek(FLOAT * place)
        left = slot.view(np.uint8).data
        while len(left):
            n = self._file.readinto(left)
            if not n:
                raise OSError(f"the spill file ends at {FLOAT * place} bytes: it was cut")
            left = left[n:]

    def give(self, place: int, size: int) -> None:
        """In place: a place is free again."""
        self._free.setdefault(size, []).append(place)

    def close(self) -> None:
        """Close the file, and remove it if it has a name; so does whoever forgets it."""
        self._closed()


def _close(file: Any, path: str | os.PathLike[str] | None) -> None:
    file.close()
    if path is not None:
        Path(path).unlink(missing_ok=True)
