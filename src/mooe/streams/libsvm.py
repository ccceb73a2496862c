"""LIBSVM text: a label, then index:value for each number that is not 0."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from mooe.streams.cells import LARGEST, Spelling
from mooe.streams.columns import label_facts
from mooe.streams.delimited import Pieces, blocks_of, opened
from mooe.streams.encoding import Table, labels_of, recut
from mooe.streams.layout import FIRST_ROWS, Layout, Options
from mooe.streams.stream import WIDEST, Chunk, Stream, StreamError, numbered
from mooe.streams.values import FINITE

LARGEST_INDEX = 2**31 - 1  # as LIBSVM itself has it
LABEL = "label"  # what the first cell of a row is called


def libsvm_stream(source: str, pieces: Pieces, options: Options, n_features: int = 0) -> Stream:
    """Return the stream of a LIBSVM text, which is read in pieces.

    Columns are called by their index. There are n_features of them, or as many as the first 1,000
    rows have, or, where a model goes on that learnt from LIBSVM text, as many as that had; and more
    when a larger index comes.
    """
    odd = next((name for name, _ in options.inputs or () if not name.isdigit()), None)
    if odd is not None and options.label not in (None, LABEL):  # of a model taught by a table
        rule = f"have the column {odd!r:.80} of the model"
        raise StreamError(source, rule, "LIBSVM text", "its columns are numbers")
    for what in ("label", "time", "drop", "keep"):
        value = getattr(options, what)
        if value and value != LABEL:
            rule = "not be given for LIBSVM text, where only numbers follow"
            raise StreamError(what, rule, value)
    (look, reopen), skips = opened(pieces), options.skip_bad_rows
    first = next(recut(_tables(look, source, skips, 0), FIRST_ROWS, FIRST_ROWS), None)
    if first is None or not len(first):
        raise StreamError(source, "have rows", 0)
    known = _known_indices(options)
    base = 0 if 0 in known or (first.sparse.indices == 0).any() else 1
    n_features = max(n_features, (known.stop or _used_width(first.sparse)) - base)
    spelling = Spelling(has_truth=False)
    facts = label_facts(source, LABEL, first.texts[:, 0].tolist(), options, {LABEL: spelling})
    layout = Layout(source, (LABEL,), options, label=0, spellings=(spelling,), **facts)

    def read(rows: int) -> Iterator[Chunk]:
        width, tables = n_features, _tables(reopen(), source, skips, base)
        for table in recut(tables, rows, options.max_rows):
            X = table.sparse
            width = max(width, _used_width(X))
            X.resize(len(table), width)
            dense = X if width > WIDEST else X.toarray()
            names = numbered(width, base, "")
            cells = table.texts[:, 0].tolist()
            labels, wrong = Table.of_cells(layout, [cells], len(cells))
            for i, _, rule in wrong:
                raise StreamError(f"label of {source}", rule, cells[i][:80])
            yield Chunk(dense, labels_of(labels, layout), names, n_skipped=table.n_skipped)

    names = numbered(n_features, base, "")
    return layout.stream(read, feature_names=names, kinds=None, text=pieces)


def _known_indices(options: Options) -> range:
    """Return the indices that are columns of a model which learnt from LIBSVM, none of any other.

    Such a model has a number for every index from 0 or 1 on.
    """
    kinds = dict(options.inputs or ())
    for first in (0, 1):
        indices = range(first, first + len(kinds))
        if all(kinds.get(str(index)) == "number" for index in indices):
            return indices
    return range(0)


def _used_width(X: Any) -> int:
    """Return the number of columns up to the last one that holds something."""
    return int(X.indices.max()) + 1 if X.nnz else 0


def _tables(text: Iterable[bytes], source: str, skips: bool, base: int) -> Iterator[Table]:
    """Yield a table for each block, whose only column is the label, the matrix beside it."""
    line = 1
    for block in blocks_of(text, source):
        lines = block.decode("ascii", errors="replace").split("\n")
        try:
            yield _table_of(lines, base)
        except ValueError:
            good = []
            for at, row in enumerate(lines, line):
                try:
                    _table_of([row], base)
                except ValueError as error:
                    rule = str(error)
                    if not skips or rule == FINITE:
                        raise StreamError(f"{source}, line {at:,}", rule, row[:200]) from None
                else:
                    good.append(row)
            yield replace(_table_of(good, base), n_skipped=len(lines) - len(good))
        line += len(lines) - 1


def _table_of(lines: list[str], base: int) -> Table:
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
    X = sparse.csr_matrix((value, columns, indptr), shape=(len(lines), width))
    texts = np.array(labels, dtype=object).reshape(-1, 1)
    return Table(np.empty((len(lines), 0)), texts, sparse=X)
