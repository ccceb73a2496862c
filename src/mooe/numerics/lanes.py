"""Four floats at once: what compiled code loads, computes with and stores in one instruction.

Loops over lanes are written out, with the order of every sum, so that nothing is left for a
compiler to reorder. Functions and operators take floats and lanes alike; a float beside lanes
counts for all four.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

WIDTH = 4  # lanes: a register of AVX2, two of SSE2 or NEON

DOUBLE = ir.DoubleType()
QUAD = ir.VectorType(DOUBLE, WIDTH)
PAIR = ir.VectorType(DOUBLE, 2)
LONG = ir.IntType(64)
INDEX = ir.IntType(32)


class Lanes(types.Type):
    """Four floats side by side."""


lanes = Lanes("Lanes")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """Lanes are one LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, QUAD)


def _widened(builder: Any, value: Any) -> Any:
    """Return an LLVM value as a vector: a single float goes into all lanes."""
    if value.type == QUAD:
        return value
    first = builder.insert_element(ir.Constant(QUAD, ir.Undefined), value, INDEX(0))
    mask = ir.Constant(ir.VectorType(INDEX, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, ir.Constant(QUAD, ir.Undefined), mask)


def alike(builder: Any, args: Any) -> Any:
    """Return LLVM values as vectors where at least one of them is a vector."""
    if any(arg.type == QUAD for arg in args):
        return [_widened(builder, arg) for arg in args]
    return args


def result(*kinds: Any) -> Any:
    """Return the signature of a function of floats and lanes."""
    plain = [lanes if isinstance(kind, Lanes) else types.float64 for kind in kinds]
    return (lanes if lanes in plain else types.float64)(*plain)


def _define_operator(symbol: Any, instruction: str) -> None:
    """Let compiled code write an operator between lanes, and between lanes and floats."""

    @type_callable(symbol)
    def kind_of(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            both = isinstance(a, (Lanes, types.Float)) and isinstance(b, (Lanes, types.Float))
            return lanes if both and lanes in (a, b) else None

        return typer

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*alike(builder, args))

    for pair in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(symbol, *pair)(generate)


_define_operator(operator.add, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")
_define_operator(operator.truediv, "fdiv")


def _llvm_function(name: str, *kinds: Any) -> Any:
    """Return signature and code of a call to an LLVM intrinsic on floats or lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        args = alike(builder, args)
        kind = args[0].type
        full_name = f"{name}.v{WIDTH}f64" if kind == QUAD else f"{name}.f64"
        function_type = ir.FunctionType(kind, [kind] * len(args))
        function = cgutils.get_or_insert_function(builder.module, function_type, full_name)
        return builder.call(function, args)

    return result(*kinds), generate


@intrinsic
def fma(context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c, rounded once."""
    return _llvm_function("llvm.fma", a, b, c)


@intrinsic
def root(context: Any, a: Any) -> Any:
    """Return the square root."""
    return _llvm_function("llvm.sqrt", a)


@intrinsic
def size(context: Any, a: Any) -> Any:
    """Return the absolute value."""
    return _llvm_function("llvm.fabs", a)


@intrinsic
def select(context: Any, a: Any, b: Any, if_above: Any, otherwise: Any) -> Any:
    """Return if_above where a > b, otherwise the other; a NaN is above nothing."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, if_above, otherwise = alike(builder, args)
        return builder.select(builder.fcmp_ordered(">", a, b), if_above, otherwise)

    return result(a, b, if_above, otherwise), generate


@intrinsic
def power_of_two(context: Any, shifted: Any) -> Any:
    """Return 2**n for a float whose lowest bits are the integer n, as 1.5 * 2**52 + n."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (value,) = args
        kind = ir.VectorType(LONG, WIDTH) if value.type == QUAD else LONG
        bias, place = (kind([n] * WIDTH if value.type == QUAD else n) for n in (1023, 52))
        bits = builder.add(builder.bitcast(value, kind), bias)
        return builder.bitcast(builder.shl(bits, place), value.type)

    return result(shifted), generate


@intrinsic
def rough_inverse_root(context: Any, a: Any) -> Any:
    """Return 1 / sqrt(a) within 3.5 %, by halving the exponent: a float's bits are its logarithm.

    The constant is Lomont's (2003), for doubles.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (value,) = args
        kind = ir.VectorType(LONG, WIDTH) if value.type == QUAD else LONG
        magic, one = (
            kind([n] * WIDTH if value.type == QUAD else n) for n in (0x5FE6EB50C7B537A9, 1)
        )
        half = builder.lshr(builder.bitcast(value, kind), one)
        return builder.bitcast(builder.sub(magic, half), value.type)

    return result(a), generate


@intrinsic
def spread(context: Any, a: Any) -> Any:
    """Return a float in all four lanes."""
    return lanes(types.float64), lambda _, builder, __, args: _widened(builder, args[0])


@intrinsic
def pack(context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return four floats as lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(QUAD, ir.Undefined)
        for i, arg in enumerate(args):
            value = builder.insert_element(value, arg, INDEX(i))
        return value

    return lanes(*[types.float64] * WIDTH), generate


def chosen(builder: Any, a: Any, b: Any, places: list[int]) -> Any:
    """Return the values at these places of two LLVM vectors, those of b behind those of a."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INDEX, len(places)), places))


@intrinsic
def low_twice(context: Any, a: Any) -> Any:
    """Return lanes 0 and 1, and again."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return chosen(builder, args[0], args[0], [0, 1, 0, 1])

    return lanes(lanes), generate


@intrinsic
def total(context: Any, a: Any) -> Any:
    """Return the sum of the lanes, (0 + 2) + (1 + 3)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = [builder.extract_element(args[0], INDEX(i)) for i in range(WIDTH)]
        return builder.fadd(builder.fadd(one[0], one[2]), builder.fadd(one[1], one[3]))

    return types.float64(lanes), generate


def place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return the LLVM pointer to lanes of a contiguous array, index (i,) or (i, j, ...)."""
    view = context.make_array(kind)(context, builder, array)
    shape = [builder.extract_value(view.shape, i) for i in range(kind.ndim)]
    at = index[0]
    for i in range(1, kind.ndim):
        at = builder.add(builder.mul(at, shape[i]), index[i])
    return builder.bitcast(builder.gep(view.data, [at]), QUAD.as_pointer())


def indices(builder: Any, signature: Any, index: Any) -> Any:
    """Return the list of LLVM integers of an index, an integer or a tuple."""
    if isinstance(signature, types.BaseTuple):
        return [builder.extract_value(index, i) for i in range(len(signature))]
    return [index]


def _plain_index(index: Any) -> Any:
    """Return the type of an index with 64 bits for every integer."""
    if isinstance(index, types.BaseTuple):
        return types.UniTuple(types.int64, len(index))
    return types.int64


@intrinsic
def pick(context: Any, array: Any, index: Any) -> Any:
    """Return the float of a contiguous array at index; a negative one does not count from the end.

    What numba makes of array[i, j] asks for the sign of i and j inside the innermost loops.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = indices(builder, signature.args[1], args[1])
        pointer = place(context, builder, array, args[0], at)
        return builder.load(builder.bitcast(pointer, DOUBLE.as_pointer()))

    return types.float64(array, _plain_index(index)), generate


@intrinsic
def load(context: Any, array: Any, index: Any) -> Any:
    """Return the four floats of a contiguous array that begin at index, i or (i, j)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = indices(builder, signature.args[1], args[1])
        return builder.load(place(context, builder, array, args[0], at), align=8)

    return lanes(array, _plain_index(index)), generate


@intrinsic
def store(context: Any, array: Any, index: Any, value: Any) -> Any:
    """In place: put lanes into a contiguous array, from index on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = indices(builder, signature.args[1], args[1])
        builder.store(args[2], place(context, builder, array, args[0], at), align=8)
        return context.get_dummy_value()

    return types.void(array, _plain_index(index), lanes), generate


def pairs(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return the LLVM pointers to two floats each, at the two indices that follow the array."""
    found = []
    for kind, index in zip(signature.args[1:3], args[1:3], strict=True):
        at = indices(builder, kind, index)
        pointer = place(context, builder, signature.args[0], args[0], at)
        found.append(builder.bitcast(pointer, PAIR.as_pointer()))
    return found


@intrinsic
def load_two(context: Any, array: Any, first: Any, second: Any) -> Any:
    """Return two floats of a contiguous array from each of two indices on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = pairs(context, builder, signature, args)
        both = builder.load(low, align=8), builder.load(high, align=8)
        return chosen(builder, *both, [0, 1, 2, 3])

    return lanes(array, _plain_index(first), _plain_index(second)), generate


@intrinsic
def store_two(context: Any, array: Any, first: Any, second: Any, value: Any) -> Any:
    """In place: put lanes 0 and 1 into a contiguous array from one index on, 2 and 3 from another.

    The two must not be the same.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = pairs(context, builder, signature, args)
        builder.store(chosen(builder, args[3], args[3], [0, 1]), low, align=8)
        builder.store(chosen(builder, args[3], args[3], [2, 3]), high, align=8)
        return context.get_dummy_value()

    return types.void(array, _plain_index(first), _plain_index(second), lanes), generate
