"""What both estimators share: input checked once at the edge, labels numbered, models to files."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mooe import added, modelfile, shells
from mooe.arrays import as_numbers, check_no_times, refuse_cell
from mooe.features import LARGEST_INPUT, LARGEST_WEIGHT
from mooe.labels import Label, labels_in, sorted_classes
from mooe.layout import State
from mooe.modes import PARAMS, AnyParams, chosen_params, core_of
from mooe.params import check_choice, check_whole, plain

__all__ = [
    "added_scores",
    "begin",
    "built",
    "check_targets",
    "checked",
    "concepts",
    "expert_scores_of",
    "experts",
    "fit",
    "from_bytes",
    "load",
    "n_clipped",
    "n_intervals",
    "regime",
    "scores_of",
    "tags",
    "to_bytes",
    "unchanged_on_error",
    "weights",
]

LEARNT = (
    "classes_",
    "feature_names_in_",
    "n_features_in_",
    "params_",
    "state_",
    "_chosen",
    "_labels",
    "_notes",
)


def params_of(estimator: Any, task: str) -> AnyParams:
    """Return the Params that an estimator's parameters stand for."""
    chosen = estimator.get_params(deep=False)
    state = chosen.pop("random_state")
    return chosen_params(type(estimator), chosen, task, 0 if state is None else seed_of(state))


def seed_of(random_state: Any) -> int:
    """Return the seed that scikit-learn's random_state stands for."""
    if isinstance(random_state, (np.random.RandomState, ModuleType)):
        return int(check_random_state(random_state).randint(2**31 - 1))
    seed = random_state.item() if isinstance(random_state, np.integer) else random_state
    check_whole("random_state", seed, 0, 2**63)
    return int(seed)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Whatever goes wrong inside, the estimator is as before."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def fit(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Forget everything, then learn the rows in their order."""
    with unchanged_on_error(estimator):
        for name in LEARNT:
            vars(estimator).pop(name, None)
        sample_weight = as_numbers("sample_weight", sample_weight)
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise ValueError("sample_weight must be above 0 for some row, got zeros alone")
        return estimator.partial_fit(X, y, sample_weight=sample_weight)


def checked(
    estimator: Any, X: Any, y: Any, sample_weight: Any, y_numeric: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, labels and weights as arrays, or raise an error that says what is wrong."""
    first = not hasattr(estimator, "state_")
    given = as_numbers("y", y) if y_numeric else y
    X, y = validated(estimator, X, given, reset=first, y_numeric=y_numeric)
    if not y_numeric:
        y = labels_in(given, y)
    sample_weight = as_numbers("sample_weight", sample_weight)
    if sample_weight is None:
        row_weights = np.ones(len(y))
    else:
        row_weights = np.array(sample_weight, dtype=np.float64)
        if row_weights.shape != (len(y),):
            raise ValueError(
                f"sample_weight must have the shape ({len(y)},), got {row_weights.shape}"
            )
        bad = row_weights[~((row_weights >= 0.0) & (row_weights <= LARGEST_WEIGHT))]
        if len(bad):
            raise ValueError(
                f"sample_weight must be at least 0 and at most {LARGEST_WEIGHT:g}, got {bad[0]}"
            )
    return writable(X), writable(y), row_weights


def validated(estimator: Any, X: Any, y: Any = "no_validation", **settings: Any) -> Any:
    """Return what scikit-learn lets through: in auto mode absent values and sparse rows too."""
    check_choice("mode", estimator.mode, tuple(PARAMS))
    auto = estimator.mode == "auto"
    check_no_times("X", X)
    try:
        return validate_data(
            estimator,
            X,
            y,
            dtype=np.float64,
            order="C",
            accept_sparse="csr" if auto else False,
            ensure_all_finite="allow-nan" if auto else True,
            **settings,
        )
    except (TypeError, ValueError, OverflowError) as problem:
        refuse_cell(X, problem)


def writable(X: Any) -> Any:
    """Return X, or a copy where it may not be written to, which compiled code does not take."""
    return X if issparse(X) or X.flags.writeable else np.array(X)


def begin(estimator: Any, task: str, X: np.ndarray) -> None:
    """In place: on the first rows an empty state; then, and later, rows no expert can take fail."""
    chosen = plain(estimator.get_params(deep=False))
    if not hasattr(estimator, "state_"):
        estimator.params_ = params_of(estimator, task)
        estimator.state_ = core_of(estimator.params_).init(estimator.params_, X.shape[1])
        estimator._chosen = chosen
        added.join(estimator)
    elif chosen != estimator._chosen:
        changed = next(name for name in chosen if chosen[name] != estimator._chosen[name])
        raise ValueError(
            f"{changed} must stay {estimator._chosen[changed]!r} while learning goes on, "
            f"got {chosen[changed]!r}; fit starts anew"
        )
    else:
        estimator.state_ = estimator.state_.copy()  # what fails, or is interrupted, is not kept
    core_of(estimator.params_).check_inputs(estimator.params_, X)


def rows_of(estimator: Any, X: Any) -> Any:
    """Return rows to be predicted as an array."""
    check_is_fitted(estimator, "state_")
    if estimator.state_.n_labelled == 0:
        raise NotFittedError(f"this {type(estimator).__name__} has learnt no label yet")
    rows = writable(validated(estimator, X, reset=False))
    core_of(estimator.params_).check_inputs(estimator.params_, rows)
    return rows


def added_scores(
    estimator: Any, X: Any, n: int, labels: list[Label] | None = None
) -> dict[str, np.ndarray]:
    """Return as an argument what the experts that the user added say of n rows, if there are any.

    Labels are those of the classes, or none; their models get the rows as the user gives them.
    """
    present = getattr(estimator, "_added", [])
    return {"added": added.scores(present, X, n, labels)} if present else {}


def scores_of(estimator: Any, X: Any) -> np.ndarray:
    """Return the mixture's scores of rows as the user gives them."""
    rows = rows_of(estimator, X)
    others = added_scores(estimator, X, rows.shape[0], getattr(estimator, "_labels", None))
    scores: np.ndarray = core_of(estimator.params_).predict(
        estimator.params_, estimator.state_, rows, **others
    )
    return scores


def expert_scores_of(estimator: Any, x: Any) -> np.ndarray:
    """Return every expert's scores, (n_experts, n_outputs), of one row as the user gives it."""
    x = [x] if not issparse(x) and np.ndim(x) == 1 else x
    row = rows_of(estimator, x)
    if row.shape[0] != 1:
        raise ValueError(f"x must be one sample, got {row.shape[0]}")
    core = core_of(estimator.params_)
    others = added_scores(estimator, x, 1, getattr(estimator, "_labels", None))
    scores: np.ndarray = core.explain(estimator.params_, estimator.state_, row, **others)[1]
    return scores


def check_targets(params: AnyParams, y: np.ndarray) -> None:
    """Raise ValueError for a label that is outside the bounds that the user gave."""
    low, high = getattr(params, "target_bounds", None) or (-LARGEST_INPUT, LARGEST_INPUT)
    bad = y[(y < low) | (y > high)]
    if len(bad):
        raise ValueError(f"y must lie within ({low:g}, {high:g}), got {bad[0]:g}")


def weights(estimator: Any) -> np.ndarray:
    """The experts' weights now, in the order of `experts_`."""
    found: np.ndarray = core_of(estimator.params_).weights(estimator.params_, estimator.state_)
    return found


def experts(estimator: Any) -> list[Any]:
    """The experts and their weights; paper mode: the online expert last."""
    found: list[Any] = core_of(estimator.params_).experts(estimator.params_, estimator.state_)
    return added.named(found, [one.name for one in getattr(estimator, "_added", [])])


def concepts(estimator: Any) -> list[Any]:
    """The regimes that the memory knows, see `mooe.auto.core.Concept`; none in paper mode."""
    found: list[Any] = core_of(estimator.params_).concepts(estimator.params_, estimator.state_)
    return found


def regime(estimator: Any) -> int | None:
    """The name of the concept in charge, None while it has none, and in paper mode."""
    return next((one.name for one in concepts(estimator) if one.in_charge), None)


def n_intervals(estimator: Any) -> int:
    """Intervals closed so far."""
    n: int = core_of(estimator.params_).n_intervals(estimator.params_, estimator.state_)
    return n


def n_clipped(estimator: Any) -> int:
    """Labels outside the bounds of the first interval so far."""
    return int(getattr(estimator.state_, "n_clipped", 0))


def tags(estimator: Any, known: Any) -> Any:
    """In place: tell scikit-learn that auto mode takes absent values and sparse rows."""
    known.input_tags.allow_nan = known.input_tags.sparse = estimator.mode == "auto"
    return known


def to_bytes(estimator: Any) -> bytes:
    """Return the whole model as bytes, see `mooe.modelfile`."""
    check_is_fitted(estimator, "state_")
    names = getattr(estimator, "feature_names_in_", None)
    extras = {
        **getattr(estimator, "_notes", {}),
        "class": type(estimator).__name__,
        "chosen": {**estimator._chosen, "random_state": estimator.params_.seed},
        "labels": getattr(estimator, "_labels", None),
        "feature_names": None if names is None else names.tolist(),
    }
    if getattr(estimator, "_added", []):
        extras["added"] = {one.name: added.dumped(one) for one in estimator._added}
    return modelfile.to_bytes(estimator.params_, estimator.state_, extras)


def from_bytes(cls: Any, blob: bytes, trusted: Sequence[str] = ()) -> Any:
    """Return the model that `to_bytes` was called on; trusted types are those of `add_expert`."""
    return shells.opened(cls, modelfile.from_bytes(blob), trusted)


def load(cls: Any, path: str | os.PathLike[str], trusted: Sequence[str] = ()) -> Any:
    """Return the model that `save` was called on; trusted types are those of `add_expert`."""
    return shells.opened(cls, modelfile.read(path), trusted)


def built(
    cls: Any,
    params: AnyParams,
    state: State,
    extras: dict[str, Any],
    trusted: Sequence[str] = (),
) -> Any:
    """Return an estimator that goes on from this state."""
    model = cls(**shells.chosen_of(cls.__name__, cls.__name__, params, state, extras))
    shells.check_params(params_of(model, params.task), params)
    model.params_, model.state_, model._chosen = params, state, plain(model.get_params(deep=False))
    brought = extras.get("added", {})
    if len(brought) != getattr(state, "n_added", 0):
        raise ValueError(f"added must hold {getattr(state, 'n_added', 0)} experts")
    if brought:
        model._added = [added.loaded(name, blob, trusted) for name, blob in brought.items()]
    own = ("added", "class", "chosen", "labels", "feature_names")
    model._notes = {name: value for name, value in extras.items() if name not in own}
    model.n_features_in_ = state.n_features
    if extras["feature_names"] is not None:
        modelfile.check_names(extras["feature_names"], state.n_features, state.n_features)
        model.feature_names_in_ = np.array(extras["feature_names"], dtype=object)
    if extras["labels"] is not None:
        model._labels = extras["labels"]
        model.classes_ = sorted_classes(extras["labels"])
    return model
