"""Weights of experts: they sum to one, and go to who is right."""

import numpy as np
import pytest

from forecast.test_kernel import made, run
from mooe.forecast.layout import views
from mooe.forecast.mixture import MIXED, n_buckets
from mooe.forecast.roster import NAMES


def test_weights_sum_to_one_and_sleepers_have_none():
    *_, params, state = run(*made(300, 2), horizon=9)
    mixture = views(params, state).mixture
    np.testing.assert_allclose(mixture.weights.sum(-1), 1.0, atol=1e-12)
    assert (mixture.weights[:, :, mixture.awake[0] == 0.0] == 0.0).all()
    assert (mixture.weights[:, :, MIXED] == 0.0).all()


@pytest.mark.parametrize(("horizon", "buckets"), [(1, 1), (2, 2), (3, 2), (4, 3), (48, 6), (64, 7)])
def test_a_bucket_holds_the_steps_of_one_power_of_two(horizon, buckets):
    assert n_buckets(horizon) == buckets


def test_the_last_value_wins_on_a_random_walk_and_not_on_a_season():
    rng = np.random.default_rng(0)
    _, turns = made(1500, 1)
    walk = np.cumsum(rng.normal(size=(1500, 1)), 0)
    season = np.tile(rng.normal(size=(6, 1)), (250, 1)) + rng.normal(0.0, 0.1, (1500, 1))
    shares = []
    for Y in (walk, season):
        *_, params, state = run(Y, turns)
        weights = views(params, state).mixture.weights[0, 0]
        shares.append(weights[NAMES.index("last value")])
    assert shares[0] > 0.3
    assert shares[1] < 0.01


def test_forecasts_stay_near_the_range_that_was_seen():
    Y, turns = made(200, 1)
    means, *_ = run(Y, turns)
    low, high = np.minimum.accumulate(Y), np.maximum.accumulate(Y)
    reach = 0.1001 * (high - low) + 1e-5
    assert ((means >= (low - reach)[:, None]) & (means <= (high + reach)[:, None])).all()


def test_few_rows_of_a_clear_season_are_enough_to_leave_the_last_value():
    rng = np.random.default_rng(0)
    Y = np.tile([[0.0], [10.0], [20.0], [30.0]], (5, 1)) + rng.normal(0.0, 1.0, (20, 1))
    *_, params, state = run(Y, made(20, 1)[1], season=4)
    weights = views(params, state).mixture.weights[0, 0]
    assert weights[NAMES.index("last value")] < 0.03
