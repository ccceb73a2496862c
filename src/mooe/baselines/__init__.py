"""The systems that MOOE is compared with, each from its paper: OGD, Ader, Condor, trees of chunks.

A name's module is imported, and compiled, when the name is first used.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "DTEL",
    "OGD",
    "Ader",
    "AderClassifier",
    "AderParams",
    "AderRegressor",
    "Condor",
    "CondorClassifier",
    "CondorParams",
    "DTELClassifier",
    "DTELParams",
    "LearnPPNSE",
    "LearnPPNSEClassifier",
    "LearnPPNSEParams",
    "OGDClassifier",
    "OGDParams",
    "OGDRegressor",
]

HOMES = {
    "ader": ("Ader", "AderParams"),
    "chunk_estimators": ("DTELClassifier", "LearnPPNSEClassifier"),
    "condor": ("Condor", "CondorParams"),
    "dtel": ("DTEL", "DTELParams"),
    "estimators": (
        "AderClassifier",
        "AderRegressor",
        "CondorClassifier",
        "OGDClassifier",
        "OGDRegressor",
    ),
    "learnpp_nse": ("LearnPPNSE", "LearnPPNSEParams"),
    "ogd": ("OGD", "OGDParams"),
}


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"mooe.baselines.{home}"), name)
    raise AttributeError(f"module 'mooe.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
