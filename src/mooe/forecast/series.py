"""Series out of a table: a file of any format or a frame, in which columns are times and values.

A table holds one series, each column of numbers a channel of it; or many, one below the other, that
a column tells apart (`unique_id, ds, y`, as users of Nixtla's libraries have them).
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from mooe.datasets import open_stream
from mooe.datasets.series import MADE_SERIES, SERIES, channels_of, open_series, series_path
from mooe.forecast.grid import Grid, Oddities, Placed, grid_of, place
from mooe.streams.files import is_file_name
from mooe.streams.layout import Options
from mooe.streams.stream import Stream, StreamError, nearest
from mooe.tables import frame_stream
from mooe.words import counted, some_of

ID, TIME, VALUE = "unique_id", "ds", "y"  # as Nixtla's libraries call them
TIME_NAMES = (TIME, "date", "time", "datetime", "timestamp", "ts", "month", "year", "day", "t")
FEW = 10  # values of a series that may lie on no grid of their own
FAR, RARE = 30.0, 0.01  # median distances from the median, and share of the rows, of a placeholder
ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")  # at the end of a moment


@dataclass(frozen=True, eq=False)
class Series:
    """A series in the rows of a regular grid.

    Attributes
    ----------
    name : str
        What tells it from others; '' where there is one.
    channels : tuple of str
    grid : Grid
    first : int
        The row of the grid that `values[0]` is; more than 0 where a series goes on.
    values : array (n, channels), float64
        NaN where nothing is known: answered, not learnt.
    covariates : array (n, covariates), float64
        What else is known of each row.
    ahead : array (n_ahead, covariates), float64
        What is known of the rows that come next, of which there are no values yet.
    """

    name: str
    channels: tuple[str, ...]
    grid: Grid
    first: int
    values: np.ndarray
    covariates: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    ahead: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def times(self) -> np.ndarray | None:
        """Seconds since 1970 of the rows, None where times are no dates."""
        if not self.grid.has_dates:
            return None
        return self.grid.times(self.first + np.arange(len(self.values)))


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold what."""

    time: str | None = None
    targets: tuple[str, ...] = ()
    id: str | None = None
    covariates: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Targets, then covariates."""
        return self.targets + self.covariates


@dataclass(frozen=True, eq=False)
class SeriesTable:
    """The series of a table, and what a user should know of how they were read.

    Attributes
    ----------
    name : str
    series : list of Series
    columns : Columns
    remarks : list of str
        A line each.
    digest : str
        The sha256 of the source's text, '' where there is none.
    """

    name: str
    series: list[Series]
    columns: Columns
    remarks: list[str] = field(default_factory=list)
    digest: str = ""

    @property
    def rows(self) -> int:
        return sum(len(each.values) for each in self.series)


# The grid of a series that goes on and its next row, by its name; None where it is new.
Known = Callable[[str], tuple[Grid, int] | None]


def read_series(
    source: str | Path,
    time: str | None = None,
    target: Sequence[str] = (),
    id: str | None = None,
    known: Known = lambda name: None,
    seed: int = 0,
    covariate: Sequence[str] = (),
    **reading: Any,
) -> SeriesTable:
    """Read series from a file, or return those that have a name.

    Parameters
    ----------
    source : str or path
        A file as `mooe.datasets.open_stream` takes it; '-' for csv text on standard input;
        the name of a series, see `mooe.datasets.open_series`.
    time : str, optional
        The column of times; by default the first that holds dates, or numbers that are called so.
        Without one, rows are taken as equally far apart.
    target : sequence of str
        The columns to forecast; by default `y` beside a `unique_id` or `ds`, else all numbers.
    id : str, optional
        The column that tells series apart; by default `unique_id`, if there is one.
    known : function of a series' name
        Of a series that goes on, its grid and its next row.
    seed : int
        For series that are made.
    covariate : sequence of str
        Columns that are not forecast and help; known in advance where the last rows have values of
        them and none to forecast.
    reading
        How a table is written, as for `open_stream`: decimal, encoding, date_format, na,
        skip_bad_rows, max_rows.
    """
    name = str(source)
    if name in MADE_SERIES:
        made = open_series(name, seed)
        wanted = Columns("date", tuple(target) or made.channels)
        _check_targets(name, wanted.targets, made.channels)
        if covariate:
            raise StreamError("covariate", "be left out: a made series has none", covariate[0])
        at = [made.channels.index(channel) for channel in wanted.targets]
        rows = slice(reading.get("max_rows"))
        placed = _placed_on(known(""), made.times[rows], made.values[rows, at])
        return _table(name, wanted, [("", placed)])
    if name in SERIES:
        target = tuple(target) or channels_of(name)
        path, time = str(series_path(name)), time or "date"
        return replace(
            read_series(path, time, target, id, known, 0, covariate, **reading), name=name
        )
    if name == "-":
        with tempfile.TemporaryDirectory() as folder:  # a table is looked at before it is read
            path = str(Path(folder) / "standard input.csv")
            Path(path).write_bytes(sys.stdin.buffer.read())
            table = read_series(path, time, target, id, known, 0, covariate, **reading)
            return replace(table, name="standard input", digest="")
    if not is_file_name(name) and not Path(name).exists():
        names = [*SERIES, *MADE_SERIES]
        hint = nearest(name, names) or f"names: {', '.join(names)}"
        raise StreamError("series", "be a file or the name of a series", name, hint)

    def opened(**options: Any) -> Stream:
        return open_stream(source, labelled=False, **{**reading, **options})

    return _read(opened, Columns(time, tuple(target), id, tuple(covariate)), known)


def frame_series(
    frame: Any,
    time: str | None = None,
    target: Sequence[str] = (),
    id: str | None = None,
    known: Known = lambda name: None,
) -> SeriesTable:
    """Return the series of a frame of pandas, polars or pyarrow; parameters as `read_series` has.

    Examples
    --------
    >>> import pandas
    >>> days = pandas.date_range("2024-01-01", periods=3).tolist()
    >>> frame = pandas.DataFrame({"unique_id": list("aaabbb"), "ds": days * 2, "y": range(6)})
    >>> [(each.name, each.values[:, 0].tolist()) for each in frame_series(frame).series]
    [('a', [0.0, 1.0, 2.0]), ('b', [3.0, 4.0, 5.0])]
    """
    table = nw.from_native(frame, eager_only=True)

    def opened(**options: Any) -> Stream:
        options["inputs"] = tuple(options["inputs"].items()) if "inputs" in options else None
        options["keep"] = tuple(options.get("keep", ()))
        return frame_stream(table, Options(labelled=False, is_frame=True, **options))

    return _read(opened, Columns(time, tuple(target), id), known)


def _read(opened: Callable[..., Stream], asked: Columns, known: Known) -> SeriesTable:
    """Return the series of a table that can be opened several times, by options of a stream."""
    look = _looked_at(opened, asked)
    columns = _columns_of(look, asked)
    keep = [] if columns.id is None else [columns.id]
    inputs = dict.fromkeys(columns.numbers, "number")
    try:
        stream = opened(time=columns.time, inputs=inputs, keep=keep)
    except StreamError as error:
        if error.name != "keep":
            raise
        raise StreamError("id", error.rule, error.value, error.hint) from None
    if columns.time is not None and stream.time is None:
        hint = "--date-format (date_format=) says how they are written"
        raise StreamError(
            "time", f"hold times that can be read in {stream.name}", columns.time, hint
        )
    zone = columns.time is not None and _has_zone(opened, columns.time)
    times, values, names, n_skipped, n_unnamed = _rows_of(stream, columns)
    remarks = [line for line in stream.remarks if "is read with" in line]
    if not asked.targets:
        columns, values, empty = _without_empty(columns, values)
        if empty:
            holds = "holds nothing and is" if len(empty) == 1 else "hold nothing and are"
            remarks.append(f"{some_of(empty, 8)} {holds} left out")
    remarks += _placeholders(columns.targets, values)
    if columns.time is None:
        remarks.append("no column of times: rows are taken as equally far apart (--time names one)")
    if not asked.targets and len(columns.targets) > 1:
        remarks.append(f"{counted(len(columns.targets), 'channel')}: {some_of(columns.targets, 8)}")
    if n_skipped:
        remarks.append(f"{counted(n_skipped, 'row')} could not be read (left out)")
    if n_unnamed:
        remarks.append(f"{counted(n_unnamed, 'row')} without {columns.id!r} (left out)")
    parts = _by_name(names, times, values, stream.has_dates, known, zone)
    table = _table(stream.name, columns, parts, remarks)
    texts = [name for name, kind in (look.kinds or {}).items() if kind == "text"]
    doubled = sum(placed.oddities.doubled for _, placed in parts)
    if columns.id is None and texts and 2 * doubled > table.rows:
        table.remarks.append(f"does {some_of(texts, 3)} tell series apart? --id COLUMN names it")
    return replace(table, digest=stream.digest() or "")


def _looked_at(opened: Callable[..., Stream], asked: Columns) -> Stream:
    """Return a table with what its columns hold, as its first rows show."""
    try:
        return opened(calendar=True)
    except StreamError as error:
        if "an input column" not in error.rule:
            raise
        rule = "have a column of numbers to forecast"
        raise StreamError(
            error.name, rule, None, "is the decimal sign another? --decimal"
        ) from None


def _columns_of(look: Stream, asked: Columns) -> Columns:
    """Return which columns hold times, values and names, where they were not said."""
    kinds = dict(look.kinds or {})
    dates = [name for name, kind in kinds.items() if kind == "time"]
    numbers = [name for name, kind in kinds.items() if kind == "number"]
    called = {name.strip().lower(): name for name in kinds}
    id = asked.id or (ID if ID in kinds and len(kinds) > 1 else None)
    time = asked.time
    if time is None:
        named = [called[name] for name in TIME_NAMES if name in called and called[name] != id]
        good = [name for name in named if name in dates] or [name for name in dates if name != id]
        time = next(iter(good or [name for name in named if name in numbers]), None)
    targets = asked.targets
    if not targets:
        free = [name for name in numbers if name not in (time, id, *asked.covariates)]
        is_nixtla = VALUE in free and (id == ID or time == TIME)
        targets = (VALUE,) if is_nixtla else tuple(free)
    if not targets:
        rule = "have a column of numbers to forecast"
        odd = next((line for line in look.remarks if "is taken as texts" in line), "")
        hint = odd.removeprefix("warning: ") or f"the columns are: {some_of(list(kinds))}"
        raise StreamError(look.name, rule, None, hint)
    taken = [name for name in (time, id, *targets, *asked.covariates) if name is not None]
    twice = next((name for name, n in Counter(taken).items() if n > 1), None)
    if twice is not None:
        which = "time, target, covariate and id" if asked.covariates else "time, target and id"
        raise StreamError(which, "be different columns", twice)
    return Columns(time, tuple(targets), id, asked.covariates)


def _without_empty(
    columns: Columns, values: np.ndarray
) -> tuple[Columns, np.ndarray, tuple[str, ...]]:
    """Return columns and values without targets that no row has a value of, and their names."""
    has_values = ~np.isnan(values).all(0)
    has_values[len(columns.targets) :] = True
    if has_values.all() or not has_values[: len(columns.targets)].any():
        return columns, values, ()
    targets = tuple(name for name, has in zip(columns.targets, has_values, strict=False) if has)
    empty = tuple(name for name in columns.targets if name not in targets)
    return replace(columns, targets=targets), values[:, has_values], empty


def _placeholders(targets: Sequence[str], values: np.ndarray) -> list[str]:
    """Return a line for each column with a number that may stand for none, as a sensor's 9999.

    It comes more than once, in few rows, and is far from all that is usual.
    """
    lines = []
    for name, column in zip(targets, values.T, strict=False):
        known = column[~np.isnan(column)]
        middle = np.median(known) if len(known) else 0.0
        usual = np.median(np.abs(known - middle)) if len(known) else 0.0
        far = Counter(known[np.abs(known - middle) > FAR * usual].tolist()) if usual > 0.0 else {}
        for value, n in Counter(far).most_common(1):
            if 1 < n <= RARE * len(known):
                lines.append(
                    f"{value:g} stands {n} times in {name!r}, far from all else: "
                    "if it says that nothing is known, --na with the cell as written takes it so"
                )
    return lines


def _check_targets(name: str, targets: Iterable[str], channels: Sequence[str]) -> None:
    """Raise where a channel that is asked for is not there."""
    for target in targets:
        if target not in channels:
            hint = nearest(target, channels) or f"the columns are: {some_of(channels)}"
            raise StreamError("target", f"be a column of {name}", target, hint)


def _has_zone(opened: Callable[..., Stream], time: str) -> bool:
    """Whether the first time of a table names its zone."""
    first = next(iter(opened(calendar=True, keep=[time], max_rows=1).chunks(1)), None)
    cell = None if first is None or first.kept is None else first.kept[0, 0]
    return ZONE.search(str(cell).strip()) is not None and any(s in str(cell) for s in "T: ")


def _rows_of(
    stream: Stream, columns: Columns
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray | None, int, int]:
    """Return times (NaN: unreadable), values, names, and how many rows were left out, by cause."""
    clocks, parts, names, n_skipped = [], [], [], 0
    for chunk in stream.chunks():
        at = [list(chunk.columns).index(name) for name in columns.numbers]
        parts.append(chunk.X[:, at])
        n_skipped += chunk.n_skipped
        if chunk.times is not None:
            read = True if chunk.has_time is None else chunk.has_time
            clocks.append(np.where(read, chunk.times, np.nan))
        if chunk.kept is not None:
            names.append(chunk.kept[:, 0])
    values = np.concatenate(parts) if parts else np.zeros((0, len(columns.numbers)))
    times = np.concatenate(clocks) if clocks else None
    if not names:
        return times, values, None, n_skipped, 0
    kept = np.concatenate(names)
    has_name = np.array([name is not None and name.strip() != "" for name in kept], dtype=bool)
    times = None if times is None else times[has_name]
    n_unnamed = int(len(kept) - has_name.sum())
    return times, values[has_name], kept[has_name], n_skipped, n_unnamed


def _by_name(
    names: np.ndarray | None,
    times: np.ndarray | None,
    values: np.ndarray,
    has_dates: bool,
    known: Known,
    has_zone: bool,
) -> list[tuple[str, Placed]]:
    """Return the series in the order of their first rows, each on its grid."""
    if names is None:
        return [("", _placed_on(known(""), times, values, has_dates, has_zone))]
    places: dict[str, list[int]] = {}
    for row, name in enumerate(names.tolist()):
        places.setdefault(name.strip(), []).append(row)
    cut = {name: np.array(rows) for name, rows in places.items()}
    usual = None
    if times is not None:
        grids = Counter(
            (grid.kind, grid.step)
            for rows in cut.values()
            if (grid := grid_of(np.sort(times[rows][~np.isnan(times[rows])]), has_dates)).step
            and grid.kind != "rows"
        )
        usual = max(grids, key=grids.__getitem__) if grids else None
    out = []
    for name, rows in cut.items():
        own = None if times is None else times[rows]
        held = known(name)
        if held is None and usual is not None and own is not None and len(rows) <= FEW:
            begin = own[~np.isnan(own)]
            if len(begin):  # too few to tell: rows are as far apart as those of most others
                held = Grid(usual[0], float(begin.min()), usual[1], has_zone=has_zone), 0
        out.append((name, _placed_on(held, own, values[rows], has_dates, has_zone)))
    return out


def _placed_on(
    held: tuple[Grid, int] | None,
    times: np.ndarray | None,
    values: np.ndarray,
    has_dates: bool = True,
    has_zone: bool = False,
) -> Placed:
    """Return values on the grid of a series that goes on, or on their own."""
    if held is None:
        return place(times, values, has_dates, has_zone=has_zone)
    return place(times, values, has_dates, *held)


def _table(
    name: str, columns: Columns, parts: list[tuple[str, Placed]], remarks: Sequence[str] = ()
) -> SeriesTable:
    """Return placed values as series, with what was odd about their times in one line."""
    series = [_cut(own, columns, placed) for own, placed in parts]
    odd = Oddities()
    for (_, placed), one in zip(parts, series, strict=True):
        coming = len(one.ahead) * len(columns.targets)  # values that nobody can know yet
        missing = max(placed.oddities.missing - coming, 0)
        odd += placed.oddities._replace(missing=missing)
    said = odd.words(parts[0][1].grid) if parts else ""
    helping = [_helping(columns, series)] if columns.covariates else []
    return SeriesTable(name, series, columns, [*remarks, *helping, *([said] if said else [])])


def _cut(name: str, columns: Columns, placed: Placed) -> Series:
    """Return placed values as a series: rows to learn, and covariates of those that come next."""
    n_targets = len(columns.targets)
    values, covariates = placed.values[:, :n_targets], placed.values[:, n_targets:]
    n = len(values)
    if columns.covariates:
        n = int(np.flatnonzero(~np.isnan(values).all(1)).max(initial=-1)) + 1
    at = placed.grid, placed.first
    return Series(name, columns.targets, *at, values[:n], covariates[:n], covariates[n:])


def _helping(columns: Columns, series: Sequence[Series]) -> str:
    """Return a line on covariates: which they are, and how far ahead they are known."""
    helps = (
        f"{some_of(columns.covariates, 8)} {'helps' if len(columns.covariates) == 1 else 'help'}"
    )
    n = max(len(one.ahead) for one in series)
    if not n:
        return f"{helps} up to the latest row: no row ahead has values of it and none to forecast"
    return (
        f"{helps}, and {counted(n, 'row')} ahead {'is' if n == 1 else 'are'} known: the forecast "
        "uses them, the scores do without"
    )
