"""The default model, top to bottom, compiled: a row is seen, scored, mixed; its label is learnt."""

from mooe.auto import calibration, roster
from mooe.auto.experts import neighbours
from mooe.auto.inputs import TOGETHER, see
from mooe.auto.layout import counters_type, open_block, open_desk, settings_type
from mooe.auto.meta import mix, reweight
from mooe.auto.roster import EXPERTS
from mooe.auto.targets import answer, bounded, doubt, in_unit, meet_label, set_targets
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import announced, compiled, forced, part
from mooe.numerics.compiler import int64
from mooe.numerics.lanes import load, spread, store

STATE = (settings_type, counters_type, vector)
ROWS = (matrix, vector, vector, vector)  # X, values, places, begins
LABELS = (vector, vector, vector)  # labels, row_weights, known
ERROR_OVER = 0.01  # regression: weight of a row in the mean of squared errors
MOST_DOUBTED = 100.0  # mean squared errors: what a row counts there whose label is doubted


# Whatever takes the dozens of views of a block is put into its caller: as arguments of a call they
# would cost more than a small expert, and to open them again costs the compiler seconds.


@forced
def look(s, c, m, desk, r, row, learn, again):
    """In place: row r of the desk as the experts see it."""
    neighbours.look(c, m.inputs, desk.experts.neighbours, r)
    see(s, c, m.inputs, desk.seen, r, row, learn, again)


@forced
def look_ahead(s, c, m, desk, n_rows):
    """In place: what experts can say of the rows on the desk before the first is learnt."""
    roster.look_ahead(c, m.experts, desk.experts, desk.seen, n_rows)


@forced
def vote(s, c, m, desk, r, last, is_late, added):
    """In place: the votes of all experts on row r of the desk, within the range of targets."""
    votes = desk.mixture.votes
    n = votes.shape[1]
    for o in range(c.n_outputs):
        for k in range(0, n, 4):
            store(votes, (o, k), spread(0.0))
    roster.vote(s, c, m.experts, desk.experts, desk.seen, r, last, is_late, votes)
    for o in range(c.n_outputs):
        for k in range(c.n_added):
            votes[o, len(EXPERTS) + k] = in_unit(s, c, added[k * c.n_outputs + o])
        for k in range(0, n, 4):
            store(votes, (o, k), bounded(s, c, load(votes, (o, k))))


@forced
def calibrate(s, c, m, desk, out):
    """In place: the scores of a row as scores of true probabilities."""
    calibration.calibrate(c, m.calibration, desk.calibration, out)


@forced
def _learn_label(s, c, m, desk, r, label, weight, mixed):
    """In place: the label of row r: the weights of the experts, then the experts."""
    given, targets, nearer = label, desk.mixture.targets, label
    if not s.classify:
        nearer = doubt(c, m.targets, label, mixed)
        label = meet_label(c, m.targets, nearer)
    set_targets(s, c, label, targets)
    if not s.classify:
        error = max(c.low, min(c.high, mixed)) - targets[0]
        share = max(ERROR_OVER, 1.0 / (c.n_labelled + 1.0))
        squared = error * error
        if nearer != given:
            squared = min(squared, MOST_DOUBTED * c.error)
        c.error = max(1e-12, c.error + share * (squared - c.error))
    if calibration.takes_part(s, c):
        calibration.learn(c, m.calibration, desk.calibration, label, weight)
    reweight(s, c, m.mixture, desk.mixture, label, weight)
    own, w = m.experts.neighbours, desk.experts.neighbours
    neighbours.learn(s, c, own, w, desk.seen, r, targets, label, weight)
    c.n_labelled += 1
    c.last = given
    roster.learn(s, c, m.inputs, m.experts, desk.experts, desk.seen, r, targets, label, weight)


@part
def _is_answered(c, answered, X, known):
    """Whether X is a single row that was answered a moment ago: its scores are on the desk."""
    if c.narrow == 0 or X.shape[0] != 1 or answered[0] != c.n_labelled + 1:
        return False
    if known[0] == known[0]:  # labels may have come since
        return False
    same = True
    for j in range(X.shape[1]):
        same = same and X[0, j] == answered[1 + j]
    return same


@part
def _rows_together(s, c, m, labels, row_weights, i):
    """Return how many rows from i on can be seen before the first of them is learnt.

    No further than experts can look ahead and have room for what they learn, or a new class.
    """
    most = min(min(TOGETHER, labels.shape[0] - i), roster.rows_ahead(s, m.experts))
    left = roster.rows_left(s, c)
    for r in range(most):
        label = labels[i + r]
        if label == label and row_weights[i + r] > 0.0:
            if left == 0 or (s.classify and label >= c.n_classes):
                return r
            left -= 1
    return most


with announced(__name__, "the default model (half a minute)"):

    @compiled(int64(*STATE, vector, *ROWS, matrix, *LABELS, int64, matrix))
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
        early before a class not met yet, or a row that there is no room to learn, with -1 - its
        row; 0 when all rows are done.
        """
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        desk, _ = open_desk(s, c, scratch)
        answered = desk.mixture.answered
        near = m.experts.neighbours, desk.experts.neighbours
        again = _is_answered(c, answered, X, known)
        i = first
        while i < out.shape[0]:
            n_rows = _rows_together(s, c, m, labels, row_weights, i)
            if n_rows == 0:
                return -1 - i
            for r in range(n_rows):
                at = i + r
                labelled = labels[at] == labels[at] and row_weights[at] > 0.0
                row = (X[at], values, places, int(begins[at]), int(begins[at + 1]))
                look(s, c, m, desk, r, row, labelled, again)
            if not again:
                look_ahead(s, c, m, desk, n_rows)
            for r in range(n_rows):
                at = i + r
                label, weight = labels[at], row_weights[at]
                is_late = known[at] == known[at]
                last = known[at] if is_late else c.last
                if not again:
                    vote(s, c, m, desk, r, last, is_late, added[at])
                mix(s, m.mixture, desk.mixture, out[at])
                mixed = out[at, 0]
                labelled = label == label and weight > 0.0
                neighbours.vote(s, c, *near, desk.seen, r, labelled, again, out[at])
                answer(s, c, out[at])
                if calibration.takes_part(s, c):
                    calibrate(s, c, m, desk, out[at])
                if labelled:
                    _learn_label(s, c, m, desk, r, label, weight, mixed)
                elif c.narrow and X.shape[0] == 1:  # for the label that may come next
                    answered[0] = c.n_labelled + 1
                    for j in range(X.shape[1]):
                        answered[1 + j] = X[0, j]
            i += n_rows
        return 0
