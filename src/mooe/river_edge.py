"""What both models in River's dialect share: their Params, frames, experts, files."""

import math
from collections.abc import Hashable
from dataclasses import asdict
from typing import Any

import numpy as np

from mooe import modelfile, shells
from mooe.labels import Label, sorted_classes
from mooe.layout import State
from mooe.modes import AnyParams, chosen_params, core_of
from mooe.params import plain
from mooe.samples import Rows, Sample, checked_weight, frame_values, listed

__all__ = [
    "built",
    "concepts_of",
    "experts_of",
    "explained",
    "learn_frame",
    "params_of",
    "probabilities",
    "regime_of",
    "rows_of",
    "series",
    "to_bytes",
    "votes",
    "weights_now",
    "weights_of",
]


def params_of(model: Any) -> AnyParams:
    """Return the Params that a model's parameters stand for."""
    return chosen_params(type(model), model._get_params(), model._task)


def rows_of(model: Any, names: list[Hashable]) -> Rows:
    """Return what the model has learnt, or an empty beginning for features of these names."""
    if model._rows is not None:
        rows: Rows = model._rows
        return rows
    params = params_of(model)
    core = core_of(params)
    state = core.init(params, len(names))
    if params.mode == "auto":
        core.as_if_sorted(params, state, sorted(range(len(names)), key=lambda j: str(names[j])))
    return Rows(params, state, names)


def learn_frame(model: Any, X: Any, labels: np.ndarray, weights: np.ndarray) -> None:
    """In place: learn the rows of a frame; NaN is no label."""
    names = list(X.columns)
    rows = rows_of(model, names)
    values = frame_values(rows.params, X, names)
    if np.any((labels == labels) & (weights > 0.0)):
        rows.learn_many(names, values, labels, weights)
        model._rows = rows


def weights_of(w: Any, n: int) -> np.ndarray:
    """Return one weight per row."""
    given = [w] * n if np.ndim(w) == 0 else listed("w", w, n)
    return np.array([checked_weight(weight) for weight in given], dtype=np.float64)


def experts_of(model: Any) -> list[Any]:
    """The experts and their weights; paper mode: the online one last."""
    rows = model._rows
    return [] if rows is None else rows.core.experts(rows.params, rows.state)


def concepts_of(model: Any) -> list[Any]:
    """The regimes that the memory knows, see `mooe.auto.core.Concept`; none in paper mode."""
    rows = model._rows
    return [] if rows is None else rows.core.concepts(rows.params, rows.state)


def regime_of(model: Any) -> int | None:
    """The name of the concept in charge, None while it has none, and in paper mode."""
    return next((one.name for one in concepts_of(model) if one.in_charge), None)


def weights_now(model: Any) -> list[float]:
    """The experts' weights now, in the order of `experts`."""
    return [expert.weight for expert in experts_of(model)]


def votes(model: Any, x: Sample) -> np.ndarray:
    """Return every expert's scores of a sample, (n_experts, n_outputs)."""
    rows = model._rows
    rows.answer(x)
    row = rows.listed([{k: v for k, v in x.items() if k in rows.places}]) if rows.wide else rows.x
    scores: np.ndarray = rows.core.explain(rows.params, rows.state, row)[1]
    return scores


def explained(model: Any, answers: list[Any]) -> list[dict[str, Any]]:
    """Return each expert with its answer."""
    pairs = zip(experts_of(model), answers, strict=True)
    return [{**asdict(expert), "vote": answer} for expert, answer in pairs]


def series(values: Any, X: Any, labels: list[Label] | None = None) -> Any:
    """Return the values as a pandas series beside the rows of X; labels are its classes."""
    import pandas as pd

    kept = labels is None or sorted_classes(labels).dtype != object
    return pd.Series(values, index=X.index, dtype=None if len(X) and kept else object)


def to_bytes(model: Any) -> bytes:
    """Return the whole model as bytes, see `mooe.modelfile`."""
    rows = rows_of(model, [])
    shells.check_params(params_of(model), rows.params)
    for name in rows.names:
        if not isinstance(name, (str, int, float, np.integer)):
            raise ValueError(f"names of features must be text or numbers to be saved, got {name!r}")
    extras = {
        "class": f"river {type(model).__name__}",
        "chosen": plain(model._get_params()),
        "labels": getattr(model, "_labels", None),
        "feature_names": rows.names,
    }
    return modelfile.to_bytes(rows.params, rows.state, extras)


def built(cls: Any, params: AnyParams, state: State, extras: dict[str, Any]) -> Any:
    """Return a model that goes on from this state."""
    kind, shown = f"river {cls.__name__}", f"River's {cls.__name__}"
    model = cls(**shells.chosen_of(kind, shown, params, state, extras))
    shells.check_params(params_of(model), params)
    wide = params.mode == "auto" and not state.narrow  # those have columns ahead of their names
    modelfile.check_names(
        extras["feature_names"], 0 if wide else state.n_features, state.n_features
    )
    if state.n_labelled > 0:
        model._rows = Rows(params, state, extras["feature_names"])
    for label in extras["labels"] or []:
        model._meet(label)
    return model


def probabilities(params: AnyParams, scores: list[float]) -> list[float]:
    """Return what `core.probabilities` does, of one row and in less time."""
    if len(scores) == 1:
        if scores[0] == -math.inf:
            return [1.0]
        scores = [-scores[0], scores[0]]
    sharpness = params.sharpness
    top = max(scores)
    raised = [math.exp(sharpness * (score - top)) for score in scores]
    total = sum(raised)
    return [share / total for share in raised]
