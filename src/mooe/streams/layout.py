"""The layout of a table: what the user says of it, what each column holds, how it is written."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from mooe.streams.cells import DECIMALS, Spelling
from mooe.streams.stream import Chunk, InputKind, LabelKind, Stream, StreamError, Task

FIRST_ROWS = 1_000  # that decide what a column holds
# Of a cell: a whole number, any number, a text, a time as a number or as a date.
Kind = Literal["whole", "real", "text", "time", "date"]


class Usual(NamedTuple):
    """How the tables of a model that goes on are written, where the rows leave it open."""

    decimal: str = "."
    date_format: str | None = None
    clock: str | None = None  # a column of dates
    units: Mapping[str, str] = MappingProxyType({})  # that stand beside the numbers of columns
    decimals: Mapping[str, str] = MappingProxyType({})  # of columns, where they are not all alike


NOTHING_USUAL = Usual()


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
    inputs: tuple[tuple[str, InputKind], ...] | None = None
    label_kind: LabelKind | None = None
    decimal: str | None = None
    encoding: str | None = None
    date_format: str | None = None
    na: tuple[str, ...] = ()
    calendar: bool = False
    texts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_narrow: bool | None = None
    usual: Usual = NOTHING_USUAL
    keep: tuple[str, ...] = ()
    is_frame: bool = False  # whether it is a frame in Python, of which other remedies are told

    def __post_init__(self) -> None:
        if self.missing not in ("mean", "error"):
            raise StreamError("missing", "be 'mean' or 'error'", self.missing)
        if self.max_rows is not None and self.max_rows < 1:
            raise StreamError("max_rows", "be at least 1", self.max_rows)
        if self.label_kind not in (None, "text", "number"):
            raise StreamError("label_kind", "be 'text' or 'number'", self.label_kind)
        if self.decimal not in (None, *DECIMALS):
            raise StreamError("decimal", "be '.' or ','", self.decimal)

    @property
    def plain_spelling(self) -> Spelling:
        """How cells are written as far as the user says."""
        return Spelling(self.decimal or self.usual.decimal, na=frozenset(map(str.strip, self.na)))


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
    moments: tuple[int, ...] = ()  # inputs that are times: hour, weekday and season count
    label: int | None = None
    label_kind: Kind = "text"
    has_labels: bool = False  # whether the first rows show what labels are, or the user said so
    time: int | None = None
    time_kind: Kind = "time"
    first_time: float = 0.0  # that can be read
    per_second: float = 0.0  # units of times that count from 1970; 0 of dates and other numbers
    task: Task = "classification"
    is_narrow: bool = False  # whether texts are to have few columns, as the first rows do
    spellings: tuple[Spelling, ...] = ()  # of all columns
    remarks: tuple[str, ...] = ()  # what was decided that a user should know
    has_thousands: bool = False  # whether a column alone showed what its points or commas mean
    kept: tuple[int, ...] = ()  # carried along as texts, whatever else they are

    @cached_property
    def number_columns(self) -> tuple[int, ...]:
        """The columns that are read as floats: inputs first, then a regression's label, times."""
        label = self.label if self.task == "regression" else None
        others = (at for at in (label, self.time) if at is not None)
        return tuple(dict.fromkeys((*self.numbers, *others, *self.moments)))

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
        if at in self.moments:
            return "date"
        return "text" if at in self.texts else "real"

    def is_missing(self, at: int, cell: str) -> bool:
        """Whether a cell of a column holds nothing."""
        return self.spellings[at].is_missing(cell, at in self.texts)

    def _units(self) -> dict[str, str]:
        """Return what stands beside the numbers of columns."""
        return {
            self.names[at]: unit for at in self.number_columns if (unit := self.spellings[at].unit)
        }

    def _decimals(self) -> dict[str, str]:
        """Return the decimal signs of columns, where they differ or a row alone may not tell."""
        signs = {self.names[at]: self.spellings[at].decimal for at in self.number_columns}
        return signs if self.has_thousands or len(set(signs.values())) > 1 else {}

    def stream(self, read: Callable[[int], Iterator[Chunk]], **known: Any) -> Stream:
        """Return the stream of the source; what else is known of it are fields of `Stream`."""
        places = sorted(self.numbers + self.texts + self.moments)
        kinds: dict[str, InputKind] = {
            self.names[at]: "number" if at in self.numbers else "text" for at in places
        }
        kinds |= {self.names[at]: "time" for at in self.moments}
        kind: LabelKind = "text" if self.label_kind == "text" else "number"
        dates = [spelling.date_format for spelling in self.spellings if spelling.date_format]
        commas = any(self.spellings[at].decimal == "," for at in self.numbers)
        fields = {
            "name": self.source,
            "feature_names": tuple(kinds),
            "kinds": kinds,
            "remarks": self.remarks,
            "is_narrow": self.is_narrow or not self.texts,
            "written": ("," if commas else ".", dates[0] if dates else None),
            "has_dates": self.time is not None
            and (self.time_kind != "time" or self.per_second > 0.0),
            "time": None if self.time is None else self.names[self.time],
            "units": self._units(),
            "decimals": self._decimals(),
        }
        return Stream(
            task=self.task,
            read=read,
            label_kind=kind if self.has_labels else None,
            **{**fields, **known},
        )
