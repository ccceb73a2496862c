"""The meta expert: who gains, who loses, and that nobody is lost for good."""

import numpy as np
import pytest

from auto.regimes import learn, regimes
from mooe.auto import core
from mooe.auto.params import AutoParams
from mooe.auto.roster import CLASSES_ONLY, EXPERTS

AT, N = EXPERTS.index, len(EXPERTS)


def weights_after(params, X, y, weights=None, n_classes=2):
    """Return the weights by Hedge and by exponentiated gradient, (N,) each."""
    state = core.init(params, X.shape[1], n_classes)
    core.predict_then_learn(params, state, X, y, weights)
    block = core.views(params, state)
    return block.mixture.shares[:N].copy(), block.mixture.tuned[:N].copy()


def test_all_begin_alike_and_nobody_gains_where_all_say_the_same():
    params = AutoParams()
    shares, tuned = weights_after(params, np.ones((1, 2)), np.ones(1))
    np.testing.assert_allclose(shares, 1 / N, rtol=1e-12)
    np.testing.assert_allclose(tuned, 1 / N, rtol=1e-12)


def test_a_label_that_stays_makes_the_expert_that_repeats_it_gain():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), (np.arange(400) // 20 % 2).astype(float)
    for weights in weights_after(AutoParams(without=("autoregression",)), X, y):
        assert weights.argmax() == AT("no_change")
        assert weights[AT("no_change")] > 0.5


@pytest.mark.parametrize("weight", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_nobody_is_lost_for_good_however_much_a_row_weighs(n_classes, weight):
    params = AutoParams("classification" if n_classes else "regression")
    rows = regimes(np.random.default_rng(0), n_classes=n_classes, length=20)
    state = core.init(params, 3, n_classes)
    on = core.views(params, state).mixture.shares[:N] > 0.0
    assert on.sum() == N - (0 if n_classes else len(CLASSES_ONLY))
    for first in range(0, 120, 10):
        some = rows[first : first + 10]
        core.predict_then_learn(params, state, some.X, some.y, np.full(10, weight))
        block = core.views(params, state)
        assert block.mixture.shares[:N][on].min() >= 0.0029 / N
        assert block.mixture.shares[:N].sum() == pytest.approx(1.0, abs=1e-12)
        assert block.mixture.tuned[:N][on].min() >= 0.999e-12
        assert block.mixture.tuned[:N].sum() == pytest.approx(1.0, abs=1e-10)


def test_a_row_of_great_weight_that_nobody_is_sure_of_tells_experts_apart():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(61, 3)), rng.integers(0, 2, 61).astype(float)
    params = AutoParams(without=("no_change",))
    state = core.init(params, 3, 2)
    core.predict_then_learn(params, state, X[:60], y[:60])
    votes = core.explain(params, state, X[60:])[1][:, 0]
    target = 1.0 if votes.max() < 1.0 else -1.0  # all lose, and times the weight they lose much
    assert (votes != target).all()
    core.predict_then_learn(params, state, X[60:], np.array([target > 0.0]) * 1.0, np.array([1e5]))
    shares = core.views(params, state).mixture.shares[:N]
    on = np.array([name != "no_change" for name in EXPERTS])
    closest = np.abs(votes - target).argmin()
    assert shares[on][closest] == pytest.approx(0.997 + 0.003 / (N - 1), rel=1e-9)


def test_experts_that_are_left_out_have_no_weight():
    params = AutoParams(without=("adagrad", "memory_rich"))
    rows = regimes(np.random.default_rng(0))
    state = core.init(params, 3)
    learn(params, state, rows)
    block = core.views(params, state)
    off = np.isin(EXPERTS, params.without)
    for weights in (block.mixture.shares[:N], block.mixture.tuned[:N]):
        assert (weights[off] == 0.0).all()
        assert (weights[~off] > 0.0).all()
    assert len(core.weights(params, state)) == N - 2


def test_one_of_the_two_ways_alone_gives_its_own_weights():
    rows = regimes(np.random.default_rng(0))
    for part, name in (("hedge", "tuned"), ("gradient", "shares")):
        params = AutoParams(without=(part,))
        state = core.init(params, 3)
        learn(params, state, rows)
        expected = getattr(core.views(params, state).mixture, name)[:N]
        np.testing.assert_allclose(core.weights(params, state), expected, atol=1e-10)
