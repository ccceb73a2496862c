"""Least squares that forget, as an expert of its own: what they solve, and what holds them back."""

import numpy as np
import pytest

from mooe.auto import core
from mooe.auto.experts.least_squares import FAST, LARGEST_TRACE, SLOW, STIFFNESS
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS


def alone(name, **more):
    return AutoParams(without=tuple(part for part in EXPERTS if part != name), **more)


@pytest.mark.parametrize(("name", "kept"), [("squares_slow", SLOW), ("squares_fast", FAST)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_they_solve_the_weighted_least_squares_of_the_rows_so_far(name, kept, n_classes):
    n, d = 40, 3
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(0, n_classes, n).astype(float)
    weights = rng.uniform(0.5, 2.0, n)
    # All experts learn; the rich memory keeps the inputs.
    params = AutoParams(interval=100)
    state = core.init(params, d, n_classes)
    core.predict_then_learn(params, state, X, y, weights)
    block = core.views(params, state)
    squares = (
        block.experts.least_squares.slow
        if name == "squares_slow"
        else block.experts.least_squares.fast
    )
    p = squares.weights.shape[1]
    inputs = block.experts.memory.rich.rows[:n, :p]
    targets = np.where(y[:, None] == ([1] if n_classes == 2 else range(n_classes)), 1.0, -1.0)
    shares = weights * kept ** np.arange(n - 1, -1, -1)
    gram = (inputs.T * shares) @ inputs + kept**n / STIFFNESS * np.eye(p)
    expected = np.linalg.solve(gram, (inputs.T * shares) @ targets).T
    np.testing.assert_allclose(squares.weights, expected, rtol=0, atol=1e-9)


def test_directions_that_no_row_takes_do_not_grow_without_bound():
    params = alone("squares_fast")
    state = core.init(params, 2, 2)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=3000), np.ones(3000)])
    scores = core.predict_then_learn(params, state, X, (X[:, 0] > 0).astype(float))
    inverse = core.views(params, state).experts.least_squares.fast.inverse
    # Fifty rows may pass until it is looked at.
    assert 100.0 < np.trace(inverse) <= 3 * LARGEST_TRACE / FAST**50
    assert np.isfinite(scores).all()
    assert np.mean((scores[2000:, 0] > 0) == (X[2000:, 0] > 0)) > 0.95


def test_the_fast_one_forgets_what_the_slow_one_keeps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = ((X[:, 0] > 0) ^ (np.arange(1200) >= 1000)).astype(float)  # turned at row 1000
    right = {}
    for name in ("squares_slow", "squares_fast"):
        params = alone(name)
        scores = core.predict_then_learn(params, core.init(params, 2, 2), X, y)[:, 0]
        right[name] = np.mean((scores > 0)[1080:] == y[1080:])
    assert right["squares_fast"] > 0.9 > right["squares_slow"]
