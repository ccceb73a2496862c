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

from mooe.datasets import arff
from mooe.datasets.arrow import parquet_stream
from mooe.datasets.columns import Layout, Options, layout_of
from mooe.datasets.delimited import blocks_of, first_rows, split_header, tables_of
from mooe.datasets.encoding import chunks_of
from mooe.datasets.sparse import libsvm_stream
from mooe.datasets.stream import WIDEST, Chunk, Stream, StreamError

__all__ = ["csv_stream", "file_stream", "is_file_name", "pieces_of", "stdin_stream"]

PIECE = 1 << 20  # bytes
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
ENDINGS = (".csv", ".tsv", ".arff", ".svm", ".libsvm", ".parquet")

Pieces = Callable[[], Iterator[bytes]]


def file_stream(path: Path, options: Options) -> Stream:
    """Return the stream of a file; its ending says what it is."""
    ending = ending_of(path)
    if ending not in ENDINGS:
        known = ", ".join(ENDINGS)
        hint = "all but .parquet also with .gz, .xz or .bz2 behind"
        raise StreamError("file name", f"end in one of {known}", path.name, hint)
    if not path.exists():
        raise StreamError("file", "exist", str(path))
    pieces = partial(pieces_of, path)
    if ending == ".parquet":
        return parquet_stream(path, options)
    if ending == ".arff":
        return arff_stream(path.name, pieces, options)
    if ending in (".svm", ".libsvm"):
        return libsvm_stream(path.name, pieces, options)
    return csv_stream(path.name, pieces, options)


def is_file_name(source: str) -> bool:
    """Whether a source looks like a file rather than like the name of a stream."""
    return ending_of(Path(source)) in ENDINGS or "/" in source or "\\" in source


def ending_of(path: Path) -> str:
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


def stdin_stream(options: Options) -> Stream:
    """Return the stream of csv text on standard input, which can be read once, as it comes."""
    text: Any = sys.stdin.buffer
    read: Iterator[bytes] = iter(partial(text.read1, PIECE), b"")
    return csv_stream("standard input", once(read), options, is_prompt=True)


def once(pieces: Iterator[bytes]) -> Pieces:
    """Return a function that gives the pieces twice: a beginning to look at, then all of them."""
    seen: list[bytes] = []
    calls = iter(("look", "read"))

    def looked_at() -> Iterator[bytes]:
        for piece in pieces:
            seen.append(piece)
            yield piece

    def again() -> Iterator[bytes]:
        match next(calls, None):
            case "look":
                return looked_at()
            case "read":
                return chain(drained(seen), pieces)
        raise StreamError("standard input", "be read only once", "a second reading")

    return again


def drained(seen: list[bytes]) -> Iterator[bytes]:
    while seen:
        yield seen.pop(0)


def csv_stream(source: str, pieces: Pieces, options: Options, is_prompt: bool = False) -> Stream:
    """Return the stream of delimited text, which comes in pieces; a prompt one hands on each."""
    blocks = blocks_of(pieces(), source)
    names, rest, line, delimiter = split_header(next(blocks, b""), source)
    look = unknown(source, names, options, delimiter, '"')
    rows = first_rows(chain([rest], blocks), look, line, options.n_decisive)
    layout = layout_of(source, names, rows, options, delimiter)

    def read(n: int) -> Iterator[Chunk]:
        blocks = blocks_of(pieces(), source)
        _, rest, line, _ = split_header(next(blocks, b""), source)
        tables = tables_of(chain([rest], blocks), layout, line)
        return chunks_of(tables, layout, n, options.max_rows, is_prompt)

    return stream_of(layout, pieces, read)


def arff_stream(source: str, pieces: Pieces, options: Options) -> Stream:
    """Return the stream of an ARFF text, which comes in pieces."""
    first = arff.read_header(pieces(), source)
    quote = "'" if b"'" in first.rest else '"'
    if first.is_sparse and len(first.names) > WIDEST:
        hint = "write it as LIBSVM text (.svm)"
        rule = f"have at most {WIDEST:,} attributes"
        raise StreamError(f"sparse {source}", rule, len(first.names), hint)

    def opened() -> Iterator[bytes]:
        text = pieces()
        header = arff.read_header(text, source)
        blocks: Iterable[bytes] = blocks_of(arff.data_pieces(header, text), source, quote)
        blocks = arff.without_comments(blocks)
        return arff.dense_lines(blocks, header) if header.is_sparse else iter(blocks)

    look = unknown(source, first.names, options, ",", quote)
    rows = first_rows(opened(), look, first.line)
    layout = layout_of(source, first.names, rows, options, ",", quote)

    def read(n: int) -> Iterator[Chunk]:
        tables = tables_of(opened(), layout, first.line)
        return chunks_of(tables, layout, n, options.max_rows)

    return stream_of(layout, pieces, read)


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


def stream_of(layout: Layout, pieces: Pieces, read: Callable[[int], Iterator[Chunk]]) -> Stream:
    is_file = layout.source != "standard input"
    return Stream(
        layout.source,
        task=layout.task,
        feature_names=layout.feature_names,
        read=read,
        text=pieces if is_file else None,
        label_kind=layout.read_as,
    )
