"""How well answers were."""

import math

import pytest

from mooe.platform.comparison import Score, score_of
from mooe.platform.store import Answered


def test_classes_are_judged_by_accuracy_and_log_loss():
    classes = ("no", "yes")
    rows = [
        ("yes", Answered([1.0, 0.2, 0.8], classes)),
        ("no", Answered([1.0, 0.5, 0.5], classes)),
        ("new", Answered([1.0, 0.5, 0.5], classes)),
        ("no", Answered(None, None)),
    ]
    score = score_of("classification", rows)
    assert (score.n, score.accuracy) == (3, pytest.approx(1 / 3))
    assert score.log_loss == pytest.approx(-(math.log(0.8) + math.log(0.5) + math.log(1e-15)) / 3)


def test_values_are_judged_by_their_error_and_nothing_by_nothing():
    assert score_of("regression", [(1.0, Answered([3.0], None))]) == Score(1, mae=2.0)
    assert score_of("regression", []) == Score(0)
