"""The systems that MOOE is compared with, each from its paper: OGD, Ader, Condor, trees of chunks.

A name's module is imported, and compiled, when the name is first used.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "OGD",
    "Ader",
    "AderParams",
    "Condor",
    "CondorParams",
    "OGDParams",
]

HOMES = {
    "OGD": "ogd",
    "OGDParams": "ogd",
    "Ader": "ader",
    "AderParams": "ader",
    "Condor": "condor",
    "CondorParams": "condor",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(f"mooe.baselines.{HOMES[name]}"), name)
    raise AttributeError(f"module 'mooe.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *HOMES])
