"""The edge: labels numbered in order of appearance, errors that change nothing."""

import numpy as np
import pytest

from mooe import MOOEClassifier, edge


def test_labels_are_numbered_in_the_order_of_appearance():
    labels = ["b"]
    edge.add_labels(labels, ["c", "b", "a", "c"])
    assert labels == ["b", "c", "a"]
    assert edge.numbers_of(np.array(["a", "b", "a", "c"]), labels).tolist() == [2, 0, 2, 1]


def test_a_label_nobody_numbered_is_no_label():
    assert np.isnan(edge.numbers_of(np.array([1, 5]), [1])[1])


@pytest.mark.parametrize("label", [None, b"bytes", (1, 2)])
def test_labels_are_text_or_numbers(label):
    with pytest.raises(ValueError, match="y must hold text or numbers, got"):
        edge.add_labels([], [label])


def test_text_and_numbers_do_not_mix():
    with pytest.raises(ValueError, match="labels of one type, got 1 after 'a'"):
        edge.add_labels(["a"], [1])


def test_an_interrupt_leaves_the_attributes_as_they_were():
    model = MOOEClassifier(mode="paper")
    before = dict(vars(model))

    def learn():
        with edge.unchanged_on_error(model):
            model.state_ = "half"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn()
    assert vars(model) == before
