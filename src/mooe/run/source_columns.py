"""The table that a model was taught from: its columns, what they hold, and its label."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.streams.stream import Stream

Kind = Literal["number", "text"]


@dataclass(frozen=True)
class SourceColumns:
    """What the command notes in a model of the table that its rows came from."""

    model: str = "mooe"  # the name that the model was made by
    inputs: dict[str, Kind] | None = None  # columns and what they hold; None: nobody noted it
    label: str | None = None  # the column of the labels
    label_kind: Kind | None = None  # what labels are read as: '01' may be a text or a number

    @classmethod
    def of(cls, model: Model) -> "SourceColumns":
        """Return what is noted in a model; of one that another shell taught, its columns."""
        noted = model.notes.get("source")
        if noted is not None:
            return cls(**noted)
        name = "mooe" if model.params.mode == "auto" else "mooe-paper"
        if model.columns is None:
            return cls(name)
        return cls(name, {str(column): "number" for column in model.columns})

    def kind_of_labels(self, model: Model) -> Kind | None:
        """Return what the labels of a model are read as, None before any is known, and of bools."""
        if any(isinstance(label, bool) for label in model.labels.names[:1]):
            return None
        if self.label_kind is not None or not len(model.labels):
            return self.label_kind
        return "text" if isinstance(model.labels.names[0], str) else "number"

    def note(self, model: Model) -> None:
        """In place: write it into a model's notes."""
        model.notes = {**model.notes, "source": asdict(self)}


def load_model(path: str | os.PathLike[str]) -> Model:
    """Return a saved model that the command can go on with, and could have made notes in."""
    if not Path(path).exists():
        raise ValueError(f"model file must exist, got {os.fspath(path)!r}")
    model = Model.load(path)
    if model.added:
        names = ", ".join(expert.name for expert in model.added)
        raise ValueError(
            f"{os.fspath(path)} must hold no experts that were added, got {names}: the command "
            "cannot ask them; load it with the estimator"
        )
    noted: Any = model.notes.get("source")
    if noted is not None and not (
        isinstance(noted, dict)
        and set(noted) <= set(SourceColumns.__dataclass_fields__)
        and isinstance(noted.get("model", ""), str)
        and isinstance(noted.get("label"), str | None)
        and noted.get("label_kind") in (None, "number", "text")
        and isinstance(noted.get("inputs"), dict | None)
        and set((noted.get("inputs") or {}).values()) <= {"number", "text"}
    ):
        raise ModelFileError(
            f"{os.fspath(path)}: the model file is damaged: its source is {noted!r}"
        )
    return model


def columns_for(model: Model, stream: Stream) -> list[str]:
    """Return a model's columns as a table calls them; one taught by arrays takes the stream's."""
    if model.columns is not None:
        names = {str(column): column for column in model.columns}
        for column in model.columns:
            if names[str(column)] is not column:
                twins = f"{column!r:.80} and {names[str(column)]!r:.80}"
                raise ValueError(f"columns of the model must differ as text, got {twins}")
        return list(names)
    if model.state is not None and model.width != len(stream.feature_names):
        raise ValueError(
            f"{stream.name} must have the {model.width} columns of the model, which knows no "
            f"names, got {len(stream.feature_names)}"
        )
    return list(stream.feature_names) if model.state is not None else []
