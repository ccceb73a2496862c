"""One model per key: KeyedMOOE, many small models in one process.

>>> from mooe.keyed import KeyedMOOE
>>> model = KeyedMOOE()
"""

from importlib import import_module
from typing import Any

__all__ = ["KeyedMOOE"]


def __getattr__(name: str) -> Any:
    # Only when it is asked for: what is compiled here does not depend on all that is around it.
    if name in __all__:
        return getattr(import_module("mooe.keyed.models"), name)
    raise AttributeError(f"module 'mooe.keyed' has no attribute {name!r}")
