"""Joins that give the unmatched rows of the side that they broadcast, and those that must not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers, partitions_of, plan_of
from sql_sessions import metric_total

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    Configure = Callable[..., None]

OUTER = re.compile(
    r"BroadheadBroadcastHashJoin .*(FullOuter|LeftOuter, BuildLeft|RightOuter, BuildRight)"
)
"""A join that broadcasts its outer side, which Spark never does."""
JOINS = {
    "full, left": "SELECT f.*, m.* FROM few f FULL JOIN {} m ON f.k = m.k",
    "full, right": "SELECT f.*, m.* FROM {} m FULL JOIN few f ON f.k = m.k",
    "left": "SELECT f.*, m.* FROM few f LEFT JOIN {} m ON f.k = m.k",
    "right": "SELECT f.*, m.* FROM {} m RIGHT JOIN few f ON f.k = m.k",
}


@pytest.fixture(scope="module", autouse=True)
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`many` and `unsigned` in four files; `few` and `later` are small and have other keys too."""
    folder = tmp_path_factory.mktemp("tables")
    for name in ("many", "unsigned"):
        (folder / name).mkdir()
    for part in range(4):
        keys = pa.array(range(part * 1000, part * 1000 + 1000), pa.int64())
        values = pa.array([f"value {key}" for key in keys.to_pylist()])
        pq.write_table(pa.table({"k": keys, "v": values}), folder / "many" / f"{part}.parquet")
        # The engine leaves files with unsigned numbers to Spark, which reads none of a dictionary.
        other = keys.cast(pa.uint64()) if part == 2 else keys
        path = folder / "unsigned" / f"{part}.parquet"
        pq.write_table(pa.table({"k": other, "v": values}), path, use_dictionary=False)
    later = {"k": pa.array(range(3500, 4500), pa.int64())}
    pq.write_table(pa.table(later), folder / "later.parquet")
    few = {"k": pa.array([5, 5, 2500, -1, None, 3999], pa.int64()), "n": list(range(6))}
    pq.write_table(pa.table(few), folder / "few.parquet")
    views = {"many": "k BIGINT, v STRING", "unsigned": "k BIGINT, v STRING"}
    views |= {"few.parquet": "k BIGINT, n BIGINT", "later.parquet": "k BIGINT"}
    for name, schema in views.items():
        read = answers.session.read.schema(schema).parquet(str(folder / name))
        read.createOrReplaceTempView(name.removesuffix(".parquet"))
    yield
    for name in views:
        answers.session.catalog.dropTempView(name.removesuffix(".parquet"))


@pytest.fixture(autouse=True)
def sizes(configuration: Configure) -> None:
    """Spark takes `many` for a large table, and each of its files is read by a task."""
    configuration(
        spark__sql__sources__fileCompressionFactor="10000",
        spark__sql__autoBroadcastJoinThreshold="80m",
        spark__sql__files__openCostInBytes="1g",
        spark__sql__files__maxPartitionBytes="1g",
    )


@pytest.mark.parametrize("name", JOINS)
def test_the_small_side_is_broadcast(answers: Answers, name: str) -> None:
    frame = answers.same_rows(lambda spark: spark.sql(JOINS[name].format("many")))
    plan = plan_of(frame)
    assert OUTER.search(plan)
    assert "Exchange" not in plan.split("Initial Plan")[0]
    assert partitions_of(frame) == 5
    assert metric_total(frame, "matchTime") > 0


@pytest.mark.parametrize("name", JOINS)
def test_sparks_operators_give_the_same_rows(answers: Answers, name: str) -> None:
    """A file of four is read by Spark, in both fragments."""
    sql = JOINS[name].format("unsigned")
    frame = answers.same_rows(lambda spark: spark.sql(sql), replays=2)
    assert OUTER.search(plan_of(frame))


BALANCED = (
    "SELECT sum(if(coalesce(f.k, m.k) % 2 = 0, 1, -1) * 46116860184273879), count(f.k), count(m.k) "
    "FROM later f FULL JOIN many m ON f.k = m.k"
)
"""Whether it overflows depends on the order of rows, so Spark has to answer."""


def test_sparks_operators_give_the_unmatched_rows(
    answers: Answers, configuration: Configure
) -> None:
    configuration(spark__sql__ansi__enabled="true")
    answers.same_rows(lambda spark: spark.sql(BALANCED), replays=5)


def test_a_broadcast_beyond_the_memory_limit(answers: Answers, configuration: Configure) -> None:
    configuration(spark__broadhead__batchRows="3", spark__broadhead__operatorMemory="20")
    frame = answers.same_rows(lambda spark: spark.sql(JOINS["full, left"].format("many")))
    assert OUTER.search(plan_of(frame))
    assert metric_total(frame, "spilledBytes") > 0


SHUFFLED = {
    "an aggregate": "SELECT * FROM few f FULL JOIN (SELECT k, count(*) c FROM many GROUP BY k) m "
    "ON f.k = m.k",
    "random rows": "SELECT * FROM few f FULL JOIN (SELECT * FROM many WHERE rand(1) < 0.9) m "
    "ON f.k = m.k",
    "two small sides": "SELECT * FROM few f FULL JOIN few m ON f.k = m.k",
    "two large sides": "SELECT * FROM many f FULL JOIN many m ON f.k = m.k",
    "groups above": "SELECT f.k, count(m.v) FROM few f LEFT JOIN many m ON f.k = m.k GROUP BY f.k",
    "windows above": "SELECT *, sum(m.k) OVER (PARTITION BY f.k) FROM many m RIGHT JOIN few f "
    "ON f.k = m.k",
    "a hint": "SELECT /*+ MERGE(f) */ * FROM few f FULL JOIN many m ON f.k = m.k",
}


@pytest.mark.parametrize("name", SHUFFLED)
def test_both_sides_are_shuffled(answers: Answers, name: str) -> None:
    frame = answers.same_rows(lambda spark: spark.sql(SHUFFLED[name]))
    assert not OUTER.search(plan_of(frame))


def test_a_collated_key(answers: Answers) -> None:
    """Spark joins by the collation's keys, and the broadcast has the strings."""
    few = "SELECT concat('VALUE ', k) COLLATE UNICODE_CI AS c FROM few"
    many = "SELECT v COLLATE UNICODE_CI AS c FROM {}"
    sql = f"SELECT f.c, m.c FROM ({few}) f FULL JOIN ({many}) m ON f.c = m.c"
    frame = answers.same_rows(lambda spark: spark.sql(sql.format("many")))
    assert OUTER.search(plan_of(frame))
    answers.same_rows(lambda spark: spark.sql(sql.format("unsigned")))


def test_one_task_has_all_rows(answers: Answers, configuration: Configure) -> None:
    """What is above needs them in one task and no exchange of its own."""
    configuration(spark__sql__shuffle__partitions="1")
    sql = "SELECT count(*), count(f.k), count(m.k) FROM few f FULL JOIN many m ON f.k = m.k"
    answers.same_rows(lambda spark: spark.sql(sql))


def test_a_join_above_the_join(answers: Answers) -> None:
    sql = "SELECT f.k, m.v, n FROM few f FULL JOIN many m USING (k) JOIN few g ON g.k = m.k"
    answers.same_rows(lambda spark: spark.sql(sql.replace("n FROM", "g.n FROM")))


def test_a_limit_of_the_user(answers: Answers, configuration: Configure) -> None:
    configuration(spark__sql__autoBroadcastJoinThreshold="-1")
    frame = answers.same_rows(lambda spark: spark.sql(JOINS["full, left"].format("many")))
    assert not OUTER.search(plan_of(frame))


@pytest.mark.parametrize("operator", ["BroadcastExchange", "BroadcastHashJoin"])
def test_an_operator_that_the_user_switches_off(
    answers: Answers, configuration: Configure, operator: str
) -> None:
    configuration(**{f"spark__broadhead__operator__{operator}__enabled": "false"})
    frame = answers.same_rows(lambda spark: spark.sql(JOINS["full, left"].format("many")))
    assert not OUTER.search(plan_of(frame))


def test_a_side_of_sparks_rows(answers: Answers) -> None:
    """The driver takes them without a worker."""
    rows = [(n * 7, n) for n in range(100)]

    def joined(spark: object) -> DataFrame:
        few = answers.session.createDataFrame(rows, "k BIGINT, n BIGINT")
        return few.join(answers.session.table("many"), "k", "full")

    answers.same_rows(joined)
