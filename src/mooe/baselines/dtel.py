"""DTEL: trees of the past adapted to every chunk, kept for their diversity.

Sun, Tang, Zhu, Yao, "Concept Drift Adaptation by Exploiting Historical Knowledge", IEEE
Transactions on Neural Networks and Learning Systems 29 (2018), pages 4822-4832. The archive holds
trees as they were fitted. For every chunk a copy of each is adapted to it (`adapting_tree`); they
and a new tree answer the next one, weighed by their squared errors. No guarantee is known.
"""

from dataclasses import dataclass

import numpy as np

from mooe.baselines import chunks
from mooe.baselines.adapting_tree import adapt, room_for
from mooe.baselines.choices import check_classification
from mooe.baselines.trees import Forest, fitted_tree
from mooe.numerics.checks import check_whole

__all__ = ["DTEL", "DTELParams", "least_diverse", "random_error", "yule_q"]

SMALL = 1e-6  # added to errors, that none is divided by 0


@dataclass(frozen=True)
class DTELParams:
    """What the user chooses.

    Parameters
    ----------
    chunk : int
        Labelled rows per tree, at least 1.
    capacity : int
        Trees in the archive, at least 1.
    seed : int
        For equally good splits of a tree, from 0.
    task
        Classification alone.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> y = stream.y.astype(float)
    >>> found = DTEL(DTELParams(capacity=5)).predict_then_learn(stream.X, y)
    >>> round(float((found.chosen == y).mean()), 3)
    0.653
    """

    task: str = "classification"
    chunk: int = 50
    capacity: int = 25
    seed: int = 0

    def __post_init__(self) -> None:
        check_classification("dtel", self.task)
        check_whole("chunk", self.chunk, 1)
        check_whole("capacity", self.capacity, 1)


def yule_q(right: np.ndarray) -> np.ndarray:
    """Return Yule's Q of every pair of members, (k, k), from which rows each has right, (k, n).

    (both right * both wrong - one right * other right) over the sum of these; 0 where that is 0.

    >>> float(yule_q(np.array([[1, 1, 1, 0, 0], [1, 1, 0, 0, 1]]))[0, 1])  # (2*1 - 1*1)/(2*1 + 1*1)
    0.3333333333333333
    """
    yes = np.asarray(right, dtype=float)
    no = 1.0 - yes
    alike, apart = (yes @ yes.T) * (no @ no.T), (yes @ no.T) * (no @ yes.T)
    return np.divide(
        alike - apart, alike + apart, out=np.zeros_like(alike), where=alike + apart > 0
    )


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


class DTEL:
    """Diversity and transfer based ensemble learning, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> y = stream.y.astype(float)
    >>> found = DTEL(DTELParams()).predict_then_learn(stream.X, y)
    >>> round(float((found.chosen == y).mean()), 3)
    0.667
    """

    predict = chunks.predict
    predict_then_learn = chunks.predict_then_learn
    takes_sparse = False

    def __init__(self, params: DTELParams) -> None:
        self.params = params
        self.chunk: chunks.Chunk | None = None
        self.archive = Forest()  # as they were fitted
        self.team = Forest()  # the adapted copies, and last the newest tree
        self.raw_weights = np.zeros(0)  # (n_members,)
        self.n_chunks = 0

    @property
    def n_members(self) -> int:
        """How many trees answer."""
        return self.team.n

    @property
    def weights(self) -> np.ndarray:
        """The share of each tree in the answer, the newest last."""
        return self.raw_weights / self.raw_weights.sum()

    def shares(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class, (n, n_classes)."""
        return self.team.shares(X, self.weights)

    def close(self, X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
        """In place: a full chunk makes a tree, adapts the others, and may drop one of them."""
        rng = np.random.default_rng((self.params.seed, self.n_chunks))
        tree = fitted_tree(X, y, int(rng.integers(2**31)))
        self.archive.reserve(self.params.capacity + 1, 2 * len(y) - 1, n_classes)
        self.team = self.adapted(X, y)
        errors = self.errors(X, y)
        self.team.add(tree, n_classes)
        self.raw_weights = 1.0 / (random_error(y) + SMALL + np.append(errors, 0.0))
        self.archive.add(tree, n_classes)
        if self.archive.n > self.params.capacity:
            self.archive.remove(least_diverse(self.archive.votes(X) == y))
        self.n_chunks += 1

    def adapted(self, X: np.ndarray, y: np.ndarray) -> Forest:
        """Return copies of the archived trees, each adapted to a chunk."""
        old, team = self.archive, Forest()
        room, nodes, n_classes = old.counts.shape
        most = room_for(nodes, len(y))
        team.reserve(room, most, n_classes)
        leaves, order = np.empty((2, len(y)), dtype=np.int64)
        ends, before = np.empty(2 * most, dtype=np.int64), np.empty(n_classes)
        for k in range(old.n):
            for name in ("feature", "threshold", "left", "right", "counts"):
                getattr(team, name)[k, :nodes] = getattr(old, name)[k]
            team.n_nodes[k] = adapt(
                team.feature[k], team.threshold[k], team.left[k], team.right[k], team.counts[k],
                old.n_nodes[k], X, y, leaves, order, ends, before,
            )  # fmt: skip
        team.n = old.n
        return team

    def errors(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the mean squared error (1 - P(y|x))^2 of each tree of the team on a chunk."""
        found, rows = self.team.leaves(X), np.arange(self.team.n)[:, None]
        counts = self.team.counts[rows, found]  # (n_members, n, n_classes)
        true = counts[:, np.arange(len(y)), y.astype(np.int64)]
        given = (true + 1.0) / (counts.sum(axis=2) + counts.shape[2])
        errors: np.ndarray = ((1.0 - given) ** 2).mean(axis=1)
        return errors
