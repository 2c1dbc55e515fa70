"""Broadcasts: what the engine and Spark's own operators read, reuse, limits, pruning."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Configure = Callable[..., None]

FACTS = 4000
SIZE = re.compile(r": [0-9.]+ [KMG]?i?B\.?")


@pytest.fixture(scope="module")
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`facts` in a folder for each day, `days` and `shops`, as views over Parquet."""
    spark = answers.session
    folder = tmp_path_factory.mktemp("tables")
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(FACTS).selectExpr(
            "id", "id % 37 AS shop", "CAST(id AS DECIMAL(12,2)) / 8 AS price", "id % 20 AS day"
        ).write.partitionBy("day").parquet(str(folder / "facts"))
        spark.range(20).selectExpr(
            "id AS day", "if(id % 5 = 0, NULL, concat('d', id % 4)) AS name", "id % 4 AS kind"
        ).write.parquet(str(folder / "days"))
        spark.range(50).selectExpr(
            "id AS shop", "nullif(id % 7, 3) AS region", "CAST(id AS STRING) AS label"
        ).write.parquet(str(folder / "shops"))
    for name in ("facts", "days", "shops"):
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    yield
    for name in ("facts", "days", "shops"):
        spark.catalog.dropTempView(name)


@pytest.fixture(params=["true", "false"], ids=["adaptive", "static"])
def adaptive(request: pytest.FixtureRequest, configuration: Configure) -> str:
    """Runs a test with adaptive execution and without."""
    configuration(spark__sql__adaptive__enabled=request.param)
    return str(request.param)


ONE_MODE = pytest.mark.parametrize(
    "adaptive",
    ["true", pytest.param("false", marks=pytest.mark.nightly)],
    indirect=True,
    ids=["adaptive", "static"],
)


def in_turn(queries: dict[str, str]) -> list[object]:
    """The queries with adaptive execution and without; by day by turns."""
    return [
        pytest.param(
            *(sql, adaptive),
            id=f"{name}-{'adaptive' if adaptive == 'true' else 'static'}",
            marks=[] if (number + turn) % 2 == 0 else pytest.mark.nightly,
        )
        for number, (name, sql) in enumerate(queries.items())
        for turn, adaptive in enumerate(("true", "false"))
    ]


def nodes_of(frame: DataFrame, name: str) -> list[Any]:
    """The operators of a name in the plan that ran, those in stages and subqueries too."""
    found: list[Any] = []

    def walk(plan: Any) -> None:
        kind = plan.getClass().getSimpleName()
        if kind == "AdaptiveSparkPlanExec":
            walk(plan.executedPlan())
        elif kind.endswith("QueryStageExec"):
            walk(plan.plan())
        else:
            if kind == name:
                found.append(plan)
            for children in (plan.children(), plan.subqueries()):
                for index in range(children.size()):
                    walk(children.apply(index))

    walk(frame._jdf.queryExecution().executedPlan())
    return found


def metric(node: Any, name: str) -> int:
    return int(node.metrics().apply(name).value())


QUERIES = {
    "inner": "SELECT sum(price), count(*) FROM facts JOIN shops USING (shop) WHERE region = 2",
    "left": "SELECT region, sum(id) FROM facts LEFT JOIN (SELECT * FROM shops WHERE shop < 9) "
    "USING (shop) GROUP BY region",
    "rows": "SELECT id, label FROM facts JOIN shops USING (shop) WHERE region IS NULL",
    "semi": "SELECT sum(id) FROM facts LEFT SEMI JOIN (SELECT * FROM shops WHERE region = 1) s "
    "ON facts.shop = s.shop",
    "anti": "SELECT sum(id) FROM facts WHERE shop NOT IN (SELECT region FROM shops)",
    "anti without nulls": "SELECT sum(id) FROM facts WHERE shop NOT IN "
    "(SELECT region FROM shops WHERE region IS NOT NULL)",
    "empty": "SELECT sum(id) FROM facts JOIN shops USING (shop) WHERE region > 100",
    "unequal": "SELECT count(*) FROM facts JOIN shops ON facts.shop < shops.region",
    "twice": "SELECT count(*) FROM facts f JOIN shops a ON f.shop = a.shop "
    "JOIN shops b ON f.day = b.shop",
    "small of Spark": "SELECT sum(price) FROM facts JOIN "
    "(SELECT explode(sequence(0, 9)) AS shop) USING (shop)",
}


@pytest.mark.usefixtures("tables", "adaptive")
@pytest.mark.parametrize(("sql", "adaptive"), in_turn(QUERIES), indirect=["adaptive"])
def test_joins_over_a_broadcast(answers: Answers, sql: str) -> None:
    answers.same_rows(lambda spark: spark.sql(sql))


@pytest.mark.usefixtures("tables", "adaptive")
@ONE_MODE
def test_the_same_broadcast_is_made_once(answers: Answers) -> None:
    sql = (
        "SELECT count(*) FROM facts f JOIN shops a ON f.shop = a.shop JOIN shops b "
        "ON f.day = b.shop"
    )
    frame = answers.same_rows(lambda spark: spark.sql(sql))
    exchanges = nodes_of(frame, "BroadheadBroadcastExchange")
    assert len(exchanges) + len(nodes_of(frame, "ReusedExchangeExec")) == 2, plan_of(frame)
    assert len(exchanges) == 1, plan_of(frame)
    assert metric(exchanges[0], "numOutputRows") == 50


BALANCED = "sum(if(id div 20 % 2 = 0, 9223372036854775807, -9223372036854775807))"
"""Whether it overflows depends on the order of rows, so Spark has to answer."""

REPLAYED = {
    "hash": f"SELECT {BALANCED} FROM facts JOIN shops USING (shop)",
    "outer": f"SELECT {BALANCED} FROM facts LEFT JOIN shops USING (shop)",
    "unequal": f"SELECT {BALANCED} FROM facts JOIN (SELECT * FROM shops WHERE shop = 1) s "
    "ON facts.shop > s.region - 100",
    "not in": f"SELECT {BALANCED} FROM facts WHERE shop NOT IN "
    "(SELECT region + 100 FROM shops WHERE region IS NOT NULL)",
}


@pytest.mark.usefixtures("tables", "adaptive")
@pytest.mark.parametrize(("sql", "adaptive"), in_turn(REPLAYED), indirect=["adaptive"])
def test_sparks_own_join_reads_the_broadcast(
    answers: Answers, configuration: Configure, sql: str
) -> None:
    configuration(spark__sql__ansi__enabled="true")
    frame = answers.same_rows(lambda spark: spark.sql(sql), replays=None)
    assert replayed(frame) > 0, plan_of(frame)
    assert len(nodes_of(frame, "BroadheadBroadcastExchange")) == 1, plan_of(frame)


@pytest.mark.usefixtures("tables", "adaptive")
def test_replay_reads_the_broadcast(answers: Answers, configuration: Configure) -> None:
    configuration(spark__sql__ansi__enabled="true")
    answers.same_error(
        lambda spark: spark.sql(
            "SELECT sum(1 div (id - 3999)) FROM facts JOIN shops USING (shop) WHERE label > ''"
        ),
        "DIVIDE_BY_ZERO",
    )


PRUNED = {
    "one key": "SELECT sum(price) FROM facts JOIN days USING (day) WHERE kind = 1",
    "above an aggregate": "SELECT sum(s) FROM (SELECT day, sum(price) AS s FROM facts GROUP BY day)"
    " JOIN days USING (day) WHERE kind = 1",
    "an expression": "SELECT count(*) FROM facts JOIN days ON facts.day = days.day + 1 "
    "WHERE kind = 2",
    "nothing left": "SELECT count(*) FROM facts JOIN days USING (day) WHERE kind = 9",
}


@pytest.mark.usefixtures("tables", "adaptive")
@pytest.mark.parametrize(("sql", "adaptive"), in_turn(PRUNED), indirect=["adaptive"])
def test_partitions_are_pruned_as_by_spark(
    answers: Answers, configuration: Configure, sql: str
) -> None:
    # Adaptive execution would drop the join, and its scans with it, where nothing is left.
    configuration(
        spark__sql__adaptive__optimizer__excludedRules=(
            "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
        )
    )
    spark = answers.session
    ours = answers.same_rows(lambda _: spark.sql(sql), replays=None)
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        theirs = spark.sql(sql)
        theirs.collect()
    expected = [pruning(scan) for scan in nodes_of(theirs, "FileSourceScanExec")]
    assert sorted(map(pruning, nodes_of(ours, "BroadheadFileSourceScan"))) == sorted(expected)
    assert max(partitions for _, partitions in expected) < 20, expected
    assert len(nodes_of(ours, "BroadheadBroadcastExchange")) == 1, plan_of(ours)


def pruning(scan: Any) -> tuple[int, int]:
    partitions = scan.metrics().get("numPartitions")
    return metric(scan, "numFiles"), int(partitions.get().value()) if partitions.isDefined() else 0


@pytest.mark.skipif(
    pyspark.__version__.startswith("4.0."), reason="Spark 4.0 cannot set the size of a broadcast"
)
@pytest.mark.usefixtures("tables", "adaptive")
def test_too_large_a_broadcast(answers: Answers, configuration: Configure) -> None:
    """Spark's own error; only the size differs, which Spark takes of its hash table."""
    configuration(spark__sql__maxBroadcastTableSize="1000")
    sql = "SELECT /*+ BROADCAST(b) */ count(*) FROM facts JOIN facts b USING (id)"
    theirs, ours = (
        answers.error(lambda spark: spark.sql(sql), enabled=enabled) for enabled in (False, True)
    )
    assert [SIZE.sub("", line) for line in ours] == [SIZE.sub("", line) for line in theirs]
    assert "Cannot broadcast the table that is larger than 1000.0 B" in str(ours)


@pytest.mark.usefixtures("tables")
def test_a_broadcast_that_takes_too_long(answers: Answers, configuration: Configure) -> None:
    """Adaptive execution waits for its stages as long as they take, so this is without it."""
    configuration(spark__sql__adaptive__enabled="false", spark__sql__broadcastTimeout="1")
    spark = answers.session

    def slow(n: int) -> tuple[int]:
        import time

        time.sleep(3)
        return (n,)

    rows = spark.sparkContext.parallelize(range(2), 1).map(slow)
    frame = spark.createDataFrame(rows, "shop BIGINT")
    answers.same_error(
        lambda _: spark.table("facts").join(frame.hint("broadcast"), "shop"), "broadcast"
    )


@pytest.mark.usefixtures("tables", "adaptive")
@ONE_MODE
def test_runtime_bloom_filters_are_left_out(answers: Answers, configuration: Configure) -> None:
    configuration(
        spark__sql__autoBroadcastJoinThreshold="-1",
        spark__sql__optimizer__runtime__bloomFilter__enabled="true",
        spark__sql__optimizer__runtime__bloomFilter__applicationSideScanSizeThreshold="1",
        spark__sql__optimizer__runtime__bloomFilter__creationSideThreshold="1g",
    )
    sql = "SELECT sum(price) FROM facts JOIN shops USING (shop) WHERE region = 2"
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        assert "might_contain" in plan_of(spark.sql(sql))
    frame = answers.same_rows(lambda _: spark.sql(sql))
    assert "might_contain" not in final_plan(frame), final_plan(frame)
    assert "bloom" not in final_plan(frame)
    assert len(nodes_of(frame, "BroadheadFilter")) == 2


def final_plan(frame: DataFrame) -> str:
    return re.split("== Initial Plan ==", plan_of(frame))[0]


SUBQUERIES = {
    "scalar": "SELECT count(*) FROM facts WHERE id > (SELECT max(shop) FROM shops)",
    "scalar without rows": "SELECT count(*) FROM facts WHERE id > (SELECT max(shop) FROM shops "
    "WHERE shop < 0)",
    "correlated": "SELECT sum(price) FROM facts f WHERE price > (SELECT avg(price) FROM facts g "
    "WHERE g.shop = f.shop)",
    "in a projection": "SELECT shop, shop - (SELECT avg(id) FROM facts) FROM shops",
    "exists": "SELECT count(*) FROM facts f WHERE EXISTS (SELECT 1 FROM shops s "
    "WHERE s.shop = f.shop AND region = 1)",
    "exists or": "SELECT count(*) FROM facts f WHERE id < 9 OR shop IN (SELECT shop FROM shops "
    "WHERE region = 1)",
    "same twice": "SELECT (SELECT max(id) FROM facts), (SELECT max(id) FROM facts) FROM shops",
    "merged": "SELECT (SELECT max(id) FROM facts), (SELECT min(id) FROM facts), shop FROM shops",
    "two columns in": "SELECT count(*) FROM facts "
    "WHERE (shop, day) IN (SELECT shop, region FROM shops)",
}


@pytest.mark.usefixtures("tables", "adaptive")
@pytest.mark.parametrize(("sql", "adaptive"), in_turn(SUBQUERIES), indirect=["adaptive"])
def test_subqueries(answers: Answers, sql: str) -> None:
    answers.same_rows(lambda spark: spark.sql(sql))


@pytest.mark.usefixtures("tables", "adaptive")
@ONE_MODE
def test_the_same_subquery_runs_once(answers: Answers) -> None:
    sql = (
        "SELECT count(*) FROM shops WHERE shop < (SELECT avg(shop) FROM facts) "
        "AND region > (SELECT avg(shop) FROM facts) - 17"
    )
    frame = answers.same_rows(lambda spark: spark.sql(sql))
    scans = [n for n in nodes_of(frame, "BroadheadFileSourceScan") if "facts" in str(n.toString())]
    assert len(scans) == 1 or "ReusedSubquery" in plan_of(frame), plan_of(frame)


def explained(spark: SparkSession, frame: DataFrame) -> Any:
    explain = spark._jvm.org.apache.spark.sql.broadhead.planning.BroadheadExplain
    return json.loads(explain.json(frame._jdf.queryExecution().executedPlan()))


@pytest.mark.usefixtures("tables", "adaptive")
@ONE_MODE
def test_a_broadcast_counts_as_accelerated(answers: Answers) -> None:
    frame = answers.same_rows(lambda spark: spark.sql(QUERIES["inner"]))
    nodes = explained(answers.session, frame)["nodes"]
    broadcasts = [node for node in nodes if "Broadcast" in node["name"]]
    assert {node["name"] for node in broadcasts} == {
        "BroadheadBroadcastExchange",
        "BroadheadBroadcastHashJoin",
    }
    assert all(node["accelerated"] for node in broadcasts)
