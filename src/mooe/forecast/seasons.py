"""Seasons that rows show: found in their autocorrelation, with what has been seen alone.

>>> day = np.sin(np.arange(200) * 2 * np.pi / 24)[:, None]
>>> found(day + np.random.default_rng(0).normal(size=(200, 1)))
(24,)
"""

import numpy as np

LOOKS = tuple(n * 2**k for k in range(9) for n in (24, 36))  # rows at which they are looked for
FULL = 3  # seasons that must have been seen
CLEAR = 2.0  # standard errors (Bartlett 1946) that an autocorrelation is above 0
NEARLY = 0.7  # of the highest peak: a shorter season that reaches it is the season
MORE = 0.03  # by which the autocorrelation of a second season is above that of the first


def found(Y: np.ndarray, expected: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the season that rows (n, n_channels) show and a second one, a multiple of it.

    Expected ones, such as those of the calendar, are taken without a proof for the first, and
    where it shows for the second. () where there is none.
    """
    values = _without_gaps(Y)
    peaks = _peaks(values)
    if not expected and not peaks:
        return ()
    first = expected[0] if expected else _first(peaks)
    if expected and peaks and first <= len(Y) // FULL and not _is_near(first, peaks):
        first = _first(peaks)  # the calendar's does not show, another does
    r = _autocorrelations(values)
    longer = [s for s in expected if s > first] or [
        s for s in peaks if s % first == 0 and s > first
    ]
    for season in sorted(longer, key=lambda s: -float(r[s]) if s < len(r) else 0.0):
        if season + first < len(r) and season <= len(Y) // FULL:
            beside = max(r[season - first], r[season + first], r[first])
            if r[season] > beside + MORE:
                return first, season
    return (first,)


def _without_gaps(Y: np.ndarray) -> np.ndarray:
    """Return the channels that vary, unknown values taken for the last known, in deviations."""
    known = np.isfinite(Y)
    places = np.maximum.accumulate(np.where(known, np.arange(len(Y))[:, None], 0), 0)
    filled = np.take_along_axis(Y, places, 0)
    filled = np.where(np.isfinite(filled), filled, 0.0)
    scale = np.abs(filled).max(0)
    filled = filled[:, scale > 0.0] / scale[scale > 0.0]
    return np.asarray(filled[:, filled.std(0) > 1e-9])


def _autocorrelations(values: np.ndarray) -> np.ndarray:
    """Return the mean autocorrelation of the channels without their trends, by lag."""
    n = len(values)
    line = np.vander(np.linspace(-1.0, 1.0, n), 2)
    rest = values - line @ np.linalg.lstsq(line, values, rcond=None)[0]
    power = np.abs(np.fft.rfft(rest, 2 * n, axis=0)) ** 2
    sums = np.fft.irfft(power, axis=0)[: n // 2]
    whole = sums[0] * (1.0 - np.arange(n // 2) / n)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where(whole > 0.0, sums / whole, 0.0)
    return np.asarray(r.mean(1)) if values.shape[1] else np.zeros(n // 2)


def _peaks(values: np.ndarray) -> dict[int, float]:
    """Return lags at which the autocorrelation has a clear peak, of the values or of changes."""
    found: dict[int, float] = {}
    for rows in (values, np.diff(values, axis=0)):
        n = len(rows)
        r = _autocorrelations(rows)
        if len(r) < 4 or rows.shape[1] == 0:
            continue
        error = np.sqrt((1.0 + 2.0 * np.cumsum(r**2) - 2.0 * r[0] ** 2) / n)
        for lag in range(2, min(len(r) - 1, n // FULL + 1)):
            is_peak = r[lag] >= r[lag - 1] and r[lag] >= r[lag + 1]
            if is_peak and r[lag] > CLEAR * error[lag - 1] and r[lag] > 0.1:
                found[lag] = max(found.get(lag, 0.0), float(r[lag]))
    return found


def _first(peaks: dict[int, float]) -> int:
    """Return the shortest season whose peak is nearly as high as the highest."""
    highest = max(peaks.values())
    return min(lag for lag, height in peaks.items() if height >= NEARLY * highest)


def _is_near(season: int, peaks: dict[int, float]) -> bool:
    """Whether a season, or a multiple or a half of it, is among the peaks, to a row or so."""
    reach = 1 + season // 50
    for lag in peaks:
        whole = max(1, round(lag / season))
        if abs(lag - whole * season) <= reach or abs(2 * lag - season) <= reach:
            return True
    return False
