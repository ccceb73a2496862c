"""What happens to a row: seen, scored, charged to every expert, learnt by the online one."""

import numpy as np

from mooe.numerics.arithmetic import dot, shrink
from mooe.numerics.compiled import forced, part
from mooe.numerics.features import as_given, standardise
from mooe.numerics.hedge import ANYTIME, weigh
from mooe.numerics.lanes import fma, load, pick, spread, store, total
from mooe.numerics.losses import logistic, logistic_slope, squared, squared_slope


@forced
def see(s, x, count, mean, squares, learn, out):
    """In place: out = x as the experts see it."""
    d = x.shape[0]
    if s.scale:
        standardise(x, count, mean, squares, learn, s.input_bound, out)
    else:
        as_given(x, out)
    if s.intercept:
        out[d] = 1.0


@forced
def score_experts(experts, x, n, out):
    """In place: out[k] = experts[:, k] . x for k < n, up to 24 experts at a time.

    What is behind the last expert gets scores too: out has room for up to 7 more.
    """
    p = x.shape[0]
    most = n - n % 24
    for k in range(0, most, 24):
        a, b, c = spread(0.0), spread(0.0), spread(0.0)
        d, e, f = spread(0.0), spread(0.0), spread(0.0)
        for j in range(p):
            value = pick(x, j)
            a = fma(value, load(experts, (j, k)), a)
            b = fma(value, load(experts, (j, k + 4)), b)
            c = fma(value, load(experts, (j, k + 8)), c)
            d = fma(value, load(experts, (j, k + 12)), d)
            e = fma(value, load(experts, (j, k + 16)), e)
            f = fma(value, load(experts, (j, k + 20)), f)
        store(out, k, a)
        store(out, k + 4, b)
        store(out, k + 8, c)
        store(out, k + 12, d)
        store(out, k + 16, e)
        store(out, k + 20, f)
    for k in range(most, n, 8):
        a, b = spread(0.0), spread(0.0)
        for j in range(p):
            a = fma(pick(x, j), load(experts, (j, k)), a)
            b = fma(pick(x, j), load(experts, (j, k + 4)), b)
        store(out, k, a)
        store(out, k + 4, b)


@forced
def current_rate(s, c):
    """Return the rate of the meta expert for the next sample."""
    return c.meta_rate / np.sqrt(c.t + 1.0) if s.meta_rate == ANYTIME else c.meta_rate


@forced
def _half_width(c):
    """Return half the width of the target bounds, 1 while they are a single point."""
    half = 0.5 * (c.high - c.low)
    return half if half > 0.0 else 1.0


@forced
def score(c, n, x, m, w, total, out):
    """In place: the scores of n offline experts and the online one; out = those of the mixture.

    Weights are read and scores are written in w: a desk, or the scratch of the block m.
    """
    for o in range(c.n_outputs):
        score_experts(m.experts[o], x, n, w.scores[o])
        w.online_scores[o] = dot(m.online[o], x, x.shape[0])
        mixed = fma(w.weights[-1], w.online_scores[o], dot(w.weights, w.scores[o], n))
        out[o] = mixed / total


@forced
def answer(s, c, out):
    """In place: the mixture's scores as they are given to the user.

    Regression: in the unit of the labels. Before any label NaN, with one class so far -inf.
    """
    if not s.classify:
        out[0] = fma(_half_width(c), out[0], 0.5 * (c.low + c.high))
    if c.n_labelled == 0 and (not s.classify or c.n_classes == 0):
        out[0] = np.nan
    elif s.classify and c.n_classes == 1:
        out[0] = -np.inf


@forced
def target_of(s, c, label, o):
    """Return the target in [-1, 1] that a label sets for output o."""
    if not s.classify:
        inside = min(max(label, c.low), c.high)
        return (inside - 0.5 * (c.low + c.high)) / _half_width(c)
    positive = 1 if c.n_outputs == 1 else o
    return 1.0 if label == positive else -1.0


@forced
def charge(s, scores, target, scale, n, losses):
    """In place: add scale times the loss of each score to the losses."""
    whole = n - n % 4
    if s.is_logistic:
        for k in range(0, whole, 4):
            store(losses, k, fma(scale, logistic(load(scores, k), target), load(losses, k)))
        for k in range(whole, n):
            losses[k] = fma(scale, logistic(scores[k], target), losses[k])
    else:
        for k in range(0, whole, 4):
            store(losses, k, fma(scale, squared(load(scores, k), target), load(losses, k)))
        for k in range(whole, n):
            losses[k] = fma(scale, squared(scores[k], target), losses[k])


@forced
def descend(w, x, move, radius):
    """In place: w = the point of the ball nearest to w + move * x."""
    p = x.shape[0]
    whole = p - p % 4
    s, one = spread(0.0), 0.0
    for j in range(0, whole, 4):
        moved = fma(move, load(x, j), load(w, j))
        store(w, j, moved)
        s = fma(moved, moved, s)
    for j in range(whole, p):
        w[j] = fma(move, x[j], w[j])
        one = fma(w[j], w[j], one)
    shrink(w, p, total(s) + one, radius)


@forced
def rates(s, c, weight):
    """Return what a label's losses count, and the online expert's step along their slope.

    Nothing else is needed for them: asked for early, their root and divisions take no time.
    """
    eta = s.online_rate if s.online_rate >= 0.0 else s.first_step / np.sqrt(c.t + 1.0)
    share = weight / s.range
    return share / c.n_outputs, -eta * share


@forced
def _learn_label(s, c, n, x, m, label, scale, step):
    """In place: every expert is charged its loss, the online expert takes its gradient step."""
    for o in range(c.n_outputs):
        target, value = target_of(s, c, label, o), m.online_scores[o]
        charge(s, m.scores[o], target, scale, n, m.losses)
        if s.is_logistic:
            loss, slope = logistic(value, target), logistic_slope(value, target)
        else:
            loss, slope = squared(value, target), squared_slope(value, target)
        m.losses[-1] = fma(scale, loss, m.losses[-1])
        descend(m.online[o], x, step * slope, s.radius)


@forced
def meet_target(c, label):
    """In place: the bounds of regression targets follow the labels until they are frozen."""
    if c.bounds_frozen == 0:
        c.low, c.high = min(c.low, label), max(c.high, label)
    elif not c.low <= label <= c.high:
        c.n_clipped += 1


@part
def _keep_mixture(c, m, total):
    """In place: remember the mixture and the online expert before the interval's last label."""
    n = c.n_offline
    for o in range(c.n_outputs):
        for j in range(m.online.shape[1]):
            mixed = fma(m.weights[-1], m.online[o, j], dot(m.weights, m.experts[o, j], n))
            m.mixture[o, j] = mixed / total
            m.online_before[o, j] = m.online[o, j]


@forced
def _is_learnt(label, weight):
    """Whether a row is learnt, or only answered."""
    return label == label and weight > 0.0


@forced
def see_rows(s, c, m, X, labels, row_weights, first):
    """In place: m.rows from t on = the next rows, as experts see them; return where they end.

    Rows to be learnt, as far as the open interval and the classes met reach; or one that is not.
    Rows can be seen side by side, which is quicker than each before it is learnt.
    """
    end = min(X.shape[0], first + s.interval - c.t)
    for i in range(first, end):
        learnt = _is_learnt(labels[i], row_weights[i])
        if learnt and s.classify and labels[i] >= c.n_classes:
            return i
        if not learnt and i > first:
            return i
        see(s, X[i], m.counts, m.mean, m.squares, learnt, m.rows[c.t + i - first])
        if not learnt:
            return i + 1
    return end


@forced
def learn_rows(s, c, n, m, labels, row_weights, first, end, out):
    """In place: answer the rows that were seen, and learn each after its answer.

    n, the number of offline experts, is known to stay the same here: compiled code then computes
    all that follows from it once.
    """
    for i in range(first, end):
        label, weight, x = labels[i], row_weights[i], m.rows[c.t]
        scale, step = rates(s, c, weight)
        total = weigh(m.log_prior, m.losses, n, current_rate(s, c), m.weights)
        score(c, n, x, m, m, total, out[i])
        answer(s, c, out[i])
        if not _is_learnt(label, weight):
            continue
        if not s.classify:
            meet_target(c, label)
        if c.t + 1 == s.interval and s.n_slots > 0:
            _keep_mixture(c, m, total)
        _learn_label(s, c, n, x, m, label, scale, step)
        m.labels[c.t] = label
        m.row_weights[c.t] = weight
        c.t += 1
        c.n_labelled += 1
