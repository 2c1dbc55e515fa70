"""Broadcasts in executors of their own: each gets the file once, and Spark's joins read it too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[2]
ROWS = 100_000
PROGRAM = """
import json, sys
from pathlib import Path
import broadhead
from pyspark.sql import SparkSession

folder, local = sys.argv[1], Path(sys.argv[2])
builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for key, value in {
    "spark.ui.enabled": "false",
    "spark.local.dir": str(local),
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.files.maxPartitionBytes": "200k",
    "spark.broadhead.device": "cpu",
    "spark.broadhead.costModel.enabled": "false",
}.items():
    builder = builder.config(key, value)
spark = broadhead.configure(builder).getOrCreate()
for name in ("facts", "shops"):
    spark.read.parquet(f"{folder}/{name}.parquet").createOrReplaceTempView(name)
results = {}
for case, value in (("engine", "id"), ("replay", "9223372036854775807 - id div 1000000")):
    frame = spark.sql(f"SELECT region, max({value}), count(*) FROM facts JOIN shops USING (shop) "
                      "GROUP BY region ORDER BY region")
    results[case] = [list(row) for row in frame.collect()]
    results[case + " plan"] = "BroadheadBroadcastExchange" in str(
        frame._jdf.queryExecution().executedPlan())
files = [p for p in local.rglob("broadcast_*_python*") if p.is_file()]
results["executors"] = len({p.parents[1] for p in files})
print("RESULT " + json.dumps(results))
"""


def test_a_broadcast_reaches_both_executors(tmp_path: Path) -> None:
    numbers = pa.array(range(ROWS), pa.int64())
    shops = pa.array([n % 100 for n in range(ROWS)], pa.int64())
    pq.write_table(
        pa.table({"id": numbers, "shop": shops}), tmp_path / "facts.parquet", row_group_size=10_000
    )
    keys = pa.array(range(100), pa.int64())
    regions = pa.array([n % 3 for n in range(100)], pa.int64())
    pq.write_table(pa.table({"shop": keys, "region": regions}), tmp_path / "shops.parquet")
    local = tmp_path / "local"
    local.mkdir()
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), str(local)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-8000:]
    results = json.loads(lines[0].removeprefix("RESULT "))
    counts = [sum(1 for n in range(ROWS) if n % 100 % 3 == r) for r in range(3)]
    highest = [max(n for n in range(ROWS - 300, ROWS) if n % 100 % 3 == r) for r in range(3)]
    assert results["engine"] == [[r, highest[r], counts[r]] for r in range(3)]
    assert [row[2] for row in results["replay"]] == counts
    assert results["engine plan"]
    assert results["replay plan"]
    assert results["executors"] == 2
