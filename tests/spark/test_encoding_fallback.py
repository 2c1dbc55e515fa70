"""Fragments that turn out at the last moment to have no form in the wire format: Spark runs them.

The value of a subquery is such a case: a text made from bytes need not be Unicode, JSON must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOT_UNICODE = "(SELECT max(CAST(X'ff' AS STRING)) FROM range(3))"
ROWS = f"SELECT id, concat(s, {NOT_UNICODE}) > s AS t FROM texts WHERE s < {NOT_UNICODE}"
GROUPS = f"SELECT id % 3 AS k, count(*), sum(id) FROM texts WHERE s < {NOT_UNICODE} GROUP BY k"

OUTER = (
    "SELECT /*+ BROADCAST(b) */ a.id, b.id AS other FROM texts a FULL JOIN "
    f"(SELECT * FROM texts WHERE id < 5) b ON a.id > b.id + 97 AND a.s < {NOT_UNICODE}"
)


@pytest.fixture(scope="module", autouse=True)
def texts(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("texts") / "t.parquet"
    ids = pa.array(range(100), pa.int64())
    pq.write_table(pa.table({"id": ids, "s": [f"text {i}" for i in range(100)]}), path)
    answers.session.read.parquet(str(path)).createOrReplaceTempView("texts")


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("sql", [ROWS, GROUPS], ids=["rows", "groups"])
def test_spark_answers(
    answers: Answers, configuration: Callable[..., None], sql: str, adaptive: str
) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    answers.same_rows(asking(sql), replays=1)


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_spark_answers_for_rows_of_a_broadcast(
    answers: Answers, configuration: Callable[..., None], adaptive: str
) -> None:
    """In a task that finds the matches, one for the other side and one for the broadcast."""
    configuration(spark__sql__adaptive__enabled=adaptive)
    answers.same_rows(asking(OUTER), replays=3)


def test_one_warning(answers: Answers) -> None:
    with log_of(answers.session) as log:
        for _ in range(2):
            answers.session.sql(f"SELECT * FROM texts WHERE s < {NOT_UNICODE}").collect()
    [line] = [line for line in log().splitlines() if "could not send the fragment" in line]
    assert "a literal of type STRING cannot be sent to the engine" in line


def test_strict_makes_it_an_error(answers: Answers, configuration: Callable[..., None]) -> None:
    configuration(spark__sql__adaptive__enabled="false")
    frame = answers.session.sql(ROWS)
    # Strict planning would refuse the subquery itself: this test is about what comes later.
    assert "Broadhead" in plan_of(frame)
    with configured(answers.session, {"spark.broadhead.strict": "true"}):
        error = answers.error(lambda _: frame, enabled=True)
    assert "spark.broadhead.strict is true" in str(error)
    assert "a literal of type STRING cannot be sent to the engine" in str(error)


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_spark_answers_with_columns_of_no_type(
    answers: Answers, configuration: Callable[..., None], adaptive: str
) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    columns = "id, array() AS e, named_struct('n', NULL, 'n', id) AS n, map('a', NULL) AS m"
    frame = answers.session.sql(f"SELECT {columns} FROM texts WHERE s < {NOT_UNICODE}")
    rows = frame.collect()
    assert replayed(frame) > 0, plan_of(frame)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        assert frame.select("*").collect() == rows


def test_an_error_of_the_subquery_is_sparks(answers: Answers) -> None:
    sql = "SELECT id FROM texts WHERE id > (SELECT max(1 div (id - 1)) FROM range(3))"
    answers.same_error(asking(sql), "DIVIDE_BY_ZERO")


def asking(sql: str) -> Callable[[SparkSession], DataFrame]:
    return lambda session: session.sql(sql)


@contextmanager
def log_of(session: SparkSession) -> Iterator[Callable[[], str]]:
    """What the JVM logs meanwhile."""
    jvm: Any = session._jvm
    log4j = jvm.org.apache.logging.log4j
    writer = jvm.java.io.StringWriter()
    appender = log4j.core.appender.WriterAppender.createAppender(
        None, None, writer, "test", False, True
    )
    appender.start()
    logger = log4j.LogManager.getRootLogger()
    logger.addAppender(appender)
    try:
        yield lambda: str(writer.toString())
    finally:
        logger.removeAppender(appender)
        appender.stop()
