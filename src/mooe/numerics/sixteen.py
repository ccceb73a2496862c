"""Sixteen numbers of half the size at once, as `lanes` are four floats: for long scans.

Sums are those that are written, in their order, whatever registers a machine has.
"""

import math
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

WIDTH = 16

SINGLE = ir.FloatType()
VECTOR = ir.VectorType(SINGLE, WIDTH)
INDEX = ir.IntType(32)
LONG = ir.IntType(64)


class Sixteen(types.Type):
    """Sixteen numbers side by side."""


sixteen = Sixteen("Sixteen")


@register_model(Sixteen)
class SixteenModel(models.PrimitiveModel):
    """They are one LLVM vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


def _define_operator(symbol, instruction):
    """Let compiled code write an operator between two of them."""

    @type_callable(symbol)
    def kind_of(context):
        def typer(a, b):
            return sixteen if isinstance(a, Sixteen) and isinstance(b, Sixteen) else None

        return typer

    def generate(context, builder, signature, args):
        return getattr(builder, instruction)(*args)

    lower_builtin(symbol, Sixteen, Sixteen)(generate)


_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")


def _pointer(context, builder, signature, args, kind):
    """Return the LLVM pointer to a kind of value at a place of an array of one side."""
    view = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.bitcast(builder.gep(view.data, [args[1]]), kind.as_pointer())


def _spread(builder, value):
    """Return an LLVM value sixteen times."""
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, value, INDEX(0))
    places = ir.Constant(ir.VectorType(INDEX, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, nothing, places)


@intrinsic
def none_of_sixteen(context):
    """Return sixteen times 0."""
    return sixteen(), lambda _, __, ___, ____: ir.Constant(VECTOR, [0.0] * WIDTH)


@intrinsic
def one_of_sixteen(context, array, at):
    """Return the number at a place of an array of float32, sixteen times."""

    def generate(context, builder, signature, args):
        return _spread(builder, builder.load(_pointer(context, builder, signature, args, SINGLE)))

    return sixteen(array, types.int64), generate


@intrinsic
def load_sixteen(context, array, at):
    """Return the sixteen numbers of an array of float32 that begin at a place."""

    def generate(context, builder, signature, args):
        return builder.load(_pointer(context, builder, signature, args, VECTOR), align=4)

    return sixteen(array, types.int64), generate


@intrinsic
def store_sixteen(context, array, at, value):
    """In place: put sixteen numbers into an array of float32, from a place on."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _pointer(context, builder, signature, args, VECTOR), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, sixteen), generate


@intrinsic
def fma_sixteen(context, a, b, c):
    """Return a * b + c, rounded once."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
        name = f"llvm.fma.v{WIDTH}f32"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)

    return sixteen(sixteen, sixteen, sixteen), generate


@intrinsic
def sixteen_times(context, value):
    """Return a float, rounded to half its size, sixteen times."""

    def generate(context, builder, signature, args):
        return _spread(builder, builder.fptrunc(args[0], SINGLE))

    return sixteen(types.float64), generate


def _chosen(builder, a, b, places):
    """Return the values at these places of two LLVM vectors, those of b behind those of a."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INDEX, WIDTH), places))


def _beside(builder, a, first):
    """Return an LLVM vector whose value i is value i - 1 of another, the first one given."""
    given = ir.Constant(VECTOR, [first] * WIDTH)
    return _chosen(builder, a, given, [WIDTH, *range(WIDTH - 1)])


@intrinsic(prefer_literal=True)
def below(context, a, ascending, rank):
    """Return a whole number whose bit i says whether a[i] is below ascending[rank].

    rank must be a constant of the source. A NaN is below nothing.
    """
    place = rank.literal_value

    def generate(context, builder, signature, args):
        bound = _chosen(builder, args[1], args[1], [place] * WIDTH)
        bits = builder.bitcast(builder.fcmp_ordered("<", args[0], bound), ir.IntType(WIDTH))
        return builder.zext(bits, LONG)

    return types.int64(sixteen, sixteen, rank), generate


@intrinsic
def inserted(context, values, ascending, value, new):
    """Return values with a new one at the place where `value` belongs among ascending ones.

    Behind those that are not above it; the last of the values is lost. To keep both in the same
    order, first insert into what goes with the ascending ones, then value into themselves. value
    and new are sixteen times the same, value above -inf.
    """

    def generate(context, builder, signature, args):
        values, ascending, value, new = args
        stays = builder.fcmp_ordered("<=", ascending, value)
        is_behind = builder.fcmp_ordered("<=", _beside(builder, ascending, -math.inf), value)
        moved = builder.select(is_behind, new, _beside(builder, values, 0.0))
        return builder.select(stays, values, moved)

    return sixteen(sixteen, sixteen, sixteen, sixteen), generate


@intrinsic
def highest_bit(context, bits):
    """Return the place of the highest bit of a whole number that is not 0."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(LONG, [LONG, ir.IntType(1)])
        count = cgutils.get_or_insert_function(builder.module, kind, "llvm.ctlz.i64")
        return builder.sub(LONG(63), builder.call(count, [args[0], ir.IntType(1)(1)]))

    return types.int64(types.int64), generate
