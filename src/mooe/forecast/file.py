"""The file of a forecaster: safetensors, one JSON header, format number, checksum; no pickle."""

import json
from dataclasses import asdict
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from mooe.forecast import layout
from mooe.forecast.cycles import MOST
from mooe.forecast.experts.memory import CONCEPTS
from mooe.forecast.layout import COUNTERS
from mooe.forecast.model import Model, Rows, joined
from mooe.forecast.params import LONGEST, Params
from mooe.modelfile import BROKEN, KEY, ModelFileError, check_format, digest, dump, read_header
from mooe.numerics.blocks import State
from mooe.numerics.tensors import check_counters

KIND = "forecaster"
FORMAT = 2  # a version reads all up to its own; 2: trends and mean reversion
NAMES = COUNTERS.names or ()


def to_bytes(model: Model) -> bytes:
    """Return the file of a model."""
    header = {
        "format": FORMAT,
        "kind": KIND,
        "params": asdict(model.params),
        "counters": {name: int(model.state.counters[name][0]) for name in NAMES},
        "has_times": model.has_times,
        "seasons": list(model.seasons),
        "cycles": list(model.cycles),
        "step": model.step,
        "last": model.last,
        "notes": model.notes,
    }
    tensors = {"block": np.array(model.state.block)}
    if model.past:
        past = joined(model.past)
        tensors |= {"past.Y": past.Y, "past.X": past.X, "past.at": past.at}
    text = dump(header)
    whole = dump({"header": text, "sha256": digest(text, tensors)})
    return bytes(safetensors.save(tensors, {KEY: whole}))


def from_bytes(blob: bytes) -> Model:
    """Return what is in a file's bytes, or raise ModelFileError."""
    text, promised = read_header(bytes(blob))
    try:
        header = json.loads(text)
        if header.get("kind") != KIND:
            raise ModelFileError("not a forecaster: a model of mooe of another kind")
        check_format(header["format"], FORMAT, KIND)
        tensors = safetensors.load(bytes(blob))
        if digest(text, tensors) != promised:
            raise ModelFileError("its checksum does not match its content")
        return _restored(header, tensors)
    except ModelFileError:
        raise
    except (SafetensorError, *BROKEN) as problem:
        raise ModelFileError(f"the model file is damaged or cut short: {problem}") from problem


def _restored(header: dict[str, Any], tensors: dict[str, np.ndarray]) -> Model:
    """Return the model; everything is checked, because compiled code trusts it."""
    chosen = header["params"]
    season = chosen["season"]
    params = Params(**{**chosen, "season": season if season == "auto" else tuple(season)})
    limits = dict.fromkeys(("season", "other_season", "n_channels", "n_covariates"), LONGEST)
    few = {
        "n_cycles": MOST + 1,
        "n_concepts": CONCEPTS + 1,
        "in_charge": CONCEPTS,
        "has_newcomers": 2,
    }
    is_first = header["format"] == 1
    told = header["counters"] | ({"has_newcomers": 0} if is_first else {})
    check_counters(told, NAMES, limits | few, 2**62)
    counters = np.zeros(1, COUNTERS)
    for name, value in told.items():
        counters[name] = value
    if min(counters[name][0] for name in ("season", "other_season", "n_channels")) < 1:
        raise ValueError("season and n_channels must be at least 1")
    block = tensors.pop("block")
    n = (layout.first_length if is_first else layout.block_length)(params, counters)
    if block.shape != (n,) or block.dtype != np.float64:
        raise ValueError(f"block must hold {n} numbers, got {block.shape} of {block.dtype}")
    if not np.isfinite(block).all():
        raise ValueError("block must hold finite numbers")
    if is_first:
        state = layout.from_first_format(params, counters, block)
    else:
        state = layout.empty(params, counters)
        state.block[:] = block
    layout.check(params, state)
    past = []
    if tensors:
        rows = Rows(tensors.pop("past.Y"), tensors.pop("past.X"), tensors.pop("past.at"))
        past = [_checked(rows, state)]
    if tensors:
        raise ValueError(f"arrays must be those of a forecaster, got {sorted(tensors)}")
    cycles = tuple(float(one) for one in header["cycles"])
    if len(cycles) != counters["n_cycles"][0] or not all(one > 0.0 for one in cycles):
        raise ValueError(f"cycles must be {counters['n_cycles'][0]} numbers above 0, got {cycles}")
    return Model(
        params=params,
        state=state,
        has_times=bool(header["has_times"]),
        seasons=tuple(int(one) for one in header["seasons"]),
        cycles=cycles,
        step=float(header["step"]),
        last=float(header["last"]),
        past=past,
        notes=dict(header["notes"]),
    )


def _checked(rows: Rows, state: State) -> Rows:
    """Return rows that a model keeps, or raise ValueError."""
    shapes = {
        "Y": (state.n_rows, state.n_channels),
        "X": (state.n_rows, state.n_covariates),
        "at": (state.n_rows,),
    }
    for name, shape in shapes.items():
        array = getattr(rows, name)
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"past.{name} must have the shape {shape}, got {array.shape}")
    return Rows(rows.Y, rows.X, rows.at)
