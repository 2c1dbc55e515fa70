"""Functions that stay with Spark, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.functions import arrow_udf, pandas_udf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PINNED: dict[str, tuple[str, Callable[[SparkSession], DataFrame]]] = {}
"""By name: the reason that explain() gives, and the query."""


def pinned(reason: str) -> Callable:
    """Adds a query to the table."""

    def add(make: Callable[[SparkSession], DataFrame]) -> Callable[[SparkSession], DataFrame]:
        PINNED[make.__name__] = reason, make
        return make

    return add


@pinned("its tasks are started together, by Spark")
def barrier(spark: SparkSession) -> DataFrame:
    """All tasks of the stage start at once."""

    def function(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    rows = spark.table("filled").select("id", "k")
    return rows.mapInPandas(function, rows.schema, barrier=True)


@pinned("the column name id is repeated")
def repeated_names(spark: SparkSession) -> DataFrame:
    """PySpark's own worker decides which of them a function gets."""

    def function(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_arrays([batch.column(0)], ["a"])

    return spark.table("filled").select("id", "id").mapInArrow(function, "a long")


@pinned("void")
def nulls_without_a_type(spark: SparkSession) -> DataFrame:
    """An argument that is NULL without a type."""

    @pandas_udf("string")
    def function(values: pd.Series, other: pd.Series) -> pd.Series:
        return values.astype(str) + str(other.dtype)

    return spark.table("filled").select(function("id", f.lit(None)))


@pinned("variant")
def variants(spark: SparkSession) -> DataFrame:
    """A function over variants."""

    @pandas_udf("string")
    def function(values: pd.Series) -> pd.Series:
        return values.map(str).astype(object)

    return spark.table("filled").select(function(f.parse_json(f.lit('{"a": 1}'))))


@pinned("collation")
def collations(spark: SparkSession) -> DataFrame:
    """A string with a collation."""

    @arrow_udf("string")
    def function(values: pa.Array) -> pa.Array:
        return values

    text = f.collate(f.col("text"), "UNICODE")
    return spark.table("filled").select(function(text))


@pinned("groups of session windows are not supported")
def session_windows(spark: SparkSession) -> DataFrame:
    """Groups of rows in time."""

    @pandas_udf("long")
    def size(values: pd.Series) -> int:
        return len(values)

    window = f.session_window("moment", "1 day")
    rows = spark.table("filled").where("moment > '1960-01-01'")
    return rows.groupBy(window).agg(size("id").alias("n")).select("n")
