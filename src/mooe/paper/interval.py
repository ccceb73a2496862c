"""What happens when an interval is full: the pull, the order of priority, the next beginning."""

import numpy as np

from mooe.numerics.arithmetic import dot
from mooe.numerics.blocks import cut
from mooe.numerics.compiled import part
from mooe.numerics.hedge import ANYTIME, fill_log_prior
from mooe.numerics.lanes import fma
from mooe.numerics.losses import logistic, squared
from mooe.paper.layout import RANDOM, WARM
from mooe.paper.offline import fit_logistic, fit_squared
from mooe.paper.row import current_rate, target_of

# Deviation: a least pull, of the smoothness, for where every expert is without loss; and one of the
# smoothness times the mean weight: a smaller one is lost in rounding, and the fit is singular.
LEAST_PULL, LEAST_WEIGHTED_PULL = 1e-12, 1e-14


@part
def _random_number(seed, interval, place):
    """Return a number in [-1, 1) that depends on its three arguments alone (splitmix64)."""
    z = (np.uint64(seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(interval) * np.uint64(0xD1B54A32D192ED03)
    z += np.uint64(place) * np.uint64(0x8CB92BA72F3D8DD7)
    z += np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-52 - 1.0


@part
def begin_interval(s, c, losses, online):
    """In place: no losses, and the online expert as `start` says."""
    c.t = 0
    c.meta_rate, log_k = s.meta_rate, np.log(c.n_offline + 1)
    if s.meta_rate < 0.0:  # a formula
        anytime = s.meta_rate == ANYTIME
        c.meta_rate = np.sqrt(8.0 * log_k) if anytime else 4.0 * np.sqrt(log_k / s.interval)
    for k in range(s.n_slots + 1):
        losses[k] = 0.0
    if s.start == WARM:
        return
    p = online.shape[1]
    for o in range(c.n_outputs):
        for j in range(p):
            u = _random_number(s.seed, c.n_intervals, o * p + j) if s.start == RANDOM else 0.0
            online[o, j] = s.radius / np.sqrt(p) * u


@part
def mean_loss(s, rows, row_weights, targets, w):
    """Return the mean loss of one output's expert over the interval, divided by its range."""
    total = 0.0
    for i in range(s.interval):
        value = dot(rows[i], w, rows.shape[1])
        one = logistic(value, targets[i]) if s.is_logistic else squared(value, targets[i])
        total = fma(row_weights[i], one, total)
    return total / (s.range * s.interval)


@part
def _pull_of(s, c, m, total):
    """Return the pull of the new offline expert: never below the paper's floor (its Lemma 1).

    The floor is sum_k weights[k] L_S(expert k) / (4 radius^2), with the weights and the online
    expert that predicted the interval's last sample.
    """
    loss = 0.0
    for o in range(c.n_outputs):
        loss += mean_loss(s, m.rows, m.row_weights, m.targets[o], m.online_before[o])
    offline = dot(m.weights, m.losses, c.n_offline) / s.interval
    mean = fma(m.weights[-1], loss / c.n_outputs, offline) / total
    weight = 0.0
    for i in range(s.interval):
        weight += m.row_weights[i]
    least = max(LEAST_PULL, LEAST_WEIGHTED_PULL * weight / s.interval)
    return max(s.pull, mean / (4.0 * s.radius * s.radius), least * s.smoothness)


@part
def rank_experts(weights, fitted, by_weight, order):
    """In place: order = the offline experts by priority, the lowest first; by age they stand so.

    Lower is who has less weight, or as much and is older.
    """
    n = order.shape[0]
    for i in range(n):
        order[i] = i
        k = i
        while by_weight and k > 0:
            a, b = int(order[k]), int(order[k - 1])
            older = weights[a] == weights[b] and fitted[a] < fitted[b]
            if not (weights[a] < weights[b] or older):
                break
            order[k], order[k - 1] = order[k - 1], order[k]
            k -= 1


@part
def _reorder(values, order, leaving, moved, newest):
    """In place: the values in this order without the first `leaving`, then the newest."""
    last = order.shape[0] - leaving
    for k in range(last):
        moved[k] = values[int(order[k + leaving])]
    for k in range(last):
        values[k] = moved[k]
    values[last] = newest


@part
def close_interval(s, c, m):
    """In place: the full interval leaves an offline expert, the lowest goes, the next begins.

    Regression freezes its bounds here; labels that were all alike leave no expert.
    """
    c.bounds_frozen = 1 if c.high > c.low else 0
    if s.n_slots > 0 and (s.classify or c.bounds_frozen == 1):
        for o in range(c.n_outputs):
            for i in range(s.interval):
                m.targets[o, i] = target_of(s, c, m.labels[i], o)
        n = c.n_offline
        total = m.weights[-1]
        for k in range(n):
            total += m.weights[k]
        pull, scale = _pull_of(s, c, m, total), 1.0 / (s.interval * s.range)
        problem = (m.rows, m.row_weights, m.targets, scale, m.mixture, pull, s.radius)
        if s.is_logistic:
            fit_logistic(*problem, m.multipliers, m.rest, m.fit)
        else:
            fit_squared(*problem, m.multipliers, m.rest, m.fit)
        rate = current_rate(s, c)
        for k in range(n):  # logarithms rank also where the weights themselves are too small
            m.weights[k] = fma(-rate, m.losses[k], m.log_prior[k])
        order, moved = cut(m.rest, 0, (n,)), cut(m.rest, n, (n,))
        rank_experts(m.weights, m.fitted, s.by_weight, order)
        leaving = 1 if n == s.n_slots else 0
        _reorder(m.fitted, order, leaving, moved, float(c.n_intervals))
        for o in range(c.n_outputs):
            for j in range(m.experts.shape[1]):
                _reorder(m.experts[o, j], order, leaving, moved, m.fit[o, j])
        if leaving == 0:
            c.n_offline = n + 1
            fill_log_prior(m.log_prior, n + 1)
    c.n_intervals += 1
    begin_interval(s, c, m.losses, m.online)
