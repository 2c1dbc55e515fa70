"""Iceberg tables, by its real package: scans in fragments give the rows of Iceberg's own reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured, metric_total

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ALL_TYPES = (
    "id BIGINT, b BOOLEAN, i INT, f FLOAT, d DOUBLE, s STRING, bin BINARY, day DATE, ts TIMESTAMP, "
    "ntz TIMESTAMP_NTZ, dec9 DECIMAL(9,2), dec18 DECIMAL(18,4), dec38 DECIMAL(38,10), "
    "st STRUCT<x: INT, y: STRING, z: STRUCT<w: DOUBLE>>, arr ARRAY<STRUCT<a: INT, b: STRING>>, "
    "mp MAP<STRING, BIGINT>"
)
ALL_VALUES = """
SELECT id, id % 3 = 0 AS b, CAST(id AS INT) - 50 AS i,
       CASE id % 7 WHEN 0 THEN CAST('NaN' AS FLOAT) WHEN 1 THEN -0.0F ELSE CAST(id AS FLOAT) / 3 END AS f,
       CASE id % 5 WHEN 0 THEN double('-Infinity') WHEN 1 THEN NULL ELSE id / 7.0D END AS d,
       CASE WHEN id % 11 = 0 THEN NULL ELSE concat('größe ', id) END AS s,
       CAST(concat('b', id) AS BINARY) AS bin,
       date_add(DATE'1969-12-01', CAST(id AS INT)) AS day,
       timestamp_micros(id * 7919000001 - 86400000000) AS ts,
       CAST(timestamp_micros(id * 104729000003) AS TIMESTAMP_NTZ) AS ntz,
       CAST(id - 50 AS DECIMAL(9,2)) / 8 AS dec9, CAST(id AS DECIMAL(18,4)) / 3 AS dec18,
       CAST(id AS DECIMAL(38,10)) * 1234567890123456789 AS dec38,
       CASE WHEN id % 4 = 0 THEN NULL
            ELSE named_struct('x', CAST(id AS INT), 'y', 'y', 'z', named_struct('w', 0.5D)) END AS st,
       transform(sequence(1, id % 4), n -> named_struct('a', CAST(n AS INT), 'b', 'e')) AS arr,
       map('k', id) AS mp
"""


def all_rows(first: int, end: int) -> str:
    return f"{ALL_VALUES} FROM range({first}, {end}, 1, 2)"


class Tables:
    """Makes tables with Spark alone, and asks both about them."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def run(self, *commands: str) -> None:
        with configured(self.answers.session, {"spark.broadhead.enabled": "false"}):
            for command in commands:
                self.answers.session.sql(command)

    def same(self, query: str, *, replays: int | None = 0) -> DataFrame:
        frame = self.answers.same_rows(lambda spark: spark.sql(query), replays=replays)
        assert "BroadheadBatchScan" in plan_of(frame), plan_of(frame)
        return frame


@pytest.fixture(scope="module")
def tables(answers: Answers) -> Tables:
    return Tables(answers)


def create(tables: Tables, name: str, columns: str, *, then: str = "") -> str:
    tables.run(f"CREATE TABLE ice.db.{name} ({columns}) USING iceberg {then}")
    return f"ice.db.{name}"


def test_all_types(tables: Tables) -> None:
    table = create(tables, "types", ALL_TYPES)
    tables.run(f"INSERT INTO {table} {all_rows(0, 100)}")
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT s, count(*), sum(dec18), max(ts) FROM {table} WHERE day > '1969-12-20' GROUP BY s")
    tables.same(f"SELECT st.z.w, arr[0].b, mp['k'] FROM {table} WHERE st.x > 3")
    tables.same(f"SELECT count(*) FROM {table} WHERE id > 10")
