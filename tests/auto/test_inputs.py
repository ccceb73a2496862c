"""Inputs as the experts see them; a memory's open interval keeps them, so they are read there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from auto.regimes import learn, oracle, regimes
from mooe.auto import core
from mooe.auto.params import AutoParams

LONG = AutoParams(interval=300)


def seen(X, params=LONG):
    """Return plain and rich inputs of the rows, as they are kept: (n, d + 1), (n, n_rich).

    Plain ones in the order of the columns.
    """
    n, d = X.shape
    state = core.init(params, d, 2)
    core.predict_then_learn(params, state, X, np.arange(n) % 2.0)
    block = core.views(params, state)
    if state.narrow:
        plain = block.experts.memory.plain.rows[:n].copy()
        plain[:, block.inputs.order.astype(int)] = plain[:, :d].copy()
        return plain, block.experts.memory.rich.rows[:n]
    plain = np.zeros((n, d + 1))
    for i, length in enumerate(block.experts.memory.plain.lengths[:n].astype(int)):
        places = block.experts.memory.plain.places[i, :length].astype(int)
        assert len(set(places)) == length  # no column twice
        plain[i, places] = block.experts.memory.plain.rows[i, :length]
    return plain, None


def expected(X, params=LONG):
    """Return the same of the oracle."""
    reference = oracle(params, X.shape[1], 2)
    plain, rich = [], []
    for x in X:
        z, _, q, columns = reference.see(x[reference.arrange(x, learn=True)])
        reference.columns = columns
        plain.append(z)
        rich.append(q)
    plain = np.array(plain)
    plain[:, reference.order] = plain[:, :-1].copy()
    return plain, np.array(rich)


@hypothesis_settings(max_examples=40, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.sampled_from([1, 2, 5, 8, 25, 128, 129, 140]),
    zeros=st.sampled_from([0.0, 0.5, 0.75, 0.9, 1.0]),
    absent=st.sampled_from([0.0, 0.3]),
    offset=st.sampled_from([0.0, 3.0]),
)
def test_they_agree_with_the_oracle(seed, d, zeros, absent, offset):
    rng = np.random.default_rng(seed)
    X = 10.0 ** rng.uniform(-3, 3, d) * (rng.normal(size=(40, d)) + offset)
    X[rng.random((40, d)) < zeros] = 0.0
    X[rng.random((40, d)) < absent] = math.nan
    found, wanted = seen(X), expected(X)
    np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-11)
    if d <= 128:
        np.testing.assert_allclose(found[1], wanted[1], rtol=0, atol=1e-11)


def test_a_column_is_centred_and_divided_by_its_deviation_so_far():
    X = np.random.default_rng(0).normal(5.0, 3.0, (50, 1))
    z = seen(X)[0]
    for i in range(1, 50):
        so_far = X[: i + 1, 0]
        assert z[i, 0] == pytest.approx((X[i, 0] - so_far.mean()) / so_far.std(), rel=1e-12)
    assert (z[:, 1] == 1.0).all()


@pytest.mark.parametrize("d", [1, 130])
def test_a_column_of_mostly_zeros_keeps_them(d):
    X = np.zeros((100, d))
    X[4::5] = np.random.default_rng(0).uniform(1, 2, (20, d))  # 80 % are 0
    z = seen(X)[0]
    assert (z[:, :d][X == 0] == 0.0).all()
    np.testing.assert_allclose(z[99, 0], X[99, 0] / np.sqrt(np.mean(X[:, 0] ** 2)))
    centred = seen(X, AutoParams(interval=300, without=("sparse_columns",)))[0]
    assert (centred[10:, 0][X[10:, 0] == 0] < 0.0).all()


def test_a_value_is_at_most_four_deviations_away_and_three_in_a_product():
    X = np.random.default_rng(0).normal(size=(200, 2))
    X[150] = 1e9, -1e9
    plain, rich = seen(X, AutoParams(interval=300, without=("fourier",)))
    assert plain[150].tolist() == [4.0, -4.0, 1.0]
    assert rich[150, 3:].tolist() == [4.5, -4.5, 4.5]  # squares and their product


def test_an_absent_value_counts_as_the_mean_and_leaves_no_trace():
    X = np.random.default_rng(0).normal(3.0, 2.0, (60, 2))
    holes = X.copy()
    holes[20:40, 0] = math.nan
    z = seen(holes)[0]
    np.testing.assert_allclose(z[20:40, 0], 0.0, atol=1e-12)
    without = np.delete(X, np.s_[20:40], axis=0)
    np.testing.assert_array_equal(z[40:, 0], seen(without)[0][20:, 0])


def test_waves_have_a_mean_square_of_nine_in_all():
    X = np.random.default_rng(0).normal(size=(300, 6))
    waves = seen(X, AutoParams(interval=400, without=("products",)))[1][:, 7:]
    assert waves.shape[1] == 100
    assert np.mean(np.sum(waves**2, axis=1)) == pytest.approx(9.0, rel=0.05)


def test_wide_inputs_are_seen_as_narrow_ones_are():
    rows = regimes(np.random.default_rng(0), n=120, d=6, zeros=0.6, absent=0.1)
    wide = np.zeros((120, 150))
    wide[:, 20:26] = rows.X
    narrow = seen(rows.X)[0]
    np.testing.assert_allclose(seen(wide)[0][:, 20:26], narrow[:, :6], rtol=0, atol=1e-12)


def test_wide_rows_cost_their_values_and_not_their_width():
    params = AutoParams(interval=200)
    d = 5000
    X = np.zeros((150, d))
    places = np.random.default_rng(0).integers(0, d, (150, 4))
    np.put_along_axis(X, places, 1.0, axis=1)
    state = core.init(params, d, 2)
    core.predict_then_learn(params, state, X, np.arange(150) % 2.0)
    lengths = core.views(params, state).experts.memory.plain.lengths[:150]
    assert lengths.max() <= 4 * 4 + 4 + 1 + 10
    assert state.n_dense <= 4 * 4


@pytest.mark.parametrize("d", [4, 140])
def test_rows_without_label_leave_no_trace_between_others(d):
    params = AutoParams(interval=300)
    rows = regimes(np.random.default_rng(0), n=100, d=d, zeros=0.5, unlabelled=0.4)
    some, all_rows = core.init(params, d, 2), core.init(params, d, 2)
    learn(params, some, rows[~np.isnan(rows.y)])
    learn(params, all_rows, rows)
    assert all_rows.block.tobytes() == some.block.tobytes()
    assert all_rows.counters.tobytes() == some.counters.tobytes()
