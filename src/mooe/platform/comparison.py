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


def score_of(task: str, rows: Iterable[tuple[Any, Answered]]) -> Score:
    """Return how well rows were answered, each a label and an answer.

    >>> score_of("classification", [("a", Answered([0.0, 0.5, 0.5], ("a", "b")))])
    Score(n=1, accuracy=1.0, log_loss=0.6931471805599453, mae=None)
    >>> score_of("regression", [(3.0, Answered([1.0], None)), (1.0, Answered(None, None))])
    Score(n=1, accuracy=None, log_loss=None, mae=2.0)
    """
    n = right = 0
    loss = 0.0
    for label, (numbers, classes) in rows:
        if numbers is None:
            continue
        n += 1
        if classes is None:
            loss += abs(numbers[0] - label)
            continue
        right += same_label(classes[int(numbers[0])], label)
        shares = zip(classes, numbers[1:], strict=False)
        share = next((p for name, p in shares if same_label(name, label)), 0.0)
        loss -= math.log(max(share, LEAST))
    if not n:
        return Score(0)
    if task == "regression":
        return Score(n, mae=loss / n)
    return Score(n, right / n, loss / n)
