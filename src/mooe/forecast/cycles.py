"""Where a row stands in the day, the week and the year: the calendar as parts of full turns."""

import warnings
from typing import Any

import numpy as np

DAY, WEEK, YEAR = 86_400.0, 604_800.0, 31_556_952.0  # seconds; the year of the calendar, on average
CALENDAR = (DAY, WEEK, YEAR)
MOST = 2  # cycles that are seen
FIRST_WEEKDAY = 3.0  # 1970 began on a Thursday
SEASONS = (  # the longest step of rows, and the cycles that are seasons then
    (DAY / 2.0, (DAY, WEEK)),
    (WEEK / 3.5, (WEEK, YEAR)),
    (YEAR / 3.5, (YEAR,)),
)
LONGEST = 2_000  # rows of a season that is taken from the calendar without having been seen


def seconds(at: Any) -> np.ndarray:
    """Return times as seconds since 1970, (n,): of numbers, datetime64, datetimes or texts.

    Those of a zone are told in UTC.

    >>> seconds(np.datetime64("1970-01-02")).tolist()
    [86400.0]
    """
    times = np.atleast_1d(np.asarray(at))
    if times.dtype.kind in "iuf":
        return np.ascontiguousarray(times, np.float64)
    with warnings.catch_warnings():  # numpy tells of zones that it makes UTC of them, as is right
        warnings.simplefilter("ignore")
        try:
            whole = times.astype("datetime64[us]").astype(np.int64)
        except (TypeError, ValueError, OverflowError) as problem:
            rule = "at must hold numbers, datetime64, datetimes or texts such as 2024-01-31T12:00"
            raise ValueError(f"{rule}: {problem}") from None
    if (whole == np.iinfo(np.int64).min).any():
        raise ValueError("at must hold times, got one that is none (NaT)")
    return np.asarray(whole / 1e6)


def cycles_of(step: float) -> tuple[float, ...]:
    """Return the cycles of the calendar that rows of this step can show, in seconds.

    >>> cycles_of(3600.0)
    (86400.0, 604800.0)
    """
    return tuple(cycle for cycle in CALENDAR if step < cycle / 2.0)[:MOST]


def seasons_of(step: float) -> tuple[int, ...]:
    """Return the rows of the calendar's seasons.

    >>> seasons_of(900.0), seasons_of(86400.0), seasons_of(2_629_746.0)
    ((96, 672), (7, 365), (12,))
    """
    for longest, cycles in SEASONS:
        if step <= longest:
            rows = (round(cycle / step) for cycle in cycles)
            return tuple(n for n in rows if 1 < n <= LONGEST)
    return ()


def step_of(at: np.ndarray) -> float:
    """Return the seconds between rows, as most are apart; 0 for times that do not ascend."""
    return max(float(np.median(np.diff(at))), 0.0)


def gaps(at: np.ndarray, step: float) -> int:
    """Return how many ascending times are clearly more than a step after the one before.

    A weekend is none where rows are days.

    >>> gaps(np.array([0.0, 1.0, 3.0, 4.0]), 1.0)
    1
    """
    if step <= 0.0:
        return 0
    far = np.diff(at) > 1.5 * step
    if abs(step - DAY) < 0.1 * DAY:
        days = np.floor(at / DAY)
        is_monday = (days[1:] + FIRST_WEEKDAY) % 7.0 == 0.0
        far &= ~(is_monday & (np.diff(days) == 3.0))
    return int(far.sum())


def season_step(at: np.ndarray) -> float:
    """Return the seconds by which the calendar's seasons are counted in rows.

    Those between rows; of days without weekends a week has five.

    >>> monday = 345_600.0
    >>> weeks = monday + 86_400.0 * np.array([0, 1, 2, 3, 4, 7, 8, 9, 10, 11])
    >>> seasons_of(season_step(weeks))[0]
    5
    """
    step = step_of(at)
    weekday = np.floor(at / DAY + FIRST_WEEKDAY) % 7.0
    if len(at) > 7 and abs(step - DAY) < 0.1 * DAY and (weekday < 5.0).all():
        return WEEK / 5.0
    return step


def turns(places: np.ndarray, cycles: tuple[float, ...]) -> np.ndarray:
    """Return what part of its full turn each cycle has done, (n, n_cycles)."""
    if not cycles:
        return np.zeros((len(places), 0))
    whole = np.array(cycles)
    return np.ascontiguousarray(np.mod(places[:, None], whole) / whole)
