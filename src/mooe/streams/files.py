"""Streams from the user's own files: which format, and how its text is had."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from mooe.streams import arff
from mooe.streams.arrow import parquet_stream
from mooe.streams.columns import Layout, Options, layout_of
from mooe.streams.delimited import (
    Opening,
    Pieces,
    blocks_of,
    first_rows,
    split_header,
    tables_of,
)
from mooe.streams.encoding import chunks_of
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import WIDEST, Chunk, Stream, StreamError

PIECE = 1 << 20  # bytes
SAMPLE = 4_000_000  # bytes of text from which the number of rows is guessed
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def file_stream(path: Path, options: Options) -> Stream:
    """Return the stream of a file; its ending says what it is."""
    ending = _ending_of(path)
    if ending not in FORMATS:
        known = ", ".join(FORMATS)
        hint = "all but .parquet also with .gz, .xz or .bz2 behind"
        raise StreamError("file name", f"end in one of {known}", path.name, hint)
    if not path.exists():
        raise StreamError("file", "exist", str(path))
    return FORMATS[ending](path, options)


def is_file_name(source: str) -> bool:
    """Whether a source looks like a file rather than like the name of a stream."""
    return _ending_of(Path(source)) in FORMATS or "/" in source or "\\" in source


def _ending_of(path: Path) -> str:
    path = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return path.suffix.lower()


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield the text of a file, which may be compressed."""
    try:
        with OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
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


def stdin_stream(options: Options) -> Stream:
    """Return the stream of csv text on standard input, which can be read once, as it comes."""
    text: Any = sys.stdin.buffer
    unread: list[Iterator[bytes]] = [iter(partial(text.read1, PIECE), b"")]

    def pieces() -> Iterator[bytes]:
        if not unread:
            raise StreamError("standard input", "be read only once", "a second reading")
        return unread.pop()

    return csv_stream("standard input", pieces, options, is_prompt=True)


def csv_stream(source: str, pieces: Pieces, options: Options, is_prompt: bool = False) -> Stream:
    """Return the stream of delimited text, which comes in pieces; a prompt one hands on each."""
    opening = Opening(pieces)
    blocks = blocks_of(opening.look(), source)
    names, rest, line, delimiter = split_header(next(blocks, b""), source)
    look = unknown(source, names, options, delimiter, '"')
    rows = first_rows(chain([rest], blocks), look, line, options.n_decisive)
    layout = layout_of(source, names, rows, options, delimiter)

    def read(n: int) -> Iterator[Chunk]:
        blocks = blocks_of(opening.read(), source)
        _, rest, line, _ = split_header(next(blocks, b""), source)
        tables = tables_of(chain([rest], blocks), layout, line)
        return chunks_of(tables, layout, n, options.max_rows, is_prompt)

    return _stream_of(layout, pieces, read)


def _arff_stream(source: str, pieces: Pieces, options: Options) -> Stream:
    """Return the stream of an ARFF text, which comes in pieces."""
    opening = Opening(pieces)
    text = opening.look()
    first = arff.read_header(text, source)
    quote = "'" if b"'" in first.rest else '"'
    if first.is_sparse and len(first.names) > WIDEST:
        hint = "write it as LIBSVM text (.svm)"
        rule = f"have at most {WIDEST:,} attributes"
        raise StreamError(f"sparse {source}", rule, len(first.names), hint)

    def blocks_below(header: arff.Header, text: Iterator[bytes]) -> Iterator[bytes]:
        blocks: Iterable[bytes] = blocks_of(arff.data_pieces(header, text), source, quote)
        blocks = arff.without_comments(blocks)
        return arff.dense_lines(blocks, header) if header.is_sparse else iter(blocks)

    look = unknown(source, first.names, options, ",", quote)
    rows = first_rows(blocks_below(first, text), look, first.line)
    layout = layout_of(source, first.names, rows, options, ",", quote)

    def read(n: int) -> Iterator[Chunk]:
        text = opening.read()
        header = arff.read_header(text, source)
        tables = tables_of(blocks_below(header, text), layout, first.line)
        return chunks_of(tables, layout, n, options.max_rows)

    return _stream_of(layout, pieces, read)


def unknown(source: str, names: list[str], options: Options, delimiter: str, quote: str) -> Layout:
    """Return a layout that says no more than how rows are cut into cells."""
    return Layout(
        source,
        tuple(names),
        numbers=(),
        texts=(),
        label=None,
        label_kind="text",
        time=None,
        time_kind="time",
        task="classification",
        missing=options.missing,
        skip_bad_rows=options.skip_bad_rows,
        delimiter=delimiter,
        quote=quote,
    )


def _stream_of(layout: Layout, pieces: Pieces, read: Callable[[int], Iterator[Chunk]]) -> Stream:
    is_file = layout.source != "standard input"
    return Stream(
        layout.source,
        task=layout.task,
        feature_names=layout.feature_names,
        read=read,
        text=pieces if is_file else None,
        label_kind=layout.read_as,
    )


def _of_text(make: Callable[[str, Pieces, Options], Stream]) -> Callable[[Path, Options], Stream]:
    """Return how a file is opened whose format is text, which may be compressed."""
    return lambda path, options: make(path.name, partial(pieces_of, path), options)


# How a file is opened, by its ending.
FORMATS: dict[str, Callable[[Path, Options], Stream]] = {
    ".csv": _of_text(csv_stream),
    ".tsv": _of_text(csv_stream),
    ".arff": _of_text(_arff_stream),
    ".svm": _of_text(libsvm_stream),
    ".libsvm": _of_text(libsvm_stream),
    ".parquet": parquet_stream,
}
