"""LIBSVM text: a label, then index:value for each number that is not 0."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from mooe.streams.cells import FINITE, FIRST_ROWS, LARGEST, numbers_of, texts_of
from mooe.streams.columns import Layout, Options, label_facts
from mooe.streams.delimited import Opening, Pieces, blocks_of
from mooe.streams.encoding import Table, labels_of, recut
from mooe.streams.stream import WIDEST, Chunk, Stream, StreamError, numbered, stacked

LARGEST_INDEX = 2**31 - 1  # as LIBSVM itself has it
LABEL = "label"  # what the first cell of a row is called

Rows = tuple[list[str], Any]  # labels, CSR matrix


def libsvm_stream(source: str, pieces: Pieces, options: Options, n_features: int = 0) -> Stream:
    """Return the stream of a LIBSVM text, which is read in pieces.

    Columns are called by their index. There are n_features of them, or as many as the first 1,000
    rows have, or, where a model goes on that learnt from LIBSVM text, as many as that had; and more
    when a larger index comes.
    """
    for what, given in [("label", options.label), ("time", options.time), ("drop", options.drop)]:
        if given and given != LABEL:
            raise StreamError(
                what, "not be given for LIBSVM text, where only numbers follow", given
            )
    opening = Opening(pieces)
    labels, X = _first_rows(opening.look(), source, options.skip_bad_rows)
    known = _known_indices(options)
    base = 0 if 0 in known or (X.indices == 0).any() else 1
    n_features = max(n_features, (known.stop or _used_width(X)) - base)
    facts = label_facts(source, LABEL, labels, options)
    layout = Layout(source, (LABEL,), options, label=0, **facts)

    def read(rows: int) -> Iterator[Chunk]:
        width = n_features
        blocks = _parsed(blocks_of(opening.read(), source), source, options.skip_bad_rows, base)
        tables = (_table_of(*block, layout) for block in blocks)
        for table in recut(tables, rows, options.max_rows):
            width = max(width, _used_width(table.sparse))
            yield _chunk_of(table, layout, width, base)

    return layout.stream(read, feature_names=numbered(n_features, base, ""), text=pieces)


def _first_rows(pieces: Iterator[bytes], source: str, skip_bad_rows: bool) -> Rows:
    """Return the first 1,000 rows, or fewer, with column 0 for index 0."""
    labels: list[str] = []
    parts: list[Any] = []
    for found, X, _ in _parsed(blocks_of(pieces, source), source, skip_bad_rows, 0):
        labels += found
        parts.append(X)
        if len(labels) >= FIRST_ROWS:
            break
    if not labels:
        raise StreamError(source, "have rows", 0)
    X = stacked(parts, max(part.shape[1] for part in parts))
    return labels[:FIRST_ROWS], X[:FIRST_ROWS]


def _known_indices(options: Options) -> range:
    """Return the indices that are columns of a model which learnt from LIBSVM, none of any other.

    Such a model has a number for every index from 0 or 1 on.
    """
    inputs = options.inputs or ()
    for first in (0, 1):
        if all(item == (str(index), "number") for index, item in enumerate(inputs, first)):
            return range(first, first + len(inputs))
    return range(0)


def _used_width(X: Any) -> int:
    """Return the number of columns up to the last one that holds something."""
    return int(X.indices.max()) + 1 if X.nnz else 0


def _parsed(
    blocks: Iterable[bytes], source: str, skip_bad_rows: bool, base: int
) -> Iterator[tuple[list[str], Any, int]]:
    """Yield labels, a CSR matrix and the number of rows skipped for each block."""
    line = 1
    for block in blocks:
        lines = block.decode("ascii", errors="replace").split("\n")
        try:
            yield *rows_of(lines, base), 0
        except ValueError:
            good = []
            for at, text in enumerate(lines, line):
                try:
                    rows_of([text], base)
                except ValueError as error:
                    if not skip_bad_rows or str(error) == FINITE:
                        raise StreamError(
                            f"{source}, line {at:,}", str(error), text[:200]
                        ) from None
                else:
                    good.append(text)
            yield *rows_of(good, base), len(lines) - len(good)
        line += len(lines) - 1


def rows_of(lines: list[str], base: int) -> Rows:
    """Return labels and matrix of some lines; ValueError, with the rule, where one is wrong."""
    form = f"be 'label index:value ...' with indices from {base} that grow"
    lines = [kept for line in lines if (kept := line.partition("#")[0].strip())]
    counts = np.array([line.count(":") for line in lines], dtype=np.int64)
    cells = " ".join(lines).replace(":", " ").split()
    ends = np.cumsum(2 * counts + 1)
    if len(cells) != (ends[-1] if len(ends) else 0):
        raise ValueError(form)
    starts = (ends - 2 * counts - 1).tolist()
    labels = [cells[start] for start in starts]
    for start in starts:
        cells[start] = "0"
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        raise ValueError(form) from None
    values = np.delete(values, starts).reshape(-1, 2)
    index, value = values[:, 0], values[:, 1]
    row = np.repeat(np.arange(len(lines)), counts)
    if not (index >= base).all():
        raise ValueError(form)
    if (index > LARGEST_INDEX).any():
        raise ValueError(f"have indices up to {LARGEST_INDEX:,}")
    grows = (np.diff(index) > 0.0) | (np.diff(row) > 0)
    if not (grows.all() and (index % 1.0 == 0.0).all()):
        raise ValueError(form)
    if not (np.abs(value) <= LARGEST).all():
        raise ValueError(FINITE)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    columns = index.astype(np.int64) - base
    width = int(columns.max()) + 1 if len(columns) else 0
    return labels, sparse.csr_matrix((value, columns, indptr), shape=(len(lines), width))


def _table_of(labels: list[str], X: Any, n_skipped: int, layout: Layout) -> Table:
    """Return rows as a table whose only column is the label, the matrix beside it."""

    def numbers_at(_: int) -> np.ndarray:
        values, wrong = numbers_of(labels, layout.label_kind)
        for i, rule in wrong:
            raise StreamError(f"label of {layout.source}", rule, labels[i])
        return values

    table = Table.of(layout, len(labels), numbers_at, lambda _: texts_of(labels))
    return replace(table, n_skipped=n_skipped, sparse=X)


def _chunk_of(table: Table, layout: Layout, width: int, base: int) -> Chunk:
    X = table.sparse
    X.resize(len(table), width)
    rows = X if width > WIDEST else X.toarray()
    names = numbered(width, base, "")
    return Chunk(rows, labels_of(table, layout), names, n_skipped=table.n_skipped)
