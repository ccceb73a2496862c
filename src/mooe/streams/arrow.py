"""Tables read by pyarrow, which is optional: blocks of delimited text, and Parquet files."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mooe.streams.cells import FIRST_ROWS, LARGEST, MISSING, is_missing, numbers_of, seconds
from mooe.streams.columns import Layout, Options, layout_of
from mooe.streams.encoding import Table, chunks_of
from mooe.streams.stream import Chunk, Stream, StreamError

BATCH = 10_000  # rows
GIVEN = "hold a value (missing='error')"


@cache
def arrow() -> Any:
    """Return pyarrow's csv module, or None where it is not installed."""
    try:
        import pyarrow.csv
    except ImportError:
        return None
    return pyarrow.csv


def by_arrow(block: bytes, layout: Layout) -> Table | None:
    """Read a block with pyarrow; None where that cannot be done, or where a cell is unusual."""
    reader = arrow()
    if reader is None or block.count(layout.quote.encode()) % 2:
        return None
    import pyarrow

    iso = layout.time if layout.time_kind == "iso" else None
    types = {str(at): pyarrow.float64() for at in layout.number_columns if at != iso}
    texts = layout.text_columns + ((iso,) if iso is not None else ())
    types |= {str(at): pyarrow.string() for at in texts}
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(block),
            reader.ReadOptions(
                use_threads=False,
                block_size=len(block) + 1,
                column_names=[str(at) for at in range(len(layout.names))],
            ),
            reader.ParseOptions(
                delimiter=layout.delimiter, quote_char=layout.quote, newlines_in_values=True
            ),
            reader.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=list(MISSING),
                strings_can_be_null=True,
            ),
        )
        return _clean_table(table, layout, iso)
    except (pyarrow.ArrowInvalid, ValueError):
        return None


def _clean_table(table: Any, layout: Layout, iso: int | None) -> Table | None:
    """Return what pyarrow read, or None where a cell must be looked at one by one."""
    numbers = np.empty((table.num_rows, len(layout.number_columns)))
    texts = np.empty((table.num_rows, len(layout.text_columns)), dtype=object)
    for j, at in enumerate(layout.number_columns):
        column = table.column(str(at))
        if at == iso:
            numbers[:, j] = [seconds(cell or "") for cell in column.to_pylist()]
            continue
        numbers[:, j] = floats(column.combine_chunks())
        gone = int(np.isnan(numbers[:, j]).sum())
        needed = at == layout.time or (layout.missing == "error" and at in layout.numbers)
        if (
            gone != column.null_count
            or (gone and needed)
            or (np.abs(numbers[:, j]) > LARGEST).any()
        ):
            return None
        if layout.kind(at) == "whole" and (numbers[:, j] % 1.0 > 0.0).any():
            return None
    for j, at in enumerate(layout.text_columns):
        cells = table.column(str(at)).to_pylist()
        if layout.missing == "error" and at in layout.texts and None in cells:
            return None
        stripped = [cell if cell is None else cell.strip() for cell in cells]
        if any(cell in MISSING for cell in set(stripped) if cell is not None):
            return None
        texts[:, j] = stripped
    return Table(numbers, texts)


def floats(column: Any) -> np.ndarray:
    """Return a column of float64, NaN for null; to_numpy would import pandas, for half a second."""
    values = np.frombuffer(column.buffers()[1] or b"", np.float64)[column.offset :][: len(column)]
    if column.null_count:
        values = np.where(column.is_null().to_pylist(), np.nan, values)
    return values


def parquet_stream(path: Path, options: Options) -> Stream:
    """Return the stream of a Parquet file."""
    try:
        import pyarrow.parquet
    except ImportError:
        hint = "pip install 'mooe[data]'"
        raise StreamError(path.name, "be read with pyarrow", "no pyarrow", hint) from None

    def opened() -> Any:
        try:
            return pyarrow.parquet.ParquetFile(path)
        except (pyarrow.ArrowException, OSError) as error:
            raise broken(error) from None

    def batches(n: int) -> Iterator[Any]:
        try:
            yield from opened().iter_batches(n)
        except (pyarrow.ArrowException, OSError) as error:
            raise broken(error) from None

    def broken(error: Exception) -> StreamError:
        return StreamError(path.name, "be a Parquet file", " ".join(str(error).split()))

    file = opened()
    names = file.schema_arrow.names
    first = next(batches(FIRST_ROWS), None)
    rows = [] if first is None else list(zip(*map(_as_cells, first.columns), strict=True))
    layout = layout_of(path.name, names, rows, options)

    def read(n: int) -> Iterator[Chunk]:
        numbered = enumerate(batches(BATCH))
        tables = (_batch_table(batch, layout, 1 + i * BATCH) for i, batch in numbered)
        return chunks_of(tables, layout, n, options.max_rows)

    n_rows = min(file.metadata.num_rows, options.max_rows or file.metadata.num_rows)
    return Stream(
        path.stem,
        task=layout.task,
        feature_names=layout.feature_names,
        n_rows=n_rows,
        read=read,
        label_kind=layout.read_as,
    )


def _as_cells(column: Any) -> list[str]:
    """Return the cells of a column as the text that a csv file would have."""
    return [
        "" if cell is None else cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
        for cell in column.to_pylist()
    ]


def _batch_table(batch: Any, layout: Layout, row: int) -> Table:
    """Return a batch of a Parquet file, whose first row has a number, as a table."""
    import pyarrow

    numbers = np.empty((batch.num_rows, len(layout.number_columns)))
    texts = np.empty((batch.num_rows, len(layout.text_columns)), dtype=object)
    for j, at in enumerate(layout.number_columns):
        column = batch.column(at)
        try:
            values = floats(column.cast(pyarrow.float64(), safe=False))
            usual = not (np.abs(values) > LARGEST).any() and layout.kind(at) == "real"
        except pyarrow.ArrowException:
            usual = False
        if not usual:
            values, wrong = numbers_of(_as_cells(column), layout.kind(at))
            for i, rule in wrong:
                _refuse(layout, at, row + i, rule, column[i].as_py())
        numbers[:, j] = values
    for j, at in enumerate(layout.text_columns):
        cells = [None if is_missing(cell) else cell.strip() for cell in _as_cells(batch.column(at))]
        texts[:, j] = cells
    if layout.missing == "error":
        gone = np.isnan(numbers[:, : len(layout.numbers)])
        is_none = np.frompyfunc(lambda cell: cell is None, 1, 1)
        lost = is_none(texts[:, : len(layout.texts)]).astype(bool)
        for i, j in np.argwhere(np.hstack([gone, lost])):
            _refuse(layout, (layout.numbers + layout.texts)[j], row + i, GIVEN, None)
    return Table(numbers, texts)


def _refuse(layout: Layout, at: int, row: int, rule: str, value: object) -> None:
    name = f"{layout.source}, row {row:,}, column {layout.names[at]!r}"
    raise StreamError(name, rule, value)
