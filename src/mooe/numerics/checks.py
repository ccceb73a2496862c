"""Checks of parameters: an error carries name, value and rule; the parameters of a shell."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import get_annotations
from typing import Any, TypeVar

import numpy as np

Shell = TypeVar("Shell")
LARGEST_RATE = 1e50
SIZES = (1e-50, 1e50)  # of ball and inputs: the squares of their products still fit a float
LARGEST_STATE = 2**27  # floats, 1 GiB; beyond, only as many as inputs and outputs ask for
MODEST = 1000  # an interval, or a number of experts, that a state of any size may have


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if not (isinstance(value, (str, int)) and value in choices):
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}")


def check_whole(name: str, value: Any, least: int, limit: int = 2**31) -> None:
    """Raise ValueError unless the value is a whole number from `least` to below `limit`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and value >= least):
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if value >= limit:
        raise ValueError(f"{name} must be below {limit}, got {value!r}")


def check_size(params: Any, n_floats: int, kept: str) -> None:
    """Raise ValueError if the user's choices, not the inputs and outputs, make a state too large.

    Else a file of few bytes could ask for any amount of memory. `kept` is the parameter that says
    how many experts are kept.
    """
    name = max("interval", kept, key=lambda name: int(getattr(params, name)))
    if n_floats > LARGEST_STATE and getattr(params, name) > MODEST:
        raise ValueError(
            f"{name} must be at most {MODEST} where the state would hold more than {LARGEST_STATE} "
            f"numbers, here {n_floats} or more, got {getattr(params, name)}"
        )


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


def make_plain(params: Any) -> None:
    """In place: numpy's numbers as Python's, so that what is saved and loaded is the same."""
    for name, value in list(vars(params).items()):
        object.__setattr__(params, name, _as_python(value))


def plain(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a shell as a file gives them back: tuples for arrays, lists, sets."""
    values = dict(chosen)
    for name, value in chosen.items():
        value = _as_python(value)
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=str)
        values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _as_python(value: Any) -> Any:
    """Return numpy's numbers as Python's, and its arrays as lists of them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return (value.astype(np.float64) if value.dtype.kind == "f" else value).tolist()
    return value


def parameters_of(
    params: Any, *left_out: str, kw_only: bool = False
) -> Callable[[type[Shell]], type[Shell]]:
    """Give a shell the parameters of its Params with their defaults, but `task` and those left out.

    The shell becomes a dataclass; the parameters that it declares itself follow.
    """

    def decorate(shell: Any) -> Any:
        types = {}
        for field in fields(params):
            if field.name not in ("task", *left_out):
                types[field.name] = field.type
                setattr(shell, field.name, field.default)
        shell.__annotations__ = types | get_annotations(shell)
        shell._params_class = params
        return dataclass(eq=False, repr=False, kw_only=kw_only)(shell)

    return decorate
