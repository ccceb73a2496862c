"""Labels as targets and scores as answers; what an expert is charged for its scores.

Half for being wrong, half for being unsure. A mixture is pulled by its log-loss.
"""

import numpy as np

from mooe.auto.inputs import within
from mooe.numerics.arithmetic import exp
from mooe.numerics.compiled import forced, part
from mooe.numerics.lanes import fma, load, select, store

TYPICAL = 0.125  # regression: the loss of a usual error
BEYOND = 30.0  # deviations: a label farther from the mean is learnt as one at this distance
KNOWN_AFTER = 30  # labels, by which the deviation is known well enough for that
SHARPNESS = 2.0  # of the softmax of class scores, everywhere
LONGEST = 20.0  # step of a mixture's exponents, for rows of great weight


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
def tamed(c, label):
    """Return a label of a regression, moved nearer where it is far beyond all that is known.

    One outlier must not ruin what was learnt; a level that stays widens the range row by row.
    """
    if c.n_labelled < KNOWN_AFTER or c.target_squares == 0.0:
        return label
    reach = BEYOND * c.target_unit
    return max(c.target_mean - reach, min(c.target_mean + reach, label))


@part
def meet_target(c, label):
    """In place: mean, deviation and range of the labels of a regression."""
    n = c.n_labelled + 1.0
    step = label - c.target_mean
    c.target_mean += step / n
    c.target_squares += step * (label - c.target_mean)
    c.target_least, c.target_most = min(c.target_least, label), max(c.target_most, label)
    if c.target_squares > 0.0:
        c.target_unit = np.sqrt(c.target_squares / n)
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
