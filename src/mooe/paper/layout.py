"""What compiled code reads and writes: a record of settings, one of counters, one block of floats.

`open_block` gives the block its names and shapes, and with them its length; `open_desk` does so for
the scratch of an answer. A call from Python passes few arrays, because
each one costs as much as a small expert.
"""

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from mooe.numerics.blocks import Layout, take
from mooe.numerics.compiled import shared
from mooe.numerics.compiler import from_dtype
from mooe.paper.offline import open_system

SETTINGS = np.dtype(
    [
        ("interval", "i8"),
        ("n_slots", "i8"),  # offline experts kept at most
        ("seed", "i8"),
        ("classify", "?"),
        ("is_logistic", "?"),
        ("by_weight", "?"),  # priority
        ("start", "i8"),  # WARM, RESET or RANDOM
        ("scale", "?"),
        ("intercept", "?"),
        ("radius", "f8"),
        ("input_bound", "f8"),
        ("range", "f8"),  # of the loss: every loss is divided by it
        ("smoothness", "f8"),
        ("pull", "f8"),
        ("online_rate", "f8"),  # negative: first_step / sqrt(t)
        ("first_step", "f8"),
        ("meta_rate", "f8"),  # negative: see mooe.numerics.hedge
    ],
    align=True,
)
COUNTERS = np.dtype(
    [
        ("n_features", "i8"),
        ("n_outputs", "i8"),
        ("n_classes", "i8"),
        ("n_labelled", "i8"),  # labels learnt since the start of the stream
        ("n_intervals", "i8"),  # closed so far
        ("n_offline", "i8"),
        ("t", "i8"),  # labels learnt in the open interval
        ("n_clipped", "i8"),  # regression targets outside the frozen bounds
        ("bounds_frozen", "i8"),
        ("low", "f8"),  # bounds of regression targets
        ("high", "f8"),
        ("meta_rate", "f8"),  # at the first label of the open interval
    ],
    align=True,
)
WARM, RESET, RANDOM = 0, 1, 2
SPARE = 8  # floats behind the scores, for those of experts that are not there


class Learnt(NamedTuple):
    """Names and shapes of what is learnt, with which the float block begins."""

    experts: np.ndarray  # (n_outputs, n_inputs, n_slots), lowest priority first
    counts: np.ndarray  # (n_features,) values seen of each input
    mean: np.ndarray  # (n_features,)
    squares: np.ndarray  # (n_features,) sums of squared deviations from the mean
    online: np.ndarray  # (n_outputs, n_inputs)
    fitted: np.ndarray  # (n_slots,) the interval each offline expert was fitted on
    multipliers: np.ndarray  # (n_outputs,) of the ball, in the last offline fit
    log_prior: np.ndarray  # (n_slots + 1,) offline experts, then the online one
    losses: np.ndarray  # (n_slots + 1,) in the open interval
    rows: np.ndarray  # (interval, n_inputs) the open interval
    labels: np.ndarray  # (interval,)
    row_weights: np.ndarray  # (interval,)


class Scratch(NamedTuple):
    """Names and shapes of the scratch of learning, behind it."""

    weights: np.ndarray  # (n_slots + 1,)
    scores: np.ndarray  # (n_outputs, n_slots)
    spare: np.ndarray  # (SPARE,)
    online_scores: np.ndarray  # (n_outputs,)
    targets: np.ndarray  # (n_outputs, interval)
    mixture: np.ndarray  # (n_outputs, n_inputs)
    online_before: np.ndarray  # (n_outputs, n_inputs)
    fit: np.ndarray  # (n_outputs, n_inputs)
    rest: np.ndarray  # of the offline fit, and of the order of experts


Block = namedtuple("Block", (*Learnt._fields, *Scratch._fields))  # type: ignore[misc]  # of all


class Desk(NamedTuple):
    """What is computed on the way to an answer, and not remembered."""

    seen: np.ndarray  # (n_inputs,) the row as the experts see it
    weights: np.ndarray  # (n_slots + 1,)
    scores: np.ndarray  # (n_outputs, n_slots)
    spare: np.ndarray  # (SPARE,)
    online_scores: np.ndarray  # (n_outputs,)


@shared
def _learnt(s, c):
    """Return the shapes of what is learnt."""
    d, o, k, b = c.n_features, c.n_outputs, s.n_slots, s.interval
    p = d + 1 if s.intercept else d
    experts = (o, p, k), (d,), (d,), (d,), (o, p), (k,), (o,), (k + 1,), (k + 1,)
    return (*experts, (b, p), (b,), (b,))


@shared
def _scratch(s, c, block):
    """Return the shapes of the scratch of learning."""
    d, o, k, b = c.n_features, c.n_outputs, s.n_slots, s.interval
    p = d + 1 if s.intercept else d
    _, n_fit = open_system(b, p, block)
    of_rows = (k + 1,), (o, k), (SPARE,), (o,), (o, b), (o, p), (o, p), (o, p)
    return (*of_rows, (max(n_fit, 2 * k),))


@shared
def open_block(s, c, block):
    """Return the views of a float block, and its length."""
    return take(Block, block, 0, _learnt(s, c) + _scratch(s, c, block))


@shared
def open_learnt(s, c, block):
    """Return the views of the learnt part of a block alone, and its length."""
    return take(Learnt, block, 0, _learnt(s, c))


@shared
def open_scratch(s, c, scratch):
    """Return the views of a scratch of learning that lies by itself, and its length."""
    return take(Scratch, scratch, 0, _scratch(s, c, scratch))


@shared
def joined(m, w):
    """Return the views of a learnt part and of a scratch as those of one block."""
    return Block(  # type: ignore[call-arg]
        m.experts,
        m.counts,
        m.mean,
        m.squares,
        m.online,
        m.fitted,
        m.multipliers,
        m.log_prior,
        m.losses,
        m.rows,
        m.labels,
        m.row_weights,
        w.weights,
        w.scores,
        w.spare,
        w.online_scores,
        w.targets,
        w.mixture,
        w.online_before,
        w.fit,
        w.rest,
    )


@shared
def open_desk(s, c, scratch):
    """Return the views of the scratch of an answer, and its length."""
    o, k = c.n_outputs, s.n_slots
    p = c.n_features + 1 if s.intercept else c.n_features
    return take(Desk, scratch, 0, ((p,), (k + 1,), (o, k), (SPARE,), (o,)))


LAYOUT = Layout(open_block, ("n_features", "n_outputs"), "max_experts")
settings_type = from_dtype(SETTINGS)[::1]
counters_type = from_dtype(COUNTERS)[::1]
