"""Models of scikit-learn and River as learners, each in its own dialect.

They take rows as the user has them: a frame, an array or dicts. So what the loop hands to their
learners is the number of each row.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from mooe.evaluate.learners import Answers, Learner, Majority, together
from mooe.labels import Labels, is_given

START = 100  # labels that what learns once, or all rows at once, is first fitted on
REFIT = 0.25  # growth of the labels after which what learns all rows at once is fitted anew
RULE = (
    "model must be one of mooe's, a classifier or regressor of scikit-learn, a Pipeline that ends "
    "with one, or a River one"
)


def learner_of(
    model: Any, X: Any, labels: np.ndarray, known: Labels, task: str, refit: float = REFIT
) -> Learner:
    """Return the learner of a model of scikit-learn or River on rows; `known` are its classes."""
    if not (isinstance(refit, int | float) and refit > 0.0):
        raise ValueError(f"refit must be a share above 0, got {refit!r}")
    rows = _Rows(X)
    if hasattr(model, "learn_one"):
        return RiverLearner(model, rows, labels, known, task)
    if hasattr(steps_of(model)[-1], "partial_fit"):
        return SklearnLearner(model, rows, labels, known, task)
    task_of(model)  # or an error that says what fits
    return RefitLearner(model, rows, labels, known, task, refit)


def task_of(model: Any) -> str:
    """Return what a model of scikit-learn or River is for, or raise an error that says what fits.

    >>> from sklearn.linear_model import SGDRegressor
    >>> task_of(SGDRegressor())
    'regression'
    """
    if isinstance(model, type):
        name = model.__name__
        raise ValueError(f"{RULE}; got the class {name}, of which {name}() would be one")
    *_, last = steps_of(model)
    if hasattr(model, "learn_one"):
        return "classification" if hasattr(last, "predict_proba_one") else "regression"
    if not hasattr(last, "partial_fit"):
        has_kind = hasattr(last, "__sklearn_tags__") and (is_classifier(last) or is_regressor(last))
        if not has_kind:
            raise ValueError(f"{RULE}; got {title_of(model)}")
    return "regression" if is_regressor(last) else "classification"


def steps_of(model: Any) -> list[Any]:
    """Return the parts of a pipeline of scikit-learn or River, or the model alone."""
    steps = getattr(model, "steps", None)
    if isinstance(steps, Mapping):  # River's
        return [part for step in steps.values() for part in steps_of(step)]
    if isinstance(steps, Sequence) and not hasattr(model, "partial_fit"):
        parts = [step for _, step in steps if step is not None and not isinstance(step, str)]
        return [part for step in parts for part in steps_of(step)]
    return [model]


def title_of(model: Any) -> str:
    """Return what a model is called in results: its parts by their class.

    >>> from sklearn.linear_model import SGDRegressor
    >>> title_of(SGDRegressor())
    'SGDRegressor'
    """
    return " + ".join(type(step).__name__ for step in steps_of(model))


@dataclass(eq=False)
class _OtherLearner:
    """A model of another library over rows as it takes them, which the loop knows by number."""

    takes_sparse = False
    model: Any
    rows: "_Rows"
    labels: np.ndarray
    known: Labels
    task: str


@dataclass(eq=False)
class SklearnLearner(_OtherLearner):
    """A scikit-learn model with `partial_fit`, or a Pipeline that ends with one, row by row.

    The steps of a pipeline learn row by row where they can. One that cannot, such as an encoder of
    texts, is fitted once, on the first 100 labels; until then the most frequent class, or the mean,
    is answered. Those that a pipeline begins with then take all rows at hand at once. Absent
    numbers of an array become the mean so far where the model takes none.
    """

    first: list[int] = field(default_factory=list)  # rows that wait for the steps to be fitted

    def __post_init__(self) -> None:
        *self.steps, self.last = steps_of(self.model)
        self.classes = _in_order(self.known)
        self.waits = any(_learns_once(step) and not _is_fitted(step) for step in self.steps)
        self.fixed = list(takewhile(_learns_once, self.steps))  # once they are fitted
        self.has_learnt = not self.waits and _is_fitted(self.last)
        self.usual = _Usual(self.task)
        if self.has_learnt and self.task == "classification":
            self.classes = self.last.classes_
            for label in self.classes.tolist():
                self.known.number(label)
        self.means = None if get_tags(self.model).input_tags.allow_nan else _Means()

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it if it has a label."""
        is_class = self.task == "classification"
        chosen = np.full(len(y), np.nan)
        has_chances = is_class and hasattr(self.last, "predict_proba")
        chances = np.zeros((len(y), len(self.known))) if has_chances else None
        numbers = X[:, 0].astype(np.int64).tolist()
        rows = self._prepared(numbers)
        for i, number in enumerate(numbers):
            row = next(rows)
            if self.has_learnt:
                chosen[i] = self._answer(row, None if chances is None else chances[i])
            elif self.waits:
                usual = self.usual.answers(y[i : i + 1], len(self.known))
                chosen[i] = np.nan if is_class and usual.chosen[0] < 0 else usual.chosen[0]
                if chances is not None and usual.probabilities is not None:
                    chances[i] = usual.probabilities[0]
            if y[i] == y[i]:
                self.rows.learn(number, self.means)
                if self._learn(number, row):
                    rows = self._prepared(numbers[i + 1 :])
        if is_class:
            return Answers(np.where(np.isnan(chosen), -1, chosen).astype(np.int64), chances)
        return Answers(chosen)

    def _prepared(self, numbers: list[int]) -> Iterator[Any]:
        """Yield rows as tables of one, such as the steps take that are not fixed."""
        fixed = [] if self.waits else self.fixed
        if not fixed or not numbers or (self.means and self.rows.lack_numbers(numbers)):
            for number in numbers:
                yield _transformed(fixed, self.rows.table(number, self.means))
            return
        table = _transformed(fixed, self.rows.tables(numbers, self.means))
        table = table.tocsr() if issparse(table) else table
        for at in range(len(numbers)):
            yield table.iloc[at : at + 1] if hasattr(table, "iloc") else table[at : at + 1]

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")  # models that know one class
    def _answer(self, row: Any, chances: np.ndarray | None) -> float:
        """Return the number of a class, or a value; in place: the chances of all classes."""
        row = _transformed(self.steps[len(self.fixed) :], row)
        if chances is not None:
            numbers = [self.known.numbers[label] for label in self.last.classes_.tolist()]
            chances[numbers] = self.last.predict_proba(row)[0]
        answer = self.last.predict(row)[0]
        if self.task == "regression":
            return float(np.ravel(answer)[0])
        return float(self.known.number(answer.item() if hasattr(answer, "item") else answer))

    def _learn(self, number: int, row: Any) -> bool:
        """In place: learn a row, or keep it until all steps can be fitted; return if they were."""
        steps, labels, waited = self.steps[len(self.fixed) :], self.labels[[number]], self.waits
        if waited:
            self.first.append(number)
            if len(self.first) < START:
                return False
            steps, labels = self.steps, self.labels[self.first]
            row = self.rows.tables(self.first, self.means)
        for step in steps:
            if not _learns_once(step):
                step.partial_fit(row)
            elif not _is_fitted(step):
                step.fit(row, labels)
            row = step.transform(row)
        targets = _targets(labels, self.task, self.classes)
        if self.task == "classification":
            self.last.partial_fit(row, targets, classes=self.classes)
        else:
            self.last.partial_fit(row, targets)
        self.has_learnt, self.waits = True, False
        return waited


@dataclass(eq=False)
class RefitLearner(_OtherLearner):
    """A scikit-learn model that learns all rows at once, fitted anew on those with a label so far.

    First on 100 labels, of at least two classes, then whenever they have grown by the share
    `refit`: with a quarter, all fits together take five times as many rows as the last one. Until
    the first, the most frequent class, or the mean, is answered. Each fit is that of a new clone;
    the model itself stays as it is, and what it was fitted on before is not used. Where scikit-
    learn refuses a fit, as of a class with too few rows for its folds, the one before answers on.
    """

    refit: float = REFIT
    rows_learnt: list[int] = field(default_factory=list)  # in the order in which labels came
    fits: list[int] = field(default_factory=list)  # how many labels each fit was on

    def __post_init__(self) -> None:
        self.classes = _in_order(self.known)
        self.fitted: Any = None
        self.due = START  # labels at the next fit
        self.usual = _Usual(self.task)
        self.means: _Means | None = None
        self.takes_gaps = get_tags(self.model).input_tags.allow_nan
        self.refusal: ValueError | None = None

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it if it has a label."""
        numbers, at, parts = X[:, 0].astype(np.int64).tolist(), 0, []
        labelled = np.flatnonzero(~np.isnan(y))
        while at < len(numbers):
            here = labelled[labelled >= at][: self.due - len(self.rows_learnt)]
            is_due = len(here) == self.due - len(self.rows_learnt)
            stop = int(here[-1]) + 1 if is_due else len(numbers)
            parts.append(self._answers(numbers[at:stop], y[at:stop]))
            self.rows_learnt += [numbers[place] for place in here]
            at = stop
            if is_due:
                self._fit()
        return together(parts) if parts else Answers(np.zeros(0))

    def finish(self) -> None:
        """Raise the error of a model that could never be fitted, or warn that it never was."""
        if self.fits:
            return
        if self.refusal is not None:
            raise self.refusal
        usual = "the most frequent class" if self.task == "classification" else "the mean"
        warnings.warn(
            f"{title_of(self.model)} was never fitted: that takes {START} labels, of at least two "
            f"classes where there are classes, and {len(self.rows_learnt):,} came; {usual} was "
            "answered instead",
            stacklevel=2,
        )

    def _answers(self, numbers: list[int], y: np.ndarray) -> Answers:
        """Return the answers to rows between two fits; in place: the usual one before the first."""
        is_class = self.task == "classification"
        if self.fitted is None:
            usual = self.usual.answers(y, len(self.known))
            return usual if self._has_chances(self.model) else Answers(usual.chosen)
        rows = self.rows.tables(numbers, self.means)
        answers = np.ravel(self.fitted.predict(rows))
        if not is_class:
            return Answers(answers.astype(np.float64))
        chosen = np.array([self.known.number(label) for label in answers.tolist()], dtype=np.int64)
        if not self._has_chances(self.fitted):
            return Answers(chosen)
        chances = np.zeros((len(y), len(self.known)))
        places = [self.known.numbers[label] for label in self.fitted.classes_.tolist()]
        chances[:, places] = self.fitted.predict_proba(rows)
        return Answers(chosen, chances)

    def _has_chances(self, model: Any) -> bool:
        """Whether probabilities of classes are told."""
        return self.task == "classification" and hasattr(model, "predict_proba")

    def _fit(self) -> None:
        """In place: a new clone on all labels so far, unless it refuses them."""
        n = len(self.rows_learnt)
        self.due = max(n + 1, math.ceil(n * (1.0 + self.refit)))
        targets = _targets(self.labels[self.rows_learnt], self.task, self.classes)
        if self.task == "classification" and len(set(targets.tolist())) < 2:
            return
        means = None if self.takes_gaps else self.rows.means(self.rows_learnt)
        try:
            fitted = clone(self.model).fit(self.rows.tables(self.rows_learnt, means), targets)
        except ValueError as refusal:
            self.refusal = refusal
            warnings.warn(
                f"{title_of(self.model)} could not be fitted on {n:,} labels, what answered before "
                f"answers on: {refusal}",
                stacklevel=2,
            )
            return
        self.fitted, self.means = fitted, means
        self.fits.append(n)


@dataclass(eq=False)
class RiverLearner(_OtherLearner):
    """A River model, row by row from dicts; an absent value is an absent key.

    Of those of River's that know false and true alone, the later of two labels is true.
    """

    def __post_init__(self) -> None:
        last = steps_of(self.model)[-1]
        own = getattr(type(last), "predict_one", None)
        # River's own rule, which is not worth the time of asking twice: the most likely class.
        self.is_likeliest = getattr(own, "__module__", "") == "river.base.classifier"
        self.names: dict[bool, Any] = {}  # of labels that the model knows as false and true
        is_rivers = type(last).__module__.startswith("river.")
        if self.task == "classification" and is_rivers and not last._multiclass:
            self.names = self._names_of_two()

    def _names_of_two(self) -> dict[bool, Any]:
        """Return which labels are false and true, {} where they are so; ValueError for three."""
        labels = {label for label in self.labels.tolist() if is_given(label)}
        if len(labels) > 2:
            raise ValueError(
                "model must take several classes, as river.multiclass.OneVsRestClassifier(model) "
                f"does, got {title_of(self.model)}, which takes two, and {len(labels):,} classes"
            )
        if labels <= {False, True}:
            return {}
        ordered = sorted(labels, key=lambda label: (isinstance(label, str), label), reverse=True)
        return dict(zip((True, False), ordered, strict=False))

    def predict_then_learn(self, X: Any, y: np.ndarray, known: np.ndarray | None = None) -> Answers:
        """In place: answer each row, then learn it if it has a label."""
        is_class = self.task == "classification"
        chosen = np.full(len(y), np.nan)
        chances: list[dict[Any, float]] = []
        for i, number in enumerate(X[:, 0].astype(np.int64).tolist()):
            x = self.rows.sample(number)
            if is_class:
                chances.append(self._chances(x))
                answer = self._class(x, chances[-1])
                chosen[i] = np.nan if answer is None else self.known.number(answer)
            else:
                value = self.model.predict_one(x)
                chosen[i] = np.nan if value is None else value
            if y[i] == y[i]:
                label = self.labels[number]
                label = label.item() if hasattr(label, "item") else label
                self.model.learn_one(x, label == self.names[True] if self.names else label)
        if not is_class:
            return Answers(chosen)
        answers = np.where(np.isnan(chosen), -1, chosen).astype(np.int64)
        if not any(chances):
            return Answers(answers)
        numbers = [[self.known.number(label) for label in row] for row in chances]
        table = np.zeros((len(y), len(self.known)))  # a class that is not named has 0
        for i, row in enumerate(chances):
            table[i, numbers[i]] = list(row.values())
        return Answers(answers, table)

    def _chances(self, x: dict[Any, Any]) -> dict[Any, float]:
        """Return the probabilities of classes, none where the model has none."""
        try:
            given = self.model.predict_proba_one(x)
        except (AttributeError, NotImplementedError):
            return {}
        named = ((self._named(label), p) for label, p in (given or {}).items())
        return {label: p for label, p in named if label is not None}

    def _class(self, x: dict[Any, Any], chances: dict[Any, float]) -> Any:
        """Return the class that is answered, None for none."""
        if self.is_likeliest and chances:
            return max(chances, key=chances.__getitem__)
        return self._named(self.model.predict_one(x))

    def _named(self, label: Any) -> Any:
        """Return the label that a model's answer stands for, None for none."""
        return self.names.get(label) if self.names else label


class _Usual:
    """What is answered before the first fit: the most frequent class, and shares; or the mean."""

    def __init__(self, task: str) -> None:
        self.simple, self.counts = Majority(task), np.zeros(0)

    def answers(self, y: np.ndarray, n_classes: int) -> Answers:
        """In place: answer each row, then learn its label; every class counts once more."""
        chosen = self.simple.predict_then_learn(np.zeros((len(y), 1)), y).chosen
        if self.simple.task == "regression":
            return Answers(chosen)
        before = np.vstack(
            [
                np.pad(self.counts, (0, n_classes - len(self.counts))),
                y[:, None] == np.arange(n_classes),
            ]
        )
        before = before.cumsum(axis=0)
        self.counts = before[-1]
        shares = 1.0 + before[:-1]
        return Answers(chosen, shares / shares.sum(axis=1, keepdims=True))


class _Means:
    """The mean of each column over the rows learnt so far."""

    def __init__(self) -> None:
        self.n, self.values = 0, np.zeros(0)

    def learn(self, row: np.ndarray) -> None:
        """In place: one more row; an absent value counts as the mean."""
        self.values = self.values if self.n else np.zeros(row.shape[-1])
        self.n += 1
        self.values = self.values + (self.filled(row)[0] - self.values) / self.n

    def filled(self, row: np.ndarray) -> np.ndarray:
        """Return rows with the means where values are absent."""
        return np.where(np.isnan(row), self.values if self.n else 0.0, row)


class _Rows:
    """The rows as the user has them: an array, a sparse one, a frame, or a list of dicts."""

    def __init__(self, X: Any) -> None:
        is_table = hasattr(X, "shape") and len(X.shape) == 2
        are_dicts = isinstance(X, Sequence) and all(isinstance(x, Mapping) for x in X)
        if not (is_table or are_dicts or isinstance(X, list)):
            raise ValueError(
                f"X must be a table of rows: an array, a frame or a list, got {type(X).__name__}"
            )
        self.X: Any = X.tocsr() if issparse(X) else X if is_table or are_dicts else np.asarray(X)
        self.is_frame = hasattr(X, "columns")
        self.are_numbers = isinstance(self.X, np.ndarray) and self.X.dtype.kind in "fiub"
        self.samples: list[dict[Any, Any]] | None = list(X) if are_dicts else None

    def table(self, number: int, means: _Means | None) -> Any:
        """Return a row as a table of one."""
        return self.tables([number], means)

    def tables(self, numbers: list[int], means: _Means | None) -> Any:
        """Return rows as a table of the kind that was given."""
        if self.samples is not None:
            raise ValueError("X must be an array or a frame for a scikit-learn model, got dicts")
        rows = self.X.iloc[numbers] if hasattr(self.X, "iloc") else self.X[numbers]
        return means.filled(rows.astype(np.float64)) if means and self.are_numbers else rows

    def lack_numbers(self, numbers: list[int]) -> bool:
        """Whether numbers of an array are absent in these rows."""
        return self.are_numbers and bool(np.isnan(self.X[numbers].astype(np.float64)).any())

    def learn(self, number: int, means: _Means | None) -> None:
        """In place: the means know one more row."""
        if means is not None and self.are_numbers:
            means.learn(self.X[[number]].astype(np.float64))

    def means(self, numbers: list[int]) -> _Means | None:
        """Return the means of an array of numbers over rows, None of anything else."""
        if not self.are_numbers:
            return None
        means, rows = _Means(), self.X[numbers].astype(np.float64)
        there = ~np.isnan(rows)
        totals = np.where(there, rows, 0.0).sum(axis=0)
        means.n, means.values = len(numbers), totals / np.maximum(there.sum(axis=0), 1)
        return means

    def sample(self, number: int) -> dict[Any, Any]:
        """Return a row as River takes it."""
        if self.samples is None:
            if self.is_frame:
                names = list(self.X.columns)
                columns = [np.asarray(self.X[name]).tolist() for name in names]
            else:
                dense = self.X.toarray() if issparse(self.X) else self.X
                names = [f"x{j}" for j in range(dense.shape[1])]
                columns = [dense[:, j].tolist() for j in range(dense.shape[1])]
            self.samples = [
                {n: v for n, v in zip(names, row, strict=True) if v is not None and v == v}
                for row in zip(*columns, strict=True)
            ]
        return dict(self.samples[number])


def _in_order(known: Labels) -> np.ndarray:
    """Return classes in the order of scikit-learn."""
    return np.array(sorted(known.names)) if known.names else np.zeros(0)


def _targets(labels: np.ndarray, task: str, classes: np.ndarray) -> np.ndarray:
    """Return labels as scikit-learn takes them."""
    if task == "regression":
        return labels.astype(np.float64)
    return np.array(labels.tolist(), dtype=classes.dtype)


def _transformed(steps: Sequence[Any], rows: Any) -> Any:
    """Return rows after some steps of a pipeline."""
    for step in steps:
        rows = step.transform(rows)
    return rows


def _learns_once(step: Any) -> bool:
    """Whether a step of a pipeline cannot learn row by row."""
    return not hasattr(step, "partial_fit")


def _is_fitted(part: Any) -> bool:
    """Whether a part has learnt all it needs to answer."""
    try:
        check_is_fitted(part)
    except NotFittedError:
        return False
    return True
