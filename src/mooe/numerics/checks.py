"""Checks of parameters: an error carries name, value and rule."""

import math
from typing import Any

import numpy as np

__all__ = ["check_choice", "check_positive", "check_rate", "check_whole", "is_number"]

LARGEST_RATE = 1e50
SIZES = (1e-50, 1e50)  # of ball and inputs: the squares of their products still fit a float


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}")


def check_whole(name: str, value: Any, least: int, limit: int = 2**31) -> None:
    """Raise ValueError unless the value is a whole number from `least` to below `limit`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and value >= least):
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if value >= limit:
        raise ValueError(f"{name} must be below {limit}, got {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless the value is a finite number above 0 whose powers fit a float."""
    if not (is_number(value) and 0.0 < value < math.inf):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    if not SIZES[0] <= float(value) <= SIZES[1]:
        raise ValueError(f"{name} must be from {SIZES[0]:g} to {SIZES[1]:g}, got {value!r}")


def check_rate(name: str, value: Any) -> None:
    """Raise ValueError unless the value is None or a number from 0 to LARGEST_RATE."""
    if value is not None and not (is_number(value) and 0.0 <= value <= LARGEST_RATE):
        raise ValueError(
            f"{name} must be None or a finite number of at least 0 and at most "
            f"{LARGEST_RATE:g}, got {value!r}"
        )


def is_number(value: Any) -> bool:
    """Whether the value is a real number and not a bool."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
