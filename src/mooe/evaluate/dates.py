"""Places on a stream as people say them: by date where rows have dates, else by row."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from mooe.evaluate.results import Results
from mooe.words import date_form

MOST_TIMES = 2**22  # rows whose times are held while a stream runs; then every other one
KNOTS = 100  # rows, evenly along the stream, whose times results keep beside those they speak of
DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
BEFORE = "before the stream"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Steps of an axis in seconds, and in months.
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200)
DAY_STEPS, MONTH_STEPS = (1, 2, 7, 14), (1, 2, 3, 6, 12, 24, 60, 120)


@dataclass
class Clock:
    """The times of rows as they come: all of them, of long streams every second, fourth, ... row.

    A row whose time is not known (NaN) has that of the row before it.
    """

    every: int = 1
    n_rows: int = 0
    pieces: list[np.ndarray] = field(default_factory=list)
    last: float = math.nan

    def see(self, times: np.ndarray) -> None:
        """In place: the next rows have these times, in seconds since 1970."""
        filled = np.concatenate([[self.last], times])
        known = np.maximum.accumulate(np.where(np.isnan(filled), 0, np.arange(len(filled))))
        filled = filled[known][1:]
        if len(filled):
            self.pieces.append(filled[-self.n_rows % self.every :: self.every])
            self.n_rows, self.last = self.n_rows + len(filled), float(filled[-1])
        while sum(map(len, self.pieces)) > MOST_TIMES:
            self.pieces = [np.concatenate(self.pieces)[::2]]
            self.every *= 2

    @property
    def length(self) -> float:
        """Seconds from the first row to the last, 0 where no time is known."""
        if math.isnan(self.last):
            return 0.0
        ((_, first),) = self._at([0])
        return self.last - first

    def date(self, row: int) -> datetime | None:
        """Return the date of a row; None before the stream, and where no time is known."""
        if row < 0 or math.isnan(self.last):
            return None
        ((_, time),) = self._at([row])
        return date_of(time)

    def times(self, rows: Iterable[int]) -> list[tuple[int, float]]:
        """Return rows, and some evenly between them, with their times."""
        if math.isnan(self.last):
            return []
        end = self.n_rows - 1
        wanted = {*rows, *np.linspace(0, end, min(KNOTS, end + 1)).astype(int).tolist()}
        return self._at(sorted(row for row in wanted if 0 <= row <= end))

    def _at(self, rows: list[int]) -> list[tuple[int, float]]:
        """In place: return rows with their times; those before the first that is known have it."""
        if len(self.pieces) > 1 or np.isnan(self.pieces[0][0]):
            held = np.concatenate(self.pieces)
            known = held[~np.isnan(held)]
            held[np.isnan(held)] = known[0] if len(known) else self.last
            self.pieces = [held]
        (held,), end = self.pieces, self.n_rows - 1
        return [(row, self.last if row == end else float(held[row // self.every])) for row in rows]


def rows_spoken_of(results: Results) -> set[int]:
    """Return the rows of the stream that results name: of windows, moments, regimes, far labels."""
    rows = {int(window["row"]) - 1 for window in results.windows}
    rows.update(moment.row for moment in results.moments)
    rows.update(results.far[key] for key in ("first", "last") if results.far)
    for regime in results.concepts:
        rows.update(row for visit in regime["visits"] for row in visit)
        rows.update((regime["first"], regime["last"]))
    return rows


@dataclass(frozen=True)
class StreamAxis:
    """How places on a stream are said.

    Attributes
    ----------
    times : list of (int, float)
        As in `Results`; empty where rows have no dates.

    Examples
    --------
    >>> by_row, by_date = StreamAxis(), StreamAxis([(0, 0.0), (999, 86400.0 * 999)])
    >>> by_row.point(1000), by_date.point(31)
    ('row 1,000', '1970-01-01')
    >>> by_row.within(1000, 1049), by_date.within(0, 999)
    ('in rows 1,000–1,049', 'from 1970-01-01 to 1972-09-26')
    """

    times: list[tuple[int, float]] = field(default_factory=list)

    @classmethod
    def of(cls, results: Results) -> "StreamAxis":
        """Return how the places of a run are said."""
        return cls(results.times)

    @property
    def has_dates(self) -> bool:
        return bool(self.times)

    @cached_property
    def _knots(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows, and their times."""
        rows, times = np.array(self.times, dtype=np.float64).T
        return rows, times

    @cached_property
    def _are_days(self) -> bool:
        """Whether rows have dates alone, without a time of day."""
        _, times = self._knots
        return not (times % DAY).any()

    @cached_property
    def _form(self) -> str:
        """The form of a date: as short as the stream allows."""
        _, times = self._knots
        return date_form(float(np.ptp(times)), self._are_days)

    def time(self, row: int) -> float:
        """Return the time of a row: its own where results keep it, else of the one before it."""
        rows, times = self._knots
        return float(times[max(int(np.searchsorted(rows, row, side="right")) - 1, 0)])

    def date(self, row: int) -> str:
        """Return the date of a row."""
        return date_of(self.time(row)).strftime(self._form)

    def point(self, row: int) -> str:
        """Return where a row is, such as 'row 1,000'."""
        if row < 0:
            return BEFORE
        return self.date(row) if self.has_dates else f"row {row:,}"

    def short_span(self, first: int, last: int) -> str:
        """Return from where to where rows are, for a column whose name says what they are."""
        if last < 0:
            return BEFORE
        if not self.has_dates:
            return f"{first:,}–{last:,}"
        begin, end = self.date(max(first, 0)), self.date(last)
        if begin == end:
            return begin
        day, _, _ = begin.partition(" ")
        return f"{begin} – {end.removeprefix(f'{day} ')}"

    def within(self, first: int, last: int) -> str:
        """Return rows as a sentence says them: 'in rows 1,000–1,049', 'from ... to ...'."""
        if last < 0 or not self.has_dates:
            return BEFORE if last < 0 else f"in rows {self.short_span(first, last)}"
        begin, _, end = self.short_span(first, last).partition(" – ")
        return f"from {begin} to {end}" if end else f"on {begin}"

    def at(self, row: int) -> str:
        """Return a row as a sentence says it: 'at row 1,000', 'on 2022-06-01'."""
        if row < 0:
            return BEFORE
        return f"on {self.date(row)}" if self.has_dates else f"at row {row:,}"

    def length(self, first: int, last: int) -> str:
        """Return how long it is from one row to another, such as '50 rows' or '3 days'."""
        if not self.has_dates:
            return f"{last - first:,} rows"
        seconds = abs(self.time(last) - self.time(max(first, 0)))
        if self._are_days and seconds < 2 * DAY:
            return "1 day" if seconds else "less than a day"
        return duration(seconds)

    def ticks(self, n_rows: int, most: int) -> tuple[list[float], list[str]]:
        """Return rows at which dates of an axis begin, at most so many, and the words for each.

        Words of two lines: what changes from one to the next, below it what stays, where it is new.
        """
        rows, times = self._knots
        clock = np.maximum.accumulate(times)  # where times run back, it stands still
        moments, fine, coarse = _round_dates(float(clock[0]), float(clock[-1]), most)
        seconds = [(moment - EPOCH).total_seconds() for moment in moments]
        places = np.interp(seconds, clock, rows).tolist()
        out: list[float] = []
        words: list[str] = []
        least, before = 0.04 * n_rows, ""
        for place, moment in zip(places, moments, strict=True):
            if out and place - out[-1] < least:
                continue  # no rows lie between the two
            above, below = _said(moment, fine), _said(moment, coarse)
            words.append(f"{above}\n{below}" if below and below != before else above)
            out.append(place)
            before = below
        return out, words


def date_of(seconds: float) -> datetime:
    """Return the date of seconds since 1970, also those long before."""
    return EPOCH + timedelta(seconds=seconds)


def duration(seconds: float) -> str:
    """Return a length of time in one unit.

    >>> [duration(s) for s in (0.0, 90.0, 5400.0, 86400.0, 40 * 86400.0, 900 * 86400.0)]
    ['0 seconds', '90 seconds', '90 minutes', '24 hours', '40 days', '30 months']
    """
    for unit, size, least in (
        ("month", 30 * DAY, 12 * 30 * DAY),
        ("day", DAY, 2 * DAY),
        ("hour", HOUR, 2 * HOUR),
        ("minute", MINUTE, 2 * MINUTE),
        ("second", 1.0, 0.0),
    ):
        if seconds >= least:
            n = round(seconds / size)
            return f"{n:,} {unit}{'' if n == 1 else 's'}"
    raise ValueError(f"seconds must be at least 0, got {seconds!r}")


def _round_dates(first: float, last: float, most: int) -> tuple[list[datetime], str, str]:
    """Return round dates between two times, at most so many, and the forms of their two lines."""
    length = max(last - first, 1.0)
    for step in STEPS:
        if length / step <= most:
            begin = math.ceil(first / step)
            moments = [date_of(step * k) for k in range(begin, math.floor(last / step) + 1)]
            return moments, "second" if step < MINUTE else "minute", "day"
    for days in DAY_STEPS:
        if length / (days * DAY) <= most:
            begin = math.ceil(first / (days * DAY))
            end = math.floor(last / (days * DAY))
            shift = -3 if days % 7 == 0 else 0  # weeks begin on a Monday, 1970 on a Thursday
            moments = [date_of(DAY * (days * k + shift)) for k in range(begin, end + 2)]
            return [m for m in moments if first <= _seconds(m) <= last], "date", "year"
    begins, ends = date_of(first), date_of(last)
    n_months = 12 * (ends.year - begins.year) + ends.month - begins.month + 1
    step = next((months for months in MONTH_STEPS if n_months / months <= most), 1_200)
    moments = []
    for month in range(12 * begins.year // step * step, 12 * ends.year + ends.month, step):
        moment = datetime(max(month // 12, 1), month % 12 + 1, 1, tzinfo=UTC)
        if first <= _seconds(moment) <= last:
            moments.append(moment)
    return moments, "month" if step < 12 else "year", "year" if step < 12 else ""


def _seconds(moment: datetime) -> float:
    return (moment - EPOCH).total_seconds()


def _said(moment: datetime, form: Any) -> str:
    """Return a line of a tick."""
    month = MONTHS[moment.month - 1]
    return {
        "": "",
        "second": f"{moment:%H:%M:%S}",
        "minute": f"{moment:%H:%M}",
        "day": f"{moment.day} {month} {moment.year}",
        "date": f"{moment.day} {month}",
        "month": month,
        "year": f"{moment.year}",
    }[form]
