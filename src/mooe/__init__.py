"""Learning on streams whose distribution changes and comes back: experts that remember.

>>> from mooe import MOOEClassifier
>>> model = MOOEClassifier()
"""

from importlib import import_module
from typing import Any

__all__ = [
    "MOOEClassifier",
    "MOOERegressor",
    "Model",
    "ModelFileError",
    "PaperMOOEClassifier",
    "PaperMOOERegressor",
    "load",
]

# Where each public name lives; its module is imported when the name is first used, so that
# `import mooe` costs nothing.
HOMES = dict.fromkeys(__all__, "mooe.estimators") | {
    "Model": "mooe.model",
    "ModelFileError": "mooe.modelfile",
}
PACKAGES = ("datasets", "evaluate", "platform", "plots", "report", "river_adapter")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("mooe")
    if name in PACKAGES:
        return import_module(f"mooe.{name}")
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'mooe' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *HOMES, *PACKAGES])
