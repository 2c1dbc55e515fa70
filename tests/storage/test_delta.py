"""Tables of Delta Lake: scans in fragments, and Delta's own commands over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from spark.answers import Answers, plan_of
from spark.test_parquet_files import all_columns
from sql_sessions import answer_of, configured
from storage.s3_server import BUCKET, S3Server

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

READ = "BroadheadFileSourceScan"
ROWS = "SELECT id, id % 5 AS k, concat('name ', id % 11) AS s FROM range(0, 900, 1, 3)"
COUNTS = "SELECT k, count(*), max(s), sum(id) FROM {} WHERE id > 100 GROUP BY k"


@pytest.fixture
def table(answers: Answers, tmp_path: Path) -> Iterator[str]:
    """The name of a Delta table that the test creates, in `tmp_path`."""
    yield "delta_table"
    answers.session.sql("DROP TABLE IF EXISTS delta_table")


def create(
    answers: Answers, folder: Path, *, clause: str = "", rows: str = ROWS, **properties: str
) -> None:
    """The Delta table, written by Spark."""
    keys = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    with_keys = f"TBLPROPERTIES ({keys})" if keys else ""
    by_spark(
        answers,
        f"CREATE TABLE delta_table USING delta {clause} LOCATION '{(folder / 't').as_uri()}' "
        f"{with_keys} AS {rows}",
    )


def by_spark(answers: Answers, *statements: str) -> None:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        for statement in statements:
            answers.session.sql(statement)


def same_rows(answers: Answers, make: Callable[[SparkSession], DataFrame]) -> None:
    """The rows are Spark's, and the files were read in a fragment."""
    assert READ in plan_of(answers.same_rows(make))


def left_to_spark(answers: Answers, sql: str, reason: str) -> None:
    """The rows are Spark's, which has read the files."""
    frame = answers.same_rows(lambda spark: spark.sql(sql))
    assert READ not in plan_of(frame)
    assert reason in str(explain(frame))


def test_all_types(answers: Answers, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        features = {"delta.feature.timestampNtz": "supported"}
        all_columns(answers.session).write.format("delta").options(**features).save(path)
    same_rows(answers, lambda spark: spark.read.format("delta").load(path))
    same_rows(answers, lambda spark: spark.read.format("delta").load(path).where("id % 3 = 1"))


def test_partitions_and_changes(answers: Answers, tmp_path: Path, table: str) -> None:
    """Files of old versions stay in the folders; they are read in no other version."""
    create(answers, tmp_path, clause="PARTITIONED BY (k, s)", enableDeletionVectors="false")
    same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))
    by_spark(
        answers,
        f"DELETE FROM {table} WHERE id % 10 = 3",
        f"UPDATE {table} SET s = 'größe 100%/#' WHERE k = 2",
        f"MERGE INTO {table} t USING (SELECT id * 7 AS id, 1L AS k, 'm' AS s FROM range(200)) n "
        "ON t.id = n.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        f"ALTER TABLE {table} ADD COLUMN added DOUBLE",
        f"INSERT INTO {table} VALUES (7, 7, 'seven', 7.0)",
    )
    for sql in (
        COUNTS.format(table),
        f"SELECT * FROM {table}",
        f"SELECT * FROM {table} WHERE s = 'größe 100%/#' AND added IS NULL",
        f"SELECT k, added, _metadata.file_name FROM {table} WHERE k = 7",
        f"SELECT * FROM {table} VERSION AS OF 0",
        f"SELECT count(*) FROM {table} VERSION AS OF 2 WHERE k = 2",
    ):
        same_rows(answers, lambda spark, sql=sql: spark.sql(sql))


def test_deletion_vectors(answers: Answers, tmp_path: Path, table: str) -> None:
    create(answers, tmp_path, clause="PARTITIONED BY (k)", enableDeletionVectors="true")
    by_spark(
        answers,
        f"DELETE FROM {table} WHERE id % 10 = 3",
        f"DELETE FROM {table} WHERE id = 17",
        f"INSERT INTO {table} VALUES (1000, 1, 'new')",
        f"UPDATE {table} SET s = 'changed' WHERE id % 50 = 1",
    )
    for sql in (
        f"SELECT * FROM {table}",
        COUNTS.format(table),
        f"SELECT s, sum(id) FROM {table} WHERE k = 3 GROUP BY s",
        f"SELECT count(*) FROM {table} WHERE k = 1 OR s = 'changed'",
        f"SELECT id, _metadata.row_index FROM {table} WHERE id < 500",
        f"SELECT a.s, count(*) FROM {table} a JOIN {table} b ON a.id = b.id + 1 GROUP BY a.s",
        f"SELECT * FROM {table} VERSION AS OF 0",
    ):
        same_rows(answers, lambda spark, sql=sql: spark.sql(sql))
    by_spark(answers, f"REORG TABLE {table} APPLY (PURGE)")
    same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))


def test_deletion_vectors_of_long_files(answers: Answers, tmp_path: Path, table: str) -> None:
    """Files with several row groups, that are split; one loses all its rows."""
    rows = "SELECT id, id % 7 AS k, CAST(id AS STRING) AS s FROM range(0, 60000, 1, 2)"
    with configured(answers.session, {"parquet.block.size": "60000"}):
        create(answers, tmp_path, rows=rows, enableDeletionVectors="true")
    by_spark(
        answers,
        f"DELETE FROM {table} WHERE id % 3 = 1 OR id BETWEEN 20000 AND 41000",
        f"DELETE FROM {table} WHERE id > 59000",
    )
    with configured(answers.session, {"spark.sql.files.maxPartitionBytes": "40000"}):
        same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))
        same_rows(answers, lambda spark: spark.sql(f"SELECT * FROM {table} WHERE id > 45000"))


def test_a_deletion_vector_that_is_gone(answers: Answers, tmp_path: Path, table: str) -> None:
    one_file = "SELECT id, id % 5 AS k, 's' AS s FROM range(0, 900, 1, 1)"
    create(answers, tmp_path, rows=one_file, enableDeletionVectors="true")
    by_spark(answers, f"DELETE FROM {table} WHERE id % 10 = 3")
    (vector,) = (tmp_path / "t").glob("deletion_vector_*.bin")
    vector.unlink()
    outcome = answers.same_outcome(lambda spark: spark.sql(COUNTS.format(table)))
    assert outcome == "error"


@pytest.mark.parametrize("mode", ["name", "id"])
def test_column_mapping(answers: Answers, tmp_path: Path, table: str, mode: str) -> None:
    keys = {"columnMapping.mode": mode}
    create(answers, tmp_path, clause="PARTITIONED BY (k)", enableDeletionVectors="true", **keys)
    same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))
    by_spark(
        answers,
        f"ALTER TABLE {table} RENAME COLUMN s TO other",
        f"ALTER TABLE {table} RENAME COLUMN k TO s",
        f"ALTER TABLE {table} RENAME COLUMN other TO `k.=`",
        f"ALTER TABLE {table} ADD COLUMN n DOUBLE",
        f"INSERT INTO {table} (id, s, `k.=`, n) VALUES (7, 7, 'seven', 7.0)",
        f"DELETE FROM {table} WHERE id % 10 = 3",
    )
    for sql in (
        f"SELECT * FROM {table}",
        f"SELECT `k.=`, sum(s), sum(n) FROM {table} GROUP BY ALL",
        f"SELECT id FROM {table} WHERE `k.=` = 'seven' OR s = 2 AND n IS NULL",
    ):
        same_rows(answers, lambda spark, sql=sql: spark.sql(sql))


def test_mapped_fields(answers: Answers, tmp_path: Path, table: str) -> None:
    """Fields of structs have other names in the files, too."""
    rows = (
        "SELECT id, named_struct('a', id, 'b', array(named_struct('c', id % 7))) AS t, "
        "map('m', named_struct('d', CAST(id AS STRING))) AS m FROM range(200)"
    )
    create(answers, tmp_path, rows=rows, **{"columnMapping.mode": "name"})
    by_spark(
        answers,
        f"ALTER TABLE {table} RENAME COLUMN t.a TO x",
        f"ALTER TABLE {table} ADD COLUMN t.a STRING",
        f"INSERT INTO {table} SELECT id, named_struct('x', id, 'b', NULL, 'a', 'new'), NULL "
        "FROM range(5)",
    )
    for sql in (
        f"SELECT * FROM {table}",
        f"SELECT t.a, t.x, t.b[0].c FROM {table} WHERE t.x > 2",
        f"SELECT m['m'].d, count(*) FROM {table} GROUP BY ALL",
    ):
        same_rows(answers, lambda spark, sql=sql: spark.sql(sql))


def test_a_table_whose_columns_are_mapped_later(
    answers: Answers, tmp_path: Path, table: str
) -> None:
    create(answers, tmp_path, enableDeletionVectors="false")
    keys = (
        "'delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', "
        "'delta.minWriterVersion' = '5'"
    )
    by_spark(
        answers,
        f"ALTER TABLE {table} SET TBLPROPERTIES ({keys})",
        f"ALTER TABLE {table} DROP COLUMN s",
        f"ALTER TABLE {table} ADD COLUMN s STRING",
    )
    same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))


def test_types_that_became_wider(answers: Answers, tmp_path: Path, table: str) -> None:
    rows = "SELECT CAST(id AS INT) AS n, CAST(id AS DECIMAL(5,2)) AS d FROM range(99)"
    create(answers, tmp_path, rows=rows, enableTypeWidening="true")
    by_spark(
        answers,
        f"ALTER TABLE {table} ALTER COLUMN n TYPE BIGINT",
        f"ALTER TABLE {table} ALTER COLUMN d TYPE DECIMAL(12,4)",
        f"INSERT INTO {table} VALUES (12345678901, 12345678.1234)",
    )
    frame = answers.same_rows(lambda spark: spark.sql(f"SELECT n FROM {table}"), replays=None)
    assert READ in plan_of(frame)
    answers.same_rows(lambda spark: spark.sql(f"SELECT * FROM {table}"), replays=None)


def test_rows_with_ids(answers: Answers, tmp_path: Path, table: str) -> None:
    create(answers, tmp_path, enableRowTracking="true", enableDeletionVectors="false")
    same_rows(answers, lambda spark: spark.sql(COUNTS.format(table)))
    same_rows(answers, lambda spark: spark.sql(f"SELECT id, _metadata.base_row_id FROM {table}"))
    by_spark(answers, f"UPDATE {table} SET s = 'u' WHERE id % 5 = 0")
    fields = "_metadata.row_id % 7 AS r, max(_metadata.row_commit_version)"
    same_rows(answers, lambda spark: spark.sql(f"SELECT {fields} FROM {table} GROUP BY r"))


def test_changes_of_a_table(answers: Answers, tmp_path: Path, table: str) -> None:
    create(answers, tmp_path, enableChangeDataFeed="true", enableDeletionVectors="true")
    by_spark(
        answers,
        f"DELETE FROM {table} WHERE id % 10 = 3",
        f"UPDATE {table} SET s = 'new' WHERE id % 10 = 4",
    )
    columns = "_change_type, k, count(*), sum(id)"
    answers.same_rows(
        lambda spark: spark.sql(
            f"SELECT {columns} FROM table_changes('{table}', 0) GROUP BY _change_type, k"
        )
    )


COMMANDS = (
    "DELETE FROM {} WHERE id % 10 = 3",
    "UPDATE {} SET s = concat(s, '!') WHERE id < 300 AND k = 2",
    "MERGE INTO {} t USING (SELECT id * 7 AS id, 1L AS k, 'm' AS s FROM range(200)) n "
    "ON t.id = n.id WHEN MATCHED AND t.k = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
    "WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.k = 4 THEN DELETE",
    "INSERT OVERWRITE {} SELECT * FROM {} WHERE id > 50",
    "OPTIMIZE {}",
)


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_commands_of_delta(answers: Answers, tmp_path: Path, vectors: str) -> None:
    """They read the table in fragments, and find the same rows."""

    def rows_after_each(*, enabled: bool) -> list[pa.Table]:
        found = []
        name = f"changed_{enabled}"
        by_spark(
            answers,
            f"CREATE TABLE {name} USING delta LOCATION '{(tmp_path / name).as_uri()}' "
            f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}') AS {ROWS}",
        )
        try:
            for command in COMMANDS:
                with configured(answers.session, {"spark.broadhead.enabled": str(enabled).lower()}):
                    answers.session.sql(command.replace("{}", name))
                with configured(answers.session, {"spark.broadhead.enabled": "false"}):
                    found.append(answer_of(answers.session.table(name).sort("id", "k", "s")))
        finally:
            answers.session.sql(f"DROP TABLE {name}")
        return found

    assert rows_after_each(enabled=True) == rows_after_each(enabled=False)


def test_counters_of_commands(answers: Answers, tmp_path: Path) -> None:
    """Delta's own numbers of rows in the history of a table, which expressions count."""

    def history(*, enabled: bool) -> list[dict[str, str]]:
        name = f"counted_{enabled}"
        by_spark(
            answers,
            f"CREATE TABLE {name} USING delta LOCATION '{(tmp_path / name).as_uri()}' "
            f"TBLPROPERTIES ('delta.enableDeletionVectors' = 'false') AS {ROWS}",
        )
        try:
            for command in COMMANDS[:3]:
                with configured(answers.session, {"spark.broadhead.enabled": str(enabled).lower()}):
                    answers.session.sql(command.replace("{}", name))
            versions = answers.session.sql(f"DESCRIBE HISTORY {name}").sort("version").collect()
        finally:
            answers.session.sql(f"DROP TABLE {name}")
        return [
            {key: n for key, n in row.operationMetrics.items() if "Rows" in key} for row in versions
        ]

    counted = history(enabled=True)
    assert counted == history(enabled=False)
    assert counted[3]["numTargetRowsUpdated"] != "0"


def test_a_delta_table_in_s3(answers: Answers, s3: S3Server) -> None:
    path = f"s3a://{BUCKET}/delta"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.sql(ROWS).write.format("delta").partitionBy("k").save(path)
    same_rows(answers, lambda spark: spark.read.format("delta").load(path).where("id > 7"))
