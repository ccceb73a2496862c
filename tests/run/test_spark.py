"""Rows of a file on Spark: the same answers, in the same order, as in one process."""

import numpy as np
import pytest

pytest.importorskip("pyspark")

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
