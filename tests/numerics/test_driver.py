"""The loop around a kernel: what a new class in mid-chunk does to rows, scores and the model."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from mooe.auto.params import AutoParams
from mooe.numerics.driver import learn_in_order
from mooe.numerics.scores import n_outputs_of

PARAMS = {task: AutoParams(task) for task in ("classification", "regression")}


@dataclass
class Counting:
    """A model that scores class k by the labels of k so far: two classes by one score."""

    n_classes: int = 0
    n_outputs: int = 1
    labels: list = field(default_factory=list)
    calls: list = field(default_factory=list)

    def answer(self, row):
        self.calls.append(("answer", row))
        counts = [float(self.labels.count(k)) for k in range(max(2, self.n_classes))]
        if self.n_classes < 2:
            return np.array([-np.inf if self.labels else np.nan])
        return np.array([counts[1] - counts[0]] if self.n_outputs == 1 else counts)

    def grow(self, n_classes):
        self.calls.append(("grow", n_classes))
        self.n_classes = n_classes
        self.n_outputs = n_outputs_of(PARAMS["classification"], n_classes)

    def learner(self, y):
        def learn(first, out):
            self.calls.append(("learn", first))
            for row in range(first, len(y)):
                if y[row] >= self.n_classes:
                    return -1 - row
                out[row, : self.n_outputs] = self.answer(row)
                self.calls.pop()
                if y[row] == y[row]:
                    self.labels.append(y[row])
            return 0

        return learn


def learnt(model, y):
    y = np.array(y)
    return learn_in_order(
        PARAMS["classification"], model, y, model.learner(y), model.answer, model.grow
    )


def test_a_chunk_without_a_new_class_is_one_call():
    model = Counting(n_classes=2)
    scores = learnt(model, [0.0, 1.0, 1.0])
    assert model.calls == [("learn", 0)]
    assert scores.tolist() == [[0.0], [-1.0], [0.0]]


def test_a_row_of_a_new_class_is_answered_without_it_and_learnt_with_it():
    model = Counting()
    scores = learnt(model, [0.0, 0.0, 1.0, 1.0, np.nan])
    assert model.calls == [
        ("learn", 0),
        ("answer", 0),
        ("grow", 1),
        ("learn", 0),
        ("answer", 2),
        ("grow", 2),
        ("learn", 2),
    ]
    assert model.labels == [0.0, 0.0, 1.0, 1.0]
    np.testing.assert_array_equal(scores[:, 0], [np.nan, -np.inf, -np.inf, -1.0, 0.0])


def test_the_single_score_of_two_classes_becomes_two_once_there_is_a_third():
    model = Counting(n_classes=2)
    scores = learnt(model, [1.0, 0.0, 0.0, 2.0, 2.0])
    assert model.n_outputs == 3
    expected = [[0, 0, -np.inf], [-1, 1, -np.inf], [0, 0, -np.inf], [1, -1, -np.inf], [2, 1, 1]]
    np.testing.assert_array_equal(scores, expected)


def test_several_new_classes_one_after_the_other_are_met_in_their_order():
    model, single = Counting(), Counting()
    y = [0.0, 1.0, 2.0, 3.0, 1.0]
    scores = learnt(model, y)
    rows = [learnt(single, [label])[0] for label in y]
    assert (model.labels, model.n_classes) == (single.labels, single.n_classes)
    np.testing.assert_array_equal(scores[-1], rows[-1])
    np.testing.assert_array_equal(scores[3, :3], rows[3][:3])
    assert scores[3, 3] == -np.inf


@pytest.mark.parametrize("task", PARAMS)
def test_no_rows_are_no_scores(task):
    def never(*_):
        raise AssertionError("there is nothing to do")

    scores = learn_in_order(PARAMS[task], Counting(), np.zeros(0), never, never, never)
    assert scores.shape == (0, 1)


def test_a_regression_has_one_score_whatever_its_labels():
    def learn(first, out):
        out[first:] = 7.0
        return 0

    y = np.array([5.0, 1e9])
    scores = learn_in_order(PARAMS["regression"], Counting(), y, learn, None, None)
    assert scores.tolist() == [[7.0], [7.0]]
