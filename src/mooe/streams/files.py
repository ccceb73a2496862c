"""Streams from the user's own files: which format, and how its text is had."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from mooe.streams.arff import arff_rows
from mooe.streams.arrow import parquet_stream
from mooe.streams.delimited import Pieces, table_stream
from mooe.streams.layout import Options
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import Stream, StreamError
from mooe.words import some_of

PIECE = 1 << 20  # bytes
SAMPLE = 4_000_000  # bytes of text from which the number of rows is guessed
PACKERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
}  # of one file each
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


def file_stream(path: Path, options: Options) -> Stream:
    """Return the stream of a file; its ending says what it is."""
    ending = _ending_of(path)
    if ending not in (*FORMATS, ".zip"):
        known = ", ".join(FORMATS)
        hint = "all but .parquet also with .gz, .xz or .bz2 behind, or alone in a .zip"
        if ending in SPREADSHEETS:
            hint = "save the sheet as CSV in the program that wrote it"
        raise StreamError("file name", f"end in one of {known}", path.name, hint)
    if not path.exists():
        raise StreamError("file", "exist", str(path))
    if ending == ".zip":
        with _readable(path), ZipFile(path) as archive:
            ending = _ending_of(Path(_member_of(archive)))
    return FORMATS[ending](path, options)


def is_file_name(source: str) -> bool:
    """Whether a source looks like a file rather than like the name of a stream."""
    return _ending_of(Path(source)) in (*FORMATS, ".zip") or "/" in source or "\\" in source


def _ending_of(path: Path) -> str:
    path = path.with_suffix("") if path.suffix.lower() in PACKERS else path
    return path.suffix.lower()


def _member_of(archive: ZipFile) -> str:
    """Return the name of the one table that a zip file holds, and may hold one text alone."""
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    tables = [name for name in names if _ending_of(Path(name)) in set(FORMATS) - {".parquet"}]
    if len(tables) != 1:
        rule = "hold one table of text, such as a .csv file"
        raise StreamError(Path(archive.filename or "zip file").name, rule, some_of(names))
    return tables[0]


def _open_zip(file: Any, mode: str = "rb") -> Any:
    with ZipFile(file) as archive:  # which stays open until its member is closed
        return archive.open(_member_of(archive))


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield the text of a file, which may be compressed."""
    with _readable(path), OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Name the file where it cannot be read."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, zlib.error, BadZipFile) as error:
        raise StreamError("file", f"be readable ({error})", str(path)) from None


def guess_rows(path: Path) -> int | None:
    """Return about how many rows a file has, from its first ones; None where one cannot say."""
    if not path.is_file() or path.suffix == ".parquet":
        return None
    try:
        with path.open("rb") as raw:
            opener = OPENERS.get(path.suffix.lower())
            text = (opener(raw) if opener else raw).read(SAMPLE)
            lines, taken = text.count(b"\n"), raw.tell()
        if len(text) < SAMPLE:
            return max(0, lines - 1)
        return round(lines * path.stat().st_size / taken)
    except Exception:  # whatever is wrong with the file, reading it will say
        return None


OPENERS: dict[str, Callable[..., Any]] = {**PACKERS, ".zip": _open_zip}


def stdin_stream(options: Options) -> Stream:
    """Return the stream of csv text on standard input, which can be read once, as it comes."""
    text: Any = sys.stdin.buffer
    unread: list[Iterator[bytes]] = [iter(partial(text.read1, PIECE), b"")]

    def pieces() -> Iterator[bytes]:
        if not unread:
            raise StreamError("standard input", "be read only once", "a second reading")
        return unread.pop()

    return table_stream("standard input", pieces, options, is_prompt=True)


def _of_text(make: Callable[[str, Pieces, Options], Stream]) -> Callable[[Path, Options], Stream]:
    """Return how a file is opened whose format is text, which may be compressed."""
    return lambda path, options: make(path.name, partial(pieces_of, path), options)


# How a file is opened, by its ending.
FORMATS: dict[str, Callable[[Path, Options], Stream]] = {
    ".csv": _of_text(table_stream),
    ".tsv": _of_text(table_stream),
    ".txt": _of_text(table_stream),
    ".arff": _of_text(partial(table_stream, start=arff_rows)),
    ".svm": _of_text(libsvm_stream),
    ".libsvm": _of_text(libsvm_stream),
    ".parquet": parquet_stream,
}
