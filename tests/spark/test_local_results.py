"""Large results of tasks in local mode go to the driver as they are, unless the user says else."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.cluster_programs import application, run_program

TASKS = """
def last_tasks(spark, group):
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(group)
              for stage in tracker.getJobInfo(job).stageIds]
    found = context.statusStore().taskList(max(stages), 0, 100)
    return list(spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(found))

def held(spark):
    loader = spark._jvm.Thread.currentThread().getContextClassLoader()
    results = loader.loadClass("org.apache.spark.sql.broadhead.results.LocalResults$")
    return results.getField("MODULE$").get(None).held()
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
results["serialized"] = task.taskMetrics().get().resultSize() > 4_000_000
"""
)


@pytest.mark.parametrize(
    ("keys", "fetched", "serialized"),
    [
        # By day this is asked of the application below.
        pytest.param({}, False, False, id="default", marks=pytest.mark.nightly),
        pytest.param(
            *({"spark.task.maxDirectResultSize": "2m"}, True, True),
            id="the user's size",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            *({"spark.serializer": "org.apache.spark.serializer.KryoSerializer"}, False, True),
            id="the user's serializer",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_large_results(
    tmp_path: Path, keys: dict[str, str], fetched: bool, serialized: bool
) -> None:
    found = run_program(ONE_RESULT.replace("KEYS_OF_THE_USER", repr(keys)), tmp_path)
    assert found == {"right": True, "fetched": fetched, "serialized": serialized}


MANY_RESULTS = (
    TASKS
    + 'spark = start("local[2]", **{"spark.sql.files.maxPartitionBytes": "300k"})'
    + TABLE
    + """
for turn in range(3):
    found = table.where("id % 5 <> 1").toArrow()
    results[f"right {turn}"] = found.column("id").to_pylist() == [
        i for i in range(500_000) if i % 5 != 1]
tasks = last_tasks(spark, "results")
results["several tasks"] = len(tasks) > 3
results["serialized"] = max(task.taskMetrics().get().resultSize() for task in tasks) > 20_000
results["held"] = held(spark)
pandas = spark.range(5).toPandas()
results["pandas"] = pandas["id"].tolist()
results["shuffled by Spark"] = sorted(
    spark.sparkContext.parallelize([("a", 1), ("b", 2), ("a", 3)], 2)
    .reduceByKey(lambda a, b: a + b).collect())
"""
)

ALONE = """
spark.conf.set("spark.sql.files.maxPartitionBytes", "128m")
spark.conf.set("spark.sql.files.openCostInBytes", "128m")
spark.sparkContext.setLocalProperty("spark.jobGroup.id", "alone")
results["right"] = table.where("id >= 0").toArrow().column("id").to_pylist() == list(range(500_000))
(task,) = last_tasks(spark, "alone")
results["fetched"] = task.resultFetchStart().isDefined()
results["serialized"] = task.taskMetrics().get().resultSize() > 4_000_000
"""
"""As ONE_RESULT, in the same application."""

CANCELLED = """
import threading
stopped = threading.Event()

def cancel():
    while not stopped.wait(0.02):
        spark.sparkContext.cancelAllJobs()

thread = threading.Thread(target=cancel)
thread.start()
cancelled = 0
for turn in range(100):
    try:
        table.where("id >= 0").toArrow()
    except Exception as error:
        cancelled += "cancelled" in str(error).lower()
    if cancelled == 3:
        break
stopped.set()
thread.join()
results["cancelled"] = cancelled > 0
results["right"] = table.where("id >= 0").toArrow().num_rows
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
results["held"] = held(spark)
"""


@pytest.mark.nightly  # hundreds of queries
def test_many_results_are_handed_over_and_none_is_kept(tmp_path: Path) -> None:
    with application(tmp_path) as run:
        found = run(MANY_RESULTS)
        of_cancelled = run(CANCELLED)
        alone = run(ALONE)
    assert alone == {"right": True, "fetched": False, "serialized": False}
    assert of_cancelled == {"cancelled": True, "right": 500_000, "held": 0}
    assert found == {
        **{f"right {turn}": True for turn in range(3)},
        "several tasks": True,
        "serialized": False,
        "held": 0,
        "pandas": [0, 1, 2, 3, 4],
        "shuffled by Spark": [["a", 4], ["b", 2]],
    }


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
