"""Any model as a learner, in its own dialect: our estimators, scikit-learn's, River's.

scikit-learn's and River's models take rows as the user has them, one by one: a frame, an array or
dicts. So what the loop hands to their learners is the number of each row.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from mooe.engine import MODEL_NAMES
from mooe.estimators import StreamEstimator
from mooe.evaluate.learners import Answers, Learner, Majority, MooeLearner
from mooe.evaluate.results import MOST_INPUTS
from mooe.labels import Labels
from mooe.model import Model
from mooe.streams.cells import LARGEST, Spelling, date_format_of, seconds_or_nan
from mooe.streams.layout import FIRST_ROWS
from mooe.streams.stream import Chunk, Stream, nearest, steady_times
from mooe.tables import SourceColumns, columns_of
from mooe.words import some_of

CHUNK = 10_000  # rows that are asked for at once
IN_MEMORY = 30_000  # the same of a stream that is in memory
PACE = 500  # the same for a model that takes rows one by one
START = 100  # labels that a part of a pipeline which learns once is fitted on
RULE = (
    "model must be one of mooe's, a scikit-learn one with partial_fit, a Pipeline that ends with "
    "such, or a River one"
)


class Source(Protocol):
    """What can be streamed."""

    @property
    def name(self) -> str: ...

    @property
    def task(self) -> str: ...

    def chunks(self, rows: int) -> Iterator[Chunk]: ...


@dataclass(frozen=True)
class Contestant:
    """A model that is ready for the loop: its name, its learner, the stream that it takes."""

    name: str
    learner: Learner
    stream: Source
    known: Labels  # its classes, in its order
    pace: int  # rows to be asked for at once
    width: int = 0  # of a row, as the user has it
    label: str = ""  # what y is called
    inputs: Sequence[str] = ()  # what the columns of a frame are called
    columns: Sequence[Any] = ()  # what the columns of a frame became
    finish: Callable[[], None] = lambda: None  # in place: the user's model has learnt the rows

    @property
    def model(self) -> Model | None:
        """What is behind the learner, where it is one of ours."""
        return self.learner.model if isinstance(self.learner, MooeLearner) else None


def prepare(
    model: Any,
    X: Any,
    y: Any,
    times: Any,
    task: str | None,
    name: str,
    title: str,
    known: Labels | None,
) -> Contestant:
    """Return a model of any kind, ready for the rows; it is changed when they are learnt.

    Arguments are those of `prequential`: a learner and a stream are ready as they are.
    """
    if y is None:
        if not hasattr(X, "chunks"):
            raise ValueError("y must be given beside X, unless X is a stream")
        pace = CHUNK if getattr(X, "X", None) is None else IN_MEMORY
        return Contestant(title, model, X, Labels() if known is None else known, pace)
    labels, clock = labels_of(y), seconds_of(times)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    for what, values in (("y", labels), ("times", clock)):
        if values is not None and len(values) != n:
            raise ValueError(f"{what} must have a value for each of {n} rows, got {len(values)}")
    clock = None if clock is None else _steady(clock)
    width = X.shape[1] if hasattr(X, "shape") else len(X[0]) if n else 0
    about: Any = {"times": clock, "has_dates": _are_dates(times)}
    names: Any = {"label": _name_of(y), "width": width, "pace": IN_MEMORY}
    names["inputs"] = [str(name) for name in columns_of(X) or ()][:MOST_INPUTS]
    if isinstance(model, StreamEstimator):
        started, chunks = model.begin(X)
        learner: Any = MooeLearner(started)
        own, task, usual = started.labels, started.task, MODEL_NAMES[started.params.mode]
        names |= {"columns": chunks[-1].columns, "finish": lambda: model.adopt(started, chunks)}
        if "source" in started.notes:  # of a frame with texts some columns may be no inputs
            inputs = SourceColumns.of(started).names
            names |= {"inputs": inputs[:MOST_INPUTS], "width": len(inputs)}
        rows = chunks[0].X if len(chunks) == 1 and not chunks[0].groups else None
    elif isinstance(model, Model) or hasattr(model, "predict_then_learn"):
        learner = MooeLearner(model) if isinstance(model, Model) else model
        rows = X if issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        inside = getattr(learner, "model", None)
        own = inside.labels if isinstance(inside, Model) else Labels()
        task = task or getattr(getattr(learner, "params", learner), "task", None)
        is_ours = isinstance(learner, MooeLearner)
        usual = MODEL_NAMES[learner.params.mode] if is_ours else _title(model)
    else:
        task = task or task_of(model)
        is_class = task == "classification"
        own = Labels(label for label in labels.tolist() if is_class and _is_label(label))
        kind: Any = RiverLearner if hasattr(model, "learn_one") else SklearnLearner
        learner = kind(model, _Rows(X), labels, own, task)
        rows, usual, names["pace"] = np.arange(n, dtype=np.float64)[:, None], _title(model), PACE
    if task not in ("classification", "regression"):
        told = "the model does not say" if task is None else f"got {task!r}"
        raise ValueError(f"task must be 'classification' or 'regression', {told}")
    about["task"] = task
    if task == "regression":
        labels = labels.astype(np.float64)
    if rows is None:
        read = partial(_labelled, chunks, labels, clock)
        stream = Stream(name, n_rows=n, read=read, feature_names=chunks[-1].columns, **about)
    else:
        stream = Stream(name, rows, labels, **about)
    return Contestant(title or usual, learner, stream, own if known is None else known, **names)


def _name_of(y: Any) -> str:
    """Return what a column of labels is called, '' where it has no name."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else ""


def _labelled(
    chunks: list[Chunk], y: np.ndarray, times: np.ndarray | None, rows: int
) -> Iterator[Chunk]:
    """Yield chunks of so many rows at most, with their labels and times."""
    first = 0
    for chunk in chunks:
        for start in range(0, len(chunk.X), rows):
            X = chunk.X[start : start + rows]
            part = slice(first, first + len(X))
            own = None if times is None else times[part]
            yield replace(chunk, X=X, y=y[part], times=own)
            first = part.stop


def _steady(times: np.ndarray) -> np.ndarray:
    """Return times without gaps, and warn of what is odd about them, as the command does."""
    there = times[~np.isnan(times)]
    if len(times) and not len(there):
        raise ValueError("times must hold a date or a number, got none that can be read")
    steady, odd = steady_times(times, there[0] if len(there) else 0.0)
    if odd.unreadable or odd.back:
        warnings.warn(f"of the times {odd.words()}; rows stay in their order", stacklevel=4)
    return steady


def check_positive(positive: Any, task: str, y: Any, known: Sequence[Any]) -> None:
    """Raise ValueError where the class that measures are to be about is none of the classes."""
    if positive is None:
        return
    if task == "regression":
        raise ValueError(f"positive must be left out in a regression, got {positive!r}")
    classes = dict.fromkeys([*known, *filter(_is_label, labels_of(y).tolist())])
    if positive not in classes:
        texts = {str(label): label for label in classes}
        hint = nearest(str(positive), texts)
        if str(positive) in texts:
            hint = f"it is {texts[str(positive)]!r}, not {positive!r}"
        rule = f"positive must be one of the labels ({some_of(list(classes), 8)})"
        raise ValueError(f"{rule}, got {positive!r}" + (f"; {hint}" if hint else ""))


def task_of(model: Any) -> str:
    """Return what a model of scikit-learn or River is for, or raise an error that says what fits.

    >>> from sklearn.linear_model import SGDRegressor
    >>> task_of(SGDRegressor())
    'regression'
    """
    *_, last = steps_of(model)
    if hasattr(model, "learn_one"):
        return "classification" if hasattr(last, "predict_proba_one") else "regression"
    if not hasattr(last, "partial_fit"):
        raise ValueError(
            f"{RULE}; got {type(last).__name__}, which learns all rows at once: it can be fitted "
            "beforehand and join ours with add_expert"
        )
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


def seconds_of(times: Any) -> np.ndarray | None:
    """Return times as numbers: dates in seconds since 1970, numbers as they are, NaN for none.

    Texts are read as the dates of a table are.

    >>> seconds_of(np.array(["1970-01-02"], dtype="datetime64[D]")).tolist()
    [86400.0]
    >>> seconds_of(["01.02.1970", "", "03.02.1970"]).tolist()
    [2678400.0, nan, 2851200.0]
    """
    if times is None:
        return None
    values = np.asarray(times)
    if values.ndim != 1:
        raise ValueError(f"times must have one time for each row, got the shape {values.shape}")
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    if values.dtype.kind in "OSU":
        return np.array(_seconds_of_all(values.tolist()))
    if values.dtype.kind not in "iuf":
        raise ValueError(f"times must be dates or numbers, got {values.dtype}")
    numbers = values.astype(np.float64)
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)


def _seconds_of_all(values: list[Any]) -> list[float]:
    """Return the seconds of dates, texts or numbers; NaN where there is none."""
    texts = [value for value in values if isinstance(value, str)][:FIRST_ROWS]
    form = date_format_of(texts, 0.0, Spelling())
    if texts and form is None:
        rule = "times must be dates that can be read, or numbers"
        raise ValueError(f"{rule}, got {texts[0]!r:.80}; pandas.to_datetime takes a format")
    spelling, seconds = Spelling(date_format=form), []
    for row, value in enumerate(values):
        try:
            seconds.append(_moment(value, spelling))
        except (TypeError, ValueError):
            rule = "times must be dates or numbers"
            raise ValueError(f"{rule}, got {value!r:.80} in row {row}") from None
    return seconds


def _moment(value: Any, spelling: Spelling) -> float:
    """Return a date, a text or a number in seconds since 1970, UTC unless it names a zone."""
    if isinstance(value, str):
        return seconds_or_nan(spelling, value)
    if not _is_label(value):
        return np.nan
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(*value.timetuple()[:3])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def _are_dates(times: Any) -> bool:
    """Whether times are dates, not just numbers."""
    values = np.asarray(times if times is not None else ())
    if values.dtype.kind == "O":
        return any(isinstance(value, date | str) for value in values.tolist())
    return values.dtype.kind in "MSU"


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
    is answered. Absent numbers of an array become the mean so far where the model takes none.
    """

    first: list[int] = field(default_factory=list)  # rows that wait for the steps to be fitted

    def __post_init__(self) -> None:
        *self.steps, self.last = steps_of(self.model)
        self.classes = np.array(sorted(self.known.names)) if self.known.names else np.zeros(0)
        self.waits = any(_learns_once(step) and not _is_fitted(step) for step in self.steps)
        self.has_learnt = not self.waits and _is_fitted(self.last)
        self.simple = Majority(self.task)
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
        for i, number in enumerate(X[:, 0].astype(np.int64).tolist()):
            row = self.rows.table(number, self.means)
            if self.has_learnt:
                chosen[i] = self._answer(row, None if chances is None else chances[i])
            elif self.waits:
                answer = self.simple.predict_then_learn(X[:1], y[i : i + 1]).chosen[0]
                chosen[i] = np.nan if is_class and answer < 0 else answer
                if chances is not None and answer >= 0:
                    chances[i, int(answer)] = 1.0
            if y[i] == y[i]:
                self.rows.learn(number, self.means)
                self._learn(number, row)
        if is_class:
            return Answers(np.where(np.isnan(chosen), -1, chosen).astype(np.int64), chances)
        return Answers(chosen)

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")  # models that know one class
    def _answer(self, row: Any, chances: np.ndarray | None) -> float:
        """Return the number of a class, or a value; in place: the chances of all classes."""
        for step in self.steps:
            row = step.transform(row)
        if chances is not None:
            numbers = [self.known.numbers[label] for label in self.last.classes_.tolist()]
            chances[numbers] = self.last.predict_proba(row)[0]
        answer = self.last.predict(row)[0]
        if self.task == "regression":
            return float(np.ravel(answer)[0])
        return float(self.known.number(answer.item() if hasattr(answer, "item") else answer))

    def _learn(self, number: int, row: Any) -> None:
        """In place: learn a row, or keep it until all steps can be fitted."""
        if self.waits:
            self.first.append(number)
            if len(self.first) < START:
                return
            row = self.rows.tables(self.first, self.means)
        labels = self.labels[self.first if self.waits else [number]]
        for step in self.steps:
            if not _learns_once(step):
                step.partial_fit(row)
            elif self.waits and not _is_fitted(step):
                step.fit(row, labels)
            row = step.transform(row)
        if self.task == "classification":
            labels = np.array(labels.tolist(), dtype=self.classes.dtype)
            self.last.partial_fit(row, labels, classes=self.classes)
        else:
            self.last.partial_fit(row, labels.astype(np.float64))
        self.has_learnt, self.waits = True, False


@dataclass(eq=False)
class RiverLearner(_OtherLearner):
    """A River model, row by row from dicts; an absent value is an absent key."""

    def __post_init__(self) -> None:
        last = steps_of(self.model)[-1]
        own = getattr(type(last), "predict_one", None)
        # River's own rule, which is not worth the time of asking twice: the most likely class.
        self.is_likeliest = getattr(own, "__module__", "") == "river.base.classifier"

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
                self.model.learn_one(x, label.item() if hasattr(label, "item") else label)
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
        return {label: p for label, p in (given or {}).items() if label is not None}

    def _class(self, x: dict[Any, Any], chances: dict[Any, float]) -> Any:
        """Return the class that is answered, None for none."""
        if self.is_likeliest and chances:
            return max(chances, key=chances.__getitem__)
        return self.model.predict_one(x)


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

    def learn(self, number: int, means: _Means | None) -> None:
        """In place: the means know one more row."""
        if means is not None and self.are_numbers:
            means.learn(self.X[[number]].astype(np.float64))

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


def labels_of(y: Any) -> np.ndarray:
    """Return labels as an array of one dimension; None and NaN are no label."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y must have one label for each row, got the shape {values.shape}")
    if values.dtype.kind in "OUS":
        labels = [label if _is_label(label) else None for label in values.tolist()]
        values = np.array([None, *labels], dtype=object)[1:]
    return values


def _is_label(label: Any) -> bool:
    """Whether a row has a label."""
    return label is not None and type(label).__name__ != "NAType" and bool(label == label)


def _title(model: Any) -> str:
    """Return what a model is called in results: its parts by their class.

    >>> from sklearn.linear_model import SGDRegressor
    >>> _title(SGDRegressor())
    'SGDRegressor'
    """
    return " + ".join(type(step).__name__ for step in steps_of(model))


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
