"""Saved models that the command goes on with, and their columns in a table."""

import os
from pathlib import Path

from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.streams.stream import Stream
from mooe.tables import SourceColumns


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
    if not SourceColumns.is_noted_well(model):
        raise ModelFileError(
            f"{os.fspath(path)}: the model file is damaged: its source is {model.notes['source']!r}"
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
