"""Expressions that Spark evaluates for a fragment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from spark.answers import Answers, plan_of
from sql_sessions import NO_FOLDING, configured, metric_total

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 3000
COLUMNS = (
    "id",
    "IF(id % 7 = 0, NULL, concat('Name ', id % 50)) AS text",
    "IF(id % 11 = 0, NULL, CAST(id AS INT)) AS number",
    "CASE id % 5 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN NULL ELSE id / 3 END AS d",
    "CAST(id / 7 AS DECIMAL(20, 3)) AS price",
    "CAST(id / 7 AS DECIMAL(9, 2)) AS small_price",
    "date_add(DATE'1999-12-28', CAST(id AS INT)) AS day",
    "timestamp_seconds(id * 7919) AS instant",
    "CAST(timestamp_seconds(id * 7919) AS TIMESTAMP_NTZ) AS local",
    "CAST(concat('b', id) AS BINARY) AS bytes",
    "id % 2 = 0 AS flag",
    "make_dt_interval(0, CAST(id AS INT)) AS time",
    "make_ym_interval(1, CAST(id % 12 AS INT)) AS months",
    "IF(id % 13 = 0, NULL, array(id, NULL, id + 1)) AS numbers",
    "map(concat('k', id % 3), id) AS pairs",
    "named_struct('a', id, 'b', concat('s', id)) AS pair",
    "concat('Name ', id % 50) COLLATE UTF8_LCASE AS name",
)


OFF = {
    f"spark.broadhead.function.{name}.enabled": "false"
    for name in ("soundex", "reverse", "repeat", "levenshtein", "make_date", "split")
}
"""Functions of the engine that are Spark's here, in the place of one that the engine lacks."""


@pytest.fixture(scope="module", autouse=True)
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`rows`, with a column of each type."""
    path = str(tmp_path_factory.mktemp("spark_expressions") / "rows")
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        session.range(0, ROWS, 1, 2).selectExpr(*COLUMNS).write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView("rows")
    session.udf.registerJavaFunction("repeated", "io.broadhead.store.RepeatedText", "string")
    with configured(session, OFF):
        yield


def in_fragments(answers: Answers, sql: str, *, replays: int = 0) -> DataFrame:
    """The frame, whose rows are Spark's, all of whose operators ran in fragments."""
    frame = answers.same_rows(lambda spark: spark.sql(sql), replays=replays)
    explained = explain(frame)
    assert explained.accelerated == explained.total, str(explained)
    assert "Spark evaluates an expression" in str(explained)
    return frame


def test_inputs_and_results_of_every_type(answers: Answers) -> None:
    frame = in_fragments(
        answers,
        """SELECT soundex(text) a, format_number(number, 2) b, hex(bytes) c, to_json(pair) e,
            format_string('%s %s %s', price, small_price, day) f, date_format(instant, 'EEEE') g,
            schema_of_json('{}') || base64(bytes) h, elt(1 + CAST(flag AS INT), 'x', text) i,
            array_sort(numbers) j, map_keys(pairs) k, map_concat(pairs, map('z', id)) l,
            reverse(array(time)) m, reverse(array(months)) n, named_struct('x', local) o,
            reverse(array(pair)) p, translate(name, 'N', 'm') q, hex(number) ab,
            nanvl(d, 1D) s, to_number('12', '99') + id t, make_date(number % 9000, 1, 1) u,
            try_to_timestamp(text) v, months_between(instant, day) w FROM rows""",
    )
    assert metric_total(frame, "sparkRows") > ROWS
    assert metric_total(frame, "sparkTime") > 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*), sum(id) FROM rows WHERE soundex(text) = 'N500' AND id % 3 = 1",
        "SELECT soundex(text) k, sum(length(reverse(text))), max(reverse(text))"
        " FROM rows GROUP BY soundex(text), id % 4",
        "SELECT id FROM rows ORDER BY reverse(text) DESC NULLS LAST, id LIMIT 40",
        "SELECT id, rank() OVER (PARTITION BY soundex(text) ORDER BY reverse(text), id) FROM rows",
        "SELECT l.id, r.id FROM rows l JOIN rows r ON reverse(l.text) = reverse(r.text)"
        " AND levenshtein(l.text, r.text) < 1 WHERE l.id < 200 AND r.id < 300",
        "SELECT l.id FROM rows l LEFT ANTI JOIN rows r ON levenshtein(l.text, r.text) < 1"
        " AND r.id < 30 WHERE l.id < 60",
        "SELECT id, word FROM rows LATERAL VIEW explode(split(text, ' ')) AS word",
        "SELECT transform(numbers, x -> x + id) a, aggregate(numbers, 0L, (s, x) -> s + id) b,"
        " filter(numbers, x -> exists(numbers, y -> y > x)) c FROM rows",
        "SELECT soundex(text) FROM rows WHERE id < 0",
        "SELECT unhex(hex(text)), repeat(text, 2), reverse(array(text)) FROM rows",
        "SELECT /*+ COALESCE(1) */ repeat(text, 9000) FROM rows WHERE id < 500",
        "SELECT repeated(text, number % 3) FROM rows",
        "SELECT number + 1, IF(number > 1, reverse(text), soundex(text)) FROM rows",
    ],
)
def test_places(answers: Answers, sql: str) -> None:
    in_fragments(answers, sql)


@pytest.mark.parametrize(
    "condition",
    [
        "number < 10 AND soundex(text) LIKE 'N%'",
        "number IS NULL OR number >= 10 OR soundex(text) LIKE 'N%'",
        "CASE WHEN number < 10 THEN soundex(text) ELSE text END LIKE 'N%'",
        "coalesce(IF(number < 10, NULL, text), soundex(text)) IS NOT NULL",
    ],
)
def test_rows_that_do_not_reach_an_expression(answers: Answers, condition: str) -> None:
    sql = f"SELECT count(*), sum(id) FROM rows WHERE {condition}"
    frame = in_fragments(answers, sql)
    assert 0 < metric_total(frame, "sparkRows") < ROWS / 2


def test_small_batches(answers: Answers) -> None:
    with configured(answers.session, {"spark.broadhead.batchRows": "3"}):
        in_fragments(answers, "SELECT id, soundex(text), reverse(numbers) FROM rows WHERE id < 50")


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_the_session_of_the_query(answers: Answers, zone: str) -> None:
    with configured(answers.session, {"spark.sql.session.timeZone": zone}):
        in_fragments(answers, "SELECT date_format(instant, 'yyyy-MM-dd HH:mm VV') FROM rows")


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_errors(answers: Answers, ansi: str) -> None:
    """They are Spark's own, and come only for rows that reach the expression."""
    with configured(answers.session, {"spark.sql.ansi.enabled": ansi}):
        error = "make_date(2000, number, 1)"
        one_task = f"SELECT /*+ COALESCE(1) */ {error} FROM rows"
        assert answers.same_outcome(lambda spark: spark.sql(one_task)) == (
            "error" if ansi == "true" else "rows"
        )
        in_fragments(answers, f"SELECT IF(number BETWEEN 1 AND 12, {error}, NULL) FROM rows")
        in_fragments(
            answers, f"SELECT id FROM rows WHERE number < 12 AND number > 0 AND {error} > day"
        )


def test_an_error_of_the_users_function(answers: Answers) -> None:
    sql = "SELECT /*+ COALESCE(1) */ repeated(text, number - 2900) FROM rows"
    answers.same_error(lambda spark: spark.sql(sql), "FAILED_EXECUTE_UDF")


def test_what_stays_with_spark(answers: Answers) -> None:
    """Other rows or another number of calls would come out of these."""
    for sql, reason in (
        ("SELECT id, shuffle(array(1, id)) FROM rows", "function shuffle is not supported"),
        ("SELECT reflect('java.lang.Math', 'abs', number) FROM rows", "function reflect"),
        ("SELECT make_interval(0, 0, 0, number) FROM rows", "interval"),
        ("SELECT soundex((SELECT max(text) FROM rows)) || text FROM rows", "soundex"),
    ):
        frame = answers.session.sql(sql)
        assert reason in str(explain(frame)), str(explain(frame))
        assert "BroadheadProject" not in plan_of(frame), sql


def test_a_session_variable_that_is_not_folded(answers: Answers) -> None:
    """It refers to a catalog, which cannot be sent to executors."""
    session = answers.session
    session.sql("DECLARE OR REPLACE VARIABLE wanted STRING DEFAULT 'a'")
    with configured(session, {"spark.sql.optimizer.excludedRules": NO_FOLDING}):
        answers.same_rows(lambda spark: spark.sql("SELECT text = wanted FROM rows"))


def test_switches(answers: Answers) -> None:
    """A function that is switched off is Spark's; so are operators without this way."""
    sql = "SELECT upper(text) FROM rows"
    with configured(answers.session, {"spark.broadhead.function.upper.enabled": "false"}):
        in_fragments(answers, sql)
        with configured(answers.session, {"spark.broadhead.sparkExpressions.enabled": "false"}):
            frame = answers.session.sql(sql)
            assert "switched off by spark.broadhead.function.upper" in str(explain(frame))
            assert "BroadheadProject" not in plan_of(frame)


def test_nothing_is_left(answers: Answers, tmp_path: Path) -> None:
    """Neither memory of the JVM nor sockets, also where a limit ends the query early."""
    allocator = answers.session._jvm.org.apache.spark.sql.util.ArrowUtils.rootAllocator()
    before = allocator.getAllocatedMemory()
    for sql in (
        "SELECT soundex(text), reverse(numbers) FROM rows",
        "SELECT soundex(text) FROM rows LIMIT 3",
    ):
        answers.session.sql(sql).collect()
    # Tasks that a limit ends may still do so.
    end = time.monotonic() + 30
    while allocator.getAllocatedMemory() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert allocator.getAllocatedMemory() <= before
