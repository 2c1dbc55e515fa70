"""What PySpark's user guide shows of pandas and Arrow functions, on other rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as f
from pyspark.sql.functions import arrow_udf, pandas_udf, udf
from pyspark.sql.window import Window

from python_functions.case_tables import CaseTable, as_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

guide = CaseTable(at_once=6)


def numbers(spark: SparkSession) -> DataFrame:
    """An id and a value."""
    return spark.table("filled").selectExpr("k as id", "cast(id as double) as v")


@guide
def a_struct_from_three_columns(spark: SparkSession) -> DataFrame:
    @pandas_udf("col1 string, col2 long")
    def function(s1: pd.Series, s2: pd.Series, s3: pd.DataFrame) -> pd.DataFrame:
        s3["col2"] = s1 + s2.str.len()
        return s3

    frame = spark.table("filled").selectExpr(
        "id as long_col", "text as string_col", "struct(text as col1) as struct_col"
    )
    return as_text(frame.select(function("long_col", "string_col", "struct_col").alias("r")))


@guide
def series_to_series(spark: SparkSession) -> DataFrame:
    def multiply(a: pd.Series, b: pd.Series) -> pd.Series:
        return a * b

    product = pandas_udf(multiply, returnType="long")
    return as_text(spark.table("filled").select(product("id", f.col("id")).alias("p")))


@guide
def iterator_of_series(spark: SparkSession) -> DataFrame:
    @pandas_udf("long")
    def plus_one(iterator: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in iterator:
            yield x + 1

    return as_text(spark.table("filled").select(plus_one("id").alias("r")))


@guide
def iterator_of_several_series(spark: SparkSession) -> DataFrame:
    @pandas_udf("long")
    def multiply(iterator: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
        for a, b in iterator:
            yield a * b

    return as_text(spark.table("filled").select(multiply("id", "id").alias("r")))


def mean_udf() -> Any:
    """The mean of a column."""

    @pandas_udf("double")
    def mean(v: pd.Series) -> float:
        return v.mean()

    return mean


@guide
def series_to_scalar(spark: SparkSession) -> DataFrame:
    return as_text(numbers(spark).select(mean_udf()("v").alias("m")))


@guide
def series_to_scalar_grouped(spark: SparkSession) -> DataFrame:
    return as_text(numbers(spark).groupby("id").agg(mean_udf()("v").alias("m")))


@guide
def series_to_scalar_over_a_window(spark: SparkSession) -> DataFrame:
    window = Window.partitionBy("id").rowsBetween(
        Window.unboundedPreceding, Window.unboundedFollowing
    )
    return as_text(numbers(spark).withColumn("m", mean_udf()("v").over(window)))


@guide
def grouped_map(spark: SparkSession) -> DataFrame:
    def subtract_mean(pdf: pd.DataFrame) -> pd.DataFrame:
        v = pdf.v
        return pdf.assign(v=v - v.mean())

    return as_text(
        numbers(spark).groupby("id").applyInPandas(subtract_mean, schema="id int, v double")
    )


@guide
def map_in_pandas(spark: SparkSession) -> DataFrame:
    def filter_func(iterator: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for pdf in iterator:
            yield pdf[pdf.id == 1]

    frame = numbers(spark)
    return as_text(frame.mapInPandas(filter_func, schema=frame.schema))


@guide
def cogrouped_map(spark: SparkSession) -> DataFrame:
    left = spark.table("filled").selectExpr("day as time", "k as id", "id as v1")
    right = spark.table("nulls").selectExpr("day as time", "k as id", "text as v2")

    def merge_ordered(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        found = left.merge(right, on="id", how="left", suffixes=("", "_right"))
        return found[["time", "id", "v1", "v2"]]

    grouped = left.groupby("id").cogroup(right.groupby("id"))
    return as_text(
        grouped.applyInPandas(merge_ordered, schema="time date, id int, v1 long, v2 string")
    )


@guide
def arrow_python_udfs(spark: SparkSession) -> DataFrame:
    @udf(returnType="int", useArrow=True)
    def length(text: str) -> int:
        return len(text)

    @udf("long", useArrow=True)
    def add_one(value: int) -> int:
        return value + 1

    @udf("string", useArrow=True)
    def upper(text: str) -> str:
        return text.upper()

    frame = spark.table("filled")
    return as_text(frame.select(length("text").alias("a"), add_one("id"), upper("text")))


@guide
def arrow_grouped_map(spark: SparkSession) -> DataFrame:
    def standard(table: pa.Table) -> pa.Table:
        v = table.column("v")
        norm = pc.divide(pc.subtract(v, pc.mean(v)), pc.stddev(v, ddof=1))
        return table.set_column(1, "v", norm)

    return as_text(numbers(spark).groupby("id").applyInArrow(standard, "id int, v double"))


@guide
def arrow_cogrouped_map(spark: SparkSession) -> DataFrame:
    left, right = numbers(spark), spark.table("nulls").selectExpr("k as id", "id as w")

    def summary(one: pa.Table, other: pa.Table) -> pa.Table:
        return pa.Table.from_pydict(
            {"l": [one.num_rows], "r": [other.num_rows]},
            schema=pa.schema([("l", pa.int64()), ("r", pa.int64())]),
        )

    grouped = left.groupby("id").cogroup(right.groupby("id"))
    return as_text(grouped.applyInArrow(summary, "l long, r long"))


@guide
def map_in_arrow(spark: SparkSession) -> DataFrame:
    def filter_func(iterator: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in iterator:
            yield batch.filter(pc.field("id") == 1)

    frame = numbers(spark)
    return as_text(frame.mapInArrow(filter_func, frame.schema))


@guide
def arrow_functions(spark: SparkSession) -> DataFrame:
    @arrow_udf("long")
    def plus(a: pa.Array, b: pa.Array) -> pa.Array:
        return pc.add(a, b)

    @arrow_udf("string")
    def upper(texts: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for text in texts:
            yield pc.utf8_upper(text)

    return as_text(spark.table("filled").select(plus("id", "id").alias("a"), upper("text")))


@guide
def arrow_aggregate(spark: SparkSession) -> DataFrame:
    @arrow_udf("double")
    def mean(values: pa.Array) -> float:
        return pc.mean(values).as_py()

    return as_text(numbers(spark).groupby("id").agg(mean("v").alias("m")))


@guide
def nested_json(spark: SparkSession) -> DataFrame:
    @pandas_udf("struct<first:string,last:string>")
    def split(names: pd.Series) -> pd.DataFrame:
        parts = [(name[:1], name[1:]) for name in names]
        return pd.DataFrame(parts, columns=["first", "last"])

    return as_text(spark.table("filled").select(split("text").alias("r")).select("r.*"))
