"""The prequential loop: every row is answered first, then, when its label comes, learnt.

One pass over a stream serves any number of learners: labels are numbered once and scheduled once,
and every learner takes the same rows in the same order. Results are plain numbers; they are written
first, and whatever is drawn or printed is made from them.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

import numpy as np
from scipy.sparse import issparse

from mooe.decision import Decision
from mooe.evaluate import metrics
from mooe.evaluate.adapters import check_positive, prepare
from mooe.evaluate.dates import DAY, Clock, rows_spoken_of
from mooe.evaluate.learners import (
    Answers,
    Learner,
    Majority,
    MooeLearner,
    NoChange,
    together,
    without_memory,
)
from mooe.evaluate.measures import trivial_models, unit_of
from mooe.evaluate.memory_log import MomentLog, RegimeLog, described
from mooe.evaluate.other_learners import REFIT
from mooe.evaluate.rare_class import rare_class
from mooe.evaluate.results import Results, origin, peak_memory
from mooe.evaluate.schedule import Delay, Events, Schedule
from mooe.explanation import MOST
from mooe.labels import Labels
from mooe.model import Model
from mooe.streams.stream import CELLS, Chunk, check_width

WINDOWS = (50, 100, 500, 1000)  # rows per window, unless told: the first that gives few of them
MOST_WINDOWS = 100  # that are few, and that are kept before they are measured at once


def prequential(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    times: Any = None,
    task: str | None = None,
    model: str = "",
    name: str = "stream",
    delay: Delay = 0,
    label_probability: float = 1.0,
    window: int | None = None,
    max_rows: int | None = None,
    seed: int = 0,
    store_predictions: bool = False,
    watch: bool | None = None,
    regret: bool = False,
    positive: Any = None,
    unit: str | None = None,
    known: Labels | None = None,
    refit: float = REFIT,
    progress: Callable[[Results], None] | bool | None = None,
) -> Results:
    """In place: answer every row, then learn it when its label comes; return how good answers were.

    Every row with a label counts, with the answer that was given when it came. Rows that came
    before any label had been learnt and got no answer are counted apart, as `unanswered`; later, a
    class that is not answered is wrong. An interrupt ends the run, and the results are those of the
    chunks before.

    Parameters
    ----------
    learner : model
        One of mooe's estimators, any classifier or regressor of scikit-learn or a `Pipeline` that
        ends with one, any model of River, or a `Learner`. It learns in place and goes on from what
        it has learnt; one of scikit-learn without `partial_fit` stays as it is, see `refit`.
    X : array, frame or sparse array (n, n_features), or list of dicts; or a stream
        Rows in their order, as the model takes them; a stream has its labels and times with it.
    y : array (n,)
        Labels; None or NaN for a row that has none.
    times : array (n,), optional
        When each row came: dates, texts of dates as tables have them, or numbers in seconds. A
        delay in time needs them. Those with a zone are told in UTC. One that cannot be read counts
        as the one before; a warning says how many these are, and how many run back.
    task : {"classification", "regression"}, optional
        By default what the model is for.
    model, name : str
        What model and stream are called in the results.
    delay : int, str, timedelta, callable or None
        When labels come: so many rows later, or so much time ("30s", "15m", "2h", "7d", or a
        timedelta), by the number of the row, or never (None, "never").
    label_probability, seed
        Whether labels come at all, see `mooe.evaluate.schedule.Schedule`.
    window : int, optional
        Rows per window of the windowed measures, at least 1. By default 50; 100 if that gives more
        than 100 windows, then 500, and 1,000 for all longer streams.
    max_rows : int, optional
        Stop after so many rows.
    store_predictions : bool
        Keep the answer to each row.
    watch : bool, optional
        Look at the memory of one of our models along the way, and let the same model without its
        memory go over the same rows, for the report; by default for rows with y. False is
        quicker.
    regret : bool
        Paper mode: the regrets of each interval, at the cost of a fit each (`evaluate.regret`).
    positive : label, optional
        The class that precision, recall and alarms are told of; by default one that is rare: all
        classes but one have less than a tenth of the labels together. Beside y, one of its labels.
    unit : str, optional
        Of a regression's labels; by default what the name of y ends with in brackets.
    known : Labels, optional
        In place: the classes that the learner knows from before, in its order; those that it meets
        are added.
    refit : float
        Of a model of scikit-learn without `partial_fit`: clones of it are fitted on all labels so
        far, first on 100 of at least two classes, then whenever there are more by this share, above
        0; until then the most frequent class, or the mean, is answered. All fits take
        (1 + 1 / refit) times the rows of the last; `results.fits` says how many labels each had.
    progress : callable or False, optional
        Called with the results so far after every chunk; their `predictions` are then those of the
        chunk. By default a bar is shown on a terminal where it takes more than two seconds.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from mooe.datasets import recurring
    >>> stream = recurring(n=4_000, length=250)
    >>> results = prequential(SGDClassifier(random_state=0), stream.X, stream.y)
    >>> results.rows, results.unanswered, round(results.cumulative["accuracy"], 3)
    (4000, 1, 0.771)
    """
    contestant = prepare(learner, X, y, times, task, name, model, known, refit)
    stream, has_rows = contestant.stream, y is not None
    if has_rows:
        check_positive(positive, stream.task, y, contestant.known.names)
    watch = has_rows if watch is None else watch
    noted = (watch, regret, store_predictions)
    entrants = [Entrant(contestant.name, contestant.learner, contestant.known, *noted)]
    twin = None
    if has_rows:
        first, second = trivial_models(stream.task)
        entrants.append(Entrant(first, NoChange(stream.task)))
        entrants.append(Entrant(second, Majority(stream.task)))
        twin = without_memory(contestant.model) if watch and contestant.model else None
        entrants += [Entrant(*twin, twin[1].model.labels)] if twin else []
    schedule, n_rows = Schedule(delay, label_probability, seed), getattr(stream, "n_rows", None)
    about = (stream.name, stream.task, schedule, window, seed)
    run = Pass(entrants, *about, n_rows=n_rows, positive=positive)
    run.clock = Clock() if getattr(stream, "has_dates", False) else None
    with _shown(progress if has_rows or progress else False, n_rows) as see:
        run.go(stream.chunks(contestant.pace), max_rows, see)
    results, *others = run.results
    if has_rows:
        results.fits = contestant.fits
        for each in run.results:
            each.features, each.classes = contestant.width, results.classes
            each.label, each.unit = contestant.label, unit or ""
            each.inputs = list(contestant.inputs)
            if unit is None and stream.task == "regression":
                each.unit = unit_of(contestant.label)
        results.without_memory = others.pop() if twin else None
        results.others = others
        if contestant.model is not None and contestant.model.state is not None:
            run.tell_model(contestant.model, contestant.columns)
        contestant.finish()
    return results


@contextmanager
def _shown(progress: Any, n_rows: int | None) -> Iterator[Any]:
    """Show a pass: with the user's function, or else with a bar where there is a terminal."""
    if callable(progress):
        yield lambda results, _: progress(results)
    elif progress is False or sys.stderr is None or not sys.stderr.isatty():
        yield None
    else:
        from mooe.evaluate.progress import RunProgress

        with RunProgress(lambda: n_rows, show_lines=False) as bar:
            yield bar.see


@dataclass(frozen=True)
class Entrant:
    """A learner that takes part in a pass, and what to note of it; see `prequential`."""

    model: str  # what it is called in the results
    learner: Learner
    known: Labels = field(default_factory=Labels)  # in place: its classes, in its order
    watch: bool = False
    regret: bool = False
    store_predictions: bool = False


class Pass:
    """Learners on their way along the same rows.

    `name` and `task` are the stream's, `window` and `seed` as for `prequential`; the schedule of
    labels changes in place. A label with more than `most_classes` is refused; `n_rows` is how many
    rows there will be, where it is known; `positive` is as for `prequential`. `results` are those
    of the entrants, in their order and complete after `go`; `labels` has the classes of the stream
    in the order of appearance.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        name: str,
        task: str,
        schedule: Schedule,
        window: int | None = None,
        seed: int = 0,
        most_classes: int | None = None,
        n_rows: int | None = None,
        positive: Any = None,
    ) -> None:
        if window is not None and window < 1:
            raise ValueError(f"window must be at least 1, got {window!r}")
        fitting = [rows for rows in WINDOWS[:-1] if rows * MOST_WINDOWS >= (n_rows or 0)]
        windows = (*fitting, WINDOWS[-1]) if window is None else (window,)
        self.schedule, self.most_classes, self.positive = schedule, most_classes, positive
        self.clock: Clock | None = None  # given where times are dates
        model = getattr(entrants[0].learner, "model", None)
        self.decision = model.decision if isinstance(model, Model) else None
        self.labels = Labels() if task == "classification" else None
        self.low, self.high = np.inf, -np.inf  # of the values of a regression
        self.has_learnt = False  # whether a label of the stream has come
        self.takes_sparse = all(entrant.learner.takes_sparse for entrant in entrants)
        self.results = [
            Results(entrant.model, name, task, windows[0], seed, origin=origin())
            for entrant in entrants
        ]
        self.trials = [
            _Trial(entrant, _Tally(results, list(windows[1:])), self.labels, schedule.is_immediate)
            for entrant, results in zip(entrants, self.results, strict=True)
        ]

    def go(
        self,
        chunks: Iterable[Chunk],
        max_rows: int | None = None,
        progress: Callable[[Results, np.ndarray], None] | None = None,
    ) -> None:
        """In place: take the rows, to their end or to an interrupt.

        `progress` is called after every chunk with the results so far of the first entrant, whose
        `predictions` and `probabilities` are then those of the chunk, and with the chunk's labels.
        A chunk that is too large when dense is several.
        """
        try:
            for chunk in chunks:
                for trial in self.trials:
                    trial.meet_groups(chunk.groups)
                left = None if max_rows is None else max_rows - self.results[0].rows
                for part in self._parts(chunk.X[:left]):
                    labels = chunk.y[part]
                    times = None if chunk.times is None else chunk.times[part]
                    if self.clock is not None and times is not None:
                        self.clock.see(times)
                    self._take(chunk.X[part], labels, times)
                    if progress is not None:
                        progress(self.trials[0].results_so_far(), labels)
                if left is not None and left <= len(chunk.y):
                    break
            rest = self.schedule.end()
            if rest is not None:
                for trial in self.trials:
                    trial.ask(rest)
        except KeyboardInterrupt:
            for results in self.results:
                results.interrupted = True
        for trial in self.trials:
            trial.conclude(self.positive)
            if self.decision is not None and self.decision.costs is not None:
                trial.tally.note_costs(trial.classes.names, self.decision)
            if self.clock is not None:
                trial.results.times = self.clock.times(rows_spoken_of(trial.results))
                _note_alarms_by_day(trial.results, self.clock.length / DAY)

    def tell_model(self, model: Model, columns: Sequence[Any]) -> None:
        """In place: the first entrant's model knows its columns, and its regimes by date.

        So its results name the inputs that set a regime apart. What the model knows of its columns
        stays; none are given of rows without names.
        """
        known = model.columns or []
        if columns:
            model.columns = [*known, *columns[len(known) :]]
        clock, log = self.clock, self.trials[0].regimes
        if clock is not None and log is not None:
            row_of = log.row_of_samples()
            model.note_dates(lambda sample: clock.date(row_of(sample)))
        self.results[0].concepts = described(self.results[0].concepts, model)

    @property
    def has_labels(self) -> bool:
        """Whether any row so far has a label, learnt or not."""
        return self.low <= self.high if self.labels is None else len(self.labels) > 0

    @property
    def label_is_constant(self) -> bool:
        """Whether all labels so far are the same, at least one."""
        return bool(self.low == self.high) if self.labels is None else len(self.labels) == 1

    @property
    def smaller_class(self) -> tuple[Any, float] | None:
        """The less frequent of two classes and its share of the labels, None of other numbers."""
        trial = self.trials[0]
        if len(trial.classes) != 2 or not isinstance(trial.tally.judge, metrics.ClassJudge):
            return None
        shares = trial.tally.judge.class_shares()
        number = int(np.argmin(shares))
        return trial.classes.names[number], float(shares[number])

    def _parts(self, X: Any) -> list[slice]:
        """Return the parts in which rows are taken: sparse ones may be too large when dense."""
        n, width = X.shape
        check_width(self.results[0].stream, width)
        is_whole = self.takes_sparse or not issparse(X)
        most = max(1, n if is_whole else CELLS // max(1, width))
        return [slice(at, min(n, at + most)) for at in range(0, n, most)] or [slice(0, 0)]

    def _take(self, X: Any, y: np.ndarray, times: np.ndarray | None) -> None:
        """In place: rows come; every learner answers them and learns what labels there are."""
        if issparse(X) and not self.takes_sparse:
            X = X.toarray()
        if self.labels is None:
            truth = y.astype(np.float64)
            self.low = min(self.low, np.nanmin(truth, initial=np.inf))
            self.high = max(self.high, np.nanmax(truth, initial=-np.inf))
        else:
            truth = self.labels.encode(y)
            n_classes = len(self.labels)
            if self.most_classes is not None and n_classes > self.most_classes:
                raise ValueError(
                    f"labels must be of at most {self.most_classes:,} classes, got {n_classes:,}: "
                    "is --label the right column, or the task a regression?"
                )
        events = self.schedule.arrive(X, truth, times)
        n_before = self._rows_before_labels(events)
        for trial in self.trials:
            trial.take(events, truth, n_before)

    def _rows_before_labels(self, events: Events) -> int:
        """In place: return how many of the rows were answered before any label was learnt."""
        if self.has_learnt:
            return 0
        learnt = np.flatnonzero(~np.isnan(events.y))
        self.has_learnt = len(learnt) > 0
        first = int(learnt[0]) if self.has_learnt else len(events.y)
        return int(np.count_nonzero(events.asked[: first + 1]))


def _note_alarms_by_day(results: Results, days: float) -> None:
    """In place: how many alarms a class had by the day, of a stream of at least one."""
    if results.rare and days >= 1.0:
        results.cumulative["alarms_per_day"] = float(results.rare["alarms"] / days)


class _Trial:
    """An entrant on its way: what it is told, what it answers, and how good that is."""

    def __init__(
        self, entrant: Entrant, tally: "_Tally", labels: Labels | None, labels_at_once: bool
    ) -> None:
        self.entrant, self.learner, self.tally = entrant, entrant.learner, tally
        self.results, self.labels_at_once = tally.results, labels_at_once
        self.stored: list[np.ndarray] = []
        self.latest = Answers(np.zeros(0))  # to the rows of the last chunk
        # Whose numbers differ from the stream's: classes of the results, classes of the learner.
        # Both begin with those known before; then the results have them in the order in which they
        # appear, the learner in the order in which it learns them.
        self.shown: _ClassOrder | None = None
        self.learnt: _ClassOrder | None = None
        self.classes = Labels() if labels is None else labels
        if labels is not None and entrant.known.names:
            self.classes = entrant.known if labels_at_once else entrant.known.copy()
            self.shown = _ClassOrder(labels, self.classes)
        if labels is not None and not labels_at_once:
            self.learnt = _ClassOrder(labels, entrant.known)
        results = self.results
        results.classes = self.classes.names
        self.moments: MomentLog | None = None
        self.regimes: RegimeLog | None = None
        self.last_before: float | None = None  # label from before the stream, where it matters
        if isinstance(self.learner, MooeLearner):
            results.remembers = self.learner.remembers
            self.last_before = self.learner.last_label
            if entrant.watch:
                self.moments = MomentLog(self.learner, results.moments)
            if results.remembers == "regimes":
                self.regimes = RegimeLog(self.learner)
        if entrant.regret:
            from mooe.evaluate.regret import RegretMeter  # compiles paper mode

            self.learner = meter = RegretMeter(self.learner)
            results.regrets = meter.regrets

    def meet_groups(self, groups: Sequence[str | None]) -> None:
        """In place: tell a model what columns are indicators of, before rows that have them."""
        if groups and isinstance(self.entrant.learner, MooeLearner):
            self.entrant.learner.model.grow_groups(groups)

    def take(self, events: Events, truth: np.ndarray, n_before: int) -> None:
        """In place: answer and learn events, and count how good the answers are.

        `truth` has the labels of the rows that came; classes are in the stream's numbers. The first
        `n_before` rows came before any label.
        """
        if self.shown is not None:
            truth = self.shown.encode(truth)
        elif self.learnt is None:  # a model that decides by a class has to know which one it is
            for label in self.classes.names[len(self.entrant.known) :]:
                self.entrant.known.number(label)
        answers = self._answers_to_rows(self.ask(events), events)
        self.results.rows += len(truth)
        self.results.features = max(self.results.features, events.X.shape[1])
        self.tally.count(truth, self._without_impossible(answers, n_before))
        self.latest = answers
        if self.entrant.store_predictions:
            self.stored.append(answers.chosen)

    def _without_impossible(self, answers: Answers, n_before: int) -> Answers:
        """In place: count the rows that no answer was possible to, and return the rest as judged.

        Before any label that is every row without an answer; values are not judged without one.
        """
        if self.results.task == "regression":
            self.results.unanswered += int(np.count_nonzero(np.isnan(answers.chosen)))
            return answers
        if not n_before:
            return answers
        chosen = answers.chosen.copy()
        chosen[:n_before][chosen[:n_before] < 0] = metrics.NOT_POSSIBLE
        self.results.unanswered += int(np.count_nonzero(chosen == metrics.NOT_POSSIBLE))
        return Answers(chosen, answers.probabilities)

    def ask(self, events: Events) -> Answers:
        """In place: hand events to the learner, in pieces between looks at its memory."""
        order = self.learnt or self.shown
        y = events.y if order is None else order.encode(events.y)
        known = self._known_at_answers(events)
        pieces = [(0, len(y))] if self.moments is None else self.moments.pieces(events)
        parts = []
        for piece in starmap(slice, pieces):
            began = time.perf_counter()
            now = None if known is None else known[piece]
            parts.append(self.learner.predict_then_learn(events.X[piece], y[piece], now))
            self.results.seconds += time.perf_counter() - began
            if self.regimes is not None:
                self.regimes.add_rows(events.row[piece], y[piece])
                if self.moments is not None:
                    self.regimes.look()
        return parts[0] if len(parts) == 1 else together(parts)

    def _known_at_answers(self, events: Events) -> np.ndarray | None:
        """Return the last label known when each row was answered, in the learner's numbers.

        None where labels come at once, or where the learner has no use for it.
        """
        if self.labels_at_once or self.last_before is None:
            return None
        there = np.isfinite(events.known)
        known = np.where(events.known == -np.inf, self.last_before, events.known)
        if self.learnt is not None:
            known[there] = self.learnt.encode(events.known[there])
        return known

    def _answers_to_rows(self, answers: Answers, events: Events) -> Answers:
        """Return the answers that count, one per row of the stream, in the results' numbers."""
        if self.labels_at_once:
            return answers
        asked = np.flatnonzero(events.asked)
        chosen, chances = answers.chosen[asked], answers.probabilities
        chances = None if chances is None else chances[asked]
        if self.learnt is None or not self.entrant.known.names:
            return Answers(chosen, chances)
        numbers = [self.classes.number(label) for label in self.entrant.known.names]
        if chances is not None:
            spread = np.zeros((len(chances), 1 + max(numbers)))
            spread[:, numbers[: chances.shape[1]]] = chances[:, : len(numbers)]
            chances = spread
        return Answers(np.array([*numbers, -1])[chosen], chances)  # -1 is no answer

    def results_so_far(self) -> Results:
        """Return the results up to now, with the answers to the last chunk as predictions."""
        self.results.cumulative, self.results.judged = self.tally.so_far()
        self.results.predictions = self._named(self.latest.chosen)
        self.results.probabilities = self.latest.probabilities
        return self.results

    def conclude(self, positive: Any) -> None:
        """In place: the measures of what was counted, and what the learner knows in the end."""
        results, classify = self.results, self.results.task == "classification"
        self.tally.measure(len(self.tally.counts))
        results.cumulative, results.judged = self.tally.so_far()
        self.tally.note_extremes(self.classes, positive)
        if self.regimes is not None:
            results.concepts = described(self.regimes.regimes(), self.regimes.learner.model)
        measured = results.cumulative
        are_told = measured.get("accuracy", 0.0) > MOST and measured.get("kappa_m", 0.0) > 0.0
        if isinstance(self.entrant.learner, MooeLearner) and are_told:
            results.weight_of_labels = self.entrant.learner.weight_of_labels()
        results.memory = peak_memory()
        results.predictions = results.probabilities = None
        if self.entrant.store_predictions:
            empty = np.zeros(0, dtype=np.int64 if classify else np.float64)
            results.predictions = self._named(np.concatenate([empty, *self.stored]))

    def _named(self, chosen: np.ndarray) -> np.ndarray:
        """Return answers as the stream has its labels, None for no answer; values as they are."""
        if self.results.task != "classification":
            return chosen
        labels = np.array([*self.classes.names, None], dtype=object)  # the last for no answer, -1
        return np.asarray(labels[chosen.astype(np.int64, copy=False)])


@dataclass
class _ClassOrder:
    """The stream's classes, which are in the order of appearance, in another order."""

    stream: Labels
    own: Labels  # in place: classes are added as they come
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0))  # own; NaN for none yet

    def encode(self, y: np.ndarray) -> np.ndarray:
        """In place: return the numbers here of classes with the stream's numbers; NaN stays."""
        unknown = np.full(len(self.stream) - len(self.numbers), np.nan)
        self.numbers = np.concatenate([self.numbers, unknown])
        there = ~np.isnan(y)
        places = y[there].astype(np.int64)
        for place in dict.fromkeys(places[np.isnan(self.numbers[places])].tolist()):
            self.numbers[place] = self.own.number(self.stream.names[place])
        numbers = np.full(len(y), np.nan)
        numbers[there] = self.numbers[places]
        return numbers


class _Tally:
    """Counts of the windows that are not measured yet, and of all those before.

    `larger` has the lengths of window to go over to when there are too many; each is a multiple of
    the one before. The windows and measures of `results` change in place.
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
        """In place: the first n windows are over; the last of all may be shorter."""
        window, end = self.results.window, len(self.results.windows)
        both = zip(
            self.judge.measures(self.counts[:n]), self.judge.close_windows(n, window), strict=True
        )
        for k, (counted, kept) in enumerate(both, end + 1):
            row = min(k * window, self.rows)
            where = {"row": row, "rows": row - (k - 1) * window}
            self.results.windows.append({**where, **counted, **kept})
        self.past, self.counts = self._all_before(n), self.counts[n:]

    def so_far(self) -> tuple[dict[str, float], int]:
        """Return the measures over all rows, and over how many they are."""
        counts = self._all_before(len(self.counts))
        overall = self.judge.overall(counts)
        return {**self.judge.measures(counts)[0], **overall}, self.judge.n_judged(counts)

    def note_extremes(self, classes: Labels, positive: Any) -> None:
        """In place: what is said of a rare class or of one that is named, or of far labels."""
        results, judge = self.results, self.judge
        if isinstance(judge, metrics.ValueJudge):
            total = self._all_before(len(self.counts))[0]
            results.far = judge.sizes.far(total[metrics.ABSOLUTE], total[metrics.SQUARE])
            return
        shares = judge.class_shares()
        number = rare_class(shares) if positive is None else classes.numbers.get(positive)
        if number is None or number >= len(shares) or not results.judged:
            return
        measures, counted = judge.of_class(self._all_before(len(self.counts)), number)
        results.cumulative |= {key: value for key, value in measures.items() if value == value}
        facts = {"share": float(shares[number]), "is_rare": number == rare_class(shares)}
        results.rare = {"class": classes.names[number], **facts, **counted}

    def note_costs(self, classes: Sequence[Any], decision: Decision) -> None:
        """In place: what the answers cost, false alarms and misses of the class it is about."""
        number, costs = decision.number_of_positive(classes), decision.costs
        if number is None or costs is None or not isinstance(self.judge, metrics.ClassJudge):
            return
        _, counted = self.judge.of_class(self._all_before(len(self.counts)), number)
        false_alarms, misses = (counted[key] - counted["hits"] for key in ("alarms", "rows"))
        self.results.cumulative["cost"] = costs[0] * false_alarms + costs[1] * misses
        self.results.costs = {
            "class": classes[number],
            "false_alarm": costs[0],
            "miss": costs[1],
            "false_alarms": false_alarms,
            "misses": misses,
        }

    def _all_before(self, n: int) -> np.ndarray:
        """Return the counts (1, width) of all rows before window n of those at hand."""
        past = metrics.enlarged(self.past, self.judge.nothing(1))
        return self.judge.joined(np.vstack([past, self.counts[:n]]), n + 1)
