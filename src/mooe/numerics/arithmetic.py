"""Arithmetic that gives the same bits in every context: exp, log, softplus, dot, shrink.

Written on lanes, without fastmath or library calls: one row, a chunk and a restarted process agree
to the last bit.
"""

import numpy as np

from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.compiler import float64
from mooe.numerics.lanes import (
    fma,
    load,
    mantissa,
    pick,
    power_in,
    power_of_two,
    rough_inverse_root,
    select,
    spread,
    store,
    total,
)

vector = float64[::1]
matrix = float64[:, ::1]

SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the rounded integer in the low bits
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.6931471805599453
LN2_LOW = 2.3190468138462996e-17  # ln 2 = LN2_HIGH + LN2_LOW to 107 bits
SMALLEST = -700.0  # exp(-700) = 1e-304 is still a normal number


@part
def copy(values, out):
    """In place: out = values (numba takes seconds to compile out[:] = values)."""
    for j in range(out.shape[0]):
        out[j] = values[j]


@forced
def at_least(a, b):
    """Return the larger of two, b for NaN."""
    return select(a, b, a, b)


@forced
def exp(x):
    """Return e**x for x in [-700, 700], smaller x counting as -700; error below 4e-16, relative.

    Cody-Waite reduction to |r| <= ln(2)/2, then the polynomial of degree 11 that begins with 1 + r
    and has the least relative error there (Remez: 4e-18), by Estrin's scheme.
    """
    x = at_least(x, SMALLEST)
    shifted = fma(x, LOG2_E, SHIFT)
    n = shifted - SHIFT
    r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x))
    r2 = r * r
    r4 = r2 * r2
    low = fma(fma(r, 0.1666666666666641, 0.5000000000000011), r2, r + 1.0)
    middle = fma(
        fma(r, 0.00019841269505771318, 0.001388888894375992),
        r2,
        fma(r, 0.008333333333494978, 0.041666666666529725),
    )
    high = fma(
        fma(r, 2.5000018094703843e-08, 2.763030623625996e-07),
        r2,
        fma(r, 2.7557586806200696e-06, 2.480149294967783e-05),
    )
    p = fma(fma(high, r4, middle), r4, low)
    return p * power_of_two(shifted)


@forced
def inverse_root(x):
    """Return 1 / sqrt(x) for a normal x > 0; error below 2e-15, relative.

    Half the time of root and division: a rough value y, the polynomial of degree 4 in
    e = 1 - x y^2 that is nearest to the correction (1 - e)^(-1/2) and exact for x = 1 (Remez:
    3e-8), one Newton step. The inverse root of 1 is 1.
    """
    y = rough_inverse_root(x)
    e = fma(-1.0 * (x * y), y, 1.0)
    p = fma(fma(e, 0.2753817522019394, 0.31398266937820823), e, 0.37499634999184356)
    y = fma(y * e, fma(p, e, 0.49999823111110425), y)
    return fma(0.5 * y, fma(-1.0 * (x * y), y, 1.0), y)


@forced
def softplus_below(u):
    """Return log(1 + u) for u in [0, 1]: 2 artanh(u / (2 + u)) by its series; error below 4e-16."""
    t = u / (u + 2.0)
    q = t * t
    q2 = q * q
    q4 = q2 * q2
    a = fma(fma(q, 1.0 / 9.0, 1.0 / 7.0), q2, fma(q, 1.0 / 5.0, 1.0 / 3.0))
    b = fma(fma(q, 1.0 / 17.0, 1.0 / 15.0), q2, fma(q, 1.0 / 13.0, 1.0 / 11.0))
    c = fma(fma(q, 1.0 / 25.0, 1.0 / 23.0), q2, fma(q, 1.0 / 21.0, 1.0 / 19.0))
    d = fma(fma(q, 1.0 / 33.0, 1.0 / 31.0), q2, fma(q, 1.0 / 29.0, 1.0 / 27.0))
    p = fma(fma(fma(fma(q4, 1.0 / 35.0, d), q4, c), q4, b), q4, a)
    return 2.0 * fma(t * q, p, t)


@forced
def log(x):
    """Return the natural logarithm of a normal x > 0; error below 3e-16, relative or absolute.

    x = m 2**n with m around 1, and log m = 2 artanh((m - 1) / (m + 1)) by its series.
    """
    n, m = power_in(x), mantissa(x)
    t = (m - 1.0) / (m + 1.0)
    q = t * t
    q2 = q * q
    q4 = q2 * q2
    a = fma(fma(q, 1.0 / 9.0, 1.0 / 7.0), q2, fma(q, 1.0 / 5.0, 1.0 / 3.0))
    b = fma(fma(q, 1.0 / 17.0, 1.0 / 15.0), q2, fma(q, 1.0 / 13.0, 1.0 / 11.0))
    p = fma(fma(fma(q, 1.0 / 21.0, 1.0 / 19.0), q4, b), q4, a)
    return fma(n, LN2_HIGH, fma(n, LN2_LOW, 2.0 * fma(t * q, p, t)))


@forced
def dot(a: np.ndarray, b: np.ndarray, n: int) -> float:
    """Return the sum of a[j] * b[j] over j < n, in sixteen lanes, then four, then one by one."""
    s = spread(0.0)
    whole = n - n % 16
    if whole > 0:
        s1, s2, s3 = spread(0.0), spread(0.0), spread(0.0)
        for j in range(0, whole, 16):
            s = fma(load(a, j), load(b, j), s)
            s1 = fma(load(a, j + 4), load(b, j + 4), s1)
            s2 = fma(load(a, j + 8), load(b, j + 8), s2)
            s3 = fma(load(a, j + 12), load(b, j + 12), s3)
        s = (s + s1) + (s2 + s3)
    rest = n - n % 4
    for j in range(whole, rest, 4):
        s = fma(load(a, j), load(b, j), s)
    one = 0.0
    for j in range(rest, n):
        one = fma(pick(a, j), pick(b, j), one)
    return total(s) + one


@forced
def shrink(values, n, square, bound):
    """In place: scale the first n values, whose squares sum to square, down to norm bound."""
    if square > bound * bound:
        factor = bound / np.sqrt(square)
        whole = n - n % 4
        for j in range(0, whole, 4):
            store(values, j, load(values, j) * factor)
        for j in range(whole, n):
            values[j] *= factor


@shared
def padded(n):
    """Return n, rounded up to whole lanes."""
    return (n + 3) // 4 * 4


@part
def softmax(scores, n):
    """In place: the first n scores as probabilities; what fills up their last lanes is anything."""
    largest, total = scores[0], 0.0
    for k in range(n):
        largest = max(largest, scores[k])
    for k in range(0, n, 4):
        store(scores, k, exp(load(scores, k) - largest))
    for k in range(n):
        total += scores[k]
    for k in range(n):
        scores[k] /= total


@part
def winner(scores):
    """Return the class of the largest score, the first among equals; a single score has two."""
    if scores.shape[0] == 1:
        return 1 if scores[0] > 0.0 else 0
    best = 0
    for k in range(1, scores.shape[0]):
        best = k if scores[k] > scores[best] else best
    return best
