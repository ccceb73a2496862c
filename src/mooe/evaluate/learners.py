"""What can be evaluated: every learner takes rows in order, answers each, then learns its label.

A learner has one method, `predict_then_learn(X, y) -> Answers`. Labels are class numbers in the
order of appearance, or values; NaN means that the row is only to be answered. Any schedule of late,
shuffled or missing labels is a sequence of such rows, so a learner needs nothing else. One that has
a `last_label` is also told, as `known`, the last label known when each row was answered.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from mooe.engine import AnyParams, engine_of
from mooe.evaluate.counting import leaders
from mooe.numerics.blocks import State
from mooe.numerics.scores import answers, probabilities

__all__ = [
    "Answers",
    "Learner",
    "Majority",
    "MooeLearner",
    "NoChange",
    "RiverLearner",
    "SklearnLearner",
    "together",
]


@dataclass(frozen=True)
class Answers:
    """What a learner said of rows, before their labels.

    Attributes
    ----------
    chosen : array (n,)
        Class numbers, -1 for no answer; in regression values, NaN for no answer.
    probabilities : array (n, n_classes) or None
    """

    chosen: np.ndarray
    probabilities: np.ndarray | None = None


class Learner(Protocol):
    """Anything that answers and learns rows in order."""

    def predict_then_learn(self, X: np.ndarray, y: np.ndarray) -> Answers:
        """In place: answer each row, then learn it if it has a label."""
        ...


class MooeLearner:
    """MOOE on its core: the default model, or, with `Params`, the algorithm as published."""

    def __init__(self, params: AnyParams, state: State | None = None) -> None:
        self.params = params
        self.state = state
        self.core: Any = engine_of(params)
        self.takes_sparse = params.mode == "auto"

    def predict_then_learn(
        self, X: np.ndarray, y: np.ndarray, known: np.ndarray | None = None
    ) -> Answers:
        """In place: answer each row, then learn it; features may be added at the end of X."""
        X = X if issparse(X) else np.ascontiguousarray(X)
        if self.state is None:
            self.state = self.core.init(self.params, X.shape[1])
        elif X.shape[1] > self.state.n_features:
            self.core.grow_inputs(self.params, self.state, X.shape[1])
        self.core.check_inputs(self.params, X, absent_allowed=True)
        told = {} if known is None else {"known": known}
        scores = self.core.predict_then_learn(self.params, self.state, X, y, **told)
        chosen = answers(self.params, scores)
        if self.params.task == "regression":
            return Answers(chosen)
        return Answers(chosen, probabilities(self.params, scores))

    @property
    def n_labelled(self) -> int:
        """Labels learnt so far."""
        return 0 if self.state is None else self.state.n_labelled

    @property
    def last_label(self) -> float | None:
        """The last label learnt, -inf for none; None where no expert repeats it, in paper mode."""
        if self.params.mode == "paper":
            return None
        last = math.nan if self.state is None else self.state.last
        return -math.inf if math.isnan(last) else last

    def labels_until_last(self) -> int:
        """Return how many labels are to come before the last one of the open interval."""
        return self.params.interval - 1 - self.n_labelled % self.params.interval

    def memory(self) -> tuple[list[int], list[float]]:
        """Return intervals of the past that are remembered, and all weights, the online one's last.

        In paper mode those of the offline experts. Of a concept it is the interval that it was made
        in; the weight of the memory is that of the concept in charge.
        """
        if self.state is None:
            return [], [1.0]
        names, weights = self.core.recalled(self.params, self.state)
        return names, weights

    @property
    def remembers(self) -> str:
        """What it keeps of the past: "regimes", "intervals" in paper mode, "" for nothing."""
        if not self.params.remembers:
            return ""
        return "regimes" if self.params.mode == "auto" else "intervals"

    def concepts(self) -> tuple[int, list[dict[str, Any]]]:
        """Return which of its memories is shown, and the regimes with a name that it knows.

        Names are those of one memory; samples are counted by their labels, as in
        `mooe.auto.regimes.Concept`.
        """
        if self.state is None or self.params.mode == "paper":
            return 0, []
        found = [vars(one).copy() for one in self.core.concepts(self.params, self.state)]
        return self.state.shown, found


class NoChange:
    """Always repeats the last label that it was told."""

    def __init__(self, task: str = "classification") -> None:
        self.task = task
        self.last = np.nan

    def predict_then_learn(self, X: np.ndarray, y: np.ndarray) -> Answers:
        """In place: answer the last label known at each row."""
        told = np.concatenate([[self.last], y])
        newest = np.maximum.accumulate(np.where(np.isnan(told), 0, np.arange(len(told))))
        before = told[newest]
        self.last = before[-1]
        return Answers(as_answers(self.task, before[:-1]))


class Majority:
    """Always names the most frequent class that it was told; in regression the mean."""

    def __init__(self, task: str = "classification") -> None:
        self.task = task
        self.naive: np.ndarray | None = None
        self.total, self.told = 0.0, 0

    def predict_then_learn(self, X: np.ndarray, y: np.ndarray) -> Answers:
        """In place: answer the most frequent class, or the mean, known at each row."""
        if self.task == "classification":
            leader, self.naive = leaders(y, self.naive)
            return Answers(leader)
        known = ~np.isnan(y)
        totals = np.concatenate([[0.0], np.where(known, y, 0.0).cumsum()]) + self.total
        counts = np.concatenate([[0], known.cumsum()]) + self.told
        means = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
        self.total, self.told = totals[-1], int(counts[-1])
        return Answers(means[:-1])


class SklearnLearner:
    """Any scikit-learn model with `partial_fit`, row by row; missing values become the mean so far.

    Parameters
    ----------
    model : estimator
    n_classes : int
        How many classes there will be, which scikit-learn asks for beforehand; 0 in regression.
    """

    def __init__(self, model: Any, n_classes: int = 0) -> None:
        self.model = model
        self.n_classes = n_classes
        self.fitted = False
        self.seen = self.mean = np.zeros(0)

    def predict_then_learn(self, X: np.ndarray, y: np.ndarray) -> Answers:
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
            if not np.isnan(label):
                self.learn(row, label)
        return Answers(
            as_answers("classification" if self.n_classes else "", chosen), probabilities
        )

    def learn(self, row: np.ndarray, label: float) -> None:
        """In place: the model learns one row, and the means take it in."""
        self.seen += 1.0
        self.mean += (row[0] - self.mean) / self.seen
        if self.n_classes:
            self.model.partial_fit(row, [int(label)], classes=np.arange(self.n_classes))
        else:
            self.model.partial_fit(row, [label])
        self.fitted = True


class RiverLearner:
    """Any River model, row by row from dicts; a missing value is an absent key.

    Parameters
    ----------
    model : River classifier or regressor
    task : {"classification", "regression"}
    """

    def __init__(self, model: Any, task: str = "classification") -> None:
        self.model = model
        self.task = task

    def predict_then_learn(self, X: np.ndarray, y: np.ndarray) -> Answers:
        """In place: answer each row, then learn it."""
        classify = self.task == "classification"
        names = [f"x{j}" for j in range(X.shape[1])]
        chosen: list[Any] = []
        given: list[dict[int, float]] = []
        whole = not np.isnan(X).any()
        for values, label in zip(X.tolist(), y.tolist(), strict=True):
            x = dict(zip(names, values, strict=True))
            if not whole:
                x = {name: value for name, value in x.items() if value == value}
            if classify:
                given.append(self.model.predict_proba_one(x))
                chosen.append(max(given[-1], key=given[-1].get) if given[-1] else np.nan)  # type: ignore[arg-type]
            else:
                chosen.append(self.model.predict_one(x))
            if label == label:
                self.model.learn_one(x, int(label) if classify else label)
        answers = np.array([np.nan if one is None else one for one in chosen], dtype=np.float64)
        return Answers(as_answers(self.task, answers), table(given) if classify else None)


def as_answers(task: str, chosen: np.ndarray) -> np.ndarray:
    """Return class numbers with -1 for none, from numbers with NaN for none; values as they are."""
    if task != "classification":
        return chosen
    return np.where(np.isnan(chosen), -1, chosen).astype(np.int64)


def table(given: list[dict[int, float]]) -> np.ndarray:
    """Return probabilities (n, n_classes) from dicts; a class that is not named has 0."""
    width = 1 + max((int(c) for one in given for c in one), default=0)
    out = np.zeros((len(given), width))
    for row, one in zip(out, given, strict=True):
        for number, probability in one.items():
            row[int(number)] = probability
    return out


def together(parts: list[Answers]) -> Answers:
    """Return all answers as one; classes that were not known yet had probability 0."""
    chosen = np.concatenate([part.chosen for part in parts])
    tables = [part.probabilities for part in parts]
    if any(table is None for table in tables):
        return Answers(chosen)
    width = max(table.shape[1] for table in tables)  # type: ignore[union-attr]
    padded = [np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables]  # type: ignore[union-attr, arg-type]
    return Answers(chosen, np.vstack(padded))
