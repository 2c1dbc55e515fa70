"""Rows that `observe` counts: each once, also where the task's engine fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import broadhead
from night import half_by_day
from spark.answers import Answers
from sql_sessions import compare_runs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 1000
# The engine leaves the length of a text that is not UTF-8 to Spark.
TEXT = "IF(id = 500, CAST(X'C328' AS STRING), 'text') AS t"

READERS: dict[str, Callable[[DataFrame], DataFrame]] = {
    "aggregate": lambda rows: rows.selectExpr("k", "length(t) AS n").groupBy("k").sum("n"),
    "filter": lambda rows: rows.where("length(t) > 3 OR id < 9").select("id", "k"),
    "window": lambda rows: rows.selectExpr("id", "length(t)", "sum(id) OVER (PARTITION BY k)"),
    "top": lambda rows: rows.selectExpr("id", "length(t) AS n").orderBy("n", "id").limit(20),
    "join": lambda rows: rows.selectExpr("id", "length(t) AS n").join(four(rows), "n"),
    "union": lambda rows: rows.selectExpr("length(t) AS n").unionAll(four(rows)),
    "cached": lambda rows: rows.selectExpr("id", "length(t) AS n").cache().where("n = 4"),
}


def four(rows: DataFrame) -> DataFrame:
    """One row: n = 4."""
    return rows.sparkSession.range(4, 5).toDF("n")


@pytest.mark.parametrize(("adaptive", "reader"), half_by_day(["true", "false"], [*READERS]))
def test_each_row_is_counted_once(
    answers: Answers,
    configuration: Callable[..., None],
    reader: str,
    adaptive: str,
) -> None:
    from pyspark.sql import Observation, functions

    configuration(
        spark__broadhead__costModel__enabled="false",
        spark__sql__adaptive__enabled=adaptive,
    )
    observations: list[Observation] = []

    def observed() -> DataFrame:
        rows = answers.session.range(0, ROWS, 1, 2).selectExpr("id", "id % 5 AS k", TEXT)
        observation = Observation()
        observations.append(observation)
        return READERS[reader](
            rows.observe(observation, functions.count(functions.lit(1)).alias("rows"))
        )

    compare_runs(answers.session, observed)
    assert [observation.get["rows"] for observation in observations] == [ROWS] * len(observations)


def test_what_reads_no_observed_rows_is_accelerated(answers: Answers) -> None:
    from pyspark.sql import Observation, functions

    rows = answers.session.range(0, ROWS, 1, 2).selectExpr("id % 5 AS k", "id")
    frame = (
        rows.groupBy("k")
        .sum("id")
        .observe(Observation(), functions.count(functions.lit(1)).alias("groups"))
        .where("k > 2")
    )
    frame.collect()
    found = broadhead.explain(frame)
    names = [node.name for node in found.nodes if node.accelerated]
    assert "BroadheadHashAggregate" in names, found
    assert any("observed" in reason for reason in found.reasons), found
