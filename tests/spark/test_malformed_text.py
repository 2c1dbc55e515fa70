"""Strings of files whose bytes are not UTF-8: functions give what Spark's give."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.answers import Answers
from sql_sessions import configured

BYTES = ["41C3", "E282", "80", "41E24243", "F09F98", "C3A9", "6F6B", "EDA080", "C080", "20FF20"]


@pytest.fixture(scope="module", autouse=True)
def malformed(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    path: Path = tmp_path_factory.mktemp("malformed") / "texts"
    values = ", ".join(f"({n}, CAST(X'{b}' AS STRING))" for n, b in enumerate(BYTES))
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        frame = session.sql(f"SELECT * FROM VALUES {values} AS v(id, s)")
        frame.coalesce(1).write.parquet(str(path))
    session.read.parquet(str(path)).createOrReplaceTempView("malformed")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM malformed WHERE s LIKE '__'",
        "SELECT id, s LIKE '_%' AS a, s LIKE '%_' AS b FROM malformed",
        "SELECT id FROM malformed WHERE s LIKE 'A_%'",
        "SELECT id, length(s) AS n FROM malformed",
        "SELECT id, length(trim(s)) AS n FROM malformed",
        "SELECT id, length(substring(s, 1, 1)) AS n FROM malformed",
        "SELECT count(*) AS n, sum(length(upper(s))) AS m FROM malformed",
    ],
)
def test_characters_are_those_of_spark(answers: Answers, sql: str) -> None:
    answers.same_rows(lambda session: session.sql(sql), replays=None)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM malformed WHERE s LIKE 'A%'",
        "SELECT id FROM malformed WHERE s LIKE '%k' OR s = 'ok'",
        "SELECT s, count(*) AS n FROM malformed GROUP BY s",
        "SELECT id FROM malformed ORDER BY s",
        "SELECT a.id, b.id AS other FROM malformed a JOIN malformed b ON a.s = b.s",
    ],
)
def test_bytes_need_no_characters(answers: Answers, sql: str) -> None:
    answers.same_rows(lambda session: session.sql(sql).selectExpr("*").drop("s"), replays=0)


def test_well_formed_texts_stay_in_the_engine(answers: Answers) -> None:
    sql = "SELECT id, s LIKE '_' AS one, length(s) AS n FROM malformed WHERE id = 5"
    answers.same_rows(lambda session: session.sql(sql), replays=0)
