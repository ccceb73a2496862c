"""Numbers in what users give: which cell is none is said, with its value and its place."""

import datetime

import numpy as np
import pandas as pd
import pytest

from mooe import MOOEClassifier, MOOERegressor

TIMES = pd.date_range("2024-05-01", periods=4)
X, CLASSES, VALUES = np.eye(4), [0, 1, 0, 1], [0.5, 1.5, 2.5, 1.0]


def objects(*rows):
    return np.array(rows, dtype=object)


BAD_ROWS = {
    "text in lists": (
        [["a", 1.0]] * 4,
        r"X must hold numbers, got 'a' in row 0, column 0; texts, .* need",
    ),
    "text in an array": (
        objects([1, 2], [3, 4], [5, "six"], [7, 8]),
        r"X must hold numbers, got 'six' in row 2, column 1; texts, .* need",
    ),
    "a number too large": ([[10**400]] * 4, r"X must hold numbers, got 10+ in row 0, column 0$"),
    "durations in a frame": (
        pd.DataFrame({"a": VALUES, "took": TIMES - TIMES[0]}),
        r"X must hold numbers, got (timedelta64\[.*\]|durations) in column 'took'",
    ),
    "an array of dates": (
        TIMES.to_numpy()[:, None],
        r"X must hold numbers, got datetime64\[.*\]$",
    ),
    "an array of durations": (
        (TIMES - TIMES[0]).to_numpy()[:, None],
        r"X must hold numbers, got timedelta64\[.*\]$",
    ),
}
# Frames that a model takes which they are the first rows of, and not one that was taught numbers.
TABLES = {
    "text in a frame": (
        pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["1", "2", "x", "4"]}),
        r"X must hold numbers, got 'x' in row 2, column 'b'$",
    ),
    "a category": (
        pd.DataFrame({"a": pd.Series(list("xyxy"), dtype="category")}),
        r"X must hold numbers, got 'x' in row 0, column 'a'$",
    ),
    "dates": (
        pd.DataFrame({"a": VALUES, "when": TIMES.tz_localize("UTC")}),
        r"X must hold numbers, got datetime64\[.*, UTC\] in column 'when'$",
    ),
}
BAD_CLASSES = {
    "None": objects(0, 1, None, 1),
    "None in a list": ["a", "b", None, "a"],
    "a tuple": objects(0, 1, (0, 1), 1),
    "bytes": [b"a", b"b", b"a", b"b"],
    "dates": TIMES,
    "durations": (TIMES - TIMES[0]).to_numpy(),
    "fractions": objects(0, 1, 0.5, 1),
    "text and numbers": [0, 1, "a", 1],
}
BAD_NUMBERS = {
    "text": [1.0, 2.0, "x", 4.0],
    "objects": objects(1.0, {}, 2.0, 3.0),
    "dates": TIMES.to_numpy(),
    "a series of dates": pd.Series(TIMES),
    "dates in a list": [datetime.date(2024, 5, 1)] * 4,
    "complex": [1j, 2.0, 3.0, 4.0],
}


def check_refused(model, message, *arguments, **options):
    """Fail unless every call with these is refused, and the model stays as it was."""
    fresh = type(model)()
    with pytest.raises(ValueError, match=message):
        fresh.fit(*arguments, **options)
    assert vars(fresh) == vars(type(model)())
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(*arguments, **options)
    assert model.to_bytes() == before


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_cell_that_is_no_number_is_named(case):
    rows, message = BAD_ROWS[case]
    for model, y in ((MOOEClassifier(), CLASSES), (MOOERegressor(), VALUES)):
        good = X[:, : np.shape(rows)[1]]
        if isinstance(rows, pd.DataFrame):
            good = pd.DataFrame(good, columns=rows.columns)
        check_refused(model.fit(good, y), message, rows, y)
        with pytest.raises(ValueError, match=message):
            model.predict(rows)


@pytest.mark.parametrize("case", TABLES)
def test_what_a_column_holds_is_fixed_by_the_first_rows(case):
    rows, message = TABLES[case]
    good = pd.DataFrame(X[:, : rows.shape[1]], columns=rows.columns)
    for model, y in ((MOOEClassifier(), CLASSES), (MOOERegressor(), VALUES)):
        before = model.fit(good, y).to_bytes()
        for call in (model.partial_fit, lambda rows, _, model=model: model.predict(rows)):
            with pytest.raises(ValueError, match=message):
                call(rows, y)
        assert model.to_bytes() == before


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        MOOEClassifier().fit([[1.0], [1.0, 2.0]], [0, 1])


@pytest.mark.parametrize("case", BAD_CLASSES)
def test_a_label_that_is_no_class_is_named(case):
    message = "y must (hold text or whole numbers|be of one type|have a label for each row), got "
    check_refused(MOOEClassifier().fit(X, CLASSES), message, X, BAD_CLASSES[case])


@pytest.mark.parametrize("case", BAD_NUMBERS)
def test_a_value_or_weight_that_is_no_number_is_named(case):
    check_refused(MOOERegressor().fit(X, VALUES), "y must hold numbers, got ", X, BAD_NUMBERS[case])
    for model, y in ((MOOEClassifier(), CLASSES), (MOOERegressor(), VALUES)):
        message = "sample_weight must hold numbers, got "
        check_refused(model.fit(X, y), message, X, y, sample_weight=BAD_NUMBERS[case])


def test_an_absent_value_is_no_label_of_a_regression():
    for y in ([1.0, None, 2.0, 3.0], [1.0, np.nan, 2.0, 3.0]):
        message = "y must have a label for each row, got (None|nan) in row 1"
        check_refused(MOOERegressor().fit(X, VALUES), message, X, y)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (objects(0, 1, 0, 1), [0, 1]),
        (objects(False, True, False, True), [False, True]),
        (objects("a", "b", "a", "b"), ["a", "b"]),
        (objects(1.0, 2.0, 1.0, 2.0), [1.0, 2.0]),
        (pd.Series([1, 2, 1, 2], dtype="Int64"), [1, 2]),
        (pd.Series(list("abab"), dtype="category"), ["a", "b"]),
        (pd.Series(list("abab"), dtype="string"), ["a", "b"]),
    ],
)
def test_labels_may_come_in_any_array(y, classes):
    model = MOOEClassifier().fit(X, y)
    assert model.classes_.tolist() == classes
    assert MOOEClassifier.from_bytes(model.to_bytes()).classes_.tolist() == classes


def test_numbers_may_come_as_objects_and_in_text():
    expected = MOOERegressor().fit(X, VALUES).to_bytes()
    for y in (objects(*VALUES), [str(value) for value in VALUES], pd.Series(VALUES, dtype=object)):
        assert MOOERegressor().fit(X.astype(object), y).to_bytes() == expected
