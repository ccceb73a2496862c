"""Keys of any kind have numbers, quickly; equal ones the same."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mooe.keyed.keys import Keys, as_column, grown

ANY = st.one_of(
    st.integers(),
    st.text(max_size=8),
    st.floats(allow_nan=False),
    st.booleans(),
    st.binary(max_size=4),
    st.tuples(st.integers(), st.text(max_size=3)),
)


@given(st.lists(ANY, min_size=1, max_size=60))
def test_numbers_are_those_of_a_dict(values):
    keys, numbers = Keys(), {}
    for part in (values[: len(values) // 2], values):
        expected = [numbers.setdefault(value, len(numbers)) for value in part]
        assert keys.add(as_column(part)).tolist() == expected
    assert keys.names == list(numbers)
    assert keys.find(as_column([("nobody",)])).tolist() == [-1]


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        list,
        lambda values: pd.Series(values),
        lambda values: pd.Series(values, dtype="category"),
        lambda values: np.array(values, object),
        lambda values: pd.Series(values, dtype="string"),
    ],
)
def test_texts_of_every_form_are_the_same_keys(form):
    values = ["b", "a", "b", "a longer one, with ünïcode", "", "b"]
    keys = Keys()
    assert keys.add(as_column(form(values))).tolist() == [0, 1, 0, 2, 3, 0]
    assert keys.find(as_column(values)).tolist() == [0, 1, 0, 2, 3, 0]
    assert keys.names == ["b", "a", values[3], ""]


@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.int64, np.uint64, float, object, bool])
def test_whole_numbers_of_every_form_are_the_same_keys(kind):
    values = np.array([1, 0, 1], kind)
    keys = Keys([1, 0])
    assert keys.find(as_column(values)).tolist() == [0, 1, 0]


def test_many_keys_are_found_again():
    wholes = np.random.default_rng(0).permutation(50_000) * 7919 - 10**6
    texts = [f"key {number}" for number in range(20_000)]
    keys = Keys()
    keys.add(as_column(wholes))
    keys.add(as_column(texts))
    assert (keys.find(as_column(wholes)) == np.arange(50_000)).all()
    assert (keys.find(as_column(texts)) == np.arange(50_000, 70_000)).all()
    assert (keys.find(as_column(wholes + 1)) == -1).all()


def test_texts_that_end_with_zeros_are_keys_of_their_own():
    assert Keys().add(as_column(["a", "a\0", "a"])).tolist() == [0, 1, 0]


def test_only_wanted_rows_bring_new_keys():
    keys = Keys()
    assert keys.add(as_column([5, 6, 5]), np.array([False, False, True])).tolist() == [0, -1, 0]
    assert keys.names == [5]


@given(st.lists(ANY, min_size=1, max_size=20))
def test_a_digest_depends_on_the_key_alone(values):
    keys = Keys()
    together = keys.digests_of(as_column(values)).tolist()
    assert together == [keys.digests_of(as_column([value]))[0] for value in values]


def test_digests_are_the_same_in_every_process():
    found = Keys().digests_of(as_column(["a", 7, (1, "b"), date(2024, 5, 1), 2.5]))
    assert (found.view(np.uint64) >> np.uint64(48)).tolist() == DIGESTS


DIGESTS = [55719, 63327, 11317, 43942, 46148]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_key_is_refused_with_its_row(missing):
    with pytest.raises(ValueError, match=r"keys must be hashable and not missing, got .* in row 1"):
        as_column(["a", missing])
    with pytest.raises(ValueError, match="in row 1"):
        as_column(pd.Series(["a", missing], dtype="category"))


@pytest.mark.parametrize("whole", [lambda part: (part, "a"), lambda part: ("a", (1, part))])
@pytest.mark.parametrize("part", [float("nan"), np.float64("nan"), Decimal("NaN"), pd.NA, pd.NaT])
def test_a_key_with_a_part_that_equals_nothing_is_refused(whole, part):
    for value in (whole(part), frozenset([part])):
        with pytest.raises(
            ValueError, match=r"keys must be hashable and not missing, got .* row 1"
        ):
            as_column([("b", 2), value])


@pytest.mark.parametrize("value", [[1], np.array([1, 2]), Decimal("sNaN")])
def test_what_has_no_hash_is_refused_with_its_row(value):
    with pytest.raises(ValueError, match=r"keys must be hashable and not missing, got .* in row 1"):
        as_column(["a", value])


@pytest.mark.parametrize("encoded", [False, True])
def test_keys_of_arrow_are_those_of_python(encoded):
    pa = pytest.importorskip("pyarrow")

    def wrap(values):
        return pa.array(values).dictionary_encode() if encoded else pa.array(values)

    keys = Keys()
    assert keys.add(as_column(wrap(["a", "b", "a"]))).tolist() == [0, 1, 0]
    assert keys.add(as_column(wrap([7, 8, 7]))).tolist() == [2, 3, 2]
    assert keys.names == ["a", "b", 7, 8]
    with pytest.raises(ValueError, match=r"keys must be hashable and not missing, got .* in row 1"):
        as_column(wrap(["a", None]))


class Level(IntEnum):
    """A whole number that has a name."""

    LOW = 7


class Place(StrEnum):
    """A text that has a name."""

    NORTH = "north"


@pytest.mark.parametrize(
    ("plain", "other"),
    [
        (7, Level.LOW),
        (7, Decimal(7)),
        (7, Fraction(7)),
        (7, 7 + 0j),
        ("north", Place.NORTH),
        (2.5, Decimal("2.5")),
        (2.5, np.float32(2.5)),
        ((7, "a"), (np.int64(7), np.str_("a"))),
        ((7, "a"), (7.0, "a")),
        (datetime(2024, 5, 1), pd.Timestamp("2024-05-01")),
        (datetime(2024, 5, 1, tzinfo=UTC), pd.Timestamp("2024-05-01", tz="UTC")),
        (datetime(2024, 5, 1), np.datetime64("2024-05-01", "ns")),
        (datetime(2024, 5, 1), np.datetime64("2024-05-01", "s")),
    ],
)
def test_equal_keys_are_one_key_whatever_types_they_come_in(plain, other):
    for one, two in ((plain, other), (other, plain)):
        keys = Keys()
        assert keys.add(as_column([one])).tolist() == keys.add(as_column([two])).tolist() == [0]
        assert keys.digests_of(as_column([one])) == keys.digests_of(as_column([two]))


@pytest.mark.parametrize("value", [Decimal("1e99"), 10**40, float("inf"), 1j, (Decimal("1e99"), 1)])
def test_numbers_that_no_table_takes_are_keys_too(value):
    keys = Keys()
    assert keys.add(as_column([value, 5, value])).tolist() == [0, 1, 0]


@pytest.mark.parametrize("wrap", [np.asarray, pd.Series, list, pd.Categorical])
def test_times_in_nanoseconds_are_times(wrap):
    times = np.array(["2024-05-01", "2024-05-02"], "M8[ns]")
    keys = Keys()
    keys.add(as_column(wrap(times)))
    assert keys.names == [datetime(2024, 5, 1), datetime(2024, 5, 2)]
    assert keys.find(as_column(times.astype("M8[s]"))).tolist() == [0, 1]
    with pytest.raises(ValueError, match="keys must be times of whole microseconds, got 2024"):
        as_column(np.append(times, times[0] + np.timedelta64(1, "ns")))
    with pytest.raises(ValueError, match="in row 2"):
        as_column(np.append(times, np.datetime64("NaT", "ns")))


def test_keys_have_one_dimension():
    with pytest.raises(ValueError, match=r"keys must have one dimension, got the shape \(2, 1\)"):
        as_column(np.zeros((2, 1)))


def test_an_array_grows_with_zeros_behind():
    assert grown(np.array([1, 2]), 2).tolist() == [1, 2]
    assert grown(np.array([1, 2]), 4).tolist() == [1, 2, 0, 0]
