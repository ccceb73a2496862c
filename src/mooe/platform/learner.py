"""A model in memory that answers and learns rows of the platform, one by one or as a matrix.

Both give the same bits. What a row or label must be is checked before it is stored, for what is
stored must be learnt: an error afterwards would come again at every replay.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from mooe.auto.inputs import NARROW
from mooe.auto.params import AutoParams
from mooe.labels import Labels, as_label
from mooe.model import MOST_CLASSES, Model
from mooe.named_rows import NamedRows, checked_target
from mooe.numerics.checks import is_number
from mooe.numerics.scores import probabilities, row_probabilities
from mooe.platform.lesson import NOTHING
from mooe.platform.life import same_label
from mooe.platform.rows import Batch, Row, batch_of, batches, end_of_alike, is_storable

MOST_CELLS = 2**24  # columns times classes of a model: what its state may grow to
LONGEST_LABEL = 1_000  # characters; every answer names all classes
FEW = 4  # rows of the same columns that are answered sooner one by one than as a matrix
AS_MATRIX = 100  # rows from which a matrix is surely quicker to learn than one after the other


class Learner:
    """A Model behind rows: answers change nothing, labels are learnt in the order of the calls.

    Serves one thread at a time.

    Parameters
    ----------
    model : Model
        Changed in place; without added experts, which cannot be asked row by row.
    """

    def __init__(self, model: Model) -> None:
        if model.added:
            names = ", ".join(expert.name for expert in model.added)
            raise ValueError(f"model must have no added experts on a platform, got {names}")
        self.model = model
        self._rows = NamedRows(model) if model.state is not None or model.columns else None
        # So many columns and classes are known to be no more than it may have.
        self._fits = (len(model.columns or ()), len(model.labels)) if model.state else (-1, -1)

    @property
    def width(self) -> int | None:
        """Values in a row: 0 where they have names, None where no row has said yet."""
        columns = self.model.columns if self._rows is None else self._rows.names
        if not columns:
            return None
        return 0 if any(isinstance(name, str) for name in columns) else len(columns)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The classes in the order of their numbers, None in regression."""
        return tuple(self.model.labels.names) if self.model.task == "classification" else None

    @property
    def last_label(self) -> Any:
        """The label that the model itself remembers as the last one; None for none."""
        last = getattr(self.model.state, "last", math.nan)
        if last != last:
            return None
        return last if self.model.task == "regression" else self.model.labels.names[int(last)]

    # Checks

    def check_rows(self, rows: Sequence[Row]) -> None:
        """Raise ValueError for a row that the model could not learn."""
        if self.model.params.mode == "auto":
            return  # `row_of` has looked at every value
        for batch in batches(rows):
            self.model.engine.check_inputs(self.model.params, batch.values)

    def checked_label(self, label: Any, classes: Labels) -> Any:
        """Return a label as it is stored, or raise ValueError; classes are those accepted so far.

        Texts, truth values and numbers are not mixed.
        """
        if self.model.task == "regression":
            if not is_number(label):
                raise ValueError(f"label must be a number, got {label!r:.80}")
            return checked_target(label, self.model.params)
        if type(label) is str and label in classes.numbers:
            return label
        if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
            label = int(label)  # JSON knows one kind of number
        label = as_label(label, name="label")
        if isinstance(label, str) and not (len(label) <= LONGEST_LABEL and is_storable(label)):
            raise ValueError(
                f"label must be text of at most {LONGEST_LABEL:,} characters, without NUL or lone "
                f"surrogates, got {label!r:.80}"
            )
        number = classes.numbers.get(label)
        if number is not None and same_label(classes.names[number], label):
            return classes.names[number]
        first = next(iter(classes.names), label)
        if _kind(first) != _kind(label):
            raise ValueError(f"label must be {_kind(first)} as before, got {label!r:.80}")
        if self.model.decision is not None:
            self.model.decision.check_classes([*classes.names, label])
        return label

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns; of lists their numbers."""
        return () if self._rows is None else self._rows.names

    def check_size(self, n_columns: int, n_classes: int, has_names: bool = False) -> None:
        """Raise ValueError where a model would grow beyond what it may, or could not begin.

        has_names: whether further columns may come, for which room is made where there are many.
        """
        if n_classes >= MOST_CLASSES or n_columns * max(n_classes, 1) > MOST_CELLS:
            raise ValueError(
                f"columns times classes must be at most {MOST_CELLS:,}, "
                f"got {n_columns:,} and {n_classes:,}"
            )
        params, (most_columns, most_classes) = self.model.params, self._fits
        if n_columns > most_columns or n_classes > most_classes:
            has_spare = has_names and params.mode == "auto" and n_columns > NARROW
            room = n_columns + n_columns // 2 if has_spare else n_columns
            self.model.engine.init(params, room, n_classes)
            self._fits = n_columns, n_classes

    # Answers

    def answer(self, rows: Sequence[Row]) -> list[list[float]] | None:
        """Return for each row the number of its class and all probabilities, or its value.

        None before the first label.
        """
        named = self._rows
        if named is None or not self.model.n_labelled:
            return None
        answers: list[list[float]] = []
        at = 0
        while at < len(rows):
            end = end_of_alike(rows, at)
            if end - at < FEW:
                answers += map(self._answer_one, rows[at:end])
            else:
                answers += self._answer_alike(batch_of(rows[at:end]))
            at = end
        return answers

    def _answer_one(self, row: Row) -> list[float]:
        """Return the answer to a row."""
        named = self._rows
        assert named is not None
        number = named.answer(row.as_dict())
        scores: list[float] = named.scores.tolist()
        if self.model.task == "regression":
            return scores[:1]
        return [float(number), *row_probabilities(self.model.params, scores)]

    def _answer_alike(self, batch: Batch) -> list[list[float]]:
        """Return the answers to rows of the same columns."""
        assert self._rows is not None
        scores = self._rows.score_rows(batch.names, batch.values)
        if self.model.task == "classification":
            shares = probabilities(self.model.params, scores)[:, : len(self.model.labels)]
            scores = np.column_stack([self.model.answers(scores), shares])
        answers: list[list[float]] = scores.tolist()
        return answers

    def matrix(self, row: Row) -> np.ndarray:
        """Return a row as the model takes it, (1, width); names that it does not know are left."""
        columns = self.model.columns or []
        given = row.as_dict()
        absent = 0.0 if not getattr(self.model.state, "narrow", True) else math.nan
        return np.array([[given.get(name, absent) for name in columns]])

    # Learning

    def learn(self, rows: Sequence[Row], labels: Sequence[Any], known: Sequence[Any]) -> None:
        """In place: learn rows that were checked, in their order.

        known: the last label that was known when each row was answered, NOTHING for none, LAST for
        the last one learnt.
        """
        at = 0
        while at < len(rows):
            if self._is_new(rows[at], labels[at]):
                self._learn_new(rows[at], labels[at], known[at])
                at += 1
                continue
            end = end_of_alike(rows, at)
            if self._is_new_class(*labels[at:end]):
                end = next(k for k in range(at, end) if self._is_new_class(labels[k]))
            self._learn_known(rows[at:end], labels[at:end], known[at:end])
            at = end

    def _is_new(self, row: Row, label: Any) -> bool:
        """Whether a row brings a column or class that the model does not know."""
        named = self._rows
        if named is None or self._is_new_class(label):
            return True
        if row.names is None:
            return row.width != len(named.names)
        return not named.places.keys() >= set(row.names)

    def _is_new_class(self, *labels: Any) -> bool:
        """Whether one of some labels is a class that the model does not know."""
        known = self.model.labels.numbers
        return self.model.task == "classification" and not known.keys() >= set(labels)

    def _learn_new(self, row: Row, label: Any, known: Any) -> None:
        """In place: learn a row with new columns or of a new class."""
        x = row.as_dict()
        if self._rows is None:
            self.model.columns = [*x]
            self._rows = NamedRows(self.model)
        number, name = self._number(label), None
        if number is None:
            number, name = float(len(self.model.labels)), label
        self._rows.learn_new(x, number, 1.0, self._known(known), name)

    def _learn_known(
        self, rows: Sequence[Row], labels: Sequence[Any], known: Sequence[Any]
    ) -> None:
        """In place: learn rows of the same columns, and of classes that are known."""
        named = self._rows
        assert named is not None
        of_class: Callable[[Any], float] = self.model.labels.numbers.__getitem__
        numbers = map(float if self.model.task == "regression" else of_class, labels)
        before = map(self._known, known)
        if len(rows) < AS_MATRIX:
            for row, number, last in zip(rows, numbers, before, strict=True):
                named.learn(row.as_dict(), number, 1.0, last)
            return
        batch, targets = batch_of(rows), np.array(list(numbers), float)
        named.learn_rows(batch.names, batch.values, targets, known=np.array(list(before)))

    def _number(self, label: Any) -> float | None:
        """Return the number of a label, None for a new class."""
        if self.model.task == "regression":
            return float(label)
        number = self.model.labels.numbers.get(label)
        return None if number is None else float(number)

    def _known(self, label: Any) -> float:
        """Return what compiled code takes for the last label that was known."""
        if label != label or label == NOTHING:
            return float(label)
        number = self._number(label)
        return NOTHING if number is None else number


def _kind(label: Any) -> str:
    """Return what a label is, in words.

    >>> _kind("a"), _kind(True), _kind(1), _kind(0.5)
    ('a text', 'true or false', 'a number', 'a number')
    """
    if isinstance(label, bool):
        return "true or false"
    return "a text" if isinstance(label, str) else "a number"


@cache
def numerics_version() -> str:
    """Return a fingerprint of what this machine and version compute, measured.

    The bytes of a small model that has learnt a fixed stream: where it differs, rows that are
    learnt again may come out otherwise in the last bits.
    """
    total = hashlib.sha256()
    grid = np.arange(400.0 * 5).reshape(400, 5)
    X = np.sin(grid * grid) + 0.1 * (grid % 7)
    for task, y in (
        ("classification", (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(float)),
        ("regression", X[:, 0] - 2.0 * X[:, 3]),
    ):
        model = Model(AutoParams(task))
        model.labels.add([0, 1] if task == "classification" else [])
        model.learn(X, y)
        total.update(model.to_bytes())
    return total.hexdigest()[:16]
