"""What a learner remembered along a stream: weights at moments, and the rows of each regime."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from mooe.evaluate.learners import MooeLearner
from mooe.evaluate.results import Moment
from mooe.evaluate.schedule import Events
from mooe.model import Model

MOMENTS = 400  # about how often a learner's memory is looked at


class MomentLog:
    """Notes a learner's weights when it has judged most: before the last label of an interval.

    About MOMENTS times, however long the stream turns out to be. Which rows an interval is made of
    is known from the labels that were learnt: they may come late, in any order, or not at all.
    What is seen is added to `moments` in place.
    """

    def __init__(self, learner: MooeLearner, moments: list[Moment]) -> None:
        self.learner, self.moments, self.every = learner, moments, 1
        self.interval = learner.interval
        self.before = learner.n_labelled  # labels from before the stream: rows -before to -1
        self.learnt, self.now = self.before, 0
        self.spans = {}  # first and last row of each interval that is open or an expert's
        if self.before % self.interval:
            name = self.before // self.interval
            self.spans[name] = self._span_before_stream(name)

    def pieces(self, events: Events) -> Iterator[tuple[int, int]]:
        """In place: yield where pieces begin and end, which the learner has to take in between."""
        clock = np.maximum.accumulate(np.where(events.asked, events.row, self.now))
        at = 0
        while at < len(clock):
            self.now = int(clock[at])
            stop = min(len(clock), at + self._look())
            yield at, stop
            rows = events.row[at:stop]
            self._add_rows(rows[~np.isnan(events.y[at:stop])])
            at = stop
        self.now = int(clock[-1])

    def _look(self) -> int:
        """In place: look if it is time; return after how many labels to ask again."""
        wait = self.interval - 1 - self.learner.n_labelled % self.interval
        if wait > 0:
            return wait
        names, weights = self.learner.memory()
        here = {name: self.spans.get(name) or self._span_before_stream(name) for name in names}
        self.moments.append(Moment(self.now, tuple(names), tuple(weights), tuple(here.values())))
        newest = self.learnt // self.interval
        self.spans = {**here, newest: self.spans[newest]} if newest in self.spans else here
        if len(self.moments) == 2 * MOMENTS:
            del self.moments[::2]
            self.every *= 2
        return self.every * self.interval

    def _add_rows(self, rows: np.ndarray) -> None:
        """In place: the labels of these rows were learnt, in this order."""
        names = (self.learnt + np.arange(len(rows))) // self.interval
        self.learnt += len(rows)
        for name in np.unique(names).tolist():
            here = rows[names == name]
            low, high = self.spans.get(name, (here[0], here[0]))
            self.spans[name] = min(low, int(here.min())), max(high, int(here.max()))

    def _span_before_stream(self, name: int) -> tuple[int, int]:
        """Return the rows of an interval from before the stream, counted back from its begin."""
        first = name * self.interval - self.before
        return first, min(first + self.interval, 0) - 1


def described(regimes: list[dict[str, Any]], model: Model) -> list[dict[str, Any]]:
    """Return regimes with what their model tells of each: its title, labels and inputs."""
    known = {concept.name: asdict(concept) for concept in model.concepts()}
    told = ("title", "shares", "mean", "inputs")
    return [{**regime, **{key: known[regime["name"]][key] for key in told}} for regime in regimes]


class RegimeLog:
    """Notes which rows of the stream each regime was in charge of.

    Learners count samples by their labels and keep only the latest visits of each regime. Here the
    rows of the labels are kept, and the visits that are there whenever it looks.
    """

    def __init__(self, learner: MooeLearner) -> None:
        self.learner, self.interval = learner, learner.interval
        self.before = learner.n_labelled  # labels from before the stream: rows -before to -1
        self.learnt, self.newest, self.settled = self.before, -1, 0
        # Pieces of (labels, rows); between one label and the next, row follows row.
        self.pieces = [(np.zeros(1, dtype=np.int64), np.full(1, -self.before))]
        self.visits: dict[tuple[int, int], dict[int, int]] = {}  # memory and name: first to last

    def add_rows(self, rows: np.ndarray, y: np.ndarray) -> None:
        """In place: the labels of these rows were learnt, in this order; NaN is none."""
        rows = rows[~np.isnan(y)]
        if not len(rows):
            return
        rows = np.maximum.accumulate(np.maximum(rows, self.newest))
        breaks = np.flatnonzero(np.diff(rows, prepend=self.newest) != 1)
        if len(breaks):
            self.pieces.append((self.learnt + breaks, rows[breaks]))
        self.learnt, self.newest = self.learnt + len(rows), int(rows[-1])

    def look(self) -> list[dict[str, Any]]:
        """In place: see who was in charge since the last look; return the regimes known now.

        Only rows of the last interval can turn out to be another's.
        """
        memory, regimes = self.learner.concepts()
        for regime in regimes:
            seen = self.visits.get((memory, regime["name"]), {})
            seen = {first: last for first, last in seen.items() if last < self.settled}
            seen.update((first, last) for first, last in regime["visits"] if first <= last)
            self.visits[memory, regime["name"]] = dict(sorted(seen.items()))
        self.settled = self.learnt - self.interval
        return [{**regime, "visits": self.visits[memory, regime["name"]]} for regime in regimes]

    def row_of_samples(self) -> Callable[[int], int]:
        """Return the function that gives the row of the stream of a labelled sample."""
        labels, rows = map(np.concatenate, zip(*self.pieces, strict=True))

        def row_of(label: int) -> int:
            place = int(np.searchsorted(labels, label, side="right")) - 1
            return min(int(rows[place]) + label - int(labels[place]), self.newest)

        return row_of

    def regimes(self) -> list[dict[str, Any]]:
        """In place: look; return the regimes known now, with rows of the stream for samples.

        Rows without a label are in the charge of the regime before them.
        """
        row_of = self.row_of_samples()

        def end_of(label: int) -> int:
            return max(row_of(label), row_of(label + 1) - 1)

        regimes = self.look()
        for regime in regimes:
            visits: list[list[int]] = []
            for first, last in regime["visits"].items():
                if visits and visits[-1][1] == first - 1:
                    visits[-1][1] = last
                else:
                    visits.append([first, last])
            regime["visits"] = [[row_of(first), end_of(last)] for first, last in visits]
            regime["first"], regime["last"] = row_of(regime["first"]), end_of(regime["last"])
        return regimes
