"""The file of a KeyedMOOE: a JSON header, shared models, slots as they lie in memory; no pickle.

Slots are written one after the other, so that a file is as large as they are and needs no memory
beside them. They are laid out as this version lays them out, which the header says: another version
may refuse the file. What outlives versions is the model file of a key, `KeyedMOOE.model(key).save`.

A checksum finds damage. It does not find intent: a forged file may crash the process, so a file
should be loaded only if it comes from where one's own models come from.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mooe.engine import AnyParams
from mooe.keyed.slots import KIND, LINES, layout_of, shape_of_slot
from mooe.modelfile import ModelFileError, keep_name
from mooe.numerics.blocks import LINE

MAGIC = b"mooe-keyed\n"
FORMAT = 1
PIECE = 2**20  # floats that are read at a time
FLOAT = 8  # bytes
DIGEST = 32  # bytes of the checksum, which comes last


def write(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    blobs: list[bytes],
    slots: Iterator[np.ndarray],
) -> None:
    """Put a file in place of another at once and for good; slots are asked for one by one."""
    path = Path(os.path.realpath(path))
    beside = path.with_name(f".mooe-{os.getpid()}-{secrets.token_hex(4)}")
    about = {"format": FORMAT, "blobs": [len(blob) for blob in blobs], **header}
    text = json.dumps(about, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256()
    try:
        with beside.open("xb") as file:

            def put(part: Any) -> None:
                digest.update(part)
                file.write(part)

            for part in (MAGIC, len(text).to_bytes(8, "little"), text, *blobs):
                put(part)
            for slot in slots:
                put(slot.view(np.uint8).data)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    keep_name(path.parent)


class Reader:
    """A file that is read from its beginning to its end; errors name it.

    Attributes
    ----------
    header : dict
    blobs : list of bytes
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path, self._digest = path, hashlib.sha256()
        self._file = Path(path).open("rb")  # noqa: SIM115  it is read piece by piece
        if self._take(len(MAGIC)) != MAGIC:
            self.fail("not a file of KeyedMOOE")
        n = int.from_bytes(self._take(8), "little")
        if n > Path(path).stat().st_size:
            self.fail("it is cut short")
        try:
            self.header: dict[str, Any] = json.loads(self._take(n))
            number, lengths = self.header["format"], self.header["blobs"]
        except (ValueError, KeyError, TypeError) as problem:
            self.fail(f"its header cannot be read: {problem}")
        if number != FORMAT:
            self.fail(f"it has the format {number!r}, this version reads {FORMAT}")
        self.blobs = [self._take(n) for n in lengths]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def fail(self, problem: str) -> Any:
        """Close the file and raise ModelFileError."""
        self.close()
        raise ModelFileError(f"{os.fspath(self.path)}: {problem}")

    def _take(self, n: int) -> bytes:
        """Return the next bytes."""
        part = self._file.read(n)
        if len(part) < n:
            self.fail("it is cut short")
        self._digest.update(part)
        return part

    def slots(
        self, facts: np.ndarray, kinds: list[AnyParams], corrected: bool
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the place of each slot in facts, and its floats; then the checksum is looked at."""
        sizes = facts[:, LINES] * LINE
        first = 0
        while first < len(sizes):
            total = np.cumsum(sizes[first:])
            end = first + max(1, int(np.searchsorted(total, PIECE, side="right")))
            floats = np.frombuffer(self._take(FLOAT * int(sizes[first:end].sum())), np.float64)
            parts = np.split(floats, np.cumsum(sizes[first : end - 1]))
            for place, slot in enumerate(parts, first):
                kind = int(facts[place, KIND])
                if len(slot) != shape_of_slot(kinds[kind], slot, corrected).size:
                    self.fail(f"slot {place} is not of the size that its counters tell")
                yield place, slot
            first = end
        if self._file.read(DIGEST + 1) != self._digest.digest():
            self.fail("its checksum does not match its content")


def check_layout(reader: Reader, kinds: list[AnyParams], width: int) -> None:
    """Raise ModelFileError unless slots are laid out as this version lays them out."""
    own = [layout_of(params, width) for params in kinds]
    if reader.header["layouts"] != own:
        reader.fail(
            "its slots are laid out by another version of mooe; models of keys that were saved "
            "one by one can be loaded"
        )


def loaded(path: str | os.PathLike[str], make: Callable[[Reader], Any]) -> Any:
    """Return what is made of a file; what it runs into is a ModelFileError that names it."""
    reader = Reader(path)
    try:
        return make(reader)
    except ModelFileError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as problem:
        return reader.fail(f"it is damaged: {problem}")
    finally:
        reader.close()
