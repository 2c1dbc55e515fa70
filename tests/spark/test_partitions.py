"""Partitions that the user has asked for: as many as in Spark, with the same rows in each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

ROWS = 150
"""Few enough for Spark to take all of them as its sample for a range."""

SAME: dict[str, Callable[[DataFrame], DataFrame]] = {
    "read by Spark": lambda t: t.repartition(3, "k"),
    "by two columns": lambda t: t.repartition(5, "s", "d").selectExpr("k + 1", "s", "d"),
    "by range": lambda t: t.repartitionByRange(3, "id").selectExpr("id + 1"),
    "by descending range": lambda t: t.repartitionByRange(
        4, t.s.desc_nulls_first(), "id"
    ).selectExpr("s", "id + 1"),
    "in order": lambda t: t.repartition(3, "k").sortWithinPartitions("id").selectExpr("id + 1"),
    "groups": lambda t: t.groupBy("k").count().repartition(3, "k").selectExpr("k", "count + 1"),
    "not put together": lambda t: t.groupBy("k").count().groupBy("count").sum("k"),
}
EVEN: dict[str, tuple[Callable[[DataFrame], DataFrame], int]] = {
    "in turn": (lambda t: t.repartition(4).selectExpr("id + 1"), 4),
    "coalesced": (lambda t: t.repartition(6, "id").coalesce(2).selectExpr("id + 1"), 2),
}


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path: Path = tmp_path_factory.mktemp("partitions") / "t"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.range(0, ROWS, 1, 3).selectExpr(
            "id",
            "id % 7 AS k",
            "nullif(concat('t', id % 13), 't3') AS s",
            "CAST(id % 50 AS DECIMAL(20,2)) AS d",
        ).write.parquet(str(path))
    return answers.session.read.parquet(str(path))


def partitions(answers: Answers, frame: DataFrame, *, ours: bool) -> list[list[str]]:
    """The rows of each partition, in an order of their own."""
    with configured(answers.session, {"spark.broadhead.enabled": str(ours).lower()}):
        # Spark plans a frame once.
        frame = frame.select("*")
        assert ("Broadhead" in plan_of(frame)) == ours
        return [sorted(map(repr, rows)) for rows in frame.rdd.glom().collect()]


@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
def test_the_same_rows_in_each(
    answers: Answers,
    configuration: Callable[..., None],
    table: DataFrame,
    make: Callable[[DataFrame], DataFrame],
) -> None:
    configuration(spark__sql__adaptive__coalescePartitions__enabled="false")
    frame = make(table)
    assert partitions(answers, frame, ours=True) == partitions(answers, frame, ours=False)


@pytest.mark.parametrize(("make", "count"), EVEN.values(), ids=EVEN)
def test_as_many_rows_in_each(
    answers: Answers, table: DataFrame, make: Callable[[DataFrame], DataFrame], count: int
) -> None:
    """Which rows come together hangs on the order of rows and the places of blocks."""
    frame = make(table)
    expected = partitions(answers, frame, ours=False)
    found = partitions(answers, frame, ours=True)
    assert len(found) == len(expected) == count
    assert sorted(chain(*found)) == sorted(chain(*expected))
    lengths = list(map(len, found))
    assert max(lengths) - min(lengths) <= ROWS / 10
