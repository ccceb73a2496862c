"""The median error, and the few labels that are far from all others, such as a sensor's 9999.

Errors are counted by level, so that the memory does not grow with the stream: the median is exact
to about one per cent. Of labels a sample is kept, and the largest and smallest.
"""

from collections import Counter
from typing import Any

import numpy as np

from mooe.evaluate.levels import level_edges, levels_of

STEPS = 64  # levels of an octave
LOWEST, HIGHEST = -150, 150  # octaves
N_LEVELS = (HIGHEST - LOWEST) * STEPS + 1  # the first for no error at all
FAR = 30  # median distances from the median label: what is beyond is far from the others
FEW = 0.01  # of the rows: far labels are named where they are so few at most,
NOTABLE = 0.1  # and their errors make so much of all
MOST_KEPT = 1000  # of the largest labels, of the smallest, and of the sample
MOST_NAMED = 3  # labels that are named one by one


class ErrorSizes:
    """Errors of all rows so far by level, and the labels that may be far from all others."""

    def __init__(self) -> None:
        self.counts = np.zeros(N_LEVELS, dtype=np.int64)
        self.n_rows = self.n_judged = 0
        self.every = 1  # how many rows there are to one of the sample
        self.sample = np.zeros(0)  # of labels
        self.largest = self.smallest = np.zeros((0, 3))  # (label, error, row)

    def count(self, truth: np.ndarray, chosen: np.ndarray) -> None:
        """In place: add rows with label and answer; NaN is none."""
        row = np.arange(self.n_rows, self.n_rows + len(truth), dtype=np.float64)
        self.n_rows += len(truth)
        errors = np.abs(chosen - truth)
        is_judged = np.isfinite(errors)
        if not is_judged.any():
            return
        rows = np.column_stack([truth, errors, row])[is_judged]
        np.add.at(self.counts, levels(rows[:, 1]), 1)
        self.largest, self.smallest = (
            _extremes(kept, rows, sign)
            for kept, sign in ((self.largest, 1.0), (self.smallest, -1.0))
        )
        place = np.arange(self.n_judged, self.n_judged + len(rows))
        self.n_judged += len(rows)
        self.sample = np.concatenate([self.sample, rows[place % self.every == 0, 0]])
        while len(self.sample) > 2 * MOST_KEPT:
            self.sample, self.every = self.sample[::2], 2 * self.every

    def median(self) -> float:
        """Return the median error, NaN without any."""
        n, reached = int(self.counts.sum()), np.cumsum(self.counts)
        if n == 0:
            return np.nan
        level = int(np.searchsorted(reached, 0.5 * n))
        inside = (0.5 * n - (reached[level] - self.counts[level])) / self.counts[level]
        low, high = least_errors(np.array([level, level + 1]))
        return float(low + inside * (high - low)) if level else 0.0

    def far(self, absolute: float, square: float) -> dict[str, Any]:
        """Return what is said of the few labels that are far from all others; {} where none are.

        `rows` with such a label, the `first` and `last` of them, the `least` and the `greatest` of
        these labels, the most frequent `labels` as pairs of value and number of rows, and `mae` and
        `rmse` without these rows. `absolute` and `square` are the sums of all errors.
        """
        if not len(self.sample):
            return {}
        middle = float(np.median(self.sample))
        reach = FAR * float(np.median(np.abs(self.sample - middle)))
        rows = np.unique(np.concatenate([self.largest, self.smallest]), axis=0)
        rows = rows[np.abs(rows[:, 0] - middle) > reach]
        n, lost = len(rows), float(rows[:, 1].sum())
        is_whole = n < min(MOST_KEPT, self.n_judged)  # none of them is missing
        if not (0 < n <= FEW * self.n_judged and is_whole and lost >= NOTABLE * absolute):
            return {}
        left = self.n_judged - n
        named = Counter(rows[:, 0].tolist()).most_common(MOST_NAMED)
        return {
            "rows": n,
            "first": int(rows[:, 2].min()),
            "last": int(rows[:, 2].max()),
            "least": float(rows[:, 0].min()),
            "greatest": float(rows[:, 0].max()),
            "labels": [[value, times] for value, times in named],
            "mae": max(absolute - lost, 0.0) / left,
            "rmse": float(np.sqrt(max(square - float((rows[:, 1] ** 2).sum()), 0.0) / left)),
        }


def _extremes(kept: np.ndarray, rows: np.ndarray, sign: float) -> np.ndarray:
    """Return the rows with the largest labels, or the smallest where the sign is -1."""
    if len(kept) >= MOST_KEPT:
        rows = rows[sign * rows[:, 0] > sign * kept[-1, 0]]
    if not len(rows):
        return kept
    both = np.concatenate([kept, rows])
    return both[np.argsort(-sign * both[:, 0], kind="stable")[:MOST_KEPT]]


def levels(errors: np.ndarray) -> np.ndarray:
    """Return the level of each error: equal steps within an octave.

    >>> levels(np.array([0.0, 1.0, 2.0])).tolist()
    [0, 9601, 9665]
    """
    place = 1 + levels_of(errors, STEPS, LOWEST)
    return np.where(errors > 0.0, np.clip(place, 1, N_LEVELS - 1), 0)


def least_errors(level: np.ndarray) -> np.ndarray:
    """Return the least error of each level.

    >>> least_errors(levels(np.array([0.0, 1.0, 1.25]))).tolist()
    [0.0, 1.0, 1.25]
    """
    return np.where(level > 0, level_edges(np.maximum(level, 1) - 1, STEPS, LOWEST), 0.0)
