"""A full interval: the pull and its floor, who leaves, in which order the others stand."""

import numpy as np
import pytest
from made_streams import stream
from numba import njit

from mooe.numerics import hedge
from mooe.paper import core
from mooe.paper.interval import rank_experts
from paper.fits import fits


@njit
def ranked(weights, fitted, by_weight, order):
    rank_experts(weights, fitted, by_weight, order)


def ranks(weights, fitted, by_weight=True):
    order = np.empty(len(weights))
    ranked(np.array(weights, dtype=float), np.array(fitted, dtype=float), by_weight, order)
    return order.astype(int).tolist()


def test_experts_stand_by_their_weight_and_ties_by_age():
    assert ranks([0.3, 0.1, 0.2], [0, 1, 2]) == [1, 2, 0]
    assert ranks([0.1, 0.1, 0.1], [5, 3, 4]) == [1, 2, 0]
    assert ranks([0.2, 0.1, 0.2, 0.1], [3, 2, 1, 0]) == [3, 1, 2, 0]
    assert ranks([0.3, 0.1, 0.2], [0, 1, 2], by_weight=False) == [0, 1, 2]
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 10, 40):
        weights, fitted = rng.integers(5, size=n), rng.permutation(n)
        expected = sorted(range(n), key=lambda k: (weights[k], fitted[k]))
        assert ranks(weights, fitted) == expected


def watched(priority, max_experts=4, **chosen):
    """Yield at each closing: weights after the last label, fitted before, fitted after."""
    params = core.Params(interval=10, max_experts=max_experts, priority=priority, **chosen)
    rows = stream(np.random.default_rng(1), n=200)
    state, probe = core.init(params, 3), None
    for i in range(200):
        one = slice(i, i + 1)
        if state.t == 9:  # the same interval, left open, shows the final weights
            longer = core.Params(interval=11, max_experts=max_experts, priority=priority, **chosen)
            probe = core.init(longer, 3, state.n_classes)
            copy_into(longer, probe, params, state)
            core.predict_then_learn(longer, probe, rows.X[one], rows.y[one])
            final = core.weights(longer, probe)[:-1]
            before = core.views(params, state).fitted[: state.n_offline].tolist()
        core.predict_then_learn(params, state, rows.X[one], rows.y[one])
        if state.t == 0:
            yield final, before, core.views(params, state).fitted[: state.n_offline].tolist()


def copy_into(longer, probe, params, state):
    """In place: the probe goes on from the state, in an interval that has room for more rows."""
    for name in state.counters.dtype.names:
        probe.counters[name] = state.counters[name]
    new, old = core.views(longer, probe), core.views(params, state)
    for name in ("counts", "mean", "squares", "online", "experts", "fitted", "log_prior", "losses"):
        getattr(new, name)[...] = getattr(old, name)
    new.rows[: state.t] = old.rows[: state.t]


def test_by_weight_the_least_weight_leaves_and_the_newest_stands_highest():
    left_young = 0
    for number, (final, before, after) in enumerate(watched("weight", meta_rate=5.0)):
        order = [before[k] for k in np.argsort(final)]
        assert after == [*order, number][-3:]
        left_young += len(before) == 3 and min(before) in after
    assert left_young > 3  # it was not a queue


def test_in_a_queue_the_oldest_leaves():
    for number, (_, _, after) in enumerate(watched("queue")):
        assert after == list(range(max(0, number - 2), number + 1))


@pytest.mark.parametrize("max_experts", [1, 2])
def test_few_experts_keep_the_newest_only(max_experts):
    for number, (_, _, after) in enumerate(watched("weight", max_experts)):
        assert after == [number][: max_experts - 1]


@pytest.mark.parametrize("start", ["warm", "reset", "random"])
def test_a_new_interval_begins_with_the_prior_and_the_online_expert_as_told(start):
    params = core.Params(interval=10, max_experts=4, start=start)
    rows = stream(np.random.default_rng(2), n=40)
    state = core.init(params, 3)
    for i in range(40):
        before = core.views(params, state).online.copy()
        core.predict_then_learn(params, state, rows.X[i : i + 1], rows.y[i : i + 1])
        if state.t:
            continue
        block, n = core.views(params, state), state.n_offline
        assert not block.losses.any()
        np.testing.assert_allclose(core.weights(params, state), hedge.prior(n + 1), rtol=1e-14)
        moved = np.linalg.norm(block.online - before)
        if start == "warm":
            assert 0 < moved < 0.8  # the step of the last label, and nothing else
        else:
            assert block.online.any() == (start == "random")


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("pull", [None, 0.0, 1e-9, 0.5])
def test_the_pull_is_the_given_one_but_never_below_its_floor(loss, pull):
    for fit in fits(loss=loss, pull=pull, radius=20.0):
        assert fit.multiplier == 0
        apart = fit.expert - fit.mixture
        used = -fit.loss_gradient(fit.expert) @ apart / (apart @ apart)
        assert used == pytest.approx(max(pull or 0.0, fit.floor), rel=1e-6)
        assert fit.floor > 1e-9


@pytest.mark.parametrize("pull", [None, 0.3, 2.0])
def test_the_new_expert_is_as_near_to_the_mixture_as_lemma_1_says(pull):
    for fit in fits(n_intervals=8, radius=1.0, pull=pull):
        weighted_losses = 4 * fit.floor  # at radius 1
        assert np.sum((fit.expert - fit.mixture) ** 2) <= weighted_losses / fit.pull + 1e-12
