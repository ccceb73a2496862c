"""Learners, as evaluation knows them: they take rows in order, answer each, then learn its label.

Labels are class numbers in the order in which the learner meets them, or values; NaN means that the
row is only to be answered. Any schedule of late, shuffled or missing labels is a sequence of such
rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from mooe.auto.params import MEMORIES, AutoParams
from mooe.auto.roster import EXPERTS
from mooe.engine import AnyParams
from mooe.evaluate.metrics import leaders
from mooe.evaluate.schedule import last_before
from mooe.explanation import MOST, weight_of_labels
from mooe.model import Model
from mooe.numerics.blocks import State
from mooe.numerics.scores import probabilities
from mooe.streams.stream import stacked


@dataclass(frozen=True)
class Answers:
    """What a learner said of rows, before their labels."""

    chosen: np.ndarray  # (n,): class numbers, -1 for no answer; or values, NaN for no answer
    probabilities: np.ndarray | None = None  # (n, n_classes)


class Learner(Protocol):
    """Anything that answers and learns rows in order."""

    @property
    def takes_sparse(self) -> bool:
        """Whether rows may be a scipy CSR matrix."""

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row of X (n, width) with y (n,), then learn it if it has a label.

        Labels are class numbers or values; NaN for a row that is only answered. Where they come
        late, `known` (n,) has the last label that was known when each row was answered, -inf for
        none; without it, that is the one learnt last.
        """


class MooeLearner:
    """A Model among the learners, whose memory can be looked at along the way.

    It starts from a model that goes on, or from the parameters of a new one: the default's, or the
    paper's. `interval` is how many labels its memory is cut into pieces of; `remembers` says what
    it keeps of the past: "" (nothing), paper mode's "intervals", the default model's "regimes".
    """

    def __init__(self, start: Model | AnyParams) -> None:
        self.model = start if isinstance(start, Model) else Model(start)
        self.params = self.model.params
        self.takes_sparse = self.params.mode == "auto"
        self.interval = self.params.interval
        _ = self.model.engine  # whose code is compiled, or loaded, before the first row is timed
        kind = {"auto": "regimes", "paper": "intervals"}[self.params.mode]
        self.remembers = kind if self.params.remembers else ""

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it; features may be added at the end of X."""
        chosen, scores = self.model.answer_then_learn(X, y, known=known)
        if self.params.task == "regression":
            return Answers(chosen)
        return Answers(chosen, probabilities(self.params, scores))

    @property
    def state(self) -> State | None:
        """What the model has learnt, None before the first row."""
        return self.model.state

    @property
    def n_labelled(self) -> int:
        """Labels learnt so far."""
        return self.model.n_labelled

    @property
    def last_label(self) -> float | None:
        """The last label learnt, -inf for none; None where no expert repeats it, in paper mode."""
        if self.params.mode == "paper":
            return None
        last = math.nan if self.state is None else self.state.last
        return -math.inf if math.isnan(last) else last

    def weight_of_labels(self) -> float:
        """Return the weight of experts that see the labels before alone, if most; 0 for less."""
        share = weight_of_labels(self.model.experts())
        return share if share > MOST else 0.0

    def memory(self) -> tuple[list[int], list[float]]:
        """Return intervals of the past that are remembered, and all weights, the online one's last.

        In paper mode those of the offline experts. Of a regime it is the interval that it was made
        in; the weight of the memory is that of the regime in charge.
        """
        if self.state is None:
            return [], [1.0]
        return self.model.engine.recalled(self.params, self.state)

    def concepts(self) -> tuple[int, list[dict[str, Any]]]:
        """Return which of its memories is shown, and the regimes with a name that it knows.

        Names are those of one memory; samples are counted by their labels, as in
        `mooe.explanation.Concept`.
        """
        if self.state is None:
            return 0, []
        names = ("name", "samples", "recognised", "first", "last", "visits", "in_charge")
        regimes = self.model.engine.concepts(self.params, self.state)
        listed = [{name: getattr(regime, name) for name in names} for regime in regimes]
        return getattr(self.state, "shown", 0), listed


def without_memory(model: Model) -> tuple[str, MooeLearner] | None:
    """Return the same model without its memory, before its first row, and what to call that.

    None of one that has no memory, or nothing else.
    """
    params, name = model.params, "ogd"
    left_out = {*getattr(params, "without", ()), *MEMORIES}
    if not params.remembers or set(EXPERTS) <= left_out:
        return None
    if isinstance(params, AutoParams):
        bare: AnyParams = replace(params, without=tuple(left_out))
        name = "mooe, no memory"
    else:
        bare = replace(params, max_experts=1)
    twin = Model(bare)
    twin.added = list(model.added)
    if model.decision is not None:
        twin.decide(model.decision)
    return name, MooeLearner(twin)


@dataclass(eq=False)
class NoChange:
    """Always repeats the last label that it has learnt."""

    takes_sparse = True
    task: str = "classification"
    last: float = np.nan

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer the last label learnt before each row."""
        before, self.last = last_before(y, self.last)
        return Answers(_as_answers(self.task, before))


@dataclass(eq=False)
class Majority:
    """Always names the most frequent class that it has learnt; in regression the mean."""

    takes_sparse = True
    task: str = "classification"
    naive: np.ndarray | None = None
    total: float = 0.0
    n_learnt: int = 0

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer the most frequent class, or the mean, learnt before each row."""
        if self.task == "classification":
            leader, self.naive = leaders(y, self.naive)
            return Answers(leader)
        has_label = ~np.isnan(y)
        totals = np.concatenate([[self.total], np.where(has_label, y, 0.0)]).cumsum()
        counts = np.concatenate([[self.n_learnt], has_label]).cumsum()
        means = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
        self.total, self.n_learnt = float(totals[-1]), int(counts[-1])
        return Answers(means[:-1])


def _as_answers(task: str, chosen: np.ndarray) -> np.ndarray:
    """Return class numbers with -1 for none, from numbers with NaN for none; values as they are."""
    if task != "classification":
        return chosen
    return np.where(np.isnan(chosen), -1, chosen).astype(np.int64)


def together(parts: Sequence[Answers]) -> Answers:
    """Return the answers to all rows; classes that were not known yet had probability 0."""
    chosen = np.concatenate([part.chosen for part in parts])
    tables = [part.probabilities for part in parts if part.probabilities is not None]
    if len(tables) < len(parts):
        return Answers(chosen)
    return Answers(chosen, stacked(tables, max(table.shape[1] for table in tables)))
