"""Scores as true probabilities: how much a score is worth is learnt from the stream, row by row.

Three steps, and the loss that all of them follow is the log-loss:

1. Experts say p_c ~ ((1 + score_c) / 2)**power, for eight powers, and that a share of the labels
   is anything at all, for four shares: noise in labels keeps a sure score from being a sure answer.
   They are mixed by what they made of the labels so far: Bayes' rule with a fixed share.
2. A curve, straight between knots and rising, moves the odds of the winner to where it has been
   right (isotonic calibration, by gradient steps). The other classes share what is left.
3. The probabilities before and after the curve are mixed in the same way.

The answer stays the class of the largest score. A row of weight w counts as w rows, so
probabilities are those of the weighted stream. While one class is known nothing is learnt, nor from
the row that brings another: nobody could name it. A class that comes later finds the shares and the
curve of before, for all of it is told in odds beside those of a blind guess.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import within
from mooe.auto.targets import SHARPNESS, n_sides
from mooe.numerics.arithmetic import exp, log, padded, winner
from mooe.numerics.blocks import take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import fma, load, pack, spread, store, total
from mooe.numerics.tensors import check_whole, put

POWERS = (0.3, 0.46, 0.71, 1.08, 1.66, 2.55, 3.91, 6.0)  # geometric; at 1 a score is 2p - 1
NOISES = (0.0, 0.06, 0.2, 0.6)  # shares of the labels that are anything
LEAST = 0.002  # added to (1 + score) / 2, so that a score of -1 is not the end
FIXED_SHARE = 0.00002  # of the weight is given to all alike, after every row
STEP, KNOTS = 0.5, 24  # of the curve, in nats
RATE, KEPT = 0.1, 0.999  # of its steps; of the sums that they are divided by, with every step
FLATTEST = 0.02 * STEP  # rise of the curve from knot to knot, so that it keeps the order of rows
WEAKEST = 1e-3  # times the score of two classes: less no answer can become
ABOVE = 1e-15  # what sets two apart that rounding has made one
HEAVIEST = 10.0  # weight of a row to the curve
SUREST = 50.0  # nats, by which a row of great weight may tell two apart

TOLERANCE = 1e-9  # of shares in a file

LOW, HIGH = POWERS[:4], POWERS[4:]
N_POWERS, N_NOISES = len(POWERS), len(NOISES)

# Of a row, in Scratch.facts: who leads; odds at the curve, in knots; what the curve says of the
# winner and of all others together; what was said of these before it; whether it is asked.
LEADER, PLACE, TOP, OTHERS, OTHERS_BEFORE, CURVED = range(6)


class Calibration(NamedTuple):
    """What is known of the worth of scores."""

    shares: Any  # (N_NOISES, N_POWERS) weights of the experts
    curve: Any  # (KNOTS,) odds of the winner beside a blind guess, in nats, at multiples of STEP
    slopes: Any  # (KNOTS,) sums of squared slopes of late
    trust: Any  # (1,) weight of what the curve says, beside what was said before it
    met: Any  # (1,) 1 + the largest number of a class so far


class Scratch(NamedTuple):
    """What is computed of a row on the way, for all classes: two at least."""

    scores: Any  # (padded n,) of the mixture
    logs: Any  # (padded n,) of the scores on [0, 1]; of the probabilities in the end
    raised: Any  # (n, N_POWERS) scores on [0, 1], beside the largest, to every power
    totals: Any  # (N_POWERS,) of these
    chances: Any  # (padded n,) probabilities before the curve
    facts: Any  # (6,)


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    on = 1 if s.classify and s.calibration else 0
    knots, one = (on * KNOTS,), (on,)
    return take(Calibration, block, at, ((on * N_NOISES, N_POWERS), knots, knots, one, one))


@shared
def open_scratch(c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    n, p = n_sides(c), padded(n_sides(c))
    shapes = ((p,), (p,), (n, N_POWERS), (N_POWERS,), (p,), (6,))
    return take(Scratch, block, at, shapes)


def start(m: Calibration) -> None:
    """In place: all experts are alike, and the curve changes nothing, in arrays of 0."""
    m.shares[:] = 1.0 / (N_NOISES * N_POWERS)
    m.trust[:] = 0.5
    m.curve[:] = STEP * np.arange(len(m.curve))
    m.slopes[:] = 1.0
    m.met[:] = 1.0


@forced
def takes_part(s, c):
    """Whether there are probabilities to learn."""
    return s.classify and s.calibration and c.n_classes > 1


@part
def calibrate(c, m, w, out):
    """In place: out = scores whose softmax, times the model's sharpness, is true probabilities.

    The largest score of before is the largest again.
    """
    n = n_sides(c)
    _take_scores(c, w, n, out)
    leader = winner(w.scores[:n])
    _mix_experts(m, w, n, leader)
    factor, top = _follow_curve(m, w, n, leader)
    if c.n_outputs == 1:
        odds = top / (factor * w.chances[1 - leader])
        sure = max(0.5 / SHARPNESS * log(odds), WEAKEST * abs(out[0]))
        out[0] = sure if leader == 1 else -sure
        return
    for o in range(n):
        w.logs[o] = factor * w.chances[o]
    w.logs[leader] = top
    for o in range(n, w.logs.shape[0]):
        w.logs[o] = 1.0
    for o in range(0, n, 4):
        store(w.logs, o, 1.0 / SHARPNESS * log(load(w.logs, o)))
    for o in range(n):
        out[o] = w.logs[o]
    for o in range(n):
        if w.scores[o] < w.scores[leader] and out[o] >= out[leader]:
            out[leader] = out[o] + ABOVE


@forced
def _take_scores(c, w, n, out):
    """In place: the mixture's scores of all classes, and the logarithms of them on [0, 1]."""
    if c.n_outputs == 1:
        w.scores[0], w.scores[1] = -out[0], out[0]
    else:
        for o in range(n):
            w.scores[o] = out[o]
    for o in range(n, w.scores.shape[0]):
        w.scores[o] = 0.0
    for o in range(0, n, 4):
        store(w.logs, o, log(fma(0.5, load(w.scores, o), 0.5 + LEAST)))


@forced
def _mix_experts(m, w, n, leader):
    """In place: the probabilities that the experts give together."""
    low, high = pack(LOW[0], LOW[1], LOW[2], LOW[3]), pack(HIGH[0], HIGH[1], HIGH[2], HIGH[3])
    low_total, high_total = spread(0.0), spread(0.0)
    for o in range(n):
        below = w.logs[o] - w.logs[leader]
        some, others = exp(low * below), exp(high * below)
        store(w.raised, (o, 0), some)
        store(w.raised, (o, 4), others)
        low_total, high_total = low_total + some, high_total + others
    store(w.totals, 0, low_total)
    store(w.totals, 4, high_total)

    low_share, high_share, noise = spread(0.0), spread(0.0), spread(0.0)
    for e in range(N_NOISES):
        some, others = load(m.shares, (e, 0)), load(m.shares, (e, 4))
        low_share = fma(1.0 - NOISES[e], some, low_share)
        high_share = fma(1.0 - NOISES[e], others, high_share)
        noise = fma(NOISES[e], some + others, noise)
    anything = total(noise) / n
    low_share, high_share = low_share / low_total, high_share / high_total
    for o in range(n):
        chance = low_share * load(w.raised, (o, 0)) + high_share * load(w.raised, (o, 4))
        w.chances[o] = total(chance) + anything


@forced
def _follow_curve(m, w, n, leader):
    """In place: the facts of the row; return the factor of all but the winner, and its chance."""
    facts = w.facts
    before, others, second = w.chances[leader], 0.0, 0.0
    for o in range(n):
        if o != leader:
            others += w.chances[o]
            second = max(second, w.chances[o])
    facts[LEADER], facts[OTHERS_BEFORE] = leader, others
    facts[CURVED] = 0.0
    if second >= before:  # level: whoever is answered has no claim to more
        return 1.0, before
    facts[CURVED] = 1.0
    blind = log(n - 1.0) if n > 2 else 0.0
    place = max(0.0, log(before / others) + blind) / STEP
    k = min(int(place), KNOTS - 2)
    along = min(place - k, 1.0)
    odds = m.curve[k] + along * (m.curve[k + 1] - m.curve[k])
    odds += STEP * max(0.0, place - (KNOTS - 1)) - blind
    if n > 2:
        odds = max(odds, log(second / others))  # the second stays behind
    small = exp(-odds)
    facts[PLACE], facts[TOP], facts[OTHERS] = place, 1.0 / (1.0 + small), small / (1.0 + small)
    share = m.trust[0]
    factor = (1.0 - share) + share * facts[OTHERS] / others
    return factor, (1.0 - share) * before + share * facts[TOP]


@part
def learn(c, m, w, label, weight):
    """In place: the label of the row that `calibrate` was called for last."""
    n, y = n_sides(c), int(label)
    if label >= m.met[0]:
        m.met[0] = label + 1.0
        return
    _share_anew(m, w, n, y, weight)
    facts, right = w.facts, y == int(w.facts[LEADER])
    if facts[CURVED] == 0.0:
        return
    before = w.chances[y]
    after = facts[TOP] if right else before * facts[OTHERS] / facts[OTHERS_BEFORE]
    gain = m.trust[0] * _times(after / before, weight)
    share = gain / (gain + (1.0 - m.trust[0]))
    m.trust[0] = (1.0 - FIXED_SHARE) * share + 0.5 * FIXED_SHARE
    _bend(m, facts[PLACE], min(weight, HEAVIEST) * (facts[OTHERS] if right else -facts[TOP]))


@forced
def _times(ratio, weight):
    """Return a ratio of two chances to the power of a row's weight."""
    if weight == 1.0:
        return ratio
    return exp(max(-SUREST, min(SUREST, weight * log(ratio))))


@forced
def _share_anew(m, w, n, y, weight):
    """In place: the shares of the experts, by the chance that each gave the label."""
    low, high = (
        load(w.raised, (y, 0)) / load(w.totals, 0),
        load(w.raised, (y, 4)) / load(w.totals, 4),
    )
    whole = spread(0.0)
    for e in range(N_NOISES):
        some = fma(1.0 - NOISES[e], low, NOISES[e] / n)
        others = fma(1.0 - NOISES[e], high, NOISES[e] / n)
        if weight != 1.0:  # beside the mixture's: what is likelier by e**50 is as good as certain
            some = _raised(some, w.chances[y], weight)
            others = _raised(others, w.chances[y], weight)
        some, others = some * load(m.shares, (e, 0)), others * load(m.shares, (e, 4))
        store(m.shares, (e, 0), some)
        store(m.shares, (e, 4), others)
        whole = whole + (some + others)
    kept, given = (1.0 - FIXED_SHARE) / total(whole), FIXED_SHARE / (N_NOISES * N_POWERS)
    for e in range(N_NOISES):
        for k in range(0, N_POWERS, 4):
            store(m.shares, (e, k), fma(kept, load(m.shares, (e, k)), spread(given)))


@forced
def _raised(chance, reference, weight):
    """Return chances, in lanes and beside one, to the power of a row's weight."""
    return exp(within(weight * log(chance / reference), SUREST))


@forced
def _bend(m, place, slope):
    """In place: the two knots beside a place move along a slope, and the curve goes on rising."""
    k, curve = min(int(place), KNOTS - 2), m.curve
    along = min(place - k, 1.0)
    for j in range(2):
        at, one = k + j, slope * (along if j == 1 else 1.0 - along)
        if at > 0:  # a blind guess stays one
            m.slopes[at] = KEPT * m.slopes[at] + one * one
            curve[at] = max(at * FLATTEST, curve[at] + RATE * one / np.sqrt(m.slopes[at]))
    at = k
    while at > 0 and (at == k or curve[at] > curve[at + 1] - FLATTEST):
        curve[at] = max(at * FLATTEST, min(curve[at], curve[at + 1] - FLATTEST))
        at -= 1
    at = k + 2
    while at < KNOTS and curve[at] < curve[at - 1] + FLATTEST:
        curve[at] = curve[at - 1] + FLATTEST
        at += 1


def save(s: Any, m: Calibration) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name; nothing where nothing is to be learnt."""
    if not (s.classify and s.calibration):
        return {}
    return {f"calibration.{name}": array.copy() for name, array in m._asdict().items()}


def restore(s: Any, c: Any, m: Calibration, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    start(m)
    if not (s.classify and s.calibration):
        return
    for name, array in m._asdict().items():
        put(f"calibration.{name}", array, tensors[f"calibration.{name}"])
    if not (m.shares > 0.0).all() or abs(m.shares.sum() - 1.0) > TOLERANCE:
        raise ValueError("calibration.shares must be above 0 and sum up to 1")
    if not 0.0 < m.trust[0] < 1.0:
        raise ValueError(f"calibration.trust must be between 0 and 1, got {m.trust[0]}")
    if m.curve[0] != 0.0 or (np.diff(m.curve) <= 0.0).any():
        raise ValueError("calibration.curve must rise from 0")
    check_whole("calibration.met", m.met, max(2, c.n_classes + 1), 1.0)
    if (m.slopes <= 0.0).any():
        raise ValueError("calibration.slopes must be above 0")
