"""From tables to chunks: rows counted off, texts turned into indicators, labels as they are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.streams.columns import Layout, numbers_of, values_of
from mooe.streams.stream import Chunk, StreamError, stacked

MOST_VALUES = 1_000  # of a text column in all its rows: each is a column of X

Column = Callable[[int], Any]  # what the column at a position holds


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as read: the layout's number_columns; its text_columns, then the kept ones."""

    numbers: np.ndarray  # (n, len(layout.number_columns)), float64; NaN: missing
    texts: np.ndarray  # (n, text and kept columns), object: str, label; None: missing
    n_skipped: int = 0
    sparse: Any = None  # CSR matrix (n, width) of inputs, where the source is sparse

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def of(
        cls, layout: Layout, n: int, numbers_at: Column, texts_at: Column, cells_at: Column
    ) -> "Table":
        """Return a table of n rows from functions that return a column of the source.

        cells_at returns the cells of a column as they are written.
        """
        numbers, width = np.empty((n, len(layout.number_columns))), len(layout.text_columns)
        texts = np.empty((n, width + len(layout.kept)), dtype=object)
        for j, at in enumerate(layout.number_columns):
            numbers[:, j] = numbers_at(at)
        for j, at in enumerate(layout.text_columns):
            texts[:, j] = texts_at(at)
        for j, at in enumerate(layout.kept, width):
            texts[:, j] = values_of(cells_at(at), "text")[0]
        return cls(numbers, texts)

    @classmethod
    def of_cells(
        cls, layout: Layout, columns: Sequence[Sequence[str]], n: int, plain: bool = False
    ) -> "tuple[Table, list[tuple[int, int, str]]]":
        """Return n rows of text as a table, and wrong cells: row, column, the rule it broke."""
        wrong: list[tuple[int, int, str]] = []

        def numbers_at(at: int) -> np.ndarray:
            values, rules = numbers_of(columns[at], layout.kind(at), plain)
            wrong.extend((i, at, rule) for i, rule in rules)
            return values

        def values_at(at: int) -> list[Any]:
            values, rules = values_of(columns[at], layout.kind(at))
            wrong.extend((i, at, rule) for i, rule in rules)
            return values

        return cls.of(layout, n, numbers_at, values_at, columns.__getitem__), wrong

    def cut(self, start: int, stop: int | None = None) -> "Table":
        """Return some rows; those that were skipped count with the first."""
        n_skipped = 0 if start else self.n_skipped
        X = None if self.sparse is None else self.sparse[start:stop]
        return Table(self.numbers[start:stop], self.texts[start:stop], n_skipped, X)


def chunks_of(
    tables: Iterable[Table], layout: Layout, rows: int, is_prompt: bool = False
) -> Iterator[Chunk]:
    """Yield the rows of tables in chunks.

    What a chunk holds does not depend on the tables, unless each is to be handed on at once.
    """
    known: dict[tuple[int, str], int] = {}  # (text column, value) -> column of X
    columns = [layout.names[at] for at in layout.numbers]
    groups: list[str | None] = [None] * len(columns)
    n_numbers, row = len(columns), 0
    for table in recut(tables, rows, layout.options.max_rows, is_prompt):
        texts = [table.texts[:, at].tolist() for at in range(len(layout.texts))]
        new = sorted(
            (cells.index(value), at, value)
            for at, cells in enumerate(texts)
            for value in dict.fromkeys(cells)
            if value is not None and (at, value) not in known
        )
        for first, at, value in new:  # in the order of the rows
            name = layout.names[layout.texts[at]]
            known[at, value] = len(columns)
            columns.append(f"{name}={value}")
            groups.append(name)
            if sum(other == at for other, _ in known) > MOST_VALUES:
                raise StreamError(
                    f"column {name!r} of {layout.source}",
                    f"have at most {MOST_VALUES:,} texts (row {row + first + 1:,})",
                    value[:80],
                    f"leave it out with --drop {name!r} (drop=)",
                )
        X = np.zeros((len(table), len(columns)))
        X[:, :n_numbers] = table.numbers[:, :n_numbers]
        n_missing = 0
        for at, cells in enumerate(texts):
            for i, value in enumerate(cells):
                if value is None:
                    n_missing += 1
                else:
                    X[i, known[at, value]] = 1.0
        times = table.numbers[:, -1].copy() if layout.time is not None else None
        y = labels_of(table, layout)
        known_groups = tuple(groups) if layout.texts else ()
        kept = table.texts[:, len(layout.text_columns) :] if layout.kept else None
        yield Chunk(X, y, tuple(columns), times, n_missing, table.n_skipped, known_groups, kept)
        row += len(table)


def recut(
    tables: Iterable[Table], rows: int, max_rows: int | None, is_prompt: bool = False
) -> Iterator[Table]:
    """Yield the same rows in tables of `rows` rows, at most max_rows of them in all.

    A prompt one yields what it has after each table, however few rows that are.
    """
    left = max_rows if max_rows is not None else np.inf
    waiting: list[Table] = []
    n_waiting = 0
    for table in tables:
        waiting.append(table if len(table) <= left else table.cut(0, int(left)))
        left -= len(waiting[-1])
        n_waiting += len(waiting[-1])
        if n_waiting >= rows:
            whole = _joined(waiting)
            for start in range(0, n_waiting - rows + 1, rows):
                yield whole.cut(start, start + rows)
            waiting = [whole.cut(n_waiting - n_waiting % rows)]
            n_waiting %= rows
        if is_prompt and n_waiting:
            yield _joined(waiting)
            waiting, n_waiting = [], 0
        if left <= 0:
            break
    if n_waiting or any(table.n_skipped for table in waiting):
        yield _joined(waiting)


def _joined(tables: list[Table]) -> Table:
    if len(tables) == 1:
        return tables[0]
    X = None
    if tables[0].sparse is not None:
        X = stacked([table.sparse for table in tables], max(t.sparse.shape[1] for t in tables))
    return Table(
        np.concatenate([table.numbers for table in tables]),
        np.concatenate([table.texts for table in tables]),
        sum(table.n_skipped for table in tables),
        X,
    )


def labels_of(table: Table, layout: Layout) -> np.ndarray:
    """Return labels as the source has them; None, or NaN in a regression, for a row without one."""
    if layout.label is None:
        return np.full(len(table), None, dtype=object)
    if layout.task == "regression":
        return table.numbers[:, len(layout.numbers)].copy()
    labels = table.texts[:, len(layout.texts)]
    types = set(map(type, labels.tolist()))
    if types == {float}:
        return labels.astype(np.float64)
    is_short = types == {int} and max(map(abs, labels.tolist())) < 2**63
    return labels.astype(np.int64) if is_short else labels.copy()
