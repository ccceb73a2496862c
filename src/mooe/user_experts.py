"""Experts that the user brings: any fitted model, asked beside ours and saved with skops."""

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.auto.roster import EXPERTS
from mooe.labels import Label
from mooe.modelfile import ModelFileError


@dataclass(frozen=True)
class AddedExpert:
    """A model that the user added.

    Attributes
    ----------
    name : str
    model : object with `predict_proba` and `classes_`, or with `predict`
    trusted : tuple of str
        Types that may be saved beside those that skops trusts.
    blob : bytes or None
        What it was loaded from; it is saved as that again.
    """

    name: str
    model: Any
    trusted: tuple[str, ...] = ()
    blob: bytes | None = None


def check_added(
    expert: AddedExpert, others: Sequence[AddedExpert], taken: Sequence[str] = EXPERTS
) -> None:
    """Raise ValueError unless the expert has a name of its own and can answer."""
    name, model = expert.name, expert.model
    if not isinstance(name, str) or not name:
        raise ValueError(f"name must be text, got {name!r}")
    if name in (*taken, *(other.name for other in others)):
        raise ValueError(f"name must differ from those of the other experts, got {name!r}")
    if isinstance(model, type) or not any(
        callable(getattr(model, method, None)) for method in ("predict", "predict_proba")
    ):
        raise ValueError(f"model of {name!r} must be fitted and have predict, got {model!r}")
    from sklearn.base import BaseEstimator  # most models have no such expert
    from sklearn.utils.validation import check_is_fitted

    if isinstance(model, BaseEstimator):
        check_is_fitted(model)


def try_expert(expert: AddedExpert, row: np.ndarray, labels: list[Label] | None) -> None:
    """Raise ValueError unless the expert answers a row, (1, width), as it should."""
    with warnings.catch_warnings():  # such as: fitted with names of features
        warnings.simplefilter("ignore")
        added_scores([expert], row, 1, labels)


def added_scores(
    experts: Sequence[AddedExpert], X: Any, n: int, labels: list[Label] | None
) -> np.ndarray:
    """Return the scores of n rows, (n, n_added, n_classes) in the order of labels.

    Without labels the values of a regression, (n, n_added, 1).
    """
    if labels is None:
        return np.stack([_values(expert, X, n) for expert in experts], axis=1)
    return np.stack([_class_scores(expert, X, n, labels) for expert in experts], axis=1)


def _values(expert: AddedExpert, X: Any, n: int) -> np.ndarray:
    """Return the labels that a model expects, (n, 1)."""
    return _numbers(expert, "predict", _ask(expert, "predict", X), [(n,), (n, 1)]).reshape(n, 1)


def _class_scores(expert: AddedExpert, X: Any, n: int, labels: list[Label]) -> np.ndarray:
    """Return a model's scores in [-1, 1], (n, n_classes): twice the probability, minus 1."""
    shares = np.zeros((n, max(2, len(labels))))
    number = {label: k for k, label in enumerate(labels)}
    if hasattr(expert.model, "predict_proba") and hasattr(expert.model, "classes_"):
        classes = np.asarray(expert.model.classes_).tolist()
        answers = _ask(expert, "predict_proba", X)
        known = _numbers(expert, "predict_proba", answers, [(n, len(classes))], 0.0, 1.0)
        for j, label in enumerate(classes):
            if label in number:
                shares[:, number[label]] = known[:, j]
    else:
        answers = np.asarray(_ask(expert, "predict", X))
        if answers.dtype.kind in "fc":
            _numbers(expert, "predict", answers, [(n,)])
        _check_shape(expert, "predict", answers, [(n,)])
        for i, label in enumerate(answers.tolist()):
            if label in number:
                shares[i, number[label]] = 1.0
    return 2.0 * shares - 1.0


def _ask(expert: AddedExpert, method: str, X: Any) -> Any:
    """Return what a model says, or raise ValueError with its name."""
    try:
        return getattr(expert.model, method)(copy.deepcopy(X))  # it may write into what it is given
    except Exception as problem:
        raise ValueError(
            f"expert {expert.name!r} must answer the rows of X, got {type(problem).__name__} from "
            f"its {method}: {problem}"
        ) from problem


def _numbers(
    expert: AddedExpert,
    method: str,
    answers: Any,
    shapes: list[tuple[int, ...]],
    low: float = -np.inf,
    high: float = np.inf,
) -> np.ndarray:
    """Return finite numbers of one of the shapes, or raise ValueError with the expert's name."""
    try:
        numbers = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"{method} of expert {expert.name!r} must give numbers, got {answers!r:.80}"
        ) from problem
    _check_shape(expert, method, numbers, shapes)
    bad = ~np.isfinite(numbers) | (numbers < low) | (numbers > high)
    if bad.any():
        rule = "finite numbers" if np.isinf(low) else f"numbers from {low:g} to {high:g}"
        row = int(np.argwhere(bad)[0][0])
        raise ValueError(
            f"{method} of expert {expert.name!r} must give {rule}, got {numbers[bad][0]} "
            f"in row {row}"
        )
    return numbers


def _check_shape(
    expert: AddedExpert, method: str, answers: np.ndarray, shapes: list[tuple[int, ...]]
) -> None:
    """Raise ValueError unless the answers have one of the shapes."""
    if answers.shape not in shapes:
        raise ValueError(
            f"{method} of expert {expert.name!r} must give the shape {shapes[0]}, "
            f"got {answers.shape}"
        )


def dump_added(expert: AddedExpert) -> bytes:
    """Return a model as bytes, or raise ValueError if it cannot be saved safely.

    skops numbers what it writes by place in memory: equal models may give different bytes.
    """
    if expert.blob is not None:
        return expert.blob
    skops = _skops(f"to save the expert {expert.name!r}")
    try:
        blob: bytes = skops.dumps(expert.model)
        skops.loads(blob, trusted=list(expert.trusted))
    except Exception as problem:
        raise ValueError(
            f"expert {expert.name!r} must be a model that skops can save safely, got "
            f"{type(expert.model).__name__}: {problem}"
        ) from problem
    return blob


def load_added(name: str, blob: bytes, trusted: Sequence[str] = ()) -> AddedExpert:
    """Return the model that was saved as these bytes; no type is made that is not trusted."""
    skops = _skops(f"to load the expert {name!r}")
    try:
        expert = AddedExpert(name, skops.loads(blob, trusted=list(trusted)), tuple(trusted), blob)
        check_added(expert, (), taken=())  # it may be older than an expert of ours of that name
    except Exception as problem:
        raise ModelFileError(f"the expert {name!r} cannot be loaded: {problem}") from problem
    return expert


def _skops(what: str) -> Any:
    """Return skops' functions, or raise ImportError that says what to install, and what for."""
    try:
        import skops.io
    except ImportError as problem:
        raise ImportError(f"skops is needed {what}: pip install 'mooe[skops]'") from problem
    return skops.io
