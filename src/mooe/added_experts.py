"""Experts that the user brings: any fitted model, asked beside ours and saved with skops."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mooe.auto.roster import EXPERTS
from mooe.engine import core_of
from mooe.modelfile import ModelFileError
from mooe.shells import Label

__all__ = ["Added", "add_expert", "dumped", "join", "loaded", "named", "scores"]


@dataclass(frozen=True)
class Added:
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


def add_expert(estimator: Any, model: Any, name: str, trusted: Sequence[str] = ()) -> Any:
    """Let a fitted model compete with the other experts, before the first `partial_fit` or later.

    It is asked for every row, with X as the user gives it, and does not learn. A classifier votes
    by its probabilities, or, where it has none, by its answers alone; a class that it was not
    trained on has the probability 0. `fit` keeps it; `clone` does not, for it is no parameter.

    Parameters
    ----------
    model : object
        With `predict_proba` and `classes_`, or with `predict`.
    name : str
        For `experts_` and `explain`.
    trusted : list of str, default=()
        A model is saved with skops, and only if all its types are known to do no harm when they
        are loaded. Name those here that you trust beside, and again in `load`: trees are
        "sklearn.tree._tree.Tree".

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from mooe import MOOEClassifier
    >>> from mooe.datasets import recurring
    >>> stream = recurring(n=3000, length=1000)
    >>> batch = LogisticRegression().fit(stream.X[:1000], stream.y[:1000])
    >>> model = MOOEClassifier().add_expert(batch, "last year's")
    >>> _ = model.partial_fit(stream.X[:1000], stream.y[:1000])
    >>> max(model.experts_, key=lambda expert: expert.weight).name
    "last year's"
    """
    if estimator.mode != "auto":
        raise ValueError(f"mode must be 'auto' for add_expert, got {estimator.mode!r}")
    present: list[Added] = getattr(estimator, "_added", [])
    check_name(name, [*EXPERTS, *(one.name for one in present)])
    check_model(name, model)
    new = Added(name, model, tuple(trusted))
    if hasattr(estimator, "state_"):
        core, state = core_of(estimator.params_), estimator.state_.copy()
        row = core.views(estimator.params_, state).inputs.mean.reshape(1, -1)
        with warnings.catch_warnings():  # such as: fitted with names of features
            warnings.simplefilter("ignore")
            scores([new], row, 1, getattr(estimator, "_labels", None))
        core.add_expert(estimator.params_, state)
        estimator.state_ = state
    estimator._added = [*present, new]
    return estimator


def check_name(name: Any, taken: list[str]) -> None:
    """Raise ValueError unless the name is text that no other expert has."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"name must be text, got {name!r}")
    if name in taken:
        raise ValueError(f"name must differ from those of the other experts, got {name!r}")


def check_model(name: str, model: Any) -> None:
    """Raise ValueError unless the model is one that can answer."""
    if isinstance(model, type) or not any(
        callable(getattr(model, method, None)) for method in ("predict", "predict_proba")
    ):
        raise ValueError(f"model of {name!r} must be fitted and have predict, got {model!r}")
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)


def join(estimator: Any) -> None:
    """In place: the models that were added before there was a state take part in it."""
    present = getattr(estimator, "_added", [])
    if present and estimator.params_.mode != "auto":
        raise ValueError(f"mode must be 'auto' with added experts, got {estimator.mode!r}")
    for _ in present:
        core_of(estimator.params_).add_expert(estimator.params_, estimator.state_)


def scores(experts: list[Added], X: Any, n: int, labels: list[Label] | None) -> np.ndarray:
    """Return the scores of n rows, (n, n_added, n_classes) in the order of labels.

    Without labels the values of a regression, (n, n_added, 1).
    """
    if labels is None:
        return np.stack([values_of(one, X, n) for one in experts], axis=1)
    return np.stack([class_scores(one, X, n, labels) for one in experts], axis=1)


def values_of(one: Added, X: Any, n: int) -> np.ndarray:
    """Return the labels that a model expects, (n, 1)."""
    return numbers(one, "predict", asked(one, "predict", X), [(n,), (n, 1)]).reshape(n, 1)


def class_scores(one: Added, X: Any, n: int, labels: list[Label]) -> np.ndarray:
    """Return a model's scores in [-1, 1], (n, n_classes): twice the probability, minus 1."""
    shares = np.zeros((n, max(2, len(labels))))
    number = {label: k for k, label in enumerate(labels)}
    if hasattr(one.model, "predict_proba") and hasattr(one.model, "classes_"):
        classes = np.asarray(one.model.classes_).tolist()
        found = asked(one, "predict_proba", X)
        given = numbers(one, "predict_proba", found, [(n, len(classes))], 0.0, 1.0)
        for j, label in enumerate(classes):
            if label in number:
                shares[:, number[label]] = given[:, j]
    else:
        answers = np.asarray(asked(one, "predict", X))
        if answers.dtype.kind in "fc":
            numbers(one, "predict", answers, [(n,)])
        check_shape(one, "predict", answers, [(n,)])
        for i, label in enumerate(answers.tolist()):
            if label in number:
                shares[i, number[label]] = 1.0
    return 2.0 * shares - 1.0


def asked(one: Added, method: str, X: Any) -> Any:
    """Return what a model says, or raise ValueError with its name."""
    try:
        return getattr(one.model, method)(X)
    except Exception as problem:
        raise ValueError(
            f"expert {one.name!r} must answer the rows of X, got {type(problem).__name__} from its "
            f"{method}: {problem}"
        ) from problem


def numbers(
    one: Added,
    method: str,
    found: Any,
    shapes: list[tuple[int, ...]],
    low: float = -np.inf,
    high: float = np.inf,
) -> np.ndarray:
    """Return finite numbers of one of the shapes, or raise ValueError with the expert's name."""
    try:
        given = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"{method} of expert {one.name!r} must give numbers, got {found!r:.80}"
        ) from problem
    check_shape(one, method, given, shapes)
    bad = ~np.isfinite(given) | (given < low) | (given > high)
    if bad.any():
        rule = "finite numbers" if np.isinf(low) else f"numbers from {low:g} to {high:g}"
        row = int(np.argwhere(bad)[0][0])
        raise ValueError(
            f"{method} of expert {one.name!r} must give {rule}, got {given[bad][0]} in row {row}"
        )
    return given


def check_shape(one: Added, method: str, given: np.ndarray, shapes: list[tuple[int, ...]]) -> None:
    """Raise ValueError unless the answers have one of the shapes."""
    if given.shape not in shapes:
        raise ValueError(
            f"{method} of expert {one.name!r} must give the shape {shapes[0]}, got {given.shape}"
        )


def named(members: list[Any], names: Iterable[str]) -> list[Any]:
    """Return the experts of the mixture with the names of those that were added."""
    rest = iter(names)
    return [replace(one, name=next(rest)) if one.kind == "added" else one for one in members]


def dumped(one: Added) -> bytes:
    """Return a model as bytes, or raise ValueError if it cannot be saved safely.

    skops numbers what it writes by place in memory: equal models may give different bytes.
    """
    if one.blob is not None:
        return one.blob
    skops = skops_for(f"to save the expert {one.name!r}")
    try:
        blob: bytes = skops.dumps(one.model)
        skops.loads(blob, trusted=list(one.trusted))
    except Exception as problem:
        raise ValueError(
            f"expert {one.name!r} must be a model that skops can save safely, got "
            f"{type(one.model).__name__}: {problem}"
        ) from problem
    return blob


def loaded(name: str, blob: bytes, trusted: Sequence[str] = ()) -> Added:
    """Return the model that was saved as these bytes; no type is made that is not trusted."""
    skops = skops_for(f"to load the expert {name!r}")
    try:
        check_name(name, [*EXPERTS])
        model = skops.loads(blob, trusted=list(trusted))
        check_model(name, model)
    except Exception as problem:
        raise ModelFileError(f"the expert {name!r} cannot be loaded: {problem}") from problem
    return Added(name, model, tuple(trusted), blob)


def skops_for(what: str) -> Any:
    """Return skops' functions, or raise ImportError that says what to install, and what for."""
    try:
        import skops.io
    except ImportError as problem:
        raise ImportError(f"skops is needed {what}: pip install 'mooe[skops]'") from problem
    return skops.io
