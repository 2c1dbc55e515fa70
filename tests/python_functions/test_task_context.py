"""What functions of each kind find in `TaskContext.get()`: the fields of Spark's own tasks."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import functions

from python_functions.contract import Contract, settings, whole_in_fragments
from sql_sessions import replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PROPERTIES = (
    "mine",
    "of nobody",
    "spark.jobGroup.id",
    "spark.job.description",
    "spark.job.interruptOnCancel",
    "spark.job.tags",
    "spark.scheduler.pool",
)


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    from pyspark.cloudpickle import register_pickle_by_value

    # workers do not have the tests
    register_pickle_by_value(sys.modules[__name__])
    return Contract(tmp_path_factory.mktemp("task_context"))


def of_the_task() -> str:
    """All that a function can ask of its task, as JSON."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return json.dumps(
        {
            "type": type(task).__name__,
            "stage": task.stageId(),
            "partition": task.partitionId(),
            "attempt": task.attemptNumber(),
            "task": task.taskAttemptId(),
            "cpus": task.cpus(),
            "resources": task.resources(),
            "properties": {name: task.getLocalProperty(name) for name in PROPERTIES},
            # a property with underscores is a word of Spark's shuffle to itself
            "names": sorted(name for name in task._localProperties if not name.startswith("__")),
        }
    )


def scalar(t: DataFrame) -> DataFrame:
    @functions.pandas_udf("string")
    def function(k: pd.Series) -> pd.Series:
        return pd.Series([of_the_task()] * len(k))

    return t.select(function("k").alias("t")).distinct()


def iterator(t: DataFrame) -> DataFrame:
    @functions.pandas_udf("string")
    def function(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        first = of_the_task()
        for k in batches:
            assert of_the_task() == first
            yield pd.Series([first] * len(k))

    return t.select(function("k").alias("t")).distinct()


def rows(t: DataFrame) -> DataFrame:
    @functions.udf("string", useArrow=True)
    def function(_k: int) -> str:
        return of_the_task()

    return t.select(function("k").alias("t")).distinct()


def pickled_rows(t: DataFrame) -> DataFrame:
    @functions.udf("string", useArrow=False)
    def function(_k: int) -> str:
        return of_the_task()

    return t.select(function("k").alias("t")).distinct()


def aggregate(t: DataFrame) -> DataFrame:
    @functions.pandas_udf("string")
    def function(_k: pd.Series) -> str:
        return of_the_task()

    return t.groupBy("k").agg(function("k").alias("t")).select("t")


def map_in_pandas(t: DataFrame) -> DataFrame:
    def function(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"t": [of_the_task(), len(list(batches)) and of_the_task()]})

    return t.mapInPandas(function, "t string")


def map_in_arrow(t: DataFrame) -> DataFrame:
    def function(_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"t": [of_the_task()]})

    return t.mapInArrow(function, "t string")


def apply_in_pandas(t: DataFrame) -> DataFrame:
    def function(_rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"t": [of_the_task()]})

    return t.groupBy("k").applyInPandas(function, "t string")


def cogroups(t: DataFrame) -> DataFrame:
    def function(_left: pa.Table, _right: pa.Table) -> pa.Table:
        return pa.table({"t": [of_the_task()]})

    return t.groupBy("k").cogroup(t.groupBy("k")).applyInArrow(function, "t string")


def table_function(t: DataFrame) -> DataFrame:
    @functions.udtf(returnType="t string")
    class Function:
        def eval(self, _row: Any) -> None:
            pass

        def terminate(self) -> Iterator[tuple[str]]:
            yield (of_the_task(),)

    return Function(t.select("id").asTable())


KINDS: tuple[Callable[[DataFrame], DataFrame], ...] = (
    scalar,
    iterator,
    rows,
    pickled_rows,
    aggregate,
    map_in_pandas,
    map_in_arrow,
    apply_in_pandas,
    cogroups,
    table_function,
)


def found_by(contract: Contract, make: Callable[[DataFrame], DataFrame], *, enabled: bool) -> Any:
    """What the tasks of a query see, without the numbers that Spark gives out in turn."""
    context = contract.session.sparkContext
    group = f"{make.__name__} {enabled}"
    context.setJobGroup(group, "described", interruptOnCancel=True)
    with settings(contract.session, spark__broadhead__enabled=str(enabled).lower()):
        frame = make(contract.table)
        tasks = [json.loads(row.t) for row in frame.collect()]
    if enabled:
        whole_in_fragments(frame)
        assert replayed(frame) == 0
    jobs = map(context.statusTracker().getJobInfo, context.statusTracker().getJobIdsForGroup(group))
    stages = {stage for job in jobs if job for stage in job.stageIds}
    places: dict[int, set[tuple[int, int]]] = {}
    for task in tasks:
        assert task["stage"] in stages
        found = task["properties"]
        assert found.pop("spark.jobGroup.id") == group
        found["spark.job.tags"] = re.sub(r"root-id-\d+", "", found["spark.job.tags"])
        places.setdefault(task.pop("task"), set()).add((task.pop("stage"), task["partition"]))
    # each attempt has a number of its own
    assert all(len(of_one) == 1 for of_one in places.values())
    assert len(set.union(*places.values())) == len(places)
    return sorted(tasks, key=json.dumps)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_all_fields(contract: Contract, kind: Callable[[DataFrame], DataFrame]) -> None:
    context = contract.session.sparkContext
    context.setLocalProperty("mine", "a property, \u00fcber \U0001f600")
    context.addJobTag("tagged")
    try:
        expected = found_by(contract, kind, enabled=False)
        assert found_by(contract, kind, enabled=True) == expected
    finally:
        context.clearJobTags()
        for name in PROPERTIES:
            context.setLocalProperty(name, None)
    assert expected[0]["properties"]["mine"] == "a property, \u00fcber \U0001f600"
    assert expected[0]["properties"]["spark.job.description"] == "described"
