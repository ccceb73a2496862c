"""A plan: which model runs over which stream, and how it is judged."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mooe.auto.params import MEMORIES
from mooe.datasets import Stream, open_stream
from mooe.evaluate.learners import Learner
from mooe.evaluate.loop import Entrant, Pass
from mooe.evaluate.schedule import Delay, Schedule
from mooe.run.registry import make_learner


@dataclass(frozen=True)
class Plan:
    """What is to be run; equal plans give equal results.

    Attributes
    ----------
    source : str
        A file, the name of a stream, or '-'.
    model : str
        One of `mooe.run.registry.MODELS`.
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

    def open_stream(self) -> Stream:
        """Return the stream."""
        return open_stream(self.source, seed=self.seed, **self.options)

    def make_learner(self, task: str) -> Learner:
        """Return the model before its first row."""
        return make_learner(self.model, task, self.seed, self.parameters)

    def begin_pass(
        self, entrants: Sequence[Entrant], stream: Stream, most_classes: int | None = None
    ) -> Pass:
        """Return a pass over the stream before its first row, to be judged as this plan says."""
        schedule = Schedule(self.delay, self.label_probability, self.seed)
        return Pass(
            entrants,
            stream.name,
            stream.task,
            schedule,
            self.window,
            self.seed,
            most_classes=most_classes,
        )

    def without_memory(self) -> "tuple[Plan, str]":
        """Return the plan of the same model without its memory, and what to call that."""
        parameters = dict(self.parameters)
        if self.model == "mooe":
            parts = [*MEMORIES, *parameters.get("without", "").split(",")]
            parameters["without"] = ",".join(part for part in parts if part)
            return replace(self, parameters=parameters), "mooe, no memory"
        parameters.pop("max_experts", None)
        return replace(self, model="ogd", parameters=parameters), "ogd"
