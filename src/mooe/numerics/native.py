"""Code that was compiled when the wheel was made, where there is some that can be used here.

`native/build.py` makes it; where there is none, numba compiles the same source to the same bits.
"""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from mooe.numerics import sources

EXTENSION = "mooe.numerics._native"


def digest_of(kept: Mapping[str, bytes]) -> str:
    """Return the state of all sources that reach compiled code; kept is what `texts` returned."""
    return sources.digest(modules_of(kept), kept)


def modules_of(kept: Mapping[str, bytes]) -> list[str]:
    """Return the modules that may hold compiled functions, in order."""
    return sorted(name for name, text in kept.items() if b"compiled(" in text)


def usable_entries(extension: str = EXTENSION) -> dict[str, Callable[..., Any]] | None:
    """Return the compiled functions of the wheel by their full names, all of them or None.

    None where nothing was compiled for this platform, where the processor lacks what the code
    needs, where it was made of other sources, and where NUMBA_DISABLE_JIT asks for plain Python.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return None
    try:
        found: ModuleType = import_module(extension)
    except ImportError:  # not there, or it has asked the processor
        return None
    return found.entries if found.digest == digest_of(sources.texts()) else None


ENTRIES = usable_entries()
