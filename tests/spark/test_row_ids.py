"""monotonically_increasing_id and spark_partition_id, whose values follow from a row's place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from spark.answers import Answers, plan_of
from sql_sessions import compare_with_kept, configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

IDS = "monotonically_increasing_id() AS i, spark_partition_id() AS p"


@pytest.fixture(scope="module", autouse=True)
def files(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Five files of 3000 rows in row groups of a few hundred, which are split and put together."""
    path: Path = tmp_path_factory.mktemp("ids") / "größe 100%"
    with configured(
        answers.session, {"spark.broadhead.enabled": "false", "parquet.block.size": "6000"}
    ):
        rows = answers.session.range(0, 15_000, 1, 5).selectExpr("id", "id % 7 AS k", "uuid() AS u")
        rows.write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("numbered")


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {IDS}, id, k FROM numbered",
        f"SELECT {IDS}, id + spark_partition_id() AS s FROM numbered WHERE k = 3 AND id > 4000",
        "SELECT max(i), sum(i), k FROM (SELECT monotonically_increasing_id() AS i, k "
        "FROM numbered) GROUP BY k",
        f"SELECT {IDS}, i AS j FROM (SELECT monotonically_increasing_id() AS i, k FROM numbered) "
        "WHERE k < 2",
        f"SELECT {IDS}, id FROM numbered UNION ALL SELECT {IDS}, -id FROM numbered WHERE k = 1",
        f"SELECT /*+ BROADCAST(b) */ a.i, a.p, b.id FROM (SELECT {IDS}, id FROM numbered) a "
        "JOIN numbered b ON a.id = b.id WHERE b.k = 5",
    ],
)
def test_ids_are_those_of_spark(answers: Answers, sql: str) -> None:
    sizes = {"spark.sql.files.maxPartitionBytes": "70000", "spark.sql.files.openCostInBytes": "9"}
    with configured(answers.session, sizes):
        frame = answers.same_rows(lambda spark: spark.sql(sql))
        assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)


def test_ids_after_a_replay(answers: Answers) -> None:
    """A row that the engine leaves to Spark does not change the ids."""
    sql = f"SELECT {IDS}, CAST(if(id = 7777, '１', '1') AS INT) AS n, id FROM numbered"
    with configured(answers.session, {"spark.sql.ansi.enabled": "false"}):
        frame = answers.same_rows(lambda spark: spark.sql(sql), replays=None)
        assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)


@pytest.mark.parametrize(
    "below",
    [
        "(SELECT DISTINCT k FROM numbered)",
        "(SELECT a.k FROM numbered a JOIN numbered b USING (id))",
        "(SELECT k, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM numbered)",
        "(SELECT * FROM numbered ORDER BY id LIMIT 100)",
        "(SELECT explode(array(k, k + 1)) AS k FROM numbered)",
        "(SELECT k FROM numbered UNION ALL SELECT k + 1 FROM numbered WHERE k = 3)",
    ],
)
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_ids_above_other_operators_are_unique(answers: Answers, below: str, adaptive: str) -> None:
    sql = (
        "SELECT count(*) AS n, count(DISTINCT i) AS ids, count_if(shiftright(i, 33) = p) AS own, "
        f"sum(k) AS k FROM (SELECT {IDS}, k FROM {below})"
    )
    with configured(answers.session, {"spark.sql.adaptive.enabled": adaptive}):
        frame = answers.same_rows(lambda spark: spark.sql(sql))
        assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)


def test_ids_of_sorted_rows_in_one_partition_are_those_of_spark(answers: Answers) -> None:
    sql = f"SELECT /*+ COALESCE(1) */ {IDS}, id FROM (SELECT id FROM numbered ORDER BY id DESC)"
    assert "BroadheadRowIds" in plan_of(answers.same_rows(lambda spark: spark.sql(sql)))


def test_ids_stay_unique_in_fewer_partitions(answers: Answers) -> None:
    def make(spark: SparkSession) -> DataFrame:
        parts = spark.table("numbered").repartition(8, "id")
        ids = parts.selectExpr(*IDS.split(", "), "id").where("id % 3 < 2").coalesce(2)
        return ids.selectExpr("count(*) AS n", "count(DISTINCT i) AS ids", "count(DISTINCT p) AS p")

    assert "BroadheadRowIds" in plan_of(answers.same_rows(make))


def test_random_values_above_a_join(answers: Answers) -> None:
    frame = answers.session.sql(
        "SELECT count(*) AS n, count(DISTINCT r) AS values, min(r) >= 0 AND max(r) < 1 AS bounded "
        "FROM (SELECT rand() AS r FROM numbered a JOIN numbered b USING (id))"
    )
    assert "BroadheadRowIds" in plan_of(frame)
    assert [tuple(row) for row in frame.collect()] == [(15_000, 15_000, True)]


def test_partitions_that_the_user_has_made_are_told_apart(answers: Answers) -> None:
    frame = answers.same_rows(
        lambda spark: (
            spark.table("numbered").repartition(4, "k").selectExpr("spark_partition_id() AS p", "k")
        )
    )
    assert "BroadheadRowIds" in plan_of(frame)


def test_the_level_is_told(answers: Answers) -> None:
    sql = f"SELECT {IDS}, k FROM (SELECT DISTINCT k FROM numbered)"
    assert "(any order" in str(explain(answers.session.sql(sql)))
    with configured(answers.session, {"spark.broadhead.exact": "true"}):
        frame = answers.session.sql(sql)
        assert "BroadheadRowIds" not in plan_of(frame)
        assert "any order" in str(explain(frame))


def test_ids_of_some_rows_stay_with_spark(answers: Answers) -> None:
    sql = "SELECT if(k = 1, monotonically_increasing_id(), -1) AS i, id FROM numbered"
    frame = answers.session.sql(sql)
    compare_with_kept(answers.session, lambda: answers.session.sql(f"SELECT count(*) FROM ({sql})"))
    assert "monotonically_increasing_id" in str(explain(frame))
    assert "BroadheadRowIds" not in plan_of(frame)
