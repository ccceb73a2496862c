"""How good answers are: counts that add up over a stream, and the measures computed from them.

Counts are kept apart from measures, so that windows, chunks and whole streams use the same few
formulas, once each. What the columns of counts are is said in `mooe.evaluate.counting`; how the
measures are called and written in `mooe.evaluate.measures`.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mooe.evaluate import counting
from mooe.evaluate.counting import (
    BINS,
    CLASSES,
    LOG_LOSS,
    MAJORITY,
    MIDDLE,
    N_VALUES,
    NO_CHANGE,
    SPREAD,
)
from mooe.evaluate.measures import MEASURES


class ClassJudge:
    """Judges classes: accuracy, kappas, macro precision, recall and F1, log-loss, calibration."""

    def __init__(self) -> None:
        self.naive = counting.with_room(None, 0)

    def nothing(self, n_windows: int) -> np.ndarray:
        """Return counts of windows without rows, for the classes met so far."""
        return np.zeros((n_windows, CLASSES + 3 * (len(self.naive) - counting.SEEN)))

    def count(
        self, counts: np.ndarray, truth: np.ndarray, answers: Any, first: int, window: int
    ) -> np.ndarray:
        """In place: return the counts of windows with more rows in them, from row `first` on.

        Parameters
        ----------
        counts : array (n_windows, width)
            The first window begins with row 0; as many are added as are needed.
        truth : array (n,), n at least 1
            Numbers of the true classes, NaN where a row has no label.
        answers : Answers
            `chosen`, class numbers or -1, and `probabilities` of the classes that were known.
        first : int
            Row of the first of these.
        window : int
            Rows per window.
        """
        chosen = np.ascontiguousarray(answers.chosen, dtype=np.int64)
        largest = int(max(np.fmax.reduce(truth, initial=-1.0), chosen.max()))
        self.naive = counting.with_room(self.naive, largest + 1)
        counts = enlarged(counts, self.nothing((first + len(truth) - 1) // window + 1))
        given = np.empty((0, 0)) if answers.probabilities is None else answers.probabilities
        given = np.ascontiguousarray(given, dtype=np.float64)
        counting.count_classes(truth, chosen, given, first, window, self.naive, counts)
        return counts

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
    """Judges values: MAE, RMSE and R2."""

    def nothing(self, n_windows: int) -> np.ndarray:
        """Return counts of windows without rows."""
        return np.zeros((n_windows, SPREAD + 1))

    def count(
        self, counts: np.ndarray, truth: np.ndarray, answers: Any, first: int, window: int
    ) -> np.ndarray:
        """In place: return the counts of windows with more rows in them, as `ClassJudge.count`."""
        counts = enlarged(counts, self.nothing((first + len(truth) - 1) // window + 1))
        chosen = np.ascontiguousarray(answers.chosen, dtype=np.float64)
        counting.count_values(truth, chosen, first, window, counts)
        return counts

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
    kappa = next(measure.key for measure in MEASURES.values() if measure.reference == model)
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
