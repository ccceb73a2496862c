"""Trees of scikit-learn, stored as arrays that compiled code can drop rows down.

Rows are float64 numbers that a float32 holds: scikit-learn's trees compare those.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import float64, int64, void

LEAF = -1  # in place of a feature
ARRAYS = ("n_nodes", "feature", "threshold", "left", "right", "counts")  # of a Forest
whole = int64[::1]
TREE = (whole, vector, whole, whole, matrix)  # types of the arrays of one tree
wholes = int64[:, ::1]
cube = float64[:, :, ::1]


@part
def leaf_of(feature, threshold, left, right, x):
    """Return the leaf of one tree that a row falls into."""
    node = 0
    while feature[node] != LEAF:
        node = left[node] if x[feature[node]] <= threshold[node] else right[node]
    return node


with announced(__name__, "trees (a few seconds)"):

    @compiled(void(wholes, matrix, wholes, wholes, matrix, wholes))
    def _drop(feature, threshold, left, right, X, leaves):
        """In place: leaves[k, i] = the leaf of tree k that row i falls into."""
        for k in range(leaves.shape[0]):
            for i in range(X.shape[0]):
                leaves[k, i] = leaf_of(feature[k], threshold[k], left[k], right[k], X[i])

    @compiled(void(cube, wholes, wholes))
    def _name_classes(counts, leaves, classes):
        """In place: classes[k, i] = the most frequent class of the leaf, the first among equals."""
        for k in range(leaves.shape[0]):
            for i in range(leaves.shape[1]):
                best = 0
                for c in range(1, counts.shape[2]):
                    if counts[k, leaves[k, i], c] > counts[k, leaves[k, i], best]:
                        best = c
                classes[k, i] = best

    @compiled(void(cube, wholes, vector, matrix))
    def _add_shares(counts, leaves, weights, out):
        """In place: add to out[i, c] each tree's weight times its probability of class c.

        Laplace's estimate: (count + 1) / (sum of counts + number of classes).
        """
        n_classes = counts.shape[2]
        for k in range(leaves.shape[0]):
            for i in range(leaves.shape[1]):
                total = float(n_classes)
                for c in range(n_classes):
                    total += counts[k, leaves[k, i], c]
                for c in range(n_classes):
                    out[i, c] += weights[k] * (counts[k, leaves[k, i], c] + 1.0) / total


class OwnArrays:
    """Base of what holds arrays that compiled code writes to."""

    def __setstate__(self, values: dict[str, Any]) -> None:
        """Copy the arrays when unpickled: they may be mapped from a read-only file."""
        for name, value in values.items():
            setattr(self, name, np.array(value) if isinstance(value, np.ndarray) else value)


@dataclass(eq=False)
class Forest(OwnArrays):
    """Trees in the order of their age, in the first `n` places of the arrays."""

    n: int = 0
    n_nodes: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # (room,)
    feature: np.ndarray = field(default_factory=lambda: np.zeros((0, 1), np.int64))  # or LEAF
    threshold: np.ndarray = field(default_factory=lambda: np.zeros((0, 1)))  # (room, nodes)
    left: np.ndarray = field(default_factory=lambda: np.zeros((0, 1), np.int64))
    right: np.ndarray = field(default_factory=lambda: np.zeros((0, 1), np.int64))
    counts: np.ndarray = field(default_factory=lambda: np.zeros((0, 1, 1)))  # (.., n_classes)

    def reserve(self, trees: int, nodes: int, n_classes: int) -> None:
        """In place: make room for at least so many trees, nodes and classes."""
        had = self.counts.shape
        need = tuple(max(a, b) for a, b in zip(had, (trees, nodes, n_classes), strict=True))
        if need == had:
            return
        for name in ARRAYS:
            old = getattr(self, name)
            new = np.full(need[: old.ndim], LEAF if name == "feature" else 0, dtype=old.dtype)
            new[tuple(slice(0, n) for n in old.shape)] = old
            setattr(self, name, new)

    def add(self, tree: Any, n_classes: int) -> None:
        """In place: store a fitted tree of scikit-learn, whose classes are class numbers."""
        inside, k = tree.tree_, self.n
        m = inside.node_count
        room = len(self.n_nodes)
        self.reserve(room if k < room else max(2 * room, 4), m, n_classes)
        self.n_nodes[k] = m
        self.feature[k, :m] = np.where(inside.children_left < 0, LEAF, inside.feature)
        self.threshold[k, :m] = inside.threshold
        self.left[k, :m], self.right[k, :m] = inside.children_left, inside.children_right
        self.counts[k] = 0.0
        counts = inside.value[:, 0] * inside.weighted_n_node_samples[:, None]
        self.counts[k, :m, tree.classes_.astype(np.int64)] = counts.round().T
        self.n += 1

    def remove(self, k: int) -> None:
        """In place: remove tree k; the younger ones move up."""
        for name in ARRAYS:
            values = getattr(self, name)
            values[k : self.n - 1] = values[k + 1 : self.n]
        self.n -= 1

    def tree(self, k: int) -> tuple[np.ndarray, ...]:
        """Return the arrays of tree k: feature, threshold, left, right and counts."""
        return tuple(getattr(self, name)[k] for name in ARRAYS[1:])

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """Return the leaves, (n, len(X)), that rows fall into."""
        n = self.n
        out = np.empty((n, len(X)), dtype=np.int64)
        _drop(self.feature[:n], self.threshold[:n], self.left[:n], self.right[:n], X, out)
        return out

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Return the class that each tree names, (n, len(X))."""
        leaves = self.leaves(X)
        out = np.empty_like(leaves)
        _name_classes(self.counts[: self.n], leaves, out)
        return out

    def shares(self, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the weighted sum of the trees' class probabilities, (len(X), n_classes)."""
        out = np.zeros((len(X), self.counts.shape[2]))
        _add_shares(self.counts[: self.n], self.leaves(X), weights, out)
        return out


def fit_tree(
    X: np.ndarray, y: np.ndarray, seed: int, min_samples_leaf: int = 1
) -> DecisionTreeClassifier:
    """Return scikit-learn's decision tree, grown until leaves are pure or as small as they may."""
    tree = DecisionTreeClassifier(random_state=seed, min_samples_leaf=min_samples_leaf)
    return tree.fit(X.astype(np.float32), y, check_input=False)
