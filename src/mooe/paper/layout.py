"""What compiled code reads and writes: a record of settings, one of counters, one block of floats.

`open_block` gives the block its names and shapes. A call from Python passes few arrays, because
each one costs as much as a small expert.
"""

from typing import NamedTuple

import numpy as np
from numba import from_dtype

from mooe.numerics.blocks import cut
from mooe.numerics.compiled import forced

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
SPARE = 8  # floats behind the scores, for what is computed beside them


class Block(NamedTuple):
    """Names and shapes of the float block; what follows `row_weights` is scratch."""

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
    weights: np.ndarray  # (n_slots + 1,) from here on scratch
    scores: np.ndarray  # (n_outputs, n_slots)
    online_scores: np.ndarray  # (n_outputs,)
    targets: np.ndarray  # (n_outputs, interval)
    mixture: np.ndarray  # (n_outputs, n_inputs)
    online_before: np.ndarray  # (n_outputs, n_inputs)
    fit: np.ndarray  # (n_outputs, n_inputs)
    rest: np.ndarray  # scratch of the offline fit


@forced
def open_block(s, c, block):
    """Return the views of a float block."""
    d, o, k, b = c.n_features, c.n_outputs, s.n_slots, s.interval
    p = d + 1 if s.intercept else d
    at = 0
    experts = cut(block, at, (o, p, k))
    at += o * p * k
    counts = cut(block, at, (d,))
    at += d
    mean = cut(block, at, (d,))
    at += d
    squares = cut(block, at, (d,))
    at += d
    online = cut(block, at, (o, p))
    at += o * p
    fitted = cut(block, at, (k,))
    at += k
    multipliers = cut(block, at, (o,))
    at += o
    log_prior = cut(block, at, (k + 1,))
    at += k + 1
    losses = cut(block, at, (k + 1,))
    at += k + 1
    rows = cut(block, at, (b, p))
    at += b * p
    labels = cut(block, at, (b,))
    at += b
    row_weights = cut(block, at, (b,))
    at += b
    weights = cut(block, at, (k + 1,))
    at += k + 1
    scores = cut(block, at, (o, k))
    at += o * k + SPARE
    online_scores = cut(block, at, (o,))
    at += o
    targets = cut(block, at, (o, b))
    at += o * b
    mixture = cut(block, at, (o, p))
    at += o * p
    online_before = cut(block, at, (o, p))
    at += o * p
    fit = cut(block, at, (o, p))
    at += o * p
    rest = cut(block, at, (block.shape[0] - at,))
    return Block(
        experts,
        counts,
        mean,
        squares,
        online,
        fitted,
        multipliers,
        log_prior,
        losses,
        rows,
        labels,
        row_weights,
        weights,
        scores,
        online_scores,
        targets,
        mixture,
        online_before,
        fit,
        rest,
    )


settings_type = from_dtype(SETTINGS)[::1]
counters_type = from_dtype(COUNTERS)[::1]
