"""The life of a prediction: what a label, a correction or the end of waiting does to it.

Pure rules; nothing here knows of a store or a model. A prediction is *pending* until its label
comes (*learnt*) or is waited for no longer (*expired*, or *defaulted* where the model has a label
for that). A rollback of the model leaves it *withdrawn*: what it taught is gone, and the next label
is taken like the first.
"""

from enum import IntEnum, StrEnum
from typing import Any, NamedTuple


class Status(IntEnum):
    """Where a prediction stands."""

    PENDING = 0
    LEARNT = 1
    EXPIRED = 2
    DEFAULTED = 3
    WITHDRAWN = 4


class Kind(IntEnum):
    """Why a row was learnt."""

    LABEL = 0
    CORRECTION = 1
    DEFAULT = 2
    LEARN = 3  # a labelled row that nobody had asked about


class Result(StrEnum):
    """What became of a label, in the words of the metrics."""

    LEARNED = "learned"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    INVALID = "invalid"


class Step(NamedTuple):
    """What is to be done: the result, and the row to learn with the status after it, if any."""

    result: Result
    kind: Kind | None = None
    status: Status | None = None


def same_label(one: Any, other: Any) -> bool:
    """Whether two labels are one: 1 and 1.0 are, True and 1 are not.

    >>> same_label(1, 1.0), same_label(1, True), same_label("1", 1)
    (True, False, False)
    """
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def on_label(
    status: Status, learnt: Any, label: Any, is_correction: bool, learns_late: bool
) -> Step:
    """Return what a label does to a prediction.

    Parameters
    ----------
    learnt
        The label that was learnt last, for a prediction that was.
    is_correction
        The sender knows that another label was sent before.
    learns_late
        The model learns labels of predictions that were waited for no longer.

    Examples
    --------
    >>> on_label(Status.PENDING, None, "yes", False, False).result
    <Result.LEARNED: 'learned'>
    >>> on_label(Status.LEARNT, "yes", "yes", False, False).result
    <Result.DUPLICATE: 'duplicate'>
    >>> on_label(Status.LEARNT, "yes", "no", False, False).result
    <Result.CONFLICT: 'conflict'>
    """
    if status in (Status.PENDING, Status.WITHDRAWN):
        return Step(Result.LEARNED, Kind.LABEL, Status.LEARNT)
    if status is Status.EXPIRED:
        if learns_late or is_correction:
            return Step(Result.LEARNED, Kind.LABEL, Status.LEARNT)
        return Step(Result.EXPIRED)
    if same_label(learnt, label):
        return Step(Result.DUPLICATE)
    if is_correction or (status is Status.DEFAULTED and learns_late):
        return Step(Result.LEARNED, Kind.CORRECTION, Status.LEARNT)
    return Step(Result.EXPIRED if status is Status.DEFAULTED else Result.CONFLICT)


def on_expiry(has_default: bool) -> tuple[Status, Kind | None]:
    """Return the status of a prediction that is waited for no longer, and what is learnt of it."""
    return (Status.DEFAULTED, Kind.DEFAULT) if has_default else (Status.EXPIRED, None)
