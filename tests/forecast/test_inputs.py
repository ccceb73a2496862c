"""What experts see of a row."""

import numpy as np
import pytest

from forecast.test_kernel import made, run
from mooe.forecast import inputs
from mooe.forecast.layout import views
from mooe.numerics.blocks import values


def test_lags_are_against_the_last_value_in_units_of_the_deviation():
    Y, turns = made(200, 1)
    *_, params, state = run(Y, turns)
    c, seen = values(state.counters), views(params, state).seen
    now = (state.n_rows - 1) % (params.horizon + 1)
    row, unit = seen.own[0, now], Y.std()
    first = 1 + inputs.n_cycle_inputs(c)
    assert seen.scales[0, now] == pytest.approx(unit)
    expected = (Y[-2 : -inputs.SHORT_LAGS - 2 : -1, 0] - Y[-1, 0]) / unit
    np.testing.assert_allclose(row[first : first + inputs.SHORT_LAGS], expected, atol=1e-12)
    assert row[inputs.long_width(c)] == pytest.approx((Y[-1, 0] - Y.mean()) / unit)
    turned = 2 * np.pi * turns[-1, 0]
    harmonics = [part for k in range(1, 5) for part in (np.sin(k * turned), np.cos(k * turned))]
    np.testing.assert_allclose(row[1:9], harmonics, atol=1e-14)


def test_what_is_no_padding_is_counted():
    _, _, _, state = run(*made(60, 3), season=100)
    own, joint = inputs.used_inputs(values(state.counters))
    lags = [*range(1, 60), *range(60, 108, 2)]
    assert own.sum() == 1 + 14 + len(lags) + 1
    assert joint.sum() == 1 + 14 + 3 * 8


@pytest.mark.parametrize(
    ("n_channels", "lags"), [(1, 0), (2, 8), (12, 8), (24, 4), (48, 2), (49, 0)]
)
def test_many_channels_are_seen_together_by_fewer_lags(n_channels, lags):
    assert inputs.joint_lags(values(run(*made(3, n_channels))[3].counters)) == lags
