"""The meta expert: Hedge with a fixed share, and exponentiated gradient, half each."""

import math
from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import within
from mooe.auto.roster import CLASSES_ONLY, EXPERTS, NARROW_ONLY
from mooe.auto.targets import LONGEST, charge, pull
from mooe.numerics.arithmetic import exp, padded
from mooe.numerics.blocks import take
from mooe.numerics.compiled import part, shared
from mooe.numerics.lanes import fma, load, spread, store

HEDGE_RATE = 1.0
FIXED_SHARE = 0.003  # of the weight is given to all alike, after every row
GRADIENT_RATE = 0.5
SMALLEST = 1e-12  # weight of exponentiated gradient


class Mixture(NamedTuple):
    """The weights of the experts in the order of EXPERTS, then of those added; 0 for who is out."""

    shares: Any  # (n_places,) by Hedge
    tuned: Any  # (n_places,) by exponentiated gradient


class Scratch(NamedTuple):
    """What is computed of a row on the way."""

    votes: Any  # (n_outputs, n_places)
    losses: Any  # (n_places,)
    targets: Any  # (n_outputs,)
    own: Any  # (n_outputs,) the mixture of exponentiated gradient
    answered: Any  # (1 + d,) narrow inputs: n_labelled + 1 at the last single row, and that row


@shared
def n_places(c):
    """Return how many experts there is room for, in whole lanes."""
    return padded(len(EXPERTS) + c.n_added)


@shared
def open_arrays(c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    return take(Mixture, block, at, ((n_places(c),), (n_places(c),)))


@shared
def open_scratch(c, block, at):
    """Return the scratch of a block from a place on, and the place behind it."""
    o, n = (c.n_outputs,), n_places(c)
    answered = 1 + c.n_features if c.narrow else 0
    return take(Scratch, block, at, ((c.n_outputs, n), (n,), o, o, (answered,)))


def taking_part(s: Any, c: Any) -> np.ndarray:
    """Return which of EXPERTS take part, (n_experts,) bools."""
    out = (() if c.narrow else NARROW_ONLY) + (() if s.classify else CLASSES_ONLY)
    return np.array([bool(getattr(s, name)) and name not in out for name in EXPERTS])


def start(s: Any, c: Any, m: Mixture) -> None:
    """In place: all experts of the mixture weigh the same."""
    on = taking_part(s, c)
    for weights in m:
        weights[:] = 0.0
        weights[: len(on)] = on / on.sum()


def leave(m: Mixture, names: tuple[str, ...]) -> None:
    """In place: experts leave the mixture."""
    for weights in m:
        weights[[EXPERTS.index(name) for name in names]] = 0.0
        weights /= math.fsum(weights)  # whatever the number of places


def join(s: Any, c: Any, old: Mixture, new: Mixture) -> None:
    """In place: the weights of before, and experts that take part from now on weigh as most."""
    on = np.append(taking_part(s, c), np.ones(c.n_added, dtype=bool))
    newcomers = np.flatnonzero(on & (old.shares[: len(on)] == 0.0))
    n_before = np.count_nonzero(old.shares)
    for before, after in zip(old, new, strict=True):
        after[:] = before * n_before / (n_before + len(newcomers)) if len(newcomers) else before
        after[newcomers] = 1.0 / (n_before + len(newcomers))


def add_expert(old: Mixture, new: Mixture, n_added: int) -> None:
    """In place: the weights of before, and behind n_added others an expert that weighs as most."""
    at = len(EXPERTS) + n_added
    n_on = int(np.count_nonzero(old.shares))
    for before, after in zip(old, new, strict=True):
        after[:] = 0.0
        after[:at] = before[:at] * n_on / (n_on + 1.0)
        after[at] = 1.0 / (n_on + 1.0)


def save(c: Any, m: Mixture, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return copies of the weights, for a file that knows these experts, by name."""
    inside, outside = _file_places(c, names)
    tensors = {}
    for field, weights in m._asdict().items():
        tensors[field] = np.zeros(padded(len(names) + c.n_added))
        tensors[field][outside] = weights[inside]
    return tensors


def check_shapes(c: Any, tensors: dict[str, np.ndarray], names: tuple[str, ...]) -> None:
    """Raise ValueError unless the weights of a file are as many as its experts."""
    for field in Mixture._fields:
        if tensors[field].shape != (padded(len(names) + c.n_added),):
            raise ValueError(f"{field} must be those of {c.n_added} added experts")


def restore(
    s: Any, c: Any, m: Mixture, tensors: dict[str, np.ndarray], names: tuple[str, ...]
) -> None:
    """In place: the weights of a file that knows these experts, or ValueError."""
    inside, outside = _file_places(c, names)
    expected = np.zeros(padded(len(names) + c.n_added), dtype=bool)
    expected[outside] = np.append(taking_part(s, c), np.ones(c.n_added, dtype=bool))[inside]
    for field, weights in m._asdict().items():
        given = tensors[field]
        if (given < 0.0).any() or ((given > 0.0) != expected).any():
            raise ValueError(f"{field} must be above 0 for the experts that take part alone")
        weights[inside] = given[outside]


def _file_places(c: Any, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of a file's experts in our arrays, and in those of the file."""
    own = [EXPERTS.index(name) for name in names]
    added = len(EXPERTS) + np.arange(c.n_added)
    return np.append(own, added).astype(np.int64), np.arange(len(names) + c.n_added)


@part
def mix(s, m, w, out):
    """In place: out = the mixture's scores, w.own = those of exponentiated gradient alone."""
    votes = w.votes
    for o in range(w.own.shape[0]):
        hedged, tuned = 0.0, 0.0
        for k in range(m.shares.shape[0]):
            hedged = fma(m.shares[k], votes[o, k], hedged)
            tuned = fma(m.tuned[k], votes[o, k], tuned)
        w.own[o] = tuned
        if s.hedge and s.gradient:
            out[o] = 0.5 * (hedged + tuned)
        else:
            out[o] = hedged if s.hedge else tuned


@part
def reweight(s, c, m, w, label, weight):
    """In place: the weights after a label: experts that lost little, or helped, gain."""
    n, losses = m.shares.shape[0], w.losses
    charge(s, c, w.votes, w.targets, label, weight, 0, n, losses)
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
    pull(s, c, w.votes, w.own, w.targets, weight, losses)
    total = 0.0
    for k in range(0, n, 4):
        store(losses, k, exp(within(GRADIENT_RATE * load(losses, k), LONGEST)))
    for k in range(n):
        m.tuned[k] *= losses[k]
        total += m.tuned[k]
    for k in range(n):
        if m.shares[k] > 0.0:
            m.tuned[k] = max(m.tuned[k] / total, SMALLEST)
