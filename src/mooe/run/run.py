"""A run: a plan's model over its stream, in one pass with the models it is compared with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mooe.evaluate.learners import MooeLearner, Remembering
from mooe.evaluate.loop import Entrant
from mooe.evaluate.measures import TRIVIAL
from mooe.evaluate.results import Results, origin
from mooe.labels import Labels
from mooe.model import Model
from mooe.run.columns import ArrangedStream
from mooe.run.interrupts import Interrupts
from mooe.run.plan import Plan
from mooe.run.registry import make_learner
from mooe.run.source_columns import Kind, SourceColumns, columns_for
from mooe.streams.files import guess_rows
from mooe.streams.stream import Stream

MOST_CLASSES = 1_000


class Run:
    """A plan carried out.

    In one pass with the plan's model go no-change and majority, and, where the plan is to watch it,
    the same model without its memory. These start fresh even where the model goes on.

    Parameters
    ----------
    plan : Plan
    resumed : Model, optional
        The model to go on with.

    Attributes
    ----------
    stream : Stream
    rows : ArrangedStream
        The columns, and what was counted on the way.
    learner : Learner
    results : Results
        Of the model, complete once it has run.
    others : list of Results
        Of no-change and majority.
    without_memory : Results or None
    """

    def __init__(self, plan: Plan, resumed: Model | None = None) -> None:
        self.plan, self.stream = plan, plan.open_stream()
        self.rows, task = ArrangedStream(self.stream), self.stream.task
        self.learner: Any = plan.make_learner(task) if resumed is None else MooeLearner(resumed)
        self.model = self.learner.model if isinstance(self.learner, MooeLearner) else None
        if resumed is not None:
            _check_task(resumed, self.stream)
            self.rows.columns = columns_for(resumed, self.stream)
            self.rows.labels = list(resumed.labels.names)
        self.rows.keeps_sparse = self.learner.takes_sparse
        labels = Labels() if self.model is None else self.model.labels
        entrants = [Entrant(plan.model, self.learner, labels, plan.watch, plan.regret)]
        entrants += [
            Entrant(name, make_learner(name, task)) for name in TRIVIAL if name != plan.model
        ]
        remembers = isinstance(self.learner, Remembering) and self.learner.remembers
        has_twin = plan.watch and bool(remembers)
        if has_twin:
            twin, name = plan.without_memory()
            entrants.append(Entrant(name, twin.make_learner(task)))
        self.one_pass = plan.begin_pass(entrants, self.stream, MOST_CLASSES)
        self.results, *others = self.one_pass.results
        self.without_memory = others.pop() if has_twin else None
        self.others: list[Results] = others

    def go(self, progress: Callable[[Results, np.ndarray], None] | None = None) -> None:
        """In place: run to the end of the stream, or to an interrupt.

        Parameters
        ----------
        progress : callable, optional
            As for `mooe.evaluate.loop.Pass.go`.
        """
        with Interrupts() as interrupts:
            self.one_pass.go(interrupts.between(self.rows.chunks()), progress=progress)
        for results in self.one_pass.results:
            results.features = len(self.stream.feature_names)
            results.classes = self.results.classes

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
        texts = set(self.rows.texts)
        inputs: dict[str, Kind] = {
            name: "text" if name in texts else "number" for name in self.stream.feature_names
        }
        self.model.columns = list(self.rows.columns)
        label, kind = self.plan.options.get("label"), self.stream.label_kind
        SourceColumns(self.plan.model, inputs, label, kind).note(self.model)
        self.model.save(path)


def evaluate(plan: Plan) -> Results:
    """Return the results of a plan's model by itself, without a word on the way."""
    stream = plan.open_stream()
    learner = plan.make_learner(stream.task)
    rows = ArrangedStream(stream, keeps_sparse=learner.takes_sparse)
    entrant = Entrant(plan.model, learner, watch=plan.watch, regret=plan.regret)
    one_pass = plan.begin_pass([entrant], stream)
    one_pass.go(rows.chunks())
    results = one_pass.results[0]
    results.features = len(stream.feature_names)
    results.origin = origin(data=stream.digest() or "")
    return results


def _check_task(resumed: Model, stream: Stream) -> None:
    """Raise ValueError unless the stream sets the task that the model was made for."""
    if resumed.task != stream.task:
        raise ValueError(
            f"{stream.name} must be a {resumed.task}, as the model is, got a {stream.task}"
        )
