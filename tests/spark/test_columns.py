"""Which columns of a DataFrame are what, and how they go to workers and back."""

import pytest

pytest.importorskip("pyspark")

from mooe.spark.columns import Columns, of_names

pytestmark = pytest.mark.xdist_group("spark")  # one JVM

COLUMNS = of_names("key", ["a", "b"], "label", "seq", None, ["note", "seq"], "classification")


def test_carried_columns_are_named_once_each():
    assert COLUMNS.carried == ("key", "seq", "label", "note")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"key": None}, "key must be the name of a column, got None"),
        ({"id": 3}, "id must be the name of a column, got 3"),
        ({"features": "a"}, "features must be a list of names of columns, got 'a'"),
        ({"features": None}, "features must be a list of names of columns, got None"),
        ({"keep": [1]}, r"keep must be a list of names of columns, got \[1\]"),
    ],
)
def test_what_is_no_name_is_refused(change, rule):
    asked = {"key": "key", "features": ["a"], "label": "y", "seq": "t", "id": None, "keep": []}
    with pytest.raises(ValueError, match=rule):
        of_names(**{**asked, **change, "task": "classification"})


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (
            "key array<int>, a int, seq int, label string",
            "key must be one of .*, got 'key' of array",
        ),
        ("key int, a int, seq string, label string", "seq must be one of .*, got 'seq' of string"),
        ("key int, a int, seq int, label date", "label must be one of .*, got 'label' of date"),
        (
            "key int, a string, seq int, label int",
            "features must be numbers .*; encode texts first",
        ),
        ("key int, a int, seq int, y int", "got 'label'"),
    ],
)
def test_types_that_a_column_cannot_have_are_refused(spark, schema, rule):
    with pytest.raises(ValueError, match=rule):
        Columns("key", ("a",), "label", "seq").check(spark.createDataFrame([], schema))


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_times_are_the_same_in_every_time_zone_also_where_the_clock_is_put_back(spark, zone):
    before = spark.conf.get("spark.sql.session.timeZone")
    columns = Columns("at", ("a",), "label", "local", "at")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = spark.sql(
            "SELECT timestamp_seconds(1729987200 + 1800 * id) at, 1 a, 'x' label, "
            "timestamp_ntz'2024-03-31 01:30:00.000001' + make_dt_interval(0, 0, 30 * id) local "
            "FROM range(5)"  # around the end of summer time, and what it skips in Berlin
        )
        columns.check(frame)
        sent = columns.for_workers(frame).select("mooe_key", "mooe_id", "mooe_place").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    microseconds = [(1729987200 + 1800 * n) * 10**6 for n in range(5)]
    assert [row.mooe_key for row in sent] == [row.mooe_id for row in sent]
    assert [row.mooe_key for row in sent] == list(map(str, microseconds))
    assert [row.mooe_place for row in sent] == [
        (1711848600 + 1800 * n) * 10**6 + 1 for n in range(5)
    ]


def test_names_with_dots_whole_numbers_and_times_come_back_as_they_were(spark):
    columns = Columns("a key", ("in.put",), "y", "when", "id", ("extra",))
    schema = "`a key` int, `in.put` int, y byte, when timestamp, id long, extra boolean"
    frame = spark.createDataFrame([(1, 2, None, None, 2**62 + 1, None)], schema)
    columns.check(frame)
    sent = columns.for_workers(frame)
    kinds = dict(sent.dtypes)
    assert (kinds["mooe_place"], kinds["c_0"], kinds["x_0"]) == ("bigint", "int", "double")
    names = [name for name in sent.columns if name.startswith("c_")]
    (back,) = columns.as_given(sent.select(*names)).collect()
    assert back.asDict() == {
        "a key": 1, "when": None, "id": 2**62 + 1, "y": None, "extra": None,
    }  # fmt: skip
    assert [field.dataType.simpleString() for field in columns.answer_schema(frame)][-5:] == [
        *("bigint", "map<bigint,double>", "bigint", "bigint", "string"),
    ]
