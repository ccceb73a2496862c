"""Seasons that rows show: found in what has been seen alone, by what a phase tells of a change.

Candidates are the peaks of the autocorrelation. One of them is a season where the mean changes of
its phases, or its first harmonics, differ by more than chance would have it, among so many
candidates (F-tests of what is new in a row, which random walks pass as noise does); of several it
is the one that is least likely to be chance. A second season, a multiple, must tell more than the
first by the same test. One value or one step that is far larger than all others would be nearly all
of the variance, so both are drawn in first.

>>> day = np.sin(np.arange(200) * 2 * np.pi / 24)[:, None]
>>> found(day + np.random.default_rng(0).normal(0.0, 0.3, (200, 1)))
(24,)
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import fdtrc

from mooe.forecast.season_fit import BEFORE, USED, residuals

EARLY = range(8, 33)  # rows: every one counts where there are few
LOOKS = (*EARLY, *(n * 2**k for k in range(9) for n in (36, 42, 48, 52, 60) if n * 2**k <= 12_288))
FULL, LONG, FULL_LONG = 2, 60, 3  # seasons that must have been seen, and of those of more rows
SOON = 1.1  # and of those that people have, of up to so many rows
MOST = 16  # candidates
CHANCE, LEAST = -4.6, 1e-300  # logarithm of the chance that a season is none, 1 in 100
LIKELY = -4.0  # that of each season that people have, 1 in 50
SOONER = 2.0  # how much surer one must be for each part of the second season that is not seen yet
FEW = 3.0  # and of a long one that was seen twice
SHORT = 12  # rows of a season that need tell more than the row before alone, not than BEFORE
TOLD = 0.05  # unless they leave less of what is new: a wave without noise follows from them
LEAST_PEAK = 0.1
HARMONICS = 3  # that a smooth season is looked for by
DAYS = 7  # first seasons that a second one may have, where none is expected
MORE, ERRORS = 0.03, 2.0  # how much higher the peak of a second season is, and in standard errors
OFTEN = 7  # times that a part was seen which is taken instead of the expected season
USUAL = (4, 7, 12, 24, 48, 52, 60, 96, 144, 168, 288, 365, 672, 1440)  # rows of seasons people have
LEAST_USUAL = 10  # rows of a season from which on one row more or less is beside it
BESIDE, ABOUT = 0.05, 0.8  # how near a usual season is to the one found, and how sure
AROUND = 5  # values in whose middle one is expected
LARGE, FARTHEST = 0.9, 3.0  # a share of deviations, and by how much none is larger than it


class Evidence(NamedTuple):
    """What is new in rows, and the rows before."""

    columns: np.ndarray  # (n, n_channels, 1 + BEFORE) what is new, the rows before, latest first
    products: np.ndarray  # (n_channels, 1 + BEFORE, 1 + BEFORE) of columns


def found(Y: np.ndarray, expected: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the season that rows (n, n_channels) show and a second one, a multiple of it.

    Expected ones, such as those of the calendar, are taken without a proof for the first unless
    another shows and it does not, and where it shows for the second. () where there is none.
    """
    values = _without_gaps(Y)
    if values.shape[1] == 0:
        return expected[:1]
    rows = _evidence(values)
    candidates = _candidates(values, rows.columns[:, :, 0])
    sure = CHANCE - np.log(max(len(candidates), 1)) - _looked_before(len(Y))
    likely = [one for one in (*expected, *USUAL) if _can_show(one, len(Y))]
    bounds = dict.fromkeys(candidates, sure) | {one: _likely(one, len(Y)) for one in likely}
    chances = {one: _chances(rows, one) for one in bounds}
    seasons = {one: each[0] for one, each in chances.items() if max(each) < bounds[one]}
    if not seasons:
        return expected[:1]
    best = min(seasons, key=lambda one: (seasons[one], one))
    whole = _usual(rows, _smallest(rows, best, sure))
    parts = _parts(whole) if whole > LONG else [whole]
    first = min(parts, key=lambda one: (_chances(rows, one)[0], one))
    if expected and whole < expected[0] and _is_instead(rows, whole, expected[0], seasons, sure):
        expected = (whole, expected[0])
    elif expected and not _is_other(whole, expected[0], seasons, 2.0 * sure, len(Y)):
        first = whole = expected[0]
    if whole == first:
        longer = expected[1:] or (DAYS * first,)
        whole = next((s for s in longer if _is_second(values, rows, first, s, sure)), first)
    return (first, whole) if whole > first and FULL_LONG * whole <= len(Y) else (first,)


def _can_show(season: int, n: int) -> bool:
    """Whether n rows are enough to ask whether a season that people have is there."""
    return (SOON if season <= LONG else FULL) * season <= n


def _likely(season: int, n: int) -> float:
    """Return the bound of the chance for a season that people have, after n rows."""
    if season <= LONG:
        unseen = max(FULL - n / season, 0.0)
        return LIKELY * (1.0 + SOONER * unseen) - _looked_before(n)
    return LIKELY - _looked_before(n) if FULL_LONG * season <= n else FEW * LIKELY


def _looked_before(n: int) -> float:
    """Return how much surer a season must be after n rows: who looks often finds by chance."""
    return float(np.log(max(n / LOOKS[0], 1.0)))


def chance(rows: Evidence, season: int, known: int = 1) -> float:
    """Return the logarithm of the chance that a season explains as much as it does.

    More than a known season, and than the row before; a long one also than some rows before: a
    slope that lasts and turns, as an economy's, is like a part of its wave.
    """
    return max(_chances(rows, season, known))


def _chances(rows: Evidence, season: int, known: int = 1) -> list[float]:
    """Return the chances beside the row before and, of a long season, some rows before.

    What counts is the surer of a season's phases, which have any shape, and its first harmonics,
    of which few rows tell more. All that is asked of rows follows from the sums of phases.
    """
    n = len(rows.columns)
    waves = _waves(season, known, min(int(np.lcm(season, known)), n))
    left, n_waves = residuals(rows.columns, rows.products, waves, season, known), waves.shape[1]
    chances: list[float] = []
    for used, (plain, by_phases, lagged, by_waves) in zip(USED, left, strict=True):
        if chances and (season <= SHORT or chances[0] > 0.5 * CHANCE):  # no bound is as high
            break
        if chances and lagged < TOLD * left[0, 0]:
            break
        phases = _tail(plain, by_phases, season - known, n - used + 1 - season)
        smooth = _tail(lagged, by_waves, n_waves, n - used - known - n_waves)
        chances.append(float(min(0.0, min(phases, smooth) + np.log(2.0))))
    return chances


def _tail(before: float, after: float, outer: int, inner: int) -> float:
    """Return the logarithm of the chance that so many more terms leave so little (an F-test)."""
    if inner < 1 or outer < 1:
        return 0.0
    ratio = ((before - after) / outer) / max(after / inner, 1e-12)
    return float(np.log(max(fdtrc(outer, inner, max(ratio, 0.0)), LEAST)))


@lru_cache(maxsize=64)
def _waves(season: int, known: int, n: int) -> np.ndarray:
    """Return the first waves of a season that a known one does not have, (n, number)."""
    turns = 2.0 * np.pi * np.arange(n)[:, None] / season
    numbers = [k for k in range(1, HARMONICS + 1) if k * known % season and 2 * k < season]
    return np.hstack([np.sin(turns * numbers), np.cos(turns * numbers)])


def _candidates(values: np.ndarray, changes: np.ndarray) -> list[int]:
    """Return lags at which the autocorrelation of values or changes has its highest peaks."""
    found: dict[int, float] = {}
    for rows in (values, changes):
        n, r = len(rows), _autocorrelations(rows)
        for lag in range(2, min(len(r) - 1, n // FULL + 1)):
            if lag > LONG and FULL_LONG * lag > n:
                break
            if r[lag] > LEAST_PEAK and r[lag] >= r[lag - 1] and r[lag] >= r[lag + 1]:
                found[lag] = max(found.get(lag, 0.0), float(r[lag]))
    return sorted(found, key=lambda lag: -found[lag])[:MOST]


def _parts(season: int) -> list[int]:
    """Return the whole numbers that divide a season, the smallest first, itself the last."""
    return [one for one in range(2, season + 1) if season % one == 0]


def _smallest(rows: Evidence, season: int, sure: float) -> int:
    """Return the smallest part of a season that tells all that it does."""
    parts = _parts(season)
    return next(one for one in parts if one == season or chance(rows, season, one) > 0.7 * sure)


def _usual(rows: Evidence, season: int) -> int:
    """Return the season that people usually have beside one, where it is about as sure."""
    here = chance(rows, season)
    for usual in USUAL:
        is_beside = 0 < abs(usual - season) <= max(1.0, BESIDE * season) and season > LEAST_USUAL
        if is_beside and chance(rows, usual) <= ABOUT * here:
            return usual
    return season


def _is_second(values: np.ndarray, rows: Evidence, first: int, season: int, sure: float) -> bool:
    """Whether a multiple of the first season shows too, in changes or in autocorrelations."""
    n = len(values)
    if FULL_LONG * season > n:
        return False
    r = _autocorrelations(values)
    beside = max(r[season - first], r[season + first], r[first])
    is_higher = r[season] > beside + max(MORE, ERRORS / np.sqrt(n))
    return bool(is_higher or chance(rows, season, first) < sure)


def _is_other(
    season: int, expected: int, seasons: dict[int, float], very_sure: float, n: int
) -> bool:
    """Whether a season takes the place of the expected one, which could have shown and did not.

    It is neither a multiple nor a part of it.
    """
    differs = season % expected != 0 and expected % season != 0
    is_absent = expected not in seasons and _can_show(min(expected, LONG), n)
    return differs and is_absent and min(seasons.values()) < very_sure


def _is_instead(
    rows: Evidence, part: int, expected: int, seasons: dict[int, float], sure: float
) -> bool:
    """Whether a part of the expected season takes its place, which tells no more than it.

    As an hour of minutes does of a day. While the day was not seen once, that costs nothing.
    """
    n = len(rows.columns)
    is_often = expected % part == 0 and (OFTEN * part <= n or n < expected)
    is_sure = is_often and min(seasons.values()) < 2.0 * sure
    return is_sure and chance(rows, expected, part) > 0.7 * sure


def _without_gaps(Y: np.ndarray) -> np.ndarray:
    """Return the channels that vary, unknown values taken for the last known."""
    known = np.isfinite(Y)
    places = np.maximum.accumulate(np.where(known, np.arange(len(Y))[:, None], 0), 0)
    filled = np.take_along_axis(np.column_stack([_without_outliers(y) for y in Y.T]), places, 0)
    filled = np.where(np.isfinite(filled), filled, 0.0)
    scale = np.abs(filled).max(0)
    filled = filled[:, scale > 0.0] / scale[scale > 0.0]
    return np.asarray(filled[:, filled.std(0) > 1e-9])


def _without_outliers(y: np.ndarray) -> np.ndarray:
    """Return a channel (n,) whose known values are not too far from the middle of those around."""
    out, known = y.copy(), np.flatnonzero(np.isfinite(y))
    if len(known) < AROUND:
        return out
    half = AROUND // 2
    middles = np.median(sliding_window_view(y[known], AROUND), 1)
    middle = np.pad(middles, half, "edge")
    out[known] = middle + _drawn_in((y[known] - middle)[:, None])[:, 0]
    return out


def _drawn_in(deviations: np.ndarray) -> np.ndarray:
    """Return deviations (n, n_channels) of which none is far larger than nearly all others.

    Where nearly all are 0, than the largest but one.
    """
    sizes = np.abs(deviations)
    large = np.quantile(sizes, LARGE, 0)
    most = FARTHEST * np.where(large > 0.0, large, np.partition(sizes, -2, 0)[-2])
    return np.asarray(np.clip(deviations, -most, most))


def _evidence(values: np.ndarray) -> Evidence:
    """Return what is new in each row, values against part of those before, and these.

    The part is the correlation of neighbours: 0 for noise, 1 for a random walk.
    """
    middle = values - values.mean(0)
    part = (middle[1:] * middle[:-1]).sum(0) / (middle**2).sum(0)
    rows = _drawn_in(middle[1:] - np.clip(part, 0.0, 1.0) * middle[:-1])
    deviation = rows.std(0)
    changes = (rows - rows.mean(0)) / np.where(deviation > 0.0, deviation, 1.0)
    places = np.maximum(np.arange(len(rows)) - np.arange(BEFORE)[:, None], 0)
    columns = np.stack([changes, *middle[places]], 2)
    each = np.swapaxes(columns, 0, 1)
    return Evidence(columns, np.swapaxes(each, 1, 2) @ each)


def _autocorrelations(values: np.ndarray) -> np.ndarray:
    """Return the mean autocorrelation of the channels without their trends, by lag."""
    n = len(values)
    line = np.linspace(-1.0, 1.0, n)
    rest = values - values.mean(0) - np.outer(line, line @ values / (line @ line))
    power = np.abs(np.fft.rfft(rest, 2 * n, axis=0)) ** 2
    sums = np.fft.irfft(power, axis=0)[: 2 * n // 3]
    whole = sums[0] * (1.0 - np.arange(2 * n // 3) / n)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0.0, sums / whole, 0.0).mean(1))
