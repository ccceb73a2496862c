"""What the estimators of the baselines share: input checked, labels numbered, a learner held."""

import copy
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mooe import edge
from mooe.labels import add_labels, numbers_of

__all__ = [
    "fit",
    "learn_classes",
    "learn_values",
    "predict_class",
    "predict_proba",
    "predict_value",
    "tags",
]

LEARNT = ("classes_", "feature_names_in_", "n_features_in_", "learner_", "_chosen", "_labels")
INPUTS = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}


def fit(estimator: Any, X: Any, y: Any, **others: Any) -> Any:
    """Forget everything, then learn the rows in their order; sample_weight may only be None."""
    refuse(estimator, others)
    with edge.unchanged_on_error(estimator):
        for name in LEARNT:
            vars(estimator).pop(name, None)
        return estimator.partial_fit(X, y)


def refuse(estimator: Any, others: dict[str, Any]) -> None:
    """Raise TypeError for what the methods have no place for; their papers weigh no rows.

    sample_weight is not in the signatures: by these scikit-learn asks who takes it.
    """
    for name, value in others.items():
        if name != "sample_weight":
            raise TypeError(f"{type(estimator).__name__} must be given X and y alone, got {name!r}")
        if value is not None:
            raise TypeError(
                f"sample_weight must be None for {type(estimator).__name__}, which learns every "
                f"row as it is, got {type(value).__name__} of shape {np.shape(value)}"
            )


def checked(estimator: Any, X: Any, y: Any, y_numeric: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels as arrays, or raise an error that says what is wrong."""
    first = not hasattr(estimator, "learner_")
    X, y = validate_data(estimator, X, y, reset=first, y_numeric=y_numeric, **INPUTS)
    return np.array(X), np.array(y)


def begin(estimator: Any, task: str) -> Any:
    """Return the learner that goes on: a new one, or a copy, so that what fails is not kept."""
    chosen = estimator.get_params(deep=False)
    if hasattr(estimator, "learner_"):
        for name, value in chosen.items():
            if value != estimator._chosen[name]:
                raise ValueError(
                    f"{name} must stay {estimator._chosen[name]!r} while learning goes on, "
                    f"got {value!r}; fit starts anew"
                )
        return copy.deepcopy(estimator.learner_)
    estimator._chosen = dict(chosen)
    seed = chosen.pop("random_state", None)
    if seed is not None and not isinstance(seed, (int, np.integer)):
        seed = check_random_state(seed).randint(2**31 - 1)
    kind, params = estimator._learner
    known = {one.name for one in fields(params)}
    extra = {"task": task, "seed": int(seed or 0)}
    return kind(params(**{name: chosen[name] for name in chosen if name in known}, **extra))


def learn_classes(estimator: Any, X: Any, y: Any, classes: Any = None, **others: Any) -> Any:
    """Learn more rows, in their order.

    Parameters
    ----------
    X : array or frame (n, n_features)
        NaN means that a value is absent.
    y : array (n,)
        Labels, text or numbers; a class may appear at any time.
    classes : array, optional
        Classes that are known to come.
    others
        sample_weight may only be None.
    """
    refuse(estimator, others)
    with edge.unchanged_on_error(estimator):
        X, y = checked(estimator, X, y, y_numeric=False)
        check_classification_targets(y)
        labels = list(getattr(estimator, "_labels", []))
        known = [] if classes is None else np.unique(np.asarray(classes)).tolist()
        met = list(labels)
        add_labels(met, y.tolist())
        if classes is not None and (strange := [one for one in met if one not in known]):
            raise ValueError(f"y must hold labels of classes alone, got {strange[0]!r}")
        learner = begin(estimator, "classification")
        learner.predict_then_learn(X, numbers_of(y, met))
        estimator.learner_, estimator._labels = learner, met
        declared = getattr(estimator, "classes_", np.array([], dtype=y.dtype)).tolist()
        estimator.classes_ = np.array(sorted({*declared, *met, *known}))
    return estimator


def learn_values(estimator: Any, X: Any, y: Any, **others: Any) -> Any:
    """Learn more rows, in their order; y holds numbers, sample_weight may only be None."""
    refuse(estimator, others)
    with edge.unchanged_on_error(estimator):
        X, y = checked(estimator, X, y, y_numeric=True)
        y = y.astype(np.float64)
        learner = begin(estimator, "regression")
        edge.check_targets(learner.params.core, y)
        learner.predict_then_learn(X, y)
        estimator.learner_ = learner
    return estimator


def answers_of(estimator: Any, X: Any) -> Any:
    """Return the learner's answers to rows as the user gives them."""
    check_is_fitted(estimator, "learner_")
    X = np.array(validate_data(estimator, X, reset=False, **INPUTS))
    return estimator.learner_.predict(X)


def predict_proba(estimator: Any, X: Any) -> np.ndarray:
    """Return class probabilities, (n, n_classes) in the order of `classes_`."""
    given = answers_of(estimator, X).probabilities
    if given.shape[1] < 1 or np.isnan(given).any():
        raise NotFittedError(f"this {type(estimator).__name__} has learnt no label yet")
    out = np.zeros((len(given), len(estimator.classes_)))
    places = np.searchsorted(estimator.classes_, np.array(estimator._labels))
    width = min(given.shape[1], len(places))  # one class alone has a score, and no rival
    out[:, places[:width]] = given[:, :width]
    return out


def predict_class(estimator: Any, X: Any) -> np.ndarray:
    """Return the most likely class of each row."""
    chosen = answers_of(estimator, X).chosen
    if (chosen < 0).any():
        raise NotFittedError(f"this {type(estimator).__name__} has learnt no label yet")
    return np.asarray(np.array(estimator._labels)[chosen])


def predict_value(estimator: Any, X: Any) -> np.ndarray:
    """Return the value of each row."""
    return np.asarray(answers_of(estimator, X).chosen)


def tags(estimator: Any, known: Any) -> Any:
    """In place: tell scikit-learn that absent values are taken."""
    known.input_tags.allow_nan = True
    return known
