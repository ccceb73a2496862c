"""The compiled functions of paper mode that Python calls: start, check, predict, learn, recharge.

Each is compiled for one signature when this module is imported, or read from the cache.
"""

import numpy as np

from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import announced, compiled, forced
from mooe.numerics.compiler import int64, types, void
from mooe.numerics.features import LARGEST_INPUT, are_usable
from mooe.numerics.hedge import fill_log_prior, weigh
from mooe.paper import row
from mooe.paper.interval import begin_interval, close_interval
from mooe.paper.layout import counters_type, open_block, open_desk, settings_type


@forced
def learn_rows(s, c, m, X, labels, row_weights, first, out):
    """In place: as `learn`, of a block whose views are m."""
    while first < X.shape[0]:
        end = row.see_rows(s, c, m, X, labels, row_weights, first)
        if end == first:
            return -1 - first
        row.learn_rows(s, c, c.n_offline, m, labels, row_weights, first, end, out)
        if c.t == s.interval:
            close_interval(s, c, m)
        first = end
    return 0


with announced(__name__, "the kernels (10 to 20 s)"):

    @compiled(void(settings_type, counters_type, vector))
    def start(settings, counters, block):
        """In place: begin the first interval of an empty state."""
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        fill_log_prior(m.log_prior, c.n_offline)
        begin_interval(s, c, m.losses, m.online)

    @compiled(types.UniTuple(int64, 2)(settings_type, matrix))
    def check(settings, X):
        """Return (row, column) of the first unusable value, (row, -1) for a row that is too long.

        (-1, -1) where all is well.
        """
        s = settings[0]
        if s.scale and are_usable(X):
            return -1, -1
        for i in range(X.shape[0]):
            square = 0.0
            for j in range(X.shape[1]):
                value = X[i, j]
                if abs(value) > LARGEST_INPUT:
                    return i, j
                square += value * value if value == value else 0.0
            if not s.scale and np.sqrt(square) > s.input_bound * (1.0 + 1e-12):
                return i, -1
        return -1, -1

    @compiled(void(settings_type, counters_type, vector))
    def recharge(settings, counters, block):
        """In place: the offline experts' losses over the open interval, from its rows."""
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        for k in range(c.n_offline):
            m.losses[k] = 0.0
        for i in range(c.t):
            scale = m.row_weights[i] / (c.n_outputs * s.range)
            for o in range(c.n_outputs):
                row.score_experts(m.experts[o], m.rows[i], c.n_offline, m.scores[o])
                target = row.target_of(s, c, m.labels[i], o)
                row.charge(s, m.scores[o], target, scale, c.n_offline, m.losses)

    @compiled(void(settings_type, counters_type, vector, matrix, vector, matrix))
    def predict(settings, counters, block, X, scratch, out):
        """In place: out = the mixture's scores of X; the state is only read."""
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        w, _ = open_desk(s, c, scratch)
        n = c.n_offline
        total = weigh(m.log_prior, m.losses, n, row.current_rate(s, c), w.weights)
        for i in range(X.shape[0]):
            row.see(s, X[i], m.counts, m.mean, m.squares, False, w.seen)
            row.score(c, n, w.seen, m, w, total, out[i])
            row.answer(s, c, out[i])

    @compiled(int64(settings_type, counters_type, vector, matrix, vector, vector, int64, matrix))
    def learn(settings, counters, block, X, labels, row_weights, first, out):
        """In place: predict each row from `first` on into out, then learn it if it has a label.

        A label that is NaN and a weight of 0 mean: predict only. A row that fills the interval
        closes it. Returns early before a class not met yet, with -1 - its row; 0 when all rows
        are done.
        """
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        return learn_rows(s, c, m, X, labels, row_weights, first, out)
