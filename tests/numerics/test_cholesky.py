"""Factor and solution agree with numpy, for every size of whole lanes."""

import numpy as np
import pytest
from numba import njit

from mooe.numerics.cholesky import add_rows, factorise, normal_matrix, solve_first, solve_second


@njit
def solved(rows, shift, factors):
    n = rows.shape[1]
    normal, lower, inverse = np.empty((n, n)), np.empty((n, n)), np.empty(n)
    v = np.zeros(n)
    add_rows(rows, factors, v)
    right = v.copy()
    normal_matrix(rows, normal)
    factorise(normal, shift, lower, inverse)
    solve_first(lower, inverse, v)
    solve_second(lower, inverse, v)
    return normal, lower, inverse, right, v


@pytest.mark.parametrize(("m", "n"), [(4, 4), (8, 4), (52, 12), (56, 52), (132, 8)])
def test_factor_and_solution_are_numpys(m, n):
    rng = np.random.default_rng(m)
    rows, factors = rng.normal(size=(m, n)), rng.normal(size=m)
    normal, lower, inverse, right, v = solved(rows, 0.7, factors)
    full = rows.T @ rows
    factor = np.tril(lower)
    np.testing.assert_allclose(np.tril(normal), np.tril(full), rtol=1e-12, atol=1e-12)
    product = factor.T * inverse @ factor
    np.testing.assert_allclose(product, full + 0.7 * np.eye(n), atol=1e-11)
    np.testing.assert_allclose(right, rows.T @ factors, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(v, np.linalg.solve(full + 0.7 * np.eye(n), right), atol=1e-11)
