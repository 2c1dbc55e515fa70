"""Executors in processes of their own, where Spark tries a failed task again."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.cluster_programs import RunInSession

ROWS = 60_000
PROGRAM = """
spark.conf.set("spark.sql.shuffle.partitions", "2")
spark.conf.set("spark.broadhead.batchRows", "1000")
# More than the buffers of a socket hold, so that the worker has not ended when it is killed.
spark.read.parquet(str(folder / "t.parquet")).createOrReplaceTempView("t")
groups = spark.sql(f"SELECT k, sum(v) AS s, '{'x' * 300}' AS filler FROM t GROUP BY k")
marker = folder / "killed"
kill_once = killing_once(marker)
spark.sparkContext.setLocalProperty("spark.jobGroup.id", "killed")
seen = groups.mapInArrow(
    lambda batches: (batch.select(["k", "s"]) for batch in kill_once(batches)),
    "k BIGINT, s BIGINT").toArrow()
spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
tracker = spark.sparkContext.statusTracker()
jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup("killed"))
stages = [tracker.getStageInfo(n) for job in jobs for n in job.stageIds]
results["killed"] = marker.exists()
results["failed"] = sum(stage.numFailedTasks for stage in stages if stage)
results["plan"] = "BroadheadHashAggregate" in groups._jdf.queryExecution().toString()
results["rows"] = seen.num_rows
results["right"] = sorted(seen.column("s").to_pylist()) == list(range(0, seen.num_rows))
"""


@pytest.mark.xdist_group("two executors")
def test_worker_killed_behind_groups_that_cannot_come_again(
    tmp_path: Path, two_executors: RunInSession
) -> None:
    """Groups come in another order from Spark, so the attempt fails, and the next is Spark's."""
    keys = pa.array(range(ROWS), pa.int64())
    pq.write_table(pa.table({"k": keys, "v": keys}), tmp_path / "t.parquet")
    assert two_executors(tmp_path, PROGRAM) == {
        "killed": True,
        "failed": 1,
        "plan": True,
        "rows": ROWS,
        "right": True,
    }
