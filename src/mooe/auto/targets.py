"""Labels as targets and scores as answers; what an expert is charged for its scores.

Half for being wrong, half for being unsure; a mixture is pulled by its log-loss. The labels of a
regression are learnt in a unit of their own, their deviation so far; the first of them are kept
until it is known.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import within
from mooe.numerics.arithmetic import exp
from mooe.numerics.blocks import take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import fma, load, select, store
from mooe.numerics.tensors import check_size, check_whole, put

TYPICAL = 0.125  # regression: the loss of a usual error
BEYOND = 30.0  # deviations: a label farther from the mean is learnt as one at this distance
FAR, OUTSIDE = 40.0, 6.0  # usual errors from the answer, deviations from the mean: see `doubt`
FIRST = 30  # labels, by which the deviation is known well enough to go on without them
JUDGED_AFTER = 4  # labels: of fewer nobody can say which is the outlier
UNLIKE = 3  # labels that differ, where most are the same, until they are believed
SHARPNESS = 2.0  # of the softmax of class scores, everywhere
LONGEST = 20.0  # step of a mixture's exponents, for rows of great weight
TINIEST = 1e-130  # a first label that is smaller counts as 0: squares of its like would be 0
MAD = 1.5  # a deviation, in median distances from the median: 1.4826 where labels are normal


class Targets(NamedTuple):
    """The first labels of a regression: an outlier among them is seen when others have come."""

    n_first: Any  # (1,) how many are kept; FIRST: none any more, their deviation is known
    first: Any  # (FIRST,) the first of them stands for all before it, which were the same
    doubted: Any  # (1,) later: whether the last label was far from the answer


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    n = 0 if s.classify else FIRST
    return take(Targets, block, at, ((min(n, 1),), (n,), (min(n, 1),)))


@shared
def n_sides(c):
    """Return how many classes have a probability: two, where there is one score for both."""
    return max(2, c.n_outputs)


@forced
def bounded(s, c, score):
    """Return a score, or the end of the range of targets that it is beyond."""
    if s.classify:
        return within(score, 1.0)
    low, high = c.low, c.high
    return select(score, high, high, select(low, score, low, score))


@part
def set_targets(s, c, label, targets):
    """In place: the targets that a label sets for the outputs."""
    if not s.classify:
        targets[0] = in_unit(s, c, label)
    elif c.n_outputs == 1:
        targets[0] = 1.0 if label == 1.0 else -1.0
    else:
        for o in range(c.n_outputs):
            targets[o] = 1.0 if label == o else -1.0


@part
def doubt(c, m, label, mixed):
    """In place: return a label of a regression, or one nearer to the mixture's score for it.

    A single label far from the answer, and from all labels, is a slip of whatever measures; several
    in a row are a change.
    """
    if m.n_first[0] < FIRST:
        return label
    middle = c.target_mean + c.target_unit * max(c.low, min(c.high, mixed))
    reach = FAR * np.sqrt(c.error) * c.target_unit
    is_outside = abs(label - c.target_mean) > OUTSIDE * c.target_unit
    is_far = is_outside and abs(label - middle) > reach
    if is_far and m.doubted[0] == 0.0:
        label = max(middle - reach, min(middle + reach, label))
    m.doubted[0] = 1.0 if is_far else 0.0
    return label


@part
def meet_label(c, m, label):
    """In place: mean, deviation and range of the labels of a regression; return what is learnt.

    That is the label, moved nearer where it is far beyond all that is known: one outlier must not
    ruin what was learnt, and a level that stays widens the range row by row.
    """
    if m.n_first[0] < FIRST:
        return _meet_first(c, m, label)
    reach = BEYOND * c.target_unit
    label = max(c.target_mean - reach, min(c.target_mean + reach, label))
    _add_target(c, label, c.n_labelled + 1.0)
    _set_unit(c)
    return label


@part
def _meet_first(c, m, label):
    """In place: as `meet_label` while labels are kept: all of them are judged anew.

    The ruler is the median distance from the median, which no outlier moves. Where it is 0, most
    labels being the same, it is that of the others, which are not believed before there are some.
    A label that is not believed counts as the last one on its side that is.
    """
    n, n_labels = int(m.n_first[0]), c.n_labelled + 1.0
    label = label if abs(label) >= TINIEST else 0.0
    if n != 1 or label != m.first[0]:
        m.first[n] = label
        n += 1
    repeats = n_labels - n  # of the first, beside itself
    middle, reach = _at_rank(m, n, repeats, -np.inf, n_labels // 2), np.inf
    if n_labels >= JUDGED_AFTER:
        typical = _at_rank(m, n, repeats, middle, n_labels // 2)
        same = _how_many(m, n, repeats, middle, 0.0, False)
        if typical == 0.0 and n_labels - same >= UNLIKE:
            typical = _at_rank(m, n, repeats, middle, same + (n_labels - same) // 2)
        reach = BEYOND * MAD * typical
    low = high = middle
    for i in range(n):
        if abs(m.first[i] - middle) <= reach:
            low, high = min(low, m.first[i]), max(high, m.first[i])
    c.target_mean = c.target_squares = 0.0
    c.target_least, c.target_most = np.inf, -np.inf
    for i in range(n):
        _add_target(c, max(low, min(high, m.first[i])), 1.0 if i == 0 else repeats + i + 1.0)
    _set_unit(c)
    if n == FIRST:
        n = 0 if c.target_squares > 0.0 else _keep_others(m, middle)
        for i in range(n, FIRST):
            m.first[i] = 0.0
        n = FIRST if n == 0 else n
    m.n_first[0] = n
    return max(low, min(high, label))


@part
def _keep_others(m, middle):
    """In place: of labels of which too few differ to be believed those are kept; return how many.

    The first of the kept is the middle, and stands for all that are the same.
    """
    first, n = m.first[0], 1
    for i in range(1, FIRST):
        if m.first[i] != middle:
            m.first[n] = m.first[i]
            n += 1
    if first != middle:
        m.first[n] = first
        n += 1
    m.first[0] = middle
    return n


@part
def _distance(m, i, middle):
    """Return how far a kept label is from the middle, or, from -inf, the label itself."""
    return m.first[i] if middle == -np.inf else abs(m.first[i] - middle)


@part
def _how_many(m, n, repeats, middle, distance, below):
    """Return how many of the labels are at a distance from the middle, or are below it."""
    total = 0.0
    for i in range(n):
        found = _distance(m, i, middle)
        if found < distance if below else found == distance:
            total += 1.0 + (repeats if i == 0 else 0.0)
    return total


@part
def _at_rank(m, n, repeats, middle, rank):
    """Return the distance from the middle that so many labels are below."""
    for i in range(n):
        distance = _distance(m, i, middle)
        before = _how_many(m, n, repeats, middle, distance, True)
        if before <= rank < before + _how_many(m, n, repeats, middle, distance, False):
            return distance
    return 0.0


@part
def _add_target(c, label, n):
    """In place: the n-th label (Welford)."""
    step = label - c.target_mean
    c.target_mean += step / n
    c.target_squares += step * (label - c.target_mean)
    c.target_least, c.target_most = min(c.target_least, label), max(c.target_most, label)


@part
def _set_unit(c):
    """In place: the unit of the targets, and their range in it; a label more is learnt now."""
    squares = c.target_squares
    c.target_unit = np.sqrt(squares / (c.n_labelled + 1.0)) if squares > 0.0 else 1.0
    c.low = (c.target_least - c.target_mean) / c.target_unit
    c.high = (c.target_most - c.target_mean) / c.target_unit


@part
def in_unit(s, c, value):
    """Return a value of a regression in the unit of the targets, around their mean."""
    return value if s.classify else (value - c.target_mean) / c.target_unit


@part
def repeat(s, c, last, o):
    """Return the score of the last label, 0 before any: NaN or -inf."""
    if not last > -np.inf:
        return 0.0
    if not s.classify:
        return bounded(s, c, in_unit(s, c, last))
    return 1.0 if last == (1 if c.n_outputs == 1 else o) else -1.0


@part
def answer(s, c, out):
    """In place: the mixture's scores as they are given to the user.

    Regression: in the unit of the labels. Before any label NaN, with one class so far -inf.
    """
    if not s.classify:
        out[0] = c.target_mean + c.target_unit * out[0]
    if c.n_labelled == 0 and (not s.classify or c.n_classes == 0):
        out[0] = np.nan
    elif s.classify and c.n_classes == 1:
        out[0] = -np.inf


@part
def charge(s, c, scores, targets, label, weight, first, end, out):
    """In place: out[k] = weight times the loss of the scores [:, k], for whole lanes of k.

    Classification: 1/2 [wrong] + 1/8 (clipped score - target)^2; with more than two classes the
    squares are summed, halved and at most 1/2. Regression: the squared error beside the usual one.
    """
    n_outputs = targets.shape[0]
    for k in range(first, end, 4):
        if not s.classify:
            error = bounded(s, c, load(scores, (0, k))) - targets[0]
            loss = error * error * (TYPICAL / c.error)
            loss = select(loss, 1.0, 1.0, loss)
        elif n_outputs == 1:
            score = load(scores, (0, k))
            error = within(score, 1.0) - targets[0]
            loss = select(score * targets[0], 0.0, 0.0, 0.5) + 0.125 * (error * error)
        else:
            y = int(label)
            own = within(load(scores, (y, k)), 1.0)
            total, wrong = 0.0 * own, 0.0 * own
            for o in range(n_outputs):
                score = within(load(scores, (o, k)), 1.0)
                error = score - targets[o]
                total = total + 0.125 * (error * error)
                if o < y:
                    wrong = select(own, score, wrong, 0.5)
                if o > y:
                    wrong = select(score, own, 0.5, wrong)
            loss = wrong + 0.5 * select(total, 1.0, 1.0, total)
        store(out, k, weight * loss)


@part
def pull(s, c, votes, own, targets, weight, out):
    """In place: out[k] = how much more of votes[:, k] would have lowered a mixture's log-loss.

    own are the mixture's scores, which are lost; its class probabilities are the softmax of twice
    these. Regression: its squared error, in units of the usual one.
    """
    n, n_outputs = out.shape[0], own.shape[0]
    for k in range(n):
        out[k] = 0.0
    if not s.classify:
        usual = 1.0 / (c.error**0.5)
        error = max(-1.0, min(1.0, (targets[0] - own[0]) * usual))
        for k in range(n):
            beside = max(-1.0, min(1.0, 0.5 * (votes[0, k] - own[0]) * usual))
            out[k] = weight * error * beside
        return
    if n_outputs == 1:
        slope = weight * targets[0] / (1.0 + exp(2.0 * SHARPNESS * targets[0] * own[0]))
        for k in range(n):
            out[k] = slope * votes[0, k]
        return
    largest, total = own[0], 0.0
    for o in range(n_outputs):
        largest = max(largest, own[o])
    for o in range(n_outputs):
        own[o] = exp(SHARPNESS * (own[o] - largest))
        total += own[o]
    for o in range(n_outputs):
        slope = weight * ((1.0 if targets[o] > 0.0 else 0.0) - own[o] / total)
        for k in range(n):
            out[k] = fma(slope, votes[o, k], out[k])


def save(m: Targets) -> dict[str, np.ndarray]:
    """Return copies of the first labels, by name, while they are kept."""
    n = int(m.n_first[0]) if len(m.n_first) else FIRST
    if 0 < n < FIRST:
        return {"first_labels": m.first[:n].copy()}
    return {"doubted": m.doubted.copy()} if m.doubted.any() else {}


def restore(c: Any, m: Targets, tensors: dict[str, np.ndarray]) -> None:
    """In place: the first labels, or ValueError.

    A file of before they were kept goes on without them, unless all labels were the same.
    """
    first = tensors.get("first_labels", np.zeros(0))
    doubted = tensors.get("doubted", np.zeros(len(m.doubted)))
    put("doubted", m.doubted, doubted)
    check_whole("doubted", doubted, 2)
    if not len(m.n_first) or c.n_labelled == 0:
        if len(first):
            raise ValueError("first_labels must be labels of a regression that were learnt")
        return
    if not len(first):
        same = c.target_squares == 0.0
        first = np.array([c.target_mean]) if same else np.zeros(FIRST)
    elif first.ndim != 1 or len(first) >= FIRST or len(first) > c.n_labelled:
        raise ValueError(f"first_labels must be fewer than {FIRST}, got {first.shape}")
    check_size("first_labels", first)
    m.n_first[0], m.first[: len(first)] = len(first), first
