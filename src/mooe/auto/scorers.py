"""Linear scorers side by side: scored in one pass over a row; four of them learn in one pass too.

`columns` tells where the values of a row belong if it is listed (wide inputs); otherwise value j
belongs to input j.
"""

from mooe.auto.inputs import within
from mooe.auto.records import PASSIVE
from mooe.numerics.arithmetic import exp, inverse_root
from mooe.numerics.compiled import forced, part
from mooe.numerics.lanes import (
    fma,
    load,
    load_two,
    low_twice,
    pack,
    pick,
    select,
    size,
    spread,
    store,
    store_two,
    total,
)

__all__ = [
    "ONLINE_RATE",
    "SMALLEST_SUM",
    "STEADY_RATE",
    "copy_lane",
    "forget_lane",
    "learn_row",
    "score_busy",
    "score_concepts",
    "score_four",
]

CONCEPT_RATE = 0.3  # of the live and the fresh learner
ONLINE_RATE = 2.0  # of AdaGrad among the online experts
STEADY_RATE = 0.1  # of the one that is slow to change its mind
SMALLEST_SUM = 1e-8  # of squared gradients, at the start
STEEPEST = 30.0  # exponent
SMALLEST_SLOPE = 1e-4  # a smaller one is not learnt from
AGGRESSION = 1.0  # the longest step of the passive-aggressive learner
INSENSITIVE = 0.1  # regression: its error, in standard deviations, that needs no step


@forced
def column_of(columns, j, listed):
    """Return the input that value j of a row belongs to."""
    return int(columns[j]) if listed else j


@part
def score_concepts(weights, x, columns, n, listed, n_concepts, out):
    """In place: out[k] = the score of concept k on a row of n values."""
    for k in range(0, n_concepts, 4):
        a = spread(0.0)
        for j in range(n):
            a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), k)), a)
        store(out, k, a)


@part
def score_four(weights, X, n, n_concepts, out, o):
    """In place: out[r, o, k] = the score of concept k on row r, for four rows at once.

    The same sums in the same order as `score_concepts`.
    """
    most = (n_concepts + 3) // 8 * 8  # eight concepts at a time, then four
    for k in range(0, most, 8):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        e, f, g, h = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for j in range(n):
            first, second = load(weights, (j, k)), load(weights, (j, k + 4))
            value = pick(X, (0, j))
            a, e = fma(value, first, a), fma(value, second, e)
            value = pick(X, (1, j))
            b, f = fma(value, first, b), fma(value, second, f)
            value = pick(X, (2, j))
            c, g = fma(value, first, c), fma(value, second, g)
            value = pick(X, (3, j))
            d, h = fma(value, first, d), fma(value, second, h)
        store(out, (0, o, k), a)
        store(out, (1, o, k), b)
        store(out, (2, o, k), c)
        store(out, (3, o, k), d)
        store(out, (0, o, k + 4), e)
        store(out, (1, o, k + 4), f)
        store(out, (2, o, k + 4), g)
        store(out, (3, o, k + 4), h)
    for k in range(most, n_concepts, 4):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for j in range(n):
            first = load(weights, (j, k))
            a, b = fma(pick(X, (0, j)), first, a), fma(pick(X, (1, j)), first, b)
            c, d = fma(pick(X, (2, j)), first, c), fma(pick(X, (3, j)), first, d)
        store(out, (0, o, k), a)
        store(out, (1, o, k), b)
        store(out, (2, o, k), c)
        store(out, (3, o, k), d)


@part
def score_busy(weights, x, columns, n, listed, out):
    """In place: the last four of out = the scores of the learners that never rest."""
    a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    whole = n - n % 4
    for j in range(0, whole, 4):
        a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), 0)), a)
        b = fma(pick(x, j + 1), load(weights, (column_of(columns, j + 1, listed), 0)), b)
        c = fma(pick(x, j + 2), load(weights, (column_of(columns, j + 2, listed), 0)), c)
        d = fma(pick(x, j + 3), load(weights, (column_of(columns, j + 3, listed), 0)), d)
    for j in range(whole, n):
        a = fma(pick(x, j), load(weights, (column_of(columns, j, listed), 0)), a)
    store(out, out.shape[0] - 4, (a + b) + (c + d))


@forced
def slope(s, score, target, weight):
    """Return what AdaGrad follows: the descent of log(1 + exp(-2 target score)), halved.

    Regression: the error, at most one standard deviation. One that is next to nothing
    is 0, whatever the weight.
    """
    if s.classify:
        found = target / (1.0 + exp(within(2.0 * target * score, STEEPEST)))
    else:
        found = within(target - score, 1.0)
    return select(size(found), SMALLEST_SLOPE, weight * found, 0.0 * found)


@forced
def passive_step(s, score, target, norm, weight):
    """Return the step of the passive-aggressive learner (Crammer et al., 2006, PA-I)."""
    if s.classify:
        short = 1.0 - target * score
        direction = target
    else:
        short = abs(target - score) - INSENSITIVE
        direction = 1.0 if target > score else -1.0
    return direction * min(AGGRESSION * weight, max(0.0, short) / norm)


@part
def learn_row(s, weights, sums, x, columns, n, listed, scores, target, norm, rate, weight, online):
    """In place: of one output, the learners step: all four, or with online = 0 the live two alone.

    Live, fresh and AdaGrad: A += (g x)^2, w += rate g x / sqrt(A) (Duchi et al., 2011), where rate
    is divided by the root of the mean squared norm and online is AdaGrad's own; the
    passive-aggressive one has A = 1.
    """
    at = scores.shape[0] - 4
    score = load(scores, at)
    g = slope(s, score, target, weight)
    factor = pack(CONCEPT_RATE * rate, CONCEPT_RATE * rate, online * rate, 0.0)
    on = pack(1.0, 1.0, 1.0 if online > 0.0 else 0.0, 0.0)
    step = 0.0
    if online > 0.0 and norm > 0.0:
        step = passive_step(s, scores[at + PASSIVE], target, norm, weight)
    g = g * on
    squared, move = g * g, fma(g, factor, pack(0.0, 0.0, 0.0, step))
    first = 0
    if total(size(move) * pack(0.0, 0.0, 1.0, 1.0)) == 0.0:
        first = learn_two(weights, sums, x, columns, n, listed, squared, move)
    for j in range(first, n):
        if x[j] == 0.0:  # nothing to learn: a category's columns are nearly all so
            continue
        i = column_of(columns, j, listed)
        grown, way = stepped(pick(x, j), squared, move, load(sums, (i, 0)))
        store(sums, (i, 0), grown)
        store(weights, (i, 0), load(weights, (i, 0)) + way)


@forced
def stepped(value, squared, move, before):
    """Return an input's sum of squared gradients with this value, and what its weight gains."""
    grown = fma(squared, value * value, before)
    return grown, (move * value) * inverse_root(grown)


@part
def learn_two(weights, sums, x, columns, n, listed, squared, move):
    """In place: live and fresh learner step, two inputs at a time; return how many inputs.

    Where the others have nothing to learn, which is so for most outputs of many, lanes are filled
    with the next input.
    """
    squared, move = low_twice(squared), low_twice(move)
    for j in range(0, n - 1, 2):
        if x[j] == 0.0 and x[j + 1] == 0.0:
            continue
        i, k = column_of(columns, j, listed), column_of(columns, j + 1, listed)
        value = pack(pick(x, j), pick(x, j), pick(x, j + 1), pick(x, j + 1))
        grown, way = stepped(value, squared, move, load_two(sums, (i, 0), (k, 0)))
        store_two(sums, (i, 0), (k, 0), grown)
        store_two(weights, (i, 0), (k, 0), load_two(weights, (i, 0), (k, 0)) + way)
    return n - n % 2


@part
def copy_lane(source, i, target, k):
    """In place: scorer k of the target becomes a copy of scorer i of the source."""
    for o in range(source.weights.shape[0]):
        for j in range(source.weights.shape[1]):
            target.weights[o, j, k] = source.weights[o, j, i]
            target.sums[o, j, k] = source.sums[o, j, i]


@part
def forget_lane(scorers, k):
    """In place: scorer k starts from nothing."""
    for o in range(scorers.weights.shape[0]):
        for j in range(scorers.weights.shape[1]):
            scorers.weights[o, j, k] = 0.0
            scorers.sums[o, j, k] = SMALLEST_SUM
