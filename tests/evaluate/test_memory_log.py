"""Looks at a memory: when, how often, and which rows each expert was fitted on."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mooe.datasets.synthetic import recurring
from mooe.evaluate.memory_log import MOMENTS, MomentLog, RegimeLog
from mooe.evaluate.schedule import Schedule
from mooe.run.registry import make_learner

INTERVAL = 10


class Recorder:
    """A learner that keeps the last four intervals and writes down which rows they were."""

    def __init__(self, n_labelled=0):
        self.interval = INTERVAL
        self.n_labelled, self.start, self.rows = n_labelled, n_labelled, []

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
    log, asked = MomentLog(learner, moments), [-1]

    def take(events):
        for at, stop in log.pieces(events):
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


class Visited(Recorder):
    """A learner that tells of regimes as it is bidden."""

    def __init__(self, n_labelled=0):
        super().__init__(n_labelled)
        self.memory_shown, self.regimes = 0, {}

    def concepts(self):
        found = [
            {"name": name, "first": visits[0][0], "last": visits[-1][1], "visits": tuple(visits)}
            for name, visits in self.regimes.items()
        ]
        return self.memory_shown, found


def learnt(log, n):
    """The labels of the next n rows are learnt."""
    first = log.learnt
    log.add_rows(np.arange(first, first + n), np.zeros(n))


def end_of(rows, label):
    """Return the last row that belongs to a label: rows without one follow the label before."""
    return max(rows[label], rows[label + 1] - 1) if label + 1 < len(rows) else rows[label]


@settings(deadline=None)
@given(
    st.sampled_from([0, 3, 25, lambda row: 7 * row % 31, lambda row: None if row % 3 else 5]),
    st.integers(1, 80),
    st.sampled_from([1.0, 0.6]),
    st.integers(0, 47),
)
def test_a_visit_is_told_in_rows_of_the_stream_however_labels_come(delay, size, p, before):
    learner, schedule = Visited(before), Schedule(delay, p)
    log, told = RegimeLog(learner), list(range(-before, 0))

    def take(events):
        log.add_rows(events.row, events.y)
        told.extend(events.row[~np.isnan(events.y)].tolist())

    for first in range(0, 200, size):
        rows = np.arange(first, min(200, first + size), dtype=float)
        take(schedule.arrive(rows[:, None], np.zeros(len(rows))))
    rest = schedule.end()
    if rest is not None:
        take(rest)
    newest = np.maximum.accumulate(told).tolist()
    for label in range(len(told) - 2):
        learner.regimes = {label: [(label, label), (label + 2, label + 2)]}
        (one,) = log.regimes()
        spans = [[newest[at], end_of(newest, at)] for at in (label, label + 2)]
        assert one["visits"] == spans
        assert (one["first"], one["last"]) == (spans[0][0], spans[1][1])


def test_visits_that_the_learner_no_longer_keeps_were_seen():
    log = RegimeLog(learner := Visited())
    for k in range(5):
        learnt(log, 100)
        learner.regimes = {1: [(100 * j, 100 * j + 49) for j in range(max(0, k - 1), k + 1)]}
        log.look()
    assert log.regimes()[0]["visits"] == [[100 * k, 100 * k + 49] for k in range(5)]


def test_a_visit_that_turned_out_to_be_anothers_is_not_told():
    log = RegimeLog(learner := Visited())
    learnt(log, 60)
    learner.regimes = {1: [(0, 39)], 2: [(40, 59)]}
    log.look()
    learnt(log, 10)
    learner.regimes = {1: [(0, 39), (41, 40)], 2: [(55, 69)]}
    first, second = log.regimes()
    assert first["visits"] == [[0, 39]]
    assert second["visits"] == [[55, 69]]


def test_visits_on_end_are_one_and_those_of_another_memory_are_not_mixed_in():
    log = RegimeLog(learner := Visited())
    learnt(log, 100)
    learner.regimes = {1: [(0, 9)]}
    log.look()
    learnt(log, 100)
    learner.memory_shown, learner.regimes = 1, {1: [(20, 59), (60, 99), (150, 199)]}
    assert log.regimes()[0]["visits"] == [[20, 99], [150, 199]]


def test_the_learners_own_visits_are_among_those_that_were_seen():
    stream = recurring(n=4000, length=200, seed=1)
    learner = make_learner("mooe", "classification")
    log, y = RegimeLog(learner), np.asarray(stream.y, dtype=float)
    for at in range(0, 4000, 40):
        learner.predict_then_learn(stream.X[at : at + 40], y[at : at + 40])
        log.add_rows(np.arange(at, at + 40), y[at : at + 40])
        log.look()
    _, own = learner.concepts()
    told = log.regimes()
    assert [one["name"] for one in told] == [one["name"] for one in own] != []
    for one, kept in zip(told, own, strict=True):
        ours = {row for first, last in one["visits"] for row in range(first, last + 1)}
        assert all(ours.issuperset(range(a, b + 1)) for a, b in kept["visits"])
        assert one["visits"] == sorted(one["visits"])
