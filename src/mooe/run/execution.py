"""A plan, and its run: a model over a stream, in one pass with the models it is compared with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from mooe.datasets import Stream, open_stream
from mooe.evaluate.dates import Clock
from mooe.evaluate.learners import Learner, MooeLearner, without_memory
from mooe.evaluate.loop import Entrant, Pass, prequential
from mooe.evaluate.measures import trivial_models, unit_of
from mooe.evaluate.results import MOST_INPUTS, Results, origin
from mooe.evaluate.schedule import Delay, Schedule
from mooe.labels import Labels
from mooe.model import Model
from mooe.run.interrupts import Interrupts
from mooe.run.registry import make_learner, shown_name
from mooe.run.source_columns import columns_for
from mooe.streams.arrangement import ArrangedStream, label_of
from mooe.streams.cells import CLOCK
from mooe.streams.files import guess_rows
from mooe.streams.stream import StreamError
from mooe.tables import SourceColumns

MOST_CLASSES = 1_000


@dataclass(frozen=True)
class Plan:
    """What is to be run; equal plans give equal results.

    What is not explained is as for `mooe.evaluate.prequential`.
    """

    source: str  # a file, the name of a stream, or '-'
    model: str = "mooe"  # one of `mooe.run.registry.MODELS`
    parameters: dict[str, str] = field(default_factory=dict)  # of the model
    options: dict[str, Any] = field(default_factory=dict)  # of `mooe.datasets.open_stream`
    delay: Delay = 0
    label_probability: float = 1.0
    window: int | None = None
    seed: int = 0
    regret: bool = False
    watch: bool = False
    # Of a regression's label; by default what its name has in brackets, or its cells beside them.
    unit: str | None = None
    regimes: bool = False  # whether every visit of a regime is noted, as where it is watched
    threshold: Any = None  # of `mooe.decision.Decision`; None: as the model decides by itself
    positive: Any = None  # the class that it is about, or its text

    def open_stream(self) -> Stream:
        """Return the stream; a delay in time needs one that has times."""
        stream = open_stream(self.source, seed=self.seed, **self.options)
        if isinstance(self.delay, timedelta) and stream.time is None and stream.times is None:
            raise StreamError(
                "delay",
                f"be in rows, for {stream.name} has no column of dates",
                str(self.delay),
                "--time COLUMN names a column of times that are numbers",
            )
        return stream

    def on(self, stream: Stream, known: Sequence[Any] = ()) -> "Plan":
        """Return the plan with the positive class as the labels of a stream have it."""
        if self.positive is None:
            return self
        return replace(self, positive=label_of(str(self.positive), stream, known))

    def make_learner(self, task: str) -> Learner:
        """Return the model before its first row."""
        return self.decided(make_learner(self.model, task, self.seed, self.parameters))

    def decided(self, learner: Learner) -> Learner:
        """In place: let a learner answer by the threshold, if there is one; return it."""
        if self.threshold is not None:
            if not isinstance(learner, MooeLearner):
                rule = "model must be mooe, mooe-paper or ogd to answer by a threshold"
                raise ValueError(f"{rule}, got {self.model!r}")
            learner.model.answer_by(self.threshold, self.positive)
        return learner

    def note_columns(self, results: Results, stream: Stream) -> None:
        """In place: what inputs and label are called, and in which unit its values are."""
        names = stream.feature_names if stream.kinds is not None else ()
        results.features = len(stream.feature_names)
        results.inputs = list(names[:MOST_INPUTS])
        results.label = self.options.get("label") or ""
        if results.task == "regression":
            beside = stream.units.get(results.label, "").replace(CLOCK, "s")
            told = unit_of(results.label) or beside
            results.unit = told if self.unit is None else self.unit


class Run:
    """A plan carried out.

    In one pass with the plan's model, new or `resumed`, go no-change and majority, and, where the
    plan is to watch it, the same model without its memory. These start fresh even where the model
    goes on. `rows` has the columns, and what was counted on the way; `results` are the model's, and
    have those of the others with them, all complete once it has run.
    """

    def __init__(self, plan: Plan, resumed: Model | None = None) -> None:
        self.stream = plan.open_stream()
        plan = plan.on(self.stream, () if resumed is None else resumed.labels.names)
        self.plan, self.rows, task = plan, ArrangedStream(self.stream), self.stream.task
        self.learner: Any = (
            plan.make_learner(task) if resumed is None else plan.decided(MooeLearner(resumed))
        )
        self.model: Model | None = None
        if isinstance(self.learner, MooeLearner):
            self.model = self.learner.model
        if resumed is not None:
            if resumed.task != task:
                raise ValueError(
                    f"{self.stream.name} must be a {resumed.task}, as the model is, got a {task}"
                )
            self.rows.columns = columns_for(resumed, self.stream)
            self.rows.labels = list(resumed.labels.names)
        self.rows.keeps_sparse = self.learner.takes_sparse
        labels = Labels() if self.model is None else self.model.labels
        shown, looks = shown_name(plan.model, task), plan.watch or plan.regimes
        entrants = [Entrant(shown, self.learner, labels, looks, plan.regret)]
        entrants += [
            Entrant(name, make_learner(name, task))
            for name in trivial_models(task)
            if name != shown
        ]
        twin = without_memory(self.model) if plan.watch and self.model is not None else None
        if twin is not None:
            entrants.append(Entrant(*twin, twin[1].model.labels))
        schedule = Schedule(plan.delay, plan.label_probability, plan.seed)
        name, window = self.stream.name, plan.window
        shared = (name, task, schedule, window, plan.seed, MOST_CLASSES)
        self.one_pass = Pass(entrants, *shared, positive=plan.positive)
        self.one_pass.clock = Clock() if self.stream.has_dates else None
        self.results, *others = self.one_pass.results
        self.results.without_memory = others.pop() if twin is not None else None
        self.results.others = others

    def go(self, progress: Callable[[Results, np.ndarray], None] | None = None) -> None:
        """In place: run to the end of the stream, or to an interrupt; see `Pass.go`."""
        with Interrupts() as interrupts:
            self.one_pass.go(interrupts.between(self.rows.chunks()), progress=progress)
        for results in self.one_pass.results:
            results.classes = self.results.classes
            self.plan.note_columns(results, self.stream)
        if self.model is not None and self.model.state is not None:
            self.one_pass.tell_model(self.model, self.rows.columns)

    def count_rows(self) -> int | None:
        """Return about how many rows there will be, None where one cannot say."""
        if self.stream.n_rows is not None or self.plan.source == "-":
            return self.stream.n_rows
        guess = guess_rows(Path(self.plan.source).expanduser())
        return min(filter(None, (guess, self.plan.options.get("max_rows"))), default=None)

    def save_model(self, path: Path) -> None:
        """Write the model to a file, with what is known of the table."""
        if self.model is None:
            raise ValueError(f"a model to be saved must learn, got {self.plan.model!r}")
        if self.model.state is None:
            raise ValueError(f"a model must have seen a row to be saved, got none for {path}")
        label = self.plan.options.get("label")
        SourceColumns.of_stream(self.plan.model, self.stream, label).note(self.model)
        self.model.save(path)


def evaluate(plan: Plan) -> Results:
    """Return the results of a plan's model by itself, without a word on the way."""
    stream = plan.open_stream()
    plan = plan.on(stream)
    learner = plan.make_learner(stream.task)
    rows = ArrangedStream(stream, keeps_sparse=learner.takes_sparse)
    shared = ("delay", "label_probability", "window", "seed", "watch", "regret", "positive")
    judged: Any = {name: getattr(plan, name) for name in shared}
    results = prequential(learner, rows, model=shown_name(plan.model, stream.task), **judged)
    plan.note_columns(results, stream)
    results.origin = origin(data=stream.digest() or "")
    return results
