"""Shuffles that are the last operator of a query: rows, partitions, and what is left to Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

HASHED = "SELECT /*+ REPARTITION(5, k) */ id, k, s FROM last"


@pytest.fixture(scope="module", autouse=True)
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    path: Path = tmp_path_factory.mktemp("last") / "t"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.range(0, 4_000, 1, 3)
        rows.selectExpr("id", "id % 37 AS k", "string(id) AS s").write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("last")


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    "sql",
    [
        HASHED,
        "SELECT /*+ REPARTITION(k) */ k, count(*) AS n FROM last GROUP BY k",
        "SELECT /*+ REBALANCE(k) */ id, k FROM last WHERE id > 17",
    ],
)
def test_partitions_are_those_of_spark(answers: Answers, sql: str, adaptive: str) -> None:
    """Rows are in the same partitions."""
    with configured(answers.session, {"spark.sql.adaptive.enabled": adaptive}):
        found = []
        for enabled in ("true", "false"):
            with configured(answers.session, {"spark.broadhead.enabled": enabled}):
                frame = answers.session.sql(sql)
                found.append(frame.rdd.glom().map(sorted).collect())
        assert found[0] == found[1]
        # without adaptive execution there is no rebalancing
        if adaptive == "true" or "REBALANCE" not in sql:
            frame = answers.same_rows(lambda spark: spark.sql(sql))
            assert "BroadheadShuffleExchange" in plan_of(frame), plan_of(frame)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT /*+ REPARTITION(3) */ id FROM last",
        "SELECT /*+ REPARTITION(3, k) */ id, k FROM last",
    ],
)
@pytest.mark.parametrize("switched_off", ["FileSourceScan", "Project"])
def test_a_shuffle_that_stays_with_spark_is_as_it_was(
    answers: Answers, sql: str, switched_off: str
) -> None:
    """With the cost model or without; rows that are dealt in turn have an order in Spark."""
    off = {f"spark.broadhead.operator.{switched_off}.enabled": "false"}
    for costs in ("true", "false"):
        with configured(answers.session, off | {"spark.broadhead.costModel.enabled": costs}):
            frame = answers.session.sql(sql)
            assert frame.agg({"id": "sum"}).first()[0] == 4_000 * 3_999 // 2
            assert len(frame.collect()) == 4_000
            assert "BroadheadShuffle" not in plan_of(frame), plan_of(frame)
            assert "Project" not in plan_of(frame), plan_of(frame)


def test_a_cached_shuffle(answers: Answers) -> None:
    frame = answers.session.sql(HASHED).cache()
    try:
        assert frame.count() == 4_000
        assert frame.rdd.getNumPartitions() == 5
    finally:
        frame.unpersist()
