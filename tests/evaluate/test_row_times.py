"""Times of rows, whatever they come as."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from made_streams import table

import mooe
from mooe.evaluate import prequential
from mooe.evaluate.row_times import seconds_of

river = pytest.importorskip("river")

N = 300


def test_times_are_seconds_whatever_they_come_as():
    day = datetime(2024, 5, 1, tzinfo=UTC)
    expected = [day.timestamp()]
    for times in (
        np.array(["2024-05-01"], dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime(["2024-05-01"])),
        pd.Series(pd.to_datetime(["2024-05-01"], utc=True)),
        [day],
        [datetime(2024, 5, 1)],
        [date(2024, 5, 1)],
        ["01.05.2024"],
        ["2024-05-01T00:00"],
        expected,
    ):
        assert seconds_of(times).tolist() == expected
    assert seconds_of(None) is None


def test_odd_times_are_said_and_count_as_the_ones_before():
    X, y, _ = table()
    times = pd.Series(pd.date_range("2024-01-01", periods=N, freq="h"))
    times[[3, 4, 200]] = pd.NaT
    times[100] = times[50]
    told = "of the times 3 cannot be read .*, 1 run back; rows stay in their order"
    with pytest.warns(UserWarning, match=told):
        results = prequential(mooe.MOOEClassifier(), X, y, times=times, delay="1d")
    assert results.unanswered == 24
    assert all(np.isfinite(time) for _, time in results.times)
    with pytest.raises(ValueError, match="times must hold a date or a number, got none"):
        prequential(mooe.MOOEClassifier(), X, y, times=[None] * N)
    with pytest.raises(ValueError, match=r"such as X\['when'\], got 'when'"):
        prequential(mooe.MOOEClassifier(), X, y, times="when")
    with pytest.raises(ValueError, match=r"times must be dates that can be read.*got 'noon'"):
        prequential(mooe.MOOEClassifier(), X, y, times=["noon"] * N)
