"""How good answers are: counts that add up over a stream, and the measures computed from them.

Counts are kept apart from measures, so that windows, chunks and whole streams use the same few
formulas, once each. They are the rows of an array, one for each window; rows of a stream are
counted by compiled code, for a row of paper mode leaves little time for it. How the measures are
called and written is said in `mooe.evaluate.measures`.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mooe.evaluate.error_sizes import ErrorSizes
from mooe.evaluate.measures import MEASURES
from mooe.evaluate.rare_class import Ranking
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import compiled, forced, part
from mooe.numerics.compiler import int64, void

NO_ANSWER, NOT_POSSIBLE = -1, -2  # answers: none, and none before any label, which is not judged
LONGEST = 10_000  # rows of a window whose errors are kept for their median
N_BINS = 10  # of the calibration error
LEAST_PROBABILITY = 1e-15  # what a logarithm is taken of
LEAST_PRODUCT = 1e-280  # of probabilities, that one more cannot make zero

# Columns of the counts of classification. Behind the sums come, for each bin of confidence, rows,
# hits and the sum of confidence; then, for each class, its rows, answers that name it, and hits.
NO_CHANGE, MAJORITY = 0, 1  # hits of repeating the last label, of naming the most frequent so far
LOG_LOSS = 2  # the sum of -log(probability of the true class), over the rows in the bins
BINS = 3
CLASSES = BINS + 3 * N_BINS

# Columns of the counts of regression, over rows with label and answer: how many, sums of absolute
# and squared errors, mean of the labels, sum of their squared distances from it.
N_VALUES, ABSOLUTE, SQUARE, MIDDLE, SPREAD = range(5)

# Entries of what the naive answers remember: both answers, -1 before any label; then, for each
# class, how often it was seen.
LAST, LEADER, SEEN = 0, 1, 2

whole_numbers = int64[::1]


class ClassJudge:
    """Judges classes: accuracy, kappas, macro precision, recall and F1, log-loss, calibration.

    `ranking` has the probabilities of all rows so far, for what is said of a rare class.
    """

    def __init__(self) -> None:
        self.naive = with_room(None, 0)
        self.ranking = Ranking()

    def nothing(self, n_windows: int) -> np.ndarray:
        """Return counts of windows without rows, for the classes met so far."""
        return np.zeros((n_windows, CLASSES + 3 * (len(self.naive) - SEEN)))

    def count(
        self, counts: np.ndarray, truth: np.ndarray, answers: Any, first: int, window: int
    ) -> np.ndarray:
        """In place: return the counts of windows with more rows in them, from row `first` on.

        The first of the windows, of `window` rows each, begins with row 0; as many are added as are
        needed. `truth` has the number of each row's class, NaN for no label; there is a row at
        least. `answers` are a learner's `Answers`, in which NOT_POSSIBLE is an answer before any
        label: such a row is not judged.
        """
        chosen = np.ascontiguousarray(answers.chosen, dtype=np.int64)
        largest = int(max(np.fmax.reduce(truth, initial=-1.0), chosen.max()))
        self.naive = with_room(self.naive, largest + 1)
        counts = enlarged(counts, self.nothing((first + len(truth) - 1) // window + 1))
        table = np.empty((0, 0)) if answers.probabilities is None else answers.probabilities
        table = np.ascontiguousarray(table, dtype=np.float64)
        count_classes(truth, chosen, table, first, window, self.naive, counts)
        self.ranking.count(truth, chosen, table, len(self.naive) - SEEN)
        return counts

    def n_judged(self, counts: np.ndarray) -> int:
        """Return how many rows all the counts are of."""
        return int(counts[:, CLASSES::3].sum())

    def overall(self, counts: np.ndarray) -> dict[str, float]:
        """Return measures of all rows so far that are not had from the counts: none."""
        return {}

    def close_windows(self, n: int, window: int) -> list[dict[str, float]]:
        """In place: the first n windows are over; return measures not had from the counts."""
        return [{}] * n

    def class_shares(self) -> np.ndarray:
        """Return the share of each class among the labels so far, judged or not."""
        seen = self.naive[SEEN:]
        return np.asarray(seen / max(1, seen.sum()))

    def of_class(self, counts: np.ndarray, number: int) -> tuple[dict[str, float], dict[str, Any]]:
        """Return measures of one class over all rows so far, and what was counted of it.

        `counts` (1, width) are those of all rows.
        """
        total = counts[0, CLASSES:].reshape(-1, 3)
        rows = float(total[:, 0].sum())
        there, named, hits = total[number].tolist() if number < len(total) else (0.0, 0.0, 0.0)
        average, curve = self.ranking.average_precision(number)
        measures = {
            "average_precision": average,
            "rare_precision": hits / max(named, 1.0),
            "rare_recall": hits / max(there, 1.0),
            "rare_f1": 2.0 * hits / max(there + named, 1.0),
            "alarms_per_1000_rows": 1000.0 * named / max(rows, 1.0),
        }
        counted = {"rows": int(there), "alarms": int(named), "hits": int(hits), "curve": curve}
        return ({} if rows == 0.0 else measures), counted

    def joined(self, counts: np.ndarray, k: int) -> np.ndarray:
        """Return the counts of windows k times as long; the last one may lack some."""
        total: np.ndarray = _in_groups(counts, k).sum(axis=1)
        return total

    def measures(self, counts: np.ndarray) -> list[dict[str, float]]:
        """Return the measures of each row of counts; nothing where there are none."""
        truth, answered, hits = (counts[:, CLASSES + j :: 3] for j in range(3))
        size, right, sure = (counts[:, BINS + j : CLASSES : 3] for j in range(3))
        rows = np.maximum(truth.sum(axis=1), 1)
        present = np.maximum((truth > 0).sum(axis=1), 1)
        accuracy = hits.sum(axis=1) / rows
        measures = {
            "accuracy": accuracy,
            "kappa": _beyond(accuracy, (truth * answered).sum(axis=1) / rows**2),
            "kappa_m": _beyond(accuracy, counts[:, MAJORITY] / rows),
            "kappa_temporal": _beyond(accuracy, counts[:, NO_CHANGE] / rows),
            "precision": (hits / np.maximum(answered, 1)).sum(axis=1) / present,
            "recall": (hits / np.maximum(truth, 1)).sum(axis=1) / present,
            "f1": (2 * hits / np.maximum(truth + answered, 1)).sum(axis=1) / present,
        }
        probable = size.sum(axis=1)
        of_probabilities = {
            "log_loss": counts[:, LOG_LOSS] / np.maximum(probable, 1),
            "calibration_error": np.abs(right - sure).sum(axis=1) / np.maximum(probable, 1),
        }
        return _listed((measures, truth.sum(axis=1) > 0), (of_probabilities, probable > 0))


class ValueJudge:
    """Judges values: MAE, median error, RMSE and R2.

    `sizes` has the errors of all rows so far, `open` those of the windows that are not over yet.
    """

    def __init__(self) -> None:
        self.sizes = ErrorSizes()
        self.open = np.zeros(0)

    def nothing(self, n_windows: int) -> np.ndarray:
        """Return counts of windows without rows."""
        return np.zeros((n_windows, SPREAD + 1))

    def count(
        self, counts: np.ndarray, truth: np.ndarray, answers: Any, first: int, window: int
    ) -> np.ndarray:
        """In place: return the counts of windows with more rows in them, as `ClassJudge.count`."""
        counts = enlarged(counts, self.nothing((first + len(truth) - 1) // window + 1))
        chosen = np.ascontiguousarray(answers.chosen, dtype=np.float64)
        count_values(truth, chosen, first, window, counts)
        self.sizes.count(truth, chosen)
        if window <= LONGEST:
            self.open = np.concatenate([self.open, np.abs(chosen - truth)])
        return counts

    def n_judged(self, counts: np.ndarray) -> int:
        """Return how many rows all the counts are of."""
        return int(counts[:, N_VALUES].sum())

    def overall(self, counts: np.ndarray) -> dict[str, float]:
        """Return measures of all rows so far that are not had from the counts."""
        return {"median_error": self.sizes.median()} if self.n_judged(counts) else {}

    def close_windows(self, n: int, window: int) -> list[dict[str, float]]:
        """In place: the first n windows are over; return measures not had from the counts."""
        windows = [self.open[k * window : (k + 1) * window] for k in range(n)]
        self.open = self.open[n * window :]
        known = [errors[errors == errors] for errors in windows]
        return [{"median_error": float(np.median(e))} if len(e) else {} for e in known]

    def joined(self, counts: np.ndarray, k: int) -> np.ndarray:
        """Return the counts of windows k times as long (Chan's rule)."""
        groups = _in_groups(counts, k)
        rows, middles = groups[:, :, N_VALUES], groups[:, :, MIDDLE]
        total: np.ndarray = groups.sum(axis=1)
        middle = (rows * middles).sum(axis=1) / np.maximum(total[:, N_VALUES], 1)
        total[:, MIDDLE] = middle
        total[:, SPREAD] += (rows * (middles - middle[:, None]) ** 2).sum(axis=1)
        return total

    def measures(self, counts: np.ndarray) -> list[dict[str, float]]:
        """Return the measures of each row of counts; nothing where there are none."""
        rows, absolute, square, _, spread = counts.T
        n = np.maximum(rows, 1)
        share = np.divide(square, spread, out=np.ones_like(square), where=spread > 0.0)
        measures = {"mae": absolute / n, "rmse": np.sqrt(square / n), "r2": 1.0 - share}
        return _listed((measures, rows > 0))


def enlarged(counts: np.ndarray, larger: np.ndarray) -> np.ndarray:
    """In place: return a larger array of zeros with the counts in its upper left corner."""
    larger[: len(counts), : counts.shape[1]] = counts
    return larger


def _in_groups(counts: np.ndarray, k: int) -> np.ndarray:
    """Return (n_groups, k, width): each k windows in a row; the last group is filled up."""
    n, width = -(-len(counts) // k), counts.shape[1]
    return enlarged(counts, np.zeros((n * k, width))).reshape(n, k, width)


def _beyond(accuracy: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the share of a reference's errors that is avoided; 0 where it makes none."""
    share = np.zeros_like(accuracy)
    np.divide(accuracy - reference, 1.0 - reference, out=share, where=reference < 1.0)
    return share


def reference_accuracy(measures: Mapping[str, float], model: str) -> float:
    """Return the accuracy of no-change or majority, from a model's accuracy and its kappa.

    NaN where it cannot be said: without labels, or where the model makes no error.

    Examples
    --------
    >>> reference_accuracy({"accuracy": 0.75, "kappa_m": 0.5}, "majority")
    0.5
    """
    kappa = next((measure.key for measure in MEASURES.values() if measure.reference == model), "")
    accuracy, share = measures.get("accuracy", math.nan), measures.get(kappa, math.nan)
    return (accuracy - share) / (1.0 - share) if share < 1.0 else math.nan


def _listed(*groups: tuple[dict[str, np.ndarray], np.ndarray]) -> list[dict[str, float]]:
    """Return a dict for each window, from measures by name and whether a window has them."""
    columns = [
        (name, values.tolist(), is_known.tolist())
        for measures, is_known in groups
        for name, values in measures.items()
    ]
    n = len(groups[0][1])
    return [
        {name: values[k] for name, values, is_known in columns if is_known[k]} for k in range(n)
    ]


@forced
def _follow(naive, label, leader):
    """In place: a label comes; return who leads now, the smaller number among equals."""
    naive[SEEN + label] += 1
    if label == leader:
        return leader
    gap = naive[SEEN + label] - (naive[SEEN + leader] if leader >= 0 else 0)
    return label if gap > 0 or (gap == 0 and label < leader) else leader


@compiled(void(vector, whole_numbers, whole_numbers))
def _follow_all(labels, naive, leaders):
    """In place: leaders = the most frequent class before each label; NaN is no label."""
    for i in range(len(labels)):
        leaders[i] = naive[LEADER]
        if labels[i] == labels[i]:
            naive[LEADER] = _follow(naive, int(labels[i]), naive[LEADER])


@part
def _count_window(truth, chosen, probabilities, begin, stop, naive, counts):
    """In place: add the rows of one window to its counts."""
    known = probabilities.shape[1]
    last, leader = naive[LAST], naive[LEADER]
    repeated, led, product = 0, 0, 1.0
    for i in range(begin, stop):
        if truth[i] != truth[i]:
            continue
        label, answer = int(truth[i]), chosen[i]
        if answer > NOT_POSSIBLE:
            repeated += label == last
            led += label == leader
        last, leader = label, _follow(naive, label, leader)
        if answer == NOT_POSSIBLE:
            continue
        counts[CLASSES + 3 * label] += 1.0
        if answer < 0:
            continue
        hit = 1.0 if answer == label else 0.0
        counts[CLASSES + 3 * answer + 1] += 1.0
        counts[CLASSES + 3 * answer + 2] += hit
        if known > 0:
            given = probabilities[i, label] if label < known else 0.0
            sure = probabilities[i, answer] if answer < known else 0.0
            product *= given if given > LEAST_PROBABILITY else LEAST_PROBABILITY
            if product < LEAST_PRODUCT:  # a logarithm costs as much as all else
                counts[LOG_LOSS] -= np.log(product)
                product = 1.0
            bin = BINS + 3 * (min(int(sure * N_BINS), N_BINS - 1) if sure > 0.0 else 0)
            counts[bin] += 1.0
            counts[bin + 1] += hit
            counts[bin + 2] += sure
    counts[LOG_LOSS] -= np.log(product)
    counts[NO_CHANGE] += repeated
    counts[MAJORITY] += led
    naive[LAST], naive[LEADER] = last, leader


@compiled(void(vector, whole_numbers, matrix, int64, int64, whole_numbers, matrix))
def count_classes(truth, chosen, probabilities, first, window, naive, counts):
    """In place: add rows, of which the first is number `first`, to the counts of their windows.

    A row without label (NaN) is not judged, nor is one that no answer was possible to; one without
    answer (-1) is wrong and has no probability.
    """
    begin, at = 0, first // window
    while begin < len(truth):
        stop = min((at + 1) * window - first, len(truth))
        _count_window(truth, chosen, probabilities, begin, stop, naive, counts[at])
        begin, at = stop, at + 1


@compiled(void(vector, vector, int64, int64, matrix))
def count_values(truth, chosen, first, window, counts):
    """In place: add rows with label and answer to the counts of their windows (Welford's rule)."""
    for i in range(len(truth)):
        error = chosen[i] - truth[i]
        if error == error:
            sums = counts[(first + i) // window]
            far = truth[i] - sums[MIDDLE]
            sums[N_VALUES] += 1.0
            sums[ABSOLUTE] += abs(error)
            sums[SQUARE] += error * error
            sums[MIDDLE] += far / sums[N_VALUES]
            sums[SPREAD] += far * (truth[i] - sums[MIDDLE])


def with_room(naive: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Return what the naive answers remember, None for nothing, with room for so many classes."""
    old = np.array([-1, -1]) if naive is None else naive
    larger = np.zeros(max(len(old), SEEN + n_classes), dtype=np.int64)
    larger[: len(old)] = old
    return larger


def leaders(labels: np.ndarray, naive: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the most frequent class before each label, and what to hand in with the next labels.

    Labels are class numbers, NaN where there is none; `naive` is None with the first of them.

    >>> leaders(np.array([1.0, 0.0, 0.0, np.nan]), None)[0].tolist()
    [-1, 1, 0, 0]
    """
    naive = with_room(naive, 1 + int(np.fmax.reduce(labels, initial=-1.0)))
    out = np.empty(len(labels), dtype=np.int64)
    _follow_all(np.ascontiguousarray(labels, dtype=np.float64), naive, out)
    return out, naive
