"""The table that a model was taught from, and frames as rows of such a model.

A file that the command reads and a frame of pandas, polars or pyarrow are the same table: columns
are looked at, texts and times encoded, and rows cut in the same place, by `mooe.streams`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import narwhals as nw
import numpy as np

from mooe.engine import MODEL_NAMES
from mooe.model import Model
from mooe.modelfile import ModelFileError
from mooe.streams.arrangement import ArrangedStream
from mooe.streams.cells import DECIMALS, LARGEST, cells_of
from mooe.streams.columns import NARROW, layout_of
from mooe.streams.encoding import WEEKDAY, Table, chunks_of
from mooe.streams.layout import FIRST_ROWS, Layout, Options, Usual
from mooe.streams.stream import Chunk, InputKind, LabelKind, Stream, StreamError
from mooe.streams.values import FINITE, numbers_of, values_of

KINDS = ("number", "text", "time")


@dataclass(frozen=True)
class SourceColumns:
    """What is noted in a model of the table that its rows came from."""

    model: str = "mooe"  # the name that the model was made by
    inputs: dict[str, InputKind] | None = None  # what columns hold; None: nobody noted it
    label: str | None = None  # the column of the labels
    label_kind: LabelKind | None = None  # what labels are read as: '01' may be a text or a number
    decimal: str | None = None  # the decimal sign where it is not a point
    date_format: str | None = None  # where it is not ISO 8601
    is_narrow: bool | None = None  # False: texts have as many columns as they need
    order: list[str] | None = None  # of the inputs, where columns of the model do not tell it
    time: str | None = None  # the column of dates that was the clock
    units: dict[str, str] | None = None  # that stand beside the numbers of columns
    decimals: dict[str, str] | None = None  # of columns, where one row may not tell its own

    @classmethod
    def of(cls, model: Model) -> "SourceColumns":
        """Return what is noted in a model; of one that another shell taught, its columns."""
        noted = model.notes.get("source")
        if noted is not None:
            if not cls.is_noted_well(model):
                raise ModelFileError(f"the model file is damaged: its source is {noted!r:.80}")
            return cls(**noted)
        name = MODEL_NAMES[model.params.mode]
        if model.columns is None:
            return cls(name)
        return cls(name, {str(column): "number" for column in model.columns})

    @classmethod
    def of_stream(cls, model: str, stream: Stream, label: str | None = None) -> "SourceColumns":
        """Return what is to be noted of a stream's table."""
        kinds: Mapping[str, InputKind] = stream.kinds or {}
        inputs: dict[str, InputKind] = {
            name: kinds.get(name, "number") for name in stream.feature_names
        }
        decimal, date_format = stream.written
        decimal_sign = None if decimal == "." else decimal
        written = decimal_sign, date_format or None
        is_narrow = None if stream.is_narrow else False
        clock = stream.time if stream.has_dates else None
        units = dict(stream.units) or None
        noted = cls(model, inputs, label, stream.label_kind, *written, is_narrow, time=clock)
        noted = replace(noted, units=units, decimals=dict(stream.decimals) or None)
        return replace(noted, order=list(inputs)) if noted.is_encoded else noted

    @staticmethod
    def is_noted_well(model: Model) -> bool:
        """Whether what is noted in a model can have been noted by `note`."""
        noted: Any = model.notes.get("source", {})
        return (
            isinstance(noted, dict)
            and set(noted) <= {field.name for field in fields(SourceColumns)}
            and isinstance(noted.get("model", ""), str)
            and isinstance(noted.get("label"), str | None)
            and noted.get("label_kind") in (None, "number", "text")
            and isinstance(noted.get("inputs"), dict | None)
            and all(kind in KINDS for kind in (noted.get("inputs") or {}).values())
            and noted.get("decimal") in (None, *DECIMALS)
            and isinstance(noted.get("date_format"), str | None)
            and isinstance(noted.get("time"), str | None)
            and isinstance(noted.get("units"), dict | None)
            and all(isinstance(unit, str) for unit in (noted.get("units") or {}).values())
            and isinstance(noted.get("decimals"), dict | None)
            and all(sign in DECIMALS for sign in (noted.get("decimals") or {}).values())
            and noted.get("is_narrow") in (None, False)
            and sorted(noted.get("order") or ()) in ([], sorted(noted.get("inputs") or ()))
        )

    @property
    def is_encoded(self) -> bool:
        """Whether a column of the table is no column of the model: a text or a time."""
        return bool({"text", "time"} & set((self.inputs or {}).values()))

    @property
    def names(self) -> list[str]:
        """The columns of the table that are inputs, in their order where it is known."""
        return list(self.order or self.inputs or ())

    def kind_of_labels(self, model: Model) -> LabelKind | None:
        """Return what the labels of a model are read as, None before any is known, and of bools."""
        if any(isinstance(label, bool) for label in model.labels.names[:1]):
            return None
        if self.label_kind is not None or not len(model.labels):
            return self.label_kind
        return "text" if isinstance(model.labels.names[0], str) else "number"

    def reading(self, model: Model) -> dict[str, Any]:
        """Return the arguments of `open_stream` that let a table be read as the one before."""
        return {
            "inputs": self.inputs,
            "texts": self._texts(model),
            "is_narrow": self.is_narrow is not False and model.width <= NARROW,
            "usual": Usual(
                self.decimal or ".",
                self.date_format,
                self.time,
                self.units or {},
                self.decimals or {},
            ),
        }

    def _texts(self, model: Model) -> dict[str, list[str]]:
        """Return the texts that have columns of their own in a model, by the table's columns."""
        inputs, columns = self.inputs or {}, [str(column) for column in model.columns or ()]
        names = [name for name, kind in inputs.items() if kind == "text"]
        names += [f"{name}: {WEEKDAY}" for name, kind in inputs.items() if kind == "time"]
        groups = [*model.groups, *[None] * (len(columns) - len(model.groups))]
        texts: dict[str, list[str]] = {name: [] for name in names}
        for column, group in zip(columns, groups, strict=False):
            owners = names if group is None else [group]  # files of old know no groups
            owner = next((name for name in owners if column.startswith(f"{name}=")), None)
            if owner in texts and column not in inputs:
                texts[owner].append(column.removeprefix(f"{owner}="))
        return texts

    def note(self, model: Model) -> None:
        """In place: keep this with a model."""
        values = asdict(self)
        before = model.notes.get("source", {})
        if before.get("order") and sorted(before["order"]) == sorted(self.inputs or ()):
            values["order"] = before["order"]  # a later table may have its columns in another
        for name in ("decimal", "date_format", "is_narrow", "order", "time", "units", "decimals"):
            if values[name] is None:
                del values[name]
        model.notes = {**model.notes, "source": values}


class Frame:
    """A frame of pandas, polars or pyarrow as a table: its rows as those of a model.

    Parameters
    ----------
    X : frame
    known : mapping or None
        What a model knows of its table, see `SourceColumns.reading`; None lets the first rows
        decide, and what they decided is in `stream`.
    calendar : bool
        Whether hour, weekday and season of dates are inputs, where the first rows decide.
    """

    def __init__(
        self, X: Any, known: Mapping[str, Any] | None = None, calendar: bool = False
    ) -> None:
        self.frame = _frame_of(X)
        settings: dict[str, Any] = {"calendar": calendar}
        if known is not None:
            texts = tuple((name, tuple(own)) for name, own in known["texts"].items())
            settings = {**known, "inputs": tuple(known["inputs"].items()), "texts": texts}
        self.stream = frame_stream(self.frame, Options(labelled=False, is_frame=True, **settings))

    def chunks(self, model: Model, is_fixed: bool = False) -> list[Chunk]:
        """Return the rows as those of a model, cut where a column appears.

        is_fixed: whether what the model does not know is left out; else columns are added.
        """
        columns = [str(column) for column in model.columns or ()]
        groups: list[Any] = list(model.groups)
        rows = ArrangedStream(self.stream, columns, is_fixed, groups=groups)
        together: list[list[Chunk]] = []
        for chunk in rows.chunks(max(1, len(self.frame))):
            if together and len(together[-1][0].columns) == len(chunk.columns):
                together[-1].append(chunk)
            else:
                together.append([chunk])
        return [_joined(chunks) for chunks in together]

    def source(self, model: Model) -> SourceColumns:
        """Return what a model that it taught is to keep of it."""
        return SourceColumns.of_stream(MODEL_NAMES[model.params.mode], self.stream)

    def part(self, start: int, stop: int) -> Any:
        """Return some rows as a frame of the user's library."""
        return nw.to_native(self.frame[start:stop])


def frame_stream(frame: Any, options: Options) -> Stream:
    """Return a frame, as narwhals has it, as the stream of a table."""
    if not len(frame):
        raise StreamError("X", "have at least 1 row", 0)
    names, kinds = tuple(frame.columns), list(frame.schema.values())
    columns = list(frame.iter_columns())
    rows = list(zip(*(_cells(column.head(FIRST_ROWS)) for column in columns), strict=True))
    typed = [
        name
        for name, kind in zip(names, kinds, strict=True)
        if isinstance(kind, (nw.Categorical, nw.Enum))
    ]
    layout = layout_of(Layout("X", names, options), rows, typed)

    def read(n: int) -> Iterator[Chunk]:
        return chunks_of([_table(columns, layout)], layout, n)

    return layout.stream(read)


def _joined(chunks: list[Chunk]) -> Chunk:
    """Return chunks of the same columns as one."""
    X = np.concatenate([chunk.X for chunk in chunks])
    y = np.concatenate([chunk.y for chunk in chunks])
    return Chunk(X, y, chunks[-1].columns, groups=chunks[-1].groups)


def is_encoded(model: Model) -> bool:
    """Whether a model was taught by a table with columns that are not its own: texts or times."""
    return SourceColumns.of(model).is_encoded


def columns_of(X: Any) -> list[Any] | None:
    """Return the names of the columns of a frame; None where X is none."""
    frame = _frame_of(X)
    return None if frame is None else list(frame.columns)


def has_texts(X: Any) -> bool:
    """Whether X is a frame with a column that is neither of numbers nor of truth values."""
    frame = _frame_of(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return False
    if not frame.columns:
        raise ValueError("X must have columns, got a frame without any")
    for name, kind in frame.schema.items():
        if kind == nw.Duration:
            how = f"X[{name!r}].dt.total_seconds() makes numbers of them"
            raise ValueError(f"X must hold numbers, got durations in column {name!r}: {how}")
    return not all(map(_is_number, frame.schema.values()))


def _frame_of(X: Any) -> Any:
    """Return a frame as narwhals has it, None where X is none; ValueError for one without rows."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = list(X.columns)
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X must have columns of different names, got {twin!r} twice") from None
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("X must be a frame with its rows, got a lazy one: X.collect() has them")
    return frame if isinstance(frame, nw.DataFrame) else None


def _is_number(kind: Any) -> bool:
    return bool(kind.is_numeric() or kind == nw.Boolean)


def _cells(column: Any) -> list[str]:
    """Return the cells of a column as the text that a csv file would have."""
    absent = column.is_null().to_list()
    values = zip(column.to_list(), absent, strict=True)
    return cells_of(None if gone else value for value, gone in values)


def _table(columns: list[Any], layout: Layout) -> Table:
    """Return the rows of a frame's columns, which have a layout."""

    def refuse(at: int, row: int, rule: str, value: Any) -> None:
        name = f"X, row {row}, column {layout.names[at]!r}"
        raise StreamError(name, rule, value[:80] if isinstance(value, str) else value)

    def numbers_at(at: int) -> np.ndarray:
        if layout.kind(at) == "real" and _is_number(columns[at].dtype):
            values = _floats(columns[at])
            far = np.flatnonzero(np.abs(values) > LARGEST)
            for row in far[:1].tolist():
                refuse(at, row, FINITE, values[row].item())
            return values
        return np.asarray(checked(at, numbers_of))

    def checked(at: int, read: Any) -> Any:
        cells = _cells(columns[at])
        values, wrong = read(cells, layout.kind(at), layout.spellings[at])
        for row, rule in wrong[:1]:
            refuse(at, row, rule, cells[row])
        return values

    return Table.of(
        layout,
        len(columns[0]),
        numbers_at,
        lambda at: checked(at, values_of),
        lambda at: _cells(columns[at]),
    )


def _floats(column: Any) -> np.ndarray:
    """Return a column of numbers, NaN where it has none."""
    values = column.cast(nw.Float64).to_numpy()
    return np.array(values, dtype=np.float64)
