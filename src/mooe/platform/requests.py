"""What is asked of a platform and what it answers: many rows of one model at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mooe.platform.life import Result
from mooe.platform.rows import Row


@dataclass
class Predict:
    """Rows to be answered; an id of None is given by the platform."""

    model: str
    rows: Sequence[Row]
    ids: Sequence[str | None]


@dataclass
class Feedback:
    """Labels of predictions; a correction replaces a label that was sent before."""

    model: str
    ids: Sequence[str]
    labels: Sequence[Any]
    corrections: Sequence[bool]


@dataclass
class Learn:
    """Labelled rows that nobody has asked about; `at` is when each came, now where it is None."""

    model: str
    rows: Sequence[Row]
    labels: Sequence[Any]
    ids: Sequence[str | None]
    at: Sequence[int | None] | None = None


Request = Predict | Feedback | Learn


class Answer(NamedTuple):
    """The answer to a row.

    Attributes
    ----------
    id : str
        To be sent with the label.
    prediction : label, float or None
        None before the first label.
    probabilities : list of (label, float)
        Of all classes; empty in regression. Pairs, because the keys of JSON objects are texts.
    version : int
        How many labels of the platform the model had learnt.
    """

    id: str
    prediction: Any
    probabilities: list[tuple[Any, float]]
    version: int


class Receipt(NamedTuple):
    """What became of a label.

    Attributes
    ----------
    id : str
    result : Result
        "learned", "duplicate", "conflict", "unknown", "expired" or "invalid".
    seq : int or None
        The number under which it is learnt; of a duplicate that of the first.
    message : str
        Why it was not learnt.
    waited : float or None
        Seconds since the prediction, of a label that is learnt.
    """

    id: str
    result: Result
    seq: int | None = None
    message: str = ""
    waited: float | None = None

    @property
    def duplicate(self) -> bool:
        """Whether it was learnt before."""
        return self.result is Result.DUPLICATE
