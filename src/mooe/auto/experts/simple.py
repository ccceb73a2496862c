"""Experts that look at no input: the last label again, and the usual label of late."""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.targets import in_unit, repeat
from mooe.numerics.blocks import take
from mooe.numerics.compiled import forced, shared
from mooe.numerics.scores import two_sided
from mooe.numerics.tensors import check_size, put

NAMES = ("no_change", "usual")
NARROW_ONLY = CLASSES_ONLY = ()

OF_LATE = 1000  # labels whose mean the usual one is


class Simple(NamedTuple):
    """The last label is a counter of the state."""

    usual: Any  # (n_outputs,) mean of the targets of late; regression: of the labels


@shared
def open_arrays(s, c, block, at):
    """Return the arrays of a block from a place on, and the place behind them."""
    return take(Simple, block, at, ((c.n_outputs,),))


@forced
def vote(s, c, m, last, votes, places):
    """In place: the votes; last is the last label that is known, NaN or -inf for none."""
    no_change, usual = places
    for o in range(c.n_outputs):
        votes[o, no_change] = repeat(s, c, last, o)
        votes[o, usual] = in_unit(s, c, m.usual[o])


@forced
def learn(s, c, m, targets, label, weight):
    """In place: the usual label follows this one."""
    n = c.n_labelled + (1.0 if s.classify else 0.0)  # classes begin as equally likely
    recent = min(1.0, weight * max(1.0 / OF_LATE, 1.0 / n))
    for o in range(c.n_outputs):
        target = targets[o] if s.classify else label
        if not s.classify and c.n_labelled > 1:  # labels of before may have been moved since
            m.usual[o] = max(c.target_least, min(c.target_most, m.usual[o]))
        m.usual[o] += recent * (target - m.usual[o])


def grow_classes(old: Simple, new: Simple) -> None:
    """In place: the usual label among the classes of before."""
    new.usual[:] = -1.0
    new.usual[: max(2, len(old.usual))] = two_sided(old.usual)


def grow_inputs(old: Simple, new: Simple) -> None:
    """In place: as before, for inputs do not matter."""
    new.usual[:] = old.usual


def save(m: Simple) -> dict[str, np.ndarray]:
    """Return copies of what has been learnt, by name."""
    return {"usual": m.usual.copy()}


def check_shapes(c: Any, tensors: dict[str, np.ndarray]) -> None:
    """Raise ValueError unless the arrays are of the size that counters tell."""
    if tensors["usual"].shape != (c.n_outputs,):
        raise ValueError(f"usual must be those of {c.n_outputs} outputs")


def restore(m: Simple, tensors: dict[str, np.ndarray]) -> None:
    """In place: what had been learnt, or ValueError."""
    put("usual", m.usual, tensors["usual"])
    check_size("usual", m.usual)
