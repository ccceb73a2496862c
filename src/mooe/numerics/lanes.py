"""Four floats at once: what compiled code loads, computes with and stores in one instruction.

Loops over lanes are written out, with the order of every sum, so that nothing is left for a
compiler to reorder. Functions and operators take floats and lanes alike; a float beside lanes
counts for all four.
"""

import operator

from mooe.numerics.compiler import (
    cgutils,
    intrinsic,
    ir,
    lower_builtin,
    models,
    register_model,
    type_callable,
    types,
)

WIDTH = 4  # lanes: a register of AVX2, two of SSE2 or NEON

DOUBLE = ir.DoubleType()
QUAD = ir.VectorType(DOUBLE, WIDTH)
PAIR = ir.VectorType(DOUBLE, 2)
SINGLES = ir.VectorType(ir.FloatType(), WIDTH)  # as an array of half the size holds them
LONG = ir.IntType(64)
INDEX = ir.IntType(32)


class Lanes(types.Type):
    """Four floats side by side."""


lanes = Lanes("Lanes")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """Lanes are one LLVM vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, QUAD)


def _widened(builder, value):
    """Return an LLVM value as a vector: a single float goes into all lanes."""
    if value.type == QUAD:
        return value
    first = builder.insert_element(ir.Constant(QUAD, ir.Undefined), value, INDEX(0))
    return _chosen(builder, first, ir.Constant(QUAD, ir.Undefined), [0] * WIDTH)


def _chosen(builder, a, b, places):
    """Return the values at these places of two LLVM vectors, those of b behind those of a."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INDEX, len(places)), places))


def _alike(builder, args):
    """Return LLVM values as vectors where at least one of them is a vector."""
    if any(arg.type == QUAD for arg in args):
        return [_widened(builder, arg) for arg in args]
    return args


def _result(*kinds):
    """Return the signature of a function of floats and lanes."""
    plain = [lanes if isinstance(kind, Lanes) else types.float64 for kind in kinds]
    return (lanes if lanes in plain else types.float64)(*plain)


def _define_operator(symbol, instruction):
    """Let compiled code write an operator between lanes, and between lanes and floats."""

    @type_callable(symbol)
    def kind_of(context):
        def typer(a, b):
            both = isinstance(a, (Lanes, types.Float)) and isinstance(b, (Lanes, types.Float))
            return lanes if both and lanes in (a, b) else None

        return typer

    def generate(context, builder, signature, args):
        return getattr(builder, instruction)(*_alike(builder, args))

    for pair in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(symbol, *pair)(generate)


_define_operator(operator.add, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")
_define_operator(operator.truediv, "fdiv")


def _llvm_function(name, *kinds):
    """Return signature and code of a call to an LLVM intrinsic on floats or lanes."""

    def generate(context, builder, signature, args):
        args = _alike(builder, args)
        kind = args[0].type
        full_name = f"{name}.v{WIDTH}f64" if kind == QUAD else f"{name}.f64"
        function_type = ir.FunctionType(kind, [kind] * len(args))
        function = cgutils.get_or_insert_function(builder.module, function_type, full_name)
        return builder.call(function, args)

    return _result(*kinds), generate


@intrinsic
def fma(context, a, b, c):
    """Return a * b + c, rounded once."""
    return _llvm_function("llvm.fma", a, b, c)


@intrinsic
def root(context, a):
    """Return the square root."""
    return _llvm_function("llvm.sqrt", a)


@intrinsic
def size(context, a):
    """Return the absolute value."""
    return _llvm_function("llvm.fabs", a)


@intrinsic
def select(context, a, b, if_above, otherwise):
    """Return if_above where a > b, otherwise the other; a NaN is above nothing."""

    def generate(context, builder, signature, args):
        a, b, if_above, otherwise = _alike(builder, args)
        return builder.select(builder.fcmp_ordered(">", a, b), if_above, otherwise)

    return _result(a, b, if_above, otherwise), generate


def _bits(builder, value, *numbers):
    """Return the bits of an LLVM value as whole numbers, and numbers of that type."""
    if value.type == QUAD:
        kind = ir.VectorType(LONG, WIDTH)
        return builder.bitcast(value, kind), *(kind([n] * WIDTH) for n in numbers)
    return builder.bitcast(value, LONG), *(LONG(n) for n in numbers)


@intrinsic
def power_of_two(context, shifted):
    """Return 2**n for a float whose lowest bits are the integer n, as 1.5 * 2**52 + n."""

    def generate(context, builder, signature, args):
        bits, bias, place = _bits(builder, args[0], 1023, 52)
        return builder.bitcast(builder.shl(builder.add(bits, bias), place), args[0].type)

    return _result(shifted), generate


@intrinsic
def rough_inverse_root(context, a):
    """Return 1 / sqrt(a) within 3.5 %, by halving the exponent: a float's bits are its logarithm.

    The constant is Lomont's (2003), for doubles.
    """

    def generate(context, builder, signature, args):
        bits, magic, one = _bits(builder, args[0], 0x5FE6EB50C7B537A9, 1)
        return builder.bitcast(builder.sub(magic, builder.lshr(bits, one)), args[0].type)

    return _result(a), generate


MIDDLE = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2): a mantissa lies between it and sqrt(2)


def _power(builder, value):
    """Return the bits of an LLVM value, those of its power of two in place, and that power."""
    bits, middle, place = _bits(builder, value, MIDDLE, 52)
    power = builder.ashr(builder.sub(bits, middle), place)
    return bits, builder.shl(power, place), power


@intrinsic
def power_in(context, a):
    """Return n of a normal a = m * 2**n > 0 with m from sqrt(1/2) to sqrt(2)."""

    def generate(context, builder, signature, args):
        return builder.sitofp(_power(builder, args[0])[2], args[0].type)

    return _result(a), generate


@intrinsic
def mantissa(context, a):
    """Return m of a normal a = m * 2**n > 0, from sqrt(1/2) to sqrt(2)."""

    def generate(context, builder, signature, args):
        bits, in_place, _ = _power(builder, args[0])
        return builder.bitcast(builder.sub(bits, in_place), args[0].type)

    return _result(a), generate


@intrinsic
def spread(context, a):
    """Return a float in all four lanes."""
    return lanes(types.float64), lambda _, builder, __, args: _widened(builder, args[0])


@intrinsic
def pack(context, a, b, c, d):
    """Return four floats as lanes."""

    def generate(context, builder, signature, args):
        value = ir.Constant(QUAD, ir.Undefined)
        for i, arg in enumerate(args):
            value = builder.insert_element(value, arg, INDEX(i))
        return value

    return lanes(*[types.float64] * WIDTH), generate


@intrinsic
def low_twice(context, a):
    """Return lanes 0 and 1, and again."""
    twice = [0, 1, 0, 1]
    return lanes(lanes), lambda _, builder, __, args: _chosen(builder, args[0], args[0], twice)


@intrinsic
def lane(context, a, place):
    """Return one of the lanes, by its place."""

    def generate(context, builder, signature, args):
        return builder.extract_element(*args)

    return types.float64(lanes, types.int64), generate


@intrinsic
def total(context, a):
    """Return the sum of the lanes, (0 + 2) + (1 + 3)."""

    def generate(context, builder, signature, args):
        a, b, c, d = (builder.extract_element(args[0], INDEX(i)) for i in range(WIDTH))
        return builder.fadd(builder.fadd(a, c), builder.fadd(b, d))

    return types.float64(lanes), generate


def _pointer(context, builder, signature, args, kind=QUAD, which=1):
    """Return the LLVM pointer to a kind of value in a contiguous array.

    args are the array and one index or two, of which `which` counts: i or (i, j, ...).
    """
    array, index_type = signature.args[0], signature.args[which]
    view, index = context.make_array(array)(context, builder, args[0]), [args[which]]
    if isinstance(index_type, types.BaseTuple):
        index = [builder.extract_value(args[which], i) for i in range(len(index_type))]
    at = index[0]
    for i in range(1, array.ndim):
        at = builder.add(builder.mul(at, builder.extract_value(view.shape, i)), index[i])
    return builder.bitcast(builder.gep(view.data, [at]), kind.as_pointer())


def _plain_index(index):
    """Return the type of an index with 64 bits for every integer."""
    if isinstance(index, types.BaseTuple):
        return types.UniTuple(types.int64, len(index))
    return types.int64


@intrinsic
def pick(context, array, index):
    """Return the number of a contiguous array at index; a negative one does not count from the end.

    What numba makes of array[i, j] asks for the sign of i and j inside the innermost loops.
    """

    def generate(context, builder, signature, args):
        kind = context.get_value_type(array.dtype)
        return builder.load(_pointer(context, builder, signature, args, kind))

    return array.dtype(array, _plain_index(index)), generate


@intrinsic
def load(context, array, index):
    """Return the four floats of a contiguous array that begin at index, i or (i, j).

    Those of half the size are widened.
    """

    def generate(context, builder, signature, args):
        if array.dtype == types.float32:
            pointer = _pointer(context, builder, signature, args, SINGLES)
            return builder.fpext(builder.load(pointer, align=4), QUAD)
        return builder.load(_pointer(context, builder, signature, args), align=8)

    return lanes(array, _plain_index(index)), generate


@intrinsic
def store(context, array, index, value):
    """In place: put lanes into a contiguous array from index on, rounded where it holds singles."""

    def generate(context, builder, signature, args):
        if array.dtype == types.float32:
            pointer = _pointer(context, builder, signature, args, SINGLES)
            builder.store(builder.fptrunc(args[2], SINGLES), pointer, align=4)
        else:
            builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(array, _plain_index(index), lanes), generate


@intrinsic
def load_two(context, array, first, second):
    """Return two floats of a contiguous array from each of two indices on."""

    def generate(context, builder, signature, args):
        both = (_pointer(context, builder, signature, args, PAIR, which) for which in (1, 2))
        low, high = (builder.load(pointer, align=8) for pointer in both)
        return _chosen(builder, low, high, [0, 1, 2, 3])

    return lanes(array, _plain_index(first), _plain_index(second)), generate


@intrinsic
def store_two(context, array, first, second, value):
    """In place: put lanes 0 and 1 into a contiguous array from one index on, 2 and 3 from another.

    The two must not be the same.
    """

    def generate(context, builder, signature, args):
        for which, places in ((1, [0, 1]), (2, [2, 3])):
            pair = _chosen(builder, args[3], args[3], places)
            pointer = _pointer(context, builder, signature, args, PAIR, which)
            builder.store(pair, pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, _plain_index(first), _plain_index(second), lanes), generate
