"""Inputs as the platform keeps them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.platform.rows import MOST_VALUES, batches, row_of, same_x

NUMBERS = st.floats(-1e9, 1e9) | st.integers(-(10**9), 10**9)


@given(st.dictionaries(st.text(min_size=1, max_size=9), NUMBERS))
def test_a_dict_comes_back_as_it_was(x):
    try:
        row = row_of(x)
    except ValueError:
        assert any(
            "\0" in name
            or not name.isprintable()
            or name != name.encode("utf-8", "ignore").decode()
            for name in x
        )
        return
    assert row.as_given() == x
    assert same_x(row, row_of(dict(reversed(x.items()))))


@given(st.lists(NUMBERS | st.none(), max_size=9, min_size=1))
def test_a_list_comes_back_as_it_was(x):
    assert row_of(x).as_given() == x
    assert row_of(np.array([math.nan if v is None else v for v in x], float)).as_given() == x


@pytest.mark.parametrize(
    "x",
    [
        *(None, 3, "text", {"a": "1"}, {"a": [1]}, {"a": 1j}, {"a": math.inf}, {"a": 1e300}),
        *([math.nan, math.inf], ["1"], [[1]], {1: 2}, {"\ud800": 1}, {"a\0": 1}, {"a" * 1001: 1}),
        *([10**400], {"a": 10**400}, [0.0] * (MOST_VALUES + 1), {("a", "b"): 1.0}),
    ],
)
def test_what_no_model_could_learn_is_refused(x):
    with pytest.raises(ValueError, match=r"x must"):
        row_of(x)


def test_absent_values_and_orders_do_not_make_another_x():
    assert same_x(row_of({"a": 1, "b": None}), row_of({"a": 1.0}))
    assert same_x(row_of([1, None]), row_of([1.0, math.nan]))
    assert same_x(row_of([0.0]), row_of([-0.0]))
    assert not same_x(row_of({"a": 1}), row_of({"b": 1}))
    assert not same_x(row_of([1]), row_of({"0": 1}))
    assert not same_x(row_of([1]), row_of([1, 2]))


def test_rows_of_the_same_names_are_one_matrix():
    rows = [row_of(x) for x in ({"a": 1, "b": 2}, {"a": 3, "b": 4}, {"b": 5, "a": 6}, {"a": 7})]
    found = batches(rows)
    assert [(list(each.names), each.values.tolist()) for each in found] == [
        (["a", "b"], [[1.0, 2.0], [3.0, 4.0]]),
        (["b", "a"], [[5.0, 6.0]]),
        (["a"], [[7.0]]),
    ]
    assert batches([]) == []
    assert batches([row_of({}), row_of({})])[0].values.shape == (2, 0)
