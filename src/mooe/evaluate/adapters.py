"""Any model made ready for the loop: our estimators, scikit-learn's, River's, learners."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from mooe.engine import MODEL_NAMES
from mooe.estimators import StreamEstimator
from mooe.evaluate.learners import Learner, MooeLearner
from mooe.evaluate.other_learners import REFIT, RefitLearner, learner_of, task_of, title_of
from mooe.evaluate.results import MOST_INPUTS
from mooe.evaluate.row_times import are_dates, seconds_of, without_gaps
from mooe.labels import Labels, is_given
from mooe.model import Model
from mooe.streams.stream import Chunk, Stream, nearest
from mooe.tables import SourceColumns, columns_of
from mooe.words import some_of

CHUNK = 10_000  # rows that are asked for at once
IN_MEMORY = 30_000  # the same of a stream that is in memory
PACE = 500  # the same for a model that takes rows one by one
TASKS = ("classification", "regression")


class Source(Protocol):
    """What can be streamed."""

    @property
    def name(self) -> str: ...

    @property
    def task(self) -> str: ...

    def chunks(self, rows: int) -> Iterator[Chunk]: ...


@dataclass(frozen=True)
class _Ready:
    """A model of one kind, and rows as it takes them."""

    title: str
    learner: Learner
    known: Labels
    task: str | None
    chunks: list[Chunk]  # whose labels are not theirs yet
    pace: int = PACE
    inputs: list[str] | None = None  # where they are not all columns
    finish: Callable[[], None] = lambda: None


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
    def fits(self) -> list[int]:
        """How many labels each fit was on, of a model that is fitted anew along the way."""
        return self.learner.fits if isinstance(self.learner, RefitLearner) else []

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
    refit: float = REFIT,
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
    clock = None if clock is None else without_gaps(clock)
    ready = _ready(model, X, labels, task, refit)
    if ready.task not in TASKS:
        told = "the model does not say" if ready.task is None else f"got {ready.task!r}"
        raise ValueError(f"task must be 'classification' or 'regression', {told}")
    if ready.task == "regression":
        try:
            labels = labels.astype(np.float64)
        except (TypeError, ValueError):
            odd = next(label for label in labels.tolist() if not isinstance(label, int | float))
            raise ValueError(f"y must hold numbers for a regressor, got {odd!r:.80}") from None
    about: Any = {"times": clock, "has_dates": are_dates(times), "task": ready.task, "n_rows": n}
    read, columns = partial(_labelled, ready.chunks, labels, clock), ready.chunks[-1].columns
    inputs, width = ready.inputs, X.shape[1] if hasattr(X, "shape") else len(X[0]) if n else 0
    if inputs is None:
        inputs = [str(column) for column in columns_of(X) or ()]
    return Contestant(
        title or ready.title,
        ready.learner,
        Stream(name, read=read, feature_names=columns, **about),
        ready.known if known is None else known,
        ready.pace,
        width=width if ready.inputs is None else len(inputs),
        label=_name_of(y),
        inputs=inputs[:MOST_INPUTS],
        columns=columns,
        finish=ready.finish,
    )


def _ready(model: Any, X: Any, labels: np.ndarray, task: str | None, refit: float) -> _Ready:
    """Return a model of any kind with rows as it takes them."""
    if isinstance(model, StreamEstimator):
        return _of_estimator(model, X)
    if isinstance(model, Model):
        return _of_learner(MooeLearner(model), X, task)
    if hasattr(model, "predict_then_learn"):
        return _of_learner(model, X, task)
    task = task or task_of(model)
    is_class = task == "classification"
    known = Labels(label for label in labels.tolist() if is_class and is_given(label))
    learner = learner_of(model, X, labels, known, task, refit)
    rows = np.arange(len(labels), dtype=np.float64)[:, None]
    ready = _Ready(title_of(model), learner, known, task, [Chunk(rows, labels, ())])
    return replace(ready, finish=learner.finish) if isinstance(learner, RefitLearner) else ready


def _of_estimator(estimator: StreamEstimator, X: Any) -> _Ready:
    """Return an estimator of ours; it goes on from its model when the rows are learnt."""
    model, chunks = estimator.begin(X)
    name, noted = MODEL_NAMES[model.params.mode], "source" in model.notes
    return _Ready(
        name,
        MooeLearner(model),
        model.labels,
        model.task,
        chunks,
        IN_MEMORY,
        SourceColumns.of(model).names if noted else None,  # a frame has columns that are no inputs
        lambda: estimator.adopt(model, chunks),
    )


def _of_learner(learner: Any, X: Any, task: str | None) -> _Ready:
    """Return a learner, of ours or of the user's own, which takes arrays."""
    model = getattr(learner, "model", None)
    known = model.labels if isinstance(model, Model) else Labels()
    task = task or getattr(getattr(learner, "params", learner), "task", None)
    is_ours = isinstance(learner, MooeLearner)
    title = MODEL_NAMES[learner.params.mode] if is_ours else title_of(learner)
    rows = X if issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    return _Ready(title, learner, known, task, [Chunk(rows, np.zeros(0), ())], IN_MEMORY)


def labels_of(y: Any) -> np.ndarray:
    """Return labels as an array of one dimension; None and NaN are no label."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y must have one label for each row, got the shape {values.shape}")
    if values.dtype.kind in "OUS":
        labels = [label if is_given(label) else None for label in values.tolist()]
        values = np.array([None, *labels], dtype=object)[1:]
    return values


def check_positive(positive: Any, task: str, y: Any, known: Sequence[Any]) -> None:
    """Raise ValueError where the class that measures are to be about is none of the classes."""
    if positive is None:
        return
    if task == "regression":
        raise ValueError(f"positive must be left out in a regression, got {positive!r}")
    classes = dict.fromkeys([*known, *filter(is_given, labels_of(y).tolist())])
    if positive not in classes:
        texts = {str(label): label for label in classes}
        hint = nearest(str(positive), texts)
        if str(positive) in texts:
            hint = f"it is {texts[str(positive)]!r}, not {positive!r}"
        rule = f"positive must be one of the labels ({some_of(list(classes), 8)})"
        raise ValueError(f"{rule}, got {positive!r}" + (f"; {hint}" if hint else ""))


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
        for start in range(0, chunk.X.shape[0], rows):
            X = chunk.X[start : start + rows]
            part = slice(first, first + X.shape[0])
            own = None if times is None else times[part]
            yield replace(chunk, X=X, y=y[part], times=own)
            first = part.stop
