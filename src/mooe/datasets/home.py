"""Where published streams lie, and whether they are what they should be."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mooe.streams.files import pieces_of
from mooe.streams.stream import StreamError, sha256_of

Lines = Iterator[str]


@dataclass(frozen=True)
class Published:
    """A published data set: what is known of it, and how its files become one text.

    Attributes
    ----------
    name : str
        Of the stream; its text lies in a data home as NAME.csv.xz, or NAME.svm.xz.
    n_rows, n_features, n_classes : int
    sha256 : str or None
        Of the text; None where the text has never been at hand.
    files : tuple of (str, str or None)
        Name of each published file and its address; None where it has to be fetched by hand.
    convert : function of the paths of the files that yields the lines of the text, ends included
    page, citation, licence, note : str
    """

    name: str
    n_rows: int
    n_features: int
    n_classes: int
    sha256: str | None
    files: tuple[tuple[str, str | None], ...]
    convert: Callable[..., Lines]
    page: str
    citation: str
    licence: str
    note: str = ""
    ending: str = ".csv"

    @property
    def file_name(self) -> str:
        return f"{self.name}{self.ending}.xz"


@dataclass(frozen=True)
class Verified:
    """What a comparison with the known checksum gave."""

    name: str
    path: Path | None  # None: not on this machine
    expected: str | None  # None: no checksum is known
    found: str | None

    @property
    def ok(self) -> bool:
        return self.found is not None and self.expected in (None, self.found)


def cache_home() -> Path:
    """Return the folder for fetched files: MOOE_CACHE_HOME, or mooe in the user's cache."""
    if told := os.environ.get("MOOE_CACHE_HOME"):
        return Path(told).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "mooe"


def data_homes() -> list[Path]:
    """Return where streams are looked for: MOOE_DATA_HOME if it is set, then the cache."""
    told = os.environ.get("MOOE_DATA_HOME")
    return ([Path(told).expanduser()] if told else []) + [cache_home() / "data"]


def locate(file_name: str) -> Path | None:
    """Return the path of a file, or a folder, in a data home; None where none has it."""
    for home in data_homes():
        if (home / file_name).exists():
            return home / file_name
    return None


def verified(published: Published) -> Verified:
    """Compare the text of a stream on this machine with its checksum, reading all of it."""
    path = locate(published.file_name)
    found = None if path is None else sha256_of(pieces_of(path))
    result = Verified(published.name, path, published.sha256, found)
    if path is not None and found is not None:
        remember(path, found)
    return result


def require(published: Published) -> Path | None:
    """Return the path of a stream with the right checksum, None where it is not on this machine.

    A file is read through once. Its checksum is then kept in the cache, as checked.json, under its
    path with its size and time of change, and trusted until one of these is another.
    """
    path = locate(published.file_name)
    if path is None or published.sha256 is None:
        return path
    found = remembered(path) or verified(published).found
    if found != published.sha256:
        hint = f"fetch it again, or move {path} away"
        raise StreamError(f"sha256 of {path.name}", f"be {published.sha256}", found, hint)
    return path


def remembered(path: Path) -> str | None:
    size, changed, digest = _read_checked().get(str(path.resolve()), (None, None, None))
    status = path.stat()
    return digest if (size, changed) == (status.st_size, status.st_mtime_ns) else None


def remember(path: Path, digest: str) -> None:
    """Keep a checksum in the cache; where that cannot be written, files are read each time."""
    status = path.stat()
    entry = (status.st_size, status.st_mtime_ns, digest)
    checked = _read_checked() | {str(path.resolve()): entry}
    try:
        cache_home().mkdir(parents=True, exist_ok=True)
        fresh = cache_home() / f"checked.json.{os.getpid()}"
        fresh.write_text(json.dumps(checked, indent=1), encoding="utf-8")
        fresh.replace(cache_home() / "checked.json")
    except OSError:
        return


def _read_checked() -> dict[str, tuple[int, int, str]]:
    try:
        text = (cache_home() / "checked.json").read_text(encoding="utf-8")
        return {
            path: (size, time, digest) for path, (size, time, digest) in json.loads(text).items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
