"""Changes of Iceberg tables: deleted rows are left out, and commands read in fragments."""

from __future__ import annotations

import pytest

from spark.answers import Answers
from sql_sessions import configured, metric_total
from storage.iceberg_tables import Tables, create, delete_where_equal


@pytest.fixture(scope="module")
def tables(answers: Answers) -> Tables:
    return Tables(answers)


@pytest.mark.parametrize("version", ["2", "3"])
def test_position_deletes(tables: Tables, version: str) -> None:
    """Delete files of version 2, deletion vectors of version 3."""
    options = f"TBLPROPERTIES ('format-version'='{version}', 'write.delete.mode'='merge-on-read', "
    options += "'write.parquet.row-group-size-bytes'='20000')"
    table = create(
        tables,
        f"deletes{version}",
        "id BIGINT, s STRING, k INT",
        then=f"PARTITIONED BY (k) {options}",
    )
    tables.run(
        f"INSERT INTO {table} SELECT id, repeat(sha2(string(id), 256), 3), int(id % 2) "
        "FROM range(4000)",
        f"DELETE FROM {table} WHERE id % 7 = 3",
        f"DELETE FROM {table} WHERE id BETWEEN 1000 AND 1500",
    )
    frame = tables.same(f"SELECT * FROM {table}")
    assert metric_total(frame, "rowGroups") > 2
    tables.same(f"SELECT id, _pos, _deleted FROM {table}")
    tables.same(f"SELECT count(*), sum(id), count(DISTINCT s) FROM {table} WHERE id > 900")
    tables.same(f"SELECT k, count(*) FROM {table} GROUP BY k")
    tables.same(f"SELECT 'x' AS c FROM {table} WHERE k = 1")
    tables.same(f"SELECT count(*) FROM {table} WHERE _pos % 3 = 0")
    tables.run(f"DELETE FROM {table} WHERE id >= 0 AND s IS NOT NULL AND length(s) > 3")
    tables.same(f"SELECT * FROM {table}")


def test_equality_deletes(tables: Tables) -> None:
    """Also of rows that position deletes and later appends touch, and of nulls."""
    options = "TBLPROPERTIES ('write.delete.mode'='merge-on-read', 'format-version'='2')"
    table = create(tables, "equal", "id BIGINT, s STRING, v INT", then=options)
    rows = "SELECT id, IF(id % 9 = 0, NULL, concat('s', id % 10)), CAST(id AS INT)"
    tables.run(f"INSERT INTO {table} {rows} FROM range(0, 500, 1, 2)")
    delete_where_equal(tables, table, "s", ["s3", "s7", None])
    tables.same(f"SELECT * FROM {table}")
    tables.run(f"DELETE FROM {table} WHERE id = 8", f"INSERT INTO {table} {rows} FROM range(50)")
    delete_where_equal(tables, table, "v", [1, 2, 300])
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT s, sum(v), count(*) FROM {table} WHERE id > 4 GROUP BY s")
    tables.same(f"SELECT id, _pos, _deleted FROM {table}")
    tables.run(f"ALTER TABLE {table} RENAME COLUMN s TO t")
    tables.same(f"SELECT t, v FROM {table}")


COMMANDS = (
    "UPDATE {table} SET v = v + 1000, s = concat(s, '!') WHERE id % 5 = 0 AND k = 1",
    "DELETE FROM {table} WHERE v > 1020 OR id IN (SELECT id FROM changes WHERE op = 'd')",
    "MERGE INTO {table} t USING changes c ON t.id = c.id WHEN MATCHED AND c.op = 'd' THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET v = c.v WHEN NOT MATCHED THEN INSERT (id, k, s, v) "
    "VALUES (c.id, 7, c.op, c.v) "
    "WHEN NOT MATCHED BY SOURCE AND t.id < 5 THEN UPDATE SET s = 'gone'",
    "INSERT INTO {table} SELECT id + 1000, k, s, v FROM {table} WHERE id < 20",
    "INSERT OVERWRITE {table} SELECT id, k, upper(s), sum(v) FROM {table} GROUP BY id, k, s",
)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("version", ["2", "3"])
def test_row_level_commands(tables: Tables, mode: str, version: str) -> None:
    """Iceberg writes what fragments compute; afterwards both tables have the same rows."""
    session = tables.answers.session
    options = ", ".join(
        [f"'format-version'='{version}'"]
        + [f"'write.{command}.mode'='{mode}'" for command in ("delete", "update", "merge")]
    )
    name = f"commands{mode[:4]}{version}"
    made = []
    for number, enabled in enumerate(["false", "true"]):
        table = create(
            tables,
            f"{name}{number}",
            "id BIGINT, k INT, s STRING, v BIGINT",
            then=f"PARTITIONED BY (k) TBLPROPERTIES ({options})",
        )
        tables.run(
            f"INSERT INTO {table} SELECT id, CAST(id % 3 AS INT), concat('s', id % 9), id "
            "FROM range(300)",
        )
        session.sql(
            "SELECT id * 7 AS id, id AS v, IF(id % 2 = 0, 'd', 'u') AS op FROM range(60)"
        ).createOrReplaceTempView("changes")
        with configured(session, {"spark.broadhead.enabled": enabled}):
            for command in COMMANDS:
                (plan,) = session.sql(f"EXPLAIN {command.format(table=table)}").collect()
                assert ("BroadheadBatchScan" in plan[0]) == (enabled == "true")
                session.sql(command.format(table=table))
        with configured(session, {"spark.broadhead.enabled": "false"}):
            made.append(session.sql(f"SELECT * FROM {table} ORDER BY ALL").collect())
        tables.same(f"SELECT * FROM {table}")
        if version == "3":
            tables.same(f"SELECT id, _row_id, _last_updated_sequence_number FROM {table}")
    assert made[0] == made[1]


def test_row_ids_of_a_table_that_was_of_version_2(tables: Tables) -> None:
    """The files of version 2 have none, and those that an update rewrites keep theirs."""
    options = "TBLPROPERTIES ('format-version'='2', 'write.update.mode'='copy-on-write')"
    table = create(tables, "upgraded", "id BIGINT, v INT", then=options)
    ids = f"SELECT id, v, _row_id, _last_updated_sequence_number, _pos FROM {table}"
    tables.run(
        f"INSERT INTO {table} SELECT id, int(id) FROM range(0, 40, 1, 2)",
        f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version'='3')",
    )
    tables.same(ids)
    tables.run(f"INSERT INTO {table} SELECT id, int(id) FROM range(40, 80, 1, 2)")
    tables.same(ids)
    tables.run(f"UPDATE {table} SET v = -v WHERE id % 3 = 0")
    tables.same(ids)
    tables.same(f"{ids} WHERE _row_id > 10")
