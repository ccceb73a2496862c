"""Counts of answers, row by row: compiled, for a row of paper mode leaves little time for it.

Counts are the rows of an array, one for each window.
"""

import numpy as np
from numba import int64, void

from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import compiled, forced, part

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
        repeated += label == last
        led += label == leader
        last, leader = label, _follow(naive, label, leader)
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

    A row without label (NaN) is not judged; one without answer (-1) has no probability.
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

    Parameters
    ----------
    labels : array (n,)
        Class numbers; NaN where there is none.
    naive : array or None
        What was returned with the labels before.

    Examples
    --------
    >>> leaders(np.array([1.0, 0.0, 0.0, np.nan]), None)[0].tolist()
    [-1, 1, 0, 0]
    """
    naive = with_room(naive, 1 + int(np.fmax.reduce(labels, initial=-1.0)))
    out = np.empty(len(labels), dtype=np.int64)
    _follow_all(np.ascontiguousarray(labels, dtype=np.float64), naive, out)
    return out, naive
