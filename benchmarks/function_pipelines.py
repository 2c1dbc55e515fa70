"""Pipelines with Python functions as users write them; they know nothing of any engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import col, pandas_udf, udf
from pyspark.sql.types import DoubleType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

_DECIMALS = ("l_quantity", "l_extendedprice", "l_discount", "l_tax")


def _items(spark: SparkSession) -> DataFrame:
    """Lineitem with doubles for decimals, since most pandas functions are written for them."""
    return spark.table("lineitem").select(
        "l_orderkey",
        "l_suppkey",
        "l_returnflag",
        "l_shipmode",
        "l_shipdate",
        *(col(name).cast("double") for name in _DECIMALS),
    )


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _charge(price: pd.Series, discount: pd.Series, tax: pd.Series) -> pd.Series:
    return (price * (1 - discount) * (1 + tax)).clip(0, 100_000) / 100


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _scaled(value: pd.Series) -> pd.Series:
    return np.log1p(value) * 10


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _bounded(value: pd.Series) -> pd.Series:
    return value.clip(10, 90)


@udf(DoubleType())  # type: ignore[untyped-decorator]
def _one_row(price: float, discount: float) -> float:
    return price * (1 - discount)


def scalar(spark: SparkSession) -> DataFrame:
    """Scan, filter, a function of five operations, a grouped sum."""
    items = _items(spark).where("l_quantity < 40")
    charge = _charge("l_extendedprice", "l_discount", "l_tax")
    return items.groupBy("l_returnflag").agg(F.sum(charge).alias("charge"))


def sql(spark: SparkSession) -> DataFrame:
    """The same as `scalar` with SQL expressions."""
    price = col("l_extendedprice") * (1 - col("l_discount")) * (1 + col("l_tax"))
    charge = F.greatest(F.lit(0.0), F.least(F.lit(100_000.0), price)) / 100
    items = _items(spark).where("l_quantity < 40")
    return items.groupBy("l_returnflag").agg(F.sum(charge).alias("charge"))


def chained(spark: SparkSession) -> DataFrame:
    """Two functions, one of the other's result."""
    value = _bounded(_scaled("l_extendedprice"))
    return _items(spark).groupBy("l_shipmode").agg(F.sum(value).alias("value"))


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _net(price: pd.Series, discount: pd.Series) -> pd.Series:
    return price * (1 - discount)


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _share(part: pd.Series, whole: pd.Series) -> pd.Series:
    return (part / whole).fillna(0.0)


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _percent(value: pd.Series) -> pd.Series:
    return (value * 100).clip(lower=0)


def features(spark: SparkSession) -> DataFrame:
    """Three functions and two aggregations, one after the other."""
    items = _items(spark)
    net = F.sum(_net("l_extendedprice", "l_discount")).alias("net")
    of_suppliers = items.groupBy("l_suppkey", "l_shipmode").agg(
        net, F.sum("l_extendedprice").alias("gross")
    )
    shares = of_suppliers.withColumn("share", _share("net", "gross"))
    means = shares.groupBy("l_shipmode").agg(F.avg("share").alias("share"))
    return means.select("l_shipmode", _percent("share").alias("percent"))


def _dear(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for frame in frames:
        price = frame["l_extendedprice"] * (1 - frame["l_discount"])
        wanted = frame[price > 50_000]
        yield wanted[["l_suppkey", "l_quantity"]]


def map(spark: SparkSession) -> DataFrame:
    """`mapInPandas` that filters and selects columns, then a grouped sum."""
    dear = _items(spark).mapInPandas(_dear, "l_suppkey long, l_quantity double")
    return dear.groupBy("l_suppkey").agg(F.sum("l_quantity").alias("quantity"))


def _spread(frame: pd.DataFrame) -> pd.DataFrame:
    price = frame["l_extendedprice"]
    found = {
        "supplier": [int(frame["l_suppkey"].iloc[0])],
        "mean": [price.mean()],
        "spread": [price.max() - price.min()],
    }
    return pd.DataFrame(found)


def groups(spark: SparkSession) -> DataFrame:
    """`applyInPandas` over the 10,000 suppliers of scale factor 1."""
    items = _items(spark).select("l_suppkey", "l_extendedprice")
    return items.groupBy("l_suppkey").applyInPandas(
        _spread, "supplier long, mean double, spread double"
    )


def _scores(frame: pd.DataFrame) -> pd.DataFrame:
    price = frame["l_extendedprice"]
    return frame[["l_quantity"]].assign(score=(price - price.mean()) / price.std())


def large_groups(spark: SparkSession) -> DataFrame:
    """`applyInPandas` over 21 large groups: the price of each row relative to its group."""
    items = _items(spark).select("l_shipmode", "l_returnflag", "l_quantity", "l_extendedprice")
    groups = items.groupBy("l_shipmode", "l_returnflag")
    scores = groups.applyInPandas(_scores, "l_quantity double, score double")
    return scores.groupBy("l_quantity").agg(F.avg("score").alias("score"))


def _model(frame: pd.DataFrame) -> pd.DataFrame:
    from sklearn.linear_model import LinearRegression

    inputs = frame[["l_quantity", "l_discount", "l_tax"]].to_numpy()
    model = LinearRegression().fit(inputs, frame["l_extendedprice"].to_numpy())
    return pd.DataFrame(
        {"part": [int(frame["part"].iloc[0])], "slope": [float(model.coef_[0])], "n": [len(frame)]}
    )


def models(spark: SparkSession) -> DataFrame:
    """A linear regression for each of 200 groups."""
    items = _items(spark).withColumn("part", col("l_suppkey") % 200)
    wanted = items.select("part", "l_quantity", "l_discount", "l_tax", "l_extendedprice")
    found = wanted.groupBy("part").applyInPandas(_model, "part long, slope double, n long")
    return found.select("part", F.round("slope", 3).alias("slope"), "n")


def rows(spark: SparkSession) -> DataFrame:
    """An ordinary function of each row, for a million rows."""
    items = _items(spark).where("l_orderkey % 6 = 0")
    value = _one_row("l_extendedprice", "l_discount")
    return items.groupBy("l_returnflag").agg(F.sum(value).alias("value"))


def _quality(model: str, frame: pd.DataFrame) -> float:
    """Fits a model of a library to a group; a number that does not depend on the device."""
    inputs, price = frame[["l_quantity", "l_discount", "l_tax"]], frame["l_extendedprice"]
    if model == "regression":
        from sklearn.linear_model import LinearRegression

        return round(float(LinearRegression().fit(inputs, price).score(inputs, price)), 2)
    if model == "clusters":
        from sklearn.cluster import KMeans

        labels = KMeans(n_clusters=8, n_init=1, random_state=0).fit_predict(inputs)
        return float(len(np.unique(np.asarray(labels))))
    if model == "forest":
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(n_estimators=20, max_depth=10, random_state=0)
        return float(forest.fit(inputs, price).score(inputs, price) > 0.5)
    # umap-learn, which is not installed with the benchmarks
    found = import_module("umap").UMAP().fit_transform(inputs)
    return float(np.isfinite(np.asarray(found)).all())


def _on_one_group(spark: SparkSession, model: str, condition: str) -> DataFrame:
    """A model of a library for one large group of lineitem's rows."""

    def fit(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"n": [len(frame)], "quality": [_quality(model, frame)]})

    items = _items(spark).where(condition)
    wanted = items.select(
        F.lit(1).alias("one"), "l_quantity", "l_discount", "l_tax", "l_extendedprice"
    )
    return wanted.groupBy("one").applyInPandas(fit, "n long, quality double")


def regression(spark: SparkSession) -> DataFrame:
    """Scikit-learn's linear regression, of every 64th order."""
    return _on_one_group(spark, "regression", "l_orderkey % 64 = 0")


def clusters(spark: SparkSession) -> DataFrame:
    """Scikit-learn's k-means, of every 64th order."""
    return _on_one_group(spark, "clusters", "l_orderkey % 64 = 0")


def forest(spark: SparkSession) -> DataFrame:
    """Scikit-learn's random forest, of every 1,024th order."""
    return _on_one_group(spark, "forest", "l_orderkey % 1024 = 0")


def embedding(spark: SparkSession) -> DataFrame:
    """UMAP, of every 3,200th order; needs umap-learn."""
    return _on_one_group(spark, "embedding", "l_orderkey % 3200 = 0")


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def _highest(price: pd.Series) -> pd.Series:
    return price.expanding().max()


def falls_back(spark: SparkSession) -> DataFrame:
    """A function whose only call is not one of cuDF's, with batches that a GPU would take."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500000")
    highest = _highest("l_extendedprice")
    return _items(spark).select(highest.alias("highest")).agg(F.max("highest").alias("highest"))


def rdd(spark: SparkSession) -> DataFrame:
    """A million rows of an RDD's function, joined with a list of the program and grouped."""
    numbers = spark.sparkContext.parallelize(range(1_000_000), 4)
    rows = numbers.map(lambda n: (n, n % 1000, n * 0.5)).toDF("n long, k long, v double")
    names = spark.createDataFrame([(k, f"name {k}") for k in range(1000)], "k long, name string")
    return rows.join(names, "k").groupBy("name").agg(F.sum("v").alias("v"))


def few_rows(spark: SparkSession) -> DataFrame:
    """A list of three rows, grouped."""
    rows = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0), (3, "a", 4.0)], ["n", "k", "v"])
    return rows.groupBy("k").agg(F.sum("v").alias("v"))
