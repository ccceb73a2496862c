"""One model over one stream, as the command runs it, with the floor of every table beside it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mooe import evaluate
from mooe.auto.params import MEMORIES
from mooe.datasets import Stream, open_stream
from mooe.evaluate import Numbering, prequential
from mooe.feed import Feed, Interrupts, Spool
from mooe.learners import Learner, MooeLearner
from mooe.models import TRIVIAL, make_learner
from mooe.results import Results, origin
from mooe.schedule import Delay, Schedule

if TYPE_CHECKING:  # it loads scikit-learn, which few runs need
    from mooe.saved import SavedModel

__all__ = ["Plan", "Run", "evaluated", "without_memory"]


@dataclass(frozen=True)
class Plan:
    """What is to be run; equal plans give equal results.

    Attributes
    ----------
    source : str
        A file, the name of a stream, or '-'.
    model : str
        One of `mooe.models.MODELS`.
    parameters : dict of str to str
        Of the model.
    options : dict
        Of `mooe.datasets.open_stream`.
    delay, label_probability, window, seed, regret, watch
        As for `mooe.evaluate.prequential`.
    """

    source: str
    model: str = "mooe"
    parameters: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    delay: Delay = 0
    label_probability: float = 1.0
    window: int | None = None
    seed: int = 0
    regret: bool = False
    watch: bool = False

    def opened(self) -> Stream:
        """Return the stream."""
        return open_stream(self.source, seed=self.seed, **self.options)

    def judged(self, learner: Learner, stream: Any, model: str, **more: Any) -> Results:
        """In place: run a learner over a stream, as this plan says."""
        return prequential(
            learner,
            stream,
            model=model,
            delay=self.delay,
            label_probability=self.label_probability,
            window=self.window,
            seed=self.seed,
            **more,
        )


class Run:
    """A plan carried out.

    Attributes
    ----------
    stream : Stream
    feed : Feed
        The columns, and what was counted on the way.
    learner : Learner
    results : Results
        Once it has run.
    others : list of Results
        Of the trivial models on the same rows.
    alone : Results or None
        Of the model without its memory on the same rows, where the plan is to watch it.
    """

    def __init__(self, plan: Plan, resumed: "SavedModel | None" = None) -> None:
        self.plan, self.known = plan, Numbering()
        self.stream = plan.opened()
        self.feed = Feed(self.stream, spool=Spool(self.stream.task))
        if resumed is None:
            self.learner = make_learner(plan.model, self.stream.task, plan.seed, plan.parameters)
        else:
            check_task(resumed, self.stream)
            self.learner, self.feed.columns = resumed.learner, list(resumed.columns)
            self.feed.labels = resumed.labels
            for label in resumed.labels:
                self.known.number(label)
        self.feed.keeps_sparse = getattr(self.learner, "takes_sparse", False)
        self.results = Results(plan.model, self.stream.name, self.stream.task, plan.window or 0, 0)
        self.others: list[Results] = []
        self.alone: Results | None = None

    def go(self, progress: Callable[[Results], None] | None = None) -> None:
        """In place: run to the end of the stream, or to an interrupt."""
        beside = self.beginning_alone()
        with Interrupts() as self.feed.interrupts:
            self.results = self.plan.judged(
                self.learner,
                self.feed,
                self.plan.model,
                watch=self.plan.watch,
                regret=self.plan.regret,
                known=self.known,
                progress=progress,
            )
        self.results.features = len(self.stream.feature_names)
        if beside is not None:
            if not self.results.interrupted:
                beside.finish()
            beside.conclude()
            self.alone = beside.results
            self.alone.features = self.results.features
            self.alone.interrupted = self.results.interrupted

    def beginning_alone(self) -> "evaluate.Run | None":
        """In place: a model that is watched gets the same rows without its memory too."""
        remembers = isinstance(self.learner, MooeLearner) and self.learner.params.remembers
        if not (self.plan.watch and remembers):
            return None
        plan = self.plan
        model, parameters, name = without_memory(plan)
        learner = make_learner(model, self.stream.task, plan.seed, parameters)
        schedule = Schedule(plan.delay, plan.label_probability, plan.seed)
        stream: Any = self.stream
        beside = evaluate.Run(learner, stream, name, schedule, plan.window, plan.seed)
        self.feed.beside = lambda piece: beside.take(piece.X, piece.y, piece.times)
        return beside

    def judge_trivial(self) -> None:
        """In place: the trivial models, on the labels of the same rows."""
        spool = self.feed.spool
        if spool is None:
            return
        spool.name = self.stream.name
        self.others = [
            self.plan.judged(make_learner(name, spool.task), spool, name)
            for name in TRIVIAL
            if name != self.plan.model
        ]
        for other in self.others:
            other.features, other.classes = self.results.features, self.results.classes

    def saved_model(self) -> "SavedModel":
        """Return the model as it is to be saved."""
        if not isinstance(self.learner, MooeLearner):
            raise ValueError(f"a model to be saved must learn, got {self.plan.model!r}")
        from mooe.saved import SavedModel

        texts = self.feed.texts
        return SavedModel(
            self.learner,
            self.plan.model,
            self.known.labels,
            list(self.feed.columns),
            {name: "text" if name in texts else "number" for name in self.stream.feature_names},
            self.plan.options.get("label"),
            self.stream.label_kind,
        )


def check_task(resumed: "SavedModel", stream: Stream) -> None:
    """Raise ValueError unless the stream sets the task that the model was made for."""
    if resumed.learner.params.task != stream.task:
        raise ValueError(
            f"{stream.name} must be a {resumed.learner.params.task}, as the model is, "
            f"got a {stream.task}"
        )


def evaluated(plan: Plan) -> Results:
    """Return the results of a plan, without saying anything on the way."""
    stream = plan.opened()
    learner = make_learner(plan.model, stream.task, plan.seed, plan.parameters)
    watch = plan.watch and isinstance(learner, MooeLearner)
    feed = Feed(stream, keeps_sparse=getattr(learner, "takes_sparse", False))
    results = plan.judged(learner, feed, plan.model, watch=watch, regret=plan.regret)
    results.features = len(stream.feature_names)
    results.origin = origin(data=stream.digest() or "")
    return results


def without_memory(plan: Plan) -> tuple[str, dict[str, str], str]:
    """Return the model, its parameters and what to call it, that is a plan's without its memory."""
    parameters = dict(plan.parameters)
    if plan.model == "mooe":
        parts = [*MEMORIES, *parameters.get("without", "").split(",")]
        parameters["without"] = ",".join(part for part in parts if part)
        return "mooe", parameters, "mooe, no memory"
    parameters.pop("max_experts", None)
    return "ogd", parameters, "ogd"
