"""A kind of expert as a newcomer brings it: one that votes by the mean row of each target.

`test_roster` puts this file into a copy of `mooe.auto.experts`. As small as an expert can be that
has everything: arrays over classes and inputs, scratch, a beginning that is not 0.
"""

from typing import Any, NamedTuple

import numpy as np

from mooe.auto.inputs import PLAIN_NORM, Moved, column_of, plain_row, sizes
from mooe.numerics.blocks import take
from mooe.numerics.compiled import forced, shared
from mooe.numerics.scores import two_sided
from mooe.numerics.tensors import check_size, put

NAMES = ("mean_row",)
NARROW_ONLY = CLASSES_ONLY = ()

OVER = 0.02  # weight of a row in the mean


class MeanRow(NamedTuple):
    means: Any  # (n_outputs, n_plain) of target times input
    counted: Any  # (1,) 1 + rows learnt


class Scratch(NamedTuple):
    scores: Any  # (n_outputs,)


@shared
def open_arrays(s, c, block, at):
    return take(MeanRow, block, at, ((c.n_outputs, sizes(c)[0]), (1,)))


@shared
def open_scratch(s, c, block, at):
    return take(Scratch, block, at, ((c.n_outputs,),))


def start(m: MeanRow) -> None:
    m.counted[0] = 1.0


@forced
def vote(s, c, m, w, seen, r, votes, places):
    x, columns, n, listed = plain_row(c, seen, r)
    for o in range(c.n_outputs):
        score = 0.0
        for j in range(n):
            score += m.means[o, column_of(columns, j, listed)] * x[j]
        w.scores[o] = score / seen.norms[r, PLAIN_NORM] ** 0.5
        votes[o, places[0]] = w.scores[o]


@forced
def learn(s, c, m, w, seen, r, targets, weight):
    if not s.mean_row:
        return
    x, columns, n, listed = plain_row(c, seen, r)
    share = min(1.0, weight * max(OVER, 1.0 / m.counted[0]))
    m.counted[0] += 1.0
    for o in range(c.n_outputs):
        for j in range(n):
            i = column_of(columns, j, listed)
            m.means[o, i] += share * ((targets[o] - w.scores[o]) * x[j] - m.means[o, i])


def grow_classes(c: Any, old: MeanRow, new: MeanRow) -> None:
    new.means[:, c.n_features] = -1.0
    new.means[: max(2, len(old.means))] = two_sided(old.means)
    new.counted[:] = old.counted


def grow_inputs(old: MeanRow, new: MeanRow, moved: Moved) -> None:
    new.means[:, moved.plain] = old.means
    new.counted[:] = old.counted


def save(m: MeanRow) -> dict[str, np.ndarray]:
    return {"mean_row.means": m.means.copy(), "mean_row.counted": m.counted.copy()}


def restore(m: MeanRow, tensors: dict[str, np.ndarray]) -> None:
    put("mean_row.means", m.means, tensors["mean_row.means"])
    put("mean_row.counted", m.counted, tensors["mean_row.counted"])
    check_size("mean_row.means", m.means)
    if m.counted[0] < 1.0:
        raise ValueError(f"mean_row.counted must be at least 1, got {m.counted[0]}")
