"""One class against all others: how well probabilities rank its rows, and which class is rare.

Probabilities are counted by level, so that the memory does not grow with the stream. Levels are
narrow, a thousandth of the odds: average precision is that of the exact ranking to about three
decimals, two where the class has a dozen rows.
"""

import numpy as np

from mooe.evaluate.levels import level_edges, levels_of

RARE = 0.1  # of the labels: what all classes but one have together at most, where they are rare
STEPS = 1024  # levels of an octave
OCTAVES = 40  # of probabilities up to one half; above it, of 1 - probability
LOWEST = -1 - OCTAVES  # octave, whose first level has all below it
HALF = OCTAVES * STEPS  # the level of one half; the others are counted from both ends
N_LEVELS = 2 * HALF + 1
MOST_RANKED = 10  # classes whose probabilities are counted
N_POINTS = 200  # of a curve, about


class Ranking:
    """How often each class was there, and was not, at each level of its probability."""

    def __init__(self) -> None:
        # Of two classes, all is known from the second. (n_classes, 2, N_LEVELS): others, own rows
        self.counts = np.zeros((2, 2, N_LEVELS), dtype=np.int64)
        self.has_two = True

    def count(
        self, truth: np.ndarray, chosen: np.ndarray, table: np.ndarray, n_classes: int
    ) -> None:
        """In place: add judged rows: class numbers, answers and (n, width) probabilities.

        A learner without probabilities is sure of its answers.
        """
        is_judged = (truth == truth) & (chosen > -2)
        if not is_judged.all():
            truth, chosen = truth[is_judged], chosen[is_judged]
            table = table[is_judged] if table.size else table
        if not len(truth):
            return
        n_classes = min(max(n_classes, table.shape[1]), MOST_RANKED)
        if n_classes > 2:
            self._grow(n_classes)
        for number in [1] if self.has_two else range(len(self.counts)):
            if not table.shape[1]:
                given = (chosen == number).astype(np.float64)
            elif number < table.shape[1]:
                given = np.where(chosen < 0, 0.0, table[:, number])
            else:
                given = np.zeros(len(truth))
            places = levels(given) + N_LEVELS * (truth == number)
            np.add.at(self.counts[number].reshape(-1), places, 1)  # quick by one index alone

    def _grow(self, n_classes: int) -> None:
        """In place: room for more than two classes."""
        if self.has_two:
            self.counts[0] = self.counts[1, ::-1, ::-1]
            self.has_two = False
        new = n_classes - len(self.counts)
        if new > 0:  # a class that is new had no row, and no probability with the others'
            more = np.zeros((new, 2, N_LEVELS), dtype=np.int64)
            more[:, 0, 0] = self.counts[0].sum()
            self.counts = np.concatenate([self.counts, more])

    def average_precision(self, number: int) -> tuple[float, list[list[float]]]:
        """Return the average precision of a class, and its curve, the surest rows first.

        A point of the curve is (recall, precision, threshold): what would be had if the class were
        answered wherever its probability is at least the threshold. NaN and no point where the
        class had no row, or is beyond those that are counted.
        """
        if number >= len(self.counts):
            return np.nan, []
        is_mirrored = self.has_two and number == 0
        counts = self.counts[1, ::-1, ::-1] if is_mirrored else self.counts[number]
        used = np.flatnonzero(counts.sum(axis=0))[::-1]
        others, own = np.cumsum(counts[:, used], axis=1)
        if not len(used) or own[-1] == 0:
            return np.nan, []
        recall, precision = own / own[-1], own / (own + others)
        average = float(np.sum(np.diff(recall, prepend=0.0) * precision))
        shown = np.searchsorted(recall, np.linspace(1.0 / N_POINTS, 1.0, N_POINTS) - 1e-12)
        shown = np.unique([0, *shown.tolist()])
        points = np.column_stack([recall, precision, thresholds(used)])[shown]
        return average, points.tolist()


def levels(probability: np.ndarray) -> np.ndarray:
    """Return the level of each probability, from 0 for none to N_LEVELS - 1 for certainty.

    >>> levels(np.array([0.0, 0.5, 1.0, np.nan])).tolist()
    [0, 40960, 81920, 0]
    """
    p = np.fmin(np.fmax(probability, 0.0), 1.0)
    place = np.maximum(levels_of(np.minimum(p, 1.0 - p), STEPS, LOWEST), 0)
    level: np.ndarray = np.where(p > 0.5, N_LEVELS - 1 - place, place)
    return level


def thresholds(level: np.ndarray) -> np.ndarray:
    """Return the least probability of each level.

    >>> thresholds(levels(np.array([0.0, 0.25, 0.5, 0.75]))).tolist()
    [0.0, 0.25, 0.5, 0.749755859375]
    """
    is_high = level > HALF
    place = np.where(is_high, N_LEVELS - 1 - level + 1, level)  # above, the edge that is nearer 1/2
    edge = level_edges(place, STEPS, LOWEST)
    return np.where(level == 0, 0.0, np.where(is_high, 1.0 - edge, edge))


def rare_class(shares: np.ndarray) -> int | None:
    """Return the rare class by the shares of all: the second most frequent, None where none is.

    Of two classes that is the rare one; of more, a label that was misspelt once is not taken for
    what matters.

    >>> rare_class(np.array([0.005, 0.995])), rare_class(np.array([0.4, 0.6]))
    (0, None)
    """
    order = np.argsort(-shares, kind="stable")
    if len(order) < 2 or not 1.0 - RARE < shares[order[0]] < 1.0:
        return None
    return int(order[1])
