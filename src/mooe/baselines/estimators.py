"""The linear baselines in scikit-learn's dialect: each holds a learner and its class names."""

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mooe import shells
from mooe.baselines import edges
from mooe.baselines.ader import Ader, AderParams
from mooe.baselines.condor import Condor, CondorParams
from mooe.baselines.ogd import OGD, OGDParams

__all__ = [
    "AderClassifier",
    "AderRegressor",
    "CondorClassifier",
    "OGDClassifier",
    "OGDRegressor",
]


class OGDClassifier(ClassifierMixin, BaseEstimator):
    """Online gradient descent (Zinkevich 2003), see `mooe.baselines.ogd`.

    Parameters
    ----------
    restart : bool, default=False
        Begin anew after every `interval` labels.
    interval : int, default=50
        Labels between restarts, at least 1.
    loss : {"squared", "logistic"}
    radius : float, default=1.0
        Radius of the ball that the model stays in, above 0.
    input_bound : float, default=1.0
        Norm that standardised inputs are shrunk to where they are longer, above 0; with scale=False
        a longer input is an error.
    online_rate : float or None, default=None
        A constant step, at least 0; None is that of the guarantee.
    scale : bool, default=True
        Standardise inputs as they arrive.
    intercept : bool, default=True
        Append a constant 1 to the inputs.

    Examples
    --------
    >>> from mooe.baselines import OGDClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = OGDClassifier(radius=3.0).fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.6
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
    """Online gradient descent on the squared loss.

    Parameters
    ----------
    restart, radius, input_bound, online_rate, scale, intercept
        As in `OGDClassifier`.
    interval : int, default=50
        Labels between restarts, and those that set the bounds of the labels; at least 1.
    target_bounds : (float, float) or None, default=None
        Bounds of the labels, in their unit, the lower first; a label outside is an error. None
        takes those of the first interval, and later labels outside count as the nearest bound.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe.baselines import OGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = 5.0 + np.tanh(X[:, 0])
    >>> round(OGDRegressor(radius=3.0).fit(X, y).score(X, y), 2)
    0.95
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
    """A grid of step sizes of online gradient descent (Zhang, Lu, Zhou 2018, arXiv:1810.10815).

    See `mooe.baselines.ader`.

    Parameters
    ----------
    horizon : int or None, default=None
        Labels to come, at least 1; None guesses 50, and doubles.
    form : {"improved", "basic"}
        One gradient a row, at the played point; or each learner's own.
    loss, radius, input_bound, scale, intercept
        As in `OGDClassifier`.

    Examples
    --------
    >>> from mooe.baselines import AderClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = AderClassifier(radius=3.0).fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.61
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
    """Ader on the squared loss.

    Parameters
    ----------
    horizon, form
        As in `AderClassifier`.
    interval : int, default=50
        Labels that set their bounds, at least 1.
    radius, input_bound, scale, intercept, target_bounds
        As in `OGDRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from mooe.baselines import AderRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = 5.0 + np.tanh(X[:, 0])
    >>> round(AderRegressor(radius=3.0).fit(X, y).score(X, y), 2)
    0.92
    """

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
    """Models of past epochs, mixed and re-used (Zhao, Cai, Zhou 2020).

    See `mooe.baselines.condor`; doi:10.1007/s10994-019-05835-w.

    Parameters
    ----------
    epoch : int, default=50
        Labels per epoch, at least 1; each epoch leaves a model.
    max_models : int, default=25
        Models kept, at least 1; the oldest leaves.
    mu : float, default=0.1
        Strength of the pull of a new model towards the mixture, above 0. Not known from its paper:
        show a sweep, never the best alone.
    rate : float, default=0.75
        A model's weight is multiplied by exp(-rate) at each of its mistakes; at least 0.
    scale, intercept : bool, default=True
        Standardise inputs as they arrive; append a constant 1 to them.

    Examples
    --------
    >>> from mooe.baselines import CondorClassifier
    >>> from mooe.datasets.synthetic import recurring
    >>> stream = recurring(n=2000, length=200)
    >>> model = CondorClassifier().fit(stream.X[:1900], stream.y[:1900])
    >>> float(model.score(stream.X[1900:], stream.y[1900:]))
    0.74
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
