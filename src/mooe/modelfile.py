"""The model file: safetensors with one JSON header, a format number and a checksum; no pickle.

Equal models give equal bytes: the header is sorted JSON under a single key (safetensors keeps no
order among several), and of the state only what has been learnt is written, no scratch and no empty
slots. A file is read whole and checked whole before anything is built from it.
"""

import hashlib
import json
import math
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from mooe import modes
from mooe.layout import State
from mooe.modes import AnyParams

__all__ = [
    "FORMAT",
    "ModelFileError",
    "check_labels",
    "check_names",
    "check_source",
    "from_bytes",
    "read",
    "to_bytes",
    "whole_model",
    "write",
]

FORMAT = 2  # 1: paper mode, 2: the default model; a version reads all up to its own
KEY = "mooe"
MODES = {1: "paper", 2: "auto"}


DEEPEST = 20  # extras within extras: JSON of any depth is read, but not written

# What a file that was tampered with may run into.
BROKEN = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError),
    *(RecursionError, TypeError, ValueError),
)


class ModelFileError(ValueError):
    """The bytes are not a model of ours, damaged, or from a newer version."""


def to_bytes(params: AnyParams, state: State, extras: dict[str, Any]) -> bytes:
    """Return the file of a model; extras are what its shell must know, as JSON values.

    Under "added" they may hold bytes by name, the experts that the user added.
    """
    stored = modes.stored_of(params.mode)
    added: dict[str, bytes] = extras.get("added", {})
    if added:
        extras = {**extras, "added": list(added)}
    header = {
        "format": next(number for number, mode in MODES.items() if mode == params.mode),
        "params": asdict(params),
        "counters": {name: getattr(state, name) for name in stored.WHOLES},
        "extras": extras,
    }
    tensors = stored.learnt(params, state)
    for k, blob in enumerate(added.values()):
        tensors[f"added.{k}"] = np.frombuffer(blob, np.uint8)
    text = dump(header)
    whole = dump({"header": text, "sha256": digest(text, tensors)})
    return safetensors.save(tensors, {KEY: whole})


def from_bytes(blob: bytes) -> tuple[AnyParams, State, dict[str, Any]]:
    """Return params, state and extras of a file's bytes, or raise ModelFileError."""
    blob = bytes(blob)
    text, promised = read_header(blob)
    header = json.loads(text)
    check_format(header["format"])
    try:
        check_extras(header["extras"])
        tensors = safetensors.load(blob)
        if digest(text, tensors) != promised:
            raise ModelFileError("its checksum does not match its content")
        params = modes.params_of(MODES[header["format"]], header["params"])
        extras = header["extras"]
        if "added" in extras:
            extras["added"] = {
                name: tensors.pop(f"added.{k}").tobytes() for k, name in enumerate(extras["added"])
            }
        state = modes.stored_of(params.mode).restored(params, header["counters"], tensors)
        whole = to_bytes(params, state, extras)
    except (SafetensorError, *BROKEN) as problem:
        raise ModelFileError(f"the model file is damaged or cut short: {problem}") from problem
    if whole != blob:  # such as another order, other types, or more than belongs into it
        raise ModelFileError("the model file is damaged: writing it again gives other bytes")
    return params, state, extras


def check_format(number: Any) -> None:
    """Raise ModelFileError unless this version reads the format."""
    if type(number) is not int or number < 1:
        raise ModelFileError(f"the model file is damaged: its format is {number!r}")
    if number > FORMAT:
        raise ModelFileError(
            f"the model was written by a newer mooe (format {number}); this one reads "
            f"formats up to {FORMAT}: upgrade mooe"
        )


def write(path: str | os.PathLike[str], blob: bytes) -> None:
    """Put the bytes in place of the file at once and for good: it is the old or the new one."""
    path = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
    if path.exists() and not path.is_file():
        path.write_bytes(blob)  # a pipe or a device has no other bytes to keep; a folder refuses
        return
    beside = path.with_name(f".mooe-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(blob)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o777)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    keep_name(path.parent)


def keep_name(folder: Path) -> None:
    """Bring a folder's new names to disk too, where the system lets us."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:  # not to be read, or not a thing to open on this system
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def whole_model(path: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Whatever a shell cannot make sense of in the extras of a file is damage."""
    try:
        yield
    except ModelFileError:
        raise
    except BROKEN as problem:
        named = "" if path is None else f"{os.fspath(path)}: "
        raise ModelFileError(f"{named}the model file is damaged: {problem}") from problem


def check_extras(extras: Any) -> None:
    """Raise ValueError unless extras are a dict, and not deeper than what is written."""
    if not isinstance(extras, dict):
        raise ValueError(f"extras must be a dict, got {extras!r:.80}")
    level: list[Any] = [extras]
    for _ in range(DEEPEST):
        level = [
            value
            for part in level
            if isinstance(part, (dict, list))
            for value in (part.values() if isinstance(part, dict) else part)
        ]
    if level:
        raise ValueError(f"extras must not be more than {DEEPEST} deep")


def check_labels(params: AnyParams, state: State, labels: Any) -> None:
    """Raise ValueError unless there is one label for each class, and none in regression."""
    if params.task == "regression":
        if labels is not None:
            raise ValueError(f"labels must be None in regression, got {labels!r}")
        return
    if not (isinstance(labels, list) and state.n_classes == len(labels) == len(set(labels))):
        raise ValueError(f"labels must be {state.n_classes} different ones, got {labels!r}")
    texts = [isinstance(label, str) for label in labels]
    if not (all(texts) or (not any(texts) and all(abs(label) < math.inf for label in labels))):
        raise ValueError(f"labels must be text, or finite numbers, got {labels!r}")


def check_source(source: Any) -> None:
    """Raise ValueError unless this is what the command notes of the table of a model."""
    if not isinstance(source, dict):
        raise ValueError(f"source must be a dict, got {source!r}")
    model, label = source.get("model", ""), source.get("label")
    if not (isinstance(model, str) and isinstance(label, str | None)):
        raise ValueError(f"source must name its model and its label, got {source!r}")
    for name, kind in source["inputs"].items():
        if kind not in ("number", "text"):
            raise ValueError(f"inputs must be numbers or texts, got {kind!r} for {name!r}")


def check_names(names: Any, least: int, most: int, kind: Any = str | int | float) -> None:
    """Raise ValueError unless names are a list of different texts or numbers, of such a length."""
    if not (isinstance(names, list) and least <= len(names) == len(set(names)) <= most):
        raise ValueError(f"feature_names must be a list of {most} different names")
    for name in names:
        if not isinstance(name, kind):
            raise ValueError(f"feature_names must be text or numbers, got {name!r}")


def read(path: str | os.PathLike[str]) -> tuple[AnyParams, State, dict[str, Any]]:
    """Return params, state and extras of a file; errors name it."""
    try:
        return from_bytes(Path(path).read_bytes())
    except ModelFileError as problem:
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from problem


def dump(value: Any) -> str:
    """Return JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=plain)


def plain(value: Any) -> Any:
    """Return a numpy scalar as a Python one, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model file cannot hold {value!r} of type {type(value).__name__}")


def read_header(blob: bytes) -> tuple[str, str]:
    """Return the header's text and the checksum it promises."""
    size = int.from_bytes(blob[:8], "little")
    try:
        outer = json.loads(blob[8 : 8 + size])
    except (ValueError, RecursionError) as problem:
        raise ModelFileError("not a model file, or one that is cut short") from problem
    metadata = outer.get("__metadata__") if isinstance(outer, dict) else None
    if not isinstance(metadata, dict) or KEY not in metadata:
        raise ModelFileError("not a mooe model: a safetensors file of something else")
    try:
        whole = json.loads(metadata[KEY])
        text, promised = whole["header"], whole["sha256"]
        text.encode()
        json.loads(text)["format"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ModelFileError("the model file is damaged: its header cannot be read") from problem
    return text, promised


def digest(text: str, tensors: dict[str, np.ndarray]) -> str:
    """Return the checksum of header and arrays."""
    total = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()
