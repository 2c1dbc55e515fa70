"""Cached tables: kept as Arrow, read by fragments without rows, and the same as Spark's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING

import pytest

from night import at_night
from spark.answers import Answers, plan_of
from spark.test_row_sources import every_type
from sql_sessions import answer_of, compare, configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPARK_ONLY = {"spark.broadhead.enabled": "false"}


@pytest.fixture
def cached(answers: Answers) -> Iterator[Callable[..., DataFrame]]:
    """Caches frames until the test ends."""
    from pyspark import StorageLevel

    frames: list[DataFrame] = []

    def cache(
        frame: DataFrame, level: StorageLevel | None = None, *, count: bool = True
    ) -> DataFrame:
        frames.append(frame.persist(level) if level else frame.cache())
        if count:
            frame.count()
        return frame

    yield cache
    for frame in frames:
        frame.unpersist(blocking=True)


def sorted_rows(frame: DataFrame) -> list[str]:
    """The rows as text, in one order."""
    return sorted(map(repr, frame.collect()))


def expected_rows(answers: Answers, make: Callable[[SparkSession], DataFrame]) -> list[str]:
    """What Spark alone gives."""
    with configured(answers.session, SPARK_ONLY):
        return sorted_rows(make(answers.session))


def test_every_type(answers: Answers, cached: Callable[..., DataFrame]) -> None:
    expected = expected_rows(answers, lambda spark: every_type(spark, 3000, 3))
    frame = cached(every_type(answers.session, 3000, 3))
    assert sorted_rows(frame) == expected
    with configured(answers.session, SPARK_ONLY):
        assert sorted_rows(frame.select("*")) == expected
    answers.same_rows(lambda _: frame.where("id % 5 < 3"))


BY_DAY = {
    (None, "true", True),
    ("7", "false", True),
    ("7", "true", False),
    ("1000", "false", False),
}
"""Each value of a key with both sources, and each size but the default one of batches."""


@pytest.mark.parametrize(
    ("batch", "compressed", "from_rows"),
    [
        pytest.param(*keys, marks=[] if keys in BY_DAY else pytest.mark.nightly)
        for keys in product((None, "7", "1000"), ("true", "false"), (True, False))
    ],
)
def test_sparks_own_keys(
    answers: Answers,
    configuration: Callable[..., None],
    cached: Callable[..., DataFrame],
    tmp_path: object,
    batch: str | None,
    compressed: str,
    *,
    from_rows: bool,
) -> None:
    configuration(spark__sql__inMemoryColumnarStorage__compressed=compressed)
    if batch:
        configuration(spark__sql__inMemoryColumnarStorage__batchSize=batch)
    source = every_type(answers.session, 100, 2)
    if not from_rows:
        with configured(answers.session, SPARK_ONLY):
            source.write.parquet(f"{tmp_path}/types")
        source = answers.session.read.parquet(f"{tmp_path}/types").where("id >= 0")
    expected = expected_rows(answers, lambda _: source)
    frame = cached(source)
    assert sorted_rows(frame) == expected
    answers.same_rows(lambda _: frame.select("string", "id", "map").where("id < 50"))
    answers.same_rows(lambda _: frame.groupBy("boolean").count())


@pytest.mark.parametrize(
    "level",
    ["MEMORY_ONLY", "DISK_ONLY", "OFF_HEAP"]
    + [
        pytest.param(level, marks=pytest.mark.nightly)
        for level in ("MEMORY_AND_DISK", "MEMORY_AND_DISK_2")
    ],
)
def test_storage_levels(answers: Answers, cached: Callable[..., DataFrame], level: str) -> None:
    from pyspark import StorageLevel

    frame = cached(every_type(answers.session, 500, 2), getattr(StorageLevel, level))
    answers.same_rows(lambda _: frame.where("id < 400"))


@pytest.mark.parametrize(
    "condition",
    [
        "integer < 100",
        pytest.param("long = 1234567890123", marks=pytest.mark.nightly),
        pytest.param("short >= 900", marks=pytest.mark.nightly),
        "string > 'é€😀29'",
        "double > 5",
        pytest.param("float <= 0", marks=pytest.mark.nightly),
        pytest.param("decimal_wide > 0", marks=pytest.mark.nightly),
        pytest.param("decimal_long < -2990", marks=pytest.mark.nightly),
        "date < DATE'0003-01-01'",
        pytest.param("days > INTERVAL '-40' DAY", marks=pytest.mark.nightly),
        "instant IS NULL",
        pytest.param("boolean AND id > 2900", marks=pytest.mark.nightly),
        pytest.param("binary = CAST('7' AS BINARY)", marks=pytest.mark.nightly),
        "nested = named_struct('a', 5L, 'b', array(0.5))",
        pytest.param("array IS NOT NULL AND integer IN (1, 2999)", marks=pytest.mark.nightly),
        pytest.param("string LIKE 'é€😀1%'", marks=pytest.mark.nightly),
    ],
)
def test_pruning_keeps_every_match(
    answers: Answers,
    configuration: Callable[..., None],
    cached: Callable[..., DataFrame],
    condition: str,
) -> None:
    configuration(spark__sql__inMemoryColumnarStorage__batchSize="50")
    expected = expected_rows(answers, lambda spark: every_type(spark, 3000, 3).where(condition))
    frame = cached(every_type(answers.session, 3000, 3))
    assert sorted_rows(frame.where(condition)) == expected
    with configured(answers.session, SPARK_ONLY):
        assert sorted_rows(frame.where(condition)) == expected


def test_months(
    answers: Answers, configuration: Callable[..., None], cached: Callable[..., DataFrame]
) -> None:
    """Which `every_type` lacks, since no row of Python can have them."""

    def make(spark: SparkSession) -> DataFrame:
        months = "nullif(make_ym_interval(0, CAST(id - 150 AS INT)), INTERVAL '7' MONTH)"
        years = f"if(id % 3 = 0, NULL, array(CAST({months} AS INTERVAL YEAR)))"
        return spark.range(0, 300, 1, 2).selectExpr("id", f"{months} AS m", f"{years} AS years")

    configuration(spark__sql__inMemoryColumnarStorage__batchSize="50")
    with configured(answers.session, SPARK_ONLY):
        expected = answer_of(make(answers.session).where("m > INTERVAL '-2' YEAR"))
    frame = cached(make(answers.session))
    for enabled in ("true", "false"):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found = frame.where("m > INTERVAL '-2' YEAR")
            compare(expected, answer_of(found), 0.0)
            assert ("BroadheadFilter" in plan_of(found)) == (enabled == "true")


def test_batches_that_cannot_match_are_not_read(
    answers: Answers, configuration: Callable[..., None], cached: Callable[..., DataFrame]
) -> None:
    configuration(spark__sql__inMemoryColumnarStorage__batchSize="100")
    frame = cached(answers.session.range(0, 10000, 1, 1).selectExpr("id", "id * 2 AS n"))
    found = frame.where("id < 150")
    assert found.count() == 150
    plan = found._jdf.queryExecution().executedPlan()
    found.collect()
    while not plan.nodeName().startswith("InMemoryTableScan"):
        inner = {"AdaptiveSparkPlan": "executedPlan", "TableCacheQueryStage": "plan"}
        step = inner.get(plan.nodeName())
        plan = getattr(plan, step)() if step else plan.children().apply(0)
    assert plan.metrics().apply("numOutputRows").value() == 200


def test_fragments_over_a_cached_table_pay(
    answers: Answers, configuration: Callable[..., None], cached: Callable[..., DataFrame]
) -> None:
    configuration(spark__broadhead__costModel__enabled="true")
    frame = cached(answers.session.range(1000).selectExpr("id % 7 AS k", "id AS v"))
    totals = frame.where("v > 10").groupBy("k").sum("v")
    assert plan_of(totals).count("BroadheadHashAggregate") == 2
    answers.same_rows(lambda _: totals)


def test_types_that_arrow_has_no_layout_for(
    answers: Answers, cached: Callable[..., DataFrame]
) -> None:
    sql = (
        "SELECT id, make_interval(0, 1, 0, id) AS c, INTERVAL '1' MONTH * id AS m, "
        "parse_json('{\"a\": 1}') AS v, CAST('a' AS STRING COLLATE UTF8_LCASE) AS l FROM range(20)"
    )
    columns = ("id", "CAST(c AS STRING)", "CAST(m AS STRING)", "CAST(v AS STRING)", "l")
    expected = expected_rows(answers, lambda spark: spark.sql(sql).selectExpr(*columns))
    frame = cached(answers.session.sql(sql))
    assert sorted_rows(frame.selectExpr(*columns)) == expected
    assert sorted_rows(frame.select("id").where("id > 3")) == sorted_rows(
        answers.session.range(4, 20)
    )


def test_shapes(answers: Answers, cached: Callable[..., DataFrame]) -> None:
    spark = answers.session
    assert cached(spark.range(10).select()).count() == 10
    assert cached(spark.range(0).selectExpr("id", "'a' AS s")).collect() == []
    nulls = cached(spark.range(10).selectExpr("NULL AS n", "CAST(NULL AS INT) AS i"))
    assert sorted_rows(nulls) == ["Row(n=None, i=None)"] * 10
    assert nulls.where("i > 3 OR i IS NULL").count() == 10
    joined = spark.range(100).crossJoin(spark.range(50).withColumnRenamed("id", "k"))
    frame = cached(joined.where("id = k"))
    answers.same_rows(lambda _: frame.where("k < 20"))


@pytest.mark.parametrize("adaptive", ["true", *at_night("false")])
def test_sql(answers: Answers, configuration: Callable[..., None], adaptive: str) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    spark = answers.session
    spark.sql(
        "CACHE TABLE cached_sums AS SELECT id % 5 AS k, count(*) AS n FROM range(99) GROUP BY 1"
    )
    answers.same_rows(lambda s: s.sql("SELECT k, n + 1 FROM cached_sums WHERE n > 3"))
    spark.sql("UNCACHE TABLE cached_sums")
    spark.sql("DROP VIEW cached_sums")


def test_a_users_choice_stays(answers: Answers) -> None:
    key = "spark.sql.cache.serializer"
    serializer = "org.apache.spark.sql.broadhead.cache.BroadheadCachedBatchSerializer"
    assert answers.session.conf.get(key) == serializer
    conf = answers.session._jvm.org.apache.spark.SparkConf(False).set(key, "mine")
    answers.session._jvm.org.apache.spark.sql.broadhead.cache.BroadheadCachedBatchSerializer.install(
        conf
    )
    assert conf.get(key) == "mine"


@pytest.mark.parametrize(
    ("enabled", "adaptive"),
    [
        ("true", "true"),
        ("false", "false"),
        pytest.param("true", "false", marks=pytest.mark.nightly),
        pytest.param("false", "true", marks=pytest.mark.nightly),
    ],
)
def test_types_that_spark_does_not_turn_into_columns(
    answers: Answers,
    cached: Callable[..., DataFrame],
    configuration: Callable[..., None],
    enabled: str,
    adaptive: str,
) -> None:
    sql = (
        "SELECT NULL AS n, array() AS e, struct(CAST('a' AS CHAR(3))) AS c, 'x' COLLATE UTF8_LCASE "
        "AS u, CAST('b' AS VARCHAR(4)) AS v, id % 3 AS k, count(*) AS m FROM range(99) GROUP BY 6"
    )
    preserved = {"spark.sql.preserveCharVarcharTypeInfo": "true"}
    with configured(answers.session, preserved):
        expected = expected_rows(answers, lambda spark: spark.sql(sql))
        configuration(spark__broadhead__enabled=enabled, spark__sql__adaptive__enabled=adaptive)
        # Spark has no functions of frames with such columns.
        frame = cached(answers.session.sql(sql), count=False)
        assert sorted_rows(frame) == expected
        frame.createOrReplaceTempView("kept")
        some = answers.session.sql("SELECT * FROM kept WHERE k > 0")
        assert sorted_rows(some) == [row for row in expected if "k=0" not in row]


def test_structs_with_equal_names(answers: Answers, cached: Callable[..., DataFrame]) -> None:
    sql = "SELECT named_struct('a', id, 'a', struct(id, -id AS id)) AS s, id FROM range(100)"
    expected = expected_rows(answers, lambda spark: spark.sql(sql))
    frame = cached(answers.session.sql(sql))
    assert sorted_rows(frame) == expected
    some = frame.where("id % 7 = 3").repartition(3, "id")
    assert sorted_rows(some) == [row for row in expected if int(row[:-1].rsplit("=")[-1]) % 7 == 3]
    assert "BroadheadFilter" in plan_of(some), plan_of(some)
