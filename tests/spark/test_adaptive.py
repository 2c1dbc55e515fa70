"""Adaptive execution over the engine's shuffles: what Spark makes of them, and the same rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import Window
from pyspark.sql.functions import lit, row_number

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 40_000
SKEW = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "1.5",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "10k",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "20k",
    "spark.sql.shuffle.partitions": "4",
}
COALESCED = {"spark.sql.autoBroadcastJoinThreshold": "-1", "spark.sql.shuffle.partitions": "5"}
RUNTIME_BROADCAST = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "1m",
    "spark.sql.shuffle.partitions": "3",
}
NOT_ADAPTIVE = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}
JOIN = "SELECT /*+ {hint}(u) */ t.k, t.id, u.id AS other FROM t {kind} JOIN u ON t.k = u.k"

BY_KEY = "SELECT t.id, u.id AS other FROM t JOIN u ON t.k = u.k"


@pytest.fixture(scope="module", autouse=True)
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`t` with most of its rows under one key, in eight files, and the smaller `u`."""
    folder = tmp_path_factory.mktemp("adaptive")
    session = answers.session
    skewed = [f"IF(id < {ROWS * 3 // 4}, 7, id % 300) AS k", "sha(string(id)) AS s"]
    with configured(session, {"spark.broadhead.enabled": "false"}):
        for name, rows, files, columns in (("t", ROWS, 8, skewed), ("u", 200, 2, ["id AS k"])):
            path = str(Path(folder, name))
            session.range(0, rows, 1, files).selectExpr("id", *columns).write.parquet(path)
            session.read.parquet(path).createOrReplaceTempView(name)
    with configured(session, {"spark.sql.files.maxPartitionBytes": "100k"}):
        yield


def same(answers: Answers, sql: str | Callable[[SparkSession], DataFrame], **keys: str) -> str:
    """The plan that gave Spark's rows."""
    make = sql if callable(sql) else lambda session: session.sql(sql)
    with configured(answers.session, keys):
        return plan_of(answers.same_rows(make)).partition("== Initial Plan ==")[0]


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        ("MERGE", "INNER"),
        ("SHUFFLE_HASH", "LEFT"),
        pytest.param("MERGE", "LEFT", marks=pytest.mark.nightly),
        pytest.param("SHUFFLE_HASH", "INNER", marks=pytest.mark.nightly),
    ],
)
def test_skewed_join(answers: Answers, hint: str, kind: str) -> None:
    """One partition is read in several tasks, each some of the maps."""
    plan = same(answers, JOIN.format(hint=hint, kind=kind), **SKEW)
    assert re.search(r"Broadhead\w+Join\(skew=true\)|skew=true|isSkew", plan), plan
    assert "skewed" in plan, plan


def test_coalesced_partitions(answers: Answers) -> None:
    plan = same(answers, "SELECT k, count(*), max(s) FROM t GROUP BY k", **COALESCED)
    assert "AQEShuffleRead coalesced" in plan, plan


@pytest.mark.parametrize("exchange", ["true", "false"])
def test_partitions_below_a_union_are_coalesced(
    answers: Answers, tmp_path: Path, exchange: str
) -> None:
    """As below Spark's union, also where the shuffle stays with Spark: else 200 files."""
    session = answers.session
    files = {}
    for enabled in ("true", "false"):
        keys = {
            "spark.broadhead.enabled": enabled,
            "spark.broadhead.operator.ShuffleExchange.enabled": exchange,
            "spark.sql.shuffle.partitions": "200",
        }
        with configured(session, keys):
            rows = session.table("t").select("id", "k")
            in_turn = row_number().over(Window.partitionBy("k").orderBy("id"))
            union = rows.withColumn("r", in_turn).union(rows.withColumn("r", lit(0)))
            assert ("BroadheadUnion" in plan_of(union)) == (enabled == "true")
            union.write.parquet(str(tmp_path / enabled))
            files[enabled] = len(list((tmp_path / enabled).glob("*.parquet")))
    assert files["true"] == files["false"] < 20
    both = [session.read.parquet(str(tmp_path / enabled)) for enabled in ("true", "false")]
    assert both[0].exceptAll(both[1]).count() == both[1].exceptAll(both[0]).count() == 0


def test_broadcast_chosen_at_run_time(answers: Answers) -> None:
    plan = same(answers, BY_KEY, **RUNTIME_BROADCAST)
    assert "BroadheadBroadcastHashJoin" in plan, plan
    assert "BroadheadShuffleExchange" in plan, plan


@pytest.mark.parametrize("split_bytes", ["20k", "10m"])
def test_local_reads(answers: Answers, split_bytes: str) -> None:
    """Spark's own join reads a shuffle where it lies: a map's part, or several maps at once."""
    keys = RUNTIME_BROADCAST | {
        "spark.broadhead.operator.BroadcastHashJoin.enabled": "false",
        "spark.sql.files.maxPartitionBytes": split_bytes,
        "spark.sql.files.openCostInBytes": "1",
    }
    plan = same(answers, BY_KEY, **keys)
    assert "AQEShuffleRead local" in plan, plan
    assert "BroadheadShuffleExchange" in plan, plan


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_reused_exchange(answers: Answers, adaptive: str) -> None:
    sql = (
        "WITH g AS (SELECT k, count(*) AS n FROM t GROUP BY k) "
        "SELECT a.k, a.n, b.n AS m FROM g a JOIN g b ON a.k = b.k"
    )
    plan = same(answers, sql, **NOT_ADAPTIVE | {"spark.sql.adaptive.enabled": adaptive})
    assert "ReusedExchange" in plan, plan
    assert "BroadheadShuffleExchange" in plan, plan


HINTS = {
    "REPARTITION(3)": "RoundRobinPartitioning",
    "REPARTITION(3, k)": "hashpartitioning",
    "REPARTITION_BY_RANGE(3, id)": "rangepartitioning",
    "COALESCE(1)": "Coalesce",
    "REBALANCE": "RoundRobinPartitioning",
    "REBALANCE(k)": "hashpartitioning",
}
STATIC_BY_DAY = {"REPARTITION(3)", "REPARTITION_BY_RANGE(3, id)"}


@pytest.mark.parametrize(
    ("hint", "name", "adaptive"),
    [
        *((hint, name, "true") for hint, name in HINTS.items()),
        *(
            pytest.param(
                *(hint, name, "false"), marks=[] if hint in STATIC_BY_DAY else pytest.mark.nightly
            )
            for hint, name in HINTS.items()
        ),
    ],
)
def test_partitioning_hints(answers: Answers, hint: str, name: str, adaptive: str) -> None:
    sql = f"SELECT /*+ {hint} */ id, k, s FROM t WHERE id % 3 = 0"
    keys = {
        "spark.sql.adaptive.enabled": adaptive,
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "50k",
    }
    plan = same(answers, sql, **keys)
    if adaptive == "true" or not hint.startswith("REBALANCE"):
        assert name in plan, plan


def test_rows_in_turn_without_an_order_are_indeterminate(answers: Answers) -> None:
    """Spark then repeats the whole shuffle when a part of it is lost."""
    levels = {}
    session = answers.session
    groups = "SELECT k, count(*) AS n FROM t GROUP BY k"
    with configured(session, NOT_ADAPTIVE):
        for name, frame in {
            "scan": session.table("t").repartition(3),
            "groups": session.sql(groups).repartition(3),
            "hash": session.sql(groups).repartition(3, "n"),
        }.items():
            # A shuffle whose rows Spark's own operators read stays with Spark.
            in_order = frame.sortWithinPartitions("k")
            plan = in_order._jdf.queryExecution().executedPlan()
            while plan.nodeName() != "BroadheadShuffleExchange":
                assert not plan.children().isEmpty(), plan_of(in_order)
                plan = plan.children().head()
            levels[name] = plan.shuffleDependency().rdd().outputDeterministicLevel().toString()
    assert levels == {
        "scan": "DETERMINATE",
        "groups": "INDETERMINATE",
        "hash": "UNORDERED",
    }


def test_rows_of_functions_are_as_determinate_as_sparks(answers: Answers) -> None:
    """Spark ends a query whose rows are indeterminate, if it loses an executor after some rows."""

    def unchanged(batches):
        yield from batches

    session = answers.session
    with configured(session, NOT_ADAPTIVE):
        levels = {}
        for enabled in ("true", "false"):
            with configured(session, {"spark.broadhead.enabled": enabled}):
                groups = session.sql("SELECT k, count(*) AS n FROM t GROUP BY k")
                for name, frame in {
                    "map": groups.mapInArrow(unchanged, "k LONG, n LONG"),
                    "groups": groups.groupBy("n").applyInArrow(lambda rows: rows, "k LONG, n LONG"),
                }.items():
                    query = frame._jdf.queryExecution()
                    assert ("Broadhead" in query.executedPlan().toString()) == (enabled == "true")
                    level = query.toRdd().outputDeterministicLevel().toString()
                    levels.setdefault(enabled, {})[name] = level
    assert levels["true"] == levels["false"] == {"map": "UNORDERED", "groups": "UNORDERED"}
