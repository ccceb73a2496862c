"""Rows of many keys through the paper's model, compiled: each is answered and learnt by its key.

As in `mooe.keyed.default_rows`; no shared model votes here. A slot holds what is learnt, and the
scratch of learning is one for all keys.
"""

from mooe.keyed.slots import (
    ADDRESS,
    AHEAD,
    BLOCK,
    CLASS,
    DONE,
    KIND,
    MOST,
    fetch_slot,
    place_of,
)
from mooe.numerics.addresses import floats_at, record_at
from mooe.numerics.arithmetic import matrix, vector, winner
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

longs = int64[::1]
facts = int64[:, ::1]

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
            if at + AHEAD < n_rows:
                fetch_slot(slots, numbers[rows[at + AHEAD]])
            slot = numbers[i]
            address, kind = slots[slot, ADDRESS], slots[slot, KIND]
            s, c = settings[kind], record_at(like, address)[0]
            label, weight = labels[i], weights[i]
            learnt = label == label and weight > 0.0
            classes = floats_at(address + like.itemsize, MOST)
            local = label
            if learnt and s.classify:
                local = place_of(classes, c.n_classes, label)
                if local < 0 and c.n_classes >= 2:
                    status[0], status[1] = CLASS, c.n_classes + 1
                    return at
            o, m = c.n_outputs, open_learnt(s, c, floats_at(address + slots[slot, BLOCK], MOST))[0]
            out, x = cut(desk, FIRST_SCORE, (1, o)), cut(X, i * d, (1, d))
            scratch = desk[next_line(FIRST_SCORE + o) :]
            is_new = s.classify and local < 0.0
            is_mute = s.classify and c.n_labelled == 0
            if not learnt or is_new:
                _predict(s, c, m, X[i], scratch, out[0])
            else:
                _learn(s, c, m, x, scratch, desk, local, weight, out)
            if not is_mute and not (again == 1 and at == first):
                if s.classify:
                    answers[i] = classes[winner(out[0])]
                else:
                    answers[i] = out[0, 0]
                for k in range(o if scores.shape[1] > 0 else 0):
                    scores[i, k] = out[0, k]
                for k in range(c.n_classes if scores.shape[1] > 0 else 0):
                    columns[i, k] = classes[k]
            if learnt and is_new:
                local = c.n_classes
                classes[c.n_classes] = label
                c.n_classes += 1
                _learn(s, c, m, x, scratch, desk, local, weight, out)
        return n_rows
