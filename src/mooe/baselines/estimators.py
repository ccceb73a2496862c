"""The baselines as scikit-learn's estimators: the base class, and a mixin for each task."""

import copy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mooe.labels import Labels, python_labels, sorted_classes
from mooe.validation import (
    check_rows,
    check_samples,
    check_targets,
    check_unchanged,
    make_params,
    parameter_values,
    unchanged_on_error,
)


class BaselineEstimator(BaseEstimator):
    """Base of the baselines' estimators; rows are learnt in the order in which they are given.

    All that was learnt is in `learner_`, a learner of the method. Whatever is refused leaves the
    estimator as it was. An estimator names its learner and has the parameters of its method:

        @parameters_of(OGDParams, "seed", "loss", kw_only=True)
        class OGDRegressor(ValueAnswers, BaselineEstimator):
            _learner_class = OGD
    """

    _learner_class: ClassVar[Any]
    _params_class: ClassVar[Any]
    _task: ClassVar[str]
    learner_: Any
    _chosen: dict[str, Any]  # the parameters when learning began

    def fit(self, X: Any, y: Any, **others: Any) -> Self:
        """Forget everything, then learn the rows in their order.

        Parameters
        ----------
        X : array or frame (n, n_features)
            NaN means that a value is absent.
        y : array (n,)
        others
            sample_weight may only be None: no paper says what the weight of a row would do.
        """
        self._refuse(others)
        with unchanged_on_error(self):
            for name in ("learner_", "classes_", "n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            self.partial_fit(X, y)
        return self

    def partial_fit(self, X: Any, y: Any, **others: Any) -> Self:
        """Learn more rows, in their order; parameters as of `fit`."""
        self._refuse(others)
        with unchanged_on_error(self):
            rows, values = self._check(X, y)
            self._learn(rows, values.astype(np.float64))
        return self

    def _refuse(self, others: dict[str, Any]) -> None:
        """Raise TypeError for what the methods have no place for.

        sample_weight is in no signature: by these scikit-learn asks who takes it.
        """
        for name, value in others.items():
            if name != "sample_weight":
                raise TypeError(f"{type(self).__name__} must be given X and y alone, got {name!r}")
            if value is not None:
                raise TypeError(
                    f"sample_weight must be None for {type(self).__name__}, which learns every "
                    f"row as it is, got {type(value).__name__} of shape {np.shape(value)}"
                )

    def _check(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and labels as arrays, or raise an error that says what is wrong."""
        is_first, is_numeric = not hasattr(self, "learner_"), self._task == "regression"
        return check_samples(self, X, y, is_first, is_numeric, ensure_all_finite="allow-nan")

    def _learn(self, rows: np.ndarray, numbers: np.ndarray) -> None:
        """In place: learn rows; a copy of the learner does it, so that what fails is not kept."""
        if hasattr(self, "learner_"):
            check_unchanged(self, self._chosen)
            learner = copy.deepcopy(self.learner_)
        else:
            learner = self._learner_class(make_params(self, self._params_class, self._task))
            self._chosen = parameter_values(self)
        if self._task == "regression":
            check_targets(learner.params.core, numbers)
        learner.predict_then_learn(rows, numbers)
        self.learner_ = learner

    def _answers(self, X: Any) -> Any:
        """Return the learner's answers to rows as the user gives them."""
        check_is_fitted(self, "learner_")
        return self.learner_.predict(check_rows(self, X, ensure_all_finite="allow-nan"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class ClassAnswers(ClassifierMixin):
    """Mixin of classifiers: it numbers the labels for the learner and names its answers."""

    _task: ClassVar[str] = "classification"

    def partial_fit(self: Any, X: Any, y: Any, classes: Any = None, **others: Any) -> Any:
        """Learn more rows, in their order.

        Parameters
        ----------
        X, others
            As of `fit`.
        y : array (n,)
            Labels, text or numbers; a class may appear at any time.
        classes : array, optional
            Classes that are known to come.
        """
        self._refuse(others)
        with unchanged_on_error(self):
            is_first = not hasattr(self, "learner_")
            rows, values = self._check(X, y)
            names = python_labels(y, values)
            labels = Labels() if is_first else self._labels.copy()
            labels.add(names)
            declared = labels if classes is None else Labels(np.asarray(classes).tolist())
            for label in labels.names:
                if label not in declared.numbers:
                    raise ValueError(f"y must hold labels of classes alone, got {label!r}")
            self._learn(rows, labels.find(names))
            before = [] if is_first else self.classes_.tolist()
            known = Labels([*before, *labels.names, *declared.names])
            self.classes_ = sorted_classes(known.names)
            self._labels = labels
        return self

    def predict(self: Any, X: Any) -> np.ndarray:
        """Return the most likely class of each row."""
        numbers = self._answers(X).chosen
        return np.asarray(self.classes_[self._places()[numbers]])

    def predict_proba(self: Any, X: Any) -> np.ndarray:
        """Return class probabilities, (n, n_classes) in the order of `classes_`."""
        known = self._answers(X).probabilities
        places = self._places()[: known.shape[1]]
        out = np.zeros((len(known), len(self.classes_)))
        out[:, places] = known[:, : len(places)]  # a class without rival has a score for the next
        return out

    def _places(self: Any) -> np.ndarray:
        """Return the place in `classes_` of each number that the learner knows a class by."""
        return Labels(self.classes_.tolist()).find(self._labels.names).astype(np.int64)


class ValueAnswers(RegressorMixin):
    """Mixin of regressors."""

    _task: ClassVar[str] = "regression"

    def predict(self: Any, X: Any) -> np.ndarray:
        """Return the value of each row."""
        return np.asarray(self._answers(X).chosen)
