"""The baselines in scikit-learn's dialect: each holds a learner and the names of its classes."""

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mooe import shells
from mooe.baselines import edges
from mooe.baselines.ader import Ader, AderParams
from mooe.baselines.condor import Condor, CondorParams
from mooe.baselines.dtel import DTEL, DTELParams
from mooe.baselines.learnpp_nse import LearnPPNSE, LearnPPNSEParams
from mooe.baselines.ogd import OGD, OGDParams

__all__ = [
    "AderClassifier",
    "AderRegressor",
    "CondorClassifier",
    "DTELClassifier",
    "LearnPPNSEClassifier",
    "OGDClassifier",
    "OGDRegressor",
]


class OGDClassifier(ClassifierMixin, BaseEstimator):
    """Online gradient descent, see `mooe.baselines.ogd`.

    Parameters
    ----------
    restart : bool, default=False
        Begin anew after every `interval` labels.
    interval : int, default=50
    loss : {"squared", "logistic"}
    radius, input_bound : float, default=1.0
    online_rate : float or None, default=None
        A constant step; None is that of the guarantee.
    scale, intercept : bool, default=True

    Examples
    --------
    >>> from mooe.baselines import OGDClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=400, length=400)
    >>> float(OGDClassifier(radius=3.0).fit(stream.X, stream.y).score(stream.X, stream.y)) > 0.85
    True
    """

    _learner = (OGD, OGDParams)

    def __init__(
        self,
        *,
        restart: bool = False,
        interval: int = 50,
        loss: str = "squared",
        radius: float = 1.0,
        input_bound: float = 1.0,
        online_rate: float | None = None,
        scale: bool = True,
        intercept: bool = True,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_classes
    predict = edges.predict_class
    predict_proba = edges.predict_proba


class OGDRegressor(RegressorMixin, BaseEstimator):
    """Online gradient descent on the squared loss; parameters as in `OGDClassifier`.

    Parameters
    ----------
    target_bounds : (float, float) or None, default=None
        Bounds of the labels; None takes those of the first interval.
    """

    _learner = (OGD, OGDParams)

    def __init__(
        self,
        *,
        restart: bool = False,
        interval: int = 50,
        radius: float = 1.0,
        input_bound: float = 1.0,
        online_rate: float | None = None,
        scale: bool = True,
        intercept: bool = True,
        target_bounds: tuple[float, float] | None = None,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_values
    predict = edges.predict_value


class AderClassifier(ClassifierMixin, BaseEstimator):
    """A grid of step sizes of online gradient descent, see `mooe.baselines.ader`.

    Parameters
    ----------
    horizon : int or None, default=None
        Labels to come; None guesses, and doubles.
    form : {"improved", "basic"}
    loss, radius, input_bound, scale, intercept
        As in `OGDClassifier`.
    """

    _learner = (Ader, AderParams)

    def __init__(
        self,
        *,
        horizon: int | None = None,
        form: str = "improved",
        loss: str = "squared",
        radius: float = 1.0,
        input_bound: float = 1.0,
        scale: bool = True,
        intercept: bool = True,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_classes
    predict = edges.predict_class
    predict_proba = edges.predict_proba


class AderRegressor(RegressorMixin, BaseEstimator):
    """Ader on the squared loss; parameters as in `AderClassifier` and `OGDRegressor`."""

    _learner = (Ader, AderParams)

    def __init__(
        self,
        *,
        horizon: int | None = None,
        form: str = "improved",
        interval: int = 50,
        radius: float = 1.0,
        input_bound: float = 1.0,
        scale: bool = True,
        intercept: bool = True,
        target_bounds: tuple[float, float] | None = None,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_values
    predict = edges.predict_value


class CondorClassifier(ClassifierMixin, BaseEstimator):
    """Models of past epochs, mixed and re-used, see `mooe.baselines.condor`.

    Parameters
    ----------
    epoch, max_models : int
    mu : float, default=0.1
        Not known from its paper: show a sweep, never the best alone.
    rate : float, default=0.75
    scale, intercept : bool, default=True
    """

    _learner = (Condor, CondorParams)

    def __init__(
        self,
        *,
        epoch: int = 50,
        max_models: int = 25,
        mu: float = 0.1,
        rate: float = 0.75,
        scale: bool = True,
        intercept: bool = True,
    ) -> None:
        shells.assign(self, locals())

    def __sklearn_tags__(self) -> Any:
        return edges.tags(self, super().__sklearn_tags__())

    fit = edges.fit
    partial_fit = edges.learn_classes
    predict = edges.predict_class
    predict_proba = edges.predict_proba


class LearnPPNSEClassifier(ClassifierMixin, BaseEstimator):
    """One base learner per chunk, weighed by its errors, see `mooe.baselines.learnpp_nse`.

    Parameters
    ----------
    chunk, max_members : int
    pruning : {"age", "error", "none"}
    slope, crossing : float
    base : {"tree", "bayes"}
    random_state : int, RandomState or None
        None counts as 0.
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
    """Trees of the past adapted to every chunk, see `mooe.baselines.dtel`.

    Parameters
    ----------
    chunk, capacity : int
    random_state : int, RandomState or None
        None counts as 0.
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
