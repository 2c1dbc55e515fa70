"""Queries that read or write files in many ways; they know nothing of any engine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SLOW_STORE = {"fs.store.delay": "50", "fs.store.rate": str(200_000_000)}
"""The tests' file system with 50 ms a request and 200 MB a second for all readers together."""


def _charges(items: DataFrame) -> DataFrame:
    """The sums of TPC-H's first query."""
    price = F.col("l_extendedprice") * (1 - F.col("l_discount"))
    return items.groupBy("l_returnflag", "l_linestatus").agg(
        F.sum("l_quantity").alias("quantity"),
        F.sum(price).alias("price"),
        F.avg("l_discount").alias("discount"),
        F.count("*").alias("n"),
    )


def local_scan(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """Parquet on local disks."""
    return _charges(spark.read.parquet(str(data / "lineitem")))


def store_scan(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """The same in a slow store."""
    return _charges(spark.read.options(**SLOW_STORE).parquet(f"store://{data / 'lineitem'}"))


def csv_scan(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """CSV with a header and a schema."""
    schema = spark.read.parquet(str(data / "lineitem")).schema
    return _charges(spark.read.schema(schema).csv(str(folder / "csv"), header=True))


def json_scan(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """JSON lines with a schema."""
    schema = spark.read.parquet(str(data / "lineitem")).schema
    return _charges(spark.read.schema(schema).json(str(folder / "json")))


def few_columns_of_csv(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """The filter and the sum of TPC-H's sixth query: four of sixteen columns."""
    schema = spark.read.parquet(str(data / "lineitem")).schema
    items = spark.read.schema(schema).csv(str(folder / "csv"), header=True)
    return items.where(
        "l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01' "
        "AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
    ).selectExpr("sum(l_extendedprice * l_discount) AS revenue")


def orc_scan(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """ORC."""
    return _charges(spark.read.orc(str(folder / "orc")))


def _join(spark: SparkSession, data: Path) -> DataFrame:
    items = spark.read.parquet(str(data / "lineitem"))
    orders = spark.read.parquet(str(data / "orders"))
    return items.join(orders, F.col("l_orderkey") == F.col("o_orderkey")).select(
        "l_orderkey", "l_suppkey", "l_extendedprice", "l_discount", "l_shipdate", "l_shipmode",
        "o_orderdate", "o_totalprice", "o_orderpriority",
    )  # fmt: skip


def _counted(spark: SparkSession, path: Path) -> DataFrame:
    """What was written, by its footers."""
    return spark.read.parquet(str(path)).selectExpr("count(*) AS n")


def write_join(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """A join's result as Parquet."""
    path = folder / "written"
    shutil.rmtree(path, ignore_errors=True)
    _join(spark, data).write.parquet(str(path))
    return _counted(spark, path)


def write_csv(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """The table lineitem as CSV."""
    return _lines_written(spark, data, folder, "csv")


def write_json(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """The table lineitem as JSON."""
    return _lines_written(spark, data, folder, "json")


def _lines_written(spark: SparkSession, data: Path, folder: Path, kind: str) -> DataFrame:
    """Writes lineitem; gives the number of bytes without a look into the files."""
    path = folder / f"written_{kind}"
    shutil.rmtree(path, ignore_errors=True)
    spark.read.parquet(str(data / "lineitem")).write.format(kind).save(str(path))
    size = sum(file.stat().st_size for file in path.glob(f"*.{kind}"))
    return spark.range(1).select(F.lit(size).alias("bytes"))


def write_partitions(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """The same in 50 partitions."""
    path = folder / "partitions"
    shutil.rmtree(path, ignore_errors=True)
    parts = _join(spark, data).withColumn("part", F.col("l_suppkey") % 50)
    parts.write.partitionBy("part").parquet(str(path))
    return _counted(spark, path)
