"""What each column of a table is, decided from its first 1,000 rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from mooe.streams.cells import (
    FIRST_ROWS,
    Kind,
    are_numbers,
    is_missing,
    is_number,
    number,
    seconds,
)
from mooe.streams.stream import LabelKind, StreamError, Task, listed, nearest

MOST_TEXTS = 50  # values of a text column in the first rows, and of a label that is a class
LABEL_HINT = "name the column to predict with --label (label=)"


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

    @property
    def n_decisive(self) -> int:
        """How many rows are looked at before the first is handed out."""
        return FIRST_ROWS if self.labelled or self.inputs is None else 1


@dataclass(frozen=True)
class Layout:
    """Where the parts of a row are: positions among the columns, and what they hold."""

    source: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]  # inputs that are numbers
    texts: tuple[int, ...]  # inputs that are texts
    label: int | None
    label_kind: Kind
    time: int | None
    time_kind: Kind
    task: Task
    missing: Literal["mean", "error"]
    skip_bad_rows: bool
    delimiter: str = ","
    quote: str = '"'
    has_labels: bool = True  # whether the first rows show what labels are, or the user said so

    @property
    def read_as(self) -> LabelKind | None:
        """What labels are read as, None where nothing has shown it."""
        if self.label is None or not self.has_labels:
            return None
        return "text" if self.label_kind == "text" else "number"

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Inputs in the order of the source."""
        return tuple(self.names[at] for at in sorted(self.numbers + self.texts))

    @cached_property
    def number_columns(self) -> tuple[int, ...]:
        """The columns that are read as numbers: inputs first, then label and time if they are."""
        label = self.label if self.label_kind != "text" else None
        return self.numbers + tuple(at for at in (label, self.time) if at is not None)

    @cached_property
    def text_columns(self) -> tuple[int, ...]:
        """The columns that are read as texts: inputs first, then the label if it is one."""
        return self.texts + (
            (self.label,) if self.label is not None and self.label_kind == "text" else ()
        )

    def kind(self, at: int) -> Kind:
        if at == self.label:
            return self.label_kind
        if at == self.time:
            return self.time_kind
        return "text" if at in self.texts else "real"


def layout_of(
    source: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    options: Options,
    delimiter: str = ",",
    quote: str = '"',
) -> Layout:
    """Return the layout of a table from its column names and its first rows, as text."""
    names = tuple(names)
    _check_names(source, names, options)
    if not rows:
        raise StreamError(source, "have rows below its column names", 0)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    label, time = options.label, options.time
    kind: Kind = "text"
    if not options.labelled:
        label = None
    elif label is not None:
        kind = label_kind(columns[label], options.label_kind)
    others = (options.label, time, *options.drop)
    inputs, texts = inputs_of(source, columns, others, options.inputs)
    task = task_of(source, label, kind, columns, options.task)
    return Layout(
        source,
        names,
        numbers=tuple(names.index(name) for name in inputs if name not in texts),
        texts=tuple(map(names.index, texts)),
        label=None if label is None else names.index(label),
        label_kind="real" if task == "regression" else kind,
        time=None if time is None else names.index(time),
        time_kind="time" if time is None else time_kind(source, time, columns[time]),
        task=task,
        missing=options.missing,
        skip_bad_rows=options.skip_bad_rows,
        delimiter=delimiter,
        quote=quote,
        has_labels=label is not None and has_labels(columns[label], options.label_kind),
    )


def inputs_of(
    source: str,
    columns: dict[str, tuple[str, ...]],
    others: tuple[str | None, ...],
    asked: tuple[tuple[str, str], ...] | None,
) -> tuple[list[str], list[str]]:
    """Return the input columns, and which of them are texts."""
    if asked is None:
        inputs = [name for name in columns if name not in others]
        texts = [name for name in inputs if not are_numbers(columns[name])]
        for name in texts:
            _check_text(source, name, columns[name])
    else:
        kinds = dict(asked)
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
    if options.labelled:
        asked.insert(0, ("label", options.label))
    for what, column in asked:
        if column is not None and column not in seen:
            hint = nearest(column, names) or f"the columns are: {listed(names)}"
            if any(map(is_number, names)):
                hint += "; has the first row no names?"
            raise StreamError(what, f"be a column of {source}", column, hint)
    taken = [column for _, column in asked if column is not None]
    for column in taken:
        if taken.count(column) > 1:
            raise StreamError("label, time and drop", "be different columns", column)


def _check_text(source: str, name: str, cells: Sequence[str]) -> None:
    """Raise unless a column that is not all numbers has few values."""
    values = {cell.strip() for cell in cells if not is_missing(cell)}
    if len(values) > MOST_TEXTS:
        example = next(cell for cell in cells if not is_number(cell))
        raise StreamError(
            f"column {name!r} of {source}",
            f"hold numbers, or at most {MOST_TEXTS} texts in the first {FIRST_ROWS:,} rows",
            example,
            f"it has {len(values)}: {_text_hint(example)}leave it out with --drop {name!r} (drop=)",
        )


def _text_hint(cell: str) -> str:
    """Return what else can be done about a column with such cells than leaving it out."""
    try:
        seconds(cell)
        return "if it is the clock, name it with --time; else "
    except ValueError:
        is_decimal = "," in cell and is_number(cell.replace(",", ".", 1))
        return "write decimals with a point, or " if is_decimal else ""


def label_kind(cells: Sequence[str], asked: LabelKind | None = None) -> Kind:
    """Return what labels are: whole numbers (written without a point), numbers, or texts.

    Texts may be asked for, and numbers where the cells are all empty.
    """
    cells = [cell.strip() for cell in cells if not is_missing(cell)]
    if asked == "number" and not cells:
        return "real"
    if asked == "text" or not cells or not are_numbers(cells):
        return "text"
    whole = all(cell.lstrip("+-").isdigit() and abs(float(cell)) < 2**53 for cell in cells)
    return "whole" if whole else "real"


def has_labels(cells: Sequence[str], asked: LabelKind | None) -> bool:
    """Whether it is known what labels are: it was said, or there is one."""
    return asked is not None or not all(map(is_missing, cells))


def task_of(
    source: str, label: str | None, kind: Kind, columns: dict[str, tuple[str, ...]], asked: str
) -> Task:
    """Return the task; `open_stream` says the rule."""
    if asked not in ("auto", "classification", "regression"):
        raise StreamError("task", "be 'auto', 'classification' or 'regression'", asked)
    if label is None:
        return "regression" if asked == "regression" else "classification"
    cells = [cell for cell in columns[label] if not is_missing(cell)]
    if asked == "regression":
        odd = next((cell for cell in cells if not is_number(cell)), None)
        if odd is not None:
            raise StreamError(f"label {label!r} of {source}", "be a number for regression", odd)
        return "regression"
    if asked == "classification" or kind == "text":
        return "classification"
    values = {number(cell) for cell in cells}
    few = len(values) <= MOST_TEXTS and all(value.is_integer() for value in values)
    return "classification" if few else "regression"


def time_kind(source: str, name: str, cells: Sequence[str]) -> Kind:
    """Return "time" where times are numbers and "iso" where they are timestamps."""
    if are_numbers(cells):
        return "time"
    for cell in cells:
        try:
            seconds(cell)
        except ValueError:
            rule = "hold numbers or ISO timestamps such as 2024-05-01T12:00:00"
            raise StreamError(f"time column {name!r} of {source}", rule, cell) from None
    return "iso"
