"""What the experts see of a row: lags against the last value, level, calendar, other channels.

All of it is in units of the deviation that a channel has shown so far, so that a series and a
multiple of it are learnt alike. Inputs of one channel stand in such an order that those of each
kind of least squares are the first of them: constant, cycles and the lags of a day; then longer
lags; then the level.
"""

from typing import NamedTuple

import numpy as np

from mooe.numerics.arithmetic import padded
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma

SHORT_LAGS, LAGS = 24, 59  # against the last value
SEASON_LAGS = 48  # strided lags that reach over a longer season
JOINT_LAGS, JOINT_WIDTH = 8, 96  # of every channel, and of all together, at most
HARMONICS = (4, 3)  # of the first and the second cycle
LEAST_SCALE = 1e-9  # of the size of the values: a deviation below is that of rounding
FARTHEST = 9.0  # deviations of a covariate from its mean


class Seen(NamedTuple):
    """What is remembered of the rows."""

    counts: np.ndarray  # (n_channels,) known values
    mean: np.ndarray  # (n_channels,)
    squares: np.ndarray  # (n_channels,) sums of squared deviations from the mean
    low: np.ndarray  # (n_channels,)
    high: np.ndarray  # (n_channels,)
    lags: np.ndarray  # (n_channels, 2 n_lags) latest first from a place on, written twice
    known: np.ndarray  # (n_channels,) whether the latest value was one
    anchors: np.ndarray  # (n_channels, horizon + 1) last value at each origin, a ring
    scales: np.ndarray  # (n_channels, horizon + 1) unit at each origin
    own: np.ndarray  # (n_channels, horizon + 1, n_own) inputs of each origin
    joint: np.ndarray  # (horizon + 1, n_joint) of all channels
    covariates: np.ndarray  # (3, n_covariates) count, mean, sum of squares
    standard: np.ndarray  # (horizon + 1, n_covariates) standardised, of each origin


@shared
def n_cycle_inputs(c):
    """Return how many sines and cosines there are."""
    return (8 if c.n_cycles > 0 else 0) + (6 if c.n_cycles > 1 else 0)


@shared
def stride(season):
    """Return the step between the lags of a long season."""
    return max(1, season // SEASON_LAGS)


@shared
def n_season_lags(season):
    """Return how many lags reach over a season that is longer than the plain ones."""
    if season <= LAGS + 1:
        return 0
    step = stride(season)
    return (season + 4 * step - LAGS - 2) // step + 1


@shared
def short_width(c):
    """Return the width of constant, cycles and short lags."""
    return padded(1 + n_cycle_inputs(c) + SHORT_LAGS)


@shared
def long_width(c):
    """Return the width with all lags."""
    return short_width(c) + padded(LAGS - SHORT_LAGS + n_season_lags(c.season))


@shared
def own_width(c):
    """Return the width with the level too."""
    return long_width(c) + 4


@shared
def joint_lags(c):
    """Return how many lags of every channel are seen together; 0 where there is nothing to join."""
    p = min(JOINT_LAGS, JOINT_WIDTH // c.n_channels)
    return p if p > 1 and c.n_channels + c.n_covariates > 1 else 0


@shared
def joint_width(c):
    """Return the width of the inputs of all channels together."""
    p = joint_lags(c)
    if p == 0:
        return 0
    return padded(1 + n_cycle_inputs(c) + p * c.n_channels + 2 * c.n_covariates)


@shared
def n_lags(c):
    """Return how many values are remembered of a channel."""
    strided = LAGS + 1 + n_season_lags(c.season) * stride(c.season)
    return max(strided, max(c.season, c.other_season) + 1)


@shared
def open_arrays(s, c, block, at):
    """Return the views of a block, and the place behind them."""
    n, ring, m = c.n_channels, s.horizon + 1, c.n_covariates
    plain = ((n,), (n,), (n,), (n,), (n,), (n, 2 * n_lags(c)), (n,), (n, ring), (n, ring))
    wide = ((n, ring, own_width(c)), (ring, joint_width(c)), (3, m), (ring, m))
    return take(Seen, block, at, plain + wide)


def used_inputs(c: object) -> tuple[np.ndarray, np.ndarray]:
    """Return which of a channel's own inputs and of the joint ones are no padding."""
    own, first = np.zeros(own_width(c), bool), 1 + n_cycle_inputs(c)
    own[: first + SHORT_LAGS] = True
    own[short_width(c) :][: LAGS - SHORT_LAGS + n_season_lags(c.season)] = True  # type: ignore[attr-defined]
    own[long_width(c)] = True
    joint, p = np.zeros(joint_width(c), bool), joint_lags(c)
    if p:
        joint[: first + p * c.n_channels + 2 * c.n_covariates] = True  # type: ignore[attr-defined]
    return own, joint


@part
def _sine_cosine(turn):
    """Return sine and cosine of a part of a full turn; error below 1e-15."""
    quarter = np.floor(4.0 * turn + 0.5)
    a = (turn - 0.25 * quarter) * 6.283185307179586
    q = a * a
    s = (
        fma(
            q,
            fma(
                q,
                fma(
                    q,
                    fma(
                        q,
                        fma(q, fma(q, 1.0 / 6227020800.0, -1.0 / 39916800.0), 1.0 / 362880.0),
                        -1.0 / 5040.0,
                    ),
                    1.0 / 120.0,
                ),
                -1.0 / 6.0,
            ),
            1.0,
        )
        * a
    )
    k = fma(
        q,
        fma(
            q,
            fma(
                q,
                fma(
                    q,
                    fma(
                        q,
                        fma(q, fma(q, -1.0 / 87178291200.0, 1.0 / 479001600.0), -1.0 / 3628800.0),
                        1.0 / 40320.0,
                    ),
                    -1.0 / 720.0,
                ),
                1.0 / 24.0,
            ),
            -0.5,
        ),
        1.0,
    )
    place = int(quarter) % 4
    if place == 1:
        return k, -s
    if place == 2:
        return -s, -k
    if place == 3:
        return -k, s
    return s, k


@part
def _see_cycles(c, turns, out):
    """In place: the sines and cosines of the cycles, from place 1 on."""
    at = 1
    for i in range(c.n_cycles):
        s1, k1 = _sine_cosine(turns[i])
        s, k = s1, k1
        for _ in range(4 if i == 0 else 3):
            out[at], out[at + 1] = s, k
            at += 2
            s, k = fma(s, k1, k * s1), fma(k, k1, -1.0 * (s * s1))
    return at


@part
def count_value(m, i, value):
    """In place: mean, deviation and range of a channel with one more value."""
    m.counts[i] += 1.0
    if m.counts[i] == 1.0:
        m.low[i] = m.high[i] = value
    step = value - m.mean[i]
    m.mean[i] += step / m.counts[i]
    m.squares[i] = fma(step, value - m.mean[i], m.squares[i])
    m.low[i], m.high[i] = min(m.low[i], value), max(m.high[i], value)


@part
def unit_of(m, i):
    """Return the deviation of a channel so far, and something where it has none."""
    size = max(abs(m.low[i]), abs(m.high[i]))
    deviation = np.sqrt(m.squares[i] / max(m.counts[i], 1.0))
    if deviation > LEAST_SCALE * size:
        return deviation
    return size if size > 0.0 else 1.0


@part
def put_lag(c, m, i, value):
    """In place: a channel's latest value; the first one stands for all before it."""
    n = m.lags.shape[1] // 2
    at = n - 1 - c.n_rows % n
    m.lags[i, at] = m.lags[i, at + n] = value
    if m.counts[i] == 1.0 and m.known[i] > 0.0:
        for j in range(2 * n):
            m.lags[i, j] = value


@part
def see_channel(c, m, i, now, turns):
    """In place: the inputs of a channel at the latest row, at a place of the rings."""
    n = m.lags.shape[1] // 2
    at, x = n - 1 - c.n_rows % n, m.own[i, now]
    last, unit = m.lags[i, at], unit_of(m, i)
    m.anchors[i, now], m.scales[i, now] = last, unit
    inverse = 1.0 / unit
    x[0] = 1.0
    first = _see_cycles(c, turns, x)
    for k in range(1, SHORT_LAGS + 1):
        x[first + k - 1] = (m.lags[i, at + k] - last) * inverse
    first = short_width(c)
    for k in range(SHORT_LAGS + 1, LAGS + 1):
        x[first] = (m.lags[i, at + k] - last) * inverse
        first += 1
    step = stride(c.season)
    for k in range(n_season_lags(c.season)):
        x[first + k] = (m.lags[i, at + LAGS + 1 + k * step] - last) * inverse
    x[long_width(c)] = (last - m.mean[i]) * inverse


@part
def see_together(c, m, now, turns):
    """In place: the inputs of all channels together at the latest row."""
    p, n = joint_lags(c), m.lags.shape[1] // 2
    if p == 0:
        return
    at, x = n - 1 - c.n_rows % n, m.joint[now]
    x[0] = 1.0
    j = _see_cycles(c, turns, x)
    for i in range(c.n_channels):
        last, inverse = m.lags[i, at], 1.0 / m.scales[i, now]
        x[j] = (last - m.mean[i]) * inverse
        j += 1
        for k in range(1, p):
            x[j] = (m.lags[i, at + k] - last) * inverse
            j += 1
    before = now - 1 if now > 0 else m.joint.shape[0] - 1
    for i in range(c.n_covariates):
        x[j] = m.standard[now, i]
        x[j + 1] = m.standard[now, i] - (m.standard[before, i] if c.n_rows > 0 else 0.0)
        j += 2


@part
def standard_value(m, i, value):
    """Return a covariate in deviations from its mean so far; an unknown one is at the mean."""
    if value != value or m.covariates[0, i] < 2.0:
        return 0.0
    deviation = np.sqrt(m.covariates[2, i] / m.covariates[0, i])
    step = value - m.covariates[1, i]
    if deviation <= LEAST_SCALE * abs(m.covariates[1, i]) or deviation == 0.0:
        return 0.0
    return min(max(step / deviation, -FARTHEST), FARTHEST)


@part
def see_covariates(c, m, now, X):
    """In place: count and standardise the covariates of the latest row."""
    for i in range(c.n_covariates):
        if X[i] == X[i]:
            m.covariates[0, i] += 1.0
            step = X[i] - m.covariates[1, i]
            m.covariates[1, i] += step / m.covariates[0, i]
            m.covariates[2, i] = fma(step, X[i] - m.covariates[1, i], m.covariates[2, i])
        m.standard[now, i] = standard_value(m, i, X[i])
