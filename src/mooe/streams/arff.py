"""ARFF, the format of Weka and MOA: attributes by name, then rows as in a csv file."""

import re
from collections.abc import Iterator
from itertools import chain

from mooe.streams.delimited import Rows, blocks_of
from mooe.streams.stream import WIDEST, StreamError

ATTRIBUTE = re.compile(r"""\s*@attribute\s+('(?:[^'\\]|\\.)*'|"[^"]*"|\S+)\s+(.+)""", re.IGNORECASE)
DATA = re.compile(rb"^[ \t]*@data[ \t\r]*\n", re.IGNORECASE | re.MULTILINE)
NUMBER = re.compile(r"[0-9]{1,9}")
COMMENT = re.compile(rb"^[ \t]*%.*$", re.MULTILINE)
LONGEST_HEADER = 1 << 26  # bytes


def arff_rows(text: Iterator[bytes], source: str) -> Rows:
    """Read the names of the attributes; sparse rows get all their cells."""
    rows, defaults, is_sparse = read_header(text, source)
    if not is_sparse:
        return rows
    if len(rows.names) > WIDEST:
        hint = "write it as LIBSVM text (.svm)"
        rule = f"have at most {WIDEST:,} attributes"
        raise StreamError(f"sparse {source}", rule, len(rows.names), hint)
    return rows._replace(blocks=_dense(rows.blocks, defaults))


def read_header(text: Iterator[bytes], source: str) -> tuple[Rows, list[str], bool]:
    """Read up to the line @data, and as far as it takes to see the first row.

    Return the rows as they are written, comments empty; what a cell holds that a sparse row leaves
    out; and whether they are sparse.
    """
    head, data = b"", None
    for piece in text:
        head += piece
        data = DATA.search(head)
        if (data and head[data.end() :].strip()) or len(head) > LONGEST_HEADER:
            break
    if data is None:
        raise StreamError(source, "have a line @data", head[:60].decode(errors="replace"))
    names, defaults = [], []
    for line in head[: data.start()].decode(errors="replace").splitlines():
        if match := ATTRIBUTE.match(line):
            names.append(match[1].strip("'\"").replace("\\", ""))
            is_nominal = match[2].lstrip().startswith("{")
            first = match[2].strip().strip("{}").split(",")[0].strip(" '\"")
            defaults.append(first if is_nominal else "0")
    rest = head[data.end() :]
    quote = "'" if b"'" in rest else '"'
    blocks = blocks_of(chain([rest], text), source, quote)
    uncommented = (COMMENT.sub(b"", block) if b"%" in block else block for block in blocks)
    n_above = head.count(b"\n", 0, data.end())
    rows = Rows(tuple(names), uncommented, n_above + 1, quote=quote)
    return rows, defaults, COMMENT.sub(b"", rest).lstrip().startswith(b"{")


def _dense(blocks: Iterator[bytes], defaults: list[str]) -> Iterator[bytes]:
    """Yield blocks of sparse rows, {index value, ...} with indices from 0, with all their cells."""
    for block in blocks:
        lines = []
        for line in block.decode(errors="replace").split("\n"):
            row = line.strip()
            if row.startswith("{"):
                cells = list(defaults)
                for item in row.strip("{} \t").split(","):
                    index, _, value = item.strip().partition(" ")
                    if NUMBER.fullmatch(index) and int(index) < len(cells):
                        cells[int(index)] = value.strip()
                    elif item.strip():
                        cells.append(item)  # one cell too many: the row is refused later
                row = ",".join(cells)
            lines.append(row)
        yield "\n".join(lines).encode()
