"""Learn++.NSE: row weights, the sigmoid average over five chunks by hand, pruning, Usenet1."""

import os
from pathlib import Path

import numpy as np
import pytest

from mooe import datasets
from mooe.baselines.learnpp_nse import LearnPPNSE, LearnPPNSEParams, log_sigmoid, row_weights
from mooe.labels import Labels

HERE = os.environ.get("MOOE_DATA_HOME")
real = pytest.mark.skipif(
    not HERE or not Path(HERE).is_dir(), reason="MOOE_DATA_HOME is not set: no real streams"
)


def test_rows_that_the_ensemble_has_wrong_count_more():
    # E = 1/4: three rows of 1/4, one of 1, over 7/4
    found = row_weights(np.array([True, False, True, True]))
    np.testing.assert_allclose(found, [1 / 7, 4 / 7, 1 / 7, 1 / 7])
    np.testing.assert_allclose(row_weights(np.ones(4, dtype=bool)), 1 / 4)  # E = 0
    np.testing.assert_allclose(row_weights(np.zeros(4, dtype=bool)), 1 / 4)


class Fixed:
    """Members whose errors are laid down: member k has the first few rows of a chunk wrong."""

    def __init__(self, wrong):
        self.wrong, self.n, self.t = wrong, 0, 0

    def add(self, model, n_classes):
        self.n += 1
        self.t += 1

    def remove(self, k):
        self.n -= 1

    def votes(self, X):
        out = np.zeros((self.n, len(X)), dtype=np.int64)
        for k in range(self.n):
            out[k, : self.wrong[k][self.t - 1 - k]] = 1
        return out


class Plain(LearnPPNSE):
    """The learner with every row of the same importance."""

    def shares(self, X):
        return np.tile([1.0, 0.0], (len(X), 1))  # the ensemble is always right: E = 0


def test_betas_over_five_chunks_are_averaged_over_the_whole_history():
    # rows wrong of 10, at ages 0, 1, ...: 6 of 10 is clipped to one half
    wrong = [[1, 2, 3, 4, 6], [0, 2, 2, 1], [2, 0, 0], [1, 1], [3]]
    learner = Plain(LearnPPNSEParams(chunk=10))
    learner.members = Fixed(wrong)
    for _ in range(5):
        learner.close(np.zeros((10, 1)), np.zeros(10), 2)
    expected = []
    for errors in wrong:
        beta = [min(w / 10, 0.5) / (1 - min(w / 10, 0.5)) for w in errors]
        weight = [1 / (1 + np.exp(-0.5 * (age - 10))) for age in range(len(errors))]
        expected.append(sum(b * w for b, w in zip(beta, weight, strict=True)) / sum(weight))
    np.testing.assert_allclose(learner.betas, expected, rtol=1e-12)
    # the first by hand: weights .00669, .01099, .01799, .02931, .04743, betas 1/9, 1/4, 3/7, 2/3, 1
    by_hand = (0.006693 / 9 + 0.010987 / 4 + 0.017986 * 3 / 7 + 0.029312 * 2 / 3 + 0.047426) / (
        0.006693 + 0.010987 + 0.017986 + 0.029312 + 0.047426
    )
    assert learner.betas[0] == pytest.approx(by_hand, rel=1e-4)
    votes = np.log(1 / np.array(expected))
    np.testing.assert_allclose(learner.weights, votes / votes.sum(), rtol=1e-12)


def test_the_mean_beta_is_at_least_a_hundredth():
    learner = Plain(LearnPPNSEParams(chunk=10))
    learner.members = Fixed([[0]])
    learner.close(np.zeros((10, 1)), np.zeros(10), 2)
    assert learner.betas.tolist() == [0.01]


def test_where_nobody_has_a_vote_the_newest_answers():
    learner = Plain(LearnPPNSEParams(chunk=10))
    learner.members = Fixed([[5, 5], [5]])
    for _ in range(2):
        learner.close(np.zeros((10, 1)), np.zeros(10), 2)
    assert learner.weights.tolist() == [0.0, 1.0]


def test_of_two_that_are_worse_than_chance_the_worse_one_leaves():
    learner = Plain(LearnPPNSEParams(chunk=10, max_members=2, pruning="error"))
    learner.members = Fixed([[0, 0, 6], [0, 9], [0]])
    for _ in range(3):
        learner.close(np.zeros((10, 1)), np.zeros(10), 2)
    assert learner.births.tolist() == [0, 2]


@pytest.mark.parametrize(("slope", "crossing"), [(1e3, 10.0), (1e50, 10.0), (1e50, 0.0)])
def test_a_sigmoid_too_steep_for_a_float_still_weighs_the_latest_most(slope, crossing):
    learner = Plain(LearnPPNSEParams(chunk=10, slope=slope, crossing=crossing))
    learner.members = Fixed([[2, 0], [0]])
    for _ in range(2):
        learner.close(np.zeros((10, 1)), np.zeros(10), 2)
    latest = 1 if crossing > 1.0 else 2 / 3  # of the weights: all, or 1 after 1/2
    np.testing.assert_allclose(learner.betas[0], max(0.25 * (1 - latest), 0.01))


def test_the_sigmoid_crosses_one_half_at_b():
    assert np.exp(log_sigmoid(10, 0.5, 10.0)) == 0.5
    assert np.exp(log_sigmoid(0, 0.5, 10.0)) == pytest.approx(1 / (1 + np.exp(5)))


def regimes(n_chunks=6, chunk=20):
    """Return a stream whose labels are turned around in its second half."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_chunks * chunk, 2))
    y = (X[:, 0] > 0).astype(float)
    y[len(y) // 2 :] = 1 - y[len(y) // 2 :]
    return X, np.abs(y - y[0])


@pytest.mark.parametrize(
    ("pruning", "births"), [("age", [3, 4, 5]), ("error", None), ("none", [0, 1, 2, 3, 4, 5])]
)
def test_who_leaves(pruning, births):
    X, y = regimes()
    learner = LearnPPNSE(LearnPPNSEParams(chunk=20, max_members=3, pruning=pruning))
    learner.predict_then_learn(X, y)
    if births is None:  # the worst on the last chunk was one of the old regime
        assert set(learner.births) >= {4, 5}
        assert learner.n_members == 3
    else:
        assert learner.births.tolist() == births
    assert learner.sums.shape == (2, learner.n_members)


def test_a_newest_member_that_is_worse_than_chance_is_fitted_once_more():
    X = np.zeros((10, 1))  # nothing to split at: the tree names the most frequent class
    y = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2], dtype=float)
    learner = LearnPPNSE(LearnPPNSEParams(chunk=10))
    attempts = []
    fit = learner._fit_member
    learner._fit_member = lambda X, y, attempt: attempts.append(attempt) or fit(X, y, attempt)
    learner.predict_then_learn(X, y)
    assert attempts == [0, 1]
    assert learner.n_members == 1
    assert learner.betas.tolist() == [1.0]  # clipped to one half


@real
def test_usenet1_with_trees_and_chunks_of_50():
    (chunk,) = datasets.open_stream("Usenet1").chunks(10**9)
    y = Labels().encode(chunk.y)
    found = [
        100
        * np.mean(LearnPPNSE(LearnPPNSEParams(seed=s)).predict_then_learn(chunk.X, y).chosen == y)
        for s in range(3)
    ]
    assert np.mean(found) == pytest.approx(67.7, abs=2.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task": "regression"}, "task"),
        ({"max_members": 0}, "max_members"),
        ({"pruning": "luck"}, "pruning"),
        ({"base": "forest"}, "base"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"slope": -1.0}, "slope"),
        ({"slope": None}, "slope"),
        ({"crossing": None}, "crossing"),
    ],
)
def test_errors_name_the_parameter(options, words):
    with pytest.raises(ValueError, match=words):
        LearnPPNSEParams(**options)
