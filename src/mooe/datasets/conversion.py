"""Published layouts turned into the lines of one csv file: names first, the label last."""

import gzip
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from mooe.streams.arff import arff_rows
from mooe.streams.delimited import blocks_of
from mooe.streams.files import pieces_of
from mooe.streams.stream import StreamError, numbered

BATCH = 1_000  # lines of a piece


def csv_line(cells: Iterable[str]) -> str:
    return ",".join(cells) + "\n"


def pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines as bytes, some of them at a time."""
    rest = iter(lines)
    return iter(lambda: "".join(islice(rest, BATCH)).encode(), b"")


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text, which may be compressed, without their ends."""
    for block in blocks_of(pieces_of(path), path.name):
        yield from block.decode().splitlines()


def member(archive: Path, name: str) -> Iterator[str]:
    """Yield the lines of a file in a zip archive, in whatever folder, without their ends."""
    with zipfile.ZipFile(archive) as files:
        paths = [path for path in files.namelist() if Path(path).name.lower() == name.lower()]
        if len(paths) != 1:
            raise StreamError(archive.name, f"hold one file {name}", paths)
        with files.open(paths[0]) as packed:
            file: Any = gzip.GzipFile(fileobj=packed) if name.endswith(".gz") else packed
            yield from map(str.rstrip, io.TextIOWrapper(file, encoding="utf-8"))


def arff_lines(path: Path) -> Iterator[str]:
    """Yield an ARFF file, whose last attribute is the label."""
    rows = arff_rows(pieces_of(path), path.name)
    yield csv_line([*rows.names[:-1], "class"])
    for block in rows.blocks:
        for line in block.decode().splitlines():
            if line.strip():
                yield csv_line(cell.strip().strip("'\"") for cell in line.split(","))


def libsvm_lines(
    rows: Iterable[str], n_features: int, label: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield LIBSVM text: values as they are written, 0 where there is none."""
    yield csv_line([*numbered(n_features), "class"])
    for row in rows:
        first, *items = row.split()
        cells = ["0"] * n_features
        for item in items:
            index, _, value = item.partition(":")
            cells[int(index) - 1] = value
        yield csv_line([*cells, label(first)])


def joined_lines(rows: Iterable[str], labels: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """Yield rows with the labels that lie in a file apart; both must be of one length."""
    yield csv_line([*names, "class"])
    for number, (row, label) in enumerate(zip_longest(rows, labels), 1):
        if row is None or label is None:
            value = f"no {'row' if row is None else 'label'} {number:,}"
            raise StreamError("the two files", "have one label for each row", value)
        if row.count(",") + 1 != len(names):
            raise StreamError(f"row {number:,}", f"have {len(names)} columns", row[:200])
        yield csv_line([row, label])
