"""Who votes, and from when on."""

import numpy as np

from forecast.test_kernel import made, run
from mooe.forecast.layout import views
from mooe.forecast.roster import NAMES


def awake(Y, turns, **chosen):
    *_, params, state = run(Y, turns, **chosen)
    return {
        name
        for name, is_awake in zip(NAMES, views(params, state).mixture.awake[0], strict=False)
        if is_awake
    }


def test_experts_vote_when_they_have_something_to_say():
    Y, turns = made(200, 2)
    simple = {"last value", "seasonal naive", "smooth", "smooth quick"}
    learners = {"steady", "slow", "quick", "joint steady", "joint slow", "memory"}
    assert awake(Y[:5], turns[:5]) == simple
    seasonal = simple | {"smooth growing"}
    assert awake(Y[:7], turns[:7]) == seasonal
    lines = {"trend", "trend quick", "trend growing"}
    assert awake(Y[:10], turns[:10]) == seasonal | lines
    assert awake(Y[:50], turns[:50]) == seasonal | lines | {"memory", "mean reversion"}
    assert awake(Y[:99], turns[:99]) == seasonal | lines | {"mean reversion"} | learners
    assert "offline" in awake(Y, turns, warm_up=50)
    assert "memory" not in awake(Y, turns, memory=False)
    assert awake(Y[:, :1].copy(), turns) & learners == {"steady", "slow", "quick", "memory"}


def test_a_season_that_multiplies_is_not_for_negative_values():
    Y, turns = made(100, 1, lift=-10.0)
    assert "smooth growing" not in awake(Y, turns)
    assert np.isfinite(run(Y, turns)[0]).all()
