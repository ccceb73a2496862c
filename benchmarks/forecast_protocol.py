"""The splits of published comparisons of online forecasters, and how they score.

Channels are standardised by the warm-up; windows move by one row; the error is the mean over all
windows, channels and steps. Honest means that a forecast of row t + h is learnt from when that row
has come, not before.
"""

from typing import NamedTuple

import numpy as np

from mooe.datasets import open_series

HORIZONS = (1, 24, 48)


class Split(NamedTuple):
    """A series as a protocol has it."""

    values: np.ndarray  # (n, channels), standardised
    times: np.ndarray  # (n,), seconds since 1970
    season: int
    warm_up: int  # rows
    test: int  # the first row that is forecast


def split(name, protocol):
    """Return a series, split as "20/5/75" (DSOF, ICLR 2025) or "60/10/30" (ADAPT-Z, ICLR 2026)."""
    series = open_series(name)
    n = len(series.values)
    if protocol == "60/10/30":
        warm_up, test, end = int(0.6 * n), int(0.7 * n) + 96, n
    elif name.startswith("ETT"):  # later rows are left out
        quarter = 4 if name.startswith("ETTm") else 1
        warm_up, test, end = 2_880 * quarter, 3_600 * quarter, 14_400 * quarter
    else:
        warm_up, test, end = int(0.2 * n), n - int(0.75 * n), n
    values = series.values[:end]
    spread = values[:warm_up].std(axis=0)
    scaled = (values - values[:warm_up].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Split(scaled, series.times[:end], series.season, warm_up, test)


def mean_squared_error(part, ahead, horizon):
    """Return the error of forecasts: `ahead(h)` gives those of each row for h rows on."""
    origins = np.arange(part.test - 1, len(part.values) - horizon)
    errors = [
        np.square(ahead(h)[origins] - part.values[origins + h]).mean()
        for h in range(1, horizon + 1)
    ]
    return float(np.mean(errors))
