"""Delimited text, read in blocks of whole lines: by pyarrow where it can, else by Python's csv.

Python's reader decides what is right. pyarrow takes a block only if nothing in it is unusual; any
other block is read again by Python, which then names the line. So both give the same rows.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from mooe.streams.arrow import by_arrow
from mooe.streams.columns import FINITE, FIRST_ROWS, GIVEN, Layout, Options, is_missing, layout_of
from mooe.streams.encoding import Table, chunks_of
from mooe.streams.stream import Chunk, Stream, StreamError

LONGEST_RECORD = 1 << 26  # bytes
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Pieces = Callable[[], Iterator[bytes]]


class Rows(NamedTuple):
    """The text of a table below the names of its columns."""

    names: tuple[str, ...]
    blocks: Iterator[bytes]
    line: int  # number of the first of them
    delimiter: str = ","
    quote: str = '"'


def opened(pieces: Pieces) -> tuple[Iterator[bytes], Pieces]:
    """Open a text once for a look at its first rows and for the first reading, later ones anew."""
    first: list[bytes] = []
    unread = [iter(pieces())]

    def look() -> Iterator[bytes]:
        for piece in unread[0]:
            first.append(piece)
            yield piece

    return look(), lambda: chain(first, unread.pop()) if unread else pieces()


def blocks_of(pieces: Iterable[bytes], source: str, quote: str = '"') -> Iterator[bytes]:
    """Yield a text that comes in pieces in blocks that end where a record ends."""
    sign = quote.encode()
    rest = b""
    for piece in pieces:
        data = rest + piece
        end = data.rfind(b"\n") + 1
        odd = data.count(sign, 0, end) % 2  # the last line end lies between quotes
        while end and odd:
            before = data.rfind(b"\n", 0, end - 1) + 1
            odd = (odd + data.count(sign, before, end)) % 2
            end = before
        if end:
            yield data[:end]
        rest = data[end:]
        if len(rest) > LONGEST_RECORD:
            rule = f"be at most {LONGEST_RECORD:,} bytes long; is a quote left open?"
            raise StreamError(f"a row of {source}", rule, rest[:60].decode(errors="replace"))
    if rest:
        yield rest


def csv_rows(text: Iterator[bytes], source: str) -> Rows:
    """Read the names of the columns of a csv file and find its delimiter."""
    blocks = blocks_of(text, source)
    block = next(blocks, b"")
    head = _decoded(block.removeprefix(BYTE_ORDER_MARK), source, 1)
    first = next((line for line in head.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        names = next((row for row in reader if row), [])
    except csv.Error as error:
        where = f"{source}, line {reader.line_num:,}"
        raise StreamError(where, "be delimited text", str(error)) from None
    if not names:
        raise StreamError(source, "have a first row with the names of its columns", "")
    rest = b"".join(block.splitlines(keepends=True)[reader.line_num :])
    names = [name.strip() for name in names]
    return Rows(tuple(names), chain([rest], blocks), reader.line_num + 1, delimiter)


def table_stream(
    source: str,
    pieces: Pieces,
    options: Options,
    is_prompt: bool = False,
    start: Callable[[Iterator[bytes], str], Rows] = csv_rows,
) -> Stream:
    """Return the stream of delimited text, which `pieces` opens; a prompt one hands on each piece.

    `start` reads the names of the columns.
    """
    look, reopen = opened(pieces)
    first = start(look, source)
    bare = Layout(source, first.names, options, first.delimiter, first.quote)
    layout = layout_of(bare, _first_rows(first, bare))

    def read(n: int) -> Iterator[Chunk]:
        tables = _tables_of(start(reopen(), source), layout)
        return chunks_of(tables, layout, n, is_prompt)

    return layout.stream(read, text=None if is_prompt else pieces)


def _first_rows(rows: Rows, layout: Layout) -> list[list[str]]:
    """Return the rows that decide what columns hold, or fewer, as text."""
    first: list[list[str]] = []
    line, options = rows.line, layout.options
    n = FIRST_ROWS if options.labelled or options.inputs is None else 1
    for block in rows.blocks:
        good, _ = _good_rows(_decoded(block, layout.source, line), layout, line)
        first += [row for _, row in good]
        if len(first) >= n:
            break
        line += block.count(b"\n")
    return first[:n]


def _tables_of(rows: Rows, layout: Layout) -> Iterator[Table]:
    """Yield a table for each block."""
    line = rows.line
    for block in rows.blocks:
        table = by_arrow(block, layout)
        yield _by_csv(block, layout, line) if table is None else table
        line += block.count(b"\n")


def _decoded(block: bytes, source: str, line: int) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        line += block.count(b"\n", 0, error.start)
        text = block[max(0, error.start - 20) : error.start + 20]
        hint = "if a spreadsheet wrote it: iconv -f cp1252 -t utf-8 OLD > NEW"
        raise StreamError(f"{source}, line {line:,}", "be UTF-8 text", text, hint) from None


def _good_rows(text: str, layout: Layout, line: int) -> tuple[list[tuple[int, list[str]]], int]:
    """Return the rows that have all columns, with their last lines, and the number of the others.

    Blank ones are neither.
    """
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=layout.delimiter,
        quotechar=layout.quote,
        strict=True,  # a quote left open is an error
    )
    rows: list[tuple[int, list[str]]] = []
    last = line - 1
    try:
        for row in reader:
            last = line + reader.line_num - 1
            if row:
                rows.append((last, row))
    except csv.Error as error:
        where = f"{layout.source}, line {last + 1:,}"
        raise StreamError(where, "be delimited text", str(error)) from None
    width = len(layout.names)
    good = [numbered for numbered in rows if len(numbered[1]) == width]
    if len(good) < len(rows) and not layout.options.skip_bad_rows:
        at, row = next(numbered for numbered in rows if len(numbered[1]) != width)
        raise StreamError(
            f"{layout.source}, line {at:,}",
            f"have {width} columns and has {len(row)}",
            layout.delimiter.join(row)[:200],
            "--skip-bad-rows (skip_bad_rows=True) leaves such rows out and counts them",
        )
    return good, len(rows) - len(good)


def _by_csv(block: bytes, layout: Layout, line: int) -> Table:
    """Read a block with Python's csv, or say which line is wrong."""
    text = _decoded(block, layout.source, line)
    rows, n_bad = _good_rows(text, layout, line)
    columns = list(zip(*(row for _, row in rows), strict=True)) or [()] * len(layout.names)
    plain = text.isascii() and "_" not in text
    table, wrong = Table.of_cells(layout, columns, len(rows), plain)
    skips = layout.options.skip_bad_rows
    bad = {i for i, _, rule in wrong if skips and rule != FINITE}
    if layout.options.missing == "error":
        for at in layout.numbers + layout.texts:
            wrong += [(i, at, GIVEN) for i, cell in enumerate(columns[at]) if is_missing(cell)]
    for i, at, rule in sorted(wrong):
        if i not in bad:
            name = f"{layout.source}, line {rows[i][0]:,}, column {layout.names[at]!r}"
            raise StreamError(name, rule, columns[at][i][:80])
    keep = [i for i in range(len(rows)) if i not in bad] if bad else slice(None)
    return Table(table.numbers[keep], table.texts[keep], n_bad + len(bad))
