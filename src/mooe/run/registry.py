"""The models that have a name, and their parameters as text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from mooe import baselines
from mooe.auto.params import AutoParams
from mooe.evaluate.learners import Learner, Majority, MooeLearner, NoChange
from mooe.paper.params import Params
from mooe.streams.stream import nearest

SET_ELSEWHERE = {"task": "--task", "seed": "--seed"}
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class _NamedModel:
    """How a model is made from its name."""

    make: Callable[[Any], Learner]  # from its parameters; from the task, where it has none
    params: Callable[[], type[Any]] | None = None  # returns their class, which may be imported then
    fixed: dict[str, str] = field(default_factory=dict)  # parameters that are part of the name


def _baseline(learner: str) -> _NamedModel:
    """Return a method that MOOE is compared with, imported and compiled when first asked for."""
    return _NamedModel(
        lambda params: getattr(baselines, learner)(params),
        lambda: getattr(baselines, f"{learner}Params"),
    )


MODELS: dict[str, _NamedModel] = {
    "mooe": _NamedModel(MooeLearner, lambda: AutoParams),
    "mooe-paper": _NamedModel(MooeLearner, lambda: Params),
    "ogd": _NamedModel(MooeLearner, lambda: Params, {"max_experts": "1"}),  # MOOE without memory
    **{name: _baseline(learner) for name, (_, learner, _) in baselines.METHODS.items()},
    "no-change": _NamedModel(NoChange),
    "majority": _NamedModel(Majority),  # of values it is their mean, and called so
    "mean": _NamedModel(Majority),
}


def make_learner(
    name: str,
    task: str = "classification",
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
) -> Learner:
    """Return a new learner by the name of its model, one of `MODELS`.

    An unknown name raises ValueError, with the nearest. The seed is that of everything random, from
    0; `parameters` are fields of the model's parameters and their values, as text.

    >>> make_learner("mooe", parameters={"interval": "20"}).params.interval
    20
    """
    params = make_params(name, task, seed, parameters or {})
    return MODELS[name].make(task if params is None else params)


def make_params(name: str, task: str, seed: int, parameters: Mapping[str, str]) -> Any:
    """Return the parameters of a model, None for one that has none; as for `make_learner`."""
    check_model(name)
    if name == "mean" and task != "regression":
        raise ValueError("mean must be run on a regression; of classes it is majority")
    model, texts = MODELS[name], dict(parameters)
    if model.params is None:
        for key in texts:
            raise ValueError(f"parameters must be left out for {name}, which has none, got {key!r}")
        return None
    for key, value in model.fixed.items():
        if key in texts:
            raise ValueError(
                f"{key} must be left out for {name}, where it is {value}, got {texts[key]!r}"
            )
    kind = model.params()
    values = {key: _parsed(kind, key, text) for key, text in (texts | model.fixed).items()}
    return kind(**{"task": task, "seed": seed, **values})


def shown_name(name: str, task: str) -> str:
    """Return what a model is called in results: the mean of values is no majority.

    >>> shown_name("majority", "regression"), shown_name("majority", "classification")
    ('mean', 'majority')
    """
    return "mean" if (name, task) == ("majority", "regression") else name


def check_model(name: str) -> None:
    """Raise ValueError, with the nearest, for a name that no model has."""
    if name not in MODELS:
        hint = nearest(name, MODELS)
        rule = f"model must be one of {', '.join(MODELS)}, got {name!r}"
        raise ValueError(f"{rule}; {hint}" if hint else rule)


def _parsed(params: type[Any], name: str, text: str) -> Any:
    """Return the value of a field of Params from its text, by the type of the field."""
    if name in SET_ELSEWHERE:
        raise ValueError(f"{name} must be set with {SET_ELSEWHERE[name]}, got {text!r}")
    known = [f.name for f in fields(params) if f.name not in SET_ELSEWHERE]
    if name not in known:
        hint = nearest(name, known) or f"there are: {', '.join(known)}"
        if params is AutoParams and name in {f.name for f in fields(Params)}:
            hint = "it is one of mooe-paper's"
        raise ValueError(f"parameter must be one of the model's, got {name!r}; {hint}")
    hint = get_type_hints(params)[name]
    types = get_args(hint) if NoneType in get_args(hint) else (hint,)
    kinds = [KINDS[get_origin(kind) or kind] for kind in types]
    for _, parse in sorted(kinds, key=lambda kind: kind[0] != "none"):  # which no text is
        try:
            return parse(text)
        except (KeyError, ValueError):
            continue
    raise ValueError(f"{name} must be {' or '.join(rule for rule, _ in kinds)}, got {text!r}")


def _several(text: str) -> tuple[Any, ...]:
    """Return (low, high) from 'low,high', or the words of 'one,other'."""
    words = [word.strip() for word in text.strip("()").split(",")]
    try:
        low, high = words
        return float(low), float(high)
    except ValueError:
        return tuple(word for word in words if word)


# What a field may hold: in words, and how it is read.
KINDS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    bool: ("true or false", lambda text: WORDS[text.lower()]),
    int: ("a whole number", int),
    float: ("a number", float),
    str: ("a word", str),
    tuple: ("values with commas between", _several),
    NoneType: ("none", lambda text: {"none": None}[text.lower()]),
}
