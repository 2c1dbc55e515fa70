"""Where functions stand in a query: beside, above and below other operators and functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.functions import arrow_udf, pandas_udf, udf

from python_functions.case_tables import CaseTable, as_text
from python_functions.shown import shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

plans = CaseTable(at_once=6)


def triple() -> Any:
    """Three times a number, as its text and place."""

    @pandas_udf("long")
    def function(values: pd.Series) -> pd.Series:
        return values.astype("int64") * 3

    return function


def joined() -> Any:
    """Two columns as text."""

    @pandas_udf("string")
    def function(left: pd.Series, right: pd.Series) -> pd.Series:
        return shown(left) + " | " + shown(right)

    return function


def register(spark: SparkSession) -> None:
    """The functions under names of SQL."""
    spark.udf.register("py_triple", triple())
    spark.udf.register("py_joined", joined())
    spark.udf.register("py_length", udf(_length, "int", useArrow=True))


def _length(text: str | None) -> int:
    return -1 if text is None else len(text)


SQL = {
    "in_a_projection": "SELECT concat('x', py_triple(id) + 1) FROM filled",
    "twice_with_equal_arguments": "SELECT concat(py_triple(id), ' ', py_triple(id), ' ', "
    "py_triple(k)) FROM filled",
    "in_a_filter": "SELECT text FROM nulls WHERE py_triple(id) % 2 = 0 AND k > 1",
    "in_a_filter_and_above": "SELECT py_joined(id, text) FROM nulls WHERE py_length(text) > 0",
    "in_a_case": "SELECT CASE WHEN k > 1 THEN py_joined(id, text) WHEN id > 7 THEN text END "
    "FROM nulls",
    "condition_of_a_case": "SELECT CASE WHEN py_length(text) > 1 THEN text ELSE 'short' END "
    "FROM nulls",
    "named_arguments": "SELECT py_joined(right => id, left => text) FROM nulls",
    "of_a_constant": "SELECT py_joined(id, 'constant') FROM nulls",
    "of_constants_alone": "SELECT py_joined(1, 'constant') FROM nulls",
    "chained": "SELECT concat(py_triple(py_triple(id)), 'x') FROM nulls",
    "chained_through_sql": "SELECT concat(py_triple(py_triple(id) + k), 'x') FROM nulls",
    "chained_kinds": "SELECT py_joined(py_length(text), py_triple(id)) FROM nulls",
    "below_an_aggregation": "SELECT concat(k, ' ', sum(py_triple(id))) FROM nulls GROUP BY k",
    "as_a_key": "SELECT concat(py_length(text), ' ', count(*)) FROM nulls GROUP BY py_length(text)",
    "above_an_aggregation": "SELECT py_joined(k, s) FROM "
    "(SELECT k, sum(id) AS s FROM nulls GROUP BY k)",
    "of_an_aggregate": "SELECT concat(k, ' ', py_triple(sum(id))) FROM nulls GROUP BY k",
    "in_having": "SELECT concat(k, '') FROM nulls GROUP BY k HAVING py_triple(count(*)) > 12",
    "above_a_join": "SELECT py_joined(a.text, b.text) FROM nulls a JOIN filled b "
    "ON a.id = b.id + 1",
    "input_of_a_join": "SELECT concat(a.id, ' ', b.id) FROM nulls a JOIN filled b "
    "ON py_triple(a.id) = b.id",
    "input_of_both_sides": "SELECT concat(a.id, ' ', b.id) FROM nulls a JOIN filled b "
    "ON py_triple(a.id) = py_triple(b.id)",
    "input_of_a_left_join": "SELECT concat(a.id, ' ', coalesce(b.id, -1)) FROM nulls a "
    "LEFT JOIN (SELECT py_triple(id) AS id FROM filled) b ON a.id = b.id",
    "in_a_subquery": "SELECT text FROM nulls WHERE id IN (SELECT py_triple(id) FROM filled)",
    "scalar_subquery": "SELECT text FROM filled WHERE id < (SELECT max(py_triple(k)) FROM nulls)",
    "above_a_limit": "SELECT py_joined(id, text) FROM (SELECT * FROM nulls ORDER BY id LIMIT 7)",
    "below_a_limit": "SELECT concat(t, '') FROM (SELECT py_triple(id) AS t FROM nulls) "
    "ORDER BY t DESC LIMIT 5",
    "sorted_by": "SELECT text FROM filled ORDER BY py_triple(id) DESC",
    "in_both_branches_of_a_union": "SELECT py_joined(id, text) FROM nulls UNION ALL "
    "SELECT py_joined(k, text) FROM filled WHERE py_triple(id) > 5",
    "above_distinct": "SELECT py_joined(k, k) FROM (SELECT DISTINCT k FROM nulls)",
    "above_explode": "SELECT py_joined(id, n) FROM (SELECT id, explode(numbers) AS n FROM nulls)",
    "below_explode": "SELECT concat('', e) FROM "
    "(SELECT explode(array(py_triple(id), 1L)) AS e FROM nulls)",
    "above_a_window": "SELECT py_joined(id, n) FROM "
    "(SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM nulls)",
    "below_a_window": "SELECT concat(id, ' ', sum(py_triple(id)) OVER (PARTITION BY k)) FROM nulls",
    "above_a_shuffle": "SELECT /*+ REPARTITION(3, k) */ py_joined(id, text) FROM nulls",
    "of_a_struct_field": "SELECT py_joined(pair.a, record.n.i) FROM nulls",
    "of_a_nested_expression": "SELECT py_joined(id, named_struct('a', text, 'b', k)) FROM filled",
}


def _sql(query: str) -> Any:
    def make(spark: SparkSession) -> DataFrame:
        register(spark)
        return spark.sql(query)

    return make


for _name, _query in SQL.items():
    plans.add(_name, _sql(_query))


@plans
def kinds_side_by_side(spark: SparkSession) -> DataFrame:
    """A pandas, an Arrow, an Arrow-optimized function and an iterator in one projection."""

    @arrow_udf("long")
    def same(values: pa.Array) -> pa.Array:
        return values

    @pandas_udf("long")
    def batches(values: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for value in values:
            yield value - 1

    return as_text(
        spark.table("filled").select(
            triple()("id").alias("a"),
            same("id"),
            batches("id"),
            udf(_length, "int", useArrow=True)("text"),
            f.col("id") + 1,
        )
    )


@plans
def kinds_in_a_chain(spark: SparkSession) -> DataFrame:
    """Each kind takes the result of another."""

    @arrow_udf("long")
    def same(values: pa.Array) -> pa.Array:
        return values

    @udf("long", useArrow=True)
    def plus(value: int) -> int:
        return value + 1

    value = triple()(same(plus(triple()(same("id")))))
    return as_text(spark.table("filled").select(value.alias("a"), plus(triple()("k"))))


@plans
def default_return_types(spark: SparkSession) -> DataFrame:
    """No type: a string, of an Arrow-optimized function."""

    @udf(useArrow=True)
    def text(value: int) -> str:
        return f"<{value}>"

    return spark.table("filled").select(text("id"))


@plans
def nondeterministic(spark: SparkSession) -> DataFrame:
    """A function that says it is not deterministic, twice."""
    function = triple().asNondeterministic()
    return as_text(spark.table("filled").select(function("id").alias("a"), function("id")))


@plans
def map_after_group(spark: SparkSession) -> DataFrame:
    """A map over the results of groups, and a function over these."""

    def first(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.head(2)

    def second(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch.assign(id=batch.id + 100)

    rows = spark.table("filled").select("k", "id")
    grouped = rows.groupBy("k").applyInPandas(first, "k int, id long")
    return as_text(grouped.mapInPandas(second, "k int, id long").select(triple()("id").alias("a")))


@plans
def columns_of_a_map_that_nobody_needs(spark: SparkSession) -> DataFrame:
    """The function returns them nevertheless."""

    def function(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    rows = spark.table("filled").select("id", "text", "numbers")
    return rows.mapInPandas(function, rows.schema).select("text")


@plans
def an_aggregate_of_a_function(spark: SparkSession) -> DataFrame:
    """A grouped aggregate function of another function's values."""

    @pandas_udf("string")
    def whole(values: pd.Series) -> str:
        return str(list(values))

    return spark.table("filled").groupBy("k").agg(whole(triple()("id")).alias("s")).select("s")


@plans
def a_function_of_an_aggregate_function(spark: SparkSession) -> DataFrame:
    """The other way around."""

    @pandas_udf("long")
    def size(values: pd.Series) -> int:
        return len(values)

    counted = spark.table("filled").groupBy("k").agg(triple()(size("id")).alias("s"))
    return as_text(counted)


@plans
def no_arguments(spark: SparkSession) -> DataFrame:
    """A function without any column."""

    @udf("string", useArrow=True)
    def constant() -> str:
        return "c"

    return spark.table("filled").select(f.concat(f.lit("x"), constant()))
