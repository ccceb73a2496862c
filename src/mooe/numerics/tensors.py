"""Arrays of a model file on their way into a state: checked, because compiled code trusts them.

A file can be forged: what no stream leads to is refused with the name of the array and the rule.
"""

from typing import Any

import numpy as np

from mooe.numerics.features import LARGEST_INPUT


def put(name: str, target: np.ndarray, source: np.ndarray) -> None:
    """In place: an array of the right shape, or ValueError."""
    if source.shape != target.shape:
        raise ValueError(f"{name} must have the shape {target.shape}, got {source.shape}")
    target[...] = source


def check_whole(name: str, values: np.ndarray, limit: float, least: float = 0.0) -> None:
    """Raise ValueError unless the values are whole numbers from least to below limit."""
    if not ((values == np.floor(values)) & (values >= least) & (values < limit)).all():
        raise ValueError(f"{name} must be whole numbers from {least:g} to below {limit:g}")


def check_size(name: str, values: Any) -> None:
    """Raise ValueError unless the values are as small as inputs have to be."""
    if not (np.abs(values) <= LARGEST_INPUT).all():
        raise ValueError(f"{name} must be numbers of size up to {LARGEST_INPUT:g}")
