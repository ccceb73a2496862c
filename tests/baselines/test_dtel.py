"""DTEL: Yule's Q and the weights by hand, trees that adapt, the archive, its accuracy."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mooe.baselines.dtel import (
    DTEL,
    SMALL,
    DTELParams,
    adapt,
    least_diverse,
    random_error,
    room_for,
    yule_q,
)
from mooe.baselines.trees import LEAF, Forest, fit_tree


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
            assert (learner.members.votes(X)[0] != first).any()
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
    with pytest.raises(ValueError, match="min_samples_leaf must be a whole number of at least 1"):
        DTELParams(min_samples_leaf=0)
    with pytest.raises(ValueError, match="grow must be"):
        DTELParams(grow="yes")


def adapted(forest, X, y, least=1):
    """Return a forest with a copy of the first tree, adapted."""
    nodes, n_classes = forest.counts.shape[1:]
    out = Forest()
    out.reserve(1, room_for(nodes, len(y)), n_classes)
    for old, new in zip(forest.tree(0), out.tree(0), strict=True):
        new[:nodes] = old
    most = out.feature.shape[1]
    scratch, ends = np.empty((2, len(y)), dtype=np.int64), np.empty(2 * most, dtype=np.int64)
    out.n_nodes[0] = adapt(
        *out.tree(0), forest.n_nodes[0], X, y, least, *scratch, ends, np.empty(n_classes)
    )
    out.n = 1
    return out


def rows(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(float)
    y = (X @ rng.normal(size=(4, n_classes))).argmax(axis=1).astype(float)
    return X, y


def stump(n_classes):
    """Return a tree of one leaf."""
    forest = Forest()
    forest.add(fit_tree(np.zeros((2, 4)), np.zeros(2), 0), n_classes)
    return forest


def test_one_split_by_hand():
    # the tree splits x at 0; the chunk has three rows on the right, two classes, none on the left
    forest = Forest()
    X, y = np.array([[-1.0], [-1.0], [1.0]]), np.array([0.0, 0.0, 1.0])
    forest.add(fit_tree(X, y, 0), 2)
    new = adapted(forest, np.array([[1.0], [3.0], [4.0]]), np.array([0.0, 1.0, 1.0]))
    assert new.n_nodes[0] == 5
    leaves = new.leaves(np.array([[-1.0], [1.9], [2.1]]))[0]
    assert new.counts[0, leaves].tolist() == [[2, 0], [1, 0], [0, 2]]  # left: as it was
    assert forest.counts[0, 1:3].tolist() == [[2, 0], [0, 1]]  # the archived one is unchanged


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_one_leaf_grows_into_a_tree_as_pure_and_as_small_as_the_ordinary_one(seed, n_classes):
    X, y = rows(80, n_classes, seed)
    new = adapted(stump(n_classes), X, y)
    np.testing.assert_array_equal(new.votes(X)[0], y)
    ordinary = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert new.feature[0, 0] == ordinary.tree_.feature[0]
    assert new.threshold[0, 0] == pytest.approx(ordinary.tree_.threshold[0], rel=1e-12)
    assert abs(new.n_nodes[0] - ordinary.tree_.node_count) <= 4  # ties are broken otherwise
    tests = rows(500, n_classes, seed + 50)[0]
    agree = new.votes(tests)[0] == ordinary.predict(tests)
    assert agree.mean() > 0.8


@pytest.mark.parametrize("least", [2, 5, 10])
def test_leaves_that_grow_are_as_large_as_those_of_the_ordinary_tree(least):
    X, y = rows(80, 2, seed=3)
    new = adapted(stump(2), X, y, least)
    ordinary = DecisionTreeClassifier(random_state=0, min_samples_leaf=least).fit(X, y)
    sizes = np.unique(new.leaves(X)[0], return_counts=True)[1]
    assert sizes.min() >= least
    assert new.feature[0, 0] == ordinary.tree_.feature[0]
    assert abs(new.n_nodes[0] - ordinary.tree_.node_count) <= 2
    assert (new.votes(X)[0] == ordinary.predict(X)).mean() > 0.9


def test_trees_that_do_not_grow_are_only_counted_anew():
    X, y = rows(100, 2, seed=4)
    settled = DTEL(DTELParams(chunk=20, grow=False))
    settled.predict_then_learn(X, y)
    fitted, adapted_ones = settled.archive, settled.members
    for k in range(len(fitted.n_nodes[: settled.archive.n]) - 1):
        assert adapted_ones.n_nodes[k] == fitted.n_nodes[k]
    growing = DTEL(DTELParams(chunk=20))
    growing.predict_then_learn(X, y)
    assert growing.members.n_nodes[:4].sum() > settled.members.n_nodes[:4].sum()


def test_splits_stay_and_the_tree_fits_the_new_chunk():
    forest = Forest()
    forest.add(fit_tree(*rows(), 0), 3)
    X, y = rows(seed=1)
    new = adapted(forest, X, y)
    inner = forest.feature[0] != LEAF
    n = len(inner)
    np.testing.assert_array_equal(new.feature[0, :n][inner], forest.feature[0][inner])
    np.testing.assert_array_equal(new.threshold[0, :n][inner], forest.threshold[0][inner])
    np.testing.assert_array_equal(new.votes(X)[0], y)
    reached = np.unique(new.leaves(X)[0])
    assert new.counts[0, reached].sum() == len(y)
    untouched = [
        k for k in np.flatnonzero(~inner) if new.feature[0, k] == LEAF and k not in reached
    ]
    assert untouched
    np.testing.assert_array_equal(new.counts[0, untouched], forest.counts[0, untouched])


def test_rows_that_cannot_be_told_apart_stay_in_one_leaf():
    new = adapted(stump(2), np.ones((4, 4)), np.array([0.0, 1.0, 1.0, 1.0]))
    assert new.n_nodes[0] == 1
    assert new.counts[0, 0].tolist() == [1.0, 3.0]


@pytest.mark.parametrize("n", [1, 2, 50])
def test_there_is_room_for_a_leaf_per_row(n):
    X = np.arange(float(n))[:, None] * np.ones(4)
    new = adapted(stump(2), X, (np.arange(n) % 2).astype(float))
    assert new.n_nodes[0] == 2 * n - 1 <= room_for(1, n)
