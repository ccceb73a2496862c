"""Inputs as the experts see them: standardised as they arrive; random waves and products of them.

Plain inputs z are the standardised columns and a constant 1. Rich inputs are z, random Fourier
features of it (Rahimi and Recht, 2007) and products of two columns; they exist for narrow streams.
"""

import numpy as np

from mooe.numerics.arithmetic import SHIFT
from mooe.numerics.compiled import forced, part
from mooe.numerics.features import CONSTANT, if_present
from mooe.numerics.lanes import fma, load, root, select, size, store

__all__ = ["AMPLITUDE", "see_narrow", "see_wide"]

FARTHEST = 4.0  # standard deviations
FARTHEST_FACTOR = 3.0  # in a product
AMPLITUDE = 3.0  # of the waves, all together

# sin(2 pi t) = t (S[0] + S[1] t^2 + ...), Taylor to degree 21: below 1e-17 for |t| <= 1/4
S = tuple(
    float((-1) ** k * (2.0 * np.pi) ** (2 * k + 1) / np.prod(np.arange(1.0, 2 * k + 2)))
    for k in range(11)
)


@forced
def within(value, bound):
    """Return the value, or the bound that it is beyond."""
    value = select(value, bound, bound, value)
    return select(-1.0 * bound, value, -1.0 * bound, value)


@forced
def cosine(turns):
    """Return cos(2 pi turns)."""
    away = turns - ((turns + SHIFT) - SHIFT)  # adding and subtracting it rounds
    t = 0.25 - size(away)
    q = t * t
    q2 = q * q
    q4 = q2 * q2
    a = fma(fma(q, S[3], S[2]), q2, fma(q, S[1], S[0]))
    b = fma(fma(q, S[7], S[6]), q2, fma(q, S[5], S[4]))
    c = fma(q2, S[10], fma(q, S[9], S[8]))
    return t * fma(fma(c, q4, b), q4, a)


@forced
def standard(value, n, mean, squares, zeros, sparse_share):
    """Return mean, squares, zeros with the value as the n-th, and the standardised value.

    A column that is mostly zeros is not centred, so that zero stays zero.
    """
    step = value - mean
    middle = mean + step / n
    beside = value - middle
    spread_out = squares + step * beside
    zeros = select(size(value), 0.0, zeros, zeros + 1.0)
    around_mean = select(spread_out, CONSTANT, beside * root(n / spread_out), 0.0)
    raw = spread_out + n * middle * middle
    around_zero = select(raw, CONSTANT, value * root(n / raw), 0.0)
    seen = select(zeros, sparse_share * n, around_zero, around_mean)
    return middle, spread_out, zeros, within(seen, FARTHEST)


@part
def standardise(s, m, x, learn, out):
    """In place: out = x standardised by the running statistics of its columns, x included.

    An absent value (NaN) counts as the mean so far and leaves no trace.
    """
    d = x.shape[0]
    whole = d - d % 4
    for j in range(0, whole, 4):
        given, n, mean = load(x, j), load(m.counts, j) + 1.0, load(m.mean, j)
        squares, zeros = load(m.squares, j), load(m.zeros, j)
        value = if_present(given, given, mean)
        middle, around, more, seen = standard(value, n, mean, squares, zeros, s.sparse_share)
        store(out, j, seen)
        if learn:
            store(m.counts, j, if_present(given, n, n - 1.0))
            store(m.mean, j, if_present(given, middle, mean))
            store(m.squares, j, if_present(given, around, squares))
            store(m.zeros, j, if_present(given, more, zeros))
    for j in range(whole, d):
        n = m.counts[j] + 1.0
        value = x[j] if x[j] == x[j] else m.mean[j]
        middle, around, more, seen = standard(
            value, n, m.mean[j], m.squares[j], m.zeros[j], s.sparse_share
        )
        out[j] = seen
        if learn and x[j] == x[j]:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n, middle, around, more


@part
def fourier(m, z, d, n, out):
    """In place: out[k] = the wave k at z, amplitudes equal; n is a multiple of 4."""
    height = AMPLITUDE * np.sqrt(2.0 / n)
    most = n - n % 16
    for k in range(0, most, 16):
        a, b = load(m.phases, k), load(m.phases, k + 4)
        e, f = load(m.phases, k + 8), load(m.phases, k + 12)
        for j in range(d):
            a = fma(z[j], load(m.frequencies, (j, k)), a)
            b = fma(z[j], load(m.frequencies, (j, k + 4)), b)
            e = fma(z[j], load(m.frequencies, (j, k + 8)), e)
            f = fma(z[j], load(m.frequencies, (j, k + 12)), f)
        store(out, k, height * cosine(a))
        store(out, k + 4, height * cosine(b))
        store(out, k + 8, height * cosine(e))
        store(out, k + 12, height * cosine(f))
    for k in range(most, n, 4):
        a = load(m.phases, k)
        for j in range(d):
            a = fma(z[j], load(m.frequencies, (j, k)), a)
        store(out, k, height * cosine(a))


@part
def multiply(m, z, n, out):
    """In place: out[k] = half the product of the k-th pair of columns."""
    for k in range(n):
        a, b = z[int(m.pairs[k, 0])], z[int(m.pairs[k, 1])]
        out[k] = 0.5 * within(a, FARTHEST_FACTOR) * within(b, FARTHEST_FACTOR)


@part
def see_narrow(s, c, m, x, learn, again, out):
    """In place: out = the rich inputs of a row, the plain ones first; again: they are there."""
    d, w = c.n_features, c.n_fourier
    standardise(s, m, x, learn, out)
    if again:
        return
    out[d] = 1.0
    fourier(m, out, d, w, out[d + 1 :])
    multiply(m, out, c.n_pairs, out[d + 1 + w :])


@part
def find(places, first, end, j):
    """Return where column j is in the sorted places[first:end], or -1."""
    while first < end:
        middle = (first + end) // 2
        if places[middle] == j:
            return middle
        if places[middle] < j:
            first = middle + 1
        else:
            end = middle
    return -1


@part
def touch(s, c, m, j, given, learn):
    """Return column j's standardised value and whether it is sparse; with learn, in place.

    Rows in which a column was not looked at had a zero there; they are made up for here (Chan,
    Golub and LeVeque, 1979).
    """
    before, n = m.counts[j], m.counts[j]
    gap = c.n_seen - m.touched[j]
    mean, squares = m.mean[j], m.squares[j]
    if gap > 0.0:
        n += gap
        squares += mean * mean * before * (gap / n)
        mean *= before / n
    zeros = m.zeros[j] + gap
    present = given == given
    value = given if present else mean
    middle, around, more, seen = standard(value, n + 1.0, mean, squares, zeros, s.sparse_share)
    is_sparse = more > s.sparse_share * (n + 1.0)
    if learn:
        m.touched[j] = c.n_seen + 1.0
        if present:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n + 1.0, middle, around, more
        else:
            m.counts[j], m.mean[j], m.squares[j], m.zeros[j] = n, mean, squares, zeros
    return seen, is_sparse


@part
def see_wide(s, c, m, values, places, first, end, learn, out, columns):
    """In place: out and columns = the inputs of a row that are not zero; return how many.

    The row's own values are values[first:end] in the ascending columns places[first:end]; all
    others are 0. Columns that are not sparse are centred, so they are looked at in every row; there
    are at most four times as many of them as values in a row on average.
    """
    n = 0
    for i in range(c.n_dense - 1, -1, -1):
        j = int(m.dense[i])
        at = find(places, first, end, j)
        seen, is_sparse = touch(s, c, m, j, values[at] if at >= 0 else 0.0, learn)
        if is_sparse and learn and at < 0:
            c.n_dense -= 1
            moved = m.dense[c.n_dense]
            m.dense[i], m.place[int(moved)] = moved, i + 1.0
            m.place[j] = 0.0
        out[n], columns[n] = seen, j
        n += 1
    for at in range(first, end):
        j = int(places[at])
        if m.place[j] != 0.0 or values[at] == 0.0:
            continue
        seen, is_sparse = touch(s, c, m, j, values[at], learn)
        if not is_sparse and learn:
            m.dense[c.n_dense] = j
            c.n_dense += 1
            m.place[j] = c.n_dense
        out[n], columns[n] = seen, j
        n += 1
    out[n], columns[n] = 1.0, c.n_features
    return n + 1
