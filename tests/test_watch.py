"""Looks at a memory: when, how often, and which rows each expert was fitted on."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mooe.schedule import Schedule
from mooe.watch import MOMENTS, Watch

INTERVAL = 10


class Recorder:
    """A learner that keeps the last four intervals and writes down which rows they were."""

    def __init__(self, n_labelled=0):
        self.params = SimpleNamespace(interval=INTERVAL)
        self.n_labelled, self.start, self.rows = n_labelled, n_labelled, []

    def labels_until_last(self):
        return INTERVAL - 1 - self.n_labelled % INTERVAL

    def memory(self):
        done = self.n_labelled // INTERVAL
        names = list(range(max(0, done - 4), done))
        return names, [0.5 / len(names)] * len(names) + [0.5] if names else [1.0]

    def learn(self, rows):
        self.rows += rows.tolist()
        self.n_labelled += len(rows)

    def span(self, name):
        """Return what a span must be; rows from before the stream are counted back from -1."""
        numbers = range(name * INTERVAL - self.start, (name + 1) * INTERVAL - self.start)
        rows = [self.rows[i] if i >= 0 else i for i in numbers]
        return min(rows), max(rows)


def watched(learner, n, delay=0, size=37, probability=1.0):
    """Run a learner over n rows in chunks; return the moments and, for each, the last row asked."""
    schedule, moments, clock = Schedule(delay, probability), [], []
    watch, asked = Watch(learner, moments), [-1]

    def take(events):
        for at, stop in watch.pieces(events):
            clock.extend(
                [asked[-1] if not events.asked[at] else int(events.row[at])]
                * (len(moments) > len(clock))
            )
            labelled = ~np.isnan(events.y[at:stop])
            learner.learn(events.row[at:stop][labelled])
            asked.extend(events.row[at:stop][events.asked[at:stop]].tolist())

    for first in range(0, n, size):
        rows = np.arange(first, min(n, first + size), dtype=float)
        take(schedule.arrive(rows[:, None], np.zeros(len(rows))))
    rest = schedule.end()
    if rest is not None:
        take(rest)
    return moments, clock


@settings(deadline=None)
@given(
    st.sampled_from([0, 3, 25, lambda row: 7 * row % 31, lambda row: None if row % 3 else 5]),
    st.integers(1, 80),
    st.sampled_from([1.0, 0.6]),
    st.integers(0, 47),
)
def test_spans_are_the_rows_whose_labels_were_learnt_however_they_come(delay, size, p, before):
    learner = Recorder(before)
    moments, clock = watched(learner, 200, delay, size, p)
    assert [moment.row for moment in moments] == clock
    for moment in moments:
        assert moment.spans == tuple(map(learner.span, moment.names))


def test_a_moment_is_at_the_row_that_came_last_not_at_the_one_whose_label_came():
    moments, _ = watched(Recorder(), 200, delay=50)
    assert moments[0].row == 59  # the label of row 8 has been learnt, that of row 9 is the next
    assert moments[1].spans == ((0, 9),)


def test_long_streams_are_looked_at_evenly():
    moments, _ = watched(Recorder(), 30_000, size=10_000)
    assert MOMENTS <= len(moments) < 2 * MOMENTS
    assert max(b.row - a.row for a, b in pairwise(moments)) <= 4 * INTERVAL
    assert moments[-1].spans[-1][1] - moments[-1].spans[-1][0] == INTERVAL - 1


def test_a_model_that_goes_on_brings_rows_from_before_the_stream():
    moments, _ = watched(Recorder(25), 30)
    assert moments[0].spans == ((-25, -16), (-15, -6))
    assert moments[1].spans[2] == (-5, 4)
