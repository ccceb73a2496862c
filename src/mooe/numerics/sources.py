"""The sources of mooe: which modules a module leans on, and a hash of the text of all of them.

Quick, because every start of compiled code asks: patterns instead of syntax trees, which would take
a tenth of a second. Where a pattern sees more imports than there are, more is hashed than need be.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).parents[1]
# What is imported only where a user asks for it: results draw and report themselves, and do not
# depend on how.
LATER = {"mooe.evaluate.results": ("mooe.plots", "mooe.report")}
COMMENT = re.compile(rb"#.*")
FOR_TYPES = re.compile(rb"\nif TYPE_CHECKING:.*\n(?:(?: .*)?\n)*")  # never run
FROM = re.compile(rb"\n *from (mooe[\w.]*) import (\([^)]*\)|.*)")
IMPORT = re.compile(rb"\n *import (mooe.*)")


def texts(folder: Path = HERE) -> dict[str, bytes]:
    """Return the text of every module of the package that a folder is, by its full name."""
    kept = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        package = (folder.name, *Path(place).relative_to(folder).parts)
        for name in files:
            if name.endswith(".py"):
                module = ".".join((*package, name[:-3])).removesuffix(".__init__")
                kept[module] = Path(place, name).read_bytes()
    return kept


def imports(text: bytes) -> Iterator[str]:
    """Yield the names of mooe that a source imports anywhere: modules, and what may be modules."""
    text = FOR_TYPES.sub(b"\n", b"\n" + COMMENT.sub(b"", text) + b"\n")
    for module, names in FROM.findall(text):
        yield module.decode()
        yield from (f"{module.decode()}.{name.decode()}" for name in re.findall(rb"\w+", names))
    for names in IMPORT.findall(text):
        yield from (name.decode() for name in re.findall(rb"[\w.]+", names))


def needed(modules: Iterable[str], kept: Mapping[str, bytes]) -> set[str]:
    """Return modules and all that they import, directly or not, with the packages around them.

    Modules have their full names; kept is what `texts` returned.
    """
    waiting = list(modules)
    for name in waiting:
        if name not in kept:
            raise ValueError(f"modules must be ones that are there, got {name!r}")
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        while name:
            if name in kept and name not in seen:
                seen.add(name)
                later = LATER.get(name, ())
                waiting += [other for other in imports(kept[name]) if not other.startswith(later)]
            name = name.rpartition(".")[0]
    return seen


def digest(modules: Iterable[str], kept: Mapping[str, bytes]) -> str:
    """Return a hash of the names and texts of all that modules need."""
    found = hashlib.sha256()
    for name in sorted(needed(modules, kept)):
        found.update(f"{name} {len(kept[name])}\n".encode() + kept[name])
    return found.hexdigest()
