"""Labels: one numbering in the order of appearance, whatever type they come in."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.labels import Labels, check_label

KINDS = [
    st.lists(st.integers(-5, 5)),
    st.lists(st.integers(-(10**6), 10**6)),
    st.lists(st.floats(-2, 2, allow_nan=False)),
    st.lists(st.booleans()),
    st.lists(st.sampled_from(["a", "b", "a\0", "01", "+1", ""])),
]


def numbered(values):
    """Return what `encode` should give, one label after the other."""
    first = list(dict.fromkeys(values))
    return [first.index(value) for value in values], first


@given(st.one_of(KINDS), st.integers(0, 30))
def test_labels_are_numbered_in_the_order_of_appearance_however_they_are_cut(values, cut):
    is_text = any(isinstance(value, str) for value in values)
    y = np.array(values, dtype=object) if is_text or not values else np.array(values)
    labels = Labels()
    numbers = [*labels.encode(y[:cut]), *labels.encode(y[cut:])]
    expected, names = numbered(values)
    assert numbers == expected
    assert labels.names == names
    assert labels.find(values).tolist() == expected


def test_what_has_no_label_has_no_number():
    labels = Labels()
    assert np.isnan(labels.encode(np.array([np.nan, 2.0])))[0]
    found = Labels().encode(np.array(["b", None, "a"], dtype=object))
    assert found[[0, 2]].tolist() == [0.0, 1.0]
    assert math.isnan(found[1])
    assert np.isnan(Labels(["a"]).find(["b"])).all()


def test_whole_numbers_beyond_an_int64_stay_apart():
    labels = Labels()
    labels.encode(np.array([2**63 - 1], dtype=np.int64))
    labels.encode(np.array([2**63, 2**63 + 1], dtype=np.uint64))
    assert labels.names == [2**63 - 1, 2**63, 2**63 + 1]


def test_text_with_a_final_nul_is_another_label():
    labels = Labels()
    labels.add(["a", "a\0"])
    assert labels.names == ["a", "a\0"]


def test_labels_that_are_equal_are_one_class():
    labels = Labels()
    labels.add([True, 1, 1.0, False])
    assert labels.names == [True, False]


@pytest.mark.parametrize("label", [None, b"x", (1,), math.nan, math.inf, 1j])
def test_a_label_is_text_or_a_finite_number(label):
    labels = Labels(["a"])
    with pytest.raises(ValueError, match="y must be text or a finite number"):
        labels.add(["b", label])
    assert labels.names == ["a"]


def test_text_and_numbers_do_not_mix():
    for known, new in ((["a"], 1), ([1], "a")):
        labels = Labels(known)
        with pytest.raises(ValueError, match=f"of one type, got {new!r} after {known[0]!r}"):
            labels.add([new])
        assert labels.names == known
    with pytest.raises(ValueError, match="of one type"):
        Labels().add(["a", 1])
    check_label(1, [])


def test_a_copy_is_extended_on_its_own():
    labels = Labels(["b"])
    other = labels.copy()
    other.number("a")
    assert labels.names == ["b"]
    assert other.order() == [1, 0]
    assert len(other) == 2
    assert repr(other) == "Labels(['b', 'a'])"
