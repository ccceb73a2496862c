"""The block: its arrays lie behind each other and say their shapes."""

import numpy as np
import pytest

from mooe.forecast import core, layout


def arrays(part):
    for one in part:
        yield from arrays(one) if isinstance(one, tuple) else [one]


@pytest.mark.parametrize(
    ("n_channels", "n_covariates", "seasons", "warm_up"),
    [(1, 0, (), 0), (3, 2, (24, 168), 5), (60, 0, (7,), 0)],
)
def test_arrays_fill_the_block_and_do_not_overlap(n_channels, n_covariates, seasons, warm_up):
    params = core.Params(horizon=5)
    state = core.init(
        params, n_channels, n_covariates, seasons=seasons, n_cycles=len(seasons), warm_up=warm_up
    )
    marked = layout.views(params, state)
    for number, array in enumerate(arrays(marked)):
        array[:] = number
    for number, array in enumerate(arrays(layout.views(params, state))):
        assert (array == number).all()
    assert sum(array.size for array in arrays(marked)) <= len(state.block)


@pytest.mark.parametrize(("horizon", "n_channels"), [(5000, 1), (99_999, 99_999), (400, 50)])
def test_a_horizon_that_would_need_gigabytes_is_refused(horizon, n_channels):
    with pytest.raises(ValueError, match=f"horizon must be at most 200 .* got {horizon}"):
        core.init(core.Params(horizon=horizon), n_channels)
    layout.check_horizon(core.Params(horizon=200), 99_999)
    layout.check_horizon(core.Params(horizon=2000), 1)


def test_sleepers_that_are_neither_awake_nor_asleep_are_refused():
    params = core.Params()
    state = core.init(params, 1)
    layout.views(params, state).mixture.awake[0, 0] = 0.5
    with pytest.raises(ValueError, match="awake must hold 0 and 1"):
        layout.check(params, state)
    assert np.isfinite(state.block).all()
