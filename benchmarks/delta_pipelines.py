"""Commands of Delta Lake over a copy of the table orders; they know nothing of any engine."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def before(folder: Path) -> None:
    """A fresh copy of the table, made before the time is taken."""
    shutil.rmtree(folder / "changed", ignore_errors=True)
    shutil.copytree(folder / "orders", folder / "changed")


def _table(folder: Path) -> str:
    return f"delta.`{folder / 'changed'}`"


def _changes(folder: Path) -> str:
    return f"parquet.`{folder / 'changes'}`"


def merge(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """MERGE of a tenth of the rows, half of them new."""
    return spark.sql(
        f"MERGE INTO {_table(folder)} t USING {_changes(folder)} s "
        "ON t.o_orderkey = s.o_orderkey WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )


def update(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """UPDATE of a tenth of the rows, which are in all files."""
    return spark.sql(
        f"UPDATE {_table(folder)} SET o_totalprice = o_totalprice * 1.1, o_orderstatus = 'X' "
        "WHERE o_custkey % 10 = 1"
    )


def delete(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """DELETE of a tenth of the rows, which are in all files."""
    return spark.sql(f"DELETE FROM {_table(folder)} WHERE o_custkey % 10 = 1")


def insert(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """INSERT of all orders."""
    return spark.sql(f"INSERT INTO {_table(folder)} SELECT * FROM parquet.`{data / 'orders'}`")


def optimize(spark: SparkSession, data: Path, folder: Path) -> DataFrame:
    """OPTIMIZE of all files into one."""
    made = spark.sql(f"OPTIMIZE {_table(folder)}")
    return made.selectExpr("metrics.numFilesAdded", "metrics.numFilesRemoved")


def make_tables(spark: SparkSession, data: Path, folder: Path) -> None:
    """The table, in four files without deletion vectors, and the changes."""
    orders = spark.read.parquet(str(data / "orders"))
    keys = {"delta.enableDeletionVectors": "false"}
    orders.repartition(4).write.format("delta").options(**keys).save(str(folder / "orders"))
    orders.createOrReplaceTempView("orders")
    changes = spark.sql(
        "SELECT IF(o_orderkey % 20 < 1, o_orderkey + 1000000000, o_orderkey) AS o_orderkey, "
        "o_custkey, 'X' AS o_orderstatus, CAST(o_totalprice * 1.1 AS DECIMAL(15, 2)) AS "
        "o_totalprice, o_orderdate, o_orderpriority, o_clerk, o_shippriority, o_comment "
        "FROM orders WHERE o_orderkey % 10 < 1"
    )
    changes.coalesce(2).write.parquet(str(folder / "changes"))
