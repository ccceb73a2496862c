"""Exponential weights over experts: the paper's prior, its rate, and the weights themselves.

The weights are never stored: they follow from the prior and the losses of the open interval,
weights[k] ~ prior[k] * exp(-rate * losses[k]), which for a fixed rate is the paper's update and for
a falling rate its lazy form. Kept as exponents, they survive losses of any size.
"""

import numpy as np

from mooe.numerics.arithmetic import exp
from mooe.numerics.compiled import forced, part
from mooe.numerics.lanes import fma, load, spread, store, total

UNDERFLOW = 1e-250  # a smaller sum of weights is computed again relative to the largest
ANYTIME = -2.0  # in place of a rate: sqrt(8 ln K / t), which needs no horizon


def prior(n_experts: int) -> np.ndarray:
    """Return the starting weights, lowest priority first, the online expert last (paper, eq. 8).

    weights[k] = (K+1) / ((K+1-k) (K+2-k) K) for k = 1..K; they ascend and sum to one, and the
    lowest is exactly 1/K**2.

    >>> prior(3).round(3).tolist()
    [0.111, 0.222, 0.667]
    """
    k = np.arange(1, n_experts + 1)
    n = float(n_experts)
    return (n + 1) / ((n + 1 - k) * (n + 2 - k) * n)


@part
def fill_log_prior(log_prior, n_offline):
    """In place: the logarithm of `prior` for n_offline experts and, last, the online one."""
    n = n_offline + 1.0
    for k in range(n_offline):
        log_prior[k] = np.log((n + 1.0) / ((n - k) * (n + 1.0 - k) * n))
    log_prior[-1] = np.log((n + 1.0) / (2.0 * n))


@forced
def weigh(log_prior, losses, n_offline, speed, weights):
    """In place: the weights, n_offline first and the online expert at the end; return their sum.

    They are not normalised: divide by the sum where a distribution is needed.
    """
    if n_offline == 0:
        weights[-1] = 1.0
        return 1.0
    one = exp(fma(-speed, losses[-1], log_prior[-1]))
    weights[-1] = one
    whole = n_offline - n_offline % 4
    s = spread(0.0)
    for k in range(0, whole, 4):
        some = exp(fma(-speed, load(losses, k), load(log_prior, k)))
        store(weights, k, some)
        s = s + some
    for k in range(whole, n_offline):
        weights[k] = exp(fma(-speed, losses[k], log_prior[k]))
        one += weights[k]
    mass = total(s) + one
    return mass if mass >= UNDERFLOW else _weigh_small(log_prior, losses, n_offline, speed, weights)


@part
def _weigh_small(log_prior, losses, n_offline, speed, weights):
    """In place: as `weigh`, relative to the largest weight; rare, so not where rows are learnt."""
    largest = fma(-speed, losses[-1], log_prior[-1])
    for k in range(n_offline):
        largest = max(largest, fma(-speed, losses[k], log_prior[k]))
    mass = exp(fma(-speed, losses[-1], log_prior[-1]) - largest)
    weights[-1] = mass
    for k in range(n_offline):
        weights[k] = exp(fma(-speed, losses[k], log_prior[k]) - largest)
        mass += weights[k]
    return mass
