"""One block of floats that is cut into named arrays, and the State that holds it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import populate_array

__all__ = ["REFUSED", "UNKNOWN", "State", "cut", "zeros"]

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


@type_callable(cut)
def kind_of_cut(context: Any) -> Any:
    """Tell numba the type of a view."""
    return lambda block, at, shape: types.Array(block.dtype, len(shape), "C")


@lower_builtin(cut, types.Array, types.Integer, types.BaseTuple)
def generate_cut(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Tell numba the code of a view."""
    block = context.make_array(signature.args[0])(context, builder, args[0])
    view = context.make_array(signature.return_type)(context, builder)
    shape = [builder.extract_value(args[2], i) for i in range(signature.return_type.ndim)]
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
    return view._getvalue()
