"""Published data sets: where they lie, fetched from their sites, compared with checksums, read."""

import hashlib
import json
import logging
import lzma
import os
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from mooe.streams.delimited import Pieces, table_stream
from mooe.streams.files import pieces_of
from mooe.streams.layout import Options
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import Stream, StreamError, sha256_of

LABEL = "class"
BATCH = 1_000  # lines of a piece


@dataclass(frozen=True)
class Published:
    """A published data set: what is known of it, and how its files become one text."""

    name: str  # of the stream; its text lies in a data home as NAME.csv.xz, or NAME.svm.xz
    size: tuple[int, int, int]  # rows, inputs, classes
    sha256: str | None  # of the text; None where the text has never been at hand
    files: tuple[tuple[str, str | None], ...]  # names and addresses; None: to be fetched by hand
    convert: Callable[..., Iterator[str]]  # from the files' paths: lines of the text, ends included
    page: str
    citation: str
    licence: str
    note: str = ""
    ending: str = ".csv"
    folder: str = ""  # in a data home

    @property
    def file_name(self) -> str:
        return f"{self.folder}/{self.name}{self.ending}.xz".removeprefix("/")


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


def published_stream(published: Published, **options: Any) -> Stream:
    """Return the stream of a published data set; options are those of `open_stream`.

    It is looked for in MOOE_DATA_HOME and in the cache, and fetched where it is in neither.
    """
    path = fetch_published(published)
    stream = stream_of_text(published, partial(pieces_of, path), **options)
    n_rows = min(options.get("max_rows") or published.size[0], published.size[0])
    return replace(stream, sha256=published.sha256, n_rows=n_rows)


def stream_of_text(published: Published, text: Pieces, **options: Any) -> Stream:
    """Return the stream of a text that has the form of a published data set."""
    if published.ending == ".svm":
        stream = libsvm_stream(published.name, text, Options(**options), published.size[1])
    else:
        options["label"] = options.get("label") or LABEL
        stream = table_stream(published.name, text, Options(**options))
    known = {name: getattr(published, name) for name in ("citation", "licence", "note")}
    return replace(stream, source=published.page, **known)


def fetch_published(published: Published, progress: bool | None = None) -> Path:
    """Return where a data set lies; it is fetched, converted and compared where it is not here.

    A bar shows the progress if asked for; by default, if standard error is a terminal.
    """
    path = _checked_path(published)
    if path is not None:
        return path
    show = sys.stderr.isatty() if progress is None else progress
    raw = [_raw_file(published, name, url, show) for name, url in published.files]
    home = _cache_home() / "data"
    (home / published.folder).mkdir(parents=True, exist_ok=True)
    unverified = home / published.folder / f"{published.name}.unverified{published.ending}.xz"
    try:
        digest = _write(unverified, published.convert(*raw))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        unverified.unlink(missing_ok=True)
        names = ", ".join(path.name for path in raw)
        rule = f"have the layout published at {published.page}"
        raise StreamError(names, rule, f"{type(error).__name__}: {error}") from error
    finally:
        for path in raw:
            if path.parent == _cache_home() / "downloads":
                path.unlink()
    if published.sha256 not in (None, digest):
        raise StreamError(
            f"sha256 of {published.name} as fetched",
            f"be {published.sha256}",
            digest,
            f"it is kept as {unverified}, to be opened by that path with the label 'class'",
        )
    path = unverified.replace(home / published.file_name)
    _remember(path, digest)
    return path


def _raw_file(published: Published, name: str, url: str | None, progress: bool) -> Path:
    """Return a published file: the one that was put into a data home by hand, or fetched."""
    path = locate(name)
    if path is not None:
        return path
    homes = f"MOOE_DATA_HOME or {_cache_home() / 'data'}"
    by_hand = f"put {name} into {homes}; see {published.page}"
    if url is None:
        rule = f"be put into {homes} by hand"
        hint = f"see {published.page}"
        raise StreamError(f"{name} for {published.name}", rule, "no such file", hint)
    try:
        import pooch
    except ImportError:
        hint = f"pip install 'mooe[data]', or {by_hand}"
        raise StreamError(published.name, "be fetched with pooch", "no pooch", hint) from None
    pooch.get_logger().setLevel(logging.WARNING)
    bar = _Bar(name) if progress else None
    downloader = pooch.HTTPDownloader(bar or False, chunk_size=1 << 16, timeout=30)
    try:
        folder = _cache_home() / "downloads"
        return Path(pooch.retrieve(url, None, name, folder, downloader=downloader))
    except OSError as error:  # whatever requests raises
        rule = f"be fetched from {url}"
        hint = f"offline? else {by_hand}"
        response = getattr(error, "response", None)
        reason = type(error).__name__ if response is None else f"HTTP {response.status_code}"
        raise StreamError(published.name, rule, reason, hint) from None
    finally:
        if bar is not None:
            bar.close()


def _write(path: Path, lines: Iterable[str]) -> str:
    """Write lines, compressed, and return the sha256 of their text."""
    digest = hashlib.sha256()
    with lzma.open(path, "wb", preset=3) as file:
        for piece in pieces(lines):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines as bytes, some of them at a time."""
    rest = iter(lines)
    return iter(lambda: "".join(islice(rest, BATCH)).encode(), b"")


class _Bar:
    """A progress bar of rich with the calls that pooch makes."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

        columns = ("{task.description}", BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self.bar = Progress(*columns, console=Console(stderr=True))
        self.task: Any = self.bar.add_task(name, total=None)
        self.bar.start()
        self.total = 0

    def update(self, n_bytes: int) -> None:
        self.bar.update(self.task, advance=n_bytes, total=self.total or None)

    def reset(self) -> None:
        self.bar.update(self.task, completed=0)

    def close(self) -> None:
        self.bar.stop()


def _cache_home() -> Path:
    """Return the folder for fetched files: MOOE_CACHE_HOME, or mooe in the user's cache."""
    if folder := os.environ.get("MOOE_CACHE_HOME"):
        return Path(folder).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "mooe"


def locate(file_name: str) -> Path | None:
    """Return the path of a file, or a folder, in MOOE_DATA_HOME or else in the cache."""
    own = os.environ.get("MOOE_DATA_HOME")
    homes = [Path(own).expanduser()] if own else []
    paths = [home / file_name for home in (*homes, _cache_home() / "data")]
    return next((path for path in paths if path.exists()), None)


def verified(published: Published) -> Verified:
    """Compare the text of a stream on this machine with its checksum, reading all of it."""
    path = locate(published.file_name)
    digest = None if path is None else sha256_of(pieces_of(path))
    if path is not None and digest is not None:
        _remember(path, digest)
    return Verified(published.name, path, published.sha256, digest)


def _checked_path(published: Published) -> Path | None:
    """Return the path of a stream with the right checksum, None where it is not on this machine.

    A file is read through once. Its checksum is then kept in the cache, as checked.json, under its
    path with its size and time of change, and trusted until one of these is another.
    """
    path = locate(published.file_name)
    if path is None or published.sha256 is None:
        return path
    digest = remembered(path) or verified(published).found
    if digest != published.sha256:
        hint = f"fetch it again, or move {path} away"
        raise StreamError(f"sha256 of {path.name}", f"be {published.sha256}", digest, hint)
    return path


def remembered(path: Path) -> str | None:
    """Return the checksum of a file that was read before and has not changed since."""
    status = path.stat()
    match _read_checked().get(str(path.resolve())):
        case [status.st_size, status.st_mtime_ns, str(digest)]:
            return digest
    return None


def _remember(path: Path, digest: str) -> None:
    """Keep a checksum in the cache; where that cannot be written, files are read each time."""
    status = path.stat()
    entry = (status.st_size, status.st_mtime_ns, digest)
    checked = _read_checked() | {str(path.resolve()): entry}
    try:
        _cache_home().mkdir(parents=True, exist_ok=True)
        fresh = _cache_home() / f"checked.json.{os.getpid()}"
        fresh.write_text(json.dumps(checked, indent=1), encoding="utf-8")
        fresh.replace(_cache_home() / "checked.json")
    except OSError:
        return


def _read_checked() -> dict[str, Any]:
    try:
        checked = json.loads((_cache_home() / "checked.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return checked if isinstance(checked, dict) else {}
