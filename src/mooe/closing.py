"""What happens when an interval is full: the pull, the order of priority, the next beginning."""

import numpy as np

from mooe.arithmetic import dot
from mooe.compiled import part
from mooe.hedge import fill_log_prior, first_rate
from mooe.lanes import fma
from mooe.layout import RANDOM, WARM
from mooe.losses import logistic, squared

__all__ = ["begin_interval", "pull_of", "rank_experts", "reorder"]

LEAST_PULL = 1e-12  # of the smoothness; only where every expert is without loss


@part
def random_number(seed, interval, place):
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
def begin_interval(s, c, log_prior, losses, online):
    """In place: prior weights, no losses, and the online expert as `start` says."""
    c.t = 0
    fill_log_prior(log_prior, c.n_offline)
    c.meta_rate = first_rate(s.meta_rate, c.n_offline + 1, s.interval)
    for k in range(s.n_slots + 1):
        losses[k] = 0.0
    if s.start == WARM:
        return
    p = online.shape[1]
    for o in range(c.n_outputs):
        for j in range(p):
            u = random_number(s.seed, c.n_intervals, o * p + j) if s.start == RANDOM else 0.0
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
def pull_of(s, c, m, total):
    """Return the pull of the new offline expert: never below the paper's floor (its Lemma 1).

    The floor is sum_k weights[k] L_S(expert k) / (4 radius^2), with the weights and the online
    expert that predicted the interval's last sample.
    """
    loss = 0.0
    for o in range(c.n_outputs):
        loss += mean_loss(s, m.rows, m.row_weights, m.targets[o], m.online_before[o])
    offline = dot(m.weights, m.losses, c.n_offline) / s.interval
    mean = fma(m.weights[-1], loss / c.n_outputs, offline) / total
    return max(s.pull, mean / (4.0 * s.radius * s.radius), LEAST_PULL * s.smoothness)


@part
def comes_before(weights, fitted, a, b):
    """Whether expert a has the lower priority: less weight, or the same and older."""
    if weights[a] == weights[b]:
        return fitted[a] < fitted[b]
    return weights[a] < weights[b]


@part
def rank_experts(weights, fitted, by_weight, order):
    """In place: order = the offline experts, lowest priority first; by age they stand so."""
    n = order.shape[0]
    for i in range(n):
        order[i] = i
        k = i
        while by_weight and k > 0:
            if not comes_before(weights, fitted, int(order[k]), int(order[k - 1])):
                break
            order[k], order[k - 1] = order[k - 1], order[k]
            k -= 1


@part
def reorder(values, order, leaving, moved, newest):
    """In place: the values in this order without the first `leaving`, then the newest."""
    last = order.shape[0] - leaving
    for k in range(last):
        moved[k] = values[int(order[k + leaving])]
    for k in range(last):
        values[k] = moved[k]
    values[last] = newest
