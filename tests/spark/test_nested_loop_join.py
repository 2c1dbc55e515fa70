"""Nested loop joins that give rows of the broadcast by themselves, with many tasks and with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers, partitions_of, plan_of
from sql_sessions import configured, metric_total

if TYPE_CHECKING:
    Configure = Callable[..., None]

JOINS = {
    "full, right": "SELECT /*+ BROADCAST(b) */ a.id, b.* FROM many a FULL JOIN few b ON {}",
    "full, left": "SELECT /*+ BROADCAST(b) */ a.id, b.* FROM few b FULL JOIN many a ON {}",
    "left": "SELECT /*+ BROADCAST(b) */ a.id, b.* FROM few b LEFT JOIN many a ON {}",
    "right": "SELECT /*+ BROADCAST(b) */ a.id, b.* FROM many a RIGHT JOIN few b ON {}",
    "semi": "SELECT /*+ BROADCAST(b) */ b.* FROM few b LEFT SEMI JOIN many a ON {}",
    "anti": "SELECT /*+ BROADCAST(b) */ b.* FROM few b LEFT ANTI JOIN many a ON {}",
    "exists": "SELECT /*+ BROADCAST(b) */ b.* FROM few b "
    "WHERE EXISTS (SELECT 1 FROM many a WHERE {}) OR b.v = 4",
}
BY_DAY = ("full, right", "left", "anti", "exists")
SOME = [pytest.param(name, marks=[] if name in BY_DAY else pytest.mark.nightly) for name in JOINS]
"""By day one of two joins whose sides are exchanged, or whose matches are negated."""
ONE = [
    pytest.param(name, marks=[] if name == "full, right" else pytest.mark.nightly) for name in JOINS
]

ONE_TASK = {
    name: sql.replace("many a", "(SELECT /*+ REPARTITION(1) */ * FROM many) a")
    for name, sql in JOINS.items()
}
PAIRS = pa.map_(pa.string(), pa.int64())
CONDITION = "a.id > 495 + b.v"


@pytest.fixture(scope="module", autouse=True)
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`many` in five files, and `few`, which has each row twice."""
    folder = tmp_path_factory.mktemp("tables")
    for name in ("many", "unsigned", "no"):
        (folder / name).mkdir()
    for part in range(5):
        ids = pa.array(range(part * 100, part * 100 + 100), pa.int64())
        pq.write_table(pa.table({"id": ids}), folder / "many" / f"{part}.parquet")
        # The engine leaves files with unsigned numbers to Spark, which reads none of a dictionary.
        other = ids.cast(pa.uint64()) if part == 2 else ids
        path = folder / "unsigned" / f"{part}.parquet"
        pq.write_table(pa.table({"id": other}), path, use_dictionary=False)
    values = pa.array([0, 1, 2, 3, 4, 50, None] * 2, pa.int64())
    pairs = pa.array([[("v", value)] for value in values.to_pylist()], PAIRS)
    pq.write_table(pa.table({"v": values, "m": pairs}), folder / "few.parquet")
    views = dict.fromkeys(("many", "unsigned", "no"), "id BIGINT")
    views["few"] = "v BIGINT, m MAP<STRING, BIGINT>"
    for name, schema in views.items():
        path = folder / ("few.parquet" if name == "few" else name)
        answers.session.read.schema(schema).parquet(str(path)).createOrReplaceTempView(name)
    yield
    for name in views:
        answers.session.catalog.dropTempView(name)


@pytest.fixture(autouse=True, params=["true", pytest.param("false", marks=pytest.mark.nightly)])
def adaptive(request: pytest.FixtureRequest, configuration: Configure) -> None:
    """Runs a test with adaptive execution and at night without, each file in a task of its own.

    By day tests/operators/nested_loop_join.sql runs without it.

    Without a hint only `few` is small enough to be broadcast.
    """
    configuration(
        spark__sql__adaptive__enabled=request.param,
        spark__sql__files__openCostInBytes="1g",
        spark__sql__files__maxPartitionBytes="1g",
        spark__sql__ansi__enabled="true",
        spark__sql__autoBroadcastJoinThreshold="2000",
    )


@pytest.mark.parametrize("name", JOINS)
def test_each_task_has_some_rows_of_the_other_side(answers: Answers, name: str) -> None:
    sql = JOINS[name].format(CONDITION)
    frame = answers.same_rows(lambda spark: spark.sql(sql), known_as=sql)
    assert "BroadheadBroadcastNestedLoopJoin" in plan_of(frame)
    of_broadcast = name in {"semi", "anti", "exists"}
    assert partitions_of(frame) == (1 if of_broadcast else 6)
    assert metric_total(frame, "matchTime") > 0


@pytest.mark.parametrize("name", ONE)
def test_all_rows_in_one_task(answers: Answers, name: str) -> None:
    frame = answers.same_rows(lambda spark: spark.sql(ONE_TASK[name].format(CONDITION)))
    assert "BroadheadBroadcastNestedLoopJoin" in plan_of(frame)
    assert partitions_of(frame) == 1


@pytest.mark.parametrize("queries", [JOINS, ONE_TASK], ids=["many tasks", "one task"])
@pytest.mark.parametrize("name", ONE)
def test_an_error_of_the_condition_is_sparks(
    answers: Answers, queries: dict[str, str], name: str
) -> None:
    """Only one pair has it."""
    sql = queries[name].format("1 / (a.id - 450 - b.v) > 0.2")
    condition = "DIVIDE_BY_ZERO"
    found = [answers.error(lambda spark: spark.sql(sql), enabled=e)[0] for e in (False, True)]
    assert condition in found[0]
    assert found[1] == found[0]


BALANCED = (
    "SELECT sum(if(coalesce(id, v) % 2 = 0, 9223372036854775807, -9223372036854775807)), "
    "count(id), count(v) FROM ({})"
)
"""Whether it overflows depends on the order of rows, so Spark has to answer."""


@pytest.mark.parametrize("queries", [JOINS, ONE_TASK], ids=["many tasks", "one task"])
@pytest.mark.parametrize("name", ["full, right", *at_night("full, left")])
def test_sparks_operators_give_the_rows(
    answers: Answers, queries: dict[str, str], name: str
) -> None:
    """Those of all tasks, that for the rows of the broadcast too."""
    pairs = queries[name].replace("few b", "(SELECT id AS v FROM many WHERE id < 60) b")
    sql = BALANCED.format(pairs.format("a.id + b.v < 0"))
    answers.same_rows(lambda spark: spark.sql(sql), replays=6 if queries is JOINS else 1)


@pytest.mark.parametrize("name", ONE)
def test_sparks_operators_find_the_matches(answers: Answers, name: str) -> None:
    """A file of five is read by Spark, in both fragments where both read it."""
    sql = JOINS[name].replace("many a", "unsigned a").format("a.id BETWEEN 250 AND 250 + b.v")
    of_broadcast = name in {"semi", "anti", "exists"}
    answers.same_rows(lambda spark: spark.sql(sql), replays=1 if of_broadcast else 2)


@pytest.mark.parametrize("name", ONE)
def test_a_side_without_partitions(answers: Answers, name: str) -> None:
    sql = JOINS[name].replace("many a", "no a").format(CONDITION)
    with configured(answers.session, {"spark.sql.adaptive.optimizer.excludedRules": EMPTY}):
        frame = answers.same_rows(lambda spark: spark.sql(sql))
        assert partitions_of(frame) == 1


EMPTY = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


@pytest.mark.parametrize("name", ONE)
def test_a_broadcast_beyond_the_memory_limit(
    answers: Answers, configuration: Configure, name: str
) -> None:
    configuration(spark__broadhead__batchRows="3", spark__broadhead__operatorMemory="20")
    sql = JOINS[name].format(CONDITION)
    frame = answers.same_rows(lambda spark: spark.sql(sql), known_as=sql)
    assert metric_total(frame, "spilledBytes") > 0


def test_no_exchange_is_reused(answers: Answers, configuration: Configure) -> None:
    """Places mean the same in all fragments."""
    configuration(spark__sql__exchange__reuse="false")
    sql = JOINS["full, right"].replace("few b", "(SELECT /*+ REPARTITION(3) */ * FROM few) b")
    sql = sql.replace("many a", "(SELECT /*+ REPARTITION(4) */ * FROM many) a")
    answers.same_rows(lambda spark: spark.sql(sql.format(CONDITION)))


def test_an_aggregate_of_small_shuffles(answers: Answers) -> None:
    """One task would read the shuffles, but the join has one more."""
    grouped = "(SELECT id % 7 AS id, count(*) AS n FROM many GROUP BY 1)"
    sql = JOINS["full, right"].replace("many", grouped).format("a.id > b.v + 2")
    answers.same_rows(lambda spark: spark.sql(f"SELECT v, count(id) FROM ({sql}) GROUP BY v"))
    answers.same_rows(lambda spark: spark.sql(f"SELECT count(*), sum(id) FROM ({sql})"))


def test_a_collated_column_of_the_broadcast(answers: Answers) -> None:
    few = "(SELECT v, CAST(v AS STRING) COLLATE UNICODE_CI AS c FROM few) b"
    sql = JOINS["full, right"].replace("few b", few).replace("b.*", "b.c").format(CONDITION)
    answers.same_rows(lambda spark: spark.sql(sql))


def test_a_spark_operator_above_takes_the_plan_along(answers: Answers) -> None:
    """Spark's closures capture their plan, which must be serializable with our nodes in it."""
    bars = "size(histogram_numeric(a.id, 2))"
    sql = f"SELECT {bars}, count(b.v) FROM many a FULL JOIN few b ON a.id < b.v"
    plan = plan_of(answers.same_rows(lambda spark: spark.sql(sql)))
    assert "BroadheadBroadcastNestedLoopJoin" in plan
