"""Labels: text and numbers as Python has them, numbered in the order of appearance."""

import numpy as np
import pandas as pd
import pytest

from mooe import MOOEClassifier
from mooe.labels import add_labels, as_label, labels_in, numbers_of, sorted_classes


def found(y):
    """Return the labels in y, by way of what scikit-learn makes of it."""
    return labels_in(y, np.asarray(y).ravel()).tolist()


def test_labels_are_numbered_in_the_order_of_appearance():
    labels = ["b"]
    add_labels(labels, ["c", "b", "a", "c"])
    assert labels == ["b", "c", "a"]
    assert numbers_of(np.array(["a", "b", "a", "c"]), labels).tolist() == [2, 0, 2, 1]
    assert numbers_of(np.array(["a", "b"], dtype=object), labels).tolist() == [2, 0]


@pytest.mark.parametrize("dtype", [int, object])
def test_a_label_nobody_numbered_is_no_label(dtype):
    assert np.isnan(numbers_of(np.array([1, 5], dtype=dtype), [1])[1])


@pytest.mark.parametrize("label", [None, b"bytes", (1, 2), 1j, np.nan, np.inf, 10**400, pd.NA])
def test_labels_are_text_or_numbers(label):
    with pytest.raises(ValueError, match="y must hold text or finite numbers, got"):
        add_labels([], [label])


def test_text_and_numbers_do_not_mix():
    with pytest.raises(ValueError, match="labels of one type, got 1 after 'a'"):
        add_labels(["a"], [1])


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (np.str_("a"), str),
        (np.str_("a\0"), str),
        (np.int8(3), int),
        (np.uint64(2**64 - 1), int),
        (np.float32(2.0), float),
        (np.True_, bool),
    ],
)
def test_labels_of_numpy_become_those_of_python(label, kind):
    assert type(as_label(label)) is kind
    assert as_label(label) == label


@pytest.mark.parametrize(
    "y",
    [
        ["a", "a\0", "a\0\0", ""],
        ("a", "a\0"),
        [-1, 2**63, 2**63 + 1],
        [2**53, 2**53 + 1, 0.0],
        [np.int64(-1), np.uint64(2**63 + 1)],
        np.array(["a\0", "a"], dtype=object),
        pd.Series(["a\0", "a"]),
        pd.Series([2**53, 2**53 + 1], dtype="Int64"),
        np.array([2**63, 2**63 + 1], dtype=np.uint64),
        [True, 0, 2.0],
    ],
)
def test_labels_come_out_as_they_went_in(y):
    assert found(y) == list(y)
    assert len(set(found(y))) == len(y)


def test_a_column_of_labels_is_its_labels():
    assert found([["a"], ["b"]]) == found(np.array([["a"], ["b"]])) == ["a", "b"]


def test_classes_are_an_array_of_numpys_kind_where_it_keeps_them_apart():
    assert sorted_classes([3, 1]).dtype.kind == "i"
    assert sorted_classes(["b", "a"]).dtype.kind == "U"
    assert sorted_classes([2.5, 1]).tolist() == [1.0, 2.5]
    for labels in (["a\0", "a"], [2**63 + 1, -1, 2**63], [0.5, 2**53 + 1]):
        classes = sorted_classes(labels)
        assert classes.dtype == object
        assert classes.tolist() == sorted(labels)


APART = {
    "NULs at the end": (["a"], ["a\0"]),
    "more NULs": (["a\0"], ["a\0\0"]),
    "signed and unsigned": (np.array([-1]), np.array([2**63 + 1, 2**63], dtype=np.uint64)),
    "beyond a float": ([0.0], [2**53, 2**53 + 1]),
}


@pytest.mark.parametrize("mode", ["auto", "paper"])
@pytest.mark.parametrize("case", APART)
@pytest.mark.parametrize("declared", [True, False])
def test_labels_that_differ_are_different_classes(case, mode, declared):
    labels = [label for part in APART[case] for label in list(part)]
    rng = np.random.default_rng(0)
    model = MOOEClassifier(mode=mode, interval=5)
    if declared:
        model.partial_fit(rng.normal(size=(1, 2)), list(APART[case][0]), classes=labels)
    rows = {label: rng.normal(size=2) * 3.0 for label in labels}
    for _ in range(30):
        for part in APART[case]:
            model.partial_fit(np.array([rows[label] for label in list(part)]), part)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(np.array([*rows.values()])).tolist() == labels
    again = MOOEClassifier.from_bytes(model.to_bytes())
    assert again.classes_.tolist() == sorted(labels)
    assert again.predict(np.array([*rows.values()])).tolist() == labels


def test_labels_that_python_calls_equal_are_one_class():
    X = np.random.default_rng(0).normal(size=(2, 2))
    model = MOOEClassifier()
    for y in ([1, 0], [1.0, 0.0], [True, False], np.array([1, 0], np.uint8), [np.True_, 0]):
        model.partial_fit(X, y)
    assert model.classes_.tolist() == [0, 1]
