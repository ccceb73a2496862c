"""The store of slots: which key's is where, in memory or in a file; new ones, larger ones, none.

Keys are numbers here, from 1 on; 0 is the slot of all that have learnt nothing, which is only read.
"""

import os
from collections.abc import Callable
from threading import Lock

import numpy as np

from mooe.engine import AnyParams, engine_of
from mooe.keyed.arena import Arena, fill
from mooe.keyed.keys import grown
from mooe.keyed.slots import (
    ADDRESS,
    FLOAT,
    GONE,
    KIND,
    LINES,
    N_FACTS,
    SPILLED,
    Content,
    Shape,
    n_scratch,
    read_slot,
    shape_of,
    shape_of_slot,
    write_slot,
)
from mooe.keyed.spill import SpillFile
from mooe.numerics.blocks import LINE, zeros

FRESH = 0
SPARE = 16  # a part of the memory that is made free beyond what is needed, so that it is seldom


class SlotStore:
    """Slots of keys.

    Parameters
    ----------
    kinds : list of parameters
        Of keys; each has one of these.
    fresh : function of parameters
        Returns what a new key of theirs holds.
    corrected : bool
        Whether slots have room for a correction.
    memory : int, optional
        Bytes that slots in memory may take.
    path : path, optional
        The file of the others.
    """

    def __init__(
        self,
        kinds: list[AnyParams],
        fresh: Callable[[AnyParams], Content],
        corrected: bool,
        memory: int | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self.kinds, self.corrected, self.memory = kinds, corrected, memory
        self.facts = np.full((1, N_FACTS), GONE)
        self.scratch, self._shapes = 0, set[Shape]()  # floats that a row may need, for these
        self._used, self._in_file = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._tick, self._lock = 0, Lock()
        self._arena, self._file = Arena(), None if memory is None else SpillFile(path)
        self._fresh = [self._packed(params, fresh(params)) for params in kinds]
        self.facts[FRESH] = self._new(0, 1)[0]

    def _packed(self, params: AnyParams, content: Content) -> tuple[Shape, np.ndarray]:
        """Return the shape and the floats of a slot that holds this."""
        shape = shape_of(params, content.state, self.corrected)
        slot = zeros(shape.size)
        write_slot(slot, shape, content)
        if shape not in self._shapes:
            self._shapes.add(shape)
            self.scratch = max(self.scratch, n_scratch(params, content.state))
        return shape, slot

    def _new(self, kind: int, n: int) -> np.ndarray:
        """In place: return the facts of n new keys."""
        shape, slot = self._fresh[kind]
        addresses = self._arena.take(shape.size, n)
        fill(addresses, slot)
        facts = np.tile(shape.facts(0, kind), (n, 1))
        facts[:, ADDRESS] = addresses
        return facts

    def reserve(self, n_keys: int) -> None:
        """In place: places for so many keys; new ones have no slot."""
        before, n = len(self.facts), 1 + n_keys
        if n > before:
            self.facts = grown(self.facts, n)
            self._used, self._in_file = grown(self._used, n), grown(self._in_file, n)
            self.facts[before:] = GONE

    def is_there(self, numbers: np.ndarray) -> np.ndarray:
        """Return which keys have a slot."""
        return np.asarray(self.facts[numbers, ADDRESS] != GONE)

    def sizes(self, numbers: np.ndarray) -> np.ndarray:
        """Return how many floats the slots of keys have, or will have."""
        new = self._fresh[0][0].size
        return np.where(self.is_there(numbers), self.facts[numbers, LINES] * LINE, new)

    def bring(self, numbers: np.ndarray, kinds: np.ndarray | None = None) -> None:
        """In place: the slots of different keys are in memory; new ones of these kinds are made."""
        self._tick += 1
        self._used[numbers] = self._tick
        addresses = self.facts[numbers, ADDRESS]
        new, waiting = numbers[addresses == GONE], numbers[addresses == SPILLED]
        if self._file is not None:
            needed = int(self.sizes(np.append(new, waiting)).sum())
            self._make_free(needed)
        own = np.zeros(len(new), np.int64) if kinds is None else kinds[addresses == GONE]
        for kind in np.unique(own).tolist():
            chosen = new[own == kind]
            self.facts[chosen] = self._new(kind, len(chosen))
        for number in waiting.tolist():
            size = int(self.facts[number, LINES]) * LINE
            (address,) = self._arena.take(size).tolist()
            self._read(number, self._arena.view(address, size))
            self._the_file.give(int(self._in_file[number]), size)
            self.facts[number, ADDRESS] = address

    @property
    def _the_file(self) -> SpillFile:
        """The file, where there is one."""
        if self._file is None:
            raise ValueError("memory must be limited for slots to wait in a file, got None")
        return self._file

    def _read(self, number: int, slot: np.ndarray) -> None:
        """In place: slot = that of a key, which waits in the file."""
        self._the_file.read(int(self._in_file[number]), slot)

    def _make_free(self, needed: int) -> None:
        """In place: so many floats fit into memory: keys unused for longest go to the file."""
        most = (self.memory or 0) // FLOAT
        if self._arena.n_floats + needed <= most:
            return
        there = np.flatnonzero(self.facts[:, ADDRESS] > SPILLED)
        there = there[(there != FRESH) & (self._used[there] < self._tick)]
        there = there[np.argsort(self._used[there], kind="stable")]
        sizes = self.facts[there, LINES] * LINE
        over = self._arena.n_floats + needed + most // SPARE - most
        n = int(np.searchsorted(np.cumsum(sizes), over)) + 1
        for number in there[:n].tolist():
            address, size = int(self.facts[number, ADDRESS]), int(self.facts[number, LINES]) * LINE
            self._in_file[number] = self._the_file.put(self._arena.view(address, size))
            self._arena.give(address, size)
            self.facts[number, ADDRESS] = SPILLED

    def slot(self, number: int) -> np.ndarray:
        """Return a copy of a key's slot, wherever it is."""
        address, lines = int(self.facts[number, ADDRESS]), int(self.facts[number, LINES])
        slot = zeros(lines * LINE)
        if address == SPILLED:
            self._read(number, slot)
        else:
            slot[:] = self._arena.view(address, len(slot))
        return slot

    def params(self, number: int) -> AnyParams:
        """Return the parameters of a key."""
        return self.kinds[int(self.facts[number, KIND])]

    def content(self, number: int) -> Content:
        """Return a copy of what a key's slot holds."""
        return read_slot(self.params(number), self.slot(number), self.corrected)

    def put(self, number: int, content: Content, kind: int | None = None) -> None:
        """In place: a key's slot, in memory, holds this; it may be of another size than before."""
        kind = int(self.facts[number, KIND]) if kind is None else kind
        with self._lock:
            shape, slot = self._packed(self.kinds[kind], content)
            (address,) = self._arena.take(shape.size).tolist()
            self._arena.view(address, shape.size)[:] = slot
            if self.facts[number, ADDRESS] != GONE:
                self._leave(number)
            self.facts[number] = shape.facts(address, kind)

    def _leave(self, number: int) -> None:
        """In place: the slot of a key is free."""
        address, size = int(self.facts[number, ADDRESS]), int(self.facts[number, LINES]) * LINE
        if address == SPILLED:
            self._the_file.give(int(self._in_file[number]), size)
        else:
            self._arena.give(address, size)

    def forget(self, number: int) -> None:
        """In place: a key has learnt nothing."""
        self._leave(number)
        self.facts[number] = GONE

    def grow_classes(self, number: int, content: Content, new: list[int]) -> Content:
        """In place: return the content with room for more classes, those of these numbers."""
        params, state = self.params(number), content.state
        content.classes = [*content.classes, *new]
        engine_of(params).grow_classes(params, state, len(content.classes))
        if self.corrected:
            content.correction = grown_correction(content.correction, int(state.n_outputs))
        return content

    def used(self, numbers: np.ndarray) -> np.ndarray:
        """Return when keys were last used, in turns."""
        return np.asarray(self._used[numbers])

    def restore(self, number: int, kind: int, slot: np.ndarray, used: int) -> None:
        """In place: a new key has this slot, of the right size, and was last used at a turn."""
        shape = shape_of_slot(self.kinds[kind], slot, self.corrected)
        if self.memory is not None:
            self._make_free(shape.size)
        (address,) = self._arena.take(shape.size).tolist()
        self._arena.view(address, shape.size)[:] = slot
        self.facts[number], self._used[number] = shape.facts(address, kind), used
        self._tick = max(self._tick, used + 1)
        if shape not in self._shapes:
            self._shapes.add(shape)
            state = self.content(number).state
            self.scratch = max(self.scratch, n_scratch(self.kinds[kind], state))

    def n_bytes(self) -> int:
        """Return how many bytes the slots of all keys have, in memory and in the file."""
        there = self.facts[1:, ADDRESS] != GONE
        return int(self.facts[1:, LINES][there].sum()) * LINE * FLOAT

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()


def grown_correction(correction: np.ndarray, n_outputs: int) -> np.ndarray:
    """Return the weights of a correction with room for more classes.

    Of two classes the single row of weights, which are those of the second against the first,
    becomes half of it for each; a new class has none.

    >>> grown_correction(np.array([[2.0]]), 3).tolist()
    [[-1.0], [1.0], [0.0]]
    """
    if len(correction) == 1 and n_outputs > 1:
        correction = np.concatenate([-0.5 * correction, 0.5 * correction])
    missing = np.zeros((n_outputs - len(correction), correction.shape[1]))
    return np.concatenate([correction, missing])
