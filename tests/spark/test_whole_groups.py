"""Aggregates that read all rows of a group in one phase: plans, several tasks, spills, replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import half_by_day
from spark.answers import Answers, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 20_000
LISTS = "SELECT k, array_sort(collect_list(v)) AS l, count(*), sum(v) FROM pieces GROUP BY k"


@pytest.fixture(scope="module", autouse=True)
def pieces(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rows of several files, which several tasks read."""
    folder = tmp_path_factory.mktemp("pieces")
    for number in range(3):
        ids = range(number, ROWS, 3)
        table = pa.table(
            {
                "k": pa.array([None if i % 97 == 0 else i % 301 for i in ids], pa.int32()),
                "v": pa.array([None if i % 13 == 0 else i * 7919 % 1009 for i in ids], pa.int64()),
                "t": pa.array([f"text {i % 11}" for i in ids]),
            }
        )
        pq.write_table(table, folder / f"{number}.parquet")
    answers.session.read.parquet(str(folder)).createOrReplaceTempView("pieces")


@pytest.fixture(autouse=True)
def several_tasks(configuration: Callable[..., None]) -> None:
    configuration(
        spark__sql__shuffle__partitions="3",
        spark__sql__files__openCostInBytes="1g",
        spark__sql__files__maxPartitionBytes="1g",
    )


@pytest.mark.parametrize(
    ("query", "adaptive"),
    half_by_day(
        [
            LISTS,
            "SELECT k, size(collect_set(v)), percentile(v, 0.25), mode(t, true) FROM pieces"
            " GROUP BY k",
            "SELECT median(v), array_sort(collect_set(t)), count(k) FROM pieces",
            "SELECT k, array_sort(collect_list(DISTINCT v)) FROM pieces GROUP BY k",
            "SELECT k, percentile(v * 2, 0.5) FILTER (WHERE t > 'text 3'), mode(v + 1, true) "
            "FROM pieces GROUP BY k HAVING size(collect_list(v)) > 3",
            "SELECT k, median(m) FROM (SELECT k, t, median(v) AS m FROM pieces GROUP BY k, t) "
            "GROUP BY k",
            "SELECT k, listagg(t, '|') WITHIN GROUP (ORDER BY t DESC) FROM pieces GROUP BY k",
        ],
        ["true", "false"],
    ),
)
def test_of_several_tasks(
    answers: Answers, configuration: Callable[..., None], query: str, adaptive: str
) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    frame = answers.same_rows(lambda spark: spark.sql(query))
    plan = plan_of(frame)
    assert "BroadheadHashAggregate" in plan
    assert "ObjectHashAggregate" not in plan
    assert "partial_" not in plan


def test_approximate_counts(answers: Answers) -> None:
    """Of so many rows that each way to correct an estimate is taken, in several tasks."""
    query = (
        "SELECT approx_count_distinct(v), approx_count_distinct(k * 1000 + v), "
        "approx_count_distinct(k * 1000 + v, 0.02), approx_count_distinct(concat(t, v), 0.2) "
        "FROM pieces"
    )
    answers.same_rows(lambda spark: spark.sql(query))
    answers.same_rows(lambda spark: spark.sql(f"{query} GROUP BY k % 5"))


def test_a_function_that_stays_with_spark_keeps_its_phases(
    answers: Answers, configuration: Callable[..., None]
) -> None:
    configuration(
        spark__broadhead__function__collect_list__enabled="false",
        spark__broadhead__sparkExpressions__enabled="false",
        spark__sql__adaptive__enabled="false",
    )
    plan = plan_of(answers.session.sql(LISTS))
    assert plan.count("ObjectHashAggregate(") == 2
    assert "partial_collect_list" in plan
    # an outer aggregation that the engine runs does not change that of an inner one
    query = (
        "SELECT n, median(k) FROM (SELECT k, size(collect_list(v)) AS n FROM pieces GROUP BY k) "
        "GROUP BY n"
    )
    plan = plan_of(answers.same_rows(lambda spark: spark.sql(query)))
    assert plan.count("ObjectHashAggregate(") == 2
    assert "BroadheadHashAggregate" in plan


def test_buffers_of_spark_are_not_mixed_with_rows(
    answers: Answers, configuration: Callable[..., None]
) -> None:
    """Beside a distinct aggregate, the other one has a phase that merges."""
    configuration(spark__sql__adaptive__enabled="false")
    query = "SELECT k, count(DISTINCT t), array_sort(collect_list(v)) FROM pieces GROUP BY k"
    frame = answers.same_rows(lambda spark: spark.sql(query))
    assert "merge_collect_list" in plan_of(frame)


def test_groups_that_exceed_the_memory(
    answers: Answers, configuration: Callable[..., None]
) -> None:
    configuration(spark__broadhead__operatorMemory="16k", spark__broadhead__batchRows="500")
    frame = answers.same_rows(lambda spark: spark.sql(LISTS))
    assert "BroadheadHashAggregate" in plan_of(frame)
    answers.same_rows(lambda spark: spark.sql("SELECT median(v), mode(t, true) FROM pieces"))


def test_replay(answers: Answers) -> None:
    with answers.without_workers():
        answers.same_rows(lambda spark: spark.sql(LISTS), replays=None)
        answers.same_rows(
            lambda spark: spark.sql("SELECT k, median(DISTINCT v) FROM pieces GROUP BY k"),
            replays=None,
        )
