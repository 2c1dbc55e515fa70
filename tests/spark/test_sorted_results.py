"""Orders and limits as users see them: every way to get rows, in the order of the query."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql.functions import desc

from broadhead.explanation import explain
from spark.answers import Answers
from sql_runs import is_nightly
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ROWS = 20_000
ORDERED = [
    "SELECT * FROM sorted_rows ORDER BY k DESC NULLS LAST, i",
    "SELECT i, s FROM sorted_rows ORDER BY s, d, i LIMIT 300",
    "SELECT i, upper(s) AS u FROM sorted_rows WHERE k > 3 ORDER BY d DESC, i LIMIT 50 OFFSET 20",
    "SELECT i, r FROM sorted_rows ORDER BY r DESC, a NULLS LAST, i",
    "SELECT k, count(*) AS n FROM sorted_rows GROUP BY k ORDER BY n, k LIMIT 5",
    "SELECT i FROM sorted_rows ORDER BY i OFFSET 19995",
    "SELECT i FROM (SELECT i, s FROM sorted_rows ORDER BY i LIMIT 100) ORDER BY s, i LIMIT 10",
]

FEW = "(SELECT * FROM sorted_rows WHERE i < 3000 LIMIT 1500)"
NEEDING_NO_SORT = [
    f"SELECT s, max(repeat(s, 2)) AS m FROM {FEW} GROUP BY s ORDER BY s",
    f"SELECT s FROM {FEW} GROUP BY s HAVING max(repeat(s, 2)) > 'text 5' ORDER BY s",
    f"SELECT /*+ MERGE(b) */ a.i, b.i FROM {FEW} a JOIN {FEW} b ON a.i = b.i ORDER BY a.i",
    f"SELECT /*+ MERGE(b) */ b.i, a.s FROM {FEW} a LEFT JOIN {FEW} b ON a.i = b.i ORDER BY a.i",
    f"SELECT /*+ MERGE(b) */ a.i + 1 FROM {FEW} a SEMI JOIN {FEW} b ON a.i = b.i ORDER BY a.i",
    "SELECT /*+ MERGE(b) */ a.i FROM sorted_rows a JOIN sorted_rows b ON a.i = b.i SORT BY a.i",
]


@pytest.fixture(scope="module")
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    path: Path = tmp_path_factory.mktemp("sorted") / "rows"
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        frame = session.range(0, ROWS, 1, 7).selectExpr(
            "(id * 7919) % 20000 AS i",
            "IF(id % 13 = 0, NULL, CAST(id % 11 AS INT)) AS k",
            "IF(id % 17 = 0, NULL, concat('text ', CAST(id % 101 AS STRING))) AS s",
            "CASE id % 7 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') ELSE (id % 53) / 7 END AS d",
            "named_struct('n', nullif(id % 5, 2), 'd', IF(id % 3 = 0, -0.0D, id % 4 / 2)) AS r",
            "IF(id % 19 = 0, NULL, slice(array('a', NULL, 'b'), 1, CAST(id % 4 AS INT))) AS a",
        )
        frame.write.parquet(str(path))
    session.read.parquet(str(path)).createOrReplaceTempView("sorted_rows")


def both(answers: Answers, ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What Spark and what Broadhead answer."""
    found = []
    for enabled in ("false", "true"):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found.append(repr(ask()))
    return found[0], found[1]


WAYS: dict[str, Callable[[DataFrame], Any]] = {
    "collect": lambda frame: frame.collect(),
    "toArrow": lambda frame: frame.toArrow().to_pylist(),
    "toLocalIterator": lambda frame: list(frame.toLocalIterator()),
    "take": lambda frame: frame.take(7),
    "head": lambda frame: frame.head(),
    "tail": lambda frame: frame.tail(5),
    "isEmpty": lambda frame: frame.isEmpty(),
    "count": lambda frame: frame.count(),
    "limit": lambda frame: frame.limit(9).collect(),
    "offset": lambda frame: frame.offset(3).limit(4).collect(),
    "show": lambda frame: frame._jdf.showString(6, 20, False),
}


def in_turn(queries: list[str]) -> list[object]:
    """The queries with adaptive execution and without; by day by turns."""
    return [
        pytest.param(
            *(sql, adaptive), marks=[] if (number + turn) % 2 == 0 else pytest.mark.nightly
        )
        for number, sql in enumerate(queries)
        for turn, adaptive in enumerate(("true", "false"))
    ]


@pytest.mark.parametrize(("sql", "adaptive"), in_turn(ORDERED))
@pytest.mark.usefixtures("rows")
def test_rows_come_in_order(answers: Answers, sql: str, adaptive: str) -> None:
    """By day each query takes a quarter of the ways."""
    ways = list(WAYS.items())
    if not is_nightly():
        ways = ways[ORDERED.index(sql) % 4 :: 4]
    with configured(answers.session, {"spark.sql.adaptive.enabled": adaptive}):
        for name, way in ways:
            expected, actual = both(answers, lambda way=way: way(answers.session.sql(sql)))
            assert actual == expected, f"{name} of {sql}"


@pytest.mark.parametrize(("sql", "adaptive"), in_turn(NEEDING_NO_SORT))
@pytest.mark.usefixtures("rows")
def test_order_where_spark_needs_no_sort(answers: Answers, sql: str, adaptive: str) -> None:
    keys = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.autoBroadcastJoinThreshold": "-1"}
    with configured(answers.session, keys):
        expected, actual = both(answers, lambda: answers.session.sql(sql).collect())
        assert actual == expected


PARTED = "(SELECT /*+ REPARTITION(2, k) */ k, i, s FROM sorted_rows)"
BY_KEY = f"(SELECT * FROM {PARTED} SORT BY k, i)"
BACKWARDS = f"(SELECT * FROM {PARTED} SORT BY k, i DESC)"
KEYS = "(SELECT k FROM sorted_rows GROUP BY k)"
FIRST_ROWS = [
    f"SELECT k, first(s) AS f, last(i) AS l FROM {BY_KEY} GROUP BY k",
    f"SELECT k, first(s, true) AS f, last(i) AS l FROM {BACKWARDS} GROUP BY k",
    f"SELECT k, max(s) AS m, first(i) AS l FROM {BACKWARDS} GROUP BY k HAVING max(s) > 'text 5'",
    f"SELECT first(s) AS f FROM (SELECT s FROM {PARTED} SORT BY s NULLS LAST)",
]
FIRST_ROWS_OF_JOINS = [
    f"SELECT /*+ MERGE(b) */ a.k, first(a.s) AS f, last(a.i) AS l FROM {BY_KEY} a JOIN {KEYS} b "
    "ON a.k = b.k GROUP BY a.k",
    f"SELECT /*+ MERGE(a) */ a.k, first(a.s) AS f, last(a.i) AS l FROM {BACKWARDS} a "
    f"LEFT JOIN {KEYS} b ON a.k = b.k GROUP BY a.k",
]


@pytest.mark.parametrize(("sql", "adaptive"), in_turn(FIRST_ROWS))
@pytest.mark.usefixtures("rows")
def test_first_rows_of_groups_that_were_sorted(answers: Answers, sql: str, adaptive: str) -> None:
    with configured(
        answers.session,
        {"spark.sql.adaptive.enabled": adaptive, "spark.sql.autoBroadcastJoinThreshold": "-1"},
    ):
        answers.same_rows(lambda session: session.sql(sql))


@pytest.mark.parametrize("sql", FIRST_ROWS_OF_JOINS)
@pytest.mark.usefixtures("rows")
def test_first_rows_of_joins_of_what_was_sorted(answers: Answers, sql: str) -> None:
    if os.environ["BROADHEAD_TEST_DEVICE"] == "gpu":
        pytest.skip("joins give their rows in no order on a GPU")
    with configured(answers.session, {"spark.sql.autoBroadcastJoinThreshold": "-1"}):
        answers.same_rows(lambda session: session.sql(sql))


@pytest.mark.usefixtures("rows")
def test_rows_left_by_drop_duplicates(answers: Answers) -> None:
    def latest(session: SparkSession) -> DataFrame:
        frame = session.table("sorted_rows").select("k", "i", "s").repartition(2, "k")
        return frame.sortWithinPartitions("k", desc("i")).dropDuplicates(["k"])

    found = answers.same_rows(latest)
    assert found.count() == 12


@pytest.mark.usefixtures("rows")
def test_files_are_sorted_where_spark_needs_no_sort(answers: Answers, tmp_path: Path) -> None:
    frame = answers.session.sql(
        "SELECT /*+ MERGE(b) */ a.i, b.s FROM sorted_rows a JOIN sorted_rows b ON a.i = b.i"
    )
    frame.sortWithinPartitions("i").write.parquet(str(tmp_path / "joined"))
    files = list((tmp_path / "joined").glob("*.parquet"))
    numbers = [pq.read_table(file).column("i").to_pylist() for file in files]
    assert sum(map(len, numbers)) == ROWS
    assert all(found == sorted(found) for found in numbers)


@pytest.mark.usefixtures("rows")
def test_spilled_sorts(answers: Answers, configuration: Callable[..., None]) -> None:
    configuration(spark__broadhead__operatorMemory="64k")
    for sql in ORDERED[:2]:
        expected, actual = both(answers, lambda sql=sql: answers.session.sql(sql).collect())
        assert actual == expected


@pytest.mark.usefixtures("rows")
def test_limits_read_few_partitions(answers: Answers) -> None:
    frame = answers.session.table("sorted_rows").where("k >= 0").limit(3)
    assert len(frame.collect()) == 3
    explanation = explain(frame)
    assert explanation.accelerated == explanation.total, explanation
    scanned = [
        node for node in _nodes(frame._jdf.queryExecution().executedPlan()) if "Scan" in node[0]
    ]
    assert 0 < sum(count for _, count in scanned) < ROWS


@pytest.mark.usefixtures("rows")
def test_limits_leave_workers_for_the_next_query(answers: Answers) -> None:
    frame = answers.session.table("sorted_rows").where("k >= 0").limit(3)
    frame.collect()
    before = answers.worker_pids()
    for _ in range(3):
        frame.limit(2).collect()
    assert before <= answers.worker_pids()


def _nodes(plan: Any) -> list[tuple[str, int]]:
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        return _nodes(plan.executedPlan())
    if kind.endswith("QueryStageExec"):
        return _nodes(plan.plan())
    metric = plan.metrics().get("numOutputRows")
    found = [(plan.nodeName(), metric.get().value() if metric.isDefined() else 0)]
    children = plan.children()
    for i in range(children.size()):
        found += _nodes(children.apply(i))
    return found
