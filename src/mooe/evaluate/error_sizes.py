"""How large errors are: their median, and the few that are far from all others.

Errors are counted by level, so that the memory does not grow with the stream: the median is exact
to about one per cent.
"""

from collections import Counter
from typing import Any

import numpy as np

BITS = 46  # of a float that do not tell its level
STEPS = 64  # 2 ** (52 - BITS): levels of an octave
LOWEST, HIGHEST = -150, 150  # octaves
FIRST = (1023 + LOWEST) * STEPS - 1
N_LEVELS = (HIGHEST - LOWEST) * STEPS + 1  # the first for no error at all
FAR = 30  # median errors: what is beyond is far from the others
FEW = 0.01  # of the rows: what is far is named where it is so few at most,
NOTABLE = 0.1  # and makes so much of the mean error at least
MOST_KEPT = 1000  # of the largest errors, whose labels can be named
MOST_NAMED = 3  # labels that are named one by one


class ErrorSizes:
    """Errors of all rows so far: by level how many, their sum and that of their squares."""

    def __init__(self) -> None:
        self.counts = np.zeros((3, N_LEVELS))
        self.n_rows = 0
        self.largest = np.zeros((0, 3))  # (error, row, label), the largest first

    def count(self, truth: np.ndarray, chosen: np.ndarray) -> None:
        """In place: add rows with label and answer; NaN is none."""
        row = np.arange(self.n_rows, self.n_rows + len(truth), dtype=np.float64)
        self.n_rows += len(truth)
        errors = np.abs(chosen - truth)
        is_judged = np.isfinite(errors)
        errors, row, truth = errors[is_judged], row[is_judged], truth[is_judged]
        if not len(errors):
            return
        place = levels(errors)
        first = int(place.min())
        for kept, weights in zip(self.counts, (None, errors, errors * errors), strict=True):
            sums = np.bincount(place - first, weights)
            kept[first : first + len(sums)] += sums
        full = len(self.largest) >= MOST_KEPT
        large = errors > self.largest[-1, 0] if full else np.ones(len(errors), dtype=bool)
        if large.any():
            new = np.column_stack([errors, row, truth])[large]
            both = np.concatenate([self.largest, new])
            order = np.argsort(-both[:, 0], kind="stable")
            self.largest = both[order[:MOST_KEPT]]

    def median(self) -> float:
        """Return the median error, NaN without any."""
        n, reached = self.counts[0].sum(), np.cumsum(self.counts[0])
        if n == 0:
            return np.nan
        level = int(np.searchsorted(reached, 0.5 * n))
        inside = (0.5 * n - (reached[level] - self.counts[0, level])) / self.counts[0, level]
        low, high = level_edges(np.array([level, level + 1]))
        return float(low + inside * (high - low)) if level else 0.0

    def far(self) -> dict[str, Any]:
        """Return what is said of the few errors that are far from all others; {} where none are.

        `rows` with an error of more than `beyond`, the `first` and `last` of them, the `labels`
        of most of them as pairs of value and number of rows, and `mae` and `rmse` without them.
        """
        level = int(levels(np.array([FAR * np.nan_to_num(self.median())]))[0]) + 1
        near, beyond = self.counts[:, :level].sum(axis=1), self.counts[:, level:].sum(axis=1)
        total = near + beyond
        if not 0 < beyond[0] <= FEW * total[0] or beyond[1] < NOTABLE * total[1]:
            return {}
        edge = float(level_edges(np.array([level]))[0])
        known = self.largest[self.largest[:, 0] >= edge]
        labels = Counter(known[:, 2].tolist())
        return {
            "rows": int(beyond[0]),
            "beyond": edge,
            "first": int(known[:, 1].min()),
            "last": int(known[:, 1].max()),
            "labels": [[value, n] for value, n in labels.most_common(MOST_NAMED)],
            "mae": float(near[1] / near[0]),
            "rmse": float(np.sqrt(near[2] / near[0])),
        }


def levels(errors: np.ndarray) -> np.ndarray:
    """Return the level of each error: equal steps within an octave.

    >>> levels(np.array([0.0, 1.0, 2.0])).tolist()
    [0, 9601, 9665]
    """
    # The bits of a float are its octave, then its place in it: their first ones are the level.
    place = (np.ascontiguousarray(errors).view(np.int64) >> BITS) - FIRST
    return np.where(errors > 0.0, np.clip(place, 1, N_LEVELS - 1), 0)


def level_edges(level: np.ndarray) -> np.ndarray:
    """Return the least error of each level.

    >>> level_edges(levels(np.array([0.0, 1.0, 1.25]))).tolist()
    [0.0, 1.0, 1.25]
    """
    octave, step = np.divmod(np.maximum(level, 1) - 1, STEPS)
    return np.where(level > 0, np.ldexp(1.0 + step / STEPS, octave + LOWEST), 0.0)
