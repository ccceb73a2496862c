"""The loop around a kernel: a new class in the middle of a chunk is answered first, then met."""

import numpy as np

from mooe.numerics.blocks import State
from mooe.numerics.driver import learn_in_order
from mooe.paper.params import Params

COUNTERS = np.dtype([("n_classes", "i8"), ("n_outputs", "i8")])


class Kernel:
    """Scores a row by how many rows of each class were learnt before it."""

    def __init__(self, labels):
        self.labels, self.log = labels, []
        self.state = State(np.array([(0, 1)], COUNTERS), np.zeros(0))
        self.seen = np.zeros(0)

    def learn(self, first, out):
        for row in range(first, len(self.labels)):
            label = self.labels[row]
            if label == label and label >= self.state.n_classes:
                return -1 - row
            out[row, : self.state.n_outputs] = self.answer(row)
            if label == label:
                self.seen[int(label)] += 1
                self.log.append(row)
        return 0

    def answer(self, row):
        if self.state.n_outputs > 1:
            return self.seen.copy()
        return np.array([self.seen[1:2].sum() - self.seen[:1].sum()])

    def grow(self, n_classes):
        self.state.counters["n_classes"] = n_classes
        self.state.counters["n_outputs"] = n_classes if n_classes > 2 else 1
        self.seen = np.append(self.seen, np.zeros(n_classes - len(self.seen)))


def driven(labels):
    kernel = Kernel(np.array(labels, dtype=float))
    scores = learn_in_order(
        Params(), kernel.state, kernel.labels, kernel.learn, kernel.answer, kernel.grow
    )
    return kernel, scores


def test_every_row_is_learnt_once_and_in_order():
    kernel, scores = driven([0, 1, np.nan, 0, 2, 1, 3, 3])
    assert kernel.log == [0, 1, 3, 4, 5, 6, 7]
    assert kernel.seen.tolist() == [2, 2, 1, 2]
    assert scores.shape == (8, 4)


def test_a_row_is_answered_before_its_class_is_known():
    _, scores = driven([0, 1, 0, 2, 2])
    assert scores[3].tolist() == [-(1.0 - 2.0), 1.0 - 2.0, -np.inf]  # as of two classes
    assert scores[4].tolist() == [2.0, 1.0, 1.0]


def test_two_classes_keep_their_single_score():
    _, scores = driven([0, 1, 0, np.nan])
    assert scores[:, 0].tolist() == [0.0, -1.0, 0.0, -1.0]
