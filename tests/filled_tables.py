"""Copies of Parquet tables with the first value of each column in the place of its nulls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

NULL = "__HIVE_DEFAULT_PARTITION__"
"""What the folder of a null is named after."""


def write_filled(table: Path, filled: Path, row_group: int | None) -> None:
    """Writes the copy: a file for each one, with all columns of the table.

    By pyarrow, since this takes some milliseconds and a job of Spark a quarter of a second.
    """
    files = {path: pq.ParquetFile(path).read() for path in sorted(table.rglob("*.parquet"))}
    firsts: dict[str, pa.Array] = {}
    for rows in files.values():
        for name, column in zip(rows.column_names, rows.columns, strict=True):
            if not len(firsts.get(name, ())):
                firsts[name] = column.drop_null()[:1].combine_chunks()
    folders = dict(_folders(path.relative_to(table) for path in files))
    for path, rows in files.items():
        parts = path.relative_to(table).parts
        written = filled.joinpath(*(folders.get(part, part) for part in parts))
        written.parent.mkdir(parents=True, exist_ok=True)
        copy = _without_nulls(rows, firsts)
        pq.write_table(
            copy,
            written,
            row_group_size=row_group,
            # As Spark's writer, which gives none where there is a NaN: its reader trusts them.
            write_statistics=[f.name for f in copy.schema if not pa.types.is_floating(f.type)],
            store_decimal_as_integer=True,
        )
    (filled / "_SUCCESS").touch()


def _folders(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """The folder of each partition column's null, and of the value that takes its place."""
    for path in sorted(paths, reverse=True):
        for folder in path.parts[:-1]:
            column, value = folder.split("=", 1)
            if value != NULL:
                yield f"{column}={NULL}", folder


def _without_nulls(rows: pa.Table, firsts: dict[str, pa.Array]) -> pa.Table:
    for number, field in enumerate(rows.schema):
        column, first = rows.column(number), firsts[field.name]
        if column.null_count and len(first):
            nulls = column.is_null().to_numpy()
            if nulls.all():
                column = pa.chunked_array([first])
                places = np.zeros(len(rows), np.int64)
            else:
                places = np.where(nulls, nulls.argmin(), np.arange(len(rows)))
            rows = rows.set_column(number, field.name, column.take(pa.array(places)))
    for name in firsts.keys() - set(rows.column_names):
        places = np.zeros(len(rows), np.int64)
        rows = rows.append_column(name, firsts[name].take(pa.array(places)))
    return rows
