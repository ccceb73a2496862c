"""Symmetric systems, four rows and four columns at a time: normal matrix, factor, solution.

Sizes are multiples of four, and of a symmetric matrix or a factor only what is on and below the
diagonal counts. The factor is taken from the last row up: so every inner loop runs along the
beginning of a row.
"""

from mooe.numerics.compiled import part
from mooe.numerics.lanes import fma, load, pack, pick, spread, store, total

NEAR = 64  # rows whose products are summed while they are in the nearest cache


@part
def add_rows(scaled, factors, out):
    """In place: add the rows, each times its factor, four at a time."""
    m, n = scaled.shape
    for r in range(0, m, 4):
        a, b, c, d = factors[r], factors[r + 1], factors[r + 2], factors[r + 3]
        for j in range(0, n, 4):
            s = fma(a, load(scaled, (r, j)), fma(b, load(scaled, (r + 1, j)), load(out, j)))
            s = fma(c, load(scaled, (r + 2, j)), fma(d, load(scaled, (r + 3, j)), s))
            store(out, j, s)


@part
def _add_products(rows, first, last, i, j, out):
    """In place: out[i:i+4, j:j+4] += rows[first:last, i:i+4]' rows[first:last, j:j+4]."""
    a0, a1 = load(out, (i, j)), load(out, (i + 1, j))
    a2, a3 = load(out, (i + 2, j)), load(out, (i + 3, j))
    b0, b1, b2, b3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for r in range(first, last, 2):
        x, y = load(rows, (r, j)), load(rows, (r + 1, j))
        a0 = fma(pick(rows, (r, i)), x, a0)
        a1 = fma(pick(rows, (r, i + 1)), x, a1)
        a2 = fma(pick(rows, (r, i + 2)), x, a2)
        a3 = fma(pick(rows, (r, i + 3)), x, a3)
        b0 = fma(pick(rows, (r + 1, i)), y, b0)
        b1 = fma(pick(rows, (r + 1, i + 1)), y, b1)
        b2 = fma(pick(rows, (r + 1, i + 2)), y, b2)
        b3 = fma(pick(rows, (r + 1, i + 3)), y, b3)
    store(out, (i, j), a0 + b0)
    store(out, (i + 1, j), a1 + b1)
    store(out, (i + 2, j), a2 + b2)
    store(out, (i + 3, j), a3 + b3)


@part
def normal_matrix(rows, out):
    """In place: out = rows' rows, on and below the diagonal."""
    m, n = rows.shape
    for i in range(n):
        for j in range(0, i + 1, 4):
            store(out, (i, j), spread(0.0))
    for first in range(0, m, NEAR):
        last = min(first + NEAR, m)
        for i in range(0, n, 4):
            for j in range(0, i + 1, 4):
                _add_products(rows, first, last, i, j, out)


@part
def _eliminate(lower, inverse, k):
    """In place: finish rows k, ..., k + 3 of a factor, from which the later are subtracted."""
    i3 = 1.0 / lower[k + 3, k + 3]
    c0, c1, c2 = lower[k + 3, k], lower[k + 3, k + 1], lower[k + 3, k + 2]
    f2, f1, f0 = -c2 * i3, -c1 * i3, -c0 * i3
    b2, b1 = fma(f2, c2, lower[k + 2, k + 2]), fma(f2, c1, lower[k + 2, k + 1])
    b0, i2 = fma(f2, c0, lower[k + 2, k]), 1.0 / b2
    g1, g0 = -b1 * i2, -b0 * i2
    a1 = fma(g1, b1, fma(f1, c1, lower[k + 1, k + 1]))
    a0, i1 = fma(g1, b0, fma(f1, c0, lower[k + 1, k])), 1.0 / a1
    h0 = -a0 * i1
    d0 = fma(h0, a0, fma(g0, b0, fma(f0, c0, lower[k, k])))
    for j in range(0, k, 4):
        z = load(lower, (k + 3, j))
        y = fma(f2, z, load(lower, (k + 2, j)))
        x = fma(g1, y, fma(f1, z, load(lower, (k + 1, j))))
        store(lower, (k, j), fma(h0, x, fma(g0, y, fma(f0, z, load(lower, (k, j))))))
        store(lower, (k + 1, j), x)
        store(lower, (k + 2, j), y)
    store(lower, (k, k), pack(d0, 0.0, 0.0, 0.0))
    store(lower, (k + 1, k), pack(a0, a1, 0.0, 0.0))
    store(lower, (k + 2, k), pack(b0, b1, b2, 0.0))
    store(inverse, k, pack(1.0 / d0, i1, i2, i3))


@part
def _subtract_products(lower, inverse, k):
    """In place: take rows k, ..., k + 3 of a factor out of the rows before, two at a time."""
    i0, i1, i2, i3 = -inverse[k], -inverse[k + 1], -inverse[k + 2], -inverse[k + 3]
    for i in range(0, k, 2):
        a0, b0 = i0 * pick(lower, (k, i)), i0 * pick(lower, (k, i + 1))
        a1, b1 = i1 * pick(lower, (k + 1, i)), i1 * pick(lower, (k + 1, i + 1))
        a2, b2 = i2 * pick(lower, (k + 2, i)), i2 * pick(lower, (k + 2, i + 1))
        a3, b3 = i3 * pick(lower, (k + 3, i)), i3 * pick(lower, (k + 3, i + 1))
        for j in range(0, i + 2, 4):
            w, x = load(lower, (k, j)), load(lower, (k + 1, j))
            y, z = load(lower, (k + 2, j)), load(lower, (k + 3, j))
            a = fma(a0, w, fma(a1, x, load(lower, (i, j))))
            b = fma(b0, w, fma(b1, x, load(lower, (i + 1, j))))
            store(lower, (i, j), fma(a2, y, fma(a3, z, a)))
            store(lower, (i + 1, j), fma(b2, y, fma(b3, z, b)))


@part
def factorise(normal, shift, lower, inverse):
    """In place: lower' diag(inverse) lower = normal + shift I, four rows at a time.

    The inverse is that of lower's diagonal: Cholesky's factor without its roots.
    """
    n = normal.shape[0]
    for i in range(n):
        for j in range(0, i + 1, 4):
            store(lower, (i, j), load(normal, (i, j)))
        lower[i, i] += shift
    for k in range(n - 4, -1, -4):
        _eliminate(lower, inverse, k)
        _subtract_products(lower, inverse, k)


@part
def solve_first(lower, inverse, v):
    """In place: v = (lower' diag(inverse))^-1 v."""
    for k in range(inverse.shape[0] - 4, -1, -4):
        d = v[k + 3]
        d3 = -d * inverse[k + 3]
        c = fma(lower[k + 3, k + 2], d3, v[k + 2])
        c2 = -c * inverse[k + 2]
        b = fma(lower[k + 2, k + 1], c2, fma(lower[k + 3, k + 1], d3, v[k + 1]))
        b1 = -b * inverse[k + 1]
        a = fma(lower[k + 2, k], c2, fma(lower[k + 3, k], d3, v[k]))
        a = fma(lower[k + 1, k], b1, a)
        a0 = -a * inverse[k]
        for j in range(0, k, 4):
            s = fma(d3, load(lower, (k + 3, j)), fma(c2, load(lower, (k + 2, j)), load(v, j)))
            s = fma(b1, load(lower, (k + 1, j)), fma(a0, load(lower, (k, j)), s))
            store(v, j, s)
        store(v, k, pack(a, b, c, d))


@part
def half_form(inverse, v):
    """Return the squared length of what `solve_first` left in v, in the metric of the system."""
    s = spread(0.0)
    for i in range(0, inverse.shape[0], 4):
        s = fma(load(v, i) * load(inverse, i), load(v, i), s)
    return total(s)


@part
def solve_second(lower, inverse, v):
    """In place: v = lower^-1 v."""
    for k in range(0, inverse.shape[0], 4):
        w, x, y, z = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for j in range(0, k, 4):
            known = load(v, j)
            w = fma(load(lower, (k, j)), known, w)
            x = fma(load(lower, (k + 1, j)), known, x)
            y = fma(load(lower, (k + 2, j)), known, y)
            z = fma(load(lower, (k + 3, j)), known, z)
        a = (v[k] - total(w)) * inverse[k]
        b = fma(-lower[k + 1, k], a, v[k + 1] - total(x)) * inverse[k + 1]
        c = fma(-lower[k + 2, k], a, v[k + 2] - total(y))
        c = fma(-lower[k + 2, k + 1], b, c) * inverse[k + 2]
        d = fma(-lower[k + 3, k], a, v[k + 3] - total(z))
        d = fma(-lower[k + 3, k + 2], c, fma(-lower[k + 3, k + 1], b, d)) * inverse[k + 3]
        store(v, k, pack(a, b, c, d))
