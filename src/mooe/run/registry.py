"""The models that have a name: one dict from name to factory, and parameters given as text."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints

from mooe import baselines
from mooe.auto.params import AutoParams
from mooe.engine import AnyParams
from mooe.evaluate.learners import Learner, Majority, MooeLearner, NoChange
from mooe.paper.params import Params
from mooe.streams.stream import nearest

__all__ = ["MODELS", "TRIVIAL", "check_model", "make_learner"]

TRIVIAL = ("no-change", "majority")  # the floor of every table
SET_ELSEWHERE = {"task": "--task", "seed": "--seed"}
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def default(task: str, seed: int, parameters: Mapping[str, str]) -> MooeLearner:
    """The default model."""
    return MooeLearner(params_from(AutoParams, task, seed, parameters))


def paper(task: str, seed: int, parameters: Mapping[str, str]) -> MooeLearner:
    """MOOE as published."""
    return MooeLearner(params_from(Params, task, seed, parameters))


def online_expert(task: str, seed: int, parameters: Mapping[str, str]) -> MooeLearner:
    """The online expert alone, online gradient descent: MOOE without memory."""
    if "max_experts" in parameters:
        given = parameters["max_experts"]
        raise ValueError(f"max_experts must be left out for ogd, where it is 1, got {given!r}")
    return MooeLearner(params_from(Params, task, seed, {**parameters, "max_experts": "1"}))


def no_change(task: str, seed: int, parameters: Mapping[str, str]) -> NoChange:
    """Always the last label."""
    refuse_parameters("no-change", parameters)
    return NoChange(task)


def majority(task: str, seed: int, parameters: Mapping[str, str]) -> Majority:
    """Always the most frequent class so far; in regression the mean so far."""
    refuse_parameters("majority", parameters)
    return Majority(task)


def baseline(kind: str) -> Callable[[str, int, Mapping[str, str]], Learner]:
    """Return the factory of a baseline, which is imported and compiled when first asked for."""

    def make(task: str, seed: int, parameters: Mapping[str, str]) -> Learner:
        params = params_from(getattr(baselines, f"{kind}Params"), task, seed, parameters)
        learner: Learner = getattr(baselines, kind)(params)
        return learner

    return make


MODELS: dict[str, Callable[[str, int, Mapping[str, str]], Learner]] = {
    "mooe": default,
    "mooe-paper": paper,
    "ogd": online_expert,
    "ogd-classic": baseline("OGD"),
    "ader": baseline("Ader"),
    "learnpp-nse": baseline("LearnPPNSE"),
    "dtel": baseline("DTEL"),
    "condor": baseline("Condor"),
    "no-change": no_change,
    "majority": majority,
}


def make_learner(
    name: str,
    task: str = "classification",
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
) -> Learner:
    """Return a new learner by the name of its model.

    Parameters
    ----------
    name : str
        One of `MODELS`; an unknown one raises ValueError, with the nearest.
    task : {"classification", "regression"}
    seed : int
        Of everything random, from 0.
    parameters : mapping of str to str, optional
        Fields of the model's parameters and their values, as text.

    Examples
    --------
    >>> make_learner("mooe", parameters={"interval": "20"}).params.interval
    20
    """
    check_model(name)
    return MODELS[name](task, seed, parameters or {})


def check_model(name: str) -> None:
    """Raise ValueError, with the nearest, for a name that no model has."""
    if name not in MODELS:
        hint = nearest(name, MODELS)
        known = ", ".join(MODELS)
        raise ValueError(
            f"model must be one of {known}, got {name!r}" + (f"; {hint}" if hint else "")
        )


def refuse_parameters(name: str, parameters: Mapping[str, str]) -> None:
    """Raise ValueError where a model that has no parameters is given one."""
    for key in parameters:
        raise ValueError(f"parameters must be left out for {name}, which has none, got {key!r}")


def params_from(kind: type[Any], task: str, seed: int, parameters: Mapping[str, str]) -> AnyParams:
    """Return Params or AutoParams from values as text."""
    values = {name: parsed(kind, name, text) for name, text in parameters.items()}
    params: AnyParams = kind(**{"task": task, "seed": seed, **values})
    return params


def parsed(params: type[Any], name: str, text: str) -> Any:
    """Return the value of a field of Params from its text, by the type of the field."""
    if name in SET_ELSEWHERE:
        raise ValueError(f"{name} must be set with {SET_ELSEWHERE[name]}, got {text!r}")
    known = [field.name for field in fields(params) if field.name not in SET_ELSEWHERE]
    if name not in known:
        hint = nearest(name, known) or f"there are: {', '.join(known)}"
        if params is AutoParams and name in {field.name for field in fields(Params)}:
            hint = "it is one of mooe-paper's"
        raise ValueError(f"parameter must be one of the model's, got {name!r}; {hint}")
    hint = get_type_hints(params)[name]
    kinds = get_args(hint) if NoneType in get_args(hint) else (hint,)
    if NoneType in kinds and text.lower() == "none":
        return None
    for kind in kinds:
        try:
            return PARSERS[getattr(kind, "__origin__", kind)](text)
        except (KeyError, ValueError):
            continue
    rules = [RULES[getattr(kind, "__origin__", kind)] for kind in kinds]
    raise ValueError(f"{name} must be {' or '.join(rules)}, got {text!r}")


def several(text: str) -> tuple[Any, ...]:
    """Return (low, high) from 'low,high', or the words of 'one,other'."""
    words = [word.strip() for word in text.strip("()").split(",")]
    try:
        low, high = words
        return float(low), float(high)
    except ValueError:
        return tuple(word for word in words if word)


PARSERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: WORDS[text.lower()],
    int: int,
    float: float,
    str: str,
    tuple: several,
}
RULES: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    tuple: "values with commas between",
    NoneType: "none",
}
