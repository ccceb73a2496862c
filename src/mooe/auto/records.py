"""What compiled code reads and writes: a record of settings, one of counters, arrays by name.

The weights of linear scorers over the same inputs lie side by side, so that one pass over a row
scores them all: lane k < n_slots is the frozen concept k, and the last four lanes learn from every
row (LIVE, FRESH, ADAGRAD, PASSIVE). The frozen and the busy are two arrays: every row changes the
busy ones, which stay in the processor's cache if they lie close together.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype

__all__ = [
    "ADAGRAD",
    "BORN",
    "BUSY",
    "COMPARED",
    "COUNTERS",
    "EXPERTS",
    "FRESH",
    "IN_CHARGE",
    "LAST",
    "LIVE",
    "LIVE_LOSS",
    "NAME",
    "N_CLOSED",
    "N_CONCEPTS",
    "N_FACTS",
    "N_MADE",
    "N_NAMED",
    "N_NORMS",
    "N_STATUS",
    "N_SWITCHED",
    "N_VISITS",
    "PASSIVE",
    "RECOGNISED",
    "SAMPLES",
    "SETTINGS",
    "TOGETHER",
    "VISITS",
    "WORSE",
    "Block",
    "Desk",
    "Inputs",
    "Memory",
    "Scorers",
    "Squares",
    "T",
    "counters_type",
    "settings_type",
]

SETTINGS = np.dtype(
    [
        ("interval", "i8"),
        ("n_slots", "i8"),  # concepts kept at most, rounded up to whole lanes
        ("max_concepts", "i8"),
        ("classify", "?"),
        # parts that can be left out; the other experts are without a share in the mixture then
        ("squares_slow", "?"),
        ("squares_fast", "?"),
        ("memory_plain", "?"),
        ("memory_rich", "?"),
        ("early_switch", "?"),
        ("merge", "?"),
        ("hedge", "?"),
        ("gradient", "?"),
        ("sparse_share", "f8"),  # a column with a larger share of zeros is not centred
    ],
    align=True,
)
COUNTERS = np.dtype(
    [
        ("n_features", "i8"),
        ("n_outputs", "i8"),
        ("n_classes", "i8"),
        ("n_labelled", "i8"),
        ("n_seen", "i8"),  # labelled rows that the statistics of inputs have seen
        ("n_fourier", "i8"),  # random features, 0 for wide inputs
        ("n_pairs", "i8"),  # products of two inputs
        ("n_added", "i8"),  # experts that the user added
        ("n_dense", "i8"),  # wide inputs: columns that are not sparse
        ("narrow", "i8"),  # whether there are rich inputs
        ("shown", "i8"),  # whose concepts users see: 0 the plain memory's, 1 the rich one's
        ("last", "f8"),  # the last label
        ("plain_norm", "f8"),  # mean of the squared norms
        ("rich_norm", "f8"),
        ("target_mean", "f8"),  # regression: of the labels so far
        ("target_squares", "f8"),
        ("target_least", "f8"),
        ("target_most", "f8"),
        ("target_unit", "f8"),  # standard deviation, 1 while there is none
        ("low", "f8"),  # least and most in this unit, around the mean
        ("high", "f8"),
        ("error", "f8"),  # regression: mean squared error of late, in this unit
    ],
    align=True,
)
LIVE, FRESH, ADAGRAD, PASSIVE = 0, 1, 2, 3  # places among the last four lanes
BUSY = 4
TOGETHER = 4  # rows that are seen and scored by the frozen concepts at once
N_NORMS = 4  # of a row: squared norms of plain and rich inputs, then their step sizes

# The experts of the mixture, in this order; experts that the user added follow.
EXPERTS = (
    "passive_plain",
    "passive_rich",
    "adagrad",
    "squares_slow",
    "squares_fast",
    "no_change",
    "memory_plain",
    "memory_rich",
    "steady",
    "usual",
)

# The whole numbers of a memory, kept as floats beside its arrays.
N_CONCEPTS, IN_CHARGE, T, N_MADE, N_SWITCHED, N_CLOSED, N_NAMED, LIVE_LOSS = range(8)
N_STATUS = 8

# What is known of a concept: rows of an array with a column per concept. Rows of the stream are
# counted by their labels; a name is 1 + its number among the named, 0 before it has one.
BORN, LAST, SAMPLES, RECOGNISED, NAME, N_VISITS, WORSE, COMPARED = range(8)
N_FACTS = 8
VISITS = 16  # stretches in charge that are kept of each concept


class Scorers(NamedTuple):
    """Linear scorers side by side."""

    weights: Any  # (n_outputs, n_inputs, how many)
    sums: Any  # (n_outputs, n_inputs, how many) of squared gradients


class Memory(NamedTuple):
    """Linear scorers over the same inputs: the concepts, and the learners that never rest."""

    frozen: Scorers  # n_slots
    busy: Scorers  # BUSY
    facts: Any  # (N_FACTS, n_slots)
    visits: Any  # (n_slots, VISITS, 2) first and last row of each stretch in charge, a ring
    status: Any  # (N_STATUS,): see N_CONCEPTS and what follows it
    gains: Any  # (n_lanes,) evidence for each concept against the one in charge
    since: Any  # (n_lanes,) the row of the open interval from which on it counts
    losses: Any  # (interval, n_lanes) in the open interval
    rows: Any  # (interval, n_inputs)
    places: Any  # (interval, n_inputs) wide inputs: the columns of the values in rows
    lengths: Any  # (interval,) of the rows
    labels: Any  # (interval,)
    row_weights: Any  # (interval,)


class Squares(NamedTuple):
    """Recursive least squares that forgets."""

    weights: Any  # (n_outputs, n_inputs)
    inverse: Any  # (n_inputs, n_inputs), its lower triangle; lacks the last row's update
    gain: Any  # (n_inputs,) of the last row
    pending: Any  # (2,) what the last row does to the inverse: times [0], minus [1] gain gain'


class Inputs(NamedTuple):
    """What is known of the columns, and what rich inputs are made of."""

    counts: Any  # (d,) values seen of each input
    mean: Any  # (d,)
    squares: Any  # (d,) sums of squared deviations
    zeros: Any  # (d,) how often it was 0
    touched: Any  # (d,) wide inputs: n_seen when the column was last looked at
    dense: Any  # (d,) wide inputs: the columns that are not sparse, n_dense of them
    place: Any  # (d,) wide inputs: 1 + place in dense, 0 for none
    frequencies: Any  # (d, n_fourier) in turns
    phases: Any  # (n_fourier,) in turns
    pairs: Any  # (n_pairs, 2)


class Block(NamedTuple):
    """Names and shapes of the float block."""

    inputs: Inputs
    shares: Any  # (n_experts,) by Hedge
    tuned: Any  # (n_experts,) by exponentiated gradient
    usual: Any  # (n_outputs,) mean of the targets of late; regression: of the labels
    plain: Memory
    rich: Memory
    fast: Squares
    slow: Squares


class Desk(NamedTuple):
    """What is computed on the way and not remembered."""

    votes: Any  # (n_outputs, n_experts)
    seen: Any  # (TOGETHER, n_inputs)
    columns: Any  # (TOGETHER, d + 1) wide inputs: the columns of the values in seen
    length: Any  # (TOGETHER,) wide inputs: how many
    norms: Any  # (TOGETHER, N_NORMS)
    plain: Any  # (TOGETHER, n_outputs, n_lanes) scores
    rich: Any  # (TOGETHER, n_outputs, n_lanes)
    gain: Any  # (n_inputs,) of the least squares
    losses: Any  # (n_experts,) of a row
    targets: Any  # (n_outputs,)
    own: Any  # (n_outputs,) the mixture of exponentiated gradient
    slow: Any  # (n_outputs,) scores of the least squares
    fast: Any  # (n_outputs,)
    answered: Any  # (1 + d,) narrow inputs: n_labelled + 1 at the last single row, and that row


settings_type = from_dtype(SETTINGS)[::1]
counters_type = from_dtype(COUNTERS)[::1]
