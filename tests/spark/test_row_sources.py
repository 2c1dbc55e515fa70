"""Rows that Spark gives to the engine and takes back: every source, every type, every shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from night import half_by_day
from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TYPES = {
    "boolean": "id % 3 = 0",
    "byte": "CAST(id % 100 AS TINYINT)",
    "short": "CAST(id % 1000 AS SMALLINT)",
    "integer": "CAST(id AS INT)",
    "long": "id * 1234567890123",
    "float": "CAST(CASE id % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0.0' ELSE '1.5' END AS FLOAT)",
    "double": "CAST(CASE id % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' ELSE '2' END AS DOUBLE)",
    "decimal_narrow": "CAST(id AS DECIMAL(9,2)) / 8",
    "decimal_long": "CAST(-id AS DECIMAL(18,6))",
    "decimal_wide": "CAST('-99999999999999999999999999999999999999' AS DECIMAL(38,0)) + id",
    "decimal_fraction": "CAST('0.00000000000000000000000000000000000001' AS DECIMAL(38,38))",
    "string": "concat('é€😀', CAST(id AS STRING))",
    "empty": "''",
    "binary": "CAST(CAST(id AS STRING) AS BINARY)",
    "date": "date_add(DATE'0002-01-01', CAST(id * 40 AS INT))",
    "instant": "timestamp_micros(id * 86399999999 - 62000000000000000)",
    "local": "CAST(timestamp_micros(id * 3600000001) AS TIMESTAMP_NTZ)",
    "duration": "make_dt_interval(CAST(id AS INT), 23, 59, 59.999999)",
    "days": "CAST(make_dt_interval(CAST(-id AS INT)) AS INTERVAL DAY)",
    "array": "array(id, NULL, id + 1)",
    "durations": "array(NULL, INTERVAL '-1' SECOND * id)",
    "strings": "array('a', NULL, CAST(id AS STRING))",
    "nested": "named_struct('a', nullif(id, 1), 'b', if(id = 2, NULL, array(0.5)))",
    "map": "map(CAST(id AS STRING), array(named_struct('x', id)), 'n', NULL)",
}
"""SQL of a column over `id`."""


def every_type(spark: SparkSession, rows: int, parts: int) -> DataFrame:
    """A null in every third row of each column."""
    columns = [
        f"CASE WHEN id % 3 <> {number % 3} THEN {sql} END AS {name}"
        for number, (name, sql) in enumerate(TYPES.items())
    ]
    return spark.range(0, rows, 1, parts).selectExpr("id", *columns)


def in_turn(queries: list[str]) -> list[object]:
    """The queries with adaptive execution and without; by day by turns."""
    return [
        pytest.param(sql, adaptive, marks=pytest.mark.nightly if (number + turn) % 2 else [])
        for number, sql in enumerate(queries)
        for turn, adaptive in enumerate(("true", "false"))
    ]


@pytest.fixture(scope="module")
def everything(answers: Answers) -> DataFrame:
    """A cached table, which Spark gives in rows and in columns."""
    frame = every_type(answers.session, 3000, 3).cache()
    frame.count()
    return frame


def source_of(answers: Answers, kind: str, everything: DataFrame) -> DataFrame:
    """The same rows from another operator of Spark."""
    spark = answers.session
    if kind == "cached":
        return everything
    if kind == "rdd":
        return spark.createDataFrame(everything.rdd, everything.schema)
    if kind == "generate":
        return everything.selectExpr("*", "explode(array(0, 1)) AS n").where("n = 1")
    if kind == "union":
        return everything.union(everything)
    return everything.sort("id")


@pytest.mark.parametrize("kind", ["cached", "rdd", "generate", "union", "sort"])
def test_every_type_goes_through(answers: Answers, everything: DataFrame, kind: str) -> None:
    frame = source_of(answers, kind, everything)
    answers.same_rows(lambda _: frame.where("id % 7 < 5"))


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_cached_rows_and_columns(
    answers: Answers, configuration: Callable[..., None], everything: DataFrame, vectorized: str
) -> None:
    configuration(spark__sql__inMemoryColumnarStorage__enableVectorizedReader=vectorized)
    answers.same_rows(lambda _: everything.select("id", "double", "integer").where("id > 10"))


def test_the_order_of_rows_is_kept(answers: Answers, everything: DataFrame) -> None:
    frame = everything.sort("id", ascending=False).selectExpr("id + 1 AS n")
    assert "Broadhead" in plan_of(frame)
    assert [row.n for row in frame.collect()] == list(range(3000, 0, -1))


def test_small_batches(
    answers: Answers, configuration: Callable[..., None], everything: DataFrame
) -> None:
    configuration(spark__broadhead__batchRows="7")
    answers.same_rows(lambda _: everything.where("id % 2 = 0"))


@pytest.mark.parametrize(
    ("adaptive", "zone"), half_by_day(["true", "false"], ["America/St_Johns", "Asia/Kolkata"])
)
def test_time_zones(
    answers: Answers,
    configuration: Callable[..., None],
    everything: DataFrame,
    zone: str,
    adaptive: str,
) -> None:
    configuration(spark__sql__session__timeZone=zone, spark__sql__adaptive__enabled=adaptive)
    answers.same_rows(
        lambda _: (
            everything.selectExpr("CAST(instant AS DATE) AS d", "local", "instant", "id")
            .groupBy("d")
            .agg({"local": "max", "instant": "min", "id": "sum"})
        )
    )


SOURCES = [
    "SELECT id + 1 FROM range(0, 100, 3, 4) WHERE id <> 9",
    "SELECT a + 1, b FROM VALUES (1, 'x'), (NULL, 'y'), (3, NULL) AS t(a, b) WHERE a > 0",
    "SELECT count(*) FROM range(0, 1000, 1, 3) WHERE id % 2 = 0",
    "SELECT count(*), sum(id), max(id) FROM range(0) WHERE id > 0",
    "SELECT id % 3, count(*) FROM range(0) GROUP BY id % 3",
    "SELECT id FROM range(0, 10, 1, 10) WHERE id = 5",
    "SELECT sum(n) FROM (SELECT id, count(*) AS n FROM range(5000) GROUP BY id)",
    "SELECT r.id + l.id FROM range(50) AS l JOIN range(60) AS r ON l.id = r.id",
    "SELECT id, id - (SELECT max(id) FROM range(7)) AS d FROM range(4)",
]


@pytest.mark.parametrize(("sql", "adaptive"), in_turn(SOURCES))
def test_sources(
    answers: Answers, configuration: Callable[..., None], sql: str, adaptive: str
) -> None:
    configuration(
        spark__sql__adaptive__enabled=adaptive,
        spark__sql__optimizer__excludedRules=(
            "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
        ),
    )
    answers.same_rows(lambda spark: spark.sql(sql))


def test_rows_without_columns(answers: Answers, everything: DataFrame) -> None:
    frame = answers.same_rows(lambda _: everything.where("id > 5").selectExpr("1 AS one"))
    assert frame.count() == 2994
    assert everything.where("id > 5").select().count() == 2994


def test_many_columns_and_long_values(answers: Answers) -> None:
    spark = answers.session
    wide = spark.range(0, 400, 1, 2).selectExpr(
        *(f"id + {n} AS c{n}" for n in range(300)), "repeat('x', 50000) AS long"
    )
    rows = spark.createDataFrame(wide.rdd, wide.schema)
    frame = answers.same_rows(lambda _: rows.where("c0 % 2 = 0"))
    assert frame.count() == 200


def test_empty_partitions(answers: Answers) -> None:
    spark = answers.session
    rows = spark.sparkContext.parallelize([(1, "a"), (2, None)], 6)
    frame = spark.createDataFrame(rows, "n INT, s STRING")
    answers.same_rows(lambda _: frame.where("n > 0").selectExpr("n + 1", "s"))
    answers.same_rows(lambda _: frame.groupBy("s").count())


def test_an_error_below_the_fragment_is_the_users_own(answers: Answers) -> None:
    spark = answers.session

    def fail(n: int) -> tuple[int]:
        return (1 // (n - 70),)

    rows = spark.sparkContext.parallelize(range(100), 2).map(fail)
    frame = spark.createDataFrame(rows, "n INT").where("n < 5")
    for enabled in (False, True):
        chain = answers.error(lambda _: frame, enabled=enabled)
        assert "PythonException" in str(chain), chain
    raising = answers.session.range(100).selectExpr("explode(array(1 div (id - 70))) AS n")
    answers.same_error(lambda _: raising.where("n < 5"), "DIVIDE_BY_ZERO")


ONE_FILTERED = "(SELECT id, named_struct('a', id, 'a', struct(-id AS id)) AS s FROM range(9)) WHERE"


REFUSED = [
    "SELECT id % 3, array() AS e, count(*) FROM range(9) GROUP BY 1, 2",
    "SELECT array() AS e, named_struct('n', NULL, 'e', array()) AS n, id FROM range(9) "
    "ORDER BY e, id DESC",
    "SELECT /*+ REPARTITION(3) */ array(array()) AS e, map('a', NULL) AS m, id FROM range(9)",
    "SELECT /*+ BROADCAST(b) */ * FROM range(9) JOIN (SELECT id, array() AS e FROM range(5)) b "
    "USING (id)",
    "SELECT s, count(*) FROM (SELECT named_struct('a', id % 2, 'a', 1) AS s FROM range(9)) "
    "GROUP BY s",
    f"SELECT /*+ REPARTITION(3) */ * FROM {ONE_FILTERED} id > 3",
    f"SELECT * FROM {ONE_FILTERED} id > 3 ORDER BY s DESC",
]


@pytest.mark.parametrize(("sql", "adaptive"), in_turn(REFUSED))
def test_types_that_arrow_or_its_readers_refuse(
    answers: Answers, configuration: Callable[..., None], sql: str, adaptive: str
) -> None:
    """Columns of nulls that may hold none, structs whose fields have equal names."""
    configuration(
        spark__sql__adaptive__enabled=adaptive, spark__broadhead__costModel__enabled="false"
    )
    frame = answers.session.sql(sql)
    rows = sorted(map(repr, frame.collect()))
    assert "Broadhead" in plan_of(frame), plan_of(frame)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        assert sorted(map(repr, answers.session.sql(sql).collect())) == rows
