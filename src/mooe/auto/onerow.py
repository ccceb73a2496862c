"""The default model for samples that come one by one: few arguments, no look at their types.

As `mooe.paper.onerow`, by the same names, for narrow inputs: all buffers of a row are one array,
the desk: inputs, label, weight, scores, scratch.
"""

import numpy as np
from numba import int64

from mooe.auto import kernel
from mooe.auto.layout import counters_type, settings_type
from mooe.numerics.arithmetic import vector, winner
from mooe.numerics.blocks import REFUSED, UNKNOWN, cut
from mooe.numerics.compiled import announced, compiled, direct, part
from mooe.numerics.features import LARGEST_INPUT

__all__ = ["learn", "predict"]


@part
def is_bad(x):
    """Whether an input is unusable; NaN is absent."""
    bad = False
    for j in range(x.shape[0]):
        bad = bad or abs(x[j]) > LARGEST_INPUT
    return bad


with announced(__name__, "the default model for single rows (a few seconds)"):

    @compiled(int64(settings_type, counters_type, vector, vector, int64))
    def take_row(settings, counters, block, desk, n_absent):
        """In place: score the row on the desk, and learn it if its label is not NaN.

        How many features are absent does not matter here. Returns the winning class, or what is
        wrong.
        """
        d, o = counters[0].n_features, counters[0].n_outputs
        if is_bad(desk[:d]):
            return REFUSED
        X, out = cut(desk, 0, (1, d)), cut(desk, d + 2, (1, o))
        label, weight = cut(desk, d, (1,)), cut(desk, d + 1, (1,))
        at = d + 2 + o
        none, known, begins = cut(desk, at, (0,)), cut(desk, at, (1,)), cut(desk, at + 1, (2,))
        known[0], begins[0], begins[1] = np.nan, 0.0, 0.0
        stop = kernel.learn(
            settings,
            counters,
            block,
            desk[at + 3 :],
            X,
            none,
            none,
            begins,
            cut(desk, at, (1, 0)),
            label,
            weight,
            known,
            0,
            out,
        )
        if stop < 0:
            return UNKNOWN
        return winner(out[0])


predict = learn = direct(take_row)  # the label on the desk says which
