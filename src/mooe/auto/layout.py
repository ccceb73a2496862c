"""What compiled code reads and writes: a record of settings, one of counters, one block of floats.

`open_block` gives the block its names and shapes, and with them its length; `open_desk` does so for
the scratch of a call. Inputs, mixture and every kind of expert cut their own part.
"""

from typing import NamedTuple

import numpy as np

from mooe.auto import calibration, inputs, meta, roster, targets
from mooe.auto.roster import ROSTER
from mooe.numerics.blocks import Layout
from mooe.numerics.compiled import shared
from mooe.numerics.compiler import from_dtype

SETTINGS = np.dtype(
    [
        ("interval", "i8"),
        ("n_slots", "i8"),  # concepts kept at most, rounded up to whole lanes
        ("max_concepts", "i8"),
        ("classify", "?"),
        # Parts that can be left out: an expert is then without a share in the mixture.
        *((name, "?") for name in ROSTER),
        ("early_switch", "?"),
        ("merge", "?"),
        ("hedge", "?"),
        ("gradient", "?"),
        ("calibration", "?"),
        ("sparse_share", "f8"),  # a column with a larger share of zeros is not centred
        ("seed", "i8"),
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
        ("n_groups", "i8"),  # nominal columns that narrow inputs are indicators of
        ("shown", "i8"),  # whose concepts users see: 0 the plain memory's, 1 the rich one's
        ("leaf_room", "i8"),  # leaves of trees that there is room for, 0 where there is no forest
        ("leaves_used", "i8"),  # of these the first, so many
        ("leaves_free", "i8"),  # given back among them
        ("ring_room", "i8"),  # blocks of rows that there is room for, 0 where there are none
        ("ring_rows", "i8"),  # put into them
        ("copy_room", "i8"),  # copies of the forest that there is room for
        ("copies", "i8"),  # places of them in use
        ("until_copy", "i8"),  # rows until the next one, 0 where there are none
        ("trial_left", "i8"),  # rows left of a trial of copies, 0 for none
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
settings_type = from_dtype(SETTINGS)[::1]
counters_type = from_dtype(COUNTERS)[::1]


class Block(NamedTuple):
    """Names and shapes of the float block."""

    inputs: inputs.Inputs
    targets: targets.Targets
    mixture: meta.Mixture
    calibration: calibration.Calibration
    experts: roster.Experts


class _Desk(NamedTuple):
    """What is computed on the way and not remembered."""

    seen: inputs.Seen
    mixture: meta.Scratch
    experts: roster.Scratch
    calibration: calibration.Scratch


@shared
def open_block(s, c, block):
    """Return the views of a float block, and its length."""
    of_inputs, at = inputs.open_arrays(c, block, 0)
    of_targets, at = targets.open_arrays(s, c, block, at)
    mixture, at = meta.open_arrays(c, block, at)
    of_scores, at = calibration.open_arrays(s, c, block, at)
    experts, at = roster.open_arrays(s, c, block, at)
    return Block(of_inputs, of_targets, mixture, of_scores, experts), at


@shared
def open_desk(s, c, scratch):
    """Return the views of a block of scratch, and its length."""
    seen, at = inputs.open_seen(c, scratch, 0)
    mixture, at = meta.open_scratch(c, scratch, at)
    experts, at = roster.open_scratch(s, c, scratch, at)
    of_scores, at = calibration.open_scratch(c, scratch, at)
    return _Desk(seen, mixture, experts, of_scores), at


SIZES = (
    *("n_features", "n_outputs", "n_fourier", "n_pairs", "n_added", "narrow"),
    *("leaf_room", "ring_room", "copy_room"),
)
LAYOUT = Layout(open_block, SIZES, "max_concepts")
