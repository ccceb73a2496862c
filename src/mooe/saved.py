"""Models that the command saves: the estimators' file, with the columns that its rows came from."""

import inspect
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mooe import estimators, modelfile
from mooe.learners import MooeLearner

__all__ = ["SavedModel", "load", "save"]

CLASSES = {
    "classification": estimators.MOOEClassifier.__name__,
    "regression": estimators.MOOERegressor.__name__,
}


@dataclass
class SavedModel:
    """A learner with all that is needed to give it more rows.

    Attributes
    ----------
    learner : MooeLearner
    model : str
        The name it was made by.
    labels : list
        Classes in the order in which the learner met them.
    columns : list of str
        Of the learner's rows: a column of the source, or 'column=value' for a text.
    inputs : dict of str to {"number", "text"}
        The columns of the source, and what they hold.
    label : str or None
        The column of the labels.
    label_kind : {"text", "number"} or None
        What the labels are read as; None before any is known.
    """

    learner: MooeLearner
    model: str = "mooe"
    labels: list[Any] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    inputs: dict[str, Literal["number", "text"]] = field(default_factory=dict)
    label: str | None = None
    label_kind: Literal["text", "number"] | None = None


def save(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model that the estimators can load too: all of it, or the file stays as it was."""
    params, state = model.learner.params, model.learner.state
    if state is None:
        raise ValueError(
            f"a model must have seen a row to be saved, got none for {os.fspath(path)}"
        )
    kind = CLASSES[params.task]
    names = inspect.signature(getattr(estimators, kind)).parameters
    chosen = {name: getattr(params, name) for name in names if hasattr(params, name)}
    extras = {
        "class": kind,
        "chosen": {**chosen, "mode": params.mode, "random_state": params.seed},
        "labels": model.labels if params.task == "classification" else None,
        "feature_names": model.columns,
        "source": {
            "model": model.model,
            "inputs": model.inputs,
            "label": model.label,
            "label_kind": model.label_kind or kind_of(model.labels),
        },
    }
    modelfile.write(path, modelfile.to_bytes(params, state, extras))


def load(path: str | os.PathLike[str]) -> SavedModel:
    """Return a saved model; one that an estimator saved has numbers in all its columns."""
    if not Path(path).exists():
        raise ValueError(f"model file must exist, got {os.fspath(path)!r}")
    params, state, extras = modelfile.read(path)
    if extras.get("class") not in CLASSES.values():
        kinds = " or ".join(CLASSES.values())
        raise ValueError(f"{os.fspath(path)} must hold a {kinds}, got {extras.get('class')!r}")
    if extras.get("added"):
        names = ", ".join(extras["added"])
        raise ValueError(
            f"{os.fspath(path)} must hold no experts that were added, got {names}: the command "
            "cannot ask them; load it with the estimator"
        )
    columns = extras["feature_names"]
    if columns is None:
        raise ValueError(
            f"{os.fspath(path)} must know the names of its columns, got None: it was trained on "
            "arrays; train it on a data frame or with mooe run --save"
        )
    source = extras.get("source") or {"inputs": dict.fromkeys(columns, "number")}
    return SavedModel(
        MooeLearner(params, state),
        source.get("model", "mooe"),
        extras["labels"] or [],
        columns,
        source["inputs"],
        source.get("label"),
        source.get("label_kind") or kind_of(extras["labels"] or []),
    )


def kind_of(labels: list[Any]) -> Literal["text", "number"] | None:
    """Return what labels are, None where there is none."""
    if not labels:
        return None
    return "text" if isinstance(labels[0], str) else "number"
