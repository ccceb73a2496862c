"""What every shell around the core shares: its parameters as attributes, and its file."""

import os
from typing import Any

from mooe import modelfile
from mooe.layout import State
from mooe.modes import AnyParams
from mooe.params import plain

__all__ = ["assign", "check_params", "chosen_of", "from_bytes", "load", "opened", "save"]


def assign(shell: Any, values: dict[str, Any]) -> None:
    """In place: the arguments of __init__ become attributes."""
    for name, value in values.items():
        if name not in ("self", "__class__"):
            setattr(shell, name, value)


def save(shell: Any, path: str | os.PathLike[str]) -> None:
    """Write the model to a file: all of it, or the file stays as it was."""
    modelfile.write(path, shell.to_bytes())


def from_bytes(cls: Any, blob: bytes) -> Any:
    """Return the model that `to_bytes` was called on."""
    return opened(cls, modelfile.from_bytes(blob))


def load(cls: Any, path: str | os.PathLike[str]) -> Any:
    """Return the model that `save` was called on."""
    return opened(cls, modelfile.read(path))


def opened(cls: Any, found: tuple[Any, State, dict[str, Any]], *rest: Any) -> Any:
    """Return the shell of what was in a file."""
    with modelfile.whole_model():
        return cls._built(*found, *rest)


def chosen_of(
    kind: str, shown: str, params: AnyParams, state: State, extras: dict[str, Any]
) -> dict[str, Any]:
    """Return the parameters that a file's shell was made with, if it is of this kind."""
    if extras.get("class") != kind:
        raise modelfile.ModelFileError(
            f"the model is a {extras.get('class')}, and {shown} was to load it"
        )
    modelfile.check_labels(params, state, extras["labels"])
    return plain(extras["chosen"])


def check_params(chosen: Any, params: Any) -> None:
    """Raise ValueError unless a file's shell was made with the parameters of its model."""
    if chosen != params:
        raise ValueError(f"chosen must stand for {params}, got {chosen}")
