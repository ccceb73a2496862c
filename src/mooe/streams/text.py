"""Text in any encoding as UTF-8, in pieces, and which sign stands between its cells."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from mooe.streams.stream import StreamError

MARKS = {  # at the beginning of a text
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16's, which it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
WINDOWS = "cp1252"  # what programs of western Europe write that do not write UTF-8
DELIMITERS = ",;\t|"
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
N_LOOKED_AT = 50  # lines
SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # Excel's


@dataclass
class Recoder:
    """Makes UTF-8 of a text that comes in pieces.

    Without a name the encoding is that of the mark the text begins with; UTF-16 where every other
    byte is zero; UTF-8 where its first letter beyond ASCII is that; and cp1252 otherwise.
    """

    source: str
    encoding: str | None = None
    used: str = field(default="", init=False)  # what the text was read as, '' while it is ASCII

    def __post_init__(self) -> None:
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                hint = "such as utf-8, cp1252, latin-1, cp1250, utf-16"
                raise StreamError("encoding", "be known", self.encoding, hint) from None

    def pieces(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """In place: yield the text as UTF-8, without a mark."""
        first = next(pieces, b"")
        while 0 < len(first) < 4:  # a mark may come byte by byte
            more = next(pieces, b"")
            if not more:
                break
            first += more
        name = self.encoding or self._marked(first)
        mark = next((mark for mark in MARKS if first.startswith(mark)), b"")
        if mark and codecs.lookup(name).name.replace("_", "-") in ("utf-16", MARKS[mark]):
            name = MARKS[mark]
            first = first.removeprefix(mark)
        rest = (piece for part in ([first], pieces) for piece in part)
        if name:
            self.used = codecs.lookup(name).name
            yield from rest if self.used == "utf-8" else self._recoded(rest, name)
        else:
            yield from self._found(rest)

    def _marked(self, first: bytes) -> str:
        """Return the encoding that the first bytes show, '' for none."""
        for mark, name in MARKS.items():
            if first.startswith(mark):
                return name
        start = first[:400]
        even, odd = start[0::2].count(0), start[1::2].count(0)
        if max(even, odd) > len(start) // 4:
            return "utf-16-le" if odd > even else "utf-16-be"
        return ""

    def _found(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """In place: yield ASCII as it is; what is not shows whether a text is UTF-8 or cp1252."""
        held = b""
        for piece in pieces:
            held += piece
            if held.isascii():
                yield held
                held = b""
                continue
            decoder = codecs.getincrementaldecoder("utf-8")()
            try:
                text = decoder.decode(held)
            except UnicodeDecodeError:
                self.used = WINDOWS
                yield from self._recoded(iter([held, *pieces]), WINDOWS)
                return
            if text.isascii():  # and the first letter beyond is cut off
                continue
            self.used = "utf-8"
            yield held
            yield from pieces
            return
        if held:
            self.used = WINDOWS  # it ends in the middle of a letter
            yield from self._recoded(iter([held]), WINDOWS)

    def _recoded(self, pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
        """Yield a text of this encoding as UTF-8."""
        decoder = codecs.getincrementaldecoder(name)()
        line = 1
        for piece, is_last in _with_end(pieces):
            try:
                text = decoder.decode(piece, is_last)
            except UnicodeDecodeError as error:
                line += error.object.count(b"\n", 0, error.start)
                odd = bytes(error.object[max(0, error.start - 20) : error.start + 20])
                hint = "--encoding (encoding=) names another, such as latin-1 or cp1250"
                rule = f"be {'UTF-8 or ' if not self.encoding else ''}{name} text"
                where = f"{self.source}, line {line:,}"
                raise StreamError(where, rule, odd, hint) from None
            line += text.count("\n")
            yield text.encode()


def _with_end(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield pieces, and at last an empty one that is marked as the end."""
    for piece in pieces:
        yield piece, False
    yield b"", True


def delimiter_of(head: str) -> str:
    """Return the sign between the cells of a text: most lines have equally many of it.

    >>> delimiter_of('"name, first";price;n\\n"Doe, Jane";1,5;2\\n')
    ';'
    """
    return max(DELIMITERS, key=lambda sign: _agreement(head, sign))


def first_records(head: str, sign: str) -> list[tuple[int, list[str]]]:
    """Return the first rows of a text, each with the number of its last line; no blank ones.

    What cannot be read ends them; csv.Error where that is the very first.
    """
    reader = csv.reader(islice(io.StringIO(head, newline=""), N_LOOKED_AT), delimiter=sign)
    rows: list[tuple[int, list[str]]] = []
    try:
        rows += ((reader.line_num, row) for row in reader if row)
    except csv.Error:
        if not rows:
            raise
    return rows


def width_of(rows: Iterable[Sequence[str]]) -> int:
    """Return how many cells most rows have."""
    widths = Counter(map(len, rows))
    return max(widths, key=widths.__getitem__, default=0)  # of those as frequent, the first


def _agreement(head: str, sign: str) -> tuple[bool, float, int]:
    """Return how well a sign cuts lines into rows: at all, share of equally long ones, width."""
    try:
        rows = [row for _, row in first_records(head, sign)]
    except csv.Error:
        return False, 0.0, 0
    width = width_of(rows)
    return width > 1, sum(len(row) == width for row in rows) / max(1, len(rows)), width
