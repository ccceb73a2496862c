"""The kernel for samples that come one by one: few arguments, and no look at their types.

A call from Python costs more than a small sample, most of it for the arguments. So all buffers of a
row are one array, the desk: inputs, label, weight, the last known label, scores, scratch.
"""

from mooe.numerics.arithmetic import vector, winner
from mooe.numerics.blocks import REFUSED, UNKNOWN, cut
from mooe.numerics.compiled import announced, compiled, direct, part
from mooe.numerics.compiler import int64
from mooe.paper import kernel
from mooe.paper.layout import counters_type, settings_type


@part
def _is_bad(settings, X, n_absent):
    """Whether an input is unusable, or there are more or fewer NaN than absent features."""
    n_nan = 0
    for j in range(X.shape[1]):
        n_nan += X[0, j] != X[0, j]
    return n_nan != n_absent or kernel.check(settings, X)[0] >= 0


with announced(__name__, "the kernels for single rows (a few seconds)"):

    @compiled(int64(settings_type, counters_type, vector, vector, int64))
    def _predict_row(settings, counters, block, desk, n_absent):
        """In place: score the row on the desk; return the winning class, or REFUSED."""
        d, o = counters[0].n_features, counters[0].n_outputs
        X, out = cut(desk, 0, (1, d)), cut(desk, d + 3, (1, o))
        if _is_bad(settings, X, n_absent):
            return REFUSED
        kernel.predict(settings, counters, block, X, desk[d + 3 + o :], out)
        return winner(out[0])

    @compiled(int64(settings_type, counters_type, vector, vector, int64))
    def _learn_row(settings, counters, block, desk, n_absent):
        """In place: learn the row on the desk, close a full interval; return 0 or what is wrong."""
        d, o = counters[0].n_features, counters[0].n_outputs
        X, out = cut(desk, 0, (1, d)), cut(desk, d + 3, (1, o))
        if _is_bad(settings, X, n_absent):
            return REFUSED
        label, weight = desk[d : d + 1], desk[d + 1 : d + 2]
        stop = kernel.learn(settings, counters, block, X, label, weight, 0, out)
        return UNKNOWN if stop < 0 else 0


predict, learn = direct(_predict_row), direct(_learn_row)
