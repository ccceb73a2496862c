"""Counters and arrays of a model file on their way into a state: checked, for compiled code trusts.

A file can be forged: what no stream leads to is refused with the name of the array and the rule.
"""

from typing import Any

import numpy as np

from mooe.numerics.features import LARGEST_INPUT


def real_and_whole(counters: np.dtype[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a record's counters: those that are floats, and the others."""
    names = counters.names or ()
    reals = tuple(name for name in names if counters[name].kind == "f")
    return reals, tuple(name for name in names if name not in reals)


def check_counters(
    counters: dict[str, Any], names: tuple[str, ...], limits: dict[str, int], limit: int
) -> None:
    """Raise ValueError unless these are the counters, each from 0 to below its limit."""
    if set(counters) != set(names):
        raise ValueError(f"counters must be {sorted(names)}, got {sorted(counters)}")
    for name, value in counters.items():
        most = limits.get(name, limit)
        if type(value) is not int or not 0 <= value < most:
            raise ValueError(f"{name} must be a whole number from 0 to below {most}, got {value!r}")


def put(name: str, target: np.ndarray, source: np.ndarray, place: Any = ...) -> None:
    """In place: an array of the right shape at a place of the target, or ValueError."""
    shape = target[place].shape
    if source.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {source.shape}")
    target[place] = source


def check_whole(name: str, values: np.ndarray, limit: float, least: float = 0.0) -> None:
    """Raise ValueError unless the values are whole numbers from least to below limit."""
    if not ((values == np.floor(values)) & (values >= least) & (values < limit)).all():
        raise ValueError(f"{name} must be whole numbers from {least:g} to below {limit:g}")


def check_size(name: str, values: Any) -> None:
    """Raise ValueError unless the values are as small as inputs have to be."""
    if not (np.abs(values) <= LARGEST_INPUT).all():
        raise ValueError(f"{name} must be numbers of size up to {LARGEST_INPUT:g}")
