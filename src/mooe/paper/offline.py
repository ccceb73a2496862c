"""The offline fit: the exact minimiser over the ball of mean loss + pull/2 ||w - centre||^2.

Squared loss: ridge regression towards the centre; where its solution leaves the ball, the ball's
multiplier is found by Newton's method on 1/||w|| (More and Sorensen 1983), so the result is the
constrained minimiser and not a clipped one. The smaller of the primal (inputs x inputs) and the
dual (rows x rows) system is solved. Logistic loss: Newton's method, each step such a ridge problem.
"""

from typing import NamedTuple

import numpy as np

from mooe.numerics import cholesky
from mooe.numerics.arithmetic import copy, dot, padded, shrink
from mooe.numerics.blocks import ANYWHERE, take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, root, spread, store
from mooe.numerics.losses import logistic, logistic_curvature, logistic_slope

LINEAR_FROM = 1e-7  # relative distance from the ball where one first-order step is exact enough
LEAST_CURVATURE = 1e-12  # of the logistic loss, where both tails are flat
QUADRATIC_FROM = 1e-6  # of the radius: shorter Newton steps are taken whole
EXACT_FROM = 1e-8  # of the radius: the error left is this, squared
STEPS = 100


class System(NamedTuple):
    """The ridge problem of a fit; n is the smaller of rows and inputs, m the larger.

    Both are rounded up to whole lanes: the matrices and vectors end in zeros.
    """

    scaled: np.ndarray  # (m, n) the rows times the root of their curvature; in the dual transposed
    normal: np.ndarray  # (n, n) scaled' scaled; on and below the diagonal, as in `lower`
    lower: np.ndarray  # (n, n) lower' diag(inverse) lower = normal + shift I
    inverse: np.ndarray  # (n,) one over the diagonal of `lower`
    fixed: np.ndarray  # (n,) the right side is fixed + shift * moving
    moving: np.ndarray  # (n,)
    u: np.ndarray  # (n,) the solution
    v: np.ndarray  # (n,)
    factors: np.ndarray  # (m,)
    roots: np.ndarray  # (n_rows,) of the curvature
    curvature: np.ndarray  # (n_rows,)
    working: np.ndarray  # (n_rows,) targets of a Newton step
    best: np.ndarray  # (n_inputs,) where it leads


@shared
def open_system(n_rows, n_inputs, scratch):
    """Return the views of a fit's scratch, and its length."""
    n, m = padded(min(n_rows, n_inputs)), padded(max(n_rows, n_inputs))
    matrices, vectors = ((m, n), (n, n), (n, n)), ((n,), (n,), (n,), (n,), (n,), (m,))
    of_rows = ((n_rows,), (n_rows,), (n_rows,), (n_inputs,))
    return take(System, scratch, 0, matrices + vectors + of_rows)


def n_scratch(n_rows: int, n_inputs: int) -> int:
    """Return how many floats of scratch a fit needs."""
    return open_system(n_rows, n_inputs, ANYWHERE)[1]


@part
def _secular(system, shift, centre_square, pull, dual):
    """In place: u solves the system at this shift, v is moving - u, solved half-way.

    Primal: u is the expert's way from the centre, moving the way from the centre to 0; where the
    pull is tiny, solving for the expert itself would lose the centre's digits. Dual: u holds the
    residuals, fixed = -pull X centre, moving the targets. Returns the squared norm of the expert
    and half its derivative in the shift.
    """
    lower, inverse, fixed, moving = system.lower, system.inverse, system.fixed, system.moving
    u, v, n = system.u, system.v, system.u.shape[0]
    cholesky.factorise(system.normal, shift, lower, inverse)
    for i in range(0, n, 4):
        store(u, i, fma(shift, load(moving, i), load(fixed, i)))
    cholesky.solve_first(lower, inverse, u)
    cholesky.solve_second(lower, inverse, u)
    for i in range(0, n, 4):
        store(v, i, load(moving, i) - load(u, i))
    if not dual:
        square = dot(v, v, n)
        cholesky.solve_first(lower, inverse, v)
        return square, -cholesky.half_form(inverse, v)
    square = pull * pull * centre_square - dot(fixed, u, n) + shift * dot(u, v, n)
    square /= shift * shift
    cholesky.solve_first(lower, inverse, v)
    return square, (cholesky.half_form(inverse, v) - square) / shift


@part
def _solve_in_ball(system, centre_square, pull, radius, dual, start):
    """In place: u at the shift, pull + multiplier, that puts the expert in the ball; return it.

    Newton on 1/radius - 1/||w||, from pull + start, kept inside the bracket found so far. Left of
    the root it cannot overshoot.
    """
    u, v = system.u, system.v
    low, high = -1.0, np.inf  # low < pull: not tried yet whether the ball matters at all
    shift = pull + start
    for _ in range(STEPS):
        square, slope = _secular(system, shift, centre_square, pull, dual)
        length = np.sqrt(max(square, 0.0))
        if length <= radius and shift == pull:
            break
        if length > radius:
            low = shift
        else:
            high = shift
        excess = length / radius - 1.0
        target = shift - square * excess / slope
        if abs(excess) <= LINEAR_FROM and target > pull:
            cholesky.solve_second(system.lower, system.inverse, v)
            for i in range(0, u.shape[0], 4):
                store(u, i, fma(target - shift, load(v, i), load(u, i)))
            return target
        if low < pull and not target > pull:  # also where a far too large start gave no number
            shift = pull
        elif low < target < high:
            shift = target
        else:
            shift = 0.5 * (max(low, pull) + high)
    return shift


@part
def _scale_row(row, factor, out):
    """In place: out = the row times the factor, and zeros behind it."""
    p = row.shape[0]
    whole = p - p % 4
    for j in range(0, whole, 4):
        store(out, j, load(row, j) * factor)
    for j in range(whole, out.shape[0]):
        out[j] = row[j] * factor if j < p else 0.0


@part
def _fill_rows(rows, system):
    """In place: the rows times the root of their curvature, and their normal matrix."""
    b, p = rows.shape
    scaled, roots = system.scaled, system.roots
    m, n = scaled.shape
    for i in range(b):
        roots[i] = root(system.curvature[i])
    if b < p:
        for j in range(p):
            for i in range(n):
                scaled[j, i] = roots[i] * rows[i, j] if i < b else 0.0
    else:
        for i in range(b):
            _scale_row(rows[i], roots[i], scaled[i])
    for i in range(max(b, p), m):
        for j in range(0, n, 4):
            store(scaled, (i, j), spread(0.0))
    cholesky.normal_matrix(scaled, system.normal)


@part
def _fit_output(system, targets, centre, pull, radius, start, out):
    """In place: out = the minimiser for one output; return the ball's multiplier."""
    fixed, moving, factors, roots = system.fixed, system.moving, system.factors, system.roots
    b, p = targets.shape[0], centre.shape[0]
    dual = b < p
    for i in range(0, fixed.shape[0], 4):
        store(fixed, i, spread(0.0))
        store(moving, i, spread(0.0))
    for i in range(max(b, p), factors.shape[0]):
        factors[i] = 0.0
    if dual:
        for i in range(b):
            moving[i] = roots[i] * targets[i]
        for j in range(p):
            factors[j] = -pull * centre[j]
    else:
        for j in range(p):
            fixed[j] = pull * centre[j]
            moving[j] = -centre[j]
        for i in range(b):
            factors[i] = roots[i] * targets[i] - dot(system.scaled[i], centre, p)
    cholesky.add_rows(system.scaled, factors, fixed)
    shift = _solve_in_ball(system, dot(centre, centre, p), pull, radius, dual, start)
    u = system.u
    for j in range(p):
        if dual:
            out[j] = (pull * centre[j] + dot(system.scaled[j], u, b)) / shift
        else:
            out[j] = centre[j] + u[j]
    shrink(out, p, dot(out, out, p), radius)
    return shift - pull


@part
def fit_squared(rows, weights, targets, scale, centre, pull, radius, multipliers, scratch, out):
    """In place: the offline expert under the squared loss divided by its range, output by output.

    Parameters: rows (b, p), weights (b,), targets (outputs, b), scale = 1 / (b * range), centre and
    out (outputs, p); multipliers (outputs,) start the search and receive its result.
    """
    b, p = rows.shape
    system, _ = open_system(b, p, scratch)
    for i in range(b):
        system.curvature[i] = 2.0 * scale * weights[i]
    _fill_rows(rows, system)
    for c in range(targets.shape[0]):
        multipliers[c] = _fit_output(
            system, targets[c], centre[c], pull, radius, multipliers[c], out[c]
        )


@part
def objective(rows, weights, targets, scale, centre, pull, w):
    """Return the mean logistic loss over its range plus the pull, for one output."""
    p = centre.shape[0]
    total = 0.0
    for i in range(rows.shape[0]):
        total += weights[i] * logistic(dot(rows[i], w, p), targets[i])
    gap = 0.0
    for j in range(p):
        gap = fma(w[j] - centre[j], w[j] - centre[j], gap)
    return scale * total + 0.5 * pull * gap


@part
def fit_logistic(rows, weights, targets, scale, centre, pull, radius, multipliers, scratch, out):
    """In place: the offline expert under the logistic loss; parameters as in `fit_squared`.

    Newton's method from the centre: the second-order model over the ball is a ridge problem in
    working targets; the step to its minimiser is halved until the objective falls.
    """
    b, p = rows.shape
    system, _ = open_system(b, p, scratch)
    curvature, working, best = system.curvature, system.working, system.best
    for c in range(targets.shape[0]):
        w = out[c]
        copy(centre[c], w)
        for _ in range(STEPS):
            for i in range(b):
                score = dot(rows[i], w, p)
                bend = max(logistic_curvature(score), LEAST_CURVATURE)
                curvature[i] = scale * weights[i] * bend
                working[i] = score - logistic_slope(score, targets[c, i]) / bend
            _fill_rows(rows, system)
            multipliers[c] = _fit_output(
                system, working, centre[c], pull, radius, multipliers[c], best
            )
            step = 0.0
            for j in range(p):
                step = max(step, abs(best[j] - w[j]))
            value = objective(rows, weights, targets[c], scale, centre[c], pull, w)
            while step > QUADRATIC_FROM * radius and value < objective(
                rows, weights, targets[c], scale, centre[c], pull, best
            ):
                for j in range(p):
                    best[j] = 0.5 * (best[j] + w[j])
                step *= 0.5
            copy(best, w)
            if step <= EXACT_FROM * radius:
                break
