"""Seasons that rows show: found in their autocorrelation, with what has been seen alone.

>>> day = np.sin(np.arange(200) * 2 * np.pi / 24)[:, None]
>>> found(day + np.random.default_rng(0).normal(size=(200, 1)))
(24,)
"""

import numpy as np

LOOKS = tuple(n * 2**k for k in range(9) for n in (24, 30, 36, 42))  # rows at which one looks
FULL, LONG, FULL_LONG = 2, 60, 3  # seasons that must have been seen, and of those of more rows
USUAL = (4, 7, 12, 24, 48, 52, 60, 96, 144, 168, 288, 365, 672, 1440)  # rows of seasons people have
BESIDE, ABOUT = 0.05, 0.9  # how near a usual season is to a peak, and how high it must be
CLEAR = 2.0  # standard errors (Bartlett 1946) that an autocorrelation is above 0
NEARLY = 0.75  # of the highest peak: a part of its season that reaches it is the season
# By which the autocorrelation of a second season is above the first's, and in standard errors.
MORE, MORE_ERRORS = 0.03, 2.0


def found(Y: np.ndarray, expected: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the season that rows (n, n_channels) show and a second one, a multiple of it.

    Expected ones, such as those of the calendar, are taken without a proof for the first, and
    where it shows for the second. () where there is none.
    """
    values = _without_gaps(Y)
    peaks = _peaks(values)
    if not expected and not peaks:
        return ()
    r = _autocorrelations(values)
    first = expected[0] if expected else _first(peaks, r)
    if expected and peaks and 2 * FULL * first <= len(Y) and not _is_near(first, peaks):
        first = _first(peaks, r)  # the calendar's does not show, another does
    longer = [s for s in expected if s > first] or [
        s for s in peaks if s > first and _is_multiple(s, first)
    ]
    for season in sorted(longer, key=lambda s: -float(r[s]) if s < len(r) else 0.0):
        if season + first < len(r) and FULL_LONG * season <= len(Y):
            beside = max(r[season - first], r[season + first], r[first])
            if r[season] > beside + max(MORE, MORE_ERRORS / np.sqrt(len(Y))):
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
    sums = np.fft.irfft(power, axis=0)[: _longest(n)]
    whole = sums[0] * (1.0 - np.arange(_longest(n)) / n)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where(whole > 0.0, sums / whole, 0.0)
    return np.asarray(r.mean(1)) if values.shape[1] else np.zeros(_longest(n))


def _longest(n: int) -> int:
    """Return how many lags of n rows are looked at."""
    return 2 * n // 3


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
            if lag > LONG and FULL_LONG * lag > n:
                break
            is_peak = r[lag] >= r[lag - 1] and r[lag] >= r[lag + 1]
            if is_peak and r[lag] > CLEAR * error[lag - 1] and r[lag] > 0.1:
                found[lag] = max(found.get(lag, 0.0), float(r[lag]))
    return found


def _first(peaks: dict[int, float], r: np.ndarray) -> int:
    """Return the season of the highest peak, or the smallest part of it that is nearly as high.

    One that people usually have is taken where it is beside that and about as high.
    """
    highest = max(peaks, key=lambda lag: peaks[lag])
    season = min(
        lag
        for lag, height in peaks.items()
        if height >= NEARLY * peaks[highest] and _is_multiple(highest, lag)
    )
    for usual in USUAL:
        is_beside = abs(usual - season) <= max(1.0, BESIDE * season) and season > 4
        if is_beside and usual < len(r) and r[usual] >= ABOUT * r[season]:
            return usual
    return season


def _is_multiple(lag: int, season: int) -> bool:
    """Whether a lag is that of whole seasons, to a row or so."""
    return lag >= season and abs(lag - round(lag / season) * season) <= 1 + lag // 50


def _is_near(season: int, peaks: dict[int, float]) -> bool:
    """Whether a season, a multiple or a part of it is among the peaks."""
    return any(_is_multiple(lag, season) or _is_multiple(season, lag) for lag in peaks)
