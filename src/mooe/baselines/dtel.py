"""DTEL: trees of the past adapted to every chunk, kept for their diversity.

Sun, Tang, Zhu, Yao, "Concept Drift Adaptation by Exploiting Historical Knowledge", IEEE
Transactions on Neural Networks and Learning Systems 29 (2018), pages 4822-4832. The archive holds
trees as they were fitted. For every chunk a copy of each is adapted to it (`adapt`); they and a new
tree answer the next one, weighed by their squared errors. No guarantee is known.
"""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.baselines.checks import check_classification
from mooe.baselines.chunks import ChunkLearner
from mooe.baselines.estimators import BaselineEstimator, ClassAnswers
from mooe.baselines.trees import LEAF, TREE, Forest, fit_tree, leaf_of, whole
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.checks import check_choice, check_whole, parameters_of
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import int64

SMALL = 1e-6  # added to errors, that none is divided by 0
SAME = 1e-7  # values this near are not parted, as in scikit-learn


@dataclass(frozen=True)
class DTELParams:
    """Parameters of DTEL: those of `DTELClassifier`; `seed` is its random_state."""

    task: str = "classification"
    chunk: int = 50
    capacity: int = 25
    min_samples_leaf: int = 1
    grow: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_classification("dtel", self.task)
        check_whole("chunk", self.chunk, 1)
        check_whole("capacity", self.capacity, 1)
        check_whole("min_samples_leaf", self.min_samples_leaf, 1)
        check_choice("grow", self.grow, (True, False))


def yule_q(right: np.ndarray) -> np.ndarray:
    """Return Yule's Q of every pair of members, (k, k), from which rows each has right, (k, n).

    (both right * both wrong - one right * other right) over the sum of these; 0 where that is 0.

    >>> float(yule_q(np.array([[1, 1, 1, 0, 0], [1, 1, 0, 0, 1]]))[0, 1])  # (2*1 - 1*1)/(2*1 + 1*1)
    0.3333333333333333
    """
    yes = np.asarray(right, dtype=float)
    no = 1.0 - yes
    alike, apart = (yes @ yes.T) * (no @ no.T), (yes @ no.T) * (no @ yes.T)
    both = alike + apart
    return np.divide(alike - apart, both, out=np.zeros_like(both), where=both > 0)


def least_diverse(right: np.ndarray) -> int:
    """Return the member without which the others are most diverse, the oldest among equals.

    Diversity is 1 - the mean of Q over all pairs, so it is the one with the largest sum of Q.
    """
    pairs = yule_q(right)
    np.fill_diagonal(pairs, 0.0)
    return int(pairs.sum(axis=1).argmax())


def random_error(y: np.ndarray) -> float:
    """Return the squared error of answering by the shares of the classes: sum p (1 - p)^2.

    >>> random_error(np.array([0, 0, 0, 1]))  # 3/4 * 1/16 + 1/4 * 9/16
    0.1875
    """
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return float((shares * (1.0 - shares) ** 2).sum())


def room_for(n_nodes: int, n_rows: int) -> int:
    """Return how many nodes a tree can have once it is adapted to so many rows."""
    return n_nodes + 2 * max(n_rows - 1, 0)


@part
def _count(y, order, first, last, counts):
    """In place: counts = how many of the rows are of each class; return how many classes occur."""
    for c in range(counts.shape[0]):
        counts[c] = 0.0
    for i in range(first, last):
        counts[int(y[order[i]])] += 1.0
    n = 0
    for c in range(counts.shape[0]):
        if counts[c] > 0.0:
            n += 1
    return n


@part
def _sort(X, feature, order, first, last):
    """In place: put rows first to last - 1 in the order of a feature, equal ones as they were."""
    for i in range(first + 1, last):
        row = order[i]
        value = X[row, feature]
        k = i
        while k > first and X[order[k - 1], feature] > value:
            order[k] = order[k - 1]
            k -= 1
        order[k] = row


@part
def _purity(counts, before, n):
    """Return the sum of squared counts on the left over n, and of the others over theirs."""
    left, right, others = 0.0, 0.0, -n
    for c in range(counts.shape[0]):
        left += before[c] * before[c]
        rest = counts[c] - before[c]
        right += rest * rest
        others += counts[c]
    return left / n + right / others


@part
def _best_split(X, y, order, first, last, least, counts, before):
    """Return feature and threshold of the purest split, the first among equals; LEAF for none.

    Either side has at least `least` rows.
    """
    best, chosen, threshold = -1.0, LEAF, 0.0
    for feature in range(X.shape[1]):
        _sort(X, feature, order, first, last)
        if X[order[last - 1], feature] <= X[order[first], feature] + SAME:
            continue
        for c in range(counts.shape[0]):
            before[c] = 0.0
        for i in range(first, last - 1):
            before[int(y[order[i]])] += 1.0
            low, high = X[order[i], feature], X[order[i + 1], feature]
            if high <= low + SAME or i + 1 - first < least or last - i - 1 < least:
                continue
            split = _purity(counts, before, float(i + 1 - first))
            if split > best:
                best, chosen = split, feature
                threshold = 0.5 * low + 0.5 * high
                if threshold == high:
                    threshold = low
    return chosen, threshold


with announced(__name__, "DTEL (a few seconds)"):

    @compiled(int64(*TREE, int64, matrix, vector, int64, whole, whole, whole, vector))
    def adapt(
        feature, threshold, left, right, counts, n_nodes, X, y, least, leaves, order, ends, before
    ):
        """In place: make a tree of the past fit a chunk; return how many nodes it has then.

        Its splits stay. Rows are dropped down; a leaf that they reach forgets its counts, takes
        theirs, and is split further, by Gini impurity, until it is pure or no split leaves `least`
        rows on either side; one that none reaches stays.

        Parameters: the arrays of one tree, with `room_for` nodes; scratch: leaves and order (n,),
        ends (2 nodes,), before (n_classes,).
        """
        n = X.shape[0]
        for i in range(n):
            leaves[i] = leaf_of(feature, threshold, left, right, X[i])
        at, grown = 0, n_nodes
        for node in range(n_nodes):
            first = at
            for i in range(n):
                if leaves[i] == node:
                    order[at] = i
                    at += 1
            ends[2 * node], ends[2 * node + 1] = first, at
        for node in range(feature.shape[0]):  # those that are added are looked at in their turn
            if node >= grown:
                break
            first, last = ends[2 * node], ends[2 * node + 1]
            if first == last or feature[node] != LEAF:
                continue
            if _count(y, order, first, last, counts[node]) < 2:
                continue
            chosen, place = _best_split(X, y, order, first, last, least, counts[node], before)
            if chosen == LEAF:
                continue
            _sort(X, chosen, order, first, last)
            middle = first  # where the rows of the right child begin
            while X[order[middle], chosen] <= place:
                middle += 1
            feature[node], threshold[node] = chosen, place
            left[node], right[node] = grown, grown + 1
            feature[grown] = feature[grown + 1] = LEAF
            ends[2 * grown], ends[2 * grown + 1] = first, middle
            ends[2 * grown + 2], ends[2 * grown + 3] = middle, last
            grown += 2
        return grown


class DTEL(ChunkLearner):
    """Diversity and transfer based ensemble learning, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> from mooe.evaluate import prequential
    >>> stream = recurring(n=2000, length=200)
    >>> round(prequential(DTEL(DTELParams()), stream).cumulative["accuracy"], 4)
    0.6678
    >>> round(prequential(DTEL(DTELParams(capacity=5)), stream).cumulative["accuracy"], 4)
    0.6538
    """

    def __init__(self, params: DTELParams) -> None:
        super().__init__(params)
        self.archive = Forest()  # as they were fitted
        self.members = Forest()  # the adapted copies, and last the newest tree
        self.raw_weights = np.zeros(0)  # (n_members,)

    @property
    def weights(self) -> np.ndarray:
        """The share of each tree in the answer, the newest last."""
        return self.raw_weights / self.raw_weights.sum()

    def shares(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class, (n, n_classes)."""
        return self.members.shares(X, self.weights)

    def close(self, X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
        """In place: fit a tree to a full chunk, adapt the others to it, drop one too many."""
        rng = np.random.default_rng((self.params.seed, self.n_chunks))
        tree = fit_tree(X, y, int(rng.integers(2**31)), self.params.min_samples_leaf)
        self.archive.reserve(self.params.capacity + 1, 2 * len(y) - 1, n_classes)
        self.members = self._adapted(X, y)
        errors = self._errors(X, y)
        self.members.add(tree, n_classes)
        self.raw_weights = 1.0 / (random_error(y) + SMALL + np.append(errors, 0.0))
        self.archive.add(tree, n_classes)
        if self.archive.n > self.params.capacity:
            self.archive.remove(least_diverse(self.archive.votes(X) == y))
        self.n_chunks += 1

    def _adapted(self, X: np.ndarray, y: np.ndarray) -> Forest:
        """Return copies of the archived trees, each adapted to a chunk."""
        trees = copy.deepcopy(self.archive)
        room, nodes, n_classes = trees.counts.shape
        most = room_for(nodes, len(y))
        trees.reserve(room, most, n_classes)
        leaves, order = np.empty((2, len(y)), dtype=np.int64)
        ends, before = np.empty(2 * most, dtype=np.int64), np.empty(n_classes)
        least = self.params.min_samples_leaf if self.params.grow else len(y)
        for k in range(trees.n):
            trees.n_nodes[k] = adapt(
                *trees.tree(k), trees.n_nodes[k], X, y, least, leaves, order, ends, before
            )
        return trees

    def _errors(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the mean squared error (1 - P(y|x))^2 of each member on a chunk."""
        leaves, trees = self.members.leaves(X), np.arange(self.members.n)[:, None]
        counts = self.members.counts[trees, leaves]  # (n_members, n, n_classes)
        true = counts[:, np.arange(len(y)), y.astype(np.int64)]
        probability = (true + 1.0) / (counts.sum(axis=2) + counts.shape[2])
        return np.asarray(((1.0 - probability) ** 2).mean(axis=1))


@parameters_of(DTELParams, "seed", kw_only=True)
class DTELClassifier(ClassAnswers, BaselineEstimator):
    """DTEL: trees of the past adapted to every chunk (Sun, Tang, Zhu, Yao 2018).

    See `mooe.baselines.dtel`.

    Parameters
    ----------
    chunk : int, default=50
        Labelled rows per tree, at least 1.
    capacity : int, default=25
        Trees in the archive, at least 1.
    min_samples_leaf : int, default=1
        Rows that a leaf must have, of a new tree and where an adapted one is split, at least 1.
    grow : bool, default=True
        Whether leaves of adapted trees are split further; otherwise they are only counted anew.
    random_state : int, RandomState or None
        For equally good splits of a tree; None counts as 0.

    Examples
    --------
    >>> from mooe.baselines import DTELClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = DTELClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.78
    """

    _learner_class = DTEL
    random_state: Any = None
