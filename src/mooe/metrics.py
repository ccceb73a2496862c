"""How good answers are: counts that add up over a stream, and the measures computed from them.

Counts are kept apart from measures, so that windows, chunks and whole streams use the same few
formulas, once each.
"""

from dataclasses import dataclass, field

import numpy as np

__all__ = [
    "ClassCounts",
    "Naive",
    "ValueCounts",
    "class_measures",
    "count_classes",
    "count_values",
]

N_BINS = 10  # of the calibration error
LEAST_PROBABILITY = 1e-15  # what a logarithm is taken of


@dataclass
class ClassCounts:
    """What classification is judged by: a confusion matrix and a few sums.

    Attributes
    ----------
    confusion : array (n_classes, n_classes + 1)
        Rows by true class, columns by answer; the last column: no answer.
    no_change, majority : int
        Hits of always repeating the last label, and of always naming the most frequent so far.
    log_loss : float
        Sum of -log of the probability given to the true class, over `n_probable` rows.
    bins : array (3, N_BINS)
        Rows, hits and sums of confidence by confidence of the answer.
    """

    confusion: np.ndarray = field(default_factory=lambda: np.zeros((0, 1)))
    no_change: int = 0
    majority: int = 0
    log_loss: float = 0.0
    n_probable: int = 0
    bins: np.ndarray = field(default_factory=lambda: np.zeros((3, N_BINS)))

    @property
    def rows(self) -> int:
        return int(self.confusion.sum())

    def add(self, more: "ClassCounts") -> None:
        """In place: the counts of both."""
        widen(self, len(more.confusion))
        widen(more, len(self.confusion))
        self.confusion += more.confusion
        self.bins += more.bins
        self.no_change += more.no_change
        self.majority += more.majority
        self.log_loss += more.log_loss
        self.n_probable += more.n_probable

    def measures(self) -> dict[str, float]:
        """Return accuracy, the kappas, macro precision, recall and F1, log-loss, calibration."""
        return class_measures([self])[0]


def class_measures(counts: list[ClassCounts]) -> list[dict[str, float]]:
    """Return the measures of each of many counts in one go; nothing where there are no rows."""
    width = max(len(one.confusion) for one in counts)
    for one in counts:
        widen(one, width)
    confusion = np.stack([one.confusion for one in counts])  # (n, c, c + 1)
    rows = confusion.sum(axis=(1, 2))
    n = np.maximum(rows, 1)
    hits = np.diagonal(confusion[:, :, :-1], axis1=1, axis2=2)
    truth, answered = confusion.sum(axis=2), confusion[:, :, :-1].sum(axis=1)
    present = np.maximum((truth > 0).sum(axis=1), 1)
    accuracy = hits.sum(axis=1) / n
    found = {
        "accuracy": accuracy,
        "kappa": beyond(accuracy, (truth * answered).sum(axis=1) / n**2),
        "kappa_m": beyond(accuracy, np.array([one.majority for one in counts]) / n),
        "kappa_temporal": beyond(accuracy, np.array([one.no_change for one in counts]) / n),
        "precision": (hits / np.maximum(answered, 1)).sum(axis=1, where=truth > 0) / present,
        "recall": (hits / np.maximum(truth, 1)).sum(axis=1) / present,
        "f1": (2 * hits / np.maximum(truth + answered, 1)).sum(axis=1) / present,
    }
    probable = np.array([one.n_probable for one in counts])
    size, right, sure = np.stack([one.bins for one in counts], axis=1)
    judged = {
        "log_loss": np.array([one.log_loss for one in counts]) / np.maximum(probable, 1),
        "calibration_error": np.abs(right - sure).sum(axis=1) / np.maximum(size.sum(axis=1), 1),
    }
    return [
        {
            **{name: float(values[k]) for name, values in found.items() if rows[k]},
            **{name: float(values[k]) for name, values in judged.items() if probable[k]},
        }
        for k in range(len(counts))
    ]


def beyond(accuracy: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the share of a reference's errors that is avoided; 0 where it makes none."""
    share = np.zeros_like(accuracy)
    np.divide(accuracy - reference, 1.0 - reference, out=share, where=reference < 1.0)
    return share


@dataclass
class ValueCounts:
    """What regression is judged by, over rows that had an answer.

    Attributes
    ----------
    absolute, square : float
        Sums of absolute and squared errors.
    middle, spread : float
        Mean of the labels, and the sum of their squared distances from it.
    """

    rows: int = 0
    absolute: float = 0.0
    square: float = 0.0
    middle: float = 0.0
    spread: float = 0.0

    def add(self, more: "ValueCounts") -> None:
        """In place: the counts of both (Chan's rule for the spread)."""
        total = self.rows + more.rows
        if more.rows == 0:
            return
        gap = more.middle - self.middle
        self.spread += more.spread + gap**2 * self.rows * more.rows / total
        self.middle += gap * more.rows / total
        self.rows = total
        self.absolute += more.absolute
        self.square += more.square

    def measures(self) -> dict[str, float]:
        """Return MAE, RMSE and R2."""
        if self.rows == 0:
            return {}
        return {
            "mae": self.absolute / self.rows,
            "rmse": float(np.sqrt(self.square / self.rows)),
            "r2": 1.0 - self.square / self.spread if self.spread > 0.0 else 0.0,
        }


def count_classes(
    segment: np.ndarray,
    naive: "Naive",
    truth: np.ndarray,
    chosen: np.ndarray,
    probabilities: np.ndarray | None,
) -> list[ClassCounts]:
    """Return the counts of each segment of rows, all segments in one go.

    Parameters
    ----------
    segment : array (n,) of int
        Which segment a row belongs to, from 0.
    naive : Naive
        The naive answers so far; takes the labels in.
    truth : array (n,) of int
        Numbers of the true classes.
    chosen : array (n,) of int
        Numbers of the answered classes, -1 for none.
    probabilities : array (n, n_known) or None
        Of the classes that were known; a row without answer is not looked at.
    """
    n, c = 1 + int(segment.max()), 1 + int(max(truth.max(), chosen.max()))
    column = np.where(chosen < 0, c, chosen)
    confusion = sums(segment, truth * (c + 1) + column, n, c * (c + 1)).reshape(n, c, c + 1)
    last, leader = naive.take(truth)
    parts = [
        ClassCounts(confusion[k], no_change, majority)
        for k, (no_change, majority) in enumerate(
            zip(
                np.bincount(segment[last[:-1] == truth], minlength=n).tolist(),
                np.bincount(segment[leader[:-1] == truth], minlength=n).tolist(),
                strict=True,
            )
        )
    ]
    if probabilities is not None:
        answered = np.flatnonzero(chosen >= 0)
        judge_probabilities(
            parts, segment[answered], truth[answered], chosen[answered], probabilities[answered]
        )
    return parts


def judge_probabilities(
    parts: list[ClassCounts],
    segment: np.ndarray,
    truth: np.ndarray,
    chosen: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """In place: the log-loss and the calibration bins of rows that had an answer."""
    n, known, rows = len(parts), probabilities.shape[1], np.arange(len(truth))
    given = np.where(truth < known, probabilities[rows, np.minimum(truth, known - 1)], 0.0)
    losses = np.bincount(segment, -np.log(np.maximum(given, LEAST_PROBABILITY)), n)
    sizes = np.bincount(segment, minlength=n)
    sure = probabilities[rows, chosen]
    place = np.minimum((sure * N_BINS).astype(np.int64), N_BINS - 1)
    table = [sums(segment, place, n, N_BINS, value) for value in (None, chosen == truth, sure)]
    for k, part in enumerate(parts):
        part.log_loss, part.n_probable = float(losses[k]), int(sizes[k])
        part.bins = np.stack([one[k] for one in table])


def sums(
    segment: np.ndarray, place: np.ndarray, n: int, width: int, values: np.ndarray | None = None
) -> np.ndarray:
    """Return (n, width): for each segment how many rows, or the sum of values, at each place."""
    flat = np.bincount(segment * width + place, values, n * width)
    return flat.reshape(n, width).astype(np.float64)


def widen(counts: ClassCounts, n_classes: int) -> None:
    """In place: room for more classes."""
    c = len(counts.confusion)
    if n_classes > c:
        larger = np.zeros((n_classes, n_classes + 1))
        larger[:c, :c] = counts.confusion[:, :-1]
        larger[:c, -1] = counts.confusion[:, -1]
        counts.confusion = larger


def count_values(segment: np.ndarray, truth: np.ndarray, chosen: np.ndarray) -> list[ValueCounts]:
    """Return the counts of each segment of rows; a row without answer (NaN) is not judged."""
    n = 1 + int(segment.max())
    answered = ~np.isnan(chosen)
    segment, truth, chosen = segment[answered], truth[answered], chosen[answered]
    parts = []
    for k in range(n):
        here = segment == k
        error, labels = chosen[here] - truth[here], truth[here]
        middle = float(labels.mean()) if len(labels) else 0.0
        spread = float(((labels - middle) ** 2).sum())
        parts.append(
            ValueCounts(
                len(labels), float(np.abs(error).sum()), float(error @ error), middle, spread
            )
        )
    return parts


@dataclass
class Naive:
    """The two answers that need no learning, as labels come: the last, and the most frequent."""

    last: int = -1
    seen: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def take(self, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """In place: take labels in; return both answers before each of them and after the last.

        -1 before any label; of classes equally frequent the one with the smaller number.
        """
        last = np.concatenate([[self.last], truth])
        c = max(len(self.seen), 1 + int(truth.max(initial=-1)), 1)
        if len(self.seen) == c > 1:
            second, first = np.partition(self.seen, c - 2)[-2:]
            if first - second > len(truth):  # nobody can catch up among these rows
                leader = np.full(len(truth) + 1, self.seen.argmax())
                self.last, self.seen = int(last[-1]), self.seen + np.bincount(truth, minlength=c)
                return last, leader
        if c == 2:  # by how much the second class leads
            start = self.seen[1] - self.seen[0] if len(self.seen) == 2 else -self.seen.sum()
            lead = start + np.concatenate([[0], np.cumsum(2 * truth - 1)])
            leader = np.where(last < 0, -1, lead > 0)
            before = np.zeros(2, dtype=np.int64)
            before[: len(self.seen)] = self.seen
            self.last, self.seen = int(last[-1]), before + np.bincount(truth, minlength=2)
            return last, leader
        running = np.zeros((len(truth) + 1, c), dtype=np.int64)
        running[0, : len(self.seen)] = self.seen
        running[np.arange(1, len(truth) + 1), truth] = 1
        np.cumsum(running, axis=0, out=running)
        leader = np.where(last < 0, -1, running.argmax(axis=1))
        self.last, self.seen = int(last[-1]), running[-1].copy()
        return last, leader
