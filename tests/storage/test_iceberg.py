"""Iceberg tables, by its real package: scans in fragments give the rows of Iceberg's own reader."""

from __future__ import annotations

from pathlib import Path

import pytest

import broadhead
from spark.answers import Answers, plan_of
from sql_sessions import configured, metric_total
from storage.iceberg_tables import Tables, create
from storage.s3_server import BUCKET, S3Server

ALL_TYPES = (
    "id BIGINT, b BOOLEAN, i INT, f FLOAT, d DOUBLE, s STRING, bin BINARY, day DATE, ts TIMESTAMP, "
    "ntz TIMESTAMP_NTZ, dec9 DECIMAL(9,2), dec18 DECIMAL(18,4), dec38 DECIMAL(38,10), "
    "st STRUCT<x: INT, y: STRING, z: STRUCT<w: DOUBLE>>, arr ARRAY<STRUCT<a: INT, b: STRING>>, "
    "mp MAP<STRING, BIGINT>"
)
ALL_VALUES = """
SELECT id, id % 3 = 0 AS b, CAST(id AS INT) - 50 AS i,
       CASE id % 7 WHEN 0 THEN CAST('NaN' AS FLOAT) WHEN 1 THEN -0.0F
                   ELSE CAST(id AS FLOAT) / 3 END AS f,
       CASE id % 5 WHEN 0 THEN double('-Infinity') WHEN 1 THEN NULL ELSE id / 7.0D END AS d,
       CASE WHEN id % 11 = 0 THEN NULL ELSE concat('größe ', id) END AS s,
       CAST(concat('b', id) AS BINARY) AS bin,
       date_add(DATE'1969-12-01', CAST(id AS INT)) AS day,
       timestamp_micros(id * 7919000001 - 86400000000) AS ts,
       CAST(timestamp_micros(id * 104729000003) AS TIMESTAMP_NTZ) AS ntz,
       CAST(id - 50 AS DECIMAL(9,2)) / 8 AS dec9, CAST(id AS DECIMAL(18,4)) / 3 AS dec18,
       CAST(id AS DECIMAL(38,10)) * 1234567890123456789 AS dec38,
       CASE WHEN id % 4 = 0 THEN NULL
            ELSE named_struct('x', CAST(id AS INT), 'y', 'y', 'z', named_struct('w', 0.5D))
       END AS st,
       transform(sequence(1, id % 4), n -> named_struct('a', CAST(n AS INT), 'b', 'e')) AS arr,
       map('k', id) AS mp
"""


def all_rows(first: int, end: int) -> str:
    return f"{ALL_VALUES} FROM range({first}, {end}, 1, 2)"


@pytest.fixture(scope="module")
def tables(answers: Answers) -> Tables:
    return Tables(answers)


def test_all_types(tables: Tables) -> None:
    table = create(tables, "types", ALL_TYPES)
    tables.run(f"INSERT INTO {table} {all_rows(0, 100)}")
    tables.same(f"SELECT * FROM {table}")
    tables.same(
        f"SELECT s, count(*), sum(dec18), max(ts) FROM {table} WHERE day > '1969-12-20' GROUP BY s"
    )
    tables.same(f"SELECT st.z.w, arr[0].b, mp['k'] FROM {table} WHERE st.x > 3")
    tables.same(f"SELECT count(*) FROM {table} WHERE id > 10")


@pytest.mark.parametrize(
    "partitioning",
    [
        "k",
        "s",
        "day",
        "dec",
        "f, flag",
        "ts, ntz",
        "bin",
        "bucket(4, id)",
        "truncate(2, s)",
        "days(ts)",
        "hours(ts)",
        "k, bucket(2, s), years(day)",
    ],
)
def test_partition_transforms(tables: Tables, partitioning: str) -> None:
    name = "by_" + "".join(c if c.isalnum() else "_" for c in partitioning)
    columns = "id BIGINT, k INT, s STRING, day DATE, dec DECIMAL(20,3), ts TIMESTAMP, "
    columns += "ntz TIMESTAMP_NTZ, f FLOAT, flag BOOLEAN, bin BINARY"
    table = create(tables, name, columns, then=f"PARTITIONED BY ({partitioning})")
    tables.run(
        f"INSERT INTO {table} SELECT id, IF(id % 5 = 0, NULL, CAST(id % 3 AS INT)), "
        "IF(id % 4 = 0, NULL, element_at(array('a b', 'ü/=%', 'x:y', ''), int(id % 4) + 1)), "
        "date_add(DATE'1968-01-01', int(id % 3) * 400), CAST(id % 3 AS DECIMAL(20,3)) / 7, "
        "timestamp_seconds((id % 3) * 90000), TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', "
        "element_at(array(-0.0F, float('NaN'), 1.5F, NULL), int(id % 4) + 1), id % 2 = 0, "
        "IF(id % 2 = 0, NULL, X'00FF') FROM range(60)"
    )
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT k, s, count(*), sum(id) FROM {table} WHERE k = 1 OR s > 'a' GROUP BY ALL")
    tables.same(f"SELECT id, _file, _pos, _spec_id, _partition FROM {table} WHERE id > 7")
    tables.same(f"SELECT id FROM {table} WHERE ts < TIMESTAMP'1970-01-02' AND day > '1969-01-01'")
    tables.same(f"SELECT id, f FROM {table} WHERE f > 1 OR (flag AND dec < 0.2)")


def test_partition_evolution(tables: Tables) -> None:
    """Files of each spec have other constants: the identity partitions of their own spec."""
    table = create(tables, "specs", "id INT, k INT, s STRING", then="PARTITIONED BY (k)")
    rows = "SELECT CAST(id AS INT), CAST(id % 3 AS INT), concat('s', id % 2) FROM range(20)"
    tables.run(
        f"INSERT INTO {table} {rows}",
        f"ALTER TABLE {table} DROP PARTITION FIELD k",
        f"INSERT INTO {table} {rows}",
        f"ALTER TABLE {table} ADD PARTITION FIELD s",
        f"INSERT INTO {table} {rows}",
        f"ALTER TABLE {table} ALTER COLUMN k TYPE BIGINT",
        f"INSERT INTO {table} {rows}",
    )
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT * FROM {table} WHERE k = 2 AND s = 's1'")
    tables.same(f"SELECT id, k, _partition, _spec_id FROM {table}")


def test_schema_evolution(tables: Tables) -> None:
    table = create(
        tables, "schemas", "a INT, b FLOAT, c DECIMAL(8,2), d STRING, e STRING, st STRUCT<x: INT>"
    )
    tables.run(
        f"INSERT INTO {table} VALUES (1, 1.5, 2.25, 'd', 'e', named_struct('x', 1))",
        f"ALTER TABLE {table} ALTER COLUMN a TYPE BIGINT",
        f"ALTER TABLE {table} ALTER COLUMN b TYPE DOUBLE",
        f"ALTER TABLE {table} ALTER COLUMN c TYPE DECIMAL(20,2)",
        f"ALTER TABLE {table} RENAME COLUMN d TO renamed",
        f"ALTER TABLE {table} DROP COLUMN e",
        f"ALTER TABLE {table} ADD COLUMN e INT FIRST",
        f"ALTER TABLE {table} ADD COLUMN d DATE AFTER a",
        f"ALTER TABLE {table} ADD COLUMN st.y STRING",
        f"INSERT INTO {table} VALUES (7, 1L << 40, DATE'2020-02-02', 2.5D, 3.25, 'r', "
        "named_struct('x', 2, 'y', 'y'))",
    )
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT d, e, renamed FROM {table} WHERE a >= 1 AND b > 1")
    tables.same(f"SELECT * FROM {table} WHERE renamed = 'd'")
    tables.same(f"SELECT * FROM {table} WHERE e = 7")
    tables.same(f"SELECT * FROM {table} WHERE a = 1 AND c < 3 AND d IS NULL")
    tables.same(f"SELECT st.y FROM {table} WHERE e IS NULL", replays=None)


def test_renamed_nested_fields_are_read_by_iceberg(tables: Tables) -> None:
    table = create(tables, "nested", "id INT, st STRUCT<x: INT, y: INT>")
    tables.run(
        f"INSERT INTO {table} VALUES (1, named_struct('x', 1, 'y', 2)), (2, NULL)",
        f"ALTER TABLE {table} RENAME COLUMN st.x TO z",
    )
    tables.same(f"SELECT * FROM {table}", replays=1)
    tables.run(
        f"ALTER TABLE {table} DROP COLUMN st.y",
        f"ALTER TABLE {table} ADD COLUMN st.y STRING",
    )
    tables.same(f"SELECT st.y FROM {table}", replays=1)


def test_files_without_ids_are_read_by_the_name_mapping(tables: Tables, tmp_path: Path) -> None:
    path = (tmp_path / "imported").as_uri()
    columns = (
        "id BIGINT, name STRING, st STRUCT<x: INT>, arr ARRAY<INT>, mp MAP<STRING, INT>, k INT"
    )
    with configured(tables.answers.session, {"spark.broadhead.enabled": "false"}):
        tables.answers.session.sql(
            "SELECT id, concat('n', id) AS name, named_struct('x', CAST(id AS INT)) AS st, "
            "array(1, 2) AS arr, map('a', 1) AS mp, CAST(id % 2 AS INT) AS k FROM range(20)"
        ).write.partitionBy("k").parquet(path)
    table = create(tables, "imported", columns, then="PARTITIONED BY (k)")
    tables.run(
        f"CALL ice.system.add_files(table => 'db.imported', source_table => '`parquet`.`{path}`')"
    )
    tables.same(f"SELECT * FROM {table}")
    tables.run(
        f"ALTER TABLE {table} RENAME COLUMN name TO other",
        f"INSERT INTO {table} SELECT 99, 'own', NULL, NULL, NULL, 1",
    )
    tables.same(f"SELECT * FROM {table}")
    tables.run(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('schema.name-mapping.default')")
    tables.same(f"SELECT id, k FROM {table}", replays=None)


def test_default_values(tables: Tables) -> None:
    table = create(tables, "defaults", "id INT", then="TBLPROPERTIES ('format-version'='3')")
    tables.run(f"INSERT INTO {table} VALUES (1), (2)")
    session = tables.answers.session
    iceberg = session._jvm.org.apache.iceberg
    of_table = iceberg.spark.Spark3Util.loadIcebergTable(session._jsparkSession, table)
    types = iceberg.types.Types
    literal = iceberg.expressions.Literal
    of_table.updateSchema().addColumn("s", types.StringType.get(), literal.of("größe")).addColumn(
        "n", types.IntegerType.get(), literal.of(7)
    ).commit()
    tables.run(f"REFRESH TABLE {table}", f"INSERT INTO {table} VALUES (3, NULL, 8)")
    tables.same(f"SELECT * FROM {table}")
    filtered = tables.answers.session.sql(f"SELECT s, n FROM {table} WHERE n = 7 ORDER BY s")
    reason = "columns with default values are filtered by Iceberg"
    assert reason in str(broadhead.explain(filtered))


def test_time_travel_and_branches(tables: Tables) -> None:
    table = create(tables, "travel", "id INT, s STRING")
    tables.run(
        f"INSERT INTO {table} VALUES (1, 'a')",
        f"ALTER TABLE {table} CREATE TAG first",
        f"ALTER TABLE {table} CREATE BRANCH side",
        f"INSERT INTO {table} VALUES (2, 'b')",
        f"INSERT INTO {table}.branch_side VALUES (3, 'c')",
        f"ALTER TABLE {table} RENAME COLUMN s TO t",
    )
    with configured(tables.answers.session, {"spark.broadhead.enabled": "false"}):
        snapshots = tables.answers.session.sql(
            f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at"
        ).collect()
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT * FROM {table} VERSION AS OF 'first'")
    tables.same(f"SELECT * FROM {table} VERSION AS OF {snapshots[0][0]}")
    tables.same(f"SELECT * FROM {table}.branch_side")
    made = tables.answers.same_rows(
        lambda spark: (
            spark.read.option("start-snapshot-id", snapshots[0][0])
            .option("end-snapshot-id", snapshots[1][0])
            .table(table)
        )
    )
    assert "BroadheadBatchScan" in plan_of(made)


def test_empty_tables(tables: Tables) -> None:
    table = create(tables, "empty", "id INT, s STRING")
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT count(*), max(s) FROM {table}")
    tables.run(f"INSERT INTO {table} VALUES (1, 'a')", f"DELETE FROM {table}")
    tables.same(f"SELECT s, count(*) FROM {table} GROUP BY s")
    tables.same(f"SELECT * FROM {table} a JOIN {table} b ON a.id = b.id")


def test_many_files_and_filters(tables: Tables) -> None:
    table = create(tables, "many", "id BIGINT, s STRING, d DECIMAL(12,2), day DATE")
    tables.run(
        f"INSERT INTO {table} SELECT id, concat('s', id % 50), id / 3, date_add(DATE'2020-01-01', "
        "CAST(id % 400 AS INT)) FROM range(0, 6000, 1, 40)"
    )
    tables.same(f"SELECT s, count(*), sum(d) FROM {table} GROUP BY s")
    tables.same(f"SELECT * FROM {table} WHERE id BETWEEN 100 AND 300 AND s IN ('s1', 's2', NULL)")
    tables.same(f"SELECT count(*) FROM {table} WHERE day > '2020-03-01' AND (d < 20 OR id = 5999)")
    tables.same(f"SELECT id FROM {table} WHERE s LIKE 's1%' AND NOT (id < 5000)")


def test_row_groups_are_pruned(tables: Tables) -> None:
    size = "TBLPROPERTIES ('write.parquet.row-group-size-bytes'='20000')"
    table = create(tables, "groups", "id BIGINT, s STRING", then=size)
    tables.run(
        f"INSERT INTO {table} SELECT id, repeat(sha2(CAST(id AS STRING), 256), 3) "
        "FROM range(0, 4000, 1, 1)"
    )
    frame = tables.same(f"SELECT * FROM {table} WHERE id >= 3990")
    assert metric_total(frame, "rowGroupsPruned") > 2
    frame = tables.same(f"SELECT * FROM {table} WHERE id IN (1, 3990)")
    assert metric_total(frame, "rowGroupsPruned") > 2


def test_joins_and_runtime_filters(tables: Tables) -> None:
    facts = create(tables, "facts", "id BIGINT, k INT, v DOUBLE", then="PARTITIONED BY (k)")
    dims = create(tables, "dims", "k INT, name STRING")
    tables.run(
        f"INSERT INTO {facts} SELECT id, CAST(id % 20 AS INT), id * 1.5D FROM range(2000)",
        f"INSERT INTO {dims} SELECT CAST(id AS INT), concat('n', id % 4) FROM range(20)",
    )
    query = f"SELECT name, count(*), sum(v) FROM {facts} f JOIN {dims} d ON f.k = d.k"
    frame = tables.same(f"{query} WHERE name = 'n1' GROUP BY name")
    assert "dynamicpruning" in plan_of(frame)
    tables.same(f"{query} GROUP BY name")
    tables.same(
        f"SELECT * FROM {facts} a JOIN {facts} b ON a.id = b.id AND a.k = b.k WHERE a.v < 90"
    )


@pytest.mark.parametrize("pushed", ["false", "true"])
def test_joins_of_storage_partitions(tables: Tables, pushed: str) -> None:
    settings = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.sources.v2.bucketing.pushPartValues.enabled": pushed,
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
        "spark.sql.requireAllClusterKeysForCoPartition": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    names = [f"left{pushed}", f"right{pushed}"]
    left, right = (
        create(tables, name, "id BIGINT, k INT, v INT", then="PARTITIONED BY (bucket(4, id))")
        for name in names
    )
    tables.run(
        f"INSERT INTO {left} SELECT id, CAST(id % 3 AS INT), CAST(id AS INT) FROM range(300)",
        f"INSERT INTO {left} SELECT id, CAST(id % 3 AS INT), CAST(id AS INT) FROM range(90)",
        f"INSERT INTO {right} SELECT id, CAST(id % 5 AS INT), 1 FROM range(100, 400)",
    )
    with configured(tables.answers.session, settings):
        frame = tables.same(f"SELECT a.id, a.v, b.k FROM {left} a JOIN {right} b ON a.id = b.id")
        assert "Exchange" not in plan_of(frame)
        tables.same(
            f"SELECT a.k, count(*) FROM {left} a LEFT JOIN {right} b ON a.id = b.id GROUP BY a.k"
        )


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * FROM {table}.files", "Iceberg makes the rows of a table of metadata itself"),
        ("SELECT * FROM {table}.history", "Iceberg makes the rows of a table of metadata itself"),
        ("SELECT id, u FROM {table}", "column u of type uuid is read by Iceberg"),
    ],
)
def test_reasons(tables: Tables, query: str, reason: str) -> None:
    table = "ice.db.reasons"
    tables.run("CREATE TABLE IF NOT EXISTS ice.db.reasons (id INT) USING iceberg")
    session = tables.answers.session
    iceberg = session._jvm.org.apache.iceberg
    of_table = iceberg.spark.Spark3Util.loadIcebergTable(session._jsparkSession, table)
    if of_table.schema().findField("u") is None:
        tables.run(f"INSERT INTO {table} VALUES (1)")
        of_table.updateSchema().addColumn("u", iceberg.types.Types.UUIDType.get()).commit()
        tables.run(f"REFRESH TABLE {table}")
    text = str(
        broadhead.explain(session.sql(query.format(table=table) + " WHERE 1 < 2 ORDER BY 1"))
    )
    assert reason in text


def test_data_files_of_other_formats_are_read_by_iceberg(tables: Tables) -> None:
    table = create(tables, "orc", "id INT", then="TBLPROPERTIES ('write.format.default'='orc')")
    tables.run(f"INSERT INTO {table} VALUES (1), (2)")
    frame = tables.answers.session.sql(f"SELECT id + 1 AS n FROM {table}")
    assert "data files of ORC are read by Iceberg" in str(broadhead.explain(frame))
    assert sorted(row[0] for row in frame.collect()) == [2, 3]


def test_a_broken_file_gives_the_same_error(tables: Tables) -> None:
    table = create(tables, "broken", "id INT")
    tables.run(f"INSERT INTO {table} VALUES (1)")
    (row,) = tables.answers.session.sql(f"SELECT file_path FROM {table}.files").collect()
    path = Path(row[0].removeprefix("file:"))
    path.write_bytes(path.read_bytes()[:-20])
    tables.answers.same_error(lambda spark: spark.sql(f"SELECT id + 1 FROM {table}"), "")


def test_other_file_systems(tables: Tables, s3: S3Server) -> None:
    """Hadoop's S3A, and an access to files that is Iceberg's own and nobody else's."""
    prefix = "spark.sql.catalog"
    catalogs = {
        f"{prefix}.stored": "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.stored.type": "hadoop",
        f"{prefix}.stored.warehouse": f"s3a://{BUCKET}/größe 1 %41",
        f"{prefix}.memory": "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.memory.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
        f"{prefix}.memory.warehouse": "memory://own/tables",
    }
    rows = "SELECT id, concat('größe ', id % 3) AS s, id % 2 AS k FROM range(0, 500, 1, 3)"
    with configured(tables.answers.session, catalogs):
        for catalog in ("stored", "memory"):
            tables.run(
                f"CREATE NAMESPACE IF NOT EXISTS {catalog}.db",
                f"CREATE TABLE {catalog}.db.t USING iceberg PARTITIONED BY (s) TBLPROPERTIES "
                f"('write.delete.mode'='merge-on-read') AS {rows}",
                f"DELETE FROM {catalog}.db.t WHERE id % 7 = 1",
            )
            frame = tables.same(f"SELECT s, count(*), sum(id) FROM {catalog}.db.t GROUP BY s")
            assert metric_total(frame, "requests") > 0
            assert metric_total(frame, "numDeletes") > 0
            tables.same(f"SELECT id, _file FROM {catalog}.db.t WHERE k = 1")
    assert s3.keys("größe 1 %41/db/t/data")


def test_odd_names(tables: Tables) -> None:
    names = ("a.b", "größe x", "select", "x`y", "_pos2", "1", "a/b%41")
    quoted = ", ".join("`" + name.replace("`", "``") + "`" for name in names)
    columns = ", ".join(f"{name} INT" for name in quoted.split(", "))
    table = create(tables, "odd", columns, then="PARTITIONED BY (`größe x`, truncate(2, `1`))")
    tables.run(f"INSERT INTO {table} SELECT 1, 2, 3, 4, 5, 6, id FROM range(20)")
    tables.same(f"SELECT * FROM {table} WHERE `a.b` = 1 AND `a/b%41` > 3")
    tables.same(f"SELECT `größe x`, `x``y`, count(*) FROM {table} GROUP BY ALL")


def test_files_whose_names_were_other_columns(tables: Tables) -> None:
    """The names of two columns are exchanged: ids decide, in filters too."""
    table = create(tables, "swapped", "a INT, b INT, st STRUCT<a: INT, b: INT>")
    tables.run(
        f"INSERT INTO {table} SELECT id, id + 100, named_struct('a', 1, 'b', 2) FROM range(10)",
        f"ALTER TABLE {table} RENAME COLUMN a TO c",
        f"ALTER TABLE {table} RENAME COLUMN b TO a",
        f"ALTER TABLE {table} RENAME COLUMN c TO b",
        f"ALTER TABLE {table} ALTER COLUMN st.b FIRST",
        f"INSERT INTO {table} SELECT id, id + 1000, NULL FROM range(10)",
    )
    tables.same(f"SELECT * FROM {table}")
    tables.same(f"SELECT a, b FROM {table} WHERE a >= 100")
    tables.same(f"SELECT a, b FROM {table} WHERE b < 5")
