"""Recursive least squares that forgets: the expert that needs no step size.

The inverse correlation matrix is symmetric, so its lower triangle is kept; and a row's update of it
waits for the next row, so that one pass over the matrix does both: update, and product with x.
"""

from mooe.numerics.arithmetic import dot
from mooe.numerics.compiled import forced, part
from mooe.numerics.lanes import fma, load, pick, spread, store, total

__all__ = ["CALM_EVERY", "FAST", "SLOW", "STIFFNESS", "calm", "follow"]

SLOW, FAST = 0.999, 0.98  # what is left of a row's weight after the next
STIFFNESS = 10.0  # the inverse begins as this times the identity
CALM_EVERY = 50  # rows
LARGEST_TRACE = 1000.0  # per input


@part
def update(q, x, n, gain):
    """In place: the last row's update of the inverse; then gain = inverse x."""
    for j in range(n):
        gain[j] = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        e, f, g, h = here(q, x, i), here(q, x, i + 1), here(q, x, i + 2), here(q, x, i + 3)
        for j in range(0, i, 4):  # four rows at a time: their sums do not wait for each other
            old, other, new = load(q.gain, j), load(x, j), load(gain, j)
            a, new = updated(q, i, j, e, old, other, a, new)
            b, new = updated(q, i + 1, j, f, old, other, b, new)
            c, new = updated(q, i + 2, j, g, old, other, c, new)
            d, new = updated(q, i + 3, j, h, old, other, d, new)
            store(gain, j, new)
        finish(q, x, i, i, total(a), gain)
        finish(q, x, i + 1, i, total(b), gain)
        finish(q, x, i + 2, i, total(c), gain)
        finish(q, x, i + 3, i, total(d), gain)
    for i in range(whole, n):
        a, e = spread(0.0), here(q, x, i)
        for j in range(0, whole, 4):
            a, new = updated(q, i, j, e, load(q.gain, j), load(x, j), a, load(gain, j))
            store(gain, j, new)
        finish(q, x, i, whole, total(a), gain)


@forced
def here(q, x, i):
    """Return what the entries of row i of the inverse have in common: kept, changed, times x."""
    return q.pending[0], -q.pending[1] * q.gain[i], pick(x, i)


@forced
def updated(q, i, j, here, old, other, row, column):
    """In place: four entries of row i of the inverse; return the sums of products they are in."""
    keep, down, value = here
    entry = fma(down, old, keep * load(q.inverse, (i, j)))
    store(q.inverse, (i, j), entry)
    return fma(entry, other, row), fma(value, entry, column)


@forced
def finish(q, x, i, first, row, gain):
    """In place: the entries of row i of the inverse from first to the diagonal."""
    keep, down, value = here(q, x, i)
    rest = 0.0
    for j in range(first, i):
        entry = fma(down, q.gain[j], keep * q.inverse[i, j])
        q.inverse[i, j] = entry
        rest = fma(entry, x[j], rest)
        gain[j] = fma(value, entry, gain[j])
    entry = fma(down, q.gain[i], keep * q.inverse[i, i])
    q.inverse[i, i] = entry
    gain[i] += row + fma(entry, value, rest)


@part
def follow(q, x, n, targets, scores, memory, weight, gain):
    """In place: learn a row that was given these scores; memory is what is kept of a row."""
    update(q, x, n, gain)
    reach = memory / weight + dot(gain, x, n)
    for o in range(targets.shape[0]):
        step = (targets[o] - scores[o]) / reach
        for j in range(n):
            q.weights[o, j] = fma(step, gain[j], q.weights[o, j])
    for j in range(n):
        q.gain[j] = gain[j]
    q.pending[0], q.pending[1] = 1.0 / memory, 1.0 / (memory * reach)


@part
def calm(q, n):
    """In place: the waiting update; then the inverse is scaled down if it has grown too large.

    It grows without bound in directions that inputs no longer take.
    """
    keep, take = q.pending[0], q.pending[1]
    trace = 0.0
    for i in range(n):
        for j in range(i + 1):
            q.inverse[i, j] = fma(-take * q.gain[i], q.gain[j], keep * q.inverse[i, j])
        trace += q.inverse[i, i]
    q.pending[0], q.pending[1] = 1.0, 0.0
    if trace > LARGEST_TRACE * n:
        for i in range(n):
            for j in range(i + 1):
                q.inverse[i, j] *= LARGEST_TRACE * n / trace
