"""One function of each kind that every version of PySpark has; tests/python_functions has the rest.

These modules name kinds of Spark 4, which PySpark 3.5 does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql.functions import pandas_udf, udf, udtf
from pyspark.sql.types import DoubleType

from broadhead.explanation import explain
from spark.answers import Answers


def rows(spark: SparkSession) -> DataFrame:
    columns = "id AS i", "id % 5 AS k", "CAST(id % 3 AS DOUBLE) AS d", "concat('s', id % 7) AS s"
    return spark.range(0, 200, 1, 2).selectExpr(*columns)


def plain(spark: SparkSession) -> DataFrame:
    return rows(spark).select("i", udf(lambda s, i: f"{s}-{i}", "string")("s", "i").alias("r"))


def in_arrow(spark: SparkSession) -> DataFrame:
    return rows(spark).select("i", udf(lambda i: i * 3, "long", useArrow=True)("i").alias("r"))


def chained(spark: SparkSession) -> DataFrame:
    double, text = udf(lambda d: d + 0.5, "double"), udf(str, "string")
    return rows(spark).select("i", text(double("d")).alias("r"))


def series(spark: SparkSession) -> DataFrame:
    @pandas_udf("double")
    def halved(d: pd.Series) -> pd.Series:
        return d / 2

    return rows(spark).select("i", halved("d").alias("r"))


def series_iterator(spark: SparkSession) -> DataFrame:
    @pandas_udf("long")
    def moved(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for batch in batches:
            yield batch + 1

    return rows(spark).select("i", moved("i").alias("r"))


@pandas_udf(DoubleType())
def mean(d: pd.Series) -> float:
    return float(d.mean())


def aggregate(spark: SparkSession) -> DataFrame:
    return rows(spark).groupBy("k").agg(mean("d").alias("r"))


def window(spark: SparkSession) -> DataFrame:
    return rows(spark).select("i", mean("d").over(Window.partitionBy("k")).alias("r"))


def moving_window(spark: SparkSession) -> DataFrame:
    frame = Window.partitionBy("k").orderBy("i").rowsBetween(-2, 1)
    return rows(spark).select("i", mean("d").over(frame).alias("r"))


def map_in_pandas(spark: SparkSession) -> DataFrame:
    def kept(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch[batch.k > 1]

    return rows(spark).mapInPandas(kept, "i long, k long, d double, s string")


def map_in_arrow(spark: SparkSession) -> DataFrame:
    def kept(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from (batch.slice(0, 3) for batch in batches)

    return rows(spark).mapInArrow(kept, "i long, k long, d double, s string").select("k").distinct()


def groups(spark: SparkSession) -> DataFrame:
    def centred(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(d=frame.d - frame.d.mean())[["i", "d"]]

    return rows(spark).groupBy("k").applyInPandas(centred, "i long, d double")


def keyed_groups(spark: SparkSession) -> DataFrame:
    def counted(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": [key[0]], "n": [len(frame)]})

    return rows(spark).groupBy("k").applyInPandas(counted, "k long, n long")


def cogroups(spark: SparkSession) -> DataFrame:
    def counted(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"l": [len(left)], "r": [len(right)]})

    left, right = rows(spark).groupBy("k"), rows(spark).where("i > 50").groupBy("k")
    return left.cogroup(right).applyInPandas(counted, "l long, r long")


def steps(spark: SparkSession, *, in_arrow: bool) -> DataFrame:
    # inside, since workers cannot import this module
    class Steps:
        def eval(self, count: int) -> Iterator[tuple[int, int]]:
            for step in range(count):
                yield count, step

    spark.udtf.register("steps", udtf(Steps, returnType="c int, n int", useArrow=in_arrow))
    rows(spark).createOrReplaceTempView("counted")
    return spark.sql("SELECT i, n FROM counted, LATERAL steps(CAST(k AS INT))")


def table(spark: SparkSession) -> DataFrame:
    return steps(spark, in_arrow=False)


def table_in_arrow(spark: SparkSession) -> DataFrame:
    return steps(spark, in_arrow=True)


@pytest.mark.parametrize(
    "query",
    [plain, in_arrow, chained, series, series_iterator, aggregate, window, moving_window,
     map_in_pandas, map_in_arrow, groups, keyed_groups, cogroups, table, table_in_arrow],
)  # fmt: skip
def test_a_function(answers: Answers, query: Callable[[SparkSession], DataFrame]) -> None:
    left = [node for node in explain(answers.same_rows(query)).nodes if not node.accelerated]
    assert not left
