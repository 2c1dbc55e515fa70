"""Copies of Parquet tables with the first value of each column in the place of its nulls."""

from __future__ import annotations

import shutil
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
    # Names of Spark's files have no order.
    paths = sorted(
        table.rglob("*.parquet"), key=lambda path: (path.parent, path.stat().st_mtime_ns)
    )
    files = {path: pq.ParquetFile(path).read() for path in paths}
    firsts: dict[str, pa.Array] = {}
    for rows in files.values():
        for name, column in zip(rows.column_names, rows.columns, strict=True):
            if not len(firsts.get(name, ())):
                firsts[name] = column.drop_null()[:1].combine_chunks()
    # A table gets its files one after another.
    shutil.rmtree(filled, ignore_errors=True)
    folders = dict(_folders(path.relative_to(table) for path in files))
    for number, (path, rows) in enumerate(files.items()):
        parts = path.relative_to(table).parts[:-1]
        folder = filled.joinpath(*(folders.get(part, part) for part in parts))
        written = folder / f"{number}-{path.name}"
        folder.mkdir(parents=True, exist_ok=True)
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
    missing = [name for name in firsts if name not in rows.column_names]
    for name in missing:
        if len(firsts[name]):
            places = np.zeros(len(rows), np.int64)
            rows = rows.append_column(name, firsts[name].take(pa.array(places)))
    return rows
