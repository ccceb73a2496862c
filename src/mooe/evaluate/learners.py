"""Learners, as evaluation knows them: they take rows in order, answer each, then learn its label.

Labels are class numbers in the order in which the learner meets them, or values; NaN means that the
row is only to be answered. Any schedule of late, shuffled or missing labels is a sequence of such
rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from mooe.engine import AnyParams
from mooe.evaluate.metrics import leaders
from mooe.evaluate.schedule import last_before
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


@dataclass(eq=False)
class SklearnLearner:
    """Any scikit-learn model with `partial_fit`, row by row; missing values become the mean so far.

    scikit-learn asks beforehand how many classes there will be; `n_classes` is 0 in regression.
    """

    takes_sparse = False
    model: Any
    n_classes: int = 0
    fitted: bool = False
    seen: np.ndarray = field(default_factory=lambda: np.zeros(0))
    mean: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it; columns beyond the first rows' are left out."""
        if not len(self.seen):
            self.seen, self.mean = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        chosen = np.full(len(X), np.nan)
        probabilities = None
        if self.n_classes and hasattr(self.model, "predict_proba"):
            probabilities = np.full((len(X), self.n_classes), np.nan)
        for i, label in enumerate(y):
            row = X[i : i + 1, : len(self.seen)]
            row = np.where(np.isnan(row), self.mean, row)
            if self.fitted:
                chosen[i] = self.model.predict(row)[0]
                if probabilities is not None:
                    probabilities[i] = self.model.predict_proba(row)[0]
            if np.isnan(label):
                continue
            self.seen += 1.0
            self.mean += (row[0] - self.mean) / self.seen
            if self.n_classes:
                self.model.partial_fit(row, [int(label)], classes=np.arange(self.n_classes))
            else:
                self.model.partial_fit(row, [label])
            self.fitted = True
        task = "classification" if self.n_classes else "regression"
        return Answers(_as_answers(task, chosen), probabilities)


@dataclass(eq=False)
class RiverLearner:
    """Any River model, row by row from dicts; a missing value is an absent key."""

    takes_sparse = False
    model: Any
    task: str = "classification"

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it."""
        classify = self.task == "classification"
        names = [f"x{j}" for j in range(X.shape[1])]
        chosen: list[float | None] = []
        chances: list[dict[int, float]] = []  # of the classes, by row
        for values, label in zip(X.tolist(), y.tolist(), strict=True):
            x = {name: v for name, v in zip(names, values, strict=True) if v == v}
            if classify:
                chances.append(self.model.predict_proba_one(x))
                chosen.append(max(chances[-1], key=chances[-1].__getitem__, default=None))
            else:
                chosen.append(self.model.predict_one(x))
            if label == label:
                self.model.learn_one(x, int(label) if classify else label)
        answers = _as_answers(self.task, np.array(chosen, dtype=np.float64))
        if not classify:
            return Answers(answers)
        width = 1 + max((int(number) for row in chances for number in row), default=0)
        table = np.zeros((len(chances), width))  # a class that is not named has 0
        for i, row in enumerate(chances):
            table[i, [int(number) for number in row]] = list(row.values())
        return Answers(answers, table)


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
