"""Made series of the kinds that people have, by seed: short and medium, with and without times.

Constants of the forecaster were chosen on `CHOSEN_ON`, and `REPORTED` is what the page shows.
"""

from typing import NamedTuple

import numpy as np

from mooe.forecast.naive import last_value, seasonal_naive

CHOSEN_ON, REPORTED = 0, 1  # seeds
BEGIN = np.datetime64("2019-01-07T00:00:00", "s")  # a Monday
MINUTE, HOUR, DAY = 60, 3_600, 86_400


class Made(NamedTuple):
    """A made series, and what it is asked for."""

    values: np.ndarray  # (n, channels)
    times: np.ndarray | None  # (n,)
    season: int  # rows, of seasonal naive
    horizon: int


def monthly_sales(rng):
    """Growth or decline, a season that multiplies, noise; months."""
    n = int(rng.integers(36, 151))
    return _months(rng, _grown(rng, n, 12, rng.normal(0.005, 0.006), rng.uniform(0.05, 0.4)), 1)


def monthly_level(rng):
    """A level that moves little, and an additive season; months."""
    n, size = int(rng.integers(36, 151)), rng.uniform(5.0, 20.0)
    values = 100.0 + size * _shape(rng, 12)[np.arange(n) % 12]
    return _months(rng, values + _pulled(rng, n, rng.uniform(0.0, 0.8), rng.uniform(2.0, 8.0)), 1)


def rising(rng):
    """A line, up or down, with noise and no season; months."""
    n = int(rng.integers(36, 121))
    slope = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 2.0)
    values = 200.0 + slope * np.arange(n) + _pulled(rng, n, rng.uniform(0.0, 0.7), 2.0)
    return _months(rng, values, 1)


def quarterly(rng):
    """Growth and a season that multiplies; quarters."""
    n = int(rng.integers(24, 81))
    grown = _grown(rng, n, 4, rng.normal(0.01, 0.012), rng.uniform(0.03, 0.3))
    return _months(rng, grown, 3)


def yearly(rng):
    """A walk with drift; years."""
    n = int(rng.integers(16, 61))
    values = 100.0 + np.cumsum(rng.normal(rng.normal(0.0, 1.0), 1.0, n))
    return Made(values[:, None], None, 1, 6)


def weekly(rng):
    """A yearly wave, some growth, noise that stays; weeks."""
    n = int(rng.integers(104, 261))
    at = np.arange(n)
    wave = 1.0 + rng.uniform(0.05, 0.4) * _shape(rng, 52)[at % 52]
    values = 100.0 * np.exp(rng.normal(0.001, 0.001) * at) * wave
    values *= 1.0 + _pulled(rng, n, rng.uniform(0.0, 0.8), rng.uniform(0.03, 0.1))
    return Made(values[:, None], _times(rng, n, 7 * DAY), 52, 13)


def daily(rng):
    """A weekly season that multiplies, a yearly wave, noise that stays; days."""
    n = int(rng.integers(150, 801))
    at = np.arange(n)
    wave = 1.0 + rng.uniform(0.0, 0.3) * np.sin(2 * np.pi * (at / 365.25 + rng.random()))
    week = 1.0 + rng.uniform(0.05, 0.4) * _shape(rng, 7)[at % 7]
    values = np.exp(rng.normal(4.0, 1.0)) * wave * week
    values *= 1.0 + _pulled(rng, n, rng.uniform(0.0, 0.8), rng.uniform(0.03, 0.15))
    return Made(values[:, None], _times(rng, n, DAY), 7, 14)


def hourly(rng):
    """A day, a week, noise that stays; hours."""
    n = int(rng.integers(200, 1_501))
    at = np.arange(n)
    values = 50.0 + 10.0 * _shape(rng, 24)[at % 24] + rng.uniform(0, 5) * _shape(rng, 168)[at % 168]
    values += _pulled(rng, n, rng.uniform(0.3, 0.95), rng.uniform(2.0, 8.0))
    return Made(values[:, None], _times(rng, n, HOUR), 24, 24)


def quarter_hours(rng):
    """A day, noise that stays long; 15 minutes."""
    n = int(rng.integers(5 * 96, 21 * 96))
    at = np.arange(n)
    values = 20.0 + 5.0 * _shape(rng, 96)[at % 96]
    values += _pulled(rng, n, rng.uniform(0.8, 0.99), rng.uniform(1.0, 5.0))
    return Made(values[:, None], _times(rng, n, 15 * MINUTE), 96, 48)


def intermittent(rng):
    """Small counts, most of them zero, of which some are bought in lots; days."""
    n = int(rng.integers(100, 401))
    rate = rng.uniform(0.08, 0.7) * (1.0 + rng.uniform(0.0, 0.5) * _shape(rng, 7)[np.arange(n) % 7])
    values = (rng.random(n) < rate) * (1.0 + rng.poisson(rng.uniform(0.2, 4.0), n))
    return Made(values[:, None], _times(rng, n, DAY), 7, 14)


def growth_curve(rng):
    """An exponential or logistic rise with noise, days of no season."""
    n = int(rng.integers(60, 301))
    at = np.arange(n) / n
    if rng.random() < 0.5:
        values = 100.0 * np.exp(rng.uniform(0.5, 3.0) * at)
    else:
        values = 1000.0 / (1.0 + np.exp(-rng.uniform(5.0, 12.0) * (at - rng.uniform(0.3, 0.8))))
    values *= 1.0 + _pulled(rng, n, rng.uniform(0.0, 0.9), rng.uniform(0.01, 0.05))
    return Made(values[:, None], _times(rng, n, DAY), 7, 14)


def level_shifts(rng):
    """Levels that change at times, white noise; days."""
    n = int(rng.integers(150, 601))
    ends = np.sort(rng.integers(0, n, int(rng.integers(1, 5))))
    levels = rng.normal(100.0, 30.0, len(ends) + 1)
    values = levels[np.searchsorted(ends, np.arange(n), "right")] + rng.normal(0.0, 5.0, n)
    return Made(values[:, None], _times(rng, n, DAY), 7, 14)


def stocks(rng):
    """Prices whose logarithm walks, with a little drift; days."""
    n = int(rng.integers(100, 801))
    logs = np.cumsum(rng.normal(rng.normal(0.0, 5e-4), rng.uniform(0.01, 0.03), n))
    return Made(100.0 * np.exp(logs)[:, None], _times(rng, n, DAY), 7, 14)


def several_channels(rng):
    """Channels with a day of their own and noise in common; hours."""
    n, k = int(rng.integers(200, 1_001)), int(rng.integers(2, 9))
    at, common = np.arange(n), _pulled(rng, n, 0.95, 5.0)
    columns = [
        30.0 + 8.0 * _shape(rng, 24)[at % 24] + rng.uniform(0.2, 1.0) * np.roll(common, lag)
        + _pulled(rng, n, 0.7, 2.0)
        for lag in rng.integers(0, 4, k)
    ]  # fmt: skip
    return Made(np.column_stack(columns), _times(rng, n, HOUR), 24, 24)


def walk(rng, n=(100, 501), pull=1.0):
    """Steps of which nothing can be known, and perhaps a pull back."""
    n = int(rng.integers(*n))
    Y = rng.normal(size=(n, 1))
    for t in range(1, n):
        Y[t] += pull * Y[t - 1]
    return Made(Y, None, 24, 24)


KINDS = {
    "monthly sales": monthly_sales,
    "monthly level": monthly_level,
    "rising months": rising,
    "quarterly": quarterly,
    "yearly walk with drift": yearly,
    "weekly": weekly,
    "daily": daily,
    "hourly": hourly,
    "15 minutes": quarter_hours,
    "intermittent": intermittent,
    "growth curve": growth_curve,
    "level shifts": level_shifts,
    "stock prices": stocks,
    "several channels": several_channels,
    "walk, 100 to 500": walk,
    "walk, 60 to 120": lambda rng: walk(rng, (60, 121)),
    "pull back of .01": lambda rng: walk(rng, pull=0.99),
    "pull back of .1": lambda rng: walk(rng, pull=0.9),
    "pull back of .5": lambda rng: walk(rng, pull=0.5),
}


def made(kind, seed, number):
    """Return a series of a kind: every other one has no times."""
    rng = np.random.default_rng((seed, list(KINDS).index(kind), number))
    one = KINDS[kind](rng)
    return one if number % 2 else one._replace(times=None)


def judged(one, mean):
    """Return the squared error by the better naive's, MASE and seasonal naive's MASE."""
    Y, season, n = one.values, one.season, len(one.values)
    first = max(n // 4, min(2 * season, n // 2))
    squares, sizes = np.zeros(3), np.zeros(3)
    for h in range(1, one.horizon + 1):
        for k, forecast in enumerate(
            (mean[:, h - 1], last_value(Y, h), seasonal_naive(Y, h, season))
        ):
            error = forecast[first:-h] - Y[first + h :]
            squares[k] += np.mean(error**2, 0).mean()
            sizes[k] += np.mean(np.abs(error), 0).mean()
    unit = (np.abs(Y[season:] - Y[:-season]).mean() or 1.0) * one.horizon
    return squares[0] / min(squares[1:]), sizes[0] / unit, min(sizes[1:]) / unit


def _shape(rng, season):
    """Return the smooth or rough shape of a season, of mean 0 and deviation 1."""
    turns = 2 * np.pi * np.arange(season) / season
    shape = sum(rng.normal() / k * np.sin(k * turns + rng.uniform(0, 2 * np.pi)) for k in (1, 2, 3))
    shape = shape + rng.uniform(0.0, 0.6) * rng.normal(size=season)
    return (shape - shape.mean()) / shape.std()


def _pulled(rng, n, pull, size):
    """Return noise of a deviation whose neighbours are alike."""
    steps, out, last = rng.normal(0.0, size * np.sqrt(1.0 - pull * pull), n), np.empty(n), 0.0
    for at in range(n):
        last = pull * last + steps[at]
        out[at] = last
    return out


def _grown(rng, n, season, growth, size):
    """Return growth that wavers, times a season, times noise."""
    at = np.arange(n)
    level = np.exp(rng.normal(5.0, 1.0) + growth * at + np.cumsum(rng.normal(0.0, 0.01, n)))
    factor = np.maximum(1.0 + size * _shape(rng, season)[at % season], 0.1)
    return level * factor * np.exp(rng.normal(0.0, rng.uniform(0.02, 0.1), n))


def _times(rng, n, step):
    """Return times at equal steps from some day on."""
    first = BEGIN + np.timedelta64(int(rng.integers(0, 365)) * DAY, "s")
    return first + np.arange(n) * np.timedelta64(step, "s")


def _months(rng, values, step):
    """Return values as months, or quarters."""
    first = np.datetime64("2010-01", "M") + int(rng.integers(0, 12))
    times = (first + step * np.arange(len(values))).astype("datetime64[s]")
    season = 12 // step
    return Made(values[:, None], times, season, 12 if step == 1 else 8)
