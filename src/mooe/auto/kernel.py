"""The default model, top to bottom, compiled: a row is seen, scored, mixed; its label is learnt."""

import numpy as np
from numba import int64

from mooe.auto.inputs import see_narrow, see_wide
from mooe.auto.layout import open_block, open_desk, sizes
from mooe.auto.least_squares import CALM_EVERY, FAST, SLOW, calm, follow
from mooe.auto.memory import remember
from mooe.auto.meta import mix, reweight
from mooe.auto.naming import show
from mooe.auto.records import (
    ADAGRAD,
    EXPERTS,
    LIVE,
    N_CONCEPTS,
    PASSIVE,
    TOGETHER,
    T,
    counters_type,
    settings_type,
)
from mooe.auto.scorers import (
    ONLINE_RATE,
    STEADY_RATE,
    learn_row,
    score_busy,
    score_concepts,
    score_four,
)
from mooe.auto.targets import answer, bounded, in_unit, meet_target, repeat, set_targets, tamed
from mooe.numerics.arithmetic import dot, matrix, vector
from mooe.numerics.compiled import announced, compiled, part

__all__ = ["learn"]

USUAL_OVER = 0.01  # regression: weight of a row in the mean of squared errors
# Places of the votes.
PLAIN_PA, RICH_PA, RICH_ADAGRAD, SLOWLY, QUICKLY = range(5)
AGAIN, PLAIN_MEMORY, RICH_MEMORY, STEADY, USUAL = range(5, len(EXPERTS))
OF_LATE = 1000  # labels whose mean the usual one is


@part
def see(s, c, m, desk, r, x, values, places, first, end, learn, again):
    """In place: row r of the desk = a row as the experts see it, with its norms and step sizes."""
    z, _, q = sizes(c)
    out = desk.seen[r]
    if c.narrow:
        see_narrow(s, c, m, x, learn, again, out)
        n = z
    else:
        n = see_wide(s, c, m, values, places, first, end, learn, out, desk.columns[r])
        desk.length[r] = n
    if not again:
        desk.norms[r, 0] = dot(out, out, n)
        desk.norms[r, 1] = dot(out, out, q) if c.narrow else desk.norms[r, 0]
    if learn:
        plain, rich = desk.norms[r, 0], desk.norms[r, 1]
        c.n_seen += 1
        c.plain_norm += (plain - c.plain_norm) / c.n_seen
        c.rich_norm += (rich - c.rich_norm) / c.n_seen
        desk.norms[r, 2], desk.norms[r, 3] = 1.0 / np.sqrt(c.plain_norm), 1.0 / np.sqrt(c.rich_norm)


@part
def score_frozen(s, c, m, desk, n_rows):
    """In place: the scores of the frozen concepts for the rows on the desk."""
    z, _, q = sizes(c)
    plain, rich = int(m.plain.status[N_CONCEPTS]), int(m.rich.status[N_CONCEPTS])
    listed = c.narrow == 0  # a constant here would compile all that takes it once more
    for o in range(c.n_outputs):
        if n_rows == TOGETHER and c.narrow:
            score_four(m.plain.frozen.weights[o], desk.seen, z, plain, desk.plain, o)
            score_four(m.rich.frozen.weights[o], desk.seen, q, rich, desk.rich, o)
            continue
        for r in range(n_rows):
            x, out = desk.seen[r], desk.plain[r, o]
            n = int(desk.length[r]) if listed else z
            columns = desk.columns[r] if listed else x
            score_concepts(m.plain.frozen.weights[o], x, columns, n, listed, plain, out)
            if c.narrow:
                score_concepts(m.rich.frozen.weights[o], x, x, q, listed, rich, desk.rich[r, o])


@part
def vote(s, c, m, desk, r, last, added):
    """In place: the votes of all experts on row r of the desk."""
    z, short, q = sizes(c)
    x, busy, listed = desk.seen[r], s.n_slots, c.narrow == 0
    n = int(desk.length[r]) if listed else z
    columns = desk.columns[r] if listed else x
    for o in range(c.n_outputs):
        votes, plain, rich = desk.votes[o], desk.plain[r, o], desk.rich[r, o]
        score_busy(m.plain.busy.weights[o], x, columns, n, listed, plain)
        if c.narrow:
            score_busy(m.rich.busy.weights[o], x, x, q, listed, rich)
            desk.slow[o] = dot(m.slow.weights[o], x, short) if s.squares_slow else 0.0
            desk.fast[o] = dot(m.fast.weights[o], x, z) if s.squares_fast else 0.0
            votes[RICH_PA] = bounded(s, c, rich[busy + PASSIVE])
            votes[RICH_ADAGRAD] = bounded(s, c, rich[busy + ADAGRAD])
            votes[SLOWLY] = bounded(s, c, desk.slow[o])
            votes[QUICKLY] = bounded(s, c, desk.fast[o])
            votes[RICH_MEMORY] = bounded(s, c, rich[busy + LIVE])
            votes[STEADY] = bounded(s, c, plain[busy + ADAGRAD])
        else:
            votes[RICH_ADAGRAD] = bounded(s, c, plain[busy + ADAGRAD])
            votes[RICH_PA] = votes[SLOWLY] = votes[QUICKLY] = votes[RICH_MEMORY] = 0.0
            votes[STEADY] = 0.0
        votes[PLAIN_PA] = bounded(s, c, plain[busy + PASSIVE])
        votes[AGAIN] = repeat(s, c, last, o)
        votes[PLAIN_MEMORY] = bounded(s, c, plain[busy + LIVE])
        votes[USUAL] = bounded(s, c, in_unit(s, c, m.usual[o]))
        for k in range(votes.shape[0] - len(EXPERTS)):
            votes[len(EXPERTS) + k] = 0.0
            if k < c.n_added:
                votes[len(EXPERTS) + k] = bounded(s, c, in_unit(s, c, added[k * c.n_outputs + o]))


@part
def learn_label(s, c, m, desk, r, label, weight, mixed):
    """In place: the label of row r: weights, online experts, memories."""
    z, short, q = sizes(c)
    x, norms = desk.seen[r], desk.norms[r]
    given = label
    if not s.classify:
        label = tamed(c, label)
        meet_target(c, label)
    set_targets(s, c, label, desk.targets)
    if not s.classify:
        error = max(c.low, min(c.high, mixed)) - desk.targets[0]
        usual = max(USUAL_OVER, 1.0 / (c.n_labelled + 1.0))
        c.error = max(1e-12, c.error + usual * (error * error - c.error))
    reweight(s, c, m, desk.votes, desk.own, desk.targets, label, weight, desk.losses)
    n = z if c.narrow else int(desk.length[r])
    columns = x if c.narrow else desk.columns[r]
    teach(s, c, m, desk, r, x, columns, n, label, weight)
    c.n_labelled += 1
    c.last = given
    if c.narrow and c.n_labelled % CALM_EVERY == 0:
        calm(m.slow, short)
        calm(m.fast, z)
    listed = c.narrow == 0
    plain, rich = desk.plain[r], desk.rich[r]
    if s.memory_plain:
        remember(s, c, m.plain, x, columns, n, listed, label, weight, norms[2], plain, desk.targets)
    if c.narrow and s.memory_rich:
        set_targets(s, c, label, desk.targets)
        remember(s, c, m.rich, x, x, q, listed, label, weight, norms[3], rich, desk.targets)
    show(s, c, m)


@part
def teach(s, c, m, desk, r, x, columns, n, label, weight):
    """In place: the learners that never rest learn row r of the desk, by its targets."""
    z, short, q = sizes(c)
    norms, listed = desk.norms[r], c.narrow == 0
    online = STEADY_RATE if c.narrow else ONLINE_RATE
    seen = c.n_labelled + (2.0 if s.classify else 1.0)  # classes begin as equally likely
    recent = min(1.0, weight * max(1.0 / OF_LATE, 1.0 / seen))
    for o in range(c.n_outputs):
        learn_row(
            s,
            m.plain.busy.weights[o],
            m.plain.busy.sums[o],
            x,
            columns,
            n,
            listed,
            desk.plain[r, o],
            desk.targets[o],
            norms[0],
            norms[2],
            weight,
            online,
        )
        target = desk.targets[o] if s.classify else label
        m.usual[o] += recent * (target - m.usual[o])
        if c.narrow:
            learn_row(
                s,
                m.rich.busy.weights[o],
                m.rich.busy.sums[o],
                x,
                x,
                q,
                listed,
                desk.rich[r, o],
                desk.targets[o],
                norms[1],
                norms[3],
                weight,
                ONLINE_RATE,
            )
    if c.narrow and s.squares_slow:
        follow(m.slow, x, short, desk.targets, desk.slow, SLOW, weight, desk.gain)
    if c.narrow and s.squares_fast:
        follow(m.fast, x, z, desk.targets, desk.fast, FAST, weight, desk.gain)


@part
def is_answered(c, desk, X, known):
    """Whether X is a single row that was answered a moment ago: its scores are on the desk."""
    if c.narrow == 0 or X.shape[0] != 1 or desk.answered[0] != c.n_labelled + 1:
        return False
    if known[0] == known[0] and known[0] != c.last:  # another label was the last known one then
        return False
    same = True
    for j in range(X.shape[1]):
        same = same and X[0, j] == desk.answered[1 + j]
    return same


@part
def note_answered(c, desk, X):
    """In place: the single row that was answered, for the label that may come next."""
    if c.narrow and X.shape[0] == 1:
        desk.answered[0] = c.n_labelled + 1
        for j in range(X.shape[1]):
            desk.answered[1 + j] = X[0, j]


@part
def is_new(s, c, label, weight):
    """Whether a label is to be learnt whose class was not met yet."""
    return s.classify and weight > 0.0 and label >= c.n_classes


@part
def rows_together(s, c, m, labels, row_weights, i):
    """Return how many rows from i on can be seen before the first of them is learnt.

    No further than the end of an interval, where frozen concepts change, or a new class.
    """
    most = min(TOGETHER, labels.shape[0] - i)
    most = min(most, s.interval - int(m.plain.status[T]))
    most = min(most, s.interval - int(m.rich.status[T]))
    for r in range(most):
        if is_new(s, c, labels[i + r], row_weights[i + r]):
            return r
    return most


with announced(__name__, "the default model (half a minute)"):

    @compiled(
        int64(
            settings_type,
            counters_type,
            vector,
            vector,
            matrix,
            vector,
            vector,
            vector,
            matrix,
            vector,
            vector,
            vector,
            int64,
            matrix,
        )
    )
    def learn(
        settings,
        counters,
        block,
        scratch,
        X,
        values,
        places,
        begins,
        added,
        labels,
        row_weights,
        known,
        first,
        out,
    ):
        """In place: predict each row from `first` on into out, then learn it if it has a label.

        Narrow inputs are the rows of X; wide ones are values[begins[i] : begins[i + 1]] in the
        columns places[...]. added holds the scores of the experts that the user added; in a
        regression the values of labels that they expect. A label that is NaN and a weight of 0
        mean: predict only, the state is not written to. known[i] is the last label that
        was known when row i was answered, -inf for none and NaN for the last one learnt. Returns
        early before a class not met yet, with -1 - its row; 0 when all rows are done.
        """
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        desk, _ = open_desk(s, c, scratch)
        again = is_answered(c, desk, X, known)
        i = first
        while i < out.shape[0]:
            n_rows = rows_together(s, c, m, labels, row_weights, i)
            if n_rows == 0:
                return -1 - i
            for r in range(n_rows):
                at = i + r
                labelled = labels[at] == labels[at] and row_weights[at] > 0.0
                see(
                    s,
                    c,
                    m.inputs,
                    desk,
                    r,
                    X[at],
                    values,
                    places,
                    int(begins[at]),
                    int(begins[at + 1]),
                    labelled,
                    again,
                )
            if not again:
                score_frozen(s, c, m, desk, n_rows)
            for r in range(n_rows):
                at = i + r
                label, weight = labels[at], row_weights[at]
                last = known[at] if known[at] == known[at] else c.last
                if not again:
                    vote(s, c, m, desk, r, last, added[at])
                mix(s, m, desk.votes, desk.own, out[at])
                mixed = out[at, 0]
                answer(s, c, out[at])
                if label == label and weight > 0.0:
                    learn_label(s, c, m, desk, r, label, weight, mixed)
                else:
                    note_answered(c, desk, X)
            i += n_rows
        return 0
