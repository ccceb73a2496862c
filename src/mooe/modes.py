"""The two modes of MOOE: "auto", the default model, and "paper", the algorithm as published.

Each has parameters, a core and a way to be stored, with the same names; they are imported when they
are used, because what is imported is compiled.
"""

from dataclasses import fields
from importlib import import_module
from inspect import signature
from typing import Any

from mooe.auto.params import AutoParams
from mooe.params import Params, check_choice, plain

__all__ = ["PARAMS", "AnyParams", "chosen_params", "core_of", "onerow_of", "params_of", "stored_of"]

AnyParams = Params | AutoParams
PARAMS: dict[str, type[Params] | type[AutoParams]] = {"auto": AutoParams, "paper": Params}
HOMES = {"auto": "mooe.auto", "paper": "mooe"}


def core_of(params: AnyParams) -> Any:
    """Return the module with the functions that take these parameters and their State."""
    return import_module(f"{HOMES[params.mode]}.core")


def onerow_of(params: AnyParams) -> Any:
    """Return the module with the kernels for single rows."""
    return import_module(f"{HOMES[params.mode]}.onerow")


def stored_of(mode: str) -> Any:
    """Return the module that says what a model file holds."""
    return import_module(f"{HOMES[mode]}.stored")


def params_of(mode: str, values: dict[str, Any]) -> AnyParams:
    """Return parameters of a mode; JSON knows lists where they have tuples."""
    return PARAMS[mode](**plain(values))


def chosen_params(
    shell: type[Any], chosen: dict[str, Any], task: str, seed: Any = None
) -> AnyParams:
    """Return the Params that the arguments of a shell stand for.

    None for interval and without is the mode's own. What belongs to the other mode must be left
    alone.
    """
    values = plain(chosen)
    mode = values.pop("mode")
    check_choice("mode", mode, tuple(PARAMS))
    for name in ("interval", "without"):
        if values.get(name) is None:
            values.pop(name, None)
    known = {field.name for field in fields(PARAMS[mode])}
    defaults = signature(shell).parameters
    for name in [name for name in values if name not in known]:
        value, default = values.pop(name), defaults[name].default
        if value is not default and value != default:
            other = next(one for one in PARAMS if one != mode)
            raise ValueError(
                f"{name} must be left alone with mode={mode!r}, got {value!r}; it is a parameter "
                f"of mode={other!r}"
            )
    if seed is not None:
        values["seed"] = seed
    return PARAMS[mode](task=task, **values)
