"""How equal results are to Spark: what `explain` says, what `spark.broadhead.exact` leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.functions import expr, udf

from broadhead.explanation import explain
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark.answers import Answers

EXACT = {"spark.broadhead.exact": "true"}
ROWS = pa.table({"k": [1, 1, 2], "n": [1, 2, 3], "x": [-0.0, -0.0, -0.0]})


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = answers.session
    path = tmp_path_factory.mktemp("levels") / "rows.parquet"
    pq.write_table(ROWS, path)
    session.read.parquet(str(path)).createOrReplaceTempView("levels")
    with configured(session, {"spark.broadhead.costModel.enabled": "false"}):
        yield session


def levels_of(frame: DataFrame) -> dict[str, tuple[str, ...]]:
    return {node.name: node.levels for node in explain(frame).nodes if node.levels}


def reasons_of(session: SparkSession, sql: str) -> str:
    with configured(session, EXACT):
        return " ".join(explain(session.sql(sql)).reasons)


def test_explain_says_what_is_not_exact(table: SparkSession) -> None:
    frame = table.sql("SELECT k, avg(x), first(n), sum(n) FROM levels GROUP BY k ORDER BY k")
    assert levels_of(frame) == {
        "BroadheadSort": ("any order",),
        "BroadheadHashAggregate": ("any order: first", "last digits: avg"),
    }
    assert "BroadheadSort  (any order)" in str(explain(frame))


def test_exact_results_have_no_level(table: SparkSession) -> None:
    frame = table.sql("SELECT k, sum(n), max(x) FROM levels WHERE n > 1 GROUP BY k")
    assert levels_of(frame) == {}


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT exp(x) FROM levels", "exp has the level 'last digits'"),
        ("SELECT sum(x) FROM levels", "sum has the level 'last digits'"),
        ("SELECT first(n) FROM levels", "first has the level 'any order'"),
        ("SELECT n FROM levels ORDER BY n", "Sort has the level 'any order'"),
        ("SELECT row_number() OVER (ORDER BY n) FROM levels", "row_number has the level"),
    ],
)
def test_what_is_not_exact_is_left_to_spark(table: SparkSession, sql: str, reason: str) -> None:
    with configured(table, {"spark.broadhead.sparkExpressions.enabled": "false"}):
        assert reason not in " ".join(explain(table.sql(sql)).reasons)
        assert reason in reasons_of(table, sql)


def test_exact_functions_stay_in_the_engine(table: SparkSession) -> None:
    with configured(table, EXACT):
        found = explain(table.sql("SELECT k, sum(n), max(x) FROM levels WHERE n > 1 GROUP BY k"))
    assert {node.name for node in found.nodes if not node.accelerated} <= {"Exchange"}


def test_a_filter_for_zero_is_replayed(table: SparkSession, answers: Answers) -> None:
    """Spark's reader skips the row group, which has -0.0 alone."""
    sql = "SELECT count(n) FROM levels WHERE x = 0.0D"
    assert table.sql(sql).collect()[0][0] == 3
    with configured(table, EXACT):
        answers.same_rows(lambda spark: spark.sql(sql), replays=None)
        frame = table.sql(sql)
        frame.collect()
        assert replayed(frame)


@pytest.mark.parametrize("options", [{"compression": "brotli"}, {"use_byte_stream_split": True}])
def test_files_that_spark_cannot_read(
    table: SparkSession, answers: Answers, tmp_path: Path, options: dict[str, object]
) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(ROWS, path, use_dictionary=False, **options)
    assert table.read.parquet(str(path)).selectExpr("sum(n)").collect()[0][0] == 6
    with configured(table, EXACT):
        answers.same_outcome(lambda spark: spark.read.parquet(str(path)).selectExpr("sum(n)"))


def test_a_dict_has_the_order_of_its_map(table: SparkSession) -> None:
    keys = udf(lambda entries: str(list(entries)))
    for configuration, order, left in [({}, "[3, 2]", False), (EXACT, "[2, 3]", True)]:
        with configured(table, configuration):
            frame = table.table("levels").select(keys(expr("map(3, n, 2, n)")))
            assert {value for (value,) in frame.collect()} == {order}
            assert ("the order of a dict" in " ".join(explain(frame).reasons)) == left
