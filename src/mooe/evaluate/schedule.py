"""When labels come: late, out of order, some of them, or never.

A schedule turns rows as they arrive into events in the order in which they happen: a row is to be
answered, or the label of an earlier row is to be learnt. With delay d, once row t is answered and
its moment is over, exactly the labels of rows up to t - d have been learnt.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import numpy as np
from scipy import sparse

from mooe.streams.stream import stacked

Delay = int | str | timedelta | None | Callable[[int], int | None]
LONGEST, MOST_ROWS = timedelta.max, 2**53  # beyond, rows are not told apart
UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class Events:
    """Rows to hand to a learner, in order: some to be answered, some to learn."""

    X: Any  # (n, width), or a CSR matrix
    y: np.ndarray  # (n,): the label where one is learnt, NaN where a row is only answered
    row: np.ndarray  # (n,): which row of the stream it is
    asked: np.ndarray  # (n,), bool: whether the answer counts, as this is when the row came
    # (n,): the last label of the stream that was known when the row was answered, -inf for none;
    # NaN where labels come at once: it is the one learnt last.
    known: np.ndarray

    def columns(self) -> tuple[np.ndarray, ...]:
        """Return all but the inputs."""
        return self.y, self.row, self.asked, self.known


@dataclass
class Schedule:
    """The order of answers and labels on a stream.

    A label comes `delay` rows later, or as much time, or never (None); a text says one of these,
    see `delay_of`. A callable is given the number of a row and returns its delay in rows, or None.
    """

    delay: Delay = 0
    label_probability: float = 1.0  # that a label comes at all, above 0 up to 1
    seed: int = 0  # for the labels that do not come
    last: float = field(default=-np.inf, init=False)  # label that was learnt, -inf for none
    n_rows: int = field(default=0, init=False)
    pending: Events | None = field(default=None, init=False)
    due: np.ndarray = field(default_factory=lambda: np.zeros(0), init=False)

    def __post_init__(self) -> None:
        if not 0.0 < self.label_probability <= 1.0:
            raise ValueError(
                f"label_probability must be above 0 and at most 1, got {self.label_probability!r}"
            )
        delay = self.delay = delay_of(self.delay) if isinstance(self.delay, str) else self.delay
        is_kind = isinstance(delay, int | timedelta | None) or callable(delay)
        if isinstance(delay, bool) or not is_kind:
            raise ValueError(
                "delay must be a whole number, a text such as '2h', a timedelta, a callable or "
                f"None, got {delay!r}"
            )
        zero = timedelta(0) if isinstance(delay, timedelta) else 0
        if isinstance(delay, int | timedelta) and delay < zero:  # type: ignore[operator]
            raise ValueError(f"delay must be at least 0, got {delay!r}")
        self.rng = np.random.default_rng(self.seed)

    @property
    def is_immediate(self) -> bool:
        """Whether every label comes right after its row has been answered."""
        return self.delay == 0 and self.label_probability == 1.0

    def arrive(self, X: Any, y: np.ndarray, times: np.ndarray | None = None) -> Events:
        """In place: rows come; return what happens up to the answer to the last of them.

        times are in seconds; where they run back, the clock stands still.
        """
        n, first = X.shape[0], self.n_rows
        self.n_rows += n
        row = np.arange(first, first + n)
        if self.is_immediate:
            return Events(X, y, row, np.ones(n, dtype=bool), np.full(n, np.nan))
        clock = row.astype(np.float64)
        if isinstance(self.delay, timedelta):
            if times is None:
                rule = "delay must be in rows where they have no times (times=, --time COLUMN)"
                raise ValueError(f"{rule}, got {str(self.delay)!r}")
            clock = np.maximum.accumulate(times)
        due = np.where(np.isnan(y), np.inf, self._due_times(row, clock))
        if self.label_probability < 1.0:
            due[self.rng.random(n) >= self.label_probability] = np.inf
        unknown = np.full(n, np.nan)
        waiting = _joined(self.pending, Events(X, y, row, np.zeros(n, dtype=bool), unknown))
        due = np.concatenate([self.due, due])
        # A label is learnt before the first row at or after its due time, never before its own row.
        place = np.maximum(np.searchsorted(clock, due), waiting.row - first + 1)
        now = place < n
        later = ~now & np.isfinite(due)
        happening = _joined(_picked(waiting, now), Events(X, unknown, row, row >= 0, unknown))
        place = np.concatenate([place[now], np.arange(n)])
        order = np.lexsort(
            (happening.row, np.concatenate([due[now], clock]), happening.asked, place)
        )
        events = _picked(happening, order)
        before, self.last = last_before(events.y, self.last)
        at_answer = before[events.asked]
        self.pending, self.due = _answered(_picked(waiting, later), first, at_answer), due[later]
        return _answered(events, first, at_answer)

    def _due_times(self, row: np.ndarray, clock: np.ndarray) -> np.ndarray:
        """Return when the label of each row is known, on the clock."""
        wait: Any = np.inf
        if isinstance(self.delay, timedelta):
            wait = self.delay.total_seconds()
        elif isinstance(self.delay, int):
            wait = self.delay + 1.0
        elif callable(self.delay):
            delays = [self.delay(int(i)) for i in row]
            bad = [delay for delay in delays if delay is not None and delay < 0]
            if bad:
                raise ValueError(f"delay must be at least 0, got {bad[0]!r} from the callable")
            wait = np.array([np.inf if delay is None else delay + 1.0 for delay in delays])
        due: np.ndarray = clock + wait
        return due

    def end(self) -> Events | None:
        """In place: the stream is over; return the labels that are due by now, if any.

        In rows those due after the last row; in time none, for no time has passed since.
        """
        if self.pending is None or isinstance(self.delay, timedelta):
            return None
        now = self.due <= self.n_rows
        order = np.lexsort((self.pending.row[now], self.due[now]))
        last = _picked(_picked(self.pending, now), order)
        self.pending, self.due = _picked(self.pending, ~now), self.due[~now]
        return last if len(last.row) else None


def delay_of(text: str) -> int | timedelta | None:
    """Return the delay that a text says: rows, a time, or None for never.

    >>> delay_of("100"), delay_of("1.5h"), delay_of("never")
    (100, datetime.timedelta(seconds=5400), None)
    """
    if text.strip().lower() == "never":
        return None
    time = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*", text.lower())
    if time is not None and time[2] in UNITS:
        try:
            return timedelta(**{UNITS[time[2]]: float(time[1])})
        except OverflowError:
            rule = f"delay must be at most {LONGEST.days:,} days"
            raise ValueError(f"{rule}, got {text!r}") from None
    if re.fullmatch(r"\s*[0-9]+\s*", text) is None:
        rule = "must be a number of rows, a time such as 30s, 15m, 2h or 7d, or never"
        raise ValueError(f"delay {rule}, got {text!r}")
    if float(text) > MOST_ROWS:
        raise ValueError(f"delay must be at most {MOST_ROWS:,} rows, got {text!r}")
    return int(text)


def last_before(labels: np.ndarray, last: float) -> tuple[np.ndarray, float]:
    """Return the last label known before each of these, and after all of them; NaN is no label.

    `last` is what was known before the first.

    >>> before, last = last_before(np.array([2.0, np.nan, 0.0]), -np.inf)
    >>> before.tolist(), last
    ([-inf, 2.0, 2.0], 0.0)
    """
    labels = np.concatenate([[last], labels])
    newest = np.maximum.accumulate(np.where(np.isnan(labels), 0, np.arange(len(labels))))
    known: np.ndarray = labels[newest]
    return known[:-1], float(known[-1])


def _picked(events: Events, which: np.ndarray) -> Events:
    """Return these of the events."""
    X = events.X[which] if sparse.issparse(events.X) else np.ascontiguousarray(events.X[which])
    return Events(X, *(values[which] for values in events.columns()))


def _answered(events: Events, first: int, at_answer: np.ndarray) -> Events:
    """Return the events; rows from `first` on were answered when these labels were known."""
    since = np.maximum(events.row - first, 0)
    known = np.where(events.row >= first, np.append(at_answer, np.nan)[since], events.known)
    return replace(events, known=known)


def _joined(first: Events | None, second: Events) -> Events:
    """Return all events; rows from before a column appeared have no value there, sparse ones 0."""
    if first is None:
        return second
    was_sparse = sparse.issparse(first.X) and not sparse.issparse(second.X)
    before = first.X.toarray() if was_sparse else first.X
    X = stacked([before, second.X], second.X.shape[1], fill=np.nan)
    return Events(X, *map(np.concatenate, zip(first.columns(), second.columns(), strict=True)))
