"""Arithmetic that gives the same bits in every context: fused multiply-add, dot, exp, softplus.

Written without fastmath, branches or library calls, so that LLVM may use vector registers but
may not reorder: one row, a chunk and a restarted process agree to the last bit.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import float64, types
from numba.extending import intrinsic

from mooe.compiled import inlined, part

__all__ = ["cube", "dot", "exp", "fma", "matrix", "softplus_below", "vector"]

vector = float64[::1]
matrix = float64[:, ::1]
cube = float64[:, :, ::1]

SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the rounded integer in the low bits
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.6931471805599453
LN2_LOW = 2.3190468138462996e-17  # ln 2 = LN2_HIGH + LN2_LOW to 107 bits
SMALLEST = -700.0  # exp(-700) = 1e-304 is still a normal number


@intrinsic
def fma(context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        function = builder.module.declare_intrinsic(
            "llvm.fma", [double], ir.FunctionType(double, [double] * 3)
        )
        return builder.call(function, args)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic
def bits_of(context: Any, number: Any) -> Any:
    """Return the 64 bits of a float as an integer."""
    return types.int64(types.float64), lambda _, builder, __, args: builder.bitcast(
        args[0], ir.IntType(64)
    )


@intrinsic
def float_of(context: Any, bits: Any) -> Any:
    """Return the float that has these 64 bits."""
    return types.float64(types.int64), lambda _, builder, __, args: builder.bitcast(
        args[0], ir.DoubleType()
    )


@inlined
def exp(x: float) -> float:
    """Return e**x for x in [-700, 700], smaller x counting as -700; error below 3e-16, relative.

    Cody-Waite reduction to |r| <= ln(2)/2 and the Taylor polynomial of degree 13, by Estrin.
    """
    x = max(x, SMALLEST)
    shifted = fma(x, LOG2_E, SHIFT)
    n = shifted - SHIFT
    r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x))
    r2 = r * r
    r4 = r2 * r2
    low = fma(fma(0.16666666666666666, r, 0.5), r2, fma(1.0, r, 1.0))
    middle = fma(
        fma(0.0001984126984126984, r, 0.001388888888888889),
        r2,
        fma(0.008333333333333333, r, 0.041666666666666664),
    )
    high = fma(
        fma(2.505210838544172e-08, r, 2.755731922398589e-07),
        r2,
        fma(2.7557319223985893e-06, r, 2.48015873015873e-05),
    )
    top = fma(1.6059043836821613e-10, r, 2.08767569878681e-09)
    p = fma(fma(fma(top, r4, high), r4, middle), r4, low)
    return p * float_of((bits_of(shifted) + 1023) << 52)


@inlined
def softplus_below(u: float) -> float:
    """Return log(1 + u) for u in [0, 1]: 2 artanh(u / (2 + u)) by its series; error below 4e-16."""
    t = u / (2.0 + u)
    q = t * t
    p = fma(q, 1.0 / 35.0, 1.0 / 33.0)
    p = fma(p, q, 1.0 / 31.0)
    p = fma(p, q, 1.0 / 29.0)
    p = fma(p, q, 1.0 / 27.0)
    p = fma(p, q, 1.0 / 25.0)
    p = fma(p, q, 1.0 / 23.0)
    p = fma(p, q, 1.0 / 21.0)
    p = fma(p, q, 1.0 / 19.0)
    p = fma(p, q, 1.0 / 17.0)
    p = fma(p, q, 1.0 / 15.0)
    p = fma(p, q, 1.0 / 13.0)
    p = fma(p, q, 1.0 / 11.0)
    p = fma(p, q, 1.0 / 9.0)
    p = fma(p, q, 1.0 / 7.0)
    p = fma(p, q, 1.0 / 5.0)
    p = fma(p, q, 1.0 / 3.0)
    return 2.0 * fma(t * q, p, t)


@part
def dot(a: np.ndarray, b: np.ndarray, n: int) -> float:
    """Return the sum of a[j] * b[j] over j < n, in four lanes."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for j in range(0, whole, 4):
        s0 = fma(a[j], b[j], s0)
        s1 = fma(a[j + 1], b[j + 1], s1)
        s2 = fma(a[j + 2], b[j + 2], s2)
        s3 = fma(a[j + 3], b[j + 3], s3)
    total = (s0 + s2) + (s1 + s3)
    for j in range(whole, n):
        total = fma(a[j], b[j], total)
    return total
