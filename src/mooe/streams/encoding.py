"""From tables to chunks: rows counted off, texts and times as numbers, labels as they are."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mooe.streams.columns import NARROW
from mooe.streams.layout import Layout
from mooe.streams.stream import Chunk, OddTimes, stacked, steady_times
from mooe.streams.values import numbers_of, values_of

MOST_OWN, N_SHARED = 1_000, 128  # columns of X for the first texts of a column, for all later ones
N_SHARED_NARROW = 4  # for all later ones, where a table is narrow and is to stay so
DAY, YEAR = 86_400.0, 365.2425 * 86_400.0  # seconds
CALENDAR = ("hour (sin)", "hour (cos)", "season (sin)", "season (cos)")
WEEKDAY = "weekday"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

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
            texts[:, j] = [cell or None for cell in cells_at(at)]
        return cls(numbers, texts)

    @classmethod
    def of_cells(
        cls, layout: Layout, columns: Sequence[Sequence[str]], n: int, plain: bool = False
    ) -> "tuple[Table, list[tuple[int, int, str]]]":
        """Return n rows of text as a table, and wrong cells: row, column, the rule it broke."""
        wrong: list[tuple[int, int, str]] = []

        def numbers_at(at: int) -> np.ndarray:
            kind, spelling = layout.kind(at), layout.spellings[at]
            values, rules = numbers_of(columns[at], kind, spelling, plain)
            wrong.extend((i, at, rule) for i, rule in rules)
            return values

        def values_at(at: int) -> list[Any]:
            values, rules = values_of(columns[at], layout.kind(at), layout.spellings[at])
            wrong.extend((i, at, rule) for i, rule in rules)
            return values

        return cls.of(layout, n, numbers_at, values_at, columns.__getitem__), wrong

    def column(self, layout: Layout, at: int) -> np.ndarray:
        """Return a column of numbers by its position in the source."""
        values: np.ndarray = self.numbers[:, layout.number_columns.index(at)]
        return values

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
    encoder, last, has_time = Encoder(layout), layout.first_time, False
    for table in recut(tables, rows, layout.options.max_rows, is_prompt):
        X, n_missing = encoder.rows(table)
        times, odd, is_read = None, OddTimes(), None
        if layout.time is not None:
            own = table.column(layout, layout.time)
            own = own / layout.per_second if layout.per_second else own
            times, odd = steady_times(own, last, has_time)
            is_read = ~np.isnan(own) if odd.unreadable else None
            has_time |= odd.unreadable < len(times)
            last = float(times[-1]) if len(times) else last
        y = labels_of(table, layout)
        groups = tuple(encoder.groups) if encoder.texts else ()
        columns = tuple(encoder.columns)
        kept = table.texts[:, len(layout.text_columns) :] if layout.kept else None
        yield Chunk(X, y, columns, times, n_missing, table.n_skipped, groups, odd, kept, is_read)


class Encoder:
    """Tables as rows of numbers: texts as indicators, moments as hour, weekday and season.

    The first texts of a column that come have a column of X each; all later ones share some, by a
    hash, so memory is bounded. `columns` and `groups` are those of X, as in `Chunk`, and grow.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        moments = [layout.names[at] for at in layout.moments]
        self.columns = [layout.names[at] for at in layout.numbers]
        self.columns += [f"{name}: {part}" for name in moments for part in CALENDAR]
        self.groups: list[str | None] = [None] * len(self.columns)
        self.texts = [layout.names[at] for at in layout.texts]
        self.texts += [f"{name}: {WEEKDAY}" for name in moments]
        before = dict(layout.options.texts)  # that have columns of their own in a model
        self.own = [
            {text: self._add(name, f"={text}") for text in before.get(name, ())}
            for name in self.texts
        ]
        self.shared: list[dict[int, int]] = [{} for _ in self.texts]
        self.n_shared, self.room = N_SHARED, MOST_OWN * (1 + len(self.texts)) + len(self.columns)
        if layout.is_narrow:
            self.n_shared = N_SHARED_NARROW
            self.room = NARROW - self.n_shared * len(self.texts)

    def rows(self, table: Table) -> tuple[np.ndarray, int]:
        """In place: return the rows of a table, and how many texts have no value."""
        layout = self.layout
        moments = [table.column(layout, at) for at in layout.moments]
        texts = [table.texts[:, at].tolist() for at in range(len(layout.texts))]
        texts += [_weekdays(times) for times in moments]
        place = self._meet(texts)
        n_numbers = len(layout.numbers)
        X = np.zeros((len(table), len(self.columns)))
        X[:, :n_numbers] = table.numbers[:, :n_numbers]
        for k, times in enumerate(moments):
            first = n_numbers + k * len(CALENDAR)
            X[:, first : first + len(CALENDAR)] = _calendar(times)
        n_missing = 0
        for at, cells in enumerate(texts):
            known = place[at]
            for i, text in enumerate(cells):
                if text is not None:
                    X[i, known[text]] = 1.0
            n_missing += cells.count(None)
        return X, n_missing

    def _meet(self, texts: list[list[str | None]]) -> list[dict[str, int]]:
        """In place: return for each column the column of X of each of its texts, new ones too."""
        place: list[dict[str, int]] = []
        new = []
        for at, cells in enumerate(texts):
            first: dict[str | None, int] = {}
            for i, text in enumerate(cells):
                first.setdefault(text, i)
            first.pop(None, None)
            place.append({text: self.own[at].get(text, -1) for text in first if text is not None})
            new += [(first[text], at, text) for text, column in place[at].items() if column < 0]
        for _, at, text in sorted(new):  # in the order of the rows
            place[at][text] = self._column(at, text)
        return place

    def _column(self, at: int, text: str) -> int:
        """In place: return the column of X for a text that has none of its own yet."""
        name, own, shared = self.texts[at], self.own[at], self.shared[at]
        n_own = len(self.columns) - sum(map(len, self.shared))
        if len(own) < MOST_OWN and n_own < self.room:
            own[text] = self._add(name, f"={text}")
            return own[text]
        number = zlib.crc32(text.encode()) % self.n_shared
        if number not in shared:
            shared[number] = self._add(name, f"#{number}")
        return shared[number]

    def _add(self, name: str, ending: str) -> int:
        """In place: return a new column of X that tells of a column of texts."""
        self.columns.append(name + ending)
        self.groups.append(name)
        return len(self.columns) - 1


def _calendar(times: np.ndarray) -> np.ndarray:
    """Return hour and season of times, (n, len(CALENDAR)), as places on two circles."""
    turns = 2.0 * np.pi * times[:, None] / np.array([DAY, YEAR])
    return np.stack([np.sin(turns), np.cos(turns)], axis=2).reshape(len(times), len(CALENDAR))


def _weekdays(times: np.ndarray) -> list[str | None]:
    """Return the days of the week of times, None where a time is not known."""
    days = np.where(np.isnan(times), 0.0, times) // DAY + 3.0  # 1970 began on a Thursday
    names = [WEEKDAYS[int(day)] for day in (days % 7.0).tolist()]
    return [None if time != time else name for time, name in zip(times, names, strict=True)]


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
        return table.column(layout, layout.label).copy()
    labels = table.texts[:, len(layout.texts)]
    types = set(map(type, labels.tolist()))
    if types == {float}:
        return labels.astype(np.float64)
    is_short = types == {int} and max(map(abs, labels.tolist())) < 2**63
    return labels.astype(np.int64) if is_short else labels.copy()
