"""Memory by its address, for compiled code over many small blocks that lie in several large ones.

Addresses are those of arrays that somebody keeps alive. Compiled code alone calls these.
"""

from typing import Any

from mooe.numerics.compiler import intrinsic, ir, populate_array, types

LINE_BYTES = 64  # of a cache line
SINGLES_IN_LINE = LINE_BYTES // 4  # of float32
BYTES = ir.IntType(8).as_pointer()
READ, KEEP, DATA = 0, 3, 1  # what the processor is told of a line that it fetches ahead


@intrinsic
def floats_at(context, address, n):
    """Return n floats from an address on, (n,) of float64."""
    kind = types.Array(types.float64, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _view(context, builder, kind, args[0], args[1], 8)

    return kind(types.int64, types.int64), generate


@intrinsic
def record_at(context, like, address):
    """Return the record at an address, (1,) of the dtype of another array."""
    kind = types.Array(like.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        return _view(context, builder, kind, args[1], ir.IntType(64)(1), size)

    return kind(like, types.int64), generate


@intrinsic
def fetch_ahead(context, address):
    """Tell the processor that the line at an address will be needed; any address will do."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _fetch(context, builder, builder.inttoptr(args[0], BYTES))

    return types.void(types.int64), generate


@intrinsic
def fetch_item(context, array, i):
    """Tell the processor that item i of an array will be needed."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return _fetch(context, builder, builder.bitcast(builder.gep(data, [args[1]]), BYTES))

    return types.void(array, types.int64), generate


def _fetch(context: Any, builder: Any, pointer: Any) -> Any:
    """Generate the instruction that fetches a line, and return nothing."""
    word = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, word, word, word])
    function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    builder.call(function, [pointer, word(READ), word(KEEP), word(DATA)])
    return context.get_dummy_value()


def _view(context: Any, builder: Any, kind: Any, address: Any, n: Any, size: int) -> Any:
    """Return the LLVM value of an array at an address."""
    view = context.make_array(kind)(context, builder)
    populate_array(
        view,
        data=builder.inttoptr(address, view.data.type),
        shape=[n],
        strides=[n.type(size)],
        itemsize=n.type(size),
        meminfo=ir.Constant(view.meminfo.type, None),
    )
    return view._getvalue()
