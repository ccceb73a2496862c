"""The default model for samples that come one by one: few arguments, no look at their types.

All buffers of a row are one array, the desk: inputs, label, weight, the last known label, scores,
two numbers to spare; then, for wide inputs, columns and twice the room for what is not 0; scratch.
"""

from mooe.auto import kernel, roster
from mooe.auto.layout import counters_type, settings_type
from mooe.numerics.arithmetic import vector, winner
from mooe.numerics.blocks import FULL, REFUSED, UNKNOWN, cut
from mooe.numerics.compiled import announced, compiled, direct, part
from mooe.numerics.compiler import int64
from mooe.numerics.features import LARGEST_INPUT


@part
def _is_bad(x):
    """Whether an input is unusable; NaN is absent."""
    bad = False
    for j in range(x.shape[0]):
        bad = bad or abs(x[j]) > LARGEST_INPUT
    return bad


@part
def _keep_values(given, places, n, values, columns):
    """In place: values and columns = the n given ones that are not 0; return how many there are."""
    k = 0
    for i in range(n):
        if given[i] != 0.0:
            values[k], columns[k] = given[i], places[i]
            k += 1
    return k


with announced(__name__, "the default model for single rows (a few seconds)"):

    @compiled(int64(settings_type, counters_type, vector, vector, int64))
    def _take_row(settings, counters, block, desk, n):
        """In place: score the row on the desk, and learn it if its label is not NaN.

        Of wide inputs the desk holds n values, in ascending columns; of narrow ones n, how many are
        absent, does not matter. Returns the winning class, or what is wrong, see `blocks`.
        """
        s, c = settings[0], counters[0]
        d, o = c.n_features, c.n_outputs
        at = d + 3 + o
        width = d if c.narrow else 0
        if _is_bad(desk[: d if c.narrow else n]):
            return REFUSED
        begins, w = cut(desk, at, (2,)), d - width
        values, columns = cut(desk, at + 2 + w, (w,)), cut(desk, at + 2 + 2 * w, (w,))
        begins[0], begins[1] = 0.0, 0.0
        if width == 0:
            begins[1] = _keep_values(desk, cut(desk, at + 2, (w,)), n, values, columns)
        state = settings, counters, block, desk[at + 2 + 3 * w :]
        row = cut(desk, 0, (1, width)), values, columns, begins, cut(desk, at, (1, 0))
        label = cut(desk, d, (1,)), cut(desk, d + 1, (1,)), cut(desk, d + 2, (1,))
        stop = kernel.learn(*state, *row, *label, 0, cut(desk, d + 3, (1, o)))
        if stop < 0:
            return UNKNOWN
        if not roster.has_room_of_one(s, c):
            return FULL
        return winner(cut(desk, d + 3, (o,)))


predict = learn = direct(_take_row)  # the label on the desk says which
