"""Tables read by pyarrow, which is optional: blocks of delimited text, and Parquet files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mooe.streams.cells import LARGEST, MISSING, cells_of
from mooe.streams.columns import layout_of
from mooe.streams.encoding import Table, chunks_of
from mooe.streams.layout import FIRST_ROWS, Layout, Options
from mooe.streams.stream import Chunk, Stream, StreamError
from mooe.streams.values import GIVEN, numbers_of, values_of

BATCH = 10_000  # rows


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
    decimal = _decimal(layout)
    if any(at in layout.number_columns and _is_plain(layout, at, decimal) for at in layout.kept):
        return None  # which are read as numbers, not as they are written
    import pyarrow

    types = {str(at): pyarrow.string() for at in (*layout.text_columns, *layout.kept)}
    for at in layout.number_columns:
        is_number = _is_plain(layout, at, decimal)
        types[str(at)] = pyarrow.float64() if is_number else pyarrow.string()
    names = [str(at) for at in range(len(layout.names))]
    size = len(block) + 1
    parse = {"delimiter": layout.delimiter, "quote_char": layout.quote, "newlines_in_values": True}
    convert = {"column_types": types, "include_columns": list(types), "decimal_point": decimal}
    nulls = [*MISSING, *layout.options.na]
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(block),
            reader.ReadOptions(use_threads=False, block_size=size, column_names=names),
            reader.ParseOptions(**parse),
            reader.ConvertOptions(**convert, null_values=nulls, strings_can_be_null=True),
        )
        return Table.of(
            layout,
            table.num_rows,
            lambda at: _usual_numbers(table.column(str(at)), layout, at, decimal),
            lambda at: _usual_values(table.column(str(at)), layout, at),
            lambda at: [cell or "" for cell in table.column(str(at)).to_pylist()],
        )
    except (pyarrow.ArrowInvalid, ValueError):
        return None


def _decimal(layout: Layout) -> str:
    """Return the decimal sign of most columns: pyarrow knows one for all."""
    signs = [layout.spellings[at].decimal for at in layout.number_columns]
    return "," if 2 * signs.count(",") > len(signs) else "."


def _is_plain(layout: Layout, at: int, decimal: str) -> bool:
    """Whether pyarrow can read a column of numbers, as far as the first rows show."""
    spelling = layout.spellings[at]
    return layout.kind(at) != "date" and spelling.is_plain and spelling.decimal == decimal


def _usual_numbers(column: Any, layout: Layout, at: int, decimal: str) -> Any:
    """Return a column of numbers; ValueError where a cell must be looked at one by one."""
    is_needed = layout.options.missing == "error" and at in layout.numbers
    if not _is_plain(layout, at, decimal):
        cells = [cell or "" for cell in column.to_pylist()]
        values, wrong = numbers_of(cells, layout.kind(at), layout.spellings[at])
        if wrong or (is_needed and np.isnan(values).any()):
            raise ValueError(at)
        return values
    values = floats(column.combine_chunks())
    gone = int(np.isnan(values).sum())
    is_odd = gone != column.null_count or (gone and is_needed) or _are_large(values)
    if is_odd or (layout.kind(at) == "whole" and (values % 1.0 > 0.0).any()):
        raise ValueError(at)
    return values


def _usual_values(column: Any, layout: Layout, at: int) -> list[Any]:
    """Return texts or labels of classes; ValueError where a cell must be looked at one by one."""
    cells = [cell or "" for cell in column.to_pylist()]
    values, wrong = values_of(cells, layout.kind(at), layout.spellings[at])
    is_needed = layout.options.missing == "error" and at in layout.texts
    if wrong or (is_needed and None in values):
        raise ValueError(at)
    return values


def _are_large(values: np.ndarray) -> bool:
    return bool((np.abs(values) > LARGEST).any())


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

    @contextmanager
    def named() -> Iterator[None]:
        try:
            yield
        except (pyarrow.ArrowException, OSError) as error:
            value = " ".join(str(error).split())
            raise StreamError(path.name, "be a Parquet file", value) from None

    def batches(n: int) -> Iterator[Any]:
        with named():
            yield from pyarrow.parquet.ParquetFile(path).iter_batches(n)

    with named():
        file = pyarrow.parquet.ParquetFile(path)
    bare = Layout(path.name, tuple(file.schema_arrow.names), options)
    first = next(batches(FIRST_ROWS), None)
    cells = () if first is None else (cells_of(column.to_pylist()) for column in first.columns)
    rows = list(zip(*cells, strict=True))
    texts = [field.name for field in file.schema_arrow if pyarrow.types.is_dictionary(field.type)]
    layout = layout_of(bare, rows, texts)

    def read(n: int) -> Iterator[Chunk]:
        numbered = enumerate(batches(BATCH))
        tables = (_batch_table(batch, layout, 1 + i * BATCH) for i, batch in numbered)
        return chunks_of(tables, layout, n)

    n_rows = min(file.metadata.num_rows, options.max_rows or file.metadata.num_rows)
    return layout.stream(read, name=path.stem, n_rows=n_rows)


def _batch_table(batch: Any, layout: Layout, row: int) -> Table:
    """Return a batch of a Parquet file, whose first row has a number, as a table."""
    import pyarrow

    def refuse(at: int, i: int, rule: str, value: object) -> None:
        name = f"{layout.source}, row {row + i:,}, column {layout.names[at]!r}"
        raise StreamError(name, rule, value[:80] if isinstance(value, str) else value)

    def numbers_at(at: int) -> Any:
        column = batch.column(at)
        is_written = pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(
            column.type
        )
        if layout.kind(at) == "real" and not is_written:
            with suppress(pyarrow.ArrowException):
                values = floats(column.cast(pyarrow.float64(), safe=False))
                if not _are_large(values):
                    return values
        return checked(at, numbers_of)

    def checked(at: int, read: Callable[..., tuple[Any, list[tuple[int, str]]]]) -> Any:
        cells = cells_of(batch.column(at).to_pylist())
        values, wrong = read(cells, layout.kind(at), layout.spellings[at])
        for i, rule in wrong:
            refuse(at, i, rule, batch.column(at)[i].as_py())
        return values

    table = Table.of(
        layout,
        batch.num_rows,
        numbers_at,
        lambda at: checked(at, values_of),
        lambda at: cells_of(batch.column(at).to_pylist()),
    )
    if layout.options.missing == "error":
        gone = np.isnan(table.numbers[:, : len(layout.numbers)])
        lost = np.equal(table.texts[:, : len(layout.texts)], np.array(None))
        for i, j in np.argwhere(np.hstack([gone, lost])):
            refuse((layout.numbers + layout.texts)[j], i, GIVEN, None)
    return table
