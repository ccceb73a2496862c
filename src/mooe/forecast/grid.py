"""The regular grid that a column of times lies on, and values put into its rows.

A row of the grid that no value is given for is NaN: it is answered, and not learnt. What had to be
done to a table is counted, and said in one line.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np

from mooe.streams.stream import StreamError
from mooe.words import counted, listed

Kind = Literal["rows", "number", "seconds", "weekdays", "months"]
MINUTE, HOUR, DAY, WEEK = 60.0, 3_600.0, 86_400.0, 604_800.0
MONTH = 365.2425 / 12 * DAY  # on average
USUAL = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0),
    *(60.0, 120.0, 300.0, 600.0, 900.0, 1_200.0, 1_800.0),
    *(HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR, DAY, WEEK),
)
FIT = 0.9  # share of the steps that a grid must fit
EXACT, LOOSE = 1e-4, 0.1  # how far off a grid a step may be, as a share of it
MOST_EMPTY, ALWAYS = 100, 10_000  # rows of a grid: so many times those given, and so many more
# Numbers that are seconds, milliseconds, microseconds or nanoseconds since 1970.
EPOCHS = tuple((1e8 * unit, 5e9 * unit, unit) for unit in (1.0, 1e3, 1e6, 1e9))
FIRST_DAY, LAST_DAY = 19_000_101, 22_001_231  # numbers that are days
FIRST_WEEKDAY = 3  # 1970 began on a Thursday
SUNDAY, CHANGE_MONTHS, CHANGE_HOURS = 6, (3, 4, 9, 10, 11), 4  # when clocks are changed
UNITS = {
    **{"s": 1.0, "sec": 1.0, "min": MINUTE, "h": HOUR, "hour": HOUR, "hours": HOUR},
    **{"d": DAY, "day": DAY, "days": DAY, "w": WEEK, "week": WEEK, "weeks": WEEK},
    **{"mo": MONTH, "month": MONTH, "months": MONTH, "y": 12 * MONTH, "year": 12 * MONTH},
    **{"m": MINUTE, "years": 12 * MONTH},
}


@dataclass(frozen=True)
class Grid:
    """Equally spaced times, of which row 0 is the first.

    Attributes
    ----------
    kind : {"rows", "number", "seconds", "weekdays", "months"}
        "rows" where there are no times; "number" where they are no dates; dates are a fixed number
        of seconds apart, on Monday to Friday, or some months.
    start : float
        The time of row 0: a number, or seconds since 1970.
    step : float
        From a row to the next: a number, seconds, weekdays or months.
    bins : bool
        Whether a row is about all times up to the next one: sampling was irregular.
    at_end : bool
        Of months: whether times are their last days.
    has_zone : bool
        Whether times named their zone, and are told in UTC.

    Examples
    --------
    >>> grid = Grid("months", start=0.0, step=1)
    >>> grid.texts([0, 1, 13])
    ['1970-01-01', '1970-02-01', '1971-02-01']
    """

    kind: Kind = "rows"
    start: float = 0.0
    step: float = 1.0
    bins: bool = False
    at_end: bool = False
    has_zone: bool = False

    @property
    def has_dates(self) -> bool:
        """Whether times are dates, in seconds since 1970."""
        return self.kind in ("seconds", "weekdays", "months")

    def places(self, times: np.ndarray) -> np.ndarray:
        """Return where times are on the grid, a row being a whole number."""
        apart: np.ndarray = times - self.start
        if self.kind == "weekdays":
            apart = _weekdays(times) - _weekdays(np.array(self.start))
        elif self.kind == "months":  # any day of a month is the month's
            apart = _months(times) - _months(np.array(self.start))
        return np.asarray(apart / self.step)

    def rows(self, times: np.ndarray) -> np.ndarray:
        """Return the row that each time is taken as."""
        places = self.places(times)
        nearest = np.floor(places + 1e-9) if self.bins else np.round(places)
        return nearest.astype(np.int64)

    def times(self, rows: Any) -> np.ndarray:
        """Return the times of rows."""
        rows = np.asarray(rows, dtype=np.float64)
        if self.kind == "weekdays":
            days = _weekdays(np.array(self.start)) + self.step * rows
            whole = np.floor(days)
            since = 7 * (whole // 5) + whole % 5 - FIRST_WEEKDAY
            return np.asarray(DAY * since + self.start % DAY)
        if self.kind == "months":
            months = _months(np.array(self.start)) + self.step * rows
            begins = _month_starts(months)
            lengths = _month_starts(months + 1) - begins
            within = self.start - _month_starts(_months(np.array(self.start)))
            if self.at_end:
                return np.asarray(begins + lengths - DAY + within % DAY)
            return np.asarray(begins + np.minimum(within, lengths - DAY + within % DAY))
        return np.asarray(self.start + self.step * rows)

    def texts(self, rows: Any) -> list[str]:
        """Return the times of rows as people and programs read them: ISO 8601 where they are dates.

        >>> Grid("seconds", start=3600.0, step=900.0).texts([0, 1])
        ['1970-01-01T01:00:00', '1970-01-01T01:15:00']
        """
        times = self.times(rows)
        if not self.has_dates:
            return [f"{time:.12g}" for time in times.tolist()]
        moments = _moments(times)
        if self._are_days:
            return [str(day) for day in moments.astype("datetime64[D]")]
        unit = "s" if self.step % 1 == 0 and self.start % 1 == 0 else "ms"
        zone = "Z" if self.has_zone else ""
        return [f"{moment}{zone}" for moment in moments.astype(f"datetime64[{unit}]")]

    @property
    def _are_days(self) -> bool:
        """Whether every time is a day's beginning."""
        is_daily = self.kind != "seconds" or self.step % DAY == 0
        return is_daily and self.start % DAY == 0

    @property
    def seconds(self) -> float:
        """Seconds from a row to the next, of months and weekdays on average; NaN without dates."""
        factor = {"seconds": 1.0, "weekdays": DAY * 7 / 5, "months": MONTH}
        return self.step * factor.get(self.kind, math.nan)

    def said(self) -> str:
        """Return how far apart rows are.

        >>> Grid("seconds", step=900.0).said(), Grid("months", step=3).said()
        ('15 minutes', '3 months')
        """
        if self.kind in ("weekdays", "months"):
            return counted(int(self.step), self.kind.removesuffix("s"))
        if self.kind != "seconds":
            return f"{self.step:g}"
        for unit, size in (("week", WEEK), ("day", DAY), ("hour", HOUR), ("minute", MINUTE)):
            if self.step >= size and self.step % size == 0:
                return counted(round(self.step / size), unit)
        return f"{self.step:g} second{'' if self.step == 1 else 's'}"

    def steps(self, text: str, name: str = "horizon") -> int:
        """Return how many rows a text says, which is a number of them or a length of time.

        >>> Grid("seconds", step=3600.0).steps("2d"), Grid("months").steps("1y"), Grid().steps("7")
        (48, 12, 7)
        """
        told = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", str(text).lower())
        rule = f"{name} must be a number of rows, or a time such as 30min, 12h, 2d, 1w, 6mo or 1y"
        if told is None or (told[2] and told[2] not in UNITS):
            raise ValueError(f"{rule}, got {text!r}")
        if told[2]:
            if not self.has_dates:
                raise ValueError(f"{name} must be in rows where times are no dates, got {text!r}")
            per = DAY * 7 / 5 if self.kind == "weekdays" else self.seconds
            length = float(told[1]) * UNITS[told[2]] / per
            n = round(length) if abs(length - round(length)) < 0.02 else math.ceil(length)
        elif "." in told[1]:
            raise ValueError(f"{rule}, got {text!r}")
        else:
            n = int(told[1]) if len(told[1]) < 16 else 10**15
        if n < 1:
            raise ValueError(f"{name} must be at least 1 row, got {text!r}")
        return n

    def noted(self) -> dict[str, Any]:
        """Return what a model file keeps of the grid."""
        return asdict(self)

    @classmethod
    def of(cls, noted: Any) -> "Grid":
        """Return the grid that a model file keeps; ValueError where it keeps none."""
        kinds = ("rows", "number", "seconds", "weekdays", "months")
        if not isinstance(noted, dict) or set(noted) != {field.name for field in fields(cls)}:
            raise ValueError(f"grid must be one that was noted, got {noted!r:.80}")
        sound = noted["kind"] in kinds and all(
            isinstance(noted[name], int | float) and math.isfinite(noted[name])
            for name in ("start", "step")
        )
        if not sound or noted["step"] <= 0:
            raise ValueError(f"grid must be one that was noted, got {noted!r:.80}")
        return cls(**noted)


class Oddities(NamedTuple):
    """How many times and values are not as a clock would have them."""

    empty: int = 0  # rows of the grid that no time was given for
    doubled: int = 0  # times given again; their mean counts
    back: int = 0  # times before the one before
    moved: int = 0  # times off the grid
    farthest: float = 0.0  # how far off, in steps
    skipped_hours: int = 0  # among the empty rows, by a change of clocks
    doubled_hours: int = 0  # among the doubled times, by a change of clocks
    late: int = 0  # rows for a time that has been learnt already, left out
    unreadable: int = 0  # rows whose time cannot be read, left out
    missing: int = 0  # cells without a value

    def __add__(self, other: Any) -> "Oddities":
        total = [a + b for a, b in zip(self, other, strict=True)]
        total[4] = max(self.farthest, other.farthest)
        return Oddities(*total)

    def words(self, grid: Grid) -> str:
        """Return what is odd and what is made of it, '' where nothing is.

        >>> Oddities(empty=2, missing=1).words(Grid("seconds", step=3600.0))
        '2 times without a row and 1 value missing (answered, not learnt)'
        """
        unlearnt = [
            (self.empty - self.skipped_hours, "time", "without a row"),
            (self.skipped_hours, "time", "skipped by daylight saving"),
            (self.missing, "value", "missing"),
        ]
        told = [f"{counted(n, what)} {words}" for n, what, words in unlearnt if n]
        parts = [f"{listed(told)} (answered, not learnt)"] if told else []
        unit = grid.said()
        others = (
            (self.doubled - self.doubled_hours, "time", "given again (their mean counts)"),
            (self.doubled_hours, "time", "given twice by daylight saving (their mean counts)"),
            (
                self.moved,
                "time",
                f"between rows, which are {unit} apart ("
                + ("the mean within a row counts)" if grid.bins else "taken as the nearest row)"),
            ),
            (self.back, "row", "out of order (put in order)"),
            (self.late, "row", "too late, for its time has been learnt (left out)"),
            (self.unreadable, "row", "without a time that can be read (left out)"),
        )
        parts += [f"{counted(n, what)} {words}" for n, what, words in others if n]
        return ", ".join(parts)


class Placed(NamedTuple):
    """Values in the rows of a grid."""

    grid: Grid
    first: int  # row of the grid that values[0] is
    values: np.ndarray  # (n, channels); NaN: answered, not learnt
    oddities: Oddities


def place(
    times: np.ndarray | None,
    values: np.ndarray,
    has_dates: bool = True,
    grid: Grid | None = None,
    first: int = 0,
    has_zone: bool = False,
) -> Placed:
    """Put values into the rows of a regular grid.

    Parameters
    ----------
    times : array (n,), float64, or None
        Seconds since 1970, or numbers; NaN where a time cannot be read. None: rows are equally far
        apart.
    values : array (n, channels), float64
        NaN where there is none.
    has_dates : bool
        Whether times are seconds since 1970.
    grid : Grid, optional
        Of a series that goes on; by default the one that these times lie on.
    first : int
        The row of that grid which comes next: values for earlier ones are late.
    has_zone : bool
        Whether times named their zone.

    Examples
    --------
    >>> hours = 3600.0 * np.array([0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    >>> placed = place(hours, np.arange(11.0)[:, None])
    >>> placed.grid.said(), placed.values[:4, 0].tolist(), placed.oddities.empty
    ('1 hour', [0.0, 1.0, nan, 2.0], 1)
    """
    missing = int(np.isnan(values).sum())
    if times is None:
        times = first + np.arange(len(values), dtype=np.float64)
        grid = grid or Grid()
        if grid.kind != "rows":
            raise StreamError("times", f"be given, as rows are {grid.said()} apart", None)
    is_read = ~np.isnan(times)
    unreadable = int(len(times) - is_read.sum())
    times, values = times[is_read], values[is_read]
    back = int(np.count_nonzero(np.diff(times) < 0))
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    if not has_dates and (grid is None or grid.has_dates):
        times, has_dates = _since_1970(times)
    elif has_dates and grid is not None and grid.kind == "number":
        times = np.round(times * _per_second(grid.start))
    if grid is None:
        grid = grid_of(times, has_dates, has_zone)
        if grid.kind == "rows" and len(times):
            times = np.zeros(len(times))
    places = grid.places(times)
    if len(places) and float(places[-1]) - first > MOST_EMPTY * len(places) + ALWAYS:
        at = int(np.argmax(np.diff(places, prepend=places[0])))
        before, after = _told(times[[max(at - 1, 0), at]], has_dates)
        rule = f"lie within {MOST_EMPTY * len(places) + ALWAYS:,} steps of {grid.said()}"
        raise StreamError("times", rule, f"{before} and then {after}")
    rows = grid.rows(times)
    is_new = rows >= first
    late = int(len(rows) - is_new.sum())
    times, values, rows, places = (part[is_new] for part in (times, values, rows, places))
    off = np.zeros(len(rows)) if grid.kind == "months" else np.abs(places - rows)
    is_again = np.diff(rows, prepend=-1) == 0
    n = int(rows[-1]) + 1 - first if len(rows) else 0
    placed = _means(rows - first, values, n)
    is_empty = np.ones(n, dtype=bool)
    is_empty[rows - first] = False
    empty_rows = first + np.flatnonzero(is_empty)
    odd = Oddities(
        empty=len(empty_rows),
        doubled=0 if grid.bins else int(is_again.sum()),
        back=back,
        moved=int(np.count_nonzero(off > EXACT)),
        farthest=float(off.max(initial=0.0)),
        skipped_hours=_clock_changes(grid, grid.times(empty_rows)),
        doubled_hours=0 if grid.bins else _clock_changes(grid, times[is_again]),
        late=late,
        unreadable=unreadable,
        missing=missing,
    )
    return Placed(grid, first, placed, odd)


def grid_of(times: np.ndarray, has_dates: bool = True, has_zone: bool = False) -> Grid:
    """Return the grid that ascending times lie on; where there is no step, they are just rows."""
    known = np.unique(times)
    if len(known) < 2:
        return Grid()
    steps = np.diff(known)
    start, usual = float(known[0]), float(np.median(steps))
    exact = _exact_step(steps)
    zone = {"has_zone": has_zone and has_dates}
    if has_dates and usual > 27 * DAY:
        months = _month_grid(known, steps, exact)
        if months is not None:
            return months
    if exact is not None:
        if has_dates and exact == DAY and _skips_weekends(known):
            return Grid("weekdays", start, 1.0, **zone)
        return Grid("seconds" if has_dates else "number", start, exact, **zone)
    near = min(USUAL, key=lambda step: abs(math.log(step / usual))) if has_dates else usual
    step = near if abs(near - usual) <= 0.02 * usual else usual
    if _share(steps, step, LOOSE) >= FIT:
        return Grid("seconds" if has_dates else "number", start, step, **zone)
    start = math.floor(start / near) * near if has_dates else start
    return Grid("seconds" if has_dates else "number", start, near, bins=True, **zone)


def _exact_step(steps: np.ndarray) -> float | None:
    """Return the largest of the most frequent steps that nearly all are multiples of, if any."""
    unit = 1e-6 * float(np.median(steps))
    rounded, counts = np.unique(np.round(steps / unit), return_counts=True)
    frequent = rounded[np.argsort(-counts, kind="stable")[:5]] * unit
    fitting = []
    for step in frequent.tolist():
        exact = float(np.median(steps[np.abs(steps - step) <= unit]))
        if _share(steps, exact, EXACT) >= FIT:
            fitting.append(exact)
    return max(fitting, default=None)


def _share(steps: np.ndarray, step: float, tolerance: float) -> float:
    """Return the share of steps that are a multiple of one, within a share of it."""
    multiples = steps / step
    whole = np.round(multiples)
    return float(np.mean((whole >= 1) & (np.abs(multiples - whole) <= tolerance)))


def _month_grid(known: np.ndarray, steps: np.ndarray, exact: float | None) -> Grid | None:
    """Return the grid of times that are some months apart, on the same day or on the last."""
    months = _months(known)
    apart = np.diff(months)
    if not (apart > 0).all():
        return None
    within = known - _month_starts(months)
    is_last = _month_starts(months + 1) - known <= DAY
    same = float(np.mean(np.abs(within - np.median(within)) < 1.0))
    share = max(same, float(is_last.mean()))
    if share < FIT or (exact is not None and len(steps) > 2 and _share(steps, exact, EXACT) == 1.0):
        return None
    step = _exact_step(apart)
    if step is None:
        return None
    at_end = bool(is_last.mean() > same)
    start = float(known[0])
    return Grid("months", start, float(round(step)), at_end=at_end)


def _skips_weekends(known: np.ndarray) -> bool:
    """Whether days are Mondays to Fridays alone, over at least two weekends."""
    days = np.floor(known / DAY).astype(np.int64) + FIRST_WEEKDAY
    return bool((days % 7 < 5).all() and days[-1] // 7 - days[0] // 7 >= 2)


def _since_1970(times: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return ascending numbers as seconds since 1970 where they look like moments, and whether.

    Such are what EPOCHS says, and days as in 20240131.
    """
    if len(times) and times[0] >= FIRST_DAY and times[-1] <= LAST_DAY and (times % 1 == 0).all():
        years, rest = np.divmod(times.astype(np.int64), 10_000)
        months, days = np.divmod(rest, 100)
        if ((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all():
            return _month_starts(12.0 * (years - 1970) + months - 1) + DAY * (days - 1), True
    for least, most, unit in EPOCHS:
        if len(times) and least <= times[0] and times[-1] <= most:
            return times / unit, True
    return times, False


def _per_second(number: float) -> float:
    """Return how many units of numbers like this a second has: of models that learnt them so.

    They were saved when microseconds and nanoseconds were not known as dates.
    """
    return next((unit for least, most, unit in EPOCHS if least <= number <= most), 1.0)


def _means(rows: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Return the mean of the values of each of n rows, (n, channels), NaN where there is none."""
    is_known = ~np.isnan(values)
    sums, counts = np.zeros((n, values.shape[1])), np.zeros((n, values.shape[1]))
    np.add.at(sums, rows, np.where(is_known, values, 0.0))
    np.add.at(counts, rows, is_known)
    means: np.ndarray = np.where(counts > 0, sums / np.maximum(counts, 1.0), np.nan)
    return means


def _clock_changes(grid: Grid, times: np.ndarray) -> int:
    """Return how many times are such as clocks skip or repeat by daylight saving."""
    if grid.kind != "seconds" or grid.step > HOUR or grid.has_zone or not len(times):
        return 0
    days = np.floor(times / DAY).astype(np.int64)
    months = _moments(times).astype("datetime64[M]").astype(np.int64) % 12 + 1
    is_change = (
        ((days + FIRST_WEEKDAY) % 7 == SUNDAY)
        & np.isin(months, CHANGE_MONTHS)
        & (times % DAY < CHANGE_HOURS * HOUR)
    )
    per_hour = max(1, round(HOUR / grid.step))
    changed, counts = np.unique(days[is_change], return_counts=True)
    return int(counts[counts == per_hour].sum()) if len(changed) else 0


def _weekdays(times: np.ndarray) -> np.ndarray:
    """Return how many Mondays to Fridays there were since Monday before 1970; a weekend is none."""
    days = times / DAY + FIRST_WEEKDAY
    weeks = np.floor(days / 7)
    within: np.ndarray = 5 * weeks + np.minimum(np.floor(days - 7 * weeks), 4)
    return within


def _months(times: np.ndarray) -> np.ndarray:
    """Return the months since 1970 of times."""
    months = _moments(times).astype("datetime64[M]").astype(np.int64)
    return months.astype(np.float64)


def _month_starts(months: np.ndarray) -> np.ndarray:
    """Return when months since 1970 begin, in seconds."""
    begins = months.astype(np.int64).astype("datetime64[M]").astype("datetime64[s]")
    return begins.astype(np.int64).astype(np.float64)


def _moments(times: np.ndarray) -> np.ndarray:
    """Return seconds since 1970 as numpy has moments."""
    return np.round(np.asarray(times) * 1e3).astype(np.int64).astype("datetime64[ms]")


def _told(times: Iterable[float], has_dates: bool) -> list[str]:
    """Return times for an error."""
    if not has_dates:
        return [f"{time:.12g}" for time in times]
    return [str(moment.astype("datetime64[s]")) for moment in _moments(np.array(list(times)))]
