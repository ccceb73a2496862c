"""When rows came, as users give it: dates of any kind, texts of dates, numbers."""

import warnings
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from mooe.labels import is_given
from mooe.streams.cells import LARGEST, Spelling, date_format_of, seconds_or_nan
from mooe.streams.layout import FIRST_ROWS
from mooe.streams.stream import steady_times


def seconds_of(times: Any) -> np.ndarray | None:
    """Return times as numbers: dates in seconds since 1970, numbers as they are, NaN for none.

    Texts are read as the dates of a table are.

    >>> seconds_of(np.array(["1970-01-02"], dtype="datetime64[D]")).tolist()
    [86400.0]
    >>> seconds_of(["01.02.1970", "", "03.02.1970"]).tolist()
    [2678400.0, nan, 2851200.0]
    """
    if times is None:
        return None
    values = np.asarray(times)
    if isinstance(times, str):
        rule = f"times must have one time for each row, such as X[{times!r}]"
        raise ValueError(f"{rule}, got {times!r}")
    if values.ndim != 1:
        raise ValueError(f"times must have one time for each row, got the shape {values.shape}")
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    if values.dtype.kind in "OSU":
        return np.array(_seconds_of_all(values.tolist()))
    if values.dtype.kind not in "iuf":
        raise ValueError(f"times must be dates or numbers, got {values.dtype}")
    numbers = values.astype(np.float64)
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)


def _seconds_of_all(values: list[Any]) -> list[float]:
    """Return the seconds of dates, texts or numbers; NaN where there is none."""
    texts = [value for value in values if isinstance(value, str)][:FIRST_ROWS]
    form = date_format_of(texts, 0.0, Spelling())
    if texts and form is None:
        rule = "times must be dates that can be read, or numbers"
        raise ValueError(f"{rule}, got {texts[0]!r:.80}; pandas.to_datetime takes a format")
    spelling, seconds = Spelling(date_format=form), []
    for row, value in enumerate(values):
        try:
            seconds.append(_moment(value, spelling))
        except (TypeError, ValueError):
            rule = "times must be dates or numbers"
            raise ValueError(f"{rule}, got {value!r:.80} in row {row}") from None
    return seconds


def _moment(value: Any, spelling: Spelling) -> float:
    """Return a date, a text or a number in seconds since 1970, UTC unless it names a zone."""
    if isinstance(value, str):
        return seconds_or_nan(spelling, value)
    if not is_given(value):
        return np.nan
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(*value.timetuple()[:3])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def are_dates(times: Any) -> bool:
    """Whether times are dates, not just numbers."""
    values = np.asarray(times if times is not None else ())
    if values.dtype.kind == "O":
        return any(isinstance(value, date | str) for value in values.tolist())
    return values.dtype.kind in "MSU"


def without_gaps(times: np.ndarray) -> np.ndarray:
    """Return times without gaps, and warn of what is odd about them, as the command does."""
    there = times[~np.isnan(times)]
    if len(times) and not len(there):
        raise ValueError("times must hold a date or a number, got none that can be read")
    steady, odd = steady_times(times, there[0] if len(there) else 0.0)
    if odd.unreadable or odd.back:
        warnings.warn(f"of the times {odd.words()}; rows stay in their order", stacklevel=4)
    return steady
