"""The baselines of chunks in scikit-learn's dialect: each holds a learner and its class names."""

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from mooe import shells
from mooe.baselines import edges
from mooe.baselines.dtel import DTEL, DTELParams
from mooe.baselines.learnpp_nse import LearnPPNSE, LearnPPNSEParams

__all__ = ["DTELClassifier", "LearnPPNSEClassifier"]


class LearnPPNSEClassifier(ClassifierMixin, BaseEstimator):
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
        How steeply the weight of an error rises with the age, in chunks, that it was made at; at
        least 0, where all count alike.
    crossing : float, default=10.0
        The age, in chunks, at which that weight is one half, at least 0.
    base : {"tree", "bayes"}
        scikit-learn's decision tree, or its Gaussian naive Bayes.
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

    _learner = (LearnPPNSE, LearnPPNSEParams)

    def __init__(
        self,
        *,
        chunk: int = 50,
        max_members: int = 25,
        pruning: str = "age",
        slope: float = 0.5,
        crossing: float = 10.0,
        base: str = "tree",
        random_state: Any = None,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_classes
    predict = edges.predict_class
    predict_proba = edges.predict_proba


class DTELClassifier(ClassifierMixin, BaseEstimator):
    """DTEL: trees of the past adapted to every chunk (Sun, Tang, Zhu, Yao 2018).

    See `mooe.baselines.dtel`.

    Parameters
    ----------
    chunk : int, default=50
        Labelled rows per tree, at least 1.
    capacity : int, default=25
        Trees in the archive, at least 1.
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

    _learner = (DTEL, DTELParams)

    def __init__(self, *, chunk: int = 50, capacity: int = 25, random_state: Any = None) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_classes
    predict = edges.predict_class
    predict_proba = edges.predict_proba
