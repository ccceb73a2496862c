"""Published streams fetched from where they are published, into the one form that is read."""

import hashlib
import logging
import lzma
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mooe.datasets.conversion import pieces
from mooe.datasets.home import Published, cache_home, locate, remember
from mooe.streams.stream import StreamError


def fetch_published(published: Published, progress: bool | None = None) -> Path:
    """Fetch a stream, convert it, compare its checksum, and return where it lies.

    Parameters
    ----------
    published : Published
    progress : bool, optional
        Whether to show a progress bar; by default, if standard error is a terminal.
    """
    show = sys.stderr.isatty() if progress is None else progress
    raw = [raw_file(published, name, url, show) for name, url in published.files]
    home = cache_home() / "data"
    home.mkdir(parents=True, exist_ok=True)
    unverified = home / f"{published.name}.unverified{published.ending}.xz"
    try:
        found = write(unverified, published.convert(*raw))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        unverified.unlink(missing_ok=True)
        names = ", ".join(path.name for path in raw)
        rule = f"have the layout published at {published.page}"
        raise StreamError(names, rule, f"{type(error).__name__}: {error}") from error
    finally:
        for path in raw:
            if path.parent == cache_home() / "downloads":
                path.unlink()
    if published.sha256 not in (None, found):
        raise StreamError(
            f"sha256 of {published.name} as fetched",
            f"be {published.sha256}",
            found,
            f"it is kept as {unverified}, to be opened by that path with the label 'class'",
        )
    path = unverified.replace(home / published.file_name)
    remember(path, found)
    return path


def raw_file(published: Published, name: str, url: str | None, progress: bool) -> Path:
    """Return a published file: the one that was put into a data home by hand, or fetched."""
    given = locate(name)
    if given is not None:
        return given
    homes = f"MOOE_DATA_HOME or {cache_home() / 'data'}"
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
        found = pooch.retrieve(
            url, known_hash=None, fname=name, path=cache_home() / "downloads", downloader=downloader
        )
    except OSError as error:  # whatever requests raises
        rule = f"be fetched from {url}"
        hint = f"offline? else {by_hand}"
        raise StreamError(published.name, rule, _reason(error), hint) from None
    finally:
        if bar is not None:
            bar.close()
    return Path(found)


def _reason(error: OSError) -> str:
    """Return why a download failed, short enough for one line."""
    response = getattr(error, "response", None)
    return f"HTTP {response.status_code}" if response is not None else type(error).__name__


def write(path: Path, lines: Iterable[str]) -> str:
    """Write lines, compressed, and return the sha256 of their text."""
    digest = hashlib.sha256()
    with lzma.open(path, "wb", preset=3) as file:
        for piece in pieces(lines):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


class _Bar:
    """A progress bar of rich with the calls that pooch makes."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

        self.bar = Progress(
            "{task.description}",
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=Console(stderr=True),
        )
        self.task: Any = self.bar.add_task(name, total=None)
        self.bar.start()
        self.total = 0

    def update(self, n_bytes: int) -> None:
        self.bar.update(self.task, advance=n_bytes, total=self.total or None)

    def reset(self) -> None:
        self.bar.update(self.task, completed=0)

    def close(self) -> None:
        self.bar.stop()
