"""The model file: safetensors with one JSON header, a format number and a checksum; no pickle.

Equal models give equal bytes: the header is sorted JSON under a single key (safetensors keeps no
order among several), and of the state only what has been learnt is written, no scratch and no empty
slots. A file is read whole and checked whole before anything is built from it.
"""

import hashlib
import json
import os
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from mooe import core
from mooe.core import Params, State
from mooe.layout import COUNTERS

__all__ = ["FORMAT", "ModelFileError", "from_bytes", "read", "to_bytes", "write"]

FORMAT = 1
KEY = "mooe"
REALS = ("low", "high", "meta_rate")  # counters that are floats
WHOLES = tuple(name for name in COUNTERS.names or () if name not in REALS)


class ModelFileError(ValueError):
    """The bytes are not a model of ours, damaged, or from a newer version."""


def to_bytes(params: Params, state: State, extras: dict[str, Any]) -> bytes:
    """Return the file of a model; extras are what its shell must know, as JSON values."""
    header = {
        "format": FORMAT,
        "params": asdict(params),
        "counters": {name: getattr(state, name) for name in WHOLES},
        "extras": extras,
    }
    tensors = learnt(params, state)
    text = dump(header)
    whole = dump({"header": text, "sha256": digest(text, tensors)})
    return safetensors.save(tensors, {KEY: whole})


def from_bytes(blob: bytes) -> tuple[Params, State, dict[str, Any]]:
    """Return params, state and extras of a file's bytes, or raise ModelFileError."""
    text, promised = read_header(blob)
    header = json.loads(text)
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"the model was written by a newer mooe (format {header['format']}); this one reads "
            f"formats up to {FORMAT}: upgrade mooe"
        )
    try:
        tensors = safetensors.load(blob)
    except SafetensorError as problem:
        raise ModelFileError(f"the model file is damaged or cut short: {problem}") from problem
    if digest(text, tensors) != promised:
        raise ModelFileError("the model file is damaged: its checksum does not match its content")
    bounds = header["params"]["target_bounds"]
    header["params"]["target_bounds"] = bounds and tuple(bounds)
    params = Params(**header["params"])
    return params, restored(params, header["counters"], tensors), header["extras"]


def write(path: str | os.PathLike[str], blob: bytes) -> None:
    """Put the bytes in place of the file at once and for good: it is the old or the new one."""
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(blob)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)  # the new name must be on disk too
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: str | os.PathLike[str]) -> tuple[Params, State, dict[str, Any]]:
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


def learnt(params: Params, state: State) -> dict[str, np.ndarray]:
    """Return copies of all that has been learnt, by name."""
    block, n, t = core.views(params, state), state.n_offline, state.t
    used = np.append(np.arange(n), params.max_experts - 1)  # the online expert is last
    return {
        "reals": np.array([getattr(state, name) for name in REALS]),
        "counts": block.counts.copy(),
        "mean": block.mean.copy(),
        "squares": block.squares.copy(),
        "online": block.online.copy(),
        "experts": np.ascontiguousarray(block.experts[:, :, :n]),
        "fitted": block.fitted[:n].copy(),
        "multipliers": block.multipliers.copy(),
        "log_prior": block.log_prior[used],
        "losses": block.losses[used],
        "rows": block.rows[:t].copy(),
        "labels": block.labels[:t].copy(),
        "row_weights": block.row_weights[:t].copy(),
    }


def restored(params: Params, counters: dict[str, int], tensors: dict[str, np.ndarray]) -> State:
    """Return the state that `learnt` and the counters were taken from."""
    state = core.init(params, counters["n_features"], counters["n_classes"])
    for name, value in counters.items():
        state.counters[name] = value
    for name, value in zip(REALS, tensors["reals"], strict=True):
        state.counters[name] = value
    block, n, t = core.views(params, state), state.n_offline, state.t
    used = np.append(np.arange(n), params.max_experts - 1)
    for name in ("counts", "mean", "squares", "online", "multipliers"):
        getattr(block, name)[...] = tensors[name]
    block.experts[:, :, :n] = tensors["experts"]
    block.fitted[:n] = tensors["fitted"]
    block.log_prior[used] = tensors["log_prior"]
    block.losses[used] = tensors["losses"]
    block.rows[:t] = tensors["rows"]
    block.labels[:t] = tensors["labels"]
    block.row_weights[:t] = tensors["row_weights"]
    return state


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
        json.loads(text)["format"] + 0
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
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
