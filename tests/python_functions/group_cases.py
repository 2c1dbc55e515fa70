"""Groups: keys of every type, expressions and values as keys, no keys, groups of one row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.functions import pandas_udf

from python_functions.case_tables import CaseTable, as_text
from python_functions.shown import whole
from python_functions.typed_rows import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEYS = tuple(c for c in COLUMNS if not c.has_maps)

keys = CaseTable(at_once=10)
groups = CaseTable()
iterators = groups if hasattr(f, "arrow_udf") else CaseTable()
"""The groups' cases of functions over iterators, which Spark has since 4.1; else nobody's."""


def ids(rows: pd.DataFrame | pa.Table) -> str:
    """The sorted ids of the rows, which say which rows make a group."""
    if isinstance(rows, pa.Table):
        return str(sorted(rows["id"].to_pylist()))
    return str(sorted(rows["id"])) if len(rows) else str(list(rows.columns))


def by_pandas(frame: DataFrame, key: str) -> DataFrame:
    """The key and the ids of each group."""

    def function(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"seen": [f"{type(key[0]).__name__} {key!r} {ids(rows)}"]})

    return frame.select(key, "id").groupBy(key).applyInPandas(function, "seen string")


def by_arrow(frame: DataFrame, key: str) -> DataFrame:
    """The same, by a function over tables."""

    def function(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        return pa.table({"seen": [f"{key!r} {ids(rows)}"]})

    return frame.select(key, "id").groupBy(key).applyInArrow(function, "seen string")


def by_aggregate(frame: DataFrame, key: str) -> DataFrame:
    """The ids of each group, by an aggregate function."""

    @pandas_udf("string")
    def function(values: pd.Series) -> str:
        return str(sorted(values))

    return frame.groupBy(key).agg(function("id").alias("seen")).select("seen")


def by_window(frame: DataFrame, key: str) -> DataFrame:
    """The ids of each partition, by a window function."""
    from pyspark.sql.window import Window

    @pandas_udf("string")
    def function(values: pd.Series) -> str:
        return str(sorted(values))

    return frame.select(function("id").over(Window.partitionBy(key)))


def by_cogroup(frame: DataFrame, key: str) -> DataFrame:
    """The key, and the ids of both sides."""

    def function(key: tuple[Any, ...], left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"seen": [f"{key!r} {ids(left)} {ids(right)}"]})

    left = frame.where("id % 3 > 0").select(key, "id").groupBy(key)
    # Spark resolves the second side wrongly if it has the columns of the first.
    right = frame.sparkSession.table("filled").where("id % 5 < 3").select(key, "id").groupBy(key)
    return left.cogroup(right).applyInPandas(function, "seen string")


def _of(by: Callable[[DataFrame, str], DataFrame], key: str) -> Callable[[SparkSession], DataFrame]:
    return lambda spark: by(spark.table("nulls"), key)


FEW_KEYS = ("vast", "text", "moment", "pair", "span", "words")

for _by in (by_pandas, by_aggregate, by_cogroup, by_arrow, by_window):
    for _key in KEYS:
        # Spark itself fails in a cogroup by floats, of which two are equal that differ in bits.
        if _by in (by_pandas, by_aggregate) or _key.name in FEW_KEYS:
            keys.add(f"{_by.__name__}-{_key.name}", _of(_by, _key.name))


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row with everything that a function gets."""
    return pd.DataFrame({"seen": [f"{list(rows.columns)} {whole(rows)}"]})


def keyed_summary(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
    """The same, with the key."""
    return pd.DataFrame({"seen": [f"{key!r} {list(rows.columns)} {whole(rows)}"]})


def some(spark: SparkSession) -> DataFrame:
    """Rows with few columns."""
    return spark.table("filled").select("id", "k", "number", "text", "real")


@groups
def an_expression_as_key(spark: SparkSession) -> DataFrame:
    """Its value is not among the function's columns."""
    return some(spark).groupBy(f.col("id") % 3).applyInPandas(keyed_summary, "seen string")


@groups
def a_named_expression_as_key(spark: SparkSession) -> DataFrame:
    """Nor is one with a name."""
    grouped = some(spark).groupBy((f.col("id") % 3).alias("third"), "k")
    return grouped.applyInPandas(keyed_summary, "seen string")


@groups
def a_name_of_a_column_for_an_expression(spark: SparkSession) -> DataFrame:
    """The key's name is that of a value."""
    grouped = some(spark).groupBy((f.col("id") % 2).alias("id"))
    return grouped.applyInPandas(keyed_summary, "seen string")


@groups
def two_keys(spark: SparkSession) -> DataFrame:
    """Both are values as well."""
    return some(spark).groupBy("text", "k").applyInPandas(keyed_summary, "seen string")


@groups
def the_same_key_twice(spark: SparkSession) -> DataFrame:
    """The function gets it twice in its key."""
    return some(spark).groupBy("k", "k").applyInPandas(keyed_summary, "seen string")


@groups
def a_constant_as_key(spark: SparkSession) -> DataFrame:
    """All rows are one group."""
    return some(spark).groupBy(f.lit("x")).applyInPandas(keyed_summary, "seen string")


@groups
def no_keys(spark: SparkSession) -> DataFrame:
    """All rows are one group."""
    return some(spark).groupBy().applyInPandas(summary, "seen string")


@groups
def no_keys_with_key(spark: SparkSession) -> DataFrame:
    """The key is empty."""
    return some(spark).groupBy().applyInPandas(keyed_summary, "seen string")


@groups
def groups_of_one_row(spark: SparkSession) -> DataFrame:
    """As many groups as rows."""
    return some(spark).groupBy("id").applyInPandas(keyed_summary, "seen string")


@groups
def only_the_key(spark: SparkSession) -> DataFrame:
    """The key is the only column."""
    return some(spark).select("k").groupBy("k").applyInPandas(keyed_summary, "seen string")


@groups
def no_rows_returned(spark: SparkSession) -> DataFrame:
    """Some groups return none, and one no columns either."""

    def function(rows: pd.DataFrame) -> pd.DataFrame:
        if len(rows) > 5:
            return pd.DataFrame()
        return pd.DataFrame({"seen": [str(len(rows))] * (len(rows) % 3)})

    return some(spark).groupBy("k").applyInPandas(function, "seen string")


@groups
def columns_by_name(spark: SparkSession) -> DataFrame:
    """Returned in another order than the schema's."""

    def function(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"b": [str(len(rows))], "a": [len(rows)]})

    grouped = some(spark).groupBy("k").applyInPandas(function, "a long, b string")
    return grouped.selectExpr("concat(a, b)")


@groups
def columns_by_position(spark: SparkSession) -> DataFrame:
    """Names that are no texts: the order counts."""

    def function(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame([(len(rows), str(len(rows)))])

    grouped = some(spark).groupBy("k").applyInPandas(function, "a long, b string")
    return grouped.selectExpr("concat(a, b)")


@groups
def more_rows_than_came(spark: SparkSession) -> DataFrame:
    """A group grows."""

    def function(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"seen": [f"{n}" for n in rows.id for _ in range(20)]})

    return some(spark).groupBy("k").applyInPandas(function, "seen string")


@groups
def a_group_after_a_group(spark: SparkSession) -> DataFrame:
    """The second grouping needs no other exchange."""

    def first(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(real=rows.real.rank())[["k", "id", "real"]]

    ranked = some(spark).groupBy("k").applyInPandas(first, "k int, id long, real double")
    return ranked.groupBy("k").applyInPandas(keyed_summary, "seen string")


@iterators
def iterator_of_dataframes(spark: SparkSession) -> DataFrame:
    """The batches of each group, of which the function does not read all."""

    def function(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield summary(next(batches))

    return some(spark).groupBy("k").applyInPandas(function, "seen string")


@iterators
def keyed_iterator_of_batches(spark: SparkSession) -> DataFrame:
    """The sizes of the batches of each group."""

    def function(
        key: tuple[pa.Scalar, ...], batches: Iterator[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"seen": [f"{key!r} {batch.num_rows}"]})

    return some(spark).groupBy("k").applyInArrow(function, "seen string")


def _mean() -> Any:
    @pandas_udf("double")
    def mean(values: pd.Series) -> float:
        return values.mean()

    return mean


@groups
def an_aggregate_of_an_expression(spark: SparkSession) -> DataFrame:
    """Expressions below and above the function."""
    mean = _mean()
    value = mean(f.col("number") * 1.0 + f.col("id")) + f.sqrt(f.lit(4))
    return as_text(some(spark).groupBy((f.col("id") % 4).alias("g")).agg(value.alias("v")))


@groups
def an_aggregate_of_all_rows(spark: SparkSession) -> DataFrame:
    """No grouping."""
    return as_text(some(spark).agg(_mean()("id").alias("m")))


@groups
def an_aggregate_of_two_columns(spark: SparkSession) -> DataFrame:
    """Both in one call, one of them twice."""

    @pandas_udf("string")
    def both(left: pd.Series, right: pd.Series, again: pd.Series) -> str:
        return whole(left, right, again)

    return some(spark).groupBy("k").agg(both("id", "text", "id").alias("seen")).select("seen")


@groups
def an_aggregate_of_a_constant(spark: SparkSession) -> DataFrame:
    """The function gets a column of it."""

    @pandas_udf("string")
    def both(left: pd.Series, right: pd.Series) -> str:
        return whole(left, right)

    return some(spark).groupBy("k").agg(both("id", f.lit(2.5)).alias("seen")).select("seen")


@groups
def an_aggregate_by_name(spark: SparkSession) -> DataFrame:
    """Arguments with names."""

    @pandas_udf("string")
    def both(left: pd.Series, right: pd.Series) -> str:
        return whole(left, right)

    value = both(right=f.col("id"), left=f.col("text"))
    return some(spark).groupBy("k").agg(value.alias("seen")).select("seen")


@groups
def an_aggregate_of_structs(spark: SparkSession) -> DataFrame:
    """A struct is a dictionary here."""

    @pandas_udf("string")
    def function(rows: pd.Series) -> str:
        return whole(rows)

    value = function(f.struct("id", "text", "real"))
    return some(spark).groupBy("k").agg(value.alias("seen")).select("seen")


@groups
def several_aggregates_filtered(spark: SparkSession) -> DataFrame:
    """Two functions and a condition on one of them."""
    mean = _mean()
    found = some(spark).groupBy("k").agg(mean("id").alias("a"), mean("number").alias("b"))
    return as_text(found.where("a > 9"))


@groups
def distinct_above(spark: SparkSession) -> DataFrame:
    """An aggregation of Spark above the function's."""
    mean = _mean()
    found = some(spark).groupBy("id").agg(mean("k").alias("m"))
    return as_text(found.select("m").distinct())


@groups
def a_sum_below(spark: SparkSession) -> DataFrame:
    """An aggregation of Spark below the function's."""
    sums = some(spark).groupBy("k", "text").agg(f.sum("id").alias("s"))
    return as_text(sums.groupBy("k").agg(_mean()("s").alias("m")))
