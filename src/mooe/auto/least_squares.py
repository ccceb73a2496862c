"""Recursive least squares that forgets: the expert that needs no step size.

The inverse correlation matrix is symmetric, so its lower triangle is kept; and a row's update of it
waits for the next row, so that one pass over the matrix does both: update, and product with x.
"""

from mooe.arithmetic import dot
from mooe.compiled import part
from mooe.lanes import fma, load, pick, spread, store, total

__all__ = ["CALM_EVERY", "FAST", "SLOW", "STIFFNESS", "calm", "follow"]

SLOW, FAST = 0.999, 0.98  # what is left of a row's weight after the next
STIFFNESS = 10.0  # the inverse begins as this times the identity
CALM_EVERY = 50  # rows
LARGEST_TRACE = 1000.0  # per input


@part
def update(q, x, n, gain):
    """In place: the last row's update of the inverse; then gain = inverse x."""
    keep, take = q.pending[0], q.pending[1]
    for j in range(n):
        gain[j] = 0.0
    for i in range(n):
        down = -take * q.gain[i]
        here = pick(x, i)
        whole = i - i % 4
        s = spread(0.0)
        for j in range(0, whole, 4):
            value = fma(down, load(q.gain, j), keep * load(q.inverse, (i, j)))
            store(q.inverse, (i, j), value)
            s = fma(value, load(x, j), s)
            store(gain, j, fma(here, value, load(gain, j)))
        one = 0.0
        for j in range(whole, i):
            value = fma(down, q.gain[j], keep * q.inverse[i, j])
            q.inverse[i, j] = value
            one = fma(value, x[j], one)
            gain[j] = fma(here, value, gain[j])
        value = fma(down, q.gain[i], keep * q.inverse[i, i])
        q.inverse[i, i] = value
        gain[i] += total(s) + fma(value, here, one)


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
