"""The expert that repeats the last value."""

import numpy as np

from forecast.test_kernel import made, run
from mooe.forecast.layout import views
from mooe.forecast.roster import LAST


def test_it_repeats_the_last_value_for_every_step():
    Y, turns = made(50, 2)
    *_, params, state = run(Y, turns)
    votes, steps = views(params, state).mixture.votes, np.arange(5)
    for i in range(2):
        assert (votes[(50 + steps) % 5, i, steps, LAST] == Y[-1, i]).all()
