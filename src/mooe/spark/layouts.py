"""A state as bytes: its arrays as they lie in memory, and a description of where each of them lies.

The description is kept once for many states. A version of mooe that lays states out in another way
reads it, and takes the arrays over by their names: that is how states migrate.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from mooe.auto import layout as auto_layout
from mooe.engine import AnyParams, engine_of
from mooe.keyed.slots import n_learnt, shape_of_slot
from mooe.numerics.blocks import State
from mooe.paper import layout as paper_layout

Layouts = {"auto": auto_layout, "paper": paper_layout}


def to_bytes(params: AnyParams, state: State) -> bytes:
    """Return counters and arrays of a state, as they lie in memory."""
    return state.counters.tobytes() + state.block[: n_learnt(params, state)].tobytes()


def counters_of(params: AnyParams, blob: bytes) -> np.ndarray:
    """Return the counters of a state of this version, (1,) records."""
    return np.frombuffer(blob, Layouts[params.mode].COUNTERS, 1)


def name_of(params: AnyParams, blob: bytes) -> str:
    """Return the name of a state's layout: equal ones have the same description."""
    return _described(params, _sizes(params, blob))[0]


def description(params: AnyParams, blob: bytes) -> str:
    """Return where everything lies in the bytes of a state, as JSON."""
    return _described(params, _sizes(params, blob))[1]


def is_own(params: AnyParams, blob: bytes, name: str) -> bool:
    """Whether a state whose layout has this name is laid out as this version lays it out."""
    if len(blob) < Layouts[params.mode].COUNTERS.itemsize:
        return False
    return name == _known(params, _sizes(params, blob))


def _sizes(params: AnyParams, blob: bytes) -> tuple[int, ...]:
    """Return the counters that the sizes of a state's arrays come from."""
    sizes: tuple[int, ...] = Layouts[params.mode].LAYOUT.sizes_of(counters_of(params, blob))
    return sizes


def slot_of(params: AnyParams, blob: bytes, n_classes: int) -> np.ndarray:
    """Return the slot, as in `mooe.keyed.slots`, of a state of this version.

    Its classes have the numbers that they have in the state.
    """
    floats = np.frombuffer(blob, np.float64)
    shape = shape_of_slot(params, floats, False)
    slot, n = np.zeros(shape.size), shape.counters
    slot[:n] = floats[:n]
    slot[n : n + n_classes] = np.arange(n_classes)
    slot[shape.block : shape.block + shape.n_block] = floats[n:]
    return slot


def of_slot(params: AnyParams, slot: np.ndarray) -> tuple[bytes, str]:
    """Return the bytes of the state that a slot holds, and the name of its layout."""
    shape = shape_of_slot(params, slot, False)
    block = slot[shape.block : shape.block + shape.n_block]
    blob = slot[: shape.counters].tobytes() + block.tobytes()
    return blob, name_of(params, blob)


def migrated(params: AnyParams, blob: bytes, described: str) -> State:
    """Return a state of this version from bytes that another one laid out, by their description.

    Arrays and counters are taken over by name; what is new is as in a state that has learnt
    nothing.
    """
    about, layout, engine = json.loads(described), Layouts[params.mode], engine_of(params)
    kind = np.dtype([(name, form) for name, form in about["counters"]])
    old = np.frombuffer(blob, kind, 1)
    n_features, n_classes = int(old["n_features"][0]), int(old["n_classes"][0])
    fresh = engine.init(params, n_features, n_classes)
    counters = fresh.counters.copy()
    for counter in layout.COUNTERS.names or ():
        if counter in (kind.names or ()):
            counters[counter] = old[counter]
    state: State = layout.LAYOUT.empty(params, counters)
    own, first = dict(_arrays(params, state)), dict(_arrays(params, fresh))
    kept = {array: where for array, *where in about["arrays"]}
    for array, view in own.items():
        offset, form, shape = kept.get(array, (0, "", ()))
        if array in kept and tuple(shape) == view.shape and np.dtype(form) == view.dtype:
            count = int(np.prod(shape))
            found = np.frombuffer(blob, form, count, kind.itemsize + offset)
            view[...] = found.reshape(shape)
        elif first[array].shape == view.shape:
            view[...] = first[array]
    return state


@lru_cache
def _known(params: AnyParams, sizes: tuple[int, ...]) -> str | None:
    """Return the name of a layout of this version, None for sizes that no state of it has."""
    try:
        return _described(params, sizes)[0]
    except (ArithmeticError, MemoryError, ValueError):  # counters of another version, misread
        return None


@lru_cache
def _described(params: AnyParams, sizes: tuple[int, ...]) -> tuple[str, str]:
    """Return name and description of the layout of states of these sizes."""
    layout = Layouts[params.mode]
    counters = np.zeros(1, layout.COUNTERS)
    for name, value in zip(layout.LAYOUT.sizes, sizes, strict=True):
        counters[name] = value
    state = layout.LAYOUT.empty(params, counters)
    begin = state.block.ctypes.data
    arrays = [
        [name, view.ctypes.data - begin, view.dtype.str, list(view.shape)]
        for name, view in _arrays(params, state)
    ]
    text = json.dumps({"counters": layout.COUNTERS.descr, "arrays": arrays})
    return hashlib.sha256(text.encode()).hexdigest()[:16], text


def _arrays(params: AnyParams, state: State) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what has been learnt in a state, array by array, by name."""
    learnt = n_learnt(params, state) * state.block.itemsize
    views = Layouts[params.mode].LAYOUT.views(params, state)
    for name, view in _named(views):
        if view.size and view.ctypes.data - state.block.ctypes.data < learnt:
            yield name, view


def _named(views: Any, before: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of nested views by their names, with dots between."""
    for name, view in views._asdict().items():
        if isinstance(view, tuple):
            yield from _named(view, f"{before}{name}.")
        else:
            yield f"{before}{name}", view
