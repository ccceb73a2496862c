"""What every forecast is compared with: the last value, and the value one season ago."""

import numpy as np


def last_value(Y: np.ndarray, h: int) -> np.ndarray:
    """Return what each row forecasts for h rows on: the last known value, (n, channels).

    >>> last_value(np.array([[1.0], [np.nan], [3.0]]), 2)[:, 0].tolist()
    [1.0, 1.0, 3.0]
    """
    known = np.where(np.isnan(Y), -1, np.arange(len(Y))[:, None])
    latest = np.maximum.accumulate(known, axis=0)
    filled: np.ndarray = np.take_along_axis(Y, np.maximum(latest, 0), axis=0)
    return filled


def seasonal_naive(Y: np.ndarray, h: int, season: int) -> np.ndarray:
    """Return what each row forecasts for h rows on: the value whole seasons before, (n, channels).

    Where that is not known, the one a season earlier; before there is any, the last value. A season
    of 1 is the last value.

    >>> seasonal_naive(np.arange(5.0)[:, None], 1, 3)[:, 0].tolist()
    [0.0, 1.0, 0.0, 1.0, 2.0]
    """
    if season <= 1:
        return last_value(Y, h)
    filled, last = Y.copy(), last_value(Y, h)
    for start in range(season, len(Y), season):  # what is missing is as a season before
        part, before = filled[start : start + season], filled[start - season :]
        np.copyto(part, before[: len(part)], where=np.isnan(part))
    back = np.arange(len(Y)) + h - season * -(-h // season)
    out: np.ndarray = np.where(back[:, None] >= 0, filled[np.maximum(back, 0)], np.nan)
    return np.where(np.isnan(out), last, out)
