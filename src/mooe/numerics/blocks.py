"""One block of floats that is cut into named arrays, and the State that holds it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import populate_array

LINE = 8  # floats of a cache line
UNKNOWN, REFUSED = -1, -2  # in place of a class: that of the label is new, an input is unusable


@dataclass(eq=False)
class State:
    """What has been learnt: a record of counters and one block of floats."""

    counters: np.ndarray  # (1,)
    block: np.ndarray  # (n,)

    def __getattr__(self, name: str) -> Any:
        """Give the counters by name: state.n_labelled, state.t, ..."""
        counters = self.__dict__.get("counters")  # none while it is being unpickled
        if counters is not None and name in (counters.dtype.names or ()):
            return counters[name][0].item()
        raise AttributeError(name)

    def __setstate__(self, arrays: dict[str, np.ndarray]) -> None:
        """Take arrays of one's own when unpickled: they may be mapped from a read-only file."""
        self.__dict__.update({name: np.array(array) for name, array in arrays.items()})

    def copy(self) -> "State":
        """Return a copy that shares nothing."""
        other = State(self.counters.copy(), zeros(len(self.block)))
        other.block[:] = self.block
        return other


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


def take(block: np.ndarray, at: int, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Return the view of a block that begins at the next cache line, and the place behind it.

    Compiled code knows it too. A layout is a row of these: what they return last is its length.
    """
    at = -(-at // LINE) * LINE
    return cut(block, at, shape), at + math.prod(shape)


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


@type_callable(take)
def type_of_take(context: Any) -> Any:
    """Tell numba the type of a view and the place behind it."""
    return lambda block, at, shape: types.Tuple(
        [types.Array(block.dtype, len(shape), "C"), types.int64]
    )


@lower_builtin(cut, types.Array, types.Integer, types.BaseTuple)
def generate_cut(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of a view."""
    return _view_of(context, builder, signature.args[0], signature.return_type, args)[0]


@lower_builtin(take, types.Array, types.Integer, types.BaseTuple)
def generate_take(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of a view and of the place behind it."""
    kind, (block, at, shape) = signature.return_type, args
    at = builder.and_(builder.add(at, at.type(LINE - 1)), at.type(-LINE))
    view, length = _view_of(context, builder, signature.args[0], kind[0], (block, at, shape))
    return context.make_tuple(builder, kind, [view, builder.add(at, length)])


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
