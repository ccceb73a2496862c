"""How well answers were, given their labels: of a model, and of the shadows behind it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mooe.platform.life import same_label
from mooe.platform.store import Answered

LEAST = 1e-15  # probability that a log loss counts with


@dataclass(frozen=True)
class Score:
    """How well labelled predictions were answered.

    Attributes
    ----------
    n : int
        Predictions that had an answer and have a label.
    accuracy, log_loss : float or None
        Of classes.
    mae : float or None
        The mean size of the error of values.
    """

    n: int
    accuracy: float | None = None
    log_loss: float | None = None
    mae: float | None = None


def outcome(label: Any, answer: Answered) -> float | None:
    """Return 1.0 for the right class and 0.0 for a wrong one, or the size of a value's error.

    None where there was no answer.

    >>> outcome("a", Answered([0.0, 0.5, 0.5], ("a", "b"))), outcome(3.0, Answered([1.0], None))
    (1.0, 2.0)
    """
    numbers, classes = answer
    if numbers is None:
        return None
    if classes is None:
        return abs(numbers[0] - float(label))
    return float(same_label(classes[int(numbers[0])], label))


def score_of(task: str, rows: Iterable[tuple[Any, Answered]]) -> Score:
    """Return how well rows were answered, each a label and an answer.

    >>> score_of("classification", [("a", Answered([0.0, 0.5, 0.5], ("a", "b")))])
    Score(n=1, accuracy=1.0, log_loss=0.6931471805599453, mae=None)
    >>> score_of("regression", [(3.0, Answered([1.0], None)), (1.0, Answered(None, None))])
    Score(n=1, accuracy=None, log_loss=None, mae=2.0)
    """
    n, total, loss = 0, 0.0, 0.0
    for label, answer in rows:
        value = outcome(label, answer)
        if value is None:
            continue
        n, total = n + 1, total + value
        numbers, classes = answer
        if numbers is None or classes is None:
            continue
        shares = zip(classes, numbers[1:], strict=False)
        share = next((p for name, p in shares if same_label(name, label)), 0.0)
        loss -= math.log(max(share, LEAST))
    if not n:
        return Score(0)
    if task == "regression":
        return Score(n, mae=total / n)
    return Score(n, total / n, loss / n)
