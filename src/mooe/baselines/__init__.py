"""The systems that MOOE is compared with, each from its paper: OGD, Ader, Condor, trees of chunks.

A method's module is imported, and compiled, when one of its names is first used.
"""

from importlib import import_module
from typing import Any

# Each method has a module, which holds its learner, its parameters and its estimators.
HOMES = {
    "ader": ("Ader", "AderClassifier", "AderParams", "AderRegressor"),
    "condor": ("Condor", "CondorClassifier", "CondorParams"),
    "dtel": ("DTEL", "DTELClassifier", "DTELParams"),
    "learnpp_nse": ("LearnPPNSE", "LearnPPNSEClassifier", "LearnPPNSEParams"),
    "ogd": ("OGD", "OGDClassifier", "OGDParams", "OGDRegressor"),
}
__all__ = [name for names in HOMES.values() for name in names]


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"mooe.baselines.{home}"), name)
    raise AttributeError(f"module 'mooe.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
