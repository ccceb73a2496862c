"""The systems that MOOE is compared with, each from its paper: OGD, Ader, Condor, trees of chunks.

A method's module is imported, and compiled, when one of its names is first used.
"""

from importlib import import_module
from typing import Any

# By its name in the command: a method's module, its learner, and what it is an estimator of. With
# `OGD` come `OGDParams`, `OGDClassifier` and `OGDRegressor`.
METHODS = {
    "ogd-classic": ("ogd", "OGD", ("Classifier", "Regressor")),
    "ader": ("ader", "Ader", ("Classifier", "Regressor")),
    "learnpp-nse": ("learnpp_nse", "LearnPPNSE", ("Classifier",)),
    "dtel": ("dtel", "DTEL", ("Classifier",)),
    "condor": ("condor", "Condor", ("Classifier",)),
}
_HOMES = {
    learner + suffix: module
    for module, learner, estimators in METHODS.values()
    for suffix in ("", "Params", *estimators)
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"mooe.baselines.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mooe.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
