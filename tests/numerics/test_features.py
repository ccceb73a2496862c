"""The standardiser, through the core: two-pass statistics, extremes, absent values, the bound."""

import numpy as np
import pytest

from mooe.numerics.features import LARGEST_INPUT
from mooe.paper import core
from mooe.paper.params import Params


def seen(X, **chosen):
    """Return the inputs as the experts see them, and the state after them."""
    X = np.ascontiguousarray(X, dtype=float)
    params = core.Params(
        **{"interval": len(X) + 1, "intercept": False, "input_bound": 1e9, **chosen}
    )
    state = core.init(params, X.shape[1])
    core.predict_then_learn(params, state, X, np.zeros(len(X)))
    block = core.views(params, state)
    return block.rows[: len(X)].copy(), block


def two_pass(X):
    """Return each row standardised by the statistics of all rows up to it, itself included."""
    out = np.zeros_like(X)
    for i in range(len(X)):
        past = X[: i + 1].astype(np.longdouble)
        for j in range(X.shape[1]):
            column = past[~np.isnan(past[:, j]), j]
            if np.isnan(X[i, j]) or np.ptp(column) == 0:
                continue
            out[i, j] = (X[i, j] - column.mean()) / column.std()
    return out


@pytest.mark.parametrize(
    ("offset", "spread", "tolerance"),
    [(0, 1, 1e-12), (1e3, 1, 1e-10), (1e6, 1e-2, 1e-6), (1e12, 1e6, 1e-8), (0, 1e40, 1e-12)],
)
def test_rows_are_standardised_by_the_statistics_so_far(offset, spread, tolerance):
    X = offset + spread * np.random.default_rng(0).normal(size=(200, 3))
    np.testing.assert_allclose(seen(X)[0], two_pass(X), rtol=0, atol=tolerance)


def test_an_offset_of_1e12_keeps_the_variance():
    x = 1e12 + np.random.default_rng(1).normal(size=(2000, 1))
    _, block = seen(x)
    variance = block.squares[0] / block.counts[0]
    assert variance == pytest.approx(x.astype(np.longdouble).var(), rel=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e12, 1e12 / 3, 1e-200, LARGEST_INPUT])
def test_a_constant_column_is_zero(value):
    rows, _ = seen(np.full((300, 2), value))
    assert not rows.any()


def test_a_column_that_was_constant_for_long_stays_bounded_when_it_moves():
    x = np.full((1001, 1), 0.1)
    x[1000] = 0.1 + 1e-9
    rows, _ = seen(x)
    assert not rows[:1000].any()
    assert 0 < rows[1000, 0] <= np.sqrt(1001)


def test_an_absent_value_is_zero_and_leaves_the_statistics_alone():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3)) * [1, 10, 100] + 5
    X[rng.random(X.shape) < 0.3] = np.nan
    rows, block = seen(X)
    np.testing.assert_allclose(rows, two_pass(X), rtol=0, atol=1e-12)
    assert block.counts.tolist() == (~np.isnan(X)).sum(axis=0).tolist()
    np.testing.assert_allclose(block.mean, np.nanmean(X, axis=0), rtol=1e-12)


def test_a_longer_row_is_shrunk_to_the_bound_and_keeps_its_direction():
    X = np.random.default_rng(3).normal(size=(100, 4))
    free, _ = seen(X)
    shrunk, _ = seen(X, input_bound=0.8)
    lengths = np.linalg.norm(free, axis=1)
    factors = np.minimum(1, 0.8 / np.maximum(lengths, 1e-300))
    assert (factors < 1).any()
    np.testing.assert_allclose(shrunk, free * factors[:, None], atol=1e-13)
    assert np.linalg.norm(shrunk, axis=1).max() <= 0.8 * (1 + 1e-15)


def test_without_scaling_rows_are_taken_as_they_are():
    X = np.random.default_rng(4).uniform(-0.4, 0.4, size=(50, 3))
    X[3, 1] = np.nan
    rows, _ = seen(X, scale=False)
    np.testing.assert_array_equal(rows, np.nan_to_num(X))


def test_the_constant_input_comes_last_and_does_not_count_in_the_shrinking():
    X = np.random.default_rng(5).normal(size=(50, 3))
    with_constant, _ = seen(X, intercept=True, input_bound=0.5)
    without, _ = seen(X, input_bound=0.5)
    np.testing.assert_array_equal(with_constant[:, :-1], without)
    assert (with_constant[:, -1] == 1).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1.1e100, -1.1e100])
def test_an_unusable_value_is_found_wherever_it_is(value):
    params = Params()
    for shape in ((1, 1), (2, 3), (3, 4), (3, 7)):
        for i, j in np.ndindex(shape):
            X = np.full(shape, 1e100)
            core.check_inputs(params, X)
            X[i, j] = np.nan  # absent
            core.check_inputs(params, X)
            X[i, j] = value
            with pytest.raises(ValueError, match=f"in row {i}, column {j}"):
                core.check_inputs(params, X)
