"""Queries over more rows than a batch, in and out of the order of their keys.

The tables of the `.sql` files have few rows; some ways of the kernels are taken for many alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured, metric_total

ROWS = 200_000
COLUMNS = [
    "(id DIV 3) * (id DIV 3) AS clustered",
    "(id * 7919) % 60013 AS scattered",
    "CAST(IF(id % 11 = 0, NULL, (id * 31) % 5) AS INT) AS small",
    "IF(id % 17 = 0, NULL, (id * 104729) % 100003 - 50000) AS number",
    "CASE id % 9 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D"
    " WHEN 4 THEN double('-Infinity') ELSE (id % 53) / 2 END AS float",
    "IF(id % 13 = 0, NULL, concat('t', CAST((id * 37) % 1009 AS STRING))) AS text",
    "IF(id % 19 = 0, NULL, element_at(array('N', 'O', 'F'), CAST(id % 3 AS INT) + 1)) AS flag",
    "CAST(CASE id % 50021 WHEN 0 THEN NULL WHEN 1 THEN 9999999999999999.99"
    " WHEN 2 THEN -9999999999999999.99 ELSE (id % 1000) / 100 END AS DECIMAL(18, 2)) AS price",
    "IF(id % 40009 = 0, 9223372036854775807 - id, id - 9223372036854775807) AS extreme",
    "date_add(DATE'1970-01-01', CAST((id * 13) % 4001 - 2000 AS INT)) AS day",
]
TOTALS = (
    "count(*), count(number), sum(number), min(text), max(float), min(extreme), sum(price),"
    " avg(price), max(day), min(flag), sum(IF(isnan(float) OR abs(float) > 1e6, 1.5D, 0.5D))"
)
QUERIES = [
    f"SELECT clustered, {TOTALS} FROM many_rows GROUP BY clustered",
    f"SELECT scattered, {TOTALS} FROM many_rows GROUP BY scattered",
    f"SELECT day, {TOTALS} FROM (SELECT * FROM many_rows DISTRIBUTE BY day SORT BY day)"
    " GROUP BY day",
    f"SELECT float, flag, {TOTALS} FROM many_rows GROUP BY float, flag",
    f"SELECT text, {TOTALS} FROM many_rows GROUP BY text",
    # One task, whose first batch shows that grouping its rows leaves most of them.
    f"SELECT pmod(hash(extreme), 600000), {TOTALS}, first(day)"
    " FROM (SELECT /*+ COALESCE(1) */ * FROM many_rows) GROUP BY 1",
    f"SELECT {TOTALS} FROM many_rows",
    f"SELECT clustered, {TOTALS} FROM many_rows WHERE number > 1000000 GROUP BY clustered",
    "SELECT clustered, count(DISTINCT small), sum(DISTINCT price) FROM many_rows"
    " GROUP BY clustered",
    "SELECT clustered, first(text), last(number, true) FROM many_rows GROUP BY clustered",
    "SELECT float, sum(price) AS total FROM many_rows GROUP BY float ORDER BY float, total",
    "SELECT text, float, extreme FROM many_rows ORDER BY text DESC NULLS FIRST, float, extreme",
    "SELECT day, price, text FROM many_rows ORDER BY day, flag, price DESC, extreme LIMIT 50000",
    "SELECT extreme, row_number() OVER ranks, rank() OVER ranks, sum(number) OVER ranks,"
    " lag(text, 2) OVER ranks FROM (SELECT * FROM many_rows WHERE small < 2)"
    " WINDOW ranks AS (PARTITION BY flag ORDER BY text, float DESC, extreme)",
    "SELECT l.clustered, l.small FROM many_rows l LEFT SEMI JOIN many_rows r"
    " ON l.clustered = r.clustered AND l.small <> r.small",
    "SELECT l.clustered, l.number FROM many_rows l LEFT ANTI JOIN many_rows r"
    " ON l.clustered = r.clustered AND l.number <> r.number",
    "SELECT l.scattered, l.day FROM many_rows l WHERE l.small = 1 OR EXISTS"
    " (SELECT 1 FROM many_rows r WHERE r.scattered = l.scattered AND r.day <> l.day)",
    "SELECT l.price, r.extreme, r.flag FROM many_rows l JOIN many_rows r"
    " ON l.clustered = r.scattered AND l.text = r.text",
]
"""Sums of floats are exact, so that their order does not matter; `extreme` has no value twice."""

HOLD_LITTLE = {
    query
    for query in QUERIES
    if "GROUP BY float" in query
    or "WHERE number >" in query
    or query == f"SELECT {TOTALS} FROM many_rows"
}
"""Queries whose operators have few rows to keep."""

SPILL_OFTEN = {
    query
    for query in QUERIES
    if query.startswith(
        ("SELECT scattered", "SELECT pmod", "SELECT day, count", "SELECT text, count")
    )
    or "DISTINCT small" in query
    or "first(text)" in query
    or "OR EXISTS" in query
}
"""Queries that take ten times as long with little memory; the others have the same operators."""

IN_MEMORY_BY_DAY = {
    query
    for query in QUERIES
    if query.startswith(
        (
            "SELECT day, count",
            f"SELECT {TOTALS} FROM many_rows",
        )
    )
}
"""By day these have memory for all their rows; the others have little, or wait for the night."""

BY_NIGHT_WITH_LITTLE = SPILL_OFTEN | {
    query
    for query in QUERIES
    if "GROUP BY float" in query
    or "WHERE number >" in query
    or "LEFT ANTI JOIN" in query
    or "LEFT SEMI JOIN" in query
    or query == f"SELECT {TOTALS} FROM many_rows"
    or query.startswith("SELECT text, float")
}


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    path: Path = tmp_path_factory.mktemp("many") / "rows"
    session = answers.session
    keys = {
        "spark.broadhead.enabled": "false",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    }
    with configured(session, keys):
        session.range(0, ROWS, 1, 2).selectExpr(*COLUMNS).write.parquet(str(path))
    session.read.parquet(str(path)).createOrReplaceTempView("many_rows")


@pytest.mark.parametrize(
    ("query", "broadcast"),
    [
        *(
            pytest.param(
                query, "10MB", marks=[] if query in IN_MEMORY_BY_DAY else pytest.mark.nightly
            )
            for query in QUERIES
        ),
        # By day the joins without a broadcast are those with little memory, below.
        *(
            pytest.param(query, "-1", marks=pytest.mark.nightly)
            for query in QUERIES
            if "r." in query
        ),
    ],
)
def test_rows_are_those_of_spark(
    answers: Answers, table: None, configuration, query: str, broadcast: str
) -> None:
    configuration(
        spark__sql__autoBroadcastJoinThreshold=broadcast,
        spark__sql__adaptive__autoBroadcastJoinThreshold=broadcast,
        spark__sql__shuffle__partitions="3",
    )
    answers.same_rows(lambda spark: spark.sql(query), known_as=query)


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(query, marks=pytest.mark.nightly if query in BY_NIGHT_WITH_LITTLE else [])
        for query in QUERIES
    ],
)
def test_rows_that_pass_the_memory(
    answers: Answers, table: None, configuration, query: str
) -> None:
    """As above, where operators hold a few thousand rows at most."""
    configuration(
        spark__sql__autoBroadcastJoinThreshold="-1",
        spark__sql__adaptive__autoBroadcastJoinThreshold="-1",
        spark__sql__shuffle__partitions="3",
        spark__broadhead__operatorMemory="256k",
        spark__broadhead__batchRows="20000",
    )
    frame = answers.same_rows(lambda spark: spark.sql(query), known_as=query)
    if os.environ["BROADHEAD_TEST_DEVICE"] == "cpu":  # the tasks of a GPU are larger
        spilled = metric_total(frame, "spilledBytes")
        assert (spilled > 0) == (query not in HOLD_LITTLE), plan_of(frame)
