"""DTEL: Yule's Q and the weights by hand, the archive, its accuracy."""

import numpy as np
import pytest

from mooe.baselines.dtel import DTEL, SMALL, DTELParams, least_diverse, random_error, yule_q


def test_yules_q_by_hand():
    right = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0], [1, 1, 1, 1, 1, 1]])
    found = yule_q(right)
    # first two: both right 2, both wrong 2, one right 1 each: (4 - 1)/(4 + 1)
    assert found[0, 1] == found[1, 0] == pytest.approx(0.6)
    assert found[0, 2] == 0.0  # always right: the denominator is 0
    assert yule_q(np.array([[1, 0], [0, 1]]))[0, 1] == -1.0
    assert yule_q(np.array([[1, 0], [1, 0]]))[0, 1] == 1.0


def test_the_one_that_is_most_like_the_others_leaves():
    rng = np.random.default_rng(0)
    right = rng.random((6, 40)) < 0.6
    right[4] = right[1] ^ (rng.random(40) < 0.1)
    pairs = yule_q(right)
    diversity = []
    for k in range(6):
        rest = np.delete(np.delete(pairs, k, 0), k, 1)
        diversity.append(1 - rest[np.triu_indices(5, 1)].mean())
    assert least_diverse(right) == int(np.argmax(diversity))


def test_equals_leave_by_age():
    assert least_diverse(np.ones((4, 10))) == 0


def test_the_weights_by_hand():
    learner = DTEL(DTELParams(chunk=4))
    X = np.array([[-1.0], [-2.0], [1.0], [2.0]])
    learner.predict_then_learn(X, np.array([0.0, 0.0, 1.0, 1.0]))
    assert learner.raw_weights.tolist() == [1 / (0.25 + SMALL)]  # 1/2 * 1/4 twice; nothing else
    learner.predict_then_learn(X, np.array([0.0, 1.0, 1.0, 1.0]))
    # the first tree splits at 0, then between -2 and -1: leaves with 1, 1 and 2 rows,
    # P(y|x) = 2/3, 2/3, 3/4, 3/4
    error = (2 * (1 / 3) ** 2 + 2 * (1 / 4) ** 2) / 4
    chance = 3 / 4 * (1 / 4) ** 2 + 1 / 4 * (3 / 4) ** 2
    assert random_error(np.array([0.0, 1.0, 1.0, 1.0])) == pytest.approx(chance)
    expected = [1 / (chance + error + SMALL), 1 / (chance + SMALL)]
    np.testing.assert_allclose(learner.raw_weights, expected, rtol=1e-12)


def test_the_archive_keeps_trees_as_they_were_and_no_more_than_it_may():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=400) > 0).astype(float)
    learner = DTEL(DTELParams(chunk=20, capacity=5))
    sizes, first = [], None
    for at in range(0, 400, 20):
        learner.predict_then_learn(X[at : at + 20], y[at : at + 20])
        sizes.append((learner.archive.n, learner.n_members))
        if at == 0:
            first = learner.archive.votes(X)[0]
        elif at == 80:
            np.testing.assert_array_equal(learner.archive.votes(X)[0], first)
            assert (learner.team.votes(X)[0] != first).any()
    assert sizes[:6] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 6)]
    assert sizes[-1] == (5, 6)


def test_adapted_trees_help_where_concepts_return():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    turned = np.arange(3000) // 300 % 2 == 1  # two concepts take turns of twelve chunks
    y = ((X[:, 0] * X[:, 1] > 0) ^ (turned & (X[:, 2] > 0))).astype(float)
    found = DTEL(DTELParams(chunk=25)).predict_then_learn(X, y).chosen
    alone = DTEL(DTELParams(chunk=25, capacity=1)).predict_then_learn(X, y).chosen
    assert np.mean(found[600:] == y[600:]) > np.mean(alone[600:] == y[600:]) + 0.03


def test_errors_name_the_parameter():
    with pytest.raises(ValueError, match="capacity"):
        DTELParams(capacity=0)
