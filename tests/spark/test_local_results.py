"""Large results of tasks in local mode go straight to the driver, unless the user says else."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.cluster_programs import run_program

PROGRAM = """
spark = start("local[1]", **KEYS_OF_THE_USER)
spark.sparkContext.setLocalProperty("spark.jobGroup.id", "results")
spark.range(0, 500_000, 1, 1).write.parquet(str(folder / "t"))
table = spark.read.parquet(str(folder / "t"))
found = table.where("id >= 0").toArrow()
results["right"] = found.column("id").to_pylist() == list(range(500_000))
context = spark.sparkContext._jsc.sc()
context.listenerBus().waitUntilEmpty()
stages = [stage for job in spark.sparkContext.statusTracker().getJobIdsForGroup("results")
          for stage in spark.sparkContext.statusTracker().getJobInfo(job).stageIds]
(task,) = spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(
    context.statusStore().taskList(max(stages), 0, 10))
results["fetched"] = task.resultFetchStart().isDefined()
results["size"] = task.taskMetrics().get().resultSize() > 4_000_000
"""


@pytest.mark.parametrize(
    ("keys", "fetched"),
    [({}, False), ({"spark.task.maxDirectResultSize": "2m"}, True)],
    ids=["default", "the user's"],
)
def test_large_results(tmp_path: Path, keys: dict[str, str], fetched: bool) -> None:
    found = run_program(PROGRAM.replace("KEYS_OF_THE_USER", repr(keys)), tmp_path)
    assert found == {"right": True, "fetched": fetched, "size": True}
