"""Delimited text, read in blocks of whole lines: by pyarrow where it can, else by Python's csv.

Python's reader decides what is right. pyarrow takes a block only if nothing in it is unusual; any
other block is read again by Python, which then names the line. So both give the same rows.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import numpy as np

from mooe.streams.arrow import by_arrow
from mooe.streams.cells import FINITE, FIRST_ROWS, is_missing, numbers_of
from mooe.streams.columns import Layout
from mooe.streams.encoding import Table
from mooe.streams.stream import StreamError

LONGEST_RECORD = 1 << 26  # bytes
GIVEN = "hold a value (missing='error')"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Pieces = Callable[[], Iterator[bytes]]


class Opening:
    """The text of a source, opened once for a look at its first rows and for the first reading.

    Parameters
    ----------
    pieces : callable
        Opens the source and returns its text in pieces.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.opened: Iterator[bytes] | None = None
        self.seen: list[bytes] = []

    def look(self) -> Iterator[bytes]:
        """In place: yield the text from its beginning, and keep what is yielded for the reading."""
        self.opened = self.pieces()
        for piece in self.opened:
            self.seen.append(piece)
            yield piece

    def read(self) -> Iterator[bytes]:
        """In place: return all of the text; after the first reading the source is opened anew."""
        if self.opened is None:
            return self.pieces()
        opened, self.opened = self.opened, None
        return chain(self._drained(), opened)

    def _drained(self) -> Iterator[bytes]:
        while self.seen:
            yield self.seen.pop(0)


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


def split_header(block: bytes, source: str) -> tuple[list[str], bytes, int, str]:
    """Return the column names, the rest of the block, its first line's number, the delimiter."""
    text = _decoded(block.removeprefix(BYTE_ORDER_MARK), source, 1)
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        names = next((row for row in reader if row), [])
    except csv.Error as error:
        raise _undelimited(source, reader.line_num, error) from None
    if not names:
        raise StreamError(source, "have a first row with the names of its columns", "")
    rest = b"".join(block.splitlines(keepends=True)[reader.line_num :])
    return [name.strip() for name in names], rest, reader.line_num + 1, delimiter


def first_rows(
    blocks: Iterable[bytes], layout: Layout, line: int, n: int = FIRST_ROWS
) -> list[list[str]]:
    """Return the first n rows, or fewer, as text; `layout` needs only its names."""
    rows: list[list[str]] = []
    for block in blocks:
        found, _ = _good_rows(_decoded(block, layout.source, line), layout, line)
        rows += [row for _, row in found]
        if len(rows) >= n:
            break
        line += block.count(b"\n")
    return rows[:n]


def tables_of(blocks: Iterable[bytes], layout: Layout, line: int) -> Iterator[Table]:
    """Yield a table for each block; `line` is the number of the first line."""
    for block in blocks:
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


def records(text: str, layout: Layout, line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a text, blank ones left out, each with the number of its last line."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=layout.delimiter,
        quotechar=layout.quote,
        strict=True,  # a quote left open is an error
    )
    before = line - 1  # the last line of the record before
    try:
        for row in reader:
            before = line + reader.line_num - 1
            if row:
                yield before, row
    except csv.Error as error:
        raise _undelimited(layout.source, before + 1, error) from None


def _undelimited(source: str, line: int, error: csv.Error) -> StreamError:
    """Return the error of a record that begins in a line and cannot be cut into cells."""
    return StreamError(f"{source}, line {line:,}", "be delimited text", str(error))


def _good_rows(text: str, layout: Layout, line: int) -> tuple[list[tuple[int, list[str]]], int]:
    """Return the rows that have all columns, with their lines, and the number of the others."""
    width = len(layout.names)
    rows = list(records(text, layout, line))
    good = [numbered for numbered in rows if len(numbered[1]) == width]
    if len(good) < len(rows) and not layout.skip_bad_rows:
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
    numbered, n_bad = _good_rows(text, layout, line)
    n = len(numbered)
    columns = list(zip(*(row for _, row in numbered), strict=True)) or [()] * len(layout.names)
    numbers = np.empty((n, len(layout.number_columns)))
    texts = np.empty((n, len(layout.text_columns)), dtype=object)
    plain = text.isascii() and "_" not in text
    wrong: list[tuple[int, int, str]] = []  # row, column, the rule it broke
    for j, at in enumerate(layout.number_columns):
        numbers[:, j], rules = numbers_of(columns[at], layout.kind(at), plain)
        wrong += [(i, at, rule) for i, rule in rules]
    for j, at in enumerate(layout.text_columns):
        texts[:, j] = [None if is_missing(cell) else cell.strip() for cell in columns[at]]
    bad = {i for i, _, rule in wrong if rule != FINITE and layout.skip_bad_rows}
    if layout.missing == "error":
        for at in layout.numbers + layout.texts:
            wrong += [(i, at, GIVEN) for i, cell in enumerate(columns[at]) if is_missing(cell)]
    for i, at, rule in sorted(wrong):
        if i not in bad:
            name = f"{layout.source}, line {numbered[i][0]:,}, column {layout.names[at]!r}"
            raise StreamError(name, rule, columns[at][i])
    keep = [i for i in range(n) if i not in bad] if bad else slice(None)
    return Table(numbers[keep], texts[keep], n_bad + len(bad))
