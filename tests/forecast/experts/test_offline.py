"""The offline expert: what was fitted on the warm-up stays."""

import numpy as np

from forecast.test_kernel import made, run
from mooe.forecast.layout import views


def test_it_is_the_steady_expert_at_the_end_of_the_warm_up():
    Y, turns = made(200, 2)
    *_, params, state = run(Y[:120], turns[:120])
    steady = views(params, state).experts.squares[0].weights
    *_, params, later = run(Y, turns, warm_up=120)
    assert np.array_equal(views(params, later).experts.offline.weights, steady)
    assert not np.array_equal(views(params, later).experts.squares[0].weights, steady)


def test_without_a_warm_up_there_is_none():
    *_, params, state = run(*made(50, 1))
    assert views(params, state).experts.offline.weights.size == 0
