"""How fast a series returns to its mean."""

import numpy as np
import pytest
from forecast_reference import pull_votes

from forecast.experts.test_seasonal import votes_of
from forecast.test_kernel import made
from mooe.forecast.roster import NAMES, REVERSION


@pytest.mark.parametrize("season", [1, 6])
@pytest.mark.parametrize("n", [3, 7, 40, 100])
def test_votes_are_those_written_down(n, season):
    Y, turns = made(n, 1)
    if n < 16 + season:
        return
    reach = 0.1 * np.ptp(Y)
    expected = np.clip(pull_votes(Y[:, 0], season, 5), Y.min() - reach, Y.max() + reach)
    np.testing.assert_allclose(votes_of(Y, turns, season=season)[:, REVERSION], expected, rtol=1e-9)


def test_a_pull_is_found_and_a_walk_has_none():
    rng = np.random.default_rng(0)
    _, turns = made(600, 1)
    pulled, walk = np.zeros((600, 1)), np.cumsum(rng.normal(size=(600, 1)), 0)
    for t in range(1, 600):
        pulled[t] = 0.8 * pulled[t - 1] + rng.normal()
    pulled[-1] = 4.0
    votes = [votes_of(Y, turns, season=1)[:, NAMES.index("mean reversion")] for Y in (pulled, walk)]
    np.testing.assert_allclose(votes[0], 4.0 * 0.8 ** np.arange(1, 6), atol=0.5)
    assert np.abs(votes[1] - walk[-1]).max() < 0.05 * np.ptp(walk)
