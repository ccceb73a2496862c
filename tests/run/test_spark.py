"""Rows of a file on Spark: the same answers, in the same order, as in one process."""

import numpy as np
import pytest

pytest.importorskip("pyspark")

from pyarrow import parquet

from mooe.run.spark import _written

from .test_keyed import table, went  # noqa: F401

pytestmark = pytest.mark.xdist_group("spark")  # one JVM


def test_spark_says_what_one_process_says(spark, table):  # noqa: F811
    path, _ = table
    run, answers = went(path, engine="spark")
    alone, expected = went(path)
    assert answers == expected
    assert run.results.total.tolist() == alone.results.total.tolist()
    assert set(run.results.regimes) == set(alone.results.regimes)
    assert np.isfinite(run.results.value)


@pytest.mark.parametrize("first", [[None, None], [None, "yes"]])
@pytest.mark.parametrize("second", [["no", None], [None, None]])
def test_labels_are_of_one_type_wherever_the_first_of_them_stands(first, second, tmp_path):
    parts = [
        (np.zeros((2, 1)), np.array(labels, object), np.array([["a"], ["b"]], object))
        for labels in (first, second)
    ]
    _written(tmp_path / "rows", ["x0"], iter(parts), "classification")
    tables = [parquet.read_table(path) for path in sorted((tmp_path / "rows").iterdir())]
    assert [str(one.schema.field("label").type) for one in tables] == ["string"] * 2
    assert [one["label"].to_pylist() for one in tables] == [first, second]


def test_labels_that_are_numbers_stay_numbers_behind_rows_that_have_none(tmp_path):
    parts = [
        (np.zeros((2, 1)), np.array(labels, object), np.array([["a"], ["b"]], object))
        for labels in ([None, None], [3, None])
    ]
    _written(tmp_path / "rows", ["x0"], iter(parts), "classification")
    kinds = [
        parquet.read_schema(path).field("label").type for path in (tmp_path / "rows").iterdir()
    ]
    assert list(map(str, kinds)) == ["int64"] * 2
