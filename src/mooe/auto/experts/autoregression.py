"""An expert that looks at the labels alone: what they were of late tells what comes next.

An autoregression of classes, learnt by softmax and AdaGrad. The score of a class is the sum of the
weights of all lags at which it was the label, one label ago to LAGS, and of how it follows the last
label. So it knows labels that stay, that alternate, and that come in cycles of up to LAGS.

Of a row whose label comes late only the last label is known that was known when it was answered,
not those before: lags then say and learn nothing, and what follows that label is learnt as ever.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.targets import n_sides
from mooe.numerics.arithmetic import inverse_root, padded, softmax
from mooe.numerics.blocks import copy_alike, take
from mooe.numerics.compiled import forced, part, shared
from mooe.numerics.lanes import load, select, size, spread, store, total
from mooe.numerics.tensors import check_size, check_whole, put

NAMES = CLASSES_ONLY = ("autoregression",)
NARROW_ONLY = ()

LAGS = 32
MOST_FOLLOWED = 64  # classes; of more it is not learnt which follows which
RATE = 0.2
NEVER = -30.0  # added to the score of a class that was not met
LARGEST_WEIGHT = 1e6  # of a row
LAST, IS_LATE = range(2)  # of what is told


class Autoregression(NamedTuple):
    """Nothing where the expert is left out, and in a regression."""

    recent: Any  # (LAGS,) labels, the last one first; -1 for none
    lags: Any  # (LAGS,) weights
    lag_sums: Any  # (LAGS,) of squared gradients
    unmet: Any  # (padded(n),) NEVER for classes that were not met, 0 for others
    followers: Any  # (n_followed, padded(n)) weight of each class behind each class
    follower_sums: Any  # (n_followed, padded(n))


class Scratch(NamedTuple):
    """What is said of a row, and by what."""

    scores: Any  # (padded(n),) of classes: their probabilities, then the gradient
    told: Any  # (2,) the last label that was known, and whether this one comes late


@shared
def _takes_part(s):
    """Whether there is such an expert."""
    return s.classify and s.autoregression


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    n, lags = n_sides(c), LAGS if _takes_part(s) else 0
    n_followed = n if n <= MOST_FOLLOWED and lags > 0 else 0
    classes, pairs = (padded(n) if lags > 0 else 0,), (n_followed, padded(n))
    return take(Autoregression, block, at, ((lags,), (lags,), (lags,), classes, pairs, pairs))


@shared
def open_scratch(s, c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    return take(Scratch, block, at, ((padded(n_sides(c)),), (2,)))


def start(m: Autoregression) -> None:
    """In place: no label was met, in arrays of 0."""
    m.recent[:], m.unmet[:] = -1.0, NEVER


@forced
def vote(c, m, w, last, is_late, votes, places):
    """In place: the vote behind the last label that is known, NaN or -inf for none."""
    if m.recent.shape[0] == 0:
        return
    _tell(c, m, w, last, is_late)
    place = places[0]
    if c.n_outputs == 1:
        votes[0, place] = w.scores[1] - w.scores[0]
    else:
        for o in range(c.n_outputs):
            votes[o, place] = 2.0 * w.scores[o] - 1.0


@part
def _tell(c, m, w, last, is_late):
    """In place: the probabilities of the classes, and what they are told by."""
    n, scores = n_sides(c), w.scores
    w.told[LAST], w.told[IS_LATE] = last, 1.0 if is_late else 0.0
    is_followed = 0.0 <= last < m.followers.shape[0]
    for k in range(0, scores.shape[0], 4):
        follows = load(m.followers, (int(last), k)) if is_followed else spread(0.0)
        store(scores, k, load(m.unmet, k) + follows)
    if not is_late:
        for k in range(n):
            found = spread(0.0)
            for j in range(0, LAGS, 4):
                found = found + _where(load(m.recent, j), k, load(m.lags, j), spread(0.0))
            scores[k] += total(found)
    softmax(scores, n)
    for k in range(n, scores.shape[0]):
        scores[k] = 0.0


@forced
def _where(labels, k, this, other):
    """Return this in lanes whose label is class k, and the other in those of another or none."""
    return select(spread(0.5), size(labels - float(k)), this, other)


@forced
def learn(c, m, w, label, weight):
    """In place: the label behind those that were told."""
    if m.recent.shape[0] > 0:
        _learn_label(c, m, w, label, min(weight, LARGEST_WEIGHT))


@part
def _learn_label(c, m, w, label, weight):
    """In place: lags and followers by the gradient, then the label is the last one."""
    n, scores, last = n_sides(c), w.scores, w.told[LAST]
    scores[int(label)] -= 1.0
    for k in range(0, scores.shape[0], 4):
        store(scores, k, weight * load(scores, k))
    if w.told[IS_LATE] == 0.0:
        for j in range(0, LAGS, 4):
            slopes = spread(0.0)
            for k in range(n):
                slopes = _where(load(m.recent, j), k, spread(scores[k]), slopes)
            _step(m.lags, m.lag_sums, j, slopes)
    if 0.0 <= last < m.followers.shape[0]:
        for k in range(0, scores.shape[0], 4):
            _step(m.followers, m.follower_sums, (int(last), k), load(scores, k))
    for j in range(LAGS - 1, 0, -1):
        m.recent[j] = m.recent[j - 1]
    m.recent[0], m.unmet[int(label)] = label, 0.0


@forced
def _step(weights, sums, at, slopes):
    """In place: four weights against their slopes, by AdaGrad."""
    grown = load(sums, at) + slopes * slopes
    store(sums, at, grown)
    store(weights, at, load(weights, at) - RATE * slopes * inverse_root(1.0 + grown))


def grow_classes(c: Any, old: Autoregression, new: Autoregression) -> None:
    """In place: as before; behind each class a new one is as unlikely as the least likely.

    c are the counters after that.
    """
    copy_alike(old, new)
    new.unmet[:] = NEVER
    new.unmet[: len(old.unmet)] = old.unmet
    before, after = len(old.followers), len(new.followers)
    if after > before > 0:
        known = old.followers[:, :before]
        new.followers[:before, : n_sides(c)] = known.min(axis=1, keepdims=True)
        new.followers[:before, :before] = known
        new.follower_sums[:before, :before] = old.follower_sums[:, :before]


def grow_inputs(old: Autoregression, new: Autoregression) -> None:
    """In place: as before, for inputs do not matter."""
    copy_alike(old, new)


def save(m: Autoregression) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    return {f"autoregression.{name}": array.copy() for name, array in m._asdict().items()}


def restore(c: Any, m: Autoregression, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    for name, array in m._asdict().items():
        put(f"autoregression.{name}", array, tensors[f"autoregression.{name}"])
    check_whole("autoregression.recent", m.recent, max(1, c.n_classes), -1.0)
    for name in ("lags", "followers"):
        check_size(f"autoregression.{name}", getattr(m, name))
    if not np.isin(m.unmet, (0.0, NEVER)).all():
        raise ValueError(f"autoregression.unmet must be 0 or {NEVER:g}")
    if (m.lag_sums < 0.0).any() or (m.follower_sums < 0.0).any():
        raise ValueError("sums of autoregression must be at least 0")
