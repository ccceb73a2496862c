"""The expert that looks at the labels alone: what it knows of cycles, and of labels that come late.

Its formulas are held to the oracle, `auto_reference.Autoregression`.
"""

import numpy as np
import pytest
from auto_reference import Autoregression

from mooe.auto import core
from mooe.auto.experts.autoregression import LAGS, MOST_FOLLOWED
from mooe.auto.file import WHOLES, learnt, restored
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.numerics import scores

ALONE = AutoParams(without=(*(e for e in EXPERTS if e != "autoregression"), "calibration"))
N = 400


def said(params, y, known=None, weights=None, d=2):
    """Return the scores given before each label, and the state after the last; inputs are noise."""
    state = core.init(params, d, int(max(y)) + 1)
    X = np.random.default_rng(5).normal(size=(len(y), d))
    return core.predict_then_learn(params, state, X, y, weights, known), state


def right(params, y, known=None):
    """Return the share of right answers in the second half."""
    answers = scores.answers(params, said(params, y, known)[0])
    return np.mean((answers == y)[len(y) // 2 :])


def drawn(rng, n_classes):
    """Return labels that follow each other by chance, some more often than others."""
    follow = rng.dirichlet(np.full(n_classes, 0.5), n_classes)
    y = [0.0]
    while len(y) < N:
        y.append(float(rng.choice(n_classes, p=follow[int(y[-1])])))
    return np.array(y)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("late", [False, True])
def test_it_says_what_the_oracle_says(n_classes, late):
    rng = np.random.default_rng(n_classes)
    y, weights = drawn(rng, n_classes), rng.exponential(1.0, N)
    known = np.where(rng.random(N) < 0.3, rng.integers(0, n_classes, N), np.nan)
    known[:5] = -np.inf
    known = known if late else np.full(N, np.nan)
    oracle, expected, last = Autoregression(n_classes), [], np.nan
    for label, told, weight in zip(y, known, weights, strict=True):
        is_late = not np.isnan(told)
        before = told if is_late else last
        shares = oracle.probabilities(before, is_late)
        expected.append(2.0 * (shares[1:] if n_classes == 2 else shares) - 1.0)
        oracle.learn(label, before, is_late, weight)
        last = label
    given = said(ALONE, y, known, weights)[0]
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("period", [2, 3, 7, 24, LAGS])
@pytest.mark.parametrize("params", [ALONE, AutoParams()], ids=["alone", "default"])
def test_labels_that_come_in_cycles_are_told(period, params):
    cycle = np.random.default_rng(period).integers(0, 3, period).astype(float)
    cycle[:2] = 0.0, 1.0
    assert right(params, np.resize(cycle, 1200)) > 0.99


def test_labels_that_alternate_are_told_though_the_last_one_is_always_wrong():
    y = np.arange(N) % 2.0
    assert right(AutoParams(), y) == 1.0
    assert right(AutoParams(without=("autoregression",)), y) < 0.6


def test_where_labels_tell_nothing_it_costs_next_to_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] + 0.3 * rng.normal(size=4000) > 0).astype(float)
    shares = []
    for without in ((), ("autoregression",)):
        params = AutoParams(without=without)
        state = core.init(params, 5, 2)
        given = core.predict_then_learn(params, state, X, y)
        shares.append(np.mean(scores.answers(params, given) == y))
    assert shares[0] > shares[1] - 0.004


def test_late_labels_teach_what_follows_the_last_one_that_was_known():
    # Every label is learnt three rows late: of a cycle of five the last known one still tells it.
    y = np.resize([0.0, 1.0, 2.0, 3.0, 4.0], N)
    known = np.concatenate([np.full(4, -np.inf), y[:-4]])
    assert right(ALONE, y, known) == 1.0


def test_of_late_labels_lags_learn_nothing():
    rng = np.random.default_rng(3)
    y = drawn(rng, 3)
    known = np.concatenate([np.full(4, -np.inf), y[:-4]])
    _, state = said(ALONE, y, known)
    found = core.views(ALONE, state).experts.autoregression
    assert not found.lags.any()
    assert not found.lag_sums.any()
    assert found.recent.tolist() == y[::-1][:LAGS].tolist()


def test_a_label_that_came_late_is_answered_anew_whatever_was_asked_before():
    params = AutoParams()
    y = np.resize([0.0, 0.0, 1.0], 200)
    _, state = said(params, y)
    asked, x = state.copy(), np.ones((1, 2))
    core.predict(params, asked, x)
    late = [np.array([1.0]), None, np.array([y[-1]])]
    given = [core.predict_then_learn(params, one, x, *late) for one in (asked, state)]
    np.testing.assert_array_equal(*given)
    np.testing.assert_array_equal(asked.block, state.block)


def test_a_class_that_comes_later_is_behind_each_as_unlikely_as_the_least_likely():
    rng = np.random.default_rng(1)
    params, y = ALONE, drawn(rng, 4)
    state = core.init(params, 2, 4)
    core.predict_then_learn(params, state, rng.normal(size=(N, 2)), y)
    before = core.views(params, state).experts.autoregression
    core.grow_classes(params, state, 6)
    after = core.views(params, state).experts.autoregression
    np.testing.assert_array_equal(after.followers[:4, :4], before.followers)
    np.testing.assert_array_equal(after.followers[:4, 4], before.followers.min(axis=1))
    np.testing.assert_array_equal(after.followers[:4, 5], before.followers.min(axis=1))
    assert not after.followers[4:].any()
    assert not after.followers[:, 6:].any()
    np.testing.assert_array_equal(after.lags, before.lags)
    np.testing.assert_array_equal(after.recent, before.recent)


def test_of_very_many_classes_only_lags_are_learnt():
    y = np.resize(np.arange(20.0), N)
    state = core.init(ALONE, 2, MOST_FOLLOWED + 1)
    given = core.predict_then_learn(ALONE, state, np.zeros((N, 2)), y)
    assert core.views(ALONE, state).experts.autoregression.followers.size == 0
    assert (scores.answers(ALONE, given) == y)[60:].all()


def test_a_class_that_was_not_met_is_never_expected():
    y = drawn(np.random.default_rng(2), 3)
    state = core.init(ALONE, 2, 5)
    given = core.predict_then_learn(ALONE, state, np.zeros((N, 2)), y)
    assert given[10:, 3:].max() < -0.999
    np.testing.assert_allclose(given[10:, :3], said(ALONE, y)[0][10:], rtol=0, atol=1e-6)


def test_a_regression_does_without_it():
    params = AutoParams(task="regression")
    state = core.init(params, 3)
    assert core.views(params, state).experts.autoregression.recent.size == 0
    assert "autoregression" not in [expert.name for expert in core.experts(params, state)]
    with pytest.raises(ValueError, match="must leave an expert"):
        core.init(AutoParams(task="regression", without=ALONE.without), 3)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("recent", 3.0, "whole numbers from -1 to below 3"),
        ("recent", 0.5, "whole numbers from -1 to below 3"),
        ("lags", 1e300, "numbers of size up to"),
        ("lag_sums", -1.0, "at least 0"),
        ("unmet", 1.0, "0 or -30"),
        ("follower_sums", -1.0, "at least 0"),
    ],
)
def test_what_no_stream_leads_to_is_refused(name, value, rule):
    params = AutoParams()
    _, state = said(params, np.resize([0.0, 1.0, 2.0], 100))
    tensors = learnt(params, state)
    counters = {field: int(getattr(state, field)) for field in WHOLES}
    restored(params, counters, tensors)
    tensors[f"autoregression.{name}"].flat[0] = value
    with pytest.raises(ValueError, match=rule):
        restored(params, counters, tensors)
