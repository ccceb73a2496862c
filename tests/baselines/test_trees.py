"""Stored trees answer as scikit-learn's do."""

import numpy as np
import pytest

from mooe.baselines.trees import Forest, fit_tree


def rows(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(float)
    return X, rng.integers(0, n_classes, n).astype(float)


def forest_of(trees, n_classes=3):
    forest = Forest()
    for tree in trees:
        forest.add(tree, n_classes)
    return forest


@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_votes_are_those_of_the_trees(n_classes):
    trees = [fit_tree(*rows(40 + 9 * seed, n_classes, seed), seed) for seed in range(9)]
    X, _ = rows(200, seed=99)
    found = forest_of(trees, n_classes).votes(X)
    np.testing.assert_array_equal(found, [tree.predict(X.astype(np.float32)) for tree in trees])


def test_shares_are_laplaces_estimates_by_hand():
    # one split at 0: left two of class 0 and one of class 1, right one of class 2
    X, y = np.array([[-1.0], [-1.0], [-1.0], [1.0]]), np.array([0.0, 0.0, 1.0, 2.0])
    forest = forest_of([fit_tree(X, y, 0)])
    found = forest.shares(np.array([[-5.0], [5.0]]), np.array([2.0]))
    np.testing.assert_allclose(found, [[6 / 6, 4 / 6, 2 / 6], [2 / 4, 2 / 4, 4 / 4]])


def test_a_tree_that_leaves_makes_room_in_order():
    trees = [fit_tree(*rows(seed=seed), seed) for seed in range(6)]
    forest = forest_of(trees)
    forest.remove(2)
    forest.add(fit_tree(*rows(seed=7), 7), 3)
    kept = [*trees[:2], *trees[3:], fit_tree(*rows(seed=7), 7)]
    X, _ = rows(100, seed=99)
    np.testing.assert_array_equal(forest.votes(X), forest_of(kept).votes(X))
    assert forest.n == 6


def test_a_later_class_changes_no_vote_of_older_trees():
    old = fit_tree(*rows(n_classes=2), 0)
    forest = forest_of([old], 2)
    X, _ = rows(100, seed=99)
    before = forest.votes(X)[0]
    forest.add(fit_tree(*rows(n_classes=5, seed=1), 1), 5)
    np.testing.assert_array_equal(forest.votes(X)[0], before)
    assert forest.counts.shape[2] == 5
