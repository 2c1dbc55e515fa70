"""Large results of tasks in local mode go to the driver as they are, unless the user says else."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.cluster_programs import run_program

TASKS = """
def last_tasks(spark, group):
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(group)
              for stage in tracker.getJobInfo(job).stageIds]
    found = context.statusStore().taskList(max(stages), 0, 100)
    return list(spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(found))
"""

TABLE = """
spark.sparkContext.setLocalProperty("spark.jobGroup.id", "results")
spark.range(0, 500_000, 1, 1).write.parquet(str(folder / "t"))
table = spark.read.parquet(str(folder / "t"))
"""

ONE_RESULT = (
    TASKS
    + 'spark = start("local[1]", **KEYS_OF_THE_USER)'
    + TABLE
    + """
found = table.where("id >= 0").toArrow()
results["right"] = found.column("id").to_pylist() == list(range(500_000))
(task,) = last_tasks(spark, "results")
results["fetched"] = task.resultFetchStart().isDefined()
"""
)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("keys", "fetched"),
    [
        pytest.param({}, False, id="default"),
        pytest.param({"spark.task.maxDirectResultSize": "2m"}, True, id="the user's size"),
    ],
)
def test_large_results(tmp_path: Path, keys: dict[str, str], fetched: bool) -> None:
    found = run_program(ONE_RESULT.replace("KEYS_OF_THE_USER", repr(keys)), tmp_path)
    assert found == {"right": True, "fetched": fetched}


TOO_LARGE = (
    'spark = start("local[1]", **{"spark.driver.maxResultSize": "3m"})'
    + TABLE
    + """
for enabled in ("true", "false"):
    spark.conf.set("spark.broadhead.enabled", enabled)
    try:
        table.where("id >= 0").toArrow()
    except Exception as error:
        words = "bigger than spark.driver.maxResultSize (3.0 MiB)"
        results[enabled] = words in str(error)
    spark.conf.set("spark.broadhead.enabled", "true")
results["afterwards"] = table.where("id < 70000").toArrow().num_rows
"""
)


@pytest.mark.nightly  # a limit that Spark keeps itself
def test_results_count_towards_the_limit_of_the_driver(tmp_path: Path) -> None:
    found = run_program(TOO_LARGE, tmp_path)
    assert found == {"true": True, "false": True, "afterwards": 70_000}
