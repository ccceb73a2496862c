"""Looks at a learner's memory along a stream."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mooe.results import Moment
from mooe.schedule import Events

__all__ = ["Watch"]

MOMENTS = 400  # about how often a learner's memory is looked at


class Watch:
    """Looks at a learner's memory when it has judged most: before the last label of an interval.

    About MOMENTS times, however long the stream turns out to be. Which rows an interval is made of
    is known from the labels that were learnt: they may come late, in any order, or not at all.

    Parameters
    ----------
    learner : MooeLearner
    moments : list of Moment
        In place: what is seen is added.
    """

    def __init__(self, learner: Any, moments: list[Moment]) -> None:
        self.learner, self.moments, self.every = learner, moments, 1
        self.interval: int = learner.params.interval
        self.before: int = learner.n_labelled  # labels from before the stream: rows -before to -1
        self.learnt, self.now = self.before, 0
        self.spans = {}  # first and last row of each interval that is open or an expert's
        if self.before % self.interval:
            name = self.before // self.interval
            self.spans[name] = self.earlier(name)

    def pieces(self, events: Events) -> Iterator[tuple[int, int]]:
        """In place: yield where pieces begin and end, which the learner has to take in between."""
        clock = np.maximum.accumulate(np.where(events.asked, events.row, self.now))
        at = 0
        while at < len(clock):
            self.now = int(clock[at])
            stop = min(len(clock), at + self.looked())
            yield at, stop
            rows = events.row[at:stop]
            self.note(rows[~np.isnan(events.y[at:stop])])
            at = stop
        self.now = int(clock[-1])

    def looked(self) -> int:
        """In place: look if it is time; return after how many labels to ask again."""
        wait: int = self.learner.labels_until_last()
        if wait > 0:
            return wait
        names, weights = self.learner.memory()
        here = {name: self.spans.get(name) or self.earlier(name) for name in names}
        self.moments.append(Moment(self.now, tuple(names), tuple(weights), tuple(here.values())))
        newest = self.learnt // self.interval
        self.spans = {**here, newest: self.spans[newest]} if newest in self.spans else here
        if len(self.moments) == 2 * MOMENTS:
            del self.moments[::2]
            self.every *= 2
        return self.every * self.interval

    def note(self, rows: np.ndarray) -> None:
        """In place: the labels of these rows were learnt, in this order."""
        names = (self.learnt + np.arange(len(rows))) // self.interval
        self.learnt += len(rows)
        for name in np.unique(names).tolist():
            here = rows[names == name]
            low, high = self.spans.get(name, (here[0], here[0]))
            self.spans[name] = min(low, int(here.min())), max(high, int(here.max()))

    def earlier(self, name: int) -> tuple[int, int]:
        """Return the rows of an interval from before the stream, counted back from its begin."""
        first = name * self.interval - self.before
        return first, min(first + self.interval, 0) - 1
