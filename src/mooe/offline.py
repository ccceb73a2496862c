"""The offline fit: the exact minimiser over the ball of mean loss + pull/2 ||w - centre||^2.

Squared loss: ridge regression towards the centre; where its solution leaves the ball, the ball's
multiplier is found by Newton's method on 1/||w|| (More and Sorensen 1983), so the result is the
constrained minimiser and not a clipped one. The smaller of the primal (inputs x inputs) and the
dual (rows x rows) system is solved. Logistic loss: Newton's method, each step such a ridge problem.
"""

import numpy as np

from mooe.arithmetic import dot, fma
from mooe.compiled import part
from mooe.losses import logistic, logistic_curvature, logistic_slope

__all__ = ["factorise", "fit_logistic", "fit_squared", "n_scratch", "normal_matrix"]

LINEAR_FROM = 1e-7  # relative distance from the ball where one first-order step is exact enough
LEAST_CURVATURE = 1e-12  # of the logistic loss, where both tails are flat
QUADRATIC_FROM = 1e-6  # of the radius: shorter Newton steps are taken whole
EXACT_FROM = 1e-8  # of the radius: the error left is this, squared
STEPS = 100


def n_scratch(n_rows: int, n_inputs: int) -> int:
    """Return how many floats of scratch a fit needs."""
    n = min(n_rows, n_inputs)
    return n_rows * n_inputs + 2 * n * n + 8 * max(n_rows, n_inputs)


@part
def normal_matrix(rows, out):
    """In place: the lower half of out = rows' rows, four rows at a time."""
    m, n = rows.shape
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = 0.0
    whole = m - m % 4
    for r in range(0, whole, 4):
        for i in range(n):
            a, b, c, d = rows[r, i], rows[r + 1, i], rows[r + 2, i], rows[r + 3, i]
            for j in range(i + 1):
                s = fma(a, rows[r, j], fma(b, rows[r + 1, j], out[i, j]))
                out[i, j] = fma(c, rows[r + 2, j], fma(d, rows[r + 3, j], s))
    for r in range(whole, m):
        for i in range(n):
            a = rows[r, i]
            for j in range(i + 1):
                out[i, j] = fma(a, rows[r, j], out[i, j])


@part
def eliminate(lower, last, first):
    """In place: finish rows last, ..., first of a factor, from which the later are subtracted."""
    for i in range(last, first - 1, -1):
        for k in range(last, i, -1):
            f = -lower[k, i]
            for j in range(i + 1):
                lower[i, j] = fma(f, lower[k, j], lower[i, j])
        inverse = 1.0 / np.sqrt(lower[i, i])
        for j in range(i + 1):
            lower[i, j] *= inverse


@part
def factorise(normal, shift, lower):
    """In place: lower' lower = normal + shift I, by Cholesky from the last row up, four at a time.

    In this order every inner loop runs along the beginning of a row.
    """
    n = normal.shape[0]
    for i in range(n):
        for j in range(i + 1):
            lower[i, j] = normal[i, j]
        lower[i, i] += shift
    left = n % 4
    for k in range(n - 1, left, -4):
        eliminate(lower, k, k - 3)
        for i in range(k - 3):
            a, b, c, d = -lower[k, i], -lower[k - 1, i], -lower[k - 2, i], -lower[k - 3, i]
            for j in range(i + 1):
                s = fma(a, lower[k, j], fma(b, lower[k - 1, j], lower[i, j]))
                lower[i, j] = fma(c, lower[k - 2, j], fma(d, lower[k - 3, j], s))
    eliminate(lower, left - 1, 0)


@part
def solve_first(lower, v, n):
    """In place: v = (lower')^-1 v."""
    for i in range(n - 1, -1, -1):
        v[i] /= lower[i, i]
        f = -v[i]
        for j in range(i):
            v[j] = fma(f, lower[i, j], v[j])


@part
def solve_second(lower, v, n):
    """In place: v = lower^-1 v."""
    for i in range(n):
        v[i] = (v[i] - dot(lower[i], v, i)) / lower[i, i]


@part
def secular(normal, shift, lower, fixed, moving, centre_square, pull, dual, u, v):
    """In place: u solves the system at this shift, v = (lower')^-1 (moving - u).

    The system is (normal + shift I) u = fixed + shift * moving. Primal: u is the expert itself,
    moving is zero. Dual: u holds the residuals, fixed = -pull X centre, moving the targets. Returns
    the squared norm of the expert and half its derivative in the shift.
    """
    n = normal.shape[0]
    factorise(normal, shift, lower)
    for i in range(n):
        u[i] = fma(shift, moving[i], fixed[i])
    solve_first(lower, u, n)
    solve_second(lower, u, n)
    for i in range(n):
        v[i] = moving[i] - u[i]
    if not dual:
        square = dot(u, u, n)
        solve_first(lower, v, n)
        return square, -dot(v, v, n)
    square = pull * pull * centre_square - dot(fixed, u, n) + shift * dot(u, v, n)
    square /= shift * shift
    solve_first(lower, v, n)
    return square, (dot(v, v, n) - square) / shift


@part
def solve_in_ball(normal, lower, fixed, moving, centre_square, pull, radius, dual, start, u, v):
    """In place: u at the shift, pull + multiplier, that puts the expert in the ball; return it.

    Newton on 1/radius - 1/||w||, from pull + start, kept inside the bracket found so far. Left of
    the root it cannot overshoot.
    """
    n = normal.shape[0]
    low, high = -1.0, np.inf  # low < pull: not tried yet whether the ball matters at all
    shift = pull + start
    for _ in range(STEPS):
        square, slope = secular(
            normal, shift, lower, fixed, moving, centre_square, pull, dual, u, v
        )
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
            solve_second(lower, v, n)
            for i in range(n):
                u[i] = fma(target - shift, v[i], u[i])
            return target
        if target <= pull and low < pull:
            shift = pull
        elif low < target < high:
            shift = target
        else:
            shift = 0.5 * (max(low, pull) + high)
    return shift


@part
def fit_rows(rows, curvature, scratch):
    """In place: the rows times the root of their curvature, and their normal matrix.

    Returns (scaled, normal, lower, dual, spare vectors); scaled is transposed in the dual.
    """
    b, p = rows.shape
    dual = b < p
    n = min(b, p)
    at = b * p
    if dual:
        scaled = scratch[:at].reshape(p, b)
        for i in range(b):
            root = np.sqrt(curvature[i])
            for j in range(p):
                scaled[j, i] = root * rows[i, j]
    else:
        scaled = scratch[:at].reshape(b, p)
        for i in range(b):
            root = np.sqrt(curvature[i])
            for j in range(p):
                scaled[i, j] = root * rows[i, j]
    normal = scratch[at : at + n * n].reshape(n, n)
    lower = scratch[at + n * n : at + 2 * n * n].reshape(n, n)
    normal_matrix(scaled, normal)
    return scaled, normal, lower, dual, scratch[at + 2 * n * n :]


@part
def fit_output(prepared, curvature, targets, centre, pull, radius, start, out):
    """In place: out = the minimiser for one output; return the ball's multiplier."""
    scaled, normal, lower, dual, spare = prepared
    n = normal.shape[0]
    b, p = targets.shape[0], centre.shape[0]
    longest = max(b, p)
    fixed, moving = spare[:n], spare[longest : longest + n]
    u, v = spare[2 * longest : 2 * longest + n], spare[3 * longest : 3 * longest + n]
    root_targets = spare[4 * longest : 4 * longest + b]
    for i in range(b):
        root_targets[i] = np.sqrt(curvature[i]) * targets[i]
    if dual:
        for i in range(b):
            fixed[i] = 0.0
            moving[i] = root_targets[i]
        for j in range(p):
            f = -pull * centre[j]
            for i in range(b):
                fixed[i] = fma(f, scaled[j, i], fixed[i])
    else:
        for j in range(p):
            fixed[j] = pull * centre[j]
            moving[j] = 0.0
        for i in range(b):
            f = root_targets[i]
            for j in range(p):
                fixed[j] = fma(f, scaled[i, j], fixed[j])
    square = dot(centre, centre, p)
    shift = solve_in_ball(normal, lower, fixed, moving, square, pull, radius, dual, start, u, v)
    for j in range(p):
        out[j] = (pull * centre[j] + dot(scaled[j], u, b)) / shift if dual else u[j]
    into_ball(out, radius)
    return shift - pull


@part
def into_ball(w, radius):
    """In place: the nearest point of the ball."""
    square = dot(w, w, w.shape[0])
    if square > radius * radius:
        factor = radius / np.sqrt(square)
        for j in range(w.shape[0]):
            w[j] *= factor


@part
def fit_squared(rows, weights, targets, scale, centre, pull, radius, multipliers, scratch, out):
    """In place: the offline expert under the squared loss divided by its range, output by output.

    Parameters: rows (b, p), weights (b,), targets (outputs, b), scale = 1 / (b * range), centre and
    out (outputs, p); multipliers (outputs,) start the search and receive its result.
    """
    b = rows.shape[0]
    curvature = scratch[-b:]
    for i in range(b):
        curvature[i] = 2.0 * scale * weights[i]
    prepared = fit_rows(rows, curvature, scratch[:-b])
    for c in range(targets.shape[0]):
        multipliers[c] = fit_output(
            prepared, curvature, targets[c], centre[c], pull, radius, multipliers[c], out[c]
        )


@part
def copy(values, out):
    """In place: out = values (numba takes seconds to compile out[:] = values)."""
    for j in range(out.shape[0]):
        out[j] = values[j]


@part
def farthest(a, b):
    """Return the largest difference between two vectors."""
    largest = 0.0
    for j in range(a.shape[0]):
        largest = max(largest, abs(a[j] - b[j]))
    return largest


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
    curvature, working = scratch[-b:], scratch[-2 * b : -b]
    best = scratch[-2 * b - p : -2 * b]
    inner = scratch[: -2 * b - p]
    for c in range(targets.shape[0]):
        w = out[c]
        copy(centre[c], w)
        for _ in range(STEPS):
            for i in range(b):
                score = dot(rows[i], w, p)
                bend = max(logistic_curvature(score), LEAST_CURVATURE)
                curvature[i] = scale * weights[i] * bend
                working[i] = score - logistic_slope(score, targets[c, i]) / bend
            prepared = fit_rows(rows, curvature, inner)
            multipliers[c] = fit_output(
                prepared, curvature, working, centre[c], pull, radius, multipliers[c], best
            )
            step = farthest(best, w)
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
