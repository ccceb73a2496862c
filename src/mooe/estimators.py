"""MOOEClassifier and MOOERegressor: the core in scikit-learn's dialect.

An estimator holds Params, a State and the names of its classes; all learning is in `mooe.core`.
Threads: any number may predict with one estimator at a time, as long as none learns; learning
(`fit`, `partial_fit`) needs the estimator for itself.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets

from mooe import added, edge, shells
from mooe.labels import add_declared, add_labels, numbers_of, sorted_classes
from mooe.modes import core_of
from mooe.scores import probabilities

__all__ = ["EXPECTED_FAILED_CHECKS", "MOOEClassifier", "MOOERegressor", "Vote"]

# Of scikit-learn's check_estimator, what cannot hold, and why.
EXPECTED_FAILED_CHECKS = {
    f"check_sample_weight_equivalence_on_{kind}_data": (
        "a row of weight 2 is one label of its interval, two rows are two: intervals, and with "
        "them the experts, end elsewhere"
    )
    for kind in ("dense", "sparse")
}


@dataclass(frozen=True)
class Vote:
    """What one expert says of a sample.

    Attributes
    ----------
    expert : Expert or Member
        Who it is; its weight is `expert.weight`.
    vote : label
        The class or value that it would answer alone.
    scores : tuple of float
        Its score, or one per class in the order of `classes_`.
    """

    expert: Any
    vote: Any
    scores: tuple[float, ...]


class MOOEClassifier(ClassifierMixin, BaseEstimator):
    """Classifier for streams whose concepts change and come back.

    Rows are learnt in the order in which they are given. The default model needs no tuning: it
    takes absent values (NaN) and sparse rows, and keeps a memory of regimes (`concepts_`). The
    parameters from max_experts on belong to mode="paper"; `mooe.core.Params` says more on each.

    Parameters
    ----------
    mode : {"auto", "paper"}
        "auto" is the default model, "paper" the published algorithm.
    interval : int or None, default=None
        Labelled samples per interval; None is 40, and 50 in paper mode.
    max_concepts : int, default=12
        Auto mode: regimes kept; the least recently recognised one leaves.
    without : tuple of str or None, default=None
        Auto mode: parts to leave out, see `mooe.auto.params.PARTS`.
    max_experts : int, default=25
        Experts kept, the online one included.
    loss : {"squared", "logistic"}
    priority : {"weight", "queue"}
    start : {"warm", "reset", "random"}
    radius, input_bound : float, default=1.0
    pull, online_rate, meta_rate : float or None, default=None
        None is the paper's formula; meta_rate may be "anytime".
    step : {"corrected", "printed"}
    scale, intercept : bool, default=True
    random_state : int, RandomState or None
        For the random features of the default model, and start="random"; None counts as 0.

    Attributes
    ----------
    classes_ : array
        Classes met so far, sorted.
    concepts_ : list of Concept
        The regimes that were recognised at least three times: name, samples, visits, ...
    regime_ : int or None
        The name of the concept in charge.
    weights_ : array (n_experts,)
        Weights of the experts now.
    experts_ : list of Member; of Expert in paper mode
        Name, kind and weight of each; in paper mode kind, interval, samples and weight, the online
        expert last.
    n_intervals_ : int
        Intervals closed so far.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from mooe import MOOEClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = MOOEClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.89
    >>> len(model.concepts_), model.regime_
    (4, 2)
    >>> paper = MOOEClassifier(mode="paper").fit(stream.X[:1900], stream.y[:1900])
    >>> len(paper.experts_), paper.experts_[-1].kind
    (25, 'online')
    """

    def __init__(
        self,
        *,
        mode: str = "auto",
        interval: int | None = None,
        max_concepts: int = 12,
        without: tuple[str, ...] | None = None,
        max_experts: int = 25,
        loss: str = "squared",
        priority: str = "weight",
        start: str = "warm",
        radius: float = 1.0,
        input_bound: float = 1.0,
        pull: float | None = None,
        online_rate: float | None = None,
        meta_rate: float | str | None = None,
        step: str = "corrected",
        scale: bool = True,
        intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        shells.assign(self, locals())

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "MOOEClassifier":
        """Learn more rows, in their order.

        Parameters
        ----------
        X : array or frame (n, n_features)
        y : array (n,)
            Labels, text or whole numbers; a class may appear at any time. Labels that Python
            calls equal are one class: 1, 1.0 and True.
        classes : array, optional
            Classes that are known to come.
        sample_weight : array (n,), optional
            Scales loss and gradient; a row of weight 0 is not learnt.
        """
        with edge.unchanged_on_error(self):
            rows, y, row_weights = edge.checked(self, X, y, sample_weight, y_numeric=False)
            if y.dtype.kind == "f":
                check_classification_targets(y)
            labels = list(getattr(self, "_labels", []))
            if classes is not None:
                add_declared(labels, classes)
                n_declared = len(labels)
                add_labels(labels, y.tolist())
                if len(labels) > n_declared:
                    raise ValueError(
                        f"y must hold labels of classes alone, got {labels[n_declared]!r}"
                    )
            edge.begin(self, "classification", rows)
            core = core_of(self.params_)
            core.grow_classes(self.params_, self.state_, max(len(labels), self.state_.n_classes))
            add_labels(labels, y[row_weights > 0.0].tolist())
            numbers = numbers_of(y, labels)
            others = edge.added_scores(self, X, len(y), labels)
            core.predict_then_learn(self.params_, self.state_, rows, numbers, row_weights, **others)
            self._labels = labels
            self.classes_ = sorted_classes(labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the most likely class of each row."""
        scores = edge.scores_of(self, X)
        chosen: np.ndarray = self.classes_[self._winners(scores)]
        return chosen

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities, (n, n_classes) in the order of `classes_`."""
        scores = edge.scores_of(self, X)
        return probabilities(self.params_, scores)[:, self._order()]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the mixture's scores, (n, n_classes); of two classes (n,), above 0 the second."""
        scores = self._in_order(edge.scores_of(self, X))
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def explain(self, x: Any) -> list[Vote]:
        """Return each expert's weight and vote on one sample, in the order of `experts_`.

        >>> from mooe import MOOEClassifier
        >>> from mooe.datasets import recurring
        >>> stream = recurring(n=2000, length=200)
        >>> model = MOOEClassifier().fit(stream.X[:1900], stream.y[:1900])
        >>> votes = model.explain(stream.X[1900])
        >>> [(one.expert.name, one.vote) for one in votes if one.expert.kind == "memory"]
        [('memory_plain', 1), ('memory_rich', 1)]
        """
        scores = edge.expert_scores_of(self, x)
        votes = self.classes_[self._winners(scores)].tolist()
        found = zip(self.experts_, votes, self._in_order(scores).tolist(), strict=True)
        return [Vote(expert, vote, tuple(row)) for expert, vote, row in found]

    def _in_order(self, scores: np.ndarray) -> np.ndarray:
        """Return scores in the order of `classes_`; a single one is above 0 for the second."""
        order = self._order()
        if scores.shape[1] > 1:
            return scores[:, order]
        if len(order) == 1:
            return np.zeros_like(scores)
        return scores if order[0] == 0 else -scores

    def _order(self) -> list[int]:
        """Return for each class of `classes_` its number in order of appearance."""
        return sorted(range(len(self._labels)), key=self._labels.__getitem__)

    def _winners(self, scores: np.ndarray) -> np.ndarray:
        """Return the place in `classes_` of the class with the highest score in each row."""
        ordered = self._in_order(scores)
        if ordered.shape[1] == 1:
            return (ordered[:, 0] > 0.0).astype(np.int64)
        return np.asarray(ordered.argmax(axis=1))

    def __sklearn_tags__(self) -> Any:
        return edge.tags(self, super().__sklearn_tags__())

    fit = edge.fit
    add_expert = added.add_expert
    weights_ = property(edge.weights)
    experts_ = property(edge.experts)
    n_intervals_ = property(edge.n_intervals)
    concepts_ = property(edge.concepts)
    regime_ = property(edge.regime)
    to_bytes = edge.to_bytes
    save = shells.save
    from_bytes = classmethod(edge.from_bytes)
    load = classmethod(edge.load)
    _built = classmethod(edge.built)


class MOOERegressor(RegressorMixin, BaseEstimator):
    """Regressor for streams whose concepts change and come back, by the squared loss.

    Parameters and attributes are those of `MOOEClassifier`, without `loss` and `classes_`.

    Parameters
    ----------
    target_bounds : (float, float) or None, default=None
        Paper mode: bounds of the labels. None takes those of the first interval in which two
        labels differ; labels outside are learnt as the nearest bound, counted in `n_clipped_` and
        warned of once.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe import MOOERegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> model = MOOERegressor().fit(X, X[:, 0] - X[:, 1])
    >>> float(model.score(X, X[:, 0] - X[:, 1])) > 0.99
    True
    """

    def __init__(
        self,
        *,
        mode: str = "auto",
        interval: int | None = None,
        max_concepts: int = 12,
        without: tuple[str, ...] | None = None,
        max_experts: int = 25,
        priority: str = "weight",
        start: str = "warm",
        radius: float = 1.0,
        input_bound: float = 1.0,
        pull: float | None = None,
        online_rate: float | None = None,
        meta_rate: float | str | None = None,
        step: str = "corrected",
        scale: bool = True,
        intercept: bool = True,
        target_bounds: tuple[float, float] | None = None,
        random_state: Any = None,
    ) -> None:
        shells.assign(self, locals())

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MOOERegressor":
        """Learn more rows, in their order; a row of weight 0 is not learnt."""
        with edge.unchanged_on_error(self):
            rows, y, row_weights = edge.checked(self, X, y, sample_weight, y_numeric=True)
            y = np.array(y, dtype=np.float64)
            edge.begin(self, "regression", rows)
            edge.check_targets(self.params_, y)
            before = self.n_clipped_
            others = edge.added_scores(self, X, len(y))
            core_of(self.params_).predict_then_learn(
                self.params_, self.state_, rows, y, row_weights, **others
            )
            if before == 0 < self.n_clipped_:
                low, high = self.state_.low, self.state_.high
                warnings.warn(
                    f"a label lies outside ({low:g}, {high:g}), the bounds of the first interval; "
                    "such labels are learnt as the nearest bound: pass target_bounds=(low, high)",
                    stacklevel=2,
                )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the value of each row."""
        return edge.scores_of(self, X)[:, 0]

    def explain(self, x: Any) -> list[Vote]:
        """Return each expert's weight and vote on one sample, in the order of `experts_`."""
        values = edge.expert_scores_of(self, x)[:, 0].tolist()
        pairs = zip(self.experts_, values, strict=True)
        return [Vote(expert, value, (value,)) for expert, value in pairs]

    def __sklearn_tags__(self) -> Any:
        return edge.tags(self, super().__sklearn_tags__())

    fit = edge.fit
    add_expert = added.add_expert
    weights_ = property(edge.weights)
    experts_ = property(edge.experts)
    n_intervals_ = property(edge.n_intervals)
    concepts_ = property(edge.concepts)
    regime_ = property(edge.regime)
    to_bytes = edge.to_bytes
    save = shells.save
    from_bytes = classmethod(edge.from_bytes)
    load = classmethod(edge.load)
    _built = classmethod(edge.built)
    n_clipped_ = property(edge.n_clipped)
