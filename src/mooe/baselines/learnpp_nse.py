"""Learn++.NSE: one base learner per chunk, weighed by its errors over time.

Elwell, Polikar, "Incremental Learning of Concept Drift in Nonstationary Environments", IEEE
Transactions on Neural Networks 22 (2011), doi:10.1109/TNN.2011.2160459. Errors of a chunk count
more where the ensemble was wrong; a member's errors are averaged over its life with sigmoid
weights, so that later ones count more, and are renormalised over the whole history every time. No
guarantee is known.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from mooe.baselines.checks import check_classification, check_number
from mooe.baselines.chunks import ChunkLearner
from mooe.baselines.estimators import BaselineEstimator, ClassAnswers
from mooe.baselines.trees import Forest, fit_tree
from mooe.numerics.checks import check_choice, check_whole, parameters_of

LEAST_BETA = 0.01  # of a member's mean; a vote is at most log(100)
PRUNINGS = ("age", "error", "none")
BASES = ("tree", "bayes")


@dataclass(frozen=True)
class LearnPPNSEParams:
    """Parameters of Learn++.NSE: those of `LearnPPNSEClassifier`; `seed` is its random_state."""

    task: str = "classification"
    chunk: int = 50
    max_members: int = 25
    pruning: str = "age"
    slope: float = 0.5
    crossing: float = 10.0
    base: str = "tree"
    min_samples_leaf: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_classification("learnpp-nse", self.task)
        check_whole("chunk", self.chunk, 1)
        check_whole("max_members", self.max_members, 1)
        check_choice("pruning", self.pruning, PRUNINGS)
        check_choice("base", self.base, BASES)
        check_whole("min_samples_leaf", self.min_samples_leaf, 1)
        check_number("slope", self.slope)
        check_number("crossing", self.crossing)


def log_sigmoid(age: Any, slope: float, crossing: float) -> Any:
    """Return the logarithm of how much an error counts that a member made at this age, in chunks.

    >>> float(np.exp(log_sigmoid(10, 0.5, 10.0)))
    0.5
    """
    return -np.logaddexp(0.0, -slope * (np.asarray(age, dtype=float) - crossing))


def row_weights(right: np.ndarray) -> np.ndarray:
    """Return how much each row of a chunk counts, from whether the ensemble was right; sum one.

    >>> row_weights(np.array([True, True, True, False])).round(3).tolist()
    [0.143, 0.143, 0.143, 0.571]
    """
    error = 1.0 - right.mean()
    weights = np.where(right, error, 1.0) if error > 0.0 else np.ones(len(right))
    return weights / weights.sum()


@dataclass(eq=False)
class Models:
    """Members that are models of scikit-learn, asked one by one."""

    members: list[Any] = field(default_factory=list)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.members)

    def add(self, model: Any, n_classes: int) -> None:
        """In place: add a member."""
        self.members.append(model)

    def remove(self, k: int) -> None:
        """In place: remove member k."""
        del self.members[k]

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Return the class that each member names, (n, len(X))."""
        named = [member.predict(X) for member in self.members]
        return np.array(named, dtype=np.int64).reshape(self.n, len(X))


class LearnPPNSE(ChunkLearner):
    """Learning in non-stationary environments, a learner.

    Examples
    --------
    >>> from mooe.datasets.synthetic import recurring
    >>> from mooe.evaluate import prequential
    >>> stream = recurring(n=2000, length=200)
    >>> round(prequential(LearnPPNSE(LearnPPNSEParams()), stream).cumulative["accuracy"], 4)
    0.6203
    >>> judged = prequential(LearnPPNSE(LearnPPNSEParams(base="bayes")), stream)
    >>> round(judged.cumulative["accuracy"], 4)
    0.6793
    """

    def __init__(self, params: LearnPPNSEParams) -> None:
        super().__init__(params)
        self.members: Any = Forest() if params.base == "tree" else Models()
        self.births = np.zeros(0, dtype=np.int64)  # (n_members,) the chunk of each
        self.sums = np.zeros((2, 0))  # of weights times betas, and of weights; the latest is 1
        self.n_classes = 0  # that the members know

    @property
    def betas(self) -> np.ndarray:
        """The mean of each member's errors e/(1 - e) over its life, at least .01."""
        return np.maximum(self.sums[0] / self.sums[1], LEAST_BETA)

    @property
    def weights(self) -> np.ndarray:
        """The share of each member's vote; where none has any, the newest one's is all."""
        votes = np.log(1.0 / self.betas)
        if not votes.any():
            votes[-1] = 1.0
        return votes / votes.sum()

    def shares(self, X: np.ndarray) -> np.ndarray:
        """Return the share of the votes that each class gets, (n, n_classes)."""
        out = np.zeros((len(X), self.n_classes))
        rows = np.arange(len(X))
        for weight, named in zip(self.weights, self.members.votes(X), strict=True):
            out[rows, named] += weight
        return out

    def close(self, X: np.ndarray, y: np.ndarray, n_classes: int) -> None:
        """In place: fit a member to a full chunk, which also says how good the others are."""
        right = self.shares(X).argmax(axis=1) == y if self.n_members else np.ones(len(y), bool)
        importance = row_weights(right)
        self.n_classes = n_classes
        self.members.add(self._fit_member(X, y, 0), n_classes)
        errors = self._errors(X, y, importance)
        if errors[-1] > 0.5:
            self.members.remove(self.n_members - 1)
            self.members.add(self._fit_member(X, y, 1), n_classes)
            errors = self._errors(X, y, importance)
        self.births = np.append(self.births, self.n_chunks)
        self._remember(np.minimum(errors, 0.5))
        self.n_chunks += 1
        if self.n_members > self.params.max_members and self.params.pruning != "none":
            k = 0 if self.params.pruning == "age" else int(errors.argmax())
            self.members.remove(k)
            self.births = np.delete(self.births, k)
            self.sums = np.delete(self.sums, k, axis=1)

    def _remember(self, errors: np.ndarray) -> None:
        """In place: add the errors of the latest chunk, clipped, to each member's mean of betas.

        Only ratios of sigmoid weights matter, so older ones shrink and none is too small to keep.
        """
        ages = self.n_chunks - self.births
        then, now = log_sigmoid([ages - 1, ages], self.params.slope, self.params.crossing)
        self.sums = np.pad(self.sums, ((0, 0), (0, 1))) * np.exp(then - now)
        self.sums += np.array([errors / (1.0 - errors), np.ones(len(errors))])

    def _errors(self, X: np.ndarray, y: np.ndarray, importance: np.ndarray) -> np.ndarray:
        """Return the weighted error of each member on a chunk."""
        return (self.members.votes(X) != y) @ importance

    def _fit_member(self, X: np.ndarray, y: np.ndarray, attempt: int) -> Any:
        """Return a new base learner; a second attempt draws other random numbers."""
        if self.params.base == "tree":
            rng = np.random.default_rng((self.params.seed, self.n_chunks, attempt))
            return fit_tree(X, y, int(rng.integers(2**31)), self.params.min_samples_leaf)
        model = GaussianNB() if X.var(axis=0).any() else DummyClassifier(strategy="prior")
        return model.fit(X, y)


@parameters_of(LearnPPNSEParams, "seed", kw_only=True)
class LearnPPNSEClassifier(ClassAnswers, BaselineEstimator):
    """Learn++.NSE: one base learner per chunk, weighed by its errors (Elwell, Polikar 2011).

    See `mooe.baselines.learnpp_nse`; doi:10.1109/TNN.2011.2160459.

    Parameters
    ----------
    chunk : int, default=50
        Labelled rows per member, at least 1.
    max_members : int, default=25
        Members kept, at least 1.
    pruning : {"age", "error", "none"}
        Who leaves when there are too many: the oldest, the one with the largest error on the last
        chunk, or nobody.
    slope : float, default=0.5
        How steeply, per chunk, the weight of an error rises with the age that it was made at: a in
        1 / (1 + exp(-a (age - b))); at least 0, where all count alike.
    crossing : float, default=10.0
        The age, in chunks, at which that weight is one half: b; at least 0.
    base : {"tree", "bayes"}
        scikit-learn's decision tree, or its Gaussian naive Bayes.
    min_samples_leaf : int, default=1
        Rows that a leaf of a tree must have, at least 1.
    random_state : int, RandomState or None
        For equally good splits of a tree; None counts as 0.

    Examples
    --------
    >>> from mooe.baselines import LearnPPNSEClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = LearnPPNSEClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.64
    """

    _learner_class = LearnPPNSE
    random_state: Any = None
