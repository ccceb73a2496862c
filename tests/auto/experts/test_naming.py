"""Users see the memory that does better, and a name goes on meaning the same regime."""

import numpy as np

from mooe.auto import core
from mooe.auto.params import AutoParams


def followed(X, y, regime, n_classes):
    """Return, of each name that was shown, the regimes that most of its rows were of, and more.

    That is: which memories were shown, and the names at the end.
    """
    params = AutoParams()
    state = core.init(params, X.shape[1], n_classes)
    meant, shown, intervals = {}, [], 0
    for i in range(0, len(y), 20):
        core.predict_then_learn(params, state, X[i : i + 20], y[i : i + 20].astype(float))
        shown.append(state.shown)
        for one in core.concepts(params, state):
            rows = [regime[first : last + 1] for first, last in one.visits]
            meant.setdefault(one.name, set()).add(int(np.bincount(np.concatenate(rows)).argmax()))
        assert core.n_intervals(params, state) >= intervals
        intervals = core.n_intervals(params, state)
    return meant, shown, [one.name for one in core.concepts(params, state)]


def test_a_name_never_comes_to_mean_another_regime_when_the_other_memory_is_shown():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (6000, 2))
    turn = np.arange(6000) // 500 % 2
    regime = turn + 2 * (np.arange(6000) >= 2000)
    y = np.where(regime < 2, X[:, 0] > 0, X[:, 0] * X[:, 1] > 0) ^ (turn == 1)
    meant, shown, _ = followed(X, y, regime, 2)
    assert set(shown) == {0, 1}
    assert sorted(meant) == list(range(1, len(meant) + 1))
    assert all(len(regimes) == 1 for regimes in meant.values())


def test_a_regime_keeps_its_name_when_the_other_memory_is_shown():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 4))
    regime = np.arange(6000) // 500 % 3
    scores = np.einsum("nd,ndc->nc", X, rng.normal(size=(3, 4, 2))[regime])
    curved = 0.4 * X[:, 0] * X[:, 1]  # so that both memories find the regimes, and one does better
    y = scores[:, 0] + curved > 0
    meant, shown, names = followed(X, y, regime, 2)
    assert (shown[0], shown[-1]) == (0, 1)
    assert names == [1, 2, 3]
    assert sorted(map(min, meant.values())) == [0, 1, 2]


def test_the_concepts_shown_are_those_of_the_memory_that_does_clearly_better():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (6000, 2))
    product = (X[:, 0] * X[:, 1] > 0).astype(float)  # no linear learner can tell
    shown = []
    for y in (product, (X[:, 0] > 0).astype(float)):
        params = AutoParams()
        state = core.init(params, 2, 2)
        core.predict_then_learn(params, state, X, y)
        shown.append(state.shown)
    assert shown == [1, 0]
    params = AutoParams(without=("memory_plain",))
    state = core.init(params, 2, 2)
    core.predict_then_learn(params, state, X, product)
    assert state.shown == 1
