"""Rows on their way through Spark, many in one binary value: an Arrow stream.

Spark hands rows of a group to Python one by one and takes a frame's columns value by value, which
costs more than learning does. Of packed rows it sees one value for many.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

BUCKET, PACKED = "mooe_bucket", "mooe_rows"
PACKED_SCHEMA = f"{BUCKET} int, {PACKED} binary"
ANSWERED_SCHEMA = f"{PACKED} binary"


def to_bytes(table: Any) -> bytes:
    """Return a table, or a batch, as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def of_bytes(blobs: Iterable[bytes]) -> Any:
    """Return one table of all that were packed."""
    return pa.concat_tables(pa.ipc.open_stream(blob).read_all() for blob in blobs)


def packed(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of Arrow batches by their buckets, packed; for `mapInArrow`."""
    for batch in batches:
        buckets = batch.column(BUCKET).to_numpy()
        order = np.argsort(buckets, kind="stable")
        rows = batch.drop_columns([BUCKET]).take(pa.array(order))
        numbers, firsts = np.unique(buckets[order], return_index=True)
        ends = np.append(firsts[1:], len(order))
        blobs = [
            to_bytes(rows.slice(first, end - first))
            for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)
        ]
        columns = [pa.array(numbers, pa.int32()), pa.array(blobs, pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, [BUCKET, PACKED])


def unpacked(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield what was packed, as Arrow batches; for `mapInArrow`."""
    for batch in batches:
        for blob in batch.column(PACKED):
            yield from pa.ipc.open_stream(blob.as_py())
