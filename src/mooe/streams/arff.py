"""ARFF, the format of Weka and MOA: attributes by name, then rows as in a csv file."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mooe.streams.stream import StreamError

ATTRIBUTE = re.compile(r"""\s*@attribute\s+('(?:[^'\\]|\\.)*'|"[^"]*"|\S+)\s+(.+)""", re.IGNORECASE)
DATA = re.compile(rb"^[ \t]*@data[ \t\r]*\n", re.IGNORECASE | re.MULTILINE)
NUMBER = re.compile(r"[0-9]{1,9}")
COMMENT = re.compile(rb"^[ \t]*%.*$", re.MULTILINE)
LONGEST_HEADER = 1 << 26  # bytes


class Header(NamedTuple):
    """What stands above the rows."""

    names: list[str]
    defaults: list[str]  # what a cell holds that a sparse row leaves out
    rest: bytes  # rows that were read with it
    line: int  # number of the first of them
    is_sparse: bool


def read_header(pieces: Iterator[bytes], source: str) -> Header:
    """Read up to the line @data, and as far as it takes to see the first row."""
    text = b""
    for piece in pieces:
        text += piece
        found = DATA.search(text)
        if found and text[found.end() :].strip():
            break
        if len(text) > LONGEST_HEADER:
            break
    found = DATA.search(text)
    if found is None:
        raise StreamError(source, "have a line @data", text[:60].decode(errors="replace"))
    names, defaults = [], []
    for declared in text[: found.start()].decode(errors="replace").splitlines():
        match = ATTRIBUTE.match(declared)
        if match:
            names.append(match[1].strip("'\"").replace("\\", ""))
            is_nominal = match[2].lstrip().startswith("{")
            first = match[2].strip().strip("{}").split(",")[0].strip(" '\"")
            defaults.append(first if is_nominal else "0")
    rest = text[found.end() :]
    row = COMMENT.sub(b"", rest).lstrip()
    line = text.count(b"\n", 0, found.end()) + 1
    return Header(names, defaults, rest, line, row.startswith(b"{"))


def data_pieces(header: Header, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the rows in pieces."""
    yield header.rest
    yield from pieces


def without_comments(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same lines, those that are comments empty."""
    for block in blocks:
        yield COMMENT.sub(b"", block) if b"%" in block else block


def dense_lines(blocks: Iterable[bytes], header: Header) -> Iterator[bytes]:
    """Yield blocks of sparse rows, {index value, ...} with indices from 0, with all their cells."""
    for block in blocks:
        lines = []
        for line in block.decode(errors="replace").split("\n"):
            row = line.strip()
            if row.startswith("{"):
                cells = list(header.defaults)
                for item in row.strip("{} \t").split(","):
                    index, _, value = item.strip().partition(" ")
                    if NUMBER.fullmatch(index) and int(index) < len(cells):
                        cells[int(index)] = value.strip()
                    elif item.strip():
                        cells.append(item)  # one cell too many: the row is refused later
                row = ",".join(cells)
            lines.append(row)
        yield "\n".join(lines).encode()
