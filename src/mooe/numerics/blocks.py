"""One block of floats that is cut into named arrays, and the State that holds it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from mooe.numerics.checks import check_size
from mooe.numerics.compiled import shared
from mooe.numerics.compiler import ir, lower_builtin, populate_array, type_callable, types

LINE = 8  # floats of a cache line
ANYWHERE = np.broadcast_to(0.0, 2**46)  # as long as any block, and takes no room
# In place of a class: that of the label is new, or there is no room to learn; an input is unusable;
# the row is learnt, and there is not the room that another needs.
UNKNOWN, REFUSED, FULL = -1, -2, -3


@dataclass(eq=False)
class State:
    """What has been learnt: a record of counters and one block of floats."""

    counters: np.ndarray  # (1,)
    block: np.ndarray  # (n,)

    def __getattr__(self, name: str) -> Any:
        """Give the counters by name: state.n_labelled, state.t, ..."""
        try:
            return self.__dict__["counters"][name].item()  # [0] is five times as slow as item
        except (KeyError, ValueError):  # no counters while it is being unpickled; none of this name
            raise AttributeError(name) from None

    def __setstate__(self, arrays: dict[str, np.ndarray]) -> None:
        """Take arrays of one's own when unpickled: they may be mapped from a read-only file."""
        self.__dict__.update({name: np.array(array) for name, array in arrays.items()})

    def copy(self) -> "State":
        """Return a copy that shares nothing."""
        other = State(self.counters.copy(), zeros(len(self.block)))
        other.block[:] = self.block
        return other

    def become(self, other: "State") -> None:
        """In place: take the arrays of another state."""
        self.counters, self.block = other.counters, other.block


@dataclass(frozen=True)
class Layout:
    """How the block of an engine's states is cut into arrays."""

    open_block: Callable[..., tuple[Any, int]]  # of settings, counters, block: views and length
    sizes: tuple[str, ...]  # the counters that shapes depend on
    kept: str  # the parameter that says how many experts are kept

    def views(self, params: Any, state: State) -> Any:
        """Return the named arrays of a state; they are views, not copies."""
        return self.open_block(values(params.settings), values(state.counters), state.block)[0]

    def sizes_of(self, counters: np.ndarray) -> tuple[int, ...]:
        """Return the counters that shapes depend on."""
        chosen: tuple[int, ...] = _chooser(counters.dtype.names, self.sizes)(counters.item())
        return chosen

    def empty(self, params: Any, counters: np.ndarray) -> State:
        """Return a state of these counters whose arrays are all 0."""
        sizes = self.sizes_of(counters)
        n_features, n_outputs = counters["n_features"].item(), counters["n_outputs"].item()
        least = (params.interval + n_outputs * getattr(params, self.kept)) * (n_features + 1)
        check_size(params, least, self.kept)  # before numbers that compiled code cannot count with
        n_floats = length(self.open_block, params, self.sizes, sizes)
        check_size(params, n_floats, self.kept)
        return State(counters, zeros(n_floats))

    def resized(self, params: Any, state: State, **changes: int) -> State:
        """Return an empty state of other sizes, with the counters of this one."""
        counters = state.counters.copy()
        for name, value in changes.items():
            counters[name] = value
        return self.empty(params, counters)


@lru_cache
def _chooser(names: tuple[str, ...], chosen: tuple[str, ...]) -> Any:
    """Return a function that picks out of a record's values those of some names."""
    return itemgetter(*(names.index(name) for name in chosen))


@lru_cache
def length(open_block: Any, params: Any, names: tuple[str, ...], sizes: tuple[int, ...]) -> int:
    """Return how many floats are cut into arrays; kept, for many models are alike."""
    counters = SimpleNamespace(**dict(zip(names, sizes, strict=True)))
    return int(open_block(values(params.settings), counters, ANYWHERE)[1])


def values(record: np.ndarray) -> SimpleNamespace:
    """Return the values of a record by name, to be read: several times as quick as numpy's own."""
    return SimpleNamespace(**dict(zip(record.dtype.names or (), record[0].item(), strict=True)))


def records(params: Any, counters: np.ndarray) -> tuple[Any, Any]:
    """Return settings and counters by name, as compiled code reads and writes them."""
    return params.settings.view(np.recarray)[0], counters.view(np.recarray)[0]


def zeros(n: int) -> np.ndarray:
    """Return zeros that begin at a cache line: loads that straddle two lines cost twice."""
    room = np.zeros(n + LINE)
    first = -(room.ctypes.data // room.itemsize) % LINE
    return room[first : first + n]


def cut(block: np.ndarray, at: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return the view of a block that begins at a place and has a shape.

    Compiled code knows it too, as pointer arithmetic: block[...].reshape(...) would cost a call.
    """
    return block[at : at + math.prod(shape)].reshape(shape)


def singles(block: np.ndarray, at: int, n: int) -> np.ndarray:
    """Return n numbers of half the size that lie in a block from a place on, (n,) of float32.

    Compiled code knows it too. They are finite where the block's own are, and the other way round.
    """
    return _halves(block, at, n, np.float32)


def wholes(block: np.ndarray, at: int, n: int) -> np.ndarray:
    """Return n whole numbers that lie in a block from a place on, (n,) of int32; not negative.

    Compiled code knows it too.
    """
    return _halves(block, at, n, np.int32)


def _halves(block: np.ndarray, at: int, n: int, kind: Any) -> np.ndarray:
    """Return n numbers of four bytes that lie in a block."""
    if block is ANYWHERE:
        return block[:n]
    return block[at : at + -(-n // 2)].view(kind)[:n]


@shared
def next_line(at):
    """Return where the next cache line begins, in floats of a block."""
    return (at + LINE - 1) // LINE * LINE


@lru_cache
def room_from(n: int, first: int, least: int, part: int) -> int:
    """Return a number from n on, of those that begin with the first and grow by a part, or least.

    So what grows seldom has to be moved, and equal contents have equal room.

    >>> room_from(21, 48, 16, 16), room_from(49, 48, 16, 16), room_from(50, 2, 2, 5)
    (48, 64, 52)
    """
    room = first
    while room < n:
        room += max(least, room // part)
    return room


def take(kind: Any, block: np.ndarray, at: int, shapes: tuple[Any, ...]) -> tuple[Any, int]:
    """Return views of a block as a NamedTuple of a kind, and the place behind the last.

    Each begins at the cache line behind the one before. Compiled code knows it too. A layout is a
    row of these: what they return last is its length.
    """
    views = []
    for shape in shapes:
        at = -(-at // LINE) * LINE
        views.append(cut(block, at, shape))
        at += math.prod(shape)
    return kind(*views), at


def copy_alike(source: Any, target: Any) -> None:
    """In place: the arrays of a layout that have the same shape in another one, nested or not."""
    for before, after in zip(source, target, strict=True):
        if isinstance(before, tuple):
            copy_alike(before, after)
        elif before.shape == after.shape:
            after[:] = before


@type_callable(cut)
def type_of_cut(context: Any) -> Any:
    """Tell numba the type of a view."""
    return lambda block, at, shape: types.Array(block.dtype, len(shape), "C")


@type_callable(singles)
def type_of_singles(context: Any) -> Any:
    """Tell numba the type of numbers of half the size."""
    return lambda block, at, n: types.Array(types.float32, 1, "C")


@type_callable(wholes)
def type_of_wholes(context: Any) -> Any:
    """Tell numba the type of whole numbers of half the size."""
    return lambda block, at, n: types.Array(types.int32, 1, "C")


@type_callable(take)
def type_of_take(context: Any) -> Any:
    """Tell numba the type of views and the place behind them."""

    def typer(kind: Any, block: Any, at: Any, shapes: Any) -> Any:
        views = [types.Array(block.dtype, len(shape), "C") for shape in shapes]
        return types.Tuple([types.NamedTuple(views, kind.instance_class), types.int64])

    return typer


@lower_builtin(cut, types.Array, types.Integer, types.BaseTuple)
def generate_cut(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of a view."""
    return _view_of(context, builder, signature.args[0], signature.return_type, args)[0]


@lower_builtin(singles, types.Array, types.Integer, types.Integer)
@lower_builtin(wholes, types.Array, types.Integer, types.Integer)
def generate_halves(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of numbers of half the size."""
    block = context.make_array(signature.args[0])(context, builder, args[0])
    view = context.make_array(signature.return_type)(context, builder)
    size = block.itemsize.type(4)
    populate_array(
        view,
        data=builder.bitcast(builder.gep(block.data, [args[1]]), view.data.type),
        shape=[args[2]],
        strides=[size],
        itemsize=size,
        meminfo=ir.Constant(block.meminfo.type, None),
    )
    return view._getvalue()


@lower_builtin(take, types.NamedTupleClass, types.Array, types.Integer, types.BaseTuple)
def generate_take(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of views and of the place behind them."""
    kind, (_, block, at, shapes) = signature.return_type, args
    views = []
    for i, view_type in enumerate(kind[0].types):
        at = builder.and_(builder.add(at, at.type(LINE - 1)), at.type(-LINE))
        piece = (block, at, builder.extract_value(shapes, i))
        view, length = _view_of(context, builder, signature.args[1], view_type, piece)
        views.append(view)
        at = builder.add(at, length)
    return context.make_tuple(builder, kind, [context.make_tuple(builder, kind[0], views), at])


def _view_of(context: Any, builder: Any, block_type: Any, kind: Any, args: Any) -> tuple[Any, Any]:
    """Return the LLVM values of a view, and of its length in floats."""
    block = context.make_array(block_type)(context, builder, args[0])
    view = context.make_array(kind)(context, builder)
    shape = [builder.extract_value(args[2], i) for i in range(kind.ndim)]
    strides = [block.itemsize]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        view,
        data=builder.gep(block.data, [args[1]]),
        shape=shape,
        strides=strides,
        itemsize=block.itemsize,
        meminfo=ir.Constant(block.meminfo.type, None),
    )
    size = shape[0]
    for length in shape[1:]:
        size = builder.mul(size, length)
    return view._getvalue(), size
