"""Classes have numbers in the order in which they were met."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.labels import Labels


def test_labels_are_numbered_in_the_order_of_appearance():
    labels = Labels()
    assert labels.encode(np.array([7, 3, 7])).tolist() == [0, 1, 0]
    assert labels.encode(np.array([3, 9, 1])).tolist() == [1, 2, 3]
    assert labels.names == [7, 3, 9, 1]
    numbers = labels.encode(np.array([np.nan, 3.0]))
    assert np.isnan(numbers[0])
    assert numbers[1] == 1


@given(
    st.lists(st.lists(st.integers(-5, 2000) | st.none(), max_size=20), max_size=5),
    st.sampled_from([object, float, np.int64]),
)
def test_numbers_are_those_of_a_dict_whatever_the_type_of_the_array(parts, dtype):
    labels, expected = Labels(), {}
    for part in parts:
        given = [label for label in part if label is not None or dtype is not np.int64]
        for label in given:
            if label is not None:
                expected.setdefault(label, len(expected))
        numbers = labels.encode(np.array(given, dtype=dtype))
        wanted = [np.nan if label is None else expected[label] for label in given]
        assert np.array_equal(numbers, wanted, equal_nan=True)
    assert labels.names == list(expected)


def test_a_copy_is_extended_on_its_own():
    labels = Labels(["a"])
    labels.copy().number("b")
    assert (labels.names, len(labels)) == (["a"], 1)


def test_labels_from_a_user_are_of_one_type_or_nothing_changes():
    labels = Labels(["a"])
    with pytest.raises(ValueError, match="y must be of one type, got 1 after 'a'"):
        labels.add(["b", 1])
    assert labels.names == ["a"]
