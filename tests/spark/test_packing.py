"""Rows packed by their buckets come back as they were."""

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa

from mooe.spark.packing import BUCKET, PACKED, of_bytes, packed, to_bytes, unpacked


def test_rows_come_back_by_bucket_in_their_order():
    columns = {"a": [1, 2, None, 4], "b": ["x", None, "z", "w"], BUCKET: [3, 0, 3, 0]}
    batch = pa.RecordBatch.from_pydict(columns)
    (found,) = packed([batch])
    assert found.column(BUCKET).to_pylist() == [0, 3]
    blobs = found.column(PACKED).to_pylist()
    assert of_bytes(blobs).to_pydict() == {"a": [2, 4, 1, None], "b": [None, "w", "x", "z"]}
    assert [part.to_pydict() for part in unpacked([found])][1] == {"a": [1, None], "b": ["x", "z"]}


def test_a_slice_takes_the_room_of_its_rows_alone():
    table = pa.table({"a": ["long text " * 100] * 1000})
    assert len(to_bytes(table.slice(5, 1))) < 5000
