"""Data frames whose rows Python makes: lists, pandas' frames, RDDs with functions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    Make = Callable[[SparkSession], DataFrame]

INSTANT = dt.datetime(2024, 2, 29, 23, 59, 59, 999999)

OF_EVERY_TYPE: dict[str, list[Any]] = {
    "boolean": [True, False, None],
    "tinyint": [-128, 127, None],
    "smallint": [-32768, 32767, None],
    "int": [-(2**31), 2**31 - 1, None],
    "bigint": [-(2**63), 2**63 - 1, None],
    "float": [0.1, float("nan"), -0.0, None],
    "double": [0.1, float("-inf"), -0.0, None],
    "decimal(5,2)": [Decimal("1.5"), Decimal("-999.99"), None],
    "decimal(38,10)": [Decimal("1234567890123456789.5"), None],
    "string": ["", "é€😀\0", "x" * 70000, None],
    "binary": [b"", b"\xff\0", bytearray(b"ab"), None],
    "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None],
    "timestamp": [INSTANT, dt.datetime(1900, 1, 1), None],
    "timestamp_ntz": [INSTANT, dt.datetime(1900, 1, 1), None],
    "interval day to second": [dt.timedelta(days=-1, microseconds=1), None],
    "array<int>": [[1, None], [], None],
    "array<array<string>>": [[["a"], None, []], [[]], None],
    "struct<a: int, b: struct<c: string>>": [(1, ("x",)), (None, None), None, (2, (None,))],
    "array<struct<a: date, b: array<double>>>": [[(dt.date(2024, 1, 1), [0.5]), None], [], None],
}


@pytest.mark.parametrize("type_", OF_EVERY_TYPE)
def test_values_of_each_type(answers: Answers, type_: str) -> None:
    rows = [(number, value) for number, value in enumerate(OF_EVERY_TYPE[type_])]
    frame = answers.same_rows(
        lambda spark: spark.createDataFrame(rows * 3, f"n long, v {type_}").filter("n >= 0")
    )
    assert "BroadheadPythonRows" in plan_of(frame)


def test_many_small_batches(answers: Answers) -> None:
    with configured(answers.session, {"spark.broadhead.batchRows": "3"}):
        answers.same_rows(lambda spark: grouped(of_rdd(spark)))
        answers.same_rows(lambda spark: grouped(by_arrow(spark, 12_000)))


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_times_are_those_of_the_drivers_zone(answers: Answers, zone: str) -> None:
    rows = [(INSTANT, dt.date(1850, 1, 1)), (dt.datetime(1883, 11, 18, 12, 3, 57), None)]
    with configured(answers.session, {"spark.sql.session.timeZone": zone}):
        answers.same_rows(
            lambda spark: spark.createDataFrame(rows, "t timestamp, d date").selectExpr(
                "CAST(t AS STRING) AS t", "hour(t) AS h", "CAST(d AS STRING) AS d"
            )
        )


def grouped(frame: DataFrame) -> DataFrame:
    return frame.groupBy("k").agg({"v": "sum", "n": "max"})


def words(spark: SparkSession, path: Path) -> DataFrame:
    lines = spark.sparkContext.textFile(str(path), 3)
    return lines.flatMap(lambda line: [(word, len(word)) for word in line.split()]).toDF(
        ["word", "length"]
    )


def of_rdd(spark: SparkSession) -> DataFrame:
    numbers = spark.sparkContext.parallelize(range(20000), 3)
    made = numbers.filter(lambda n: n % 3 == 0).map(lambda n: (n, n % 7, n * 0.5))
    return made.toDF("n long, k long, v double")


def with_partition_numbers(spark: SparkSession) -> DataFrame:
    numbers = spark.sparkContext.parallelize(range(100), 5)
    made = numbers.mapPartitionsWithIndex(lambda part, rows: ((part, n) for n in rows))
    return made.toDF("part int, n long")


def once_a_partition(spark: SparkSession) -> DataFrame:
    numbers = spark.sparkContext.parallelize(range(100), 5)
    sums = numbers.mapPartitionsWithIndex(lambda part, rows: [(part, sum(rows))])
    return sums.toDF("part int, total long")


def after_a_shuffle(spark: SparkSession) -> DataFrame:
    pairs = spark.sparkContext.parallelize([(n % 10, n) for n in range(1000)], 3)
    return pairs.reduceByKey(lambda a, b: a + b, 2).toDF("k long, v long")


def of_a_kept_rdd(spark: SparkSession) -> DataFrame:
    made = spark.sparkContext.parallelize(range(100), 3).map(lambda n: (n, str(n))).cache()
    made.count()
    return made.toDF("n long, s string")


def of_a_union(spark: SparkSession) -> DataFrame:
    return with_partition_numbers(spark).union(
        spark.sparkContext.parallelize(range(50), 2)
        .mapPartitionsWithIndex(lambda part, rows: ((part, n) for n in rows))
        .toDF("part int, n long")
    )


def of_pandas(spark: SparkSession) -> DataFrame:
    return grouped(
        spark.createDataFrame(
            pd.DataFrame({"k": [1, 2, 1], "v": [0.5, 1.5, float("nan")], "n": [1, 2, 3]})
        )
    )


def joined(spark: SparkSession) -> DataFrame:
    few = spark.createDataFrame([(n, f"name {n}") for n in range(7)], ["k", "name"])
    return of_rdd(spark).join(few, "k").groupBy("name").count()


FRAMES: list[Make] = [
    lambda spark: grouped(of_rdd(spark)),
    lambda spark: of_rdd(spark).orderBy("v"),
    with_partition_numbers,
    lambda spark: with_partition_numbers(spark).coalesce(2),
    lambda spark: once_a_partition(spark).coalesce(1).filter("part >= 0"),
    after_a_shuffle,
    of_a_kept_rdd,
    of_a_union,
    of_pandas,
    joined,
    lambda spark: spark.createDataFrame([], "a int, b string"),
    lambda spark: spark.createDataFrame([{"a": 1, "b": "x"}, {"a": None, "b": None}]),
    lambda spark: spark.sparkContext.emptyRDD().toDF("a int"),
    lambda spark: spark.createDataFrame(range(5), "int"),
]


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_rows_of_python(answers: Answers, make: Make, adaptive: str) -> None:
    with configured(answers.session, {"spark.sql.adaptive.enabled": adaptive}):
        frame = answers.same_rows(make)
    assert "BroadheadPythonRows" in plan_of(frame)


def test_lines_of_a_text_file(answers: Answers, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"one two {n} é\n" for n in range(5000)))
    frame = answers.same_rows(lambda spark: words(spark, path).groupBy("word").count())
    assert "BroadheadPythonRows" in plan_of(frame)


ODD = {
    "a number in a text": ([(1,), ("a",)], "v string"),
    "an integer in a double": ([(1.5,), (2,)], "v double"),
    "a number too large": ([(2**70,)], "v bigint"),
    "digits that are lost": ([(Decimal("1.239"),)], "v decimal(5,2)"),
    "half of a pair": ([("\ud800",)], "v string"),
    "a bool in an integer": ([(True,)], "v int"),
    "a tuple in an array": ([((1, 2),)], "v array<int>"),
}


@pytest.mark.parametrize("name", ODD)
def test_values_that_spark_converts_are_its_own(answers: Answers, name: str) -> None:
    rows, schema = ODD[name]
    outcome = answers.same_outcome(
        lambda spark: spark.createDataFrame(rows, schema, verifySchema=False).filter(
            "v IS NULL OR v IS NOT NULL"
        )
    )
    assert outcome in {"rows", "error"}


def test_an_error_of_a_function_is_the_users(answers: Answers) -> None:
    def failing(number: int) -> tuple[int]:
        if number == 77:
            raise ValueError("the user said so")
        return (number,)

    def make(spark: SparkSession) -> DataFrame:
        return spark.sparkContext.parallelize(range(100), 2).map(failing).toDF("n long")

    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    for enabled in ("true", "false"):
        with (
            configured(answers.session, {"spark.broadhead.enabled": enabled}),
            pytest.raises((PySparkException, Py4JJavaError), match="the user said so"),
        ):
            make(answers.session).groupBy().sum().collect()


def test_broadcasts_and_accumulators(answers: Answers) -> None:
    context = answers.session.sparkContext
    names = context.broadcast({0: "zero", 1: "one"})
    counts = []
    for enabled in ("true", "false"):
        calls = context.accumulator(0)

        def named(number: int, calls: Any = calls) -> tuple[int, str]:
            calls.add(1)
            return (number, names.value[number % 2])

        frame = context.parallelize(range(1000), 2).map(named).toDF("n long, name string")
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found = frame.groupBy("name").count().orderBy("name").collect()
        counts.append(([tuple(row) for row in found], calls.value))
    assert counts[0] == counts[1] == ([("one", 500), ("zero", 500)], 1000)


def test_a_large_command_is_broadcast(answers: Answers) -> None:
    text = "x" * 2_000_000

    def make(spark: SparkSession) -> DataFrame:
        numbers = spark.sparkContext.parallelize(range(10), 2)
        return numbers.map(lambda n: (n, len(text))).toDF("n long, length long")

    assert "BroadheadPythonRows" in plan_of(answers.same_rows(make))


def test_maps_stay_with_spark(answers: Answers) -> None:
    frame = answers.session.createDataFrame([({"a": 1},)], "m map<string, int>").filter("m['a']=1")
    assert "BroadheadPythonRows" not in plan_of(frame)
    assert frame.count() == 1


def test_a_limit_does_not_read_all_rows(answers: Answers) -> None:
    context = answers.session.sparkContext
    calls = context.accumulator(0)

    def counted(number: int) -> tuple[int]:
        calls.add(1)
        return (number,)

    frame = context.parallelize(range(1_000_000), 2).map(counted).toDF("n long")
    assert len(frame.take(3)) == 3
    assert calls.value < 100_000


def by_arrow(spark: SparkSession, rows: int) -> DataFrame:
    """A frame of pandas, which Spark keeps as a local table."""
    numbers = pd.Series(range(rows))
    table = pd.DataFrame(
        {
            "n": numbers,
            "k": numbers % 7,
            "v": (numbers / 2).where(numbers % 3 != 0),
            "s": "é" + numbers.astype(str),
            "t": pd.to_datetime(numbers, unit="h", origin="2024-01-01").astype("datetime64[us]"),
        }
    )
    with configured(spark, {"spark.sql.execution.arrow.pyspark.enabled": "true"}):
        return spark.createDataFrame(table)


@pytest.mark.parametrize(
    "ask",
    [
        grouped,
        lambda frame: frame.orderBy("s").limit(100),
        lambda frame: frame.join(grouped(frame), "k"),
        lambda frame: frame.selectExpr("*", "row_number() OVER (PARTITION BY k ORDER BY n) AS r"),
    ],
)
def test_large_local_tables(answers: Answers, ask: Callable[[DataFrame], DataFrame]) -> None:
    frame = answers.same_rows(lambda spark: ask(by_arrow(spark, 20_000)))
    assert "BroadheadLocalTableColumns" in plan_of(frame), plan_of(frame)


def test_small_local_tables_stay_with_spark(answers: Answers) -> None:
    with configured(answers.session, {"spark.broadhead.costModel.enabled": "true"}):
        assert "Broadhead" not in plan_of(grouped(by_arrow(answers.session, 2000)))
        assert "Broadhead" in plan_of(grouped(by_arrow(answers.session, 20_000)))
