"""How well a season fits what is new in rows, by its phases and by its first waves; compiled.

A season is looked for by some dozens of candidates at some fifty numbers of rows, and each is
fitted several times: small systems, of which Python would be most of the time.

>>> rng = np.random.default_rng(0)
>>> columns = rng.normal(size=(100, 1, WIDTH))
>>> products = np.einsum("ncj,nck->cjk", columns, columns)
>>> left = residuals(columns, products, np.ones((7, 0)), 7, 1)
>>> bool((left[:, 1] < left[:, 0]).all())
True
"""

import numpy as np

from mooe.numerics.arithmetic import matrix
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import float64, int64, void

BEFORE = 3  # rows that a long season must tell more than
WIDTH = 1 + BEFORE  # what is new in a row, the rows before, latest first
USED = (1, BEFORE)  # rows before that a season is judged beside
RIDGE = 1e-10  # of a column's products, as columns may be alike

cube = float64[:, :, ::1]


def residuals(
    columns: np.ndarray, products: np.ndarray, waves: np.ndarray, season: int, known: int
) -> np.ndarray:
    """Return the sums of squares of what is new that four fits leave, (len(USED), 4).

    The phases of the known season; those of the season; the known phases and rows before; these
    and the season's waves. Each row is for a number of `USED` rows before, of which the fits of
    phases alone have all but the last: what is new is what the row before does not tell.

    Parameters
    ----------
    columns : array (n, n_channels, WIDTH)
    products : array (n_channels, WIDTH, WIDTH)
        Of the columns.
    waves : array (period, number)
        Of the season at its first rows; the period is one of both seasons, or all rows.
    """
    size = WIDTH + waves.shape[1]
    left = np.zeros((len(USED), 4))
    phases = np.empty((len(waves), size))  # by phase: sums of columns, and waves
    phases[:, WIDTH:] = waves
    _fit(columns, products, season, known, phases, np.empty((3, size, size)), left)
    return left


@part
def _count(n, phase, period):
    """Return how many of n rows are of a phase."""
    return (n - phase + period - 1) // period


@part
def _center(n, known, phases):
    """In place: take the means of a known season's phases out of waves."""
    period, size = phases.shape
    for w in range(WIDTH, size):
        for k in range(min(known, period)):
            whole, rows = 0.0, 0
            for p in range(k, period, known):
                count = _count(n, p, period)
                whole += count * phases[p, w]
                rows += count
            mean = whole / max(rows, 1)
            for p in range(k, period, known):
                phases[p, w] -= mean


@part
def _add_up(columns, i, phases):
    """In place: the sums of a channel's columns by phase."""
    period = phases.shape[0]
    for p in range(period):
        for j in range(WIDTH):
            phases[p, j] = 0.0
    p = 0
    for row in range(columns.shape[0]):
        for j in range(WIDTH):
            phases[p, j] += columns[row, i, j]
        p = p + 1 if p + 1 < period else 0


@part
def _take_out_phases(n, products, season, phases, room, out):
    """In place: out = products without the part that the means of a season's phases are."""
    period = phases.shape[0]
    for j in range(WIDTH):
        for k in range(WIDTH):
            out[j, k] = products[j, k]
    for s in range(min(season, period)):
        rows = 0
        for j in range(WIDTH):
            room[j] = 0.0
        for p in range(s, period, season):
            rows += _count(n, p, period)
            for j in range(WIDTH):
                room[j] += phases[p, j]
        for j in range(WIDTH):
            for k in range(WIDTH):
                out[j, k] -= room[j] * room[k] / max(rows, 1)


@part
def _multiply_waves(n, phases, out):
    """In place: the products of waves with one another."""
    period, size = phases.shape
    for a in range(WIDTH, size):
        for b in range(WIDTH, a + 1):
            whole = 0.0
            for p in range(period):
                whole += _count(n, p, period) * phases[p, a] * phases[p, b]
            out[a, b] = out[b, a] = whole


@part
def _multiply_columns(phases, out):
    """In place: the products of waves with columns."""
    period, size = phases.shape
    for a in range(WIDTH, size):
        for b in range(WIDTH):
            whole = 0.0
            for p in range(period):
                whole += phases[p, a] * phases[p, b]
            out[a, b] = out[b, a] = whole


@part
def _residual(products, used, size, root):
    """Return the sum of squares of what is new that some rows before and waves leave.

    Waves are the columns from WIDTH up to `size`; what is new is the last row of Cholesky's factor.
    A column of which those before it leave nothing tells nothing.
    """
    n = used + size - WIDTH
    left = products[0, 0]
    for i in range(n + 1):
        a = 0 if i == n else 1 + i if i < used else WIDTH + i - used
        for j in range(i + 1):
            b = 0 if j == n else 1 + j if j < used else WIDTH + j - used
            rest = products[a, b]
            if i == j:
                rest += RIDGE * rest
            for k in range(j):
                rest -= root[i, k] * root[j, k]
            if i == j:
                root[i, i] = np.sqrt(max(rest, 0.0))
            else:
                root[i, j] = rest / root[j, j] if root[j, j] > 0.0 else 0.0
    for k in range(n):
        left -= root[n, k] ** 2
    return left


with announced(__name__, "the search for seasons (a few seconds)"):

    @compiled(void(cube, cube, int64, int64, matrix, cube, matrix))
    def _fit(columns, products, season, known, phases, room, left):
        """In place: residuals, added up over channels; see `residuals`."""
        n, n_channels, _ = columns.shape
        size = phases.shape[1]
        before, after, root = room[0], room[1], room[2]
        _center(n, known, phases)
        _multiply_waves(n, phases, before)
        for i in range(n_channels):
            _add_up(columns, i, phases)
            _take_out_phases(n, products[i], known, phases, root[0], before)
            _take_out_phases(n, products[i], season, phases, root[0], after)
            _multiply_columns(phases, before)
            for u in range(left.shape[0]):
                left[u, 0] += _residual(before, USED[u] - 1, WIDTH, root)
                left[u, 1] += _residual(after, USED[u] - 1, WIDTH, root)
                left[u, 2] += _residual(before, USED[u], WIDTH, root)
                left[u, 3] += _residual(before, USED[u], size, root)
