"""A model that is to be made: from parameters, or from the bytes of a model file."""

from dataclasses import asdict
from typing import Any

from mooe.engine import AnyParams, params_of, row_kernels
from mooe.model import Model
from mooe.platform.hosted import Settings, titles_in
from mooe.platform.learner import Learner
from mooe.platform.store import StoredModel

MODES = ("auto", "paper")


def new_model(name: str, task: str, params: dict[str, Any], settings: Settings) -> StoredModel:
    """Return a model that has learnt nothing, or raise ValueError."""
    if not isinstance(params, dict) or not all(isinstance(key, str) for key in params):
        raise ValueError(f"params must be parameters by name, got {params!r:.80}")
    chosen = {key: value for key, value in params.items() if key != "mode"}
    mode = params.get("mode", "auto")
    if mode not in MODES or "task" in chosen:
        raise ValueError(
            f"mode must be one of {list(MODES)}, and task no param; got {params!r:.80}"
        )
    try:
        made = params_of(mode, {**chosen, "task": task})
    except TypeError as problem:
        raise ValueError(
            f"params must be those of the model, got {params!r:.80}: {problem}"
        ) from problem
    stored = StoredModel(0, name, task, mode, chosen_params(made), _first_settings(settings), 0)
    model = Model(made)
    _check_default(model, settings)
    Learner(model).check_size(1, 1)
    row_kernels(made)  # compiled here where it must be: later all others would wait for it
    return stored


def chosen_params(params: AnyParams) -> dict[str, Any]:
    """Return the parameters that are not what they are by default, as JSON has them."""
    usual = type(params)(params.task)
    values = {name: value for name, value in asdict(params).items() if name != "task"}
    found = {name: v for name, v in values.items() if v != getattr(usual, name)}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in found.items()}


def model_of_file(name: str, file: bytes, settings: Settings) -> StoredModel:
    """Return the model of a file, or raise ValueError."""
    model = Model.from_bytes(file)
    learner = Learner(model)
    _check_default(model, settings)
    kept = _first_settings(settings)
    kept["titles"] = titles_in(model)
    return StoredModel(0, name, model.task, model.params.mode, {}, kept, 0, width=learner.width)


def _first_settings(settings: Settings) -> dict[str, Any]:
    """Return what is stored of the settings of a new model."""
    return {**asdict(settings), "titles": {}, "begins": 0}


def _check_default(model: Model, settings: Settings) -> None:
    """Raise ValueError unless a model could learn its default label."""
    if settings.default_label is not None:
        Learner(model.copy()).checked_label(settings.default_label, model.labels)
