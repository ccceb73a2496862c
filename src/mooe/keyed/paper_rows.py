"""Rows of many keys through the paper's model, compiled: each is answered and learnt by its key.

As in `mooe.keyed.default_rows`; no shared model votes here. A slot holds what is learnt, and the
scratch of learning is one for all keys.
"""

import numpy as np

from mooe.keyed.slots import (
    ADDRESS,
    BLOCK,
    CLASS,
    DONE,
    KIND,
    MOST,
    NEW,
    NO_ROOM,
    facts,
    fetch_slot,
    longs,
    meet_class,
    place_of,
    write_class,
)
from mooe.numerics.addresses import floats_at, record_at
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.blocks import cut, next_line
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import int64
from mooe.numerics.hedge import weigh
from mooe.paper import row
from mooe.paper.kernel import learn_rows
from mooe.paper.layout import (
    counters_type,
    joined,
    open_desk,
    open_learnt,
    open_scratch,
    settings_type,
)

LABEL, WEIGHT, FIRST_SCORE = 0, 1, 8  # places on a desk


@part
def _predict(s, c, m, x, scratch, out):
    """In place: out = the scores of a row; nothing is learnt."""
    w, _ = open_desk(s, c, scratch)
    total = weigh(m.log_prior, m.losses, c.n_offline, row.current_rate(s, c), w.weights)
    row.see(s, x, m.counts, m.mean, m.squares, False, w.seen)
    row.score(c, c.n_offline, w.seen, m, w, total, out)
    row.answer(s, c, out)


@part
def _learn(s, c, m, x, scratch, desk, label, weight, out):
    """In place: out = the scores of a row, which is learnt."""
    w, _ = open_scratch(s, c, scratch)
    desk[LABEL], desk[WEIGHT] = label, weight
    one = cut(desk, LABEL, (1,)), cut(desk, WEIGHT, (1,))
    learn_rows(s, c, joined(m, w), x, *one, 0, out)


with announced(__name__, "the paper's model over many keys (10 s)"):

    @compiled(
        int64(
            *(settings_type, counters_type, facts, longs, longs),
            *(matrix, vector, vector),
            *(vector, int64, int64),
            *(vector, matrix, matrix, longs),
        )
    )
    def learn(
        settings,
        like,
        slots,
        numbers,
        rows,
        X,
        labels,
        weights,
        desk,
        first,
        again,
        answers,
        scores,
        columns,
        status,
    ):
        """In place: answer the rows from the first on, and learn those that have a label.

        Parameters and what it returns are those of `default_rows.learn`.
        """
        d, n_rows = X.shape[1], rows.shape[0]
        status[0] = DONE
        for at in range(first, n_rows):
            i = rows[at]
            fetch_slot(slots, numbers, rows, at)
            slot = numbers[i]
            address, kind = slots[slot, ADDRESS], slots[slot, KIND]
            s, c = settings[kind], record_at(like, address)[0]
            weight = weights[i]
            label = labels[i] if weight > 0.0 else np.nan
            classes = floats_at(address + like.itemsize, MOST)
            place = place_of(s, c, classes, label)
            if place == NO_ROOM and s.classify:
                status[0] = CLASS
                return at
            o, m = c.n_outputs, open_learnt(s, c, floats_at(address + slots[slot, BLOCK], MOST))[0]
            out, x = cut(desk, FIRST_SCORE, (1, o)), cut(X, i * d, (1, d))
            scratch = desk[next_line(FIRST_SCORE + o) :]
            is_new = s.classify and place == NEW
            is_mute = s.classify and c.n_labelled == 0
            if label != label or is_new:
                _predict(s, c, m, X[i], scratch, out[0])
            else:
                _learn(s, c, m, x, scratch, desk, place, weight, out)
            if not is_mute and not (again == 1 and at == first):
                if s.classify:
                    write_class(c, classes, out[0], answers, scores, columns, i)
                else:
                    answers[i] = out[0, 0]
            if is_new:
                place = meet_class(c, classes, label)
                _learn(s, c, m, x, scratch, desk, place, weight, out)
        return n_rows
