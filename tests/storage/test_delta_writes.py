"""Writes of Delta Lake: files of workers with Delta's statistics, and what Delta writes itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers
from spark.test_parquet_files import all_columns
from sql_sessions import answer_of, configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = "SELECT id, id % 5 AS k, concat('name ', id % 11) AS s FROM range(0, 900, 1, 3)"
MERGE = (
    "MERGE INTO {} t USING (SELECT id * 7 AS id, 1L AS k, 'm' AS s FROM range(200)) n "
    "ON t.id = n.id WHEN MATCHED AND t.k = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
    "WHEN NOT MATCHED THEN INSERT *"
)


def both(
    answers: Answers, folder: Path, write: Callable[[SparkSession, str], object]
) -> tuple[Path, Path]:
    """Two tables: one that Broadhead has written, and one that plain Spark has written."""
    for name, enabled in (("ours", "true"), ("spark", "false")):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            write(answers.session, str(folder / name))
    return folder / "ours", folder / "spark"


def source(answers: Answers, folder: Path, rows: str = ROWS) -> str:
    """A query over Parquet files with these rows, which a fragment reads."""
    path = folder / "source"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.sql(rows).write.parquet(str(path))
    return f"SELECT * FROM parquet.`{path}`"


def added(table: Path) -> list[dict[str, Any]]:
    """The files that the log of a table has added, in its order of versions."""
    logs = sorted((table / "_delta_log").glob("*.json"))
    lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
    return [line["add"] for line in lines if "add" in line]


def statistics(table: Path) -> list[Any]:
    """The statistics of all files, without an order of the files of a version."""
    found = [(add["stats"], sorted(add["partitionValues"].items())) for add in added(table)]
    return sorted(found, key=str)


def writers(table: Path) -> set[str]:
    """The libraries that have encoded the data files."""
    files = [file for file in table.rglob("*.parquet") if "_delta_log" not in file.parts]
    return {pq.ParquetFile(file).metadata.created_by.split()[0] for file in files}


def same_tables(answers: Answers, ours: Path, spark: Path, *keys: str) -> None:
    """The tables have the same rows, schemas and statistics of files."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        read = answers.session.read.format("delta")
        tables = [read.load(str(path)) for path in (ours, spark)]
        assert tables[0].schema == tables[1].schema
        first, second = (answer_of(table.sort(*(keys or table.columns))) for table in tables)
    # NaN is in one text what it is in the other.
    assert str(first.to_pylist()) == str(second.to_pylist())
    assert statistics(ours) == statistics(spark)
    assert all(json.loads(stats) for stats, _ in statistics(ours))


def test_all_types(answers: Answers, tmp_path: Path) -> None:
    """Types, nulls, NaN and bounds of values in files and statistics."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        all_columns(answers.session).write.parquet(str(tmp_path / "source"))

    def write(spark: SparkSession, path: str) -> None:
        rows = spark.read.parquet(str(tmp_path / "source")).where("id % 3 > 0")
        # Spark's default for timestamps, INT96, is not written beside those without a zone.
        with configured(spark, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}):
            rows.write.format("delta").option("delta.feature.timestampNtz", "supported").save(path)

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-cpp-arrow"}
    same_tables(answers, ours, spark, "id")
    schemas = [pq.read_schema(next(path.glob("*.parquet"))) for path in (ours, spark)]
    assert schemas[0] == schemas[1]


VALUES = {
    "nan": ("id INT, x DOUBLE, f FLOAT", "(1, double('NaN'), float('-Infinity')), (2, -0.0, NULL)"),
    "nulls": (
        "id INT, s STRING, d DATE",
        "(1, CAST(NULL AS STRING), CAST(NULL AS DATE)), (2, NULL, NULL)",
    ),
    "texts": (
        "id INT, s STRING, b BINARY",
        "(1, repeat('ä', 40), X'00FF'), (2, repeat('😀', 33), X''), (3, '', NULL)",
    ),
    "times": (
        "id INT, t TIMESTAMP, d DATE",
        "(1, TIMESTAMP'2020-02-29 12:00:00.123456', DATE'1969-12-31'), "
        "(2, TIMESTAMP'1950-01-01 00:00:00', DATE'9999-12-31')",
    ),
    "nested": (
        "id INT, st STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<INT>, m MAP<STRING, INT>",
        "(1, named_struct('a', 7, 'b', named_struct('c', 'x')), array(1, NULL), map('k', 1)), "
        "(2, named_struct('a', NULL, 'b', NULL), NULL, map()), (3, NULL, array(), NULL)",
    ),
    "wide": ("id INT, d DECIMAL(38, 18), e DECIMAL(9, 2)", "(1, -12.5, 3.1), (2, 1e19, NULL)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_statistics_of_values(answers: Answers, tmp_path: Path, kind: str) -> None:
    columns, values = VALUES[kind]
    names = [column.split()[0] for column in columns.split(", ") if column[0].islower()]
    names = {"nested": ["id", "st", "l", "m"]}.get(kind, names)
    rows = source(answers, tmp_path, f"SELECT * FROM VALUES {values} AS t({', '.join(names)})")

    def write(spark: SparkSession, path: str) -> None:
        spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")
        spark.sql(f"INSERT INTO delta.`{path}` {rows} WHERE id > 0")

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-cpp-arrow"}
    same_tables(answers, ours, spark, "id")


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_commands(answers: Answers, tmp_path: Path, vectors: str) -> None:
    """Each command writes its files in fragments; the log has the same statistics."""
    rows = source(answers, tmp_path)

    def write(spark: SparkSession, path: str) -> None:
        name = f"delta.`{path}`"
        keys = f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
        for command in (
            f"CREATE TABLE {name} USING delta {keys} AS {rows}",
            MERGE.replace("{}", name),
            f"UPDATE {name} SET s = concat(s, '!') WHERE id < 300 AND k = 2",
            f"DELETE FROM {name} WHERE id % 10 = 3",
            f"INSERT OVERWRITE {name} SELECT * FROM {name} WHERE id > 50",
        ):
            spark.sql(command)

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-cpp-arrow"}
    same_tables(answers, ours, spark)


def test_optimize(answers: Answers, tmp_path: Path) -> None:
    """Files that are joined: the coalesce is in the fragment that writes."""
    rows = source(answers, tmp_path)

    def write(spark: SparkSession, path: str) -> None:
        spark.sql(f"{rows} WHERE id > 7").repartition(4).write.format("delta").save(path)
        spark.sql(f"OPTIMIZE delta.`{path}`")

    ours, spark = both(answers, tmp_path, write)
    joined = ours / added(ours)[-1]["path"]
    assert pq.ParquetFile(joined).metadata.created_by.startswith("parquet-cpp-arrow")
    same_tables(answers, ours, spark, "id")


def test_without_rows(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path)

    def write(spark: SparkSession, path: str) -> None:
        spark.sql(f"{rows} WHERE id < 0").write.format("delta").save(path)
        spark.sql(f"{rows} WHERE id = 7").write.format("delta").mode("append").save(path)

    same_tables(answers, *both(answers, tmp_path, write))


PARTITIONS = {
    "numbers": "k LONG, f BOOLEAN, n DECIMAL(22, 2)",
    "texts": "s STRING",
    "times": "d DATE, t TIMESTAMP",
}
PARTITION_ROWS = (
    "SELECT id, id % 5 - 2 AS k, IF(id % 4 = 0, NULL, id % 3 = 0) AS f, "
    "CAST(id % 3 - 1 AS DECIMAL(22, 2)) AS n, "
    "CASE WHEN id % 7 = 0 THEN NULL WHEN id % 7 = 1 THEN '' ELSE concat('a/ä=', id % 7) END AS s, "
    "date_add(DATE'1969-12-30', int(id % 4)) AS d, "
    "timestamp_millis(id % 3 * 86400000 - 1) AS t, concat('name ', id) AS v "
    "FROM range(0, 900, 1, 3)"
)


@pytest.mark.parametrize("kind", ["texts", *at_night("numbers", "times")])
def test_partitions(answers: Answers, tmp_path: Path, kind: str) -> None:
    """Delta sorts the rows that stand for files; the paths and statistics are Delta's."""
    rows = source(answers, tmp_path, PARTITION_ROWS)
    keys = PARTITIONS[kind]
    names = ", ".join(column.split()[0] for column in keys.replace("22, 2", "22").split(", "))
    columns = f"id LONG, v STRING, {keys}"

    def write(spark: SparkSession, path: str) -> None:
        table = f"delta.`{path}`"
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta PARTITIONED BY ({names})")
        spark.sql(f"INSERT INTO {table} SELECT id, v, {names} FROM ({rows}) WHERE id > 5")
        spark.sql(f"UPDATE {table} SET v = 'new' WHERE id % 6 = 1")
        spark.sql(
            f"MERGE INTO {table} t USING (SELECT id * 7 AS id FROM range(200)) n ON t.id = n.id "
            "WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'merged' "
            "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (n.id, 'more')"
        )

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-cpp-arrow"}
    same_tables(answers, ours, spark, "id")


def test_partitions_that_are_overwritten(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path)

    def write(spark: SparkSession, path: str) -> None:
        frame = spark.sql(f"{rows} WHERE id >= 0")
        frame.write.format("delta").partitionBy("k", "s").save(path)
        again = spark.sql(f"{rows} WHERE id < 100 AND k = 2")
        mode = again.write.format("delta").mode("overwrite")
        mode.option("partitionOverwriteMode", "dynamic").save(path)
        spark.sql(f"OPTIMIZE delta.`{path}`")

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-cpp-arrow"}
    same_tables(answers, ours, spark, "id")


def test_an_error_of_a_row_of_a_partition(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path)
    path = tmp_path / "t"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        frame = answers.session.sql(f"{rows} WHERE id < 10")
        frame.write.format("delta").partitionBy("k").save(str(path))
    before = len(added(path))
    answers.same_error(
        lambda spark: spark.sql(
            f"INSERT INTO delta.`{path}` SELECT 1 div (id - 700), k, s FROM ({rows})"
        ),
        "DIVIDE_BY_ZERO",
    )
    assert len(added(path)) == before


NOTE = "files are encoded in the fragment that gives the command its rows, if one does"
CHECKS = "Delta Lake checks each row: constraints, NOT NULL and generated columns"
COUNTS = "Delta Lake counts the values of identity columns"
IDS = "the files of mapped columns (delta.columnMapping.mode) have field ids"
OURS, DELTAS = "parquet-cpp-arrow", "parquet-mr"

# The columns, the properties, what `explain` says of INSERT and of UPDATE, and who writes.
RULES = {
    "generated": ("g LONG GENERATED ALWAYS AS (id * 2)", "", NOTE, CHECKS, {OURS, DELTAS}),
    "identity": ("g BIGINT GENERATED BY DEFAULT AS IDENTITY", "", COUNTS, NOTE, {OURS, DELTAS}),
    "mapped": ("g INT", "'delta.columnMapping.mode' = 'name'", IDS, IDS, {DELTAS}),
    "not null": ("g LONG, h INT NOT NULL DEFAULT 3", "", CHECKS, CHECKS, {DELTAS}),
    "check": ("g INT", "'delta.constraints.low' = 'id < 5000'", CHECKS, CHECKS, {DELTAS}),
    "changes": ("g INT", "'delta.enableChangeDataFeed' = 'true'", NOTE, NOTE, {OURS}),
    "plain": ("g INT", "", NOTE, NOTE, {OURS}),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["check", "changes", *at_night("generated", "identity", "mapped", "not null", "plain")]
)
def test_tables_with_rules(answers: Answers, tmp_path: Path, kind: str) -> None:
    """`explain` says whether the engine writes; all rows and statistics are those of Delta."""
    column, keys, of_insert, of_update, expected = RULES[kind]
    rows = source(answers, tmp_path)
    defaults = "'delta.feature.allowColumnDefaults' = 'supported'"

    def write(spark: SparkSession, path: str) -> None:
        name = f"delta.`{path}`"
        properties = f"TBLPROPERTIES ({', '.join(filter(None, [keys, defaults]))})"
        columns = f"id LONG, k LONG, s STRING, {column}"
        spark.sql(f"CREATE TABLE {name} ({columns}) USING delta {properties}")
        spark.sql(f"INSERT INTO {name} (id, k, s) {rows} WHERE id % 3 = 1")
        spark.sql(f"INSERT INTO {name} (id, k, s) {rows} WHERE id % 3 = 2")
        spark.sql(f"UPDATE {name} SET s = 'new' WHERE id % 6 = 1")

    ours, spark = both(answers, tmp_path, write)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        read = answers.session.read.format("delta")
        first, second = (answer_of(read.load(str(p)).sort("id")) for p in (ours, spark))
        if kind == "changes":
            feed = read.option("readChangeFeed", "true").option("startingVersion", "0")
            feeds = [feed.load(str(p)).drop("_commit_timestamp") for p in (ours, spark)]
            changes = [sorted(map(str, frame.collect())) for frame in feeds]
            assert changes[0] == changes[1]
    assert first == second
    if kind != "mapped":
        assert statistics(ours) == statistics(spark)
    assert writers(ours) == expected
    for command, said in (
        (f"INSERT INTO delta.`{ours}` (id, k, s) {rows}", of_insert),
        (f"UPDATE delta.`{ours}` SET s = 'new' WHERE id % 6 = 1", of_update),
    ):
        plan = answers.session.sql(f"EXPLAIN {command}").first()[0]
        assert said in plan, plan


def test_explained_with_a_reason_of_the_session(answers: Answers, tmp_path: Path) -> None:
    path = tmp_path / "t"
    rows = source(answers, tmp_path)
    answers.session.sql(f"{rows} WHERE id < 10").write.format("delta").save(str(path))
    switch = "spark.broadhead.operator.WriteFiles.enabled"
    with configured(answers.session, {switch: "false"}):
        plan = answers.session.sql(f"EXPLAIN DELETE FROM delta.`{path}` WHERE id = 3").first()[0]
    assert f"switched off by {switch}" in plan, plan


def test_a_constraint_that_fails(answers: Answers, tmp_path: Path) -> None:
    name = f"delta.`{tmp_path / 't'}`"
    answers.session.sql(f"CREATE TABLE {name} (id LONG, k LONG, s STRING) USING delta")
    answers.session.sql(f"ALTER TABLE {name} ADD CONSTRAINT small CHECK (id < 800)")
    rows = source(answers, tmp_path)
    answers.same_error(
        lambda spark: spark.sql(f"INSERT INTO {name} {rows}"), "DELTA_VIOLATE_CONSTRAINT"
    )


def test_an_error_of_a_row(answers: Answers, tmp_path: Path) -> None:
    """The file of the failed task is none of the table."""
    rows = source(answers, tmp_path)
    path = tmp_path / "t"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.sql(f"{rows} WHERE id < 10").write.format("delta").save(str(path))
    answers.same_error(
        lambda spark: spark.sql(
            f"INSERT INTO delta.`{path}` SELECT 1 div (id - 700), k, s FROM ({rows})"
        ),
        "DIVIDE_BY_ZERO",
    )
    assert len(added(path)) == 1


def test_a_task_that_is_replayed(answers: Answers, tmp_path: Path) -> None:
    """Spark's writer and Delta's statistics take over, after the engine has begun the file."""
    (tmp_path / "source").mkdir()
    decimals = pa.array(map(Decimal, range(4000)), pa.decimal128(20, 0))
    for name, ids in {"long": decimals, "short": pa.array([5, 6, 7], pa.int64())}.items():
        pq.write_table(pa.table({"id": ids}), tmp_path / "source" / f"{name}.parquet")

    def write(spark: SparkSession, path: str) -> None:
        with configured(spark, {"spark.sql.files.minPartitionNum": "1"}):
            read = spark.read.schema("id DECIMAL(20, 0)").parquet(str(tmp_path / "source"))
            read.where("id % 2 = 1").write.format("delta").save(path)

    ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-mr"}
    same_tables(answers, ours, spark)


def test_without_workers(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path)

    def write(spark: SparkSession, path: str) -> None:
        spark.sql(f"{rows} WHERE id > 7").write.format("delta").save(path)

    with answers.without_workers():
        ours, spark = both(answers, tmp_path, write)
    assert writers(ours) == {"parquet-mr"}
    same_tables(answers, ours, spark)
