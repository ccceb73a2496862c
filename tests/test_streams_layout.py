"""What the user says of a table, and where the parts of its rows are."""

import pytest

from mooe.streams.cells import Spelling
from mooe.streams.layout import Layout, Options, Usual
from mooe.streams.stream import StreamError


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"missing": "zero"}, "missing must be 'mean' or 'error', got 'zero'"),
        ({"max_rows": 0}, "max_rows must be at least 1, got 0"),
        ({"label_kind": "bool"}, "label_kind must be 'text' or 'number', got 'bool'"),
        ({"decimal": ";"}, "decimal must be '.' or ',', got ';'"),
    ],
)
def test_what_no_table_has_is_refused(options, rule):
    with pytest.raises(StreamError, match=rule):
        Options(**options)


def test_the_user_is_heard_before_what_is_usual():
    assert Options(usual=Usual(",")).plain_spelling.decimal == ","
    assert Options(usual=Usual(","), decimal=".").plain_spelling.decimal == "."


def table(**parts):
    names = ("size", "town", "when", "label")
    return Layout("t.csv", names, Options(label="label"), spellings=(Spelling(),) * 4, **parts)


def test_a_label_is_read_with_the_numbers_in_a_regression_and_with_the_texts_elsewhere():
    parts = {"numbers": (0,), "texts": (1,), "moments": (2,), "label": 3}
    classes = table(**parts)
    assert (classes.number_columns, classes.text_columns) == ((0, 2), (1, 3))
    values = table(**parts, task="regression", label_kind="real")
    assert (values.number_columns, values.text_columns) == ((0, 3, 2), (1,))
    assert [values.kind(at) for at in range(4)] == ["real", "text", "date", "real"]


def test_the_stream_of_a_layout_has_its_columns_by_kind():
    stream = table(numbers=(0,), texts=(1,), time=2, time_kind="date").stream(lambda n: iter(()))
    assert stream.kinds == {"size": "number", "town": "text"}
    assert (stream.time, stream.has_dates) == ("when", True)
