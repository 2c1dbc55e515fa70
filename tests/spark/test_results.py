"""What a query gives to Python: the same as Spark's, without rows where Arrow is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from night import half_by_day
from spark.answers import Answers, plan_of
from spark.test_row_sources import every_type
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ARROW = {"spark.sql.execution.arrow.pyspark.enabled": "true"}


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Parquet file with a column of every type that Parquet has."""
    path = str(tmp_path_factory.mktemp("results") / "types")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        every_type(answers.session, 3000, 3).write.parquet(path)
    return path


@pytest.fixture
def rows(answers: Answers, table: str) -> Callable[[SparkSession], DataFrame]:
    """Two thirds of the rows of the file."""
    return lambda spark: spark.read.parquet(table).where("id % 3 <> 1")


def metric(frame: DataFrame, name: str) -> int:
    """A metric of the node at the end of the frame's plan."""
    plan = frame._jdf.queryExecution().executedPlan()
    steps = {"AdaptiveSparkPlan": "executedPlan", "ResultQueryStage": "plan"}
    while plan.nodeName() in steps:
        plan = getattr(plan, steps[plan.nodeName()])()
    assert plan.nodeName() == "BroadheadColumnarToRow", plan_of(frame)
    return int(plan.metrics().apply(name).value())


def plain(answers: Answers, make: Callable[[SparkSession], DataFrame]) -> pa.Table:
    """What Spark alone gives."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        return make(answers.session).toArrow()


def same_arrow(answers: Answers, make: Callable[[SparkSession], DataFrame]) -> DataFrame:
    """The frame whose table is Spark's, its rows in the same order."""
    expected = plain(answers, make)
    frame = make(answers.session)
    table = frame.toArrow()
    assert table.schema == expected.schema
    assert table.num_rows == expected.num_rows
    # By repr, since NaN is to equal itself.
    assert repr(table.to_pylist()) == repr(expected.to_pylist())
    return frame


def test_arrow_of_every_type_makes_no_rows(
    answers: Answers, rows: Callable[[SparkSession], DataFrame]
) -> None:
    frame = same_arrow(answers, rows)
    assert metric(frame, "numArrowRows") == 2000
    assert metric(frame, "numOutputRows") == 0


def test_an_aggregate_after_a_shuffle(answers: Answers, table: str) -> None:
    def make(spark: SparkSession) -> DataFrame:
        frame = spark.read.parquet(table).groupBy("short", "boolean").count()
        return frame.where("count > 0")

    expected = sorted(map(repr, plain(answers, make).to_pylist()))
    frame = make(answers.session)
    assert sorted(map(repr, frame.toArrow().to_pylist())) == expected
    assert metric(frame, "numOutputRows") == 0


@pytest.mark.parametrize(
    ("large", "limit"), half_by_day(["true", "false"], ["1", "7", "0", "10000"])
)
def test_batches_as_the_user_wants_them(
    answers: Answers,
    configuration: Callable[..., None],
    rows: Callable[[SparkSession], DataFrame],
    limit: str,
    large: str,
) -> None:
    configuration(
        spark__sql__execution__arrow__maxRecordsPerBatch=limit,
        spark__sql__execution__arrow__useLargeVarTypes=large,
    )
    frame = rows(answers.session).where("id < 100")
    table = frame.toArrow()
    expected = plain(answers, lambda spark: rows(spark).where("id < 100"))
    assert table.schema == expected.schema
    assert repr(table.to_pylist()) == repr(expected.to_pylist())
    if int(limit):
        assert max(batch.num_rows for batch in table.to_batches()) <= int(limit)
    assert metric(frame, "numArrowRows") == len(expected)


@pytest.mark.parametrize("zone", ["America/St_Johns", "Asia/Kolkata"])
def test_pandas_in_a_time_zone(
    answers: Answers,
    configuration: Callable[..., None],
    rows: Callable[[SparkSession], DataFrame],
    zone: str,
) -> None:
    import pandas as pd

    configuration(
        spark__sql__session__timeZone=zone, **{k.replace(".", "__"): v for k, v in ARROW.items()}
    )
    columns = ["id", "instant", "date", "string", "decimal_wide", "double", "array", "days"]

    def late(spark: SparkSession) -> DataFrame:
        return rows(spark).where("instant > TIMESTAMP'1970-01-01'").select(*columns)

    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        expected = late(answers.session).toPandas()
    pd.testing.assert_frame_equal(late(answers.session).toPandas(), expected)


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_empty_and_no_columns(
    answers: Answers,
    configuration: Callable[..., None],
    rows: Callable[[SparkSession], DataFrame],
    adaptive: str,
) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    same_arrow(answers, lambda spark: rows(spark).where("id < 0"))
    same_arrow(answers, lambda spark: rows(spark).select())
    same_arrow(answers, lambda spark: rows(spark).selectExpr("NULL AS n", "id"))
    same_arrow(answers, lambda spark: rows(spark).selectExpr("id AS a", "short AS a"))


def test_repeated_names_in_a_struct_are_spark_s_error(answers: Answers, table: str) -> None:
    from pyspark.errors import PySparkException

    frame = answers.session.read.parquet(table).selectExpr("named_struct('a', id, 'a', short) AS s")
    with pytest.raises(PySparkException, match="a"):
        frame.toArrow()


@pytest.mark.parametrize("give", ["collect", "toArrow", "toPandas"])
def test_months_are_spark_s_error(answers: Answers, table: str, give: str) -> None:
    from pyspark.errors import PySparkException

    errors = set()
    for enabled in ("false", "true"):
        with configured(answers.session, {"spark.broadhead.enabled": enabled, **ARROW}):
            frame = answers.session.read.parquet(table).selectExpr("id", "INTERVAL '1' MONTH AS m")
            with pytest.raises(PySparkException) as raised:
                getattr(frame, give)()
            errors.add(str(raised.value))
    assert len(errors) == 1


def test_rows_for_who_wants_rows(
    answers: Answers, rows: Callable[[SparkSession], DataFrame]
) -> None:
    answers.same_rows(rows)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        taken = repr(rows(answers.session).take(5))
        tail = repr(rows(answers.session).tail(3))
        local = repr(list(rows(answers.session).toLocalIterator()))
        rdd = repr(rows(answers.session).rdd.collect())
        shown = rows(answers.session)._show_string(3)
    frame = rows(answers.session)
    assert repr(frame.take(5)) == taken
    assert repr(frame.tail(3)) == tail
    assert repr(list(frame.toLocalIterator())) == local
    assert repr(frame.rdd.collect()) == rdd
    assert frame._show_string(3) == shown


def test_collect_makes_each_row_once(
    answers: Answers, rows: Callable[[SparkSession], DataFrame]
) -> None:
    frame = rows(answers.session)
    assert len(frame.collect()) == 2000
    assert metric(frame, "numOutputRows") == 2000
    assert metric(frame, "numArrowRows") == 0


def test_an_error_is_sparks_own(answers: Answers, table: str) -> None:
    from pyspark.errors import ArithmeticException

    frame = answers.session.read.parquet(table).selectExpr("1 div (id - 2500) AS n")
    with pytest.raises(ArithmeticException, match="DIVIDE_BY_ZERO"):
        frame.toArrow()


def test_a_replayed_task_gives_arrow_too(answers: Answers, tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.range(100).coalesce(1).write.parquet(path)

    def make(spark: SparkSession) -> DataFrame:
        # The engine cannot tell which rows a filter with AND reaches in Spark, and asks it.
        return spark.read.parquet(path).where("id <> 0 AND 100 div id > 3")

    same_arrow(answers, make)
