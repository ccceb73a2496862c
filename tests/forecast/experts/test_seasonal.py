"""Experts that know the season."""

import numpy as np
import pytest
from forecast_reference import seasonal_votes

from forecast.test_kernel import made, run
from mooe.forecast.layout import views
from mooe.forecast.roster import NAMES, SEASONAL


def votes_of(Y, turns, horizon=5, **chosen):
    *_, params, state = run(Y, turns, horizon=horizon, **chosen)
    steps = np.arange(horizon)
    return views(params, state).mixture.votes[(len(Y) + steps) % horizon, 0, steps]


@pytest.mark.parametrize("n", [7, 12, 13, 100])
def test_votes_are_those_of_the_textbook(n):
    Y, turns = made(n, 1)
    votes = votes_of(Y, turns)[:, SEASONAL : SEASONAL + 4].T
    reach = 0.1 * np.ptp(Y)
    expected = np.clip(seasonal_votes(Y[:, 0], 6, 5), Y.min() - reach, Y.max() + reach)
    np.testing.assert_allclose(votes, expected, rtol=1e-9)


def test_the_naive_one_repeats_the_season_beyond_its_length():
    Y, turns = made(40, 1)
    naive = votes_of(Y, turns, horizon=9)[:, NAMES.index("seasonal naive")]
    assert naive.tolist() == [*Y[-6:, 0], *Y[-6:-3, 0]]


def test_a_season_that_grows_with_the_level_is_followed():
    at = np.arange(400)
    level = np.exp(at / 100.0)
    Y = (level * (1.0 + 0.5 * np.sin(at * 2 * np.pi / 6)))[:, None]
    votes = votes_of(Y[:-5], np.column_stack([at % 6 / 6, at % 42 / 42])[:-5])
    error = np.abs(votes - Y[-5:]).mean(0)
    assert error[NAMES.index("smooth growing")] < error[NAMES.index("smooth")]
