"""Recursive least squares that forgets, slowly and fast: experts that need no step size.

The inverse correlation matrix is symmetric, so its lower triangle is kept; and a row's update of it
waits for the next row, so that one pass over the matrix does both: update, and product with x.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import Moved, sizes
from mooe.numerics.arithmetic import dot
from mooe.numerics.blocks import copy_alike, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import fma, load, pick, spread, store, total
from mooe.numerics.scores import two_sided
from mooe.numerics.tensors import check_size, put

NAMES = NARROW_ONLY = ("squares_slow", "squares_fast")
CLASSES_ONLY = ()

SLOW, FAST = 0.999, 0.98  # what is left of a row's weight after the next
STIFFNESS = 10.0  # the inverse begins as this times the identity
CALM_EVERY = 50  # rows
LARGEST_TRACE = 1000.0  # per input


class _Squares(NamedTuple):
    """One of them."""

    weights: Any  # (n_outputs, n_inputs)
    inverse: Any  # (n_inputs, n_inputs), its lower triangle; lacks the last row's update
    gain: Any  # (n_inputs,) of the last row
    pending: Any  # (2,) what the last row does to the inverse: times [0], minus [1] gain gain'


class LeastSquares(NamedTuple):
    """The fast one sees plain inputs, the slow one the waves too; both nothing of wide inputs."""

    fast: _Squares
    slow: _Squares


class Scratch(NamedTuple):
    """Scratch of a row."""

    fast: Any  # (n_outputs,) scores
    slow: Any  # (n_outputs,)
    gain: Any  # (n_inputs,)


@shared
def _open_squares(c, block, at, p):
    """Return least squares over p inputs, and the place behind them."""
    return take(_Squares, block, at, ((c.n_outputs, p), (p, p), (p,), (2,)))


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    plain, short, _ = sizes(c)
    fast, at = _open_squares(c, block, at, plain if c.narrow and s.squares_fast else 0)
    slow, at = _open_squares(c, block, at, short if s.squares_slow else 0)
    return LeastSquares(fast, slow), at


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    _, short, _ = sizes(c)
    return take(Scratch, block, at, ((c.n_outputs,), (c.n_outputs,), (short,)))


def start(m: LeastSquares) -> None:
    """In place: they know nothing yet."""
    for squares in m:
        np.fill_diagonal(squares.inverse, STIFFNESS)
        squares.pending[0] = 1.0


@forced
def vote(s, c, m, w, seen, r, votes, places):
    """In place: the votes on row r."""
    if c.narrow == 0:
        return
    x, (plain, short, _), (slow, fast) = seen.rows[r], sizes(c), places
    for o in range(c.n_outputs):
        w.slow[o] = dot(m.slow.weights[o], x, short) if s.squares_slow else 0.0
        w.fast[o] = dot(m.fast.weights[o], x, plain) if s.squares_fast else 0.0
        votes[o, slow], votes[o, fast] = w.slow[o], w.fast[o]


@forced
def learn(s, c, m, w, seen, r, targets, weight):
    """In place: learn row r, which was scored."""
    if c.narrow == 0:
        return
    x, (plain, short, _) = seen.rows[r], sizes(c)
    is_calmed = c.n_labelled % CALM_EVERY == 0
    if s.squares_slow:
        _follow(m.slow, x, short, targets, w.slow, SLOW, weight, w.gain)
    if s.squares_fast:
        _follow(m.fast, x, plain, targets, w.fast, FAST, weight, w.gain)
    if is_calmed and s.squares_slow:
        _calm(m.slow, short)
    if is_calmed and s.squares_fast:
        _calm(m.fast, plain)


@part
def update(q, x, n, gain):
    """In place: the last row's update of the inverse; then gain = inverse x."""
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        e, f, g, h = here(q, x, i), here(q, x, i + 1), here(q, x, i + 2), here(q, x, i + 3)
        for j in range(0, i, 4):  # four rows at a time: their sums do not wait for each other
            old, other, new = load(q.gain, j), load(x, j), load(gain, j)
            a, new = _updated(q, i, j, e, old, other, a, new)
            b, new = _updated(q, i + 1, j, f, old, other, b, new)
            c, new = _updated(q, i + 2, j, g, old, other, c, new)
            d, new = _updated(q, i + 3, j, h, old, other, d, new)
            store(gain, j, new)
        _finish_four(q, i, (e, f, g, h), (total(a), total(b), total(c), total(d)), gain)
    for i in range(whole, n):
        gain[i] = 0.0
    for i in range(whole, n):
        a, e = spread(0.0), here(q, x, i)
        for j in range(0, whole, 4):
            a, new = _updated(q, i, j, e, load(q.gain, j), load(x, j), a, load(gain, j))
            store(gain, j, new)
        _finish(q, x, i, whole, total(a), gain)


@forced
def here(q, x, i):
    """Return what the entries of row i of the inverse have in common: kept, changed, times x."""
    return q.pending[0], -q.pending[1] * q.gain[i], pick(x, i)


@forced
def _updated(q, i, j, here, old, other, row, column):
    """In place: four entries of row i of the inverse; return the sums of products they are in."""
    keep, down, value = here
    entry = fma(down, old, keep * load(q.inverse, (i, j)))
    store(q.inverse, (i, j), entry)
    return fma(entry, other, row), fma(value, entry, column)


@forced
def _finish_four(q, i, rows, sums, gain):
    """In place: rows i to i + 3 of the inverse from column i to the diagonal, and their gains.

    As `_finish` does it row by row, to the bit, but nothing is stored that is loaded again.
    """
    (e, f, g, h), (a, b, c, d) = rows, sums
    x, y, z = e[2], f[2], g[2]
    p = _changed(q, i, i, e)
    a += fma(p, x, 0.0)
    p, r = _changed(q, i + 1, i, f), _changed(q, i + 1, i + 1, f)
    a = fma(y, p, a)
    b += fma(r, y, fma(p, x, 0.0))
    p, r, s = _changed(q, i + 2, i, g), _changed(q, i + 2, i + 1, g), _changed(q, i + 2, i + 2, g)
    a, b = fma(z, p, a), fma(z, r, b)
    c += fma(s, z, fma(r, y, fma(p, x, 0.0)))
    p, r = _changed(q, i + 3, i, h), _changed(q, i + 3, i + 1, h)
    s, last = _changed(q, i + 3, i + 2, h), _changed(q, i + 3, i + 3, h)
    gain[i], gain[i + 1], gain[i + 2] = fma(h[2], p, a), fma(h[2], r, b), fma(h[2], s, c)
    gain[i + 3] = d + fma(last, h[2], fma(s, z, fma(r, y, fma(p, x, 0.0))))


@forced
def _changed(q, i, j, here):
    """In place: an entry of row i of the inverse; return it."""
    keep, down, _ = here
    entry = fma(down, q.gain[j], keep * q.inverse[i, j])
    q.inverse[i, j] = entry
    return entry


@forced
def _finish(q, x, i, first, row, gain):
    """In place: the entries of row i of the inverse from first to the diagonal."""
    own = here(q, x, i)
    value, rest = own[2], 0.0
    for j in range(first, i):
        entry = _changed(q, i, j, own)
        rest = fma(entry, x[j], rest)
        gain[j] = fma(value, entry, gain[j])
    gain[i] += row + fma(_changed(q, i, i, own), value, rest)


@part
def _follow(q, x, n, targets, scores, memory, weight, gain):
    """In place: learn a row that was given these scores; memory is what is kept of a row."""
    update(q, x, n, gain)
    reach = memory / weight + dot(gain, x, n)
    whole = n - n % 4
    for o in range(targets.shape[0]):
        step = (targets[o] - scores[o]) / reach
        for j in range(0, whole, 4):
            store(q.weights, (o, j), fma(step, load(gain, j), load(q.weights, (o, j))))
        for j in range(whole, n):
            q.weights[o, j] = fma(step, gain[j], q.weights[o, j])
    for j in range(n):
        q.gain[j] = gain[j]
    q.pending[0], q.pending[1] = 1.0 / memory, 1.0 / (memory * reach)


@part
def _calm(q, n):
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


def grow_classes(c: Any, old: LeastSquares, new: LeastSquares) -> None:
    """In place: what was learnt of the classes of before."""
    copy_alike(old, new)
    for before, after in zip(old, new, strict=True):
        after.weights[:, c.n_features : c.n_features + 1] = -1.0
        after.weights[: max(2, len(before.weights))] = two_sided(before.weights)


def grow_inputs(c: Any, old: LeastSquares, new: LeastSquares, moved: Moved) -> None:
    """In place: what was learnt of the inputs of before, which are now in other places."""
    if c.narrow and len(old.fast.gain):
        move(old.fast, new.fast, moved.plain)
    if c.narrow and len(old.slow.gain):
        move(old.slow, new.slow, moved.short)


def move(old: _Squares, new: _Squares, places: np.ndarray) -> None:
    """In place: least squares whose inputs are now in other places."""
    whole = old.inverse + np.tril(old.inverse, -1).T
    new.inverse[np.ix_(places, places)] = whole
    new.inverse[:] = np.tril(new.inverse)
    new.weights[:, places] = old.weights
    new.gain[places] = old.gain
    new.pending[:] = old.pending


def save(m: LeastSquares) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    tensors = {}
    for name, squares in m._asdict().items():
        for field, array in squares._asdict().items():
            tensors[f"{name}.{field}"] = array.copy()
        tensors[f"{name}.inverse"] = squares.inverse[_triangle(len(squares.inverse))]
    return tensors


def unread(s: Any) -> list[str]:
    """Return the names of arrays that a file may have of one that is left out."""
    out = {"fast": not s.squares_fast, "slow": not s.squares_slow}
    return [f"{name}.{field}" for name in out if out[name] for field in _Squares._fields]


def restore(m: LeastSquares, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError; a file may know more, of one that is out."""
    for name, squares in m._asdict().items():
        if not len(squares.gain):
            continue
        for field in ("weights", "gain", "pending"):
            put(f"{name}.{field}", getattr(squares, field), tensors[f"{name}.{field}"])
        check_size(f"{name}.gain", squares.gain)
        triangle = _triangle(len(squares.inverse))
        put(f"{name}.inverse", squares.inverse, tensors[f"{name}.inverse"], triangle)


@lru_cache(maxsize=8)
def _triangle(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of a lower triangle; kept, for many models are alike."""
    return np.tril_indices(n)
