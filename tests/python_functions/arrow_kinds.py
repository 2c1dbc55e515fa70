"""The kinds of functions over Arrow arrays, and over iterators of groups: since Spark 4.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as f

from python_functions.kinds import Columns, Kind, each, names, row_type, struct_type
from python_functions.shown import arrow_shown, arrow_whole, table_shown, whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ARROW_KINDS: dict[str, Kind] = {}


def kind(make: Kind) -> Kind:
    """Adds a kind to the table, under the name of its function."""
    ARROW_KINDS[make.__name__] = make
    return make


@kind
def arrow_scalar(frame: DataFrame, columns: Columns) -> DataFrame:
    """One array in, one array out."""
    from pyspark.sql.functions import arrow_udf

    def same(values: pa.Array) -> pa.Array:
        return values

    def show(values: pa.Array) -> pa.Array:
        return arrow_shown(values)

    shows = arrow_udf(show, "string")
    return frame.select("id", *each(columns, shows, lambda c: arrow_udf(same, c.type)))


@kind
def arrow_several_columns(frame: DataFrame, columns: Columns) -> DataFrame:
    """All columns in one call."""
    from pyspark.sql.functions import arrow_udf

    @arrow_udf("string")
    def show(*values: pa.Array) -> pa.Array:
        rows = zip(*(arrow_shown(v).to_pylist() for v in values), strict=True)
        return pa.array(["|".join(row) for row in rows], pa.string())

    return frame.select("id", show(*names(columns)).alias("seen"))


@kind
def arrow_iterator(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over the arrays of a struct."""
    from pyspark.sql.functions import arrow_udf

    @arrow_udf(struct_type(columns))
    def same(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        yield from batches

    @arrow_udf("string")
    def show(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for batch in batches:
            yield pa.array([f"{len(batch)} {v}" for v in arrow_shown(batch).to_pylist()])

    rows = f.struct(*names(columns))
    return frame.select("id", show(rows).alias("seen"), same(rows).alias("same"))


@kind
def arrow_iterator_of_columns(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over arrays of all columns."""
    from pyspark.sql.functions import arrow_udf

    @arrow_udf("string")
    def show(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for batch in batches:
            rows = zip(*(arrow_shown(v).to_pylist() for v in batch), strict=True)
            yield pa.array(["|".join(row) for row in rows], pa.string())

    return frame.select("id", show(*names(columns)).alias("seen"))


UNREADABLE = ("matrix", "lists", "record")
"""Columns that PySpark cannot make of values: pyarrow fails on a null in a nested list."""


@kind
def arrow_aggregate(frame: DataFrame, columns: Columns) -> DataFrame:
    """A value of each group."""
    from pyspark.sql.functions import arrow_udf

    def first(values: pa.Array) -> Any:
        found = values.drop_null()
        return found[0] if len(found) else None

    def show(values: pa.Array) -> str:
        return arrow_whole(values)

    shows = arrow_udf(show, "string")
    returned = [c for c in columns if c.name not in UNREADABLE]
    firsts = [arrow_udf(first, c.type)(c.name).alias(c.name) for c in returned]
    return frame.groupBy("k").agg(
        *firsts, *(shows(c.name).alias(f"seen_{c.name}") for c in columns)
    )


@kind
def arrow_window(frame: DataFrame, columns: Columns) -> DataFrame:
    """A value of the whole partition, and of a frame of rows, for each row."""
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.window import Window

    def show(values: pa.Array) -> str:
        return arrow_whole(values)

    shows = arrow_udf(show, "string")
    everything = Window.partitionBy("k")
    rows = everything.orderBy("id").rowsBetween(-1, 1)
    seen = [shows(c.name).over(everything).alias(f"all_{c.name}") for c in columns]
    near = [shows(c.name).over(rows).alias(f"near_{c.name}") for c in columns]
    return frame.select("id", *seen, *near)


@kind
def apply_in_pandas_iterator(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over the DataFrames of each group."""

    def function(key: tuple[Any, ...], batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch.assign(seen=f"{key!r} {whole(batch)}")

    grouped = frame.select("k", *names(columns)).groupBy("k")
    return grouped.applyInPandas(function, f"k int, {row_type(columns)}, seen string")


@kind
def apply_in_arrow_iterator(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over the record batches of each group."""

    def function(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            seen = pa.array([table_shown(batch)] * batch.num_rows, pa.string())
            yield batch.append_column("seen", seen)

    grouped = frame.select("k", *names(columns)).groupBy("k")
    return grouped.applyInArrow(function, f"k int, {row_type(columns)}, seen string")
