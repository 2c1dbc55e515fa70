"""Windows: every form of a frame, and of the order of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as f
from pyspark.sql.functions import pandas_udf

from python_functions.case_tables import CaseTable, as_text
from python_functions.shown import whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

windows = CaseTable()

FRAMES = {
    "whole_partition": "PARTITION BY k",
    "whole_partition_ordered": "PARTITION BY k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING "
    "AND UNBOUNDED FOLLOWING",
    "default_frame": "PARTITION BY k ORDER BY number",
    "no_partition": "ORDER BY id",
    "nothing": "",
    "rows_growing": "PARTITION BY k ORDER BY id ROWS UNBOUNDED PRECEDING",
    "rows_shrinking": "PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "rows_around": "PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "rows_before": "PARTITION BY k ORDER BY id ROWS BETWEEN 4 PRECEDING AND 2 PRECEDING",
    "rows_after": "PARTITION BY k ORDER BY id DESC ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "rows_of_one": "PARTITION BY k ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW",
    "rows_partition_of_one": "PARTITION BY id ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "range_of_longs": "PARTITION BY k ORDER BY id RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING",
    "range_of_longs_down": "PARTITION BY k ORDER BY id DESC RANGE BETWEEN 5 PRECEDING "
    "AND 3 PRECEDING",
    "range_of_peers": "PARTITION BY k ORDER BY text RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    "range_growing": "PARTITION BY k ORDER BY tiny, text RANGE UNBOUNDED PRECEDING",
    "range_of_doubles": "ORDER BY real RANGE BETWEEN 0.5D PRECEDING AND 1.0D FOLLOWING",
    "range_of_decimals": "ORDER BY price RANGE BETWEEN 1.50 PRECEDING AND CURRENT ROW",
    "range_of_dates": "PARTITION BY k ORDER BY day RANGE BETWEEN INTERVAL '10' DAY PRECEDING "
    "AND CURRENT ROW",
    "range_of_timestamps": "ORDER BY moment RANGE BETWEEN INTERVAL '400' DAY PRECEDING "
    "AND INTERVAL '1' DAY FOLLOWING",
    "range_of_local_timestamps": "ORDER BY local RANGE BETWEEN INTERVAL '1' DAY PRECEDING "
    "AND CURRENT ROW",
    "range_of_intervals": "ORDER BY span RANGE BETWEEN INTERVAL '2' DAY PRECEDING AND CURRENT ROW",
    "range_nulls_last": "ORDER BY big NULLS LAST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "expression_as_partition": "PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING",
    "two_partition_keys": "PARTITION BY k, id % 2 ORDER BY id ROWS 1 PRECEDING",
    "null_partition_key": "PARTITION BY text ORDER BY id ROWS 1 PRECEDING",
}


def ids() -> Any:
    """The ids of a frame, in order."""

    @pandas_udf("string")
    def function(values: pd.Series) -> str:
        return str(sorted(values))

    return function


def _framed(window: str) -> Any:
    def make(spark: SparkSession) -> DataFrame:
        spark.udf.register("ids_of_frame", ids())
        return spark.sql(f"SELECT concat(id, ' ', ids_of_frame(id) OVER ({window})) FROM nulls")

    return make


for _name, _window in FRAMES.items():
    windows.add(_name, _framed(_window))


@windows
def several_frames(spark: SparkSession) -> DataFrame:
    """Whole partitions, two bounded frames, one of them twice, and other arguments."""
    from pyspark.sql.window import Window

    @pandas_udf("double")
    def mean(values: pd.Series) -> float:
        return values.mean()

    every = Window.partitionBy("k")
    ordered = every.orderBy("id")
    near, last = ordered.rowsBetween(-1, 1), ordered.rowsBetween(-3, 0)
    columns = [
        mean("id").over(near),
        mean("number").over(every),
        mean("id").over(last),
        mean("number").over(near),
        mean(f.col("id") + 0.5).over(last),
    ]
    named = [c.alias(f"c{i}") for i, c in enumerate(columns)]
    return as_text(spark.table("filled").select("id", *named))


@windows
def beside_windows_of_spark(spark: SparkSession) -> DataFrame:
    """A rank and a sum over the same partitions."""
    from pyspark.sql.window import Window

    window = Window.partitionBy("k").orderBy("id")
    function = ids()
    found = spark.table("filled").select(
        f.row_number().over(window).alias("n"),
        f.sum("id").over(window).alias("s"),
        function("id").over(window.rowsBetween(-1, 0)).alias("f"),
    )
    return as_text(found)


@windows
def several_columns(spark: SparkSession) -> DataFrame:
    """Two columns of a frame, by name."""
    from pyspark.sql.window import Window

    @pandas_udf("string")
    def both(left: pd.Series, right: pd.Series) -> str:
        return whole(left, right)

    window = Window.partitionBy("k").orderBy("id").rowsBetween(-2, -1)
    return spark.table("nulls").select(both(right="id", left="text").over(window))


@windows
def in_an_expression(spark: SparkSession) -> DataFrame:
    """Arithmetic with the value of a frame."""
    from pyspark.sql.window import Window

    @pandas_udf("double")
    def mean(values: pd.Series) -> float:
        return values.mean()

    difference = f.col("id") - mean("id").over(Window.partitionBy("k"))
    return as_text(spark.table("filled").select(difference.alias("d")))


@windows
def a_filter_above(spark: SparkSession) -> DataFrame:
    """A condition on the value of a frame."""
    from pyspark.sql.window import Window

    @pandas_udf("long")
    def size(values: pd.Series) -> int:
        return len(values)

    found = spark.table("filled").select("id", size("id").over(Window.partitionBy("k")).alias("n"))
    return found.where("n > 5").selectExpr("concat(id, ' ', n)")
