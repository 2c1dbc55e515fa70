"""Executors in processes of their own, where Spark tries a failed task again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[2]
ROWS = 600_000
PROGRAM = """
import json, os, signal, sys
from contextlib import suppress
from pathlib import Path
import broadhead
from pyspark.sql import SparkSession

table, marker = sys.argv[1], Path(sys.argv[2])

def other_workers():
    parents = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
    jvm = parents[os.getppid()]
    for pid, parent in parents.items():
        if pid != os.getpid() and parents.get(parent) == jvm:
            yield pid

def kill_once(batches):
    for batch in batches:
        if not marker.exists():
            marker.touch()
            for pid in other_workers():
                os.kill(pid, signal.SIGKILL)
        yield batch.select(["k", "s"])

builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for key, value in {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.broadhead.batchRows": "1000",
    "spark.broadhead.device": "cpu",
}.items():
    builder = builder.config(key, value)
spark = broadhead.configure(builder).getOrCreate()
# More than the buffers of a socket hold, so that the worker has not ended when it is killed.
spark.read.parquet(table).createOrReplaceTempView("t")
groups = spark.sql(f"SELECT k, sum(v) AS s, '{'x' * 300}' AS filler FROM t GROUP BY k")
seen = groups.mapInArrow(kill_once, "k BIGINT, s BIGINT").toArrow()
tracker = spark.sparkContext.statusTracker()
stages = [tracker.getStageInfo(n) for n in range(10)]
print("RESULT " + json.dumps({
    "killed": marker.exists(),
    "failed": sum(stage.numFailedTasks for stage in stages if stage),
    "plan": "BroadheadHashAggregate" in groups._jdf.queryExecution().toString(),
    "rows": seen.num_rows,
    "right": sorted(seen.column("s").to_pylist()) == list(range(0, seen.num_rows)),
}))
"""


def test_worker_killed_behind_groups_that_cannot_come_again(tmp_path: Path) -> None:
    """Groups come in another order from Spark, so the attempt fails, and the next is Spark's."""
    keys = pa.array(range(ROWS), pa.int64())
    pq.write_table(pa.table({"k": keys, "v": keys}), tmp_path / "t.parquet")
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "t.parquet"), str(tmp_path / "killed")],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-8000:]
    assert json.loads(lines[0].removeprefix("RESULT ")) == {
        "killed": True,
        "failed": 1,
        "plan": True,
        "rows": ROWS,
        "right": True,
    }
