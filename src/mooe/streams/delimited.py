"""Delimited text, read in blocks of whole lines: by pyarrow where it can, else by Python's csv.

Python's reader decides what is right. pyarrow takes a block only if nothing in it is unusual; any
other block is read again by Python, which then names the line. So both give the same rows.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, takewhile
from typing import NamedTuple

from mooe.streams.arrow import by_arrow
from mooe.streams.cells import Spelling
from mooe.streams.columns import layout_of, unnamed
from mooe.streams.encoding import Table, chunks_of
from mooe.streams.layout import FIRST_ROWS, Layout, Options
from mooe.streams.stream import Chunk, Stream, StreamError
from mooe.streams.text import (
    NAMES,
    SEPARATOR_LINE,
    Recoder,
    delimiter_of,
    first_records,
    width_of,
)
from mooe.streams.values import FINITE, GIVEN
from mooe.words import counted

LONGEST_RECORD = 1 << 26  # bytes
MOST_BELOW = 3  # short lines at the end of a file that are left out: sums, a note
LONGEST_NAMED = 20  # letters of a cell that a hint has in it
SKIP = "--skip-bad-rows (skip_bad_rows=True) leaves such rows out and counts them"

Pieces = Callable[[], Iterator[bytes]]


class Rows(NamedTuple):
    """The text of a table below the names of its columns."""

    names: tuple[str, ...]
    blocks: Iterator[bytes]
    line: int  # number of the first of them
    delimiter: str = ","
    quote: str = '"'
    n_above: int = 0  # lines that stand above the names


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
    head = _decoded(block, source, 1)
    said = SEPARATOR_LINE.match(head)
    if said is not None:  # a line of its own, which holds no names
        head = "\n" + head[said.end() :]
    delimiter = delimiter_of(head) if said is None else said[1]
    try:
        records = first_records(head, delimiter)
    except csv.Error as error:
        line = 1 + head[: len(head) - len(head.lstrip())].count("\n")
        raise StreamError(f"{source}, line {line:,}", _rule(error), None) from None
    if not records:
        raise StreamError(source, "have a first row with the names of its columns", "")
    n_above, names = _names_among([row for _, row in records])
    line = records[n_above][0]
    rest = b"".join(block.splitlines(keepends=True)[line:])
    return Rows(names, chain([rest], blocks), line + 1, delimiter, n_above=n_above)


def _names_among(rows: list[list[str]]) -> tuple[int, tuple[str, ...]]:
    """Return the place of the row that has the names of columns, and these.

    It is the first, unless lines with few cells, a title, stand above one that can hold names. Rows
    may be longer by empty cells; columns without a name are counted where they are several.
    """
    width = width_of(rows)
    titles = list(takewhile(lambda row: _is_title(row, width), rows))
    at = len(titles) if len(titles) < len(rows) and _are_names(rows[len(titles)], width) else 0
    names = [name.strip() for name in rows[at]]
    if all(len(row) == width and not any(row[len(names) :]) for row in rows[at + 1 :]):
        names += [""] * (width - len(names))
    if names.count("") > 1:
        names = [name or unnamed(place) for place, name in enumerate(names)]
    return at, tuple(names)


def _is_title(row: list[str], width: int) -> bool:
    """Whether a row stands above a table of so many columns: nearly all of it is empty."""
    n_filled = sum(1 for cell in row if cell.strip())
    return len(row) == 1 < width or (2 * n_filled < width and (not n_filled or bool(row[0])))


def _are_names(row: list[str], width: int) -> bool:
    """Whether cells can be the names of columns: all there, and no numbers."""
    return len(row) == width and all(cell.strip() and not Spelling().reads([cell]) for cell in row)


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
    recoder = Recoder(source, options.encoding)
    look, reopen = opened(lambda: recoder.pieces(pieces()))
    first = start(look, source)
    bare = Layout(source, first.names, options, first.delimiter, first.quote)
    rows = _first_rows(first, bare, is_prompt)
    layout = layout_of(bare, rows, about=_opened_as(first, bare, recoder.used))

    def read(n: int) -> Iterator[Chunk]:
        tables = _tables_of(start(reopen(), source), layout, is_prompt)
        return chunks_of(tables, layout, n, is_prompt)

    return layout.stream(read, text=None if is_prompt else pieces)


def _opened_as(rows: Rows, layout: Layout, encoding: str) -> str:
    """Return how a text was opened where it is not as most are."""
    parts = []
    if encoding not in ("", "utf-8") and layout.options.encoding is None:
        parts.append(f"encoding {encoding}")
    if rows.delimiter != "," and not (rows.delimiter == "\t" and ".tsv" in layout.source):
        parts.append(f"{NAMES.get(rows.delimiter, repr(rows.delimiter))} between cells")
    if rows.n_above:
        parts.append(f"{counted(rows.n_above, 'line')} above the names of its columns left out")
    return ", ".join(parts)


def _first_rows(rows: Rows, layout: Layout, is_prompt: bool) -> list[list[str]]:
    """Return the rows that decide what columns hold, or fewer, as text.

    Where a model knows what they hold and somebody waits for answers, one has to do.
    """
    first: list[list[str]] = []
    line, options = rows.line, layout.options
    n = FIRST_ROWS if options.labelled or options.inputs is None or not is_prompt else 1
    for block, is_last in _with_last(rows.blocks, is_prompt):
        good, _ = _good_rows(_decoded(block, layout.source, line), layout, line, is_last)
        first += [row for _, row in good]
        if len(first) >= n:
            break
        line += block.count(b"\n")
    return first[:n]


def _tables_of(rows: Rows, layout: Layout, is_prompt: bool) -> Iterator[Table]:
    """Yield a table for each block."""
    line = rows.line
    for block, is_last in _with_last(rows.blocks, is_prompt):
        table = by_arrow(block, layout)
        yield _by_csv(block, layout, line, is_last) if table is None else table
        line += block.count(b"\n")


def _with_last(blocks: Iterator[bytes], is_prompt: bool) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks, and whether each is the last; where somebody waits for answers, none is."""
    if is_prompt:
        yield from ((block, False) for block in blocks)
        return
    before: list[bytes] = []
    for block in blocks:
        yield from ((held, False) for held in before)
        before = [block]
    yield from ((held, True) for held in before)


def _decoded(block: bytes, source: str, line: int) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        line += block.count(b"\n", 0, error.start)
        text = block[max(0, error.start - 20) : error.start + 20]
        hint = "--encoding (encoding=) names another, such as cp1252"
        raise StreamError(f"{source}, line {line:,}", "be UTF-8 text", text, hint) from None


def _good_rows(
    text: str, layout: Layout, line: int, is_last: bool
) -> tuple[list[tuple[int, list[str]]], int]:
    """Return the rows that have all columns, with their last lines, and the number of the others.

    Blank ones are neither. Short ones are an error, but not at the end of a file, where sums stand.
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
        raise StreamError(f"{layout.source}, line {last + 1:,}", _rule(error), None) from None
    width = len(layout.names)
    good = [numbered for numbered in rows if len(numbered[1]) == width]
    below = list(takewhile(lambda numbered: len(numbered[1]) < width, reversed(rows)))
    n_allowed = len(below) if is_last and good and len(below) <= MOST_BELOW else 0
    if len(rows) - len(good) > n_allowed and not layout.options.skip_bad_rows:
        at, row = next(numbered for numbered in rows if len(numbered[1]) != width)
        raise StreamError(
            f"{layout.source}, line {at:,}",
            f"have {width} columns and has {len(row)}",
            layout.delimiter.join(row)[:200],
            SKIP,
        )
    return good, len(rows) - len(good)


def _rule(error: csv.Error) -> str:
    """Return the rule that a text broke which Python's csv reader cannot read."""
    if "field limit" in str(error):
        return f"have cells of at most {csv.field_size_limit():,} letters; is a quote left open?"
    if "end of data" in str(error):
        return "be delimited text, and a quote that begins there is left open"
    return f"be delimited text ({error})"


def _by_csv(block: bytes, layout: Layout, line: int, is_last: bool) -> Table:
    """Read a block with Python's csv, or say which line is wrong."""
    text = _decoded(block, layout.source, line)
    rows, n_bad = _good_rows(text, layout, line, is_last)
    columns = list(zip(*(row for _, row in rows), strict=True)) or [()] * len(layout.names)
    plain = text.isascii() and "_" not in text
    table, wrong = Table.of_cells(layout, columns, len(rows), plain)
    skips = layout.options.skip_bad_rows
    bad = {i for i, _, rule in wrong if skips and rule != FINITE}
    if layout.options.missing == "error":
        for at in layout.numbers + layout.texts:
            missing = partial(layout.is_missing, at)
            wrong += [(i, at, GIVEN) for i, cell in enumerate(columns[at]) if missing(cell)]
    for i, at, rule in sorted(wrong):
        if i not in bad:
            name = f"{layout.source}, line {rows[i][0]:,}, column {layout.names[at]!r}"
            hint = "" if rule == GIVEN else SKIP
            cell = columns[at][i].strip()
            if rule == FINITE and len(cell) <= LONGEST_NAMED:
                hint = f"--na {cell!r} (na=) takes that as no value"
            elif rule == FINITE:
                hint = ""
            raise StreamError(name, rule, columns[at][i][:80], hint)
    keep = [i for i in range(len(rows)) if i not in bad] if bad else slice(None)
    return Table(table.numbers[keep], table.texts[keep], n_bad + len(bad))
