"""The only prequential loop: every row is answered first, then, when its label comes, learnt.

A stream is anything with `name` and `chunks(rows)`, whose chunks have X, y and times. Results are
plain numbers; they are written first, and whatever is drawn or printed is made from them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from mooe import metrics
from mooe.learners import Answers, Learner, MooeLearner, together
from mooe.results import Moment, Results, origin, peak_memory
from mooe.schedule import Delay, Events, Schedule
from mooe.watch import Charges, Watch

__all__ = ["CELLS", "Moment", "Numbering", "Results", "check_width", "prequential"]

CHUNK = 10_000  # rows that are asked for at once
CELLS = 4_000_000  # most that are made dense at once
MOST_COLUMNS = 4_000_000  # the default model keeps about a kilobyte of each
IN_MEMORY = 30_000  # the same, where all of them are there already
FEW = 1000  # values between the smallest and the largest whole label
WINDOWS = (50, 100, 500, 1000)  # rows per window, unless told: the first that gives few of them
MOST_WINDOWS = 100  # that are few, and that are kept before they are measured at once


class Source(Protocol):
    """What can be streamed."""

    name: str
    task: str

    def chunks(self, rows: int) -> Any: ...


@dataclass
class Numbering:
    """Labels and their numbers, in the order in which they were first met."""

    labels: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, label: Any) -> int:
        """In place: the number of a label, a new one for a new label."""
        if label not in self.numbers:
            self.numbers[label] = len(self.labels)
            self.labels.append(label)
        return self.numbers[label]

    def number_all(self, y: np.ndarray) -> np.ndarray:
        """In place: the numbers of an array of labels; NaN where there is none."""
        if y.dtype.kind in "fO":
            if y.dtype.kind == "f":
                missing = np.isnan(y)
            else:
                missing = np.array([one is None or one != one for one in y.tolist()])
            if missing.any():
                out = np.full(len(y), np.nan)
                out[~missing] = self.number_all(y[~missing])
                return out
        if y.dtype.kind in "biu" and len(y):
            low, high = int(y.min()), int(y.max())
            if high - low < FEW:  # a look-up is several times quicker than a sort
                known = [self.numbers.get(one, -1) for one in range(low, high + 1)]
                table = np.array(known, dtype=np.float64)
                place = y.astype(np.int64, copy=False) - low
                while (found := table[place]).min() < 0:  # a label not met before, the first first
                    new = found.argmin()
                    table[place[new]] = self.number(y[new].item())
                return found
        if y.dtype.kind in "biuf" and len(y):
            values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
            for place in np.sort(first):
                self.number(y[place].item())
            table = np.array([self.numbers[value] for value in values.tolist()], dtype=np.float64)
            numbers: np.ndarray = table[inverse.ravel()]
            return numbers
        return np.array([self.number(label) for label in y.tolist()], dtype=np.float64)


def prequential(
    learner: Learner,
    stream: Source,
    *,
    model: str = "",
    delay: Delay = 0,
    label_probability: float = 1.0,
    window: int | None = None,
    max_rows: int | None = None,
    seed: int = 0,
    store_predictions: bool = False,
    watch: bool = False,
    regret: bool = False,
    known: Numbering | None = None,
    progress: Callable[["Results"], None] | None = None,
) -> Results:
    """In place: run a learner over a stream and return what came out.

    Every row with a label counts, from the first on, with the answer that was given when it came;
    a row without answer counts as wrong. An interrupt ends the run, and the results are those of
    the chunks before.

    Parameters
    ----------
    delay, label_probability, seed
        When labels come, see `mooe.schedule.Schedule`.
    window : int, optional
        Rows per window of the windowed measures, at least 1. By default 50; 100 if that gives more
        than 100 windows, then 500, and 1,000 for all longer streams.
    max_rows : int, optional
        Stop after so many rows.
    store_predictions : bool
        Keep the answer to each row.
    watch : bool
        Look at the learner's memory along the way, where it has one.
    regret : bool
        Paper mode: the regrets of each interval, at the cost of a fit each (`mooe.regret`).
    known : Numbering, optional
        In place: the classes that the learner knows from before, in its order; those that it meets
        are added.
    progress : callable, optional
        Called with the results so far after every chunk; their `predictions` are then those of the
        chunk.
    """
    run = Run(
        learner, stream, model, Schedule(delay, label_probability, seed), window, seed,
        store_predictions, watch, regret, known,
    )  # fmt: skip
    try:
        for chunk in stream.chunks(CHUNK if getattr(stream, "X", None) is None else IN_MEMORY):
            left = None if max_rows is None else max_rows - run.results.rows
            for some in run.parts(len(chunk.y[:left]), chunk.X):
                times = None if chunk.times is None else chunk.times[some]
                run.take(chunk.X[some], chunk.y[some], times)
                if progress is not None:
                    run.results.cumulative = run.tally.so_far()
                    run.results.predictions = run.labels_of(run.latest)
                    progress(run.results)
            if left is not None and left <= len(chunk.y):
                break
        run.finish()
    except KeyboardInterrupt:
        run.results.interrupted = True
    run.conclude()
    return run.results


class Run:
    """A run under way, of which `prequential` explains the parameters.

    Rows come with `take`, in chunks; `finish` says that there are no more, `conclude` that nothing
    more will be asked; then `results` are complete.
    """

    def __init__(
        self,
        learner: Learner,
        stream: Source,
        model: str,
        schedule: Schedule,
        window: int | None = None,
        seed: int = 0,
        store_predictions: bool = False,
        watch: bool = False,
        regret: bool = False,
        known: Numbering | None = None,
    ) -> None:
        if window is not None and window < 1:
            raise ValueError(f"window must be at least 1, got {window!r}")
        n_rows = getattr(stream, "n_rows", None) or 0
        fitting = [one for one in WINDOWS[:-1] if one * MOST_WINDOWS >= n_rows]
        first, *larger = (*fitting, WINDOWS[-1]) if window is None else (window,)
        self.results = Results(model, stream.name, stream.task, first, seed, origin=origin())
        self.learner, self.schedule, self.known = learner, schedule, known or Numbering()
        self.takes_sparse: bool = getattr(learner, "takes_sparse", False)
        self.tally = Tally(self.results, larger)
        self.classify = stream.task == "classification"
        self.truth = Numbering()  # classes as they appear in the stream, behind the known ones
        self.told = Numbering()  # their numbers, in the order in which the learner was told them
        for label in self.known.labels:
            self.told.number(float(self.truth.number(label)))
        self.stored: list[np.ndarray] | None = [] if store_predictions else None
        self.latest = np.zeros(0)
        is_seen = watch and hasattr(learner, "memory")
        self.watch = Watch(learner, self.results.moments) if is_seen else None
        self.results.remembers = getattr(learner, "remembers", "")
        self.charges = Charges(learner) if self.results.remembers == "regimes" else None
        last = getattr(learner, "last_label", None)
        self.tells_known = last is not None and not schedule.is_immediate
        if last is not None:
            schedule.last = last
        if regret:
            if not isinstance(learner, MooeLearner):
                kind = type(learner).__name__
                raise ValueError(f"regret must be that of mode='paper', got {kind}")
            from mooe.regret import RegretMeter  # compiles paper mode

            self.learner = RegretMeter(learner)
            self.results.regrets = self.learner.regrets

    def parts(self, n: int, X: Any) -> list[slice]:
        """Return the parts in which n rows are taken: sparse ones may be too large when dense."""
        check_width(self.results.stream, X.shape[1])
        is_dense = not issparse(X) or self.takes_sparse
        most = max(1, n if is_dense else CELLS // max(1, X.shape[1]))
        return [slice(at, min(n, at + most)) for at in range(0, n, most)] or [slice(0, 0)]

    def take(self, X: Any, y: np.ndarray, times: np.ndarray | None) -> None:
        """In place: a chunk of rows comes."""
        if issparse(X) and not self.takes_sparse:
            X = X.toarray()
        truth = self.truth.number_all(y) if self.classify else y.astype(np.float64)
        events = self.schedule.arrive(X, truth, times)
        answers = self.ask(events)
        if not self.schedule.is_immediate:
            answers = in_stream_order(answers, events, self.told if self.classify else None)
        self.results.rows += len(y)
        self.results.features = max(self.results.features, X.shape[1])
        self.results.classes = self.truth.labels
        self.tally.count(truth, answers)
        self.latest = answers.chosen
        if self.stored is not None:
            self.stored.append(answers.chosen)

    def ask(self, events: Events) -> Answers:
        """In place: hand events to the learner, in pieces between looks at its memory."""
        X, y = events.X, events.y
        if self.classify and not self.schedule.is_immediate:
            y = self.told.number_all(y)
        known = self.known_at_answers(events) if self.tells_known else None
        parts = []
        for at, stop in [(0, len(y))] if self.watch is None else self.watch.pieces(events):
            began = time.perf_counter()
            told = {} if known is None else {"known": known[at:stop]}
            parts.append(self.learner.predict_then_learn(X[at:stop], y[at:stop], **told))
            self.results.seconds += time.perf_counter() - began
            if self.charges is not None:
                self.charges.note(events.row[at:stop], y[at:stop])
                if self.watch is not None:
                    self.charges.look()
        return parts[0] if len(parts) == 1 else together(parts)

    def known_at_answers(self, events: Events) -> np.ndarray:
        """Return the last label known when each row was answered, as the learner was told it."""
        known = events.known.copy()
        if self.classify:
            there = np.isfinite(known)
            known[there] = self.told.number_all(known[there])
        return known

    def finish(self) -> None:
        """In place: the stream is over; labels that are due by now are learnt."""
        rest = self.schedule.end()
        if rest is not None:
            self.ask(rest)

    def conclude(self) -> None:
        """In place: the measures of what was counted."""
        self.tally.conclude()
        self.results.predictions = None
        if self.charges is not None:
            self.results.concepts = self.charges.told()
        learnt = (
            self.told.labels if not self.schedule.is_immediate else range(len(self.truth.labels))
        )
        for number in learnt:
            self.known.number(self.truth.labels[int(number)])
        self.results.memory = peak_memory()
        if self.stored is not None:
            empty = np.zeros(0, dtype=np.int64 if self.classify else np.float64)
            self.results.predictions = self.labels_of(np.concatenate([empty, *self.stored]))

    def labels_of(self, chosen: np.ndarray) -> np.ndarray:
        """Return answers as the stream has its labels, None for no answer; values as they are."""
        if not self.classify:
            return chosen
        labels = np.array([*self.truth.labels, None], dtype=object)  # the last for no answer, -1
        named: np.ndarray = labels[chosen.astype(np.int64, copy=False)]
        return named


class Tally:
    """Counts of the windows that are not measured yet, and of all those before.

    Parameters
    ----------
    results : Results
        In place: its windows and measures.
    larger : list of int
        In place: lengths of window to go over to, multiples of each other, when there are too many.
    """

    def __init__(self, results: Results, larger: list[int]) -> None:
        self.results, self.larger, self.rows = results, larger, 0
        classify = results.task == "classification"
        self.judge = metrics.ClassJudge() if classify else metrics.ValueJudge()
        self.past, self.counts = self.judge.nothing(1), self.judge.nothing(0)

    def count(self, truth: np.ndarray, answers: Answers) -> None:
        """In place: judge a chunk of rows, window by window; rows without label are not judged."""
        if not len(truth):
            return
        window, measured = self.results.window, len(self.results.windows)
        first = self.rows - window * measured
        self.counts = self.judge.count(self.counts, truth, answers, first, window)
        self.rows += len(truth)
        while self.larger and len(self.counts) > MOST_WINDOWS:
            before, self.results.window = self.results.window, self.larger.pop(0)
            self.counts = self.judge.joined(self.counts, self.results.window // before)
        if len(self.counts) > MOST_WINDOWS:
            self.measure(self.rows // self.results.window - measured)

    def measure(self, n: int) -> None:
        """In place: the first n windows are over."""
        window, end = self.results.window, len(self.results.windows)
        self.results.windows += [
            {"row": min((end + k) * window, self.rows), **one}
            for k, one in enumerate(self.judge.measures(self.counts[:n]), 1)
        ]
        self.past = self.all_before(n)
        self.counts = self.counts[n:]

    def all_before(self, n: int) -> np.ndarray:
        """Return the counts (1, width) of all rows before window n of those at hand."""
        past = metrics.enlarged(self.past, self.judge.nothing(1))
        return self.judge.joined(np.vstack([past, self.counts[:n]]), n + 1)

    def conclude(self) -> None:
        """In place: the measures over all rows and of each window, the last may be shorter."""
        self.measure(len(self.counts))
        self.results.cumulative = self.so_far()

    def so_far(self) -> dict[str, float]:
        """Return the measures over all rows."""
        return self.judge.measures(self.all_before(len(self.counts)))[0]


def check_width(stream: str, width: int) -> None:
    """Raise ValueError where rows have more columns than a model can hold."""
    if width > MOST_COLUMNS:
        raise ValueError(
            f"columns of {stream} must be at most {MOST_COLUMNS:,} for a model to learn, "
            f"got {width:,}: give them smaller numbers"
        )


def in_stream_order(answers: Answers, events: Events, told: Numbering | None) -> Answers:
    """Return the answers that count, one per row of the stream, in the stream's class numbers."""
    asked = np.flatnonzero(events.asked)
    chosen, given = answers.chosen[asked], answers.probabilities
    given = None if given is None else given[asked]
    if told is None or not told.labels:
        return Answers(chosen, given)
    numbers = np.array([*told.labels, -1], dtype=np.int64)  # the last for "no answer", -1
    if given is not None:
        spread = np.zeros((len(given), 1 + int(numbers.max())))
        spread[:, numbers[: given.shape[1]]] = given[:, : len(told.labels)]
        given = spread
    return Answers(numbers[chosen], given)
