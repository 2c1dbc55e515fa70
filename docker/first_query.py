"""One query on a file of its own, which fails if Broadhead did not run it, or ran it wrongly."""

from __future__ import annotations

import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

ROWS = 10_000

with tempfile.TemporaryDirectory() as folder:
    numbers = {"k": [row % 3 for row in range(ROWS)], "v": list(range(ROWS))}
    pq.write_table(pa.table(numbers), f"{folder}/numbers.parquet")
    spark = SparkSession.builder.master("local[2]").appName("first query").getOrCreate()
    sums = spark.read.parquet(folder).where("v >= 0").groupBy("k").sum("v")
    found = {row[0]: row[1] for row in sums.collect()}
    plan = sums._jdf.queryExecution().toString()
    spark.stop()

expected = {key: sum(range(key, ROWS, 3)) for key in range(3)}
if found != expected:
    sys.exit(f"The sums are {found}, not {expected}")
if "BroadheadHashAggregate" not in plan:
    sys.exit(f"Spark ran the query without Broadhead:\n{plan}")
print("One query ran on Broadhead, with the right sums.")
