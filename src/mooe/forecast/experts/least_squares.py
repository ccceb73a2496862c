"""Exact recursive least squares for every step ahead, by one covariance for all of them.

The gain of a row depends on its inputs alone. So inputs and gain of each origin are kept till its
labels arrive, and when a value is seen, each step learns from the origin that forecast it: for
every h, weights[h] += gain(t - h) * error. What is forecast is the change from the last value at
the origin, in units of the origin.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.forecast.inputs import joint_width, long_width, own_width, short_width
from mooe.numerics.arithmetic import dot
from mooe.numerics.blocks import take
from mooe.numerics.cholesky import add_rows
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, spread, store, total

NAMES = ("steady", "slow", "quick", "joint steady", "joint slow")
FORGET = (1.0, 0.9995, 0.998, 1.0, 0.9995)  # what a row still counts when the next arrives
STEADY, SLOW, QUICK, JOINT_STEADY, JOINT_SLOW = range(5)


class LeastSquares(NamedTuple):
    """Weights of every step, covariance and the gains of the origins."""

    weights: np.ndarray  # (n_channels, horizon, width)
    covariance: np.ndarray  # (n, width, width): one for each channel, or one for all
    gains: np.ndarray  # (n, horizon + 1, width) of each origin, a ring


@shared
def open_arrays(s, c, block, at):
    """Return the views of all kinds, and the place behind them."""
    n, h = c.n_channels, s.horizon
    a, b, d, j = own_width(c), long_width(c), short_width(c), joint_width(c)
    steady, at = take(LeastSquares, block, at, ((n, h, a), (n, a, a), (n, h + 1, a)))
    slow, at = take(LeastSquares, block, at, ((n, h, b), (n, b, b), (n, h + 1, b)))
    quick, at = take(LeastSquares, block, at, ((n, h, d), (n, d, d), (n, h + 1, d)))
    one = 1 if j > 0 else 0
    shapes = ((n, h, j), (one, j, j), (one, h + 1, j))
    joint_steady, at = take(LeastSquares, block, at, shapes)
    joint_slow, at = take(LeastSquares, block, at, shapes)
    return (steady, slow, quick, joint_steady, joint_slow), at


def start(kinds: tuple[Any, ...], own: np.ndarray, joint: np.ndarray) -> None:
    """In place: the first covariance, that of a ridge of 1; padding is never learnt."""
    for kind, used in zip(kinds, (own, own, own, joint, joint), strict=True):
        width = kind.covariance.shape[-1]
        kind.covariance[:, np.arange(width), np.arange(width)] = used[:width]


@part
def _learn_and_score(weights, gain, error, row, n):
    """In place: weights += gain * error; return the product of weights and row then."""
    a, b = spread(0.0), spread(0.0)
    whole = n - n % 8
    for j in range(0, whole, 8):
        v = fma(load(gain, j), error, load(weights, j))
        w = fma(load(gain, j + 4), error, load(weights, j + 4))
        store(weights, j, v)
        store(weights, j + 4, w)
        a = fma(v, load(row, j), a)
        b = fma(w, load(row, j + 4), b)
    for j in range(whole, n, 4):
        v = fma(load(gain, j), error, load(weights, j))
        store(weights, j, v)
        a = fma(v, load(row, j), a)
    return total(a + b)


@part
def origin_of(now, h, n_slots):
    """Return the place in a ring of the origin h steps before the one at `now`."""
    at = now - h
    return at if at >= 0 else at + n_slots


@part
def learn_and_vote(weights, rows, gains, m, i, now, n_origins, value, place, votes):
    """In place: learn a channel's value from all origins, then vote from the latest row.

    weights (horizon, width); rows and gains (horizon + 1, at least width); the value is NaN where
    there is nothing to learn.
    """
    n_steps, n = weights.shape
    anchors, scales = m.anchors[i], m.scales[i]
    last, unit = anchors[now], scales[now]
    for h in range(n_steps):
        o = origin_of(now, h + 1, anchors.shape[0])
        if h < n_origins and value == value:
            error = (value - anchors[o]) / scales[o] - dot(weights[h], rows[o], n)
            change = _learn_and_score(weights[h], gains[o], error, rows[now], n)
        else:
            change = dot(weights[h], rows[now], n)
        votes[h, place] = fma(unit, change, last)


@part
def set_gain(covariance, row, forget, n_used, room, gain):
    """In place: the gain of a row, and the covariance behind it.

    The covariance stays symmetric to the last bit. Where it forgets and is not fed, its trace is
    held at the first one.
    """
    n = covariance.shape[0]
    for j in range(0, n, 4):
        store(room, j, spread(0.0))
    add_rows(covariance, row, room)
    grown = max(dot(room, row, n), 0.0)
    share = 1.0 / (forget + grown)
    for j in range(0, n, 4):
        store(gain, j, load(room, j) * share)
    trace, back = 0.0, 1.0 / forget
    for i in range(n):
        a = room[i]
        for j in range(0, n, 4):
            store(
                covariance, (i, j), fma(a * load(room, j), -share, load(covariance, (i, j))) * back
            )
        trace += covariance[i, i]
    if trace > n_used and forget < 1.0:
        factor = n_used / trace
        for i in range(n):
            for j in range(0, n, 4):
                store(covariance, (i, j), load(covariance, (i, j)) * factor)


@part
def no_gain(gain):
    """In place: nothing is learnt from an origin."""
    for j in range(gain.shape[0]):
        gain[j] = 0.0
