"""Reading of row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from broadhead.kernels.arrow.conversion import from_arrow
from broadhead.types import DataType

Array = Any


def read(
    pieces: Sequence[tuple[str, Sequence[int]]],
    names: Sequence[str],
    types: Sequence[DataType],
    batch_rows: int,
) -> Iterator[tuple[list[Array], list[int]]]:
    """Batches of physical data, one or more for each row group, and how many rows are of each piece."""
    for number, (path, row_groups) in enumerate(pieces):
        with pq.ParquetFile(path, memory_map=True, pre_buffer=False) as file:
            for row_group in row_groups:
                for arrays, rows in _row_group(file, row_group, names, types, batch_rows):
                    yield arrays, [rows if i == number else 0 for i in range(len(pieces))]


def _row_group(
    file: pq.ParquetFile,
    number: int,
    names: Sequence[str],
    types: Sequence[DataType],
    batch_rows: int,
) -> Iterator[tuple[list[Array], int]]:
    rows = file.metadata.row_group(number).num_rows
    table = file.read_row_group(number, columns=list(names), use_threads=False) if names else None
    columns = [_column(table, name) for name in names]
    for start in range(0, rows, batch_rows):
        length = min(batch_rows, rows - start)
        arrays = [
            from_arrow(column.slice(start, length), type_)
            for column, type_ in zip(columns, types, strict=True)
        ]
        yield arrays, length


def _column(table: pa.Table, name: str) -> pa.ChunkedArray:
    return table.column(name)
