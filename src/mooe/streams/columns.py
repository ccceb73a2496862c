"""The columns of a table, decided from its first 1,000 rows, and what their cells hold."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal

import numpy as np

from mooe.streams.stream import Chunk, LabelKind, Stream, StreamError, Task, listed, nearest

FIRST_ROWS = 1_000  # that decide what a column holds
# pyarrow takes the same list, so both ways of reading see the same cells.
MISSING = ("", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "Null", "null", "None")
LARGEST = 1e100  # as mooe.numerics.features has it, which is compiled
GIVEN = "hold a value (missing='error')"
FINITE = f"be finite and of size up to {LARGEST:g}"
MOST_TEXTS = 50  # values of a text column in the first rows, and of a label that is a class
LABEL_HINT = "name the column to predict with --label (label=)"

# Of a cell: a whole number, any number, a text, a time as a number or as an ISO timestamp.
Kind = Literal["whole", "real", "text", "time", "iso"]


@dataclass(frozen=True)
class Options:
    """What the user says of a table; `open_stream` explains the fields."""

    label: str | None = None
    task: Task | Literal["auto"] = "auto"
    time: str | None = None
    drop: tuple[str, ...] = ()
    missing: Literal["mean", "error"] = "mean"
    skip_bad_rows: bool = False
    max_rows: int | None = None
    labelled: bool = True
    inputs: tuple[tuple[str, Literal["number", "text"]], ...] | None = None
    label_kind: LabelKind | None = None
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.missing not in ("mean", "error"):
            raise StreamError("missing", "be 'mean' or 'error'", self.missing)
        if self.max_rows is not None and self.max_rows < 1:
            raise StreamError("max_rows", "be at least 1", self.max_rows)
        if self.label_kind not in (None, "text", "number"):
            raise StreamError("label_kind", "be 'text' or 'number'", self.label_kind)


@dataclass(frozen=True)
class Layout:
    """Where the parts of a row are: positions among the columns, and what they hold."""

    source: str
    names: tuple[str, ...]
    options: Options
    delimiter: str = ","
    quote: str = '"'
    numbers: tuple[int, ...] = ()  # inputs that are numbers
    texts: tuple[int, ...] = ()  # inputs that are texts
    label: int | None = None
    label_kind: Kind = "text"
    has_labels: bool = False  # whether the first rows show what labels are, or the user said so
    time: int | None = None
    time_kind: Kind = "time"
    task: Task = "classification"
    kept: tuple[int, ...] = ()  # carried along as texts, whatever else they are

    @cached_property
    def number_columns(self) -> tuple[int, ...]:
        """The columns that are read as floats: inputs first, then a regression's label, time."""
        label = self.label if self.task == "regression" else None
        return self.numbers + tuple(at for at in (label, self.time) if at is not None)

    @cached_property
    def text_columns(self) -> tuple[int, ...]:
        """The columns that are read as they are: inputs that are texts, then labels of classes."""
        label = () if self.label is None or self.task == "regression" else (self.label,)
        return self.texts + label

    def kind(self, at: int) -> Kind:
        if at == self.label:
            return self.label_kind
        if at == self.time:
            return self.time_kind
        return "text" if at in self.texts else "real"

    def stream(self, read: Callable[[int], Iterator[Chunk]], **known: Any) -> Stream:
        """Return the stream of the source; what else is known of it are fields of `Stream`."""
        inputs = tuple(self.names[at] for at in sorted(self.numbers + self.texts))
        kind: LabelKind = "text" if self.label_kind == "text" else "number"
        fields = {"name": self.source, "feature_names": inputs, **known}
        known_kind = kind if self.has_labels else None
        dates = self.time is not None and self.time_kind != "time"
        return Stream(task=self.task, read=read, label_kind=known_kind, has_dates=dates, **fields)


def layout_of(bare: Layout, rows: Sequence[Sequence[str]]) -> Layout:
    """Return the whole layout of a table that has its names and options, from its first rows."""
    source, names, options = bare.source, bare.names, bare.options
    _check_names(source, names, options)
    if not rows:
        raise StreamError(source, "have rows below its column names", 0)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    label = options.label if options.labelled else None
    time = options.time
    inputs, texts = _inputs_of(source, columns, options)
    about_label = label_facts(source, label, () if label is None else columns[label], options)
    return replace(
        bare,
        numbers=tuple(names.index(name) for name in inputs if name not in texts),
        texts=tuple(map(names.index, texts)),
        label=None if label is None else names.index(label),
        time=None if time is None else names.index(time),
        time_kind="time" if time is None else _time_kind(source, time, columns[time]),
        kept=tuple(map(names.index, options.keep)),
        **about_label,
    )


def label_facts(
    source: str, label: str | None, cells: Sequence[str], options: Options
) -> dict[str, Any]:
    """Return what a layout says of its labels, from the cells of the first rows.

    They are whole numbers (written without a point), numbers, or texts; texts may be asked for, and
    numbers where the cells are all empty. `open_stream` says what makes the task.
    """
    cells = [cell for cell in cells if not is_missing(cell)]
    asked, task = options.label_kind, options.task
    kind: Kind = "real"
    if asked == "text" or not _are_numbers(cells) or not (cells or asked):
        kind = "text"
    elif cells and all(map(_is_whole, cells)):
        kind = "whole"
    if task == "regression":
        odd = next((cell for cell in cells if not _is_number(cell)), None)
        if odd is not None:
            name = f"label {label!r} of {source}"
            raise StreamError(name, "be a number for regression", odd[:80])
    elif task == "auto":
        values = set() if kind == "text" else set(map(number, cells))
        few = len(values) <= MOST_TEXTS and all(value.is_integer() for value in values)
        task = "classification" if few else "regression"
    elif task != "classification":
        raise StreamError("task", "be 'auto', 'classification' or 'regression'", task)
    return {
        "task": task,
        "label_kind": "real" if task == "regression" else kind,
        "has_labels": label is not None and bool(asked or cells),
    }


def _is_whole(cell: str) -> bool:
    return cell.strip().lstrip("+-").isdigit()


def _inputs_of(
    source: str, columns: dict[str, tuple[str, ...]], options: Options
) -> tuple[list[str], list[str]]:
    """Return the input columns, and which of them are texts."""
    if options.inputs is None:
        others = (options.label, options.time, *options.drop, *options.keep)
        inputs = [name for name in columns if name not in others]
        texts = [name for name in inputs if not _are_numbers(columns[name])]
        for name in texts:
            _check_text(source, name, columns[name])
    else:
        kinds = dict(options.inputs)
        absent = [name for name in kinds if name not in columns]
        if absent:
            hint = nearest(absent[0], columns) or f"the columns are: {listed(list(columns))}"
            raise StreamError(source, f"have the column {absent[0]!r}", None, hint)
        inputs = [name for name in columns if name in kinds]
        texts = [name for name in inputs if kinds[name] == "text"]
    if not inputs:
        raise StreamError(source, "have an input column beside label, time and dropped ones", 0)
    return inputs, texts


def _check_names(source: str, names: tuple[str, ...], options: Options) -> None:
    """Raise unless the column names are distinct and hold those that the options speak of."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise StreamError(f"columns of {source}", "have different names", name)
        seen.add(name)
    if options.label is None and options.labelled:
        hint = f"{LABEL_HINT}; the columns are: {listed(names)}"
        raise StreamError("label", f"be a column of {source}", None, hint)
    asked = [("time", options.time), *(("drop", name) for name in options.drop)]
    asked += [("keep", name) for name in options.keep]
    if options.labelled:
        asked.insert(0, ("label", options.label))
    for what, column in asked:
        if column is not None and column not in seen:
            hint = nearest(column, names) or f"the columns are: {listed(names)}"
            if any(map(_is_number, names)):
                hint += "; has the first row no names?"
            raise StreamError(what, f"be a column of {source}", column, hint)
    asked = [(what, column) for what, column in asked if what != "keep"]
    taken = [column for _, column in asked if column is not None]
    for column in taken:
        if taken.count(column) > 1:
            raise StreamError("label, time and drop", "be different columns", column)


def _check_text(source: str, name: str, cells: Sequence[str]) -> None:
    """Raise unless a column that is not all numbers has few values."""
    values = {cell.strip() for cell in cells if not is_missing(cell)}
    if len(values) > MOST_TEXTS:
        example = next(cell for cell in cells if not _is_number(cell))
        raise StreamError(
            f"column {name!r} of {source}",
            f"hold numbers, or at most {MOST_TEXTS} texts in the first {FIRST_ROWS:,} rows",
            example[:80],
            f"it has {len(values)}: {_text_hint(example)}leave it out with --drop {name!r} (drop=)",
        )


def _text_hint(cell: str) -> str:
    """Return what else can be done about a column with such cells than leaving it out."""
    try:
        seconds(cell)
        return "if it is the clock, name it with --time; else "
    except ValueError:
        is_decimal = "," in cell and _is_number(cell.replace(",", ".", 1))
        return "write decimals with a point, or " if is_decimal else ""


def _time_kind(source: str, name: str, cells: Sequence[str]) -> Kind:
    """Return "time" where times are numbers and "iso" where they are timestamps."""
    if _are_numbers(cells):
        return "time"
    for cell in cells:
        try:
            seconds(cell)
        except ValueError:
            rule = "hold numbers or ISO timestamps such as 2024-05-01T12:00:00"
            raise StreamError(f"time column {name!r} of {source}", rule, cell[:80]) from None
    return "iso"


def is_missing(cell: str) -> bool:
    return cell.strip() in MISSING


def number(cell: str) -> float:
    """Return the number a cell holds, NaN where it is missing; ValueError where it is none.

    >>> number(" 1.5 "), number("-2e3")
    (1.5, -2000.0)
    """
    cell = cell.strip()
    if cell in MISSING:
        return math.nan
    if "_" in cell or not cell.isascii():  # Python's own numbers, not those of a table
        raise ValueError(cell)
    return float(cell)


def seconds(cell: str) -> float:
    """Return an ISO timestamp in seconds since 1970, UTC unless it names another zone.

    >>> seconds("1970-01-02"), seconds("1970-01-01T01:00:00+01:00")
    (86400.0, 0.0)
    """
    moment = datetime.fromisoformat(cell.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _is_number(cell: str) -> bool:
    try:
        number(cell)
    except ValueError:
        return False
    return True


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether every cell holds a number or nothing."""
    return all(map(_is_number, set(cells)))


def numbers_of(
    cells: Sequence[str], kind: Kind, plain: bool = False
) -> tuple[np.ndarray, list[tuple[int, str]]]:
    """Return a column as numbers, and which cells are none, each with the rule it broke.

    `plain` says that no cell has an underscore or a letter beyond ASCII.
    """
    if plain and kind in ("real", "time"):
        with suppress(ValueError):
            values = np.fromiter(map(float, cells), np.float64, len(cells))
            if (np.abs(values) <= LARGEST).all():
                return values, []
    values = np.full(len(cells), math.nan)
    wrong = []
    convert = seconds if kind == "iso" else number
    for i, cell in enumerate(cells):
        try:
            values[i] = convert(cell)
        except ValueError:
            what = "an ISO timestamp" if kind == "iso" else "a number"
            wrong.append((i, f"be {what}, as in the first {FIRST_ROWS:,} rows"))
        else:
            if abs(values[i]) > LARGEST:
                wrong.append((i, FINITE))
            elif kind == "time" and math.isnan(values[i]):
                wrong.append((i, "be given in every row"))
            elif kind == "whole" and not (math.isnan(values[i]) or values[i].is_integer()):
                wrong.append((i, f"be a whole number, as in the first {FIRST_ROWS:,} rows"))
    return values, wrong


def values_of(cells: Sequence[str], kind: Kind) -> tuple[list[Any], list[tuple[int, str]]]:
    """Return texts or the labels of classes as they are, None for none, and wrong cells as above.

    A label written as a whole number is an int, any other number a float, cell by cell: no two
    become one, and none depends on the rows that are read with it.
    """
    distinct = list(set(cells))
    if kind == "text":
        known = {cell: None if is_missing(cell) else cell.strip() for cell in distinct}
        return [known[cell] for cell in cells], []
    numbers, wrong = numbers_of(distinct, kind)
    rules = {distinct[i]: rule for i, rule in wrong}
    exact = {
        cell: None if cell in rules or value != value else int(cell) if _is_whole(cell) else value
        for cell, value in zip(distinct, numbers.tolist(), strict=True)
    }
    wrong = [(i, rules[cell]) for i, cell in enumerate(cells) if cell in rules] if rules else []
    return [exact[cell] for cell in cells], wrong
