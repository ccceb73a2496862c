"""The meta expert: Hedge with a fixed share, and exponentiated gradient, half each."""

import numpy as np

from mooe.auto.inputs import within
from mooe.auto.targets import charge
from mooe.numerics.arithmetic import exp
from mooe.numerics.compiled import part
from mooe.numerics.lanes import fma, load, spread, store

__all__ = ["mix", "reweight"]

HEDGE_RATE = 1.0
FIXED_SHARE = 0.003  # of the weight is given to all alike, after every row
GRADIENT_RATE = 0.5
LONGEST = 20.0  # step of its exponents, for rows of great weight
SMALLEST = 1e-12  # weight of exponentiated gradient


@part
def mix(s, m, votes, own, out):
    """In place: out = the mixture's scores, own = those of exponentiated gradient alone."""
    for o in range(own.shape[0]):
        hedged, tuned = 0.0, 0.0
        for k in range(m.shares.shape[0]):
            hedged = fma(m.shares[k], votes[o, k], hedged)
            tuned = fma(m.tuned[k], votes[o, k], tuned)
        own[o] = tuned
        if s.hedge and s.gradient:
            out[o] = 0.5 * (hedged + tuned)
        else:
            out[o] = hedged if s.hedge else tuned


@part
def reweight(s, c, m, votes, own, targets, label, weight, losses):
    """In place: the weights after a label: experts that lost little, or helped, gain."""
    n = m.shares.shape[0]
    charge(s, c, votes, targets, label, weight, 0, n, losses)
    total, n_on, least = 0.0, 0.0, np.inf
    for k in range(n):
        if m.shares[k] > 0.0:
            least = min(least, losses[k])
    for k in range(0, n, 4):  # beside the least, for a row of great weight leaves none as it is
        store(losses, k, exp(HEDGE_RATE * (spread(least) - load(losses, k))))
    for k in range(n):
        if m.shares[k] > 0.0:
            m.shares[k] *= losses[k]
            total += m.shares[k]
            n_on += 1.0
    for k in range(n):
        if m.shares[k] > 0.0:
            m.shares[k] = (1.0 - FIXED_SHARE) * m.shares[k] / total + FIXED_SHARE / n_on
    pull(s, c, votes, own, targets, weight, losses)
    total = 0.0
    for k in range(0, n, 4):
        store(losses, k, exp(within(GRADIENT_RATE * load(losses, k), LONGEST)))
    for k in range(n):
        m.tuned[k] *= losses[k]
        total += m.tuned[k]
    for k in range(n):
        if m.shares[k] > 0.0:
            m.tuned[k] = max(m.tuned[k] / total, SMALLEST)


@part
def pull(s, c, votes, own, targets, weight, out):
    """In place: out[k] = how much more of expert k would have lowered the mixture's log-loss.

    The mixture's class probabilities are the softmax of twice its scores; regression: of its
    squared error, in units of the usual one.
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
        slope = weight * targets[0] / (1.0 + exp(4.0 * targets[0] * own[0]))
        for k in range(n):
            out[k] = slope * votes[0, k]
        return
    largest, total = own[0], 0.0
    for o in range(n_outputs):
        largest = max(largest, own[o])
    for o in range(n_outputs):
        own[o] = exp(2.0 * (own[o] - largest))
        total += own[o]
    for o in range(n_outputs):
        slope = weight * ((1.0 if targets[o] > 0.0 else 0.0) - own[o] / total)
        for k in range(n):
            out[k] = fma(slope, votes[o, k], out[k])
