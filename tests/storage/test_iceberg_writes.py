"""Writes into Iceberg's tables: files of workers, Iceberg's metrics, and what Iceberg writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers
from sql_sessions import answer_of, configured
from storage.test_iceberg import ALL_TYPES, all_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENCODED = {"parquet-cpp-arrow"}
TABLE_OF = {"true": "ours", "false": "spark"}


def both(
    answers: Answers, name: str, write: Callable[[SparkSession, str], object]
) -> tuple[str, str]:
    """Two tables: one that Broadhead has written, and one that plain Spark has written."""
    tables = []
    for enabled, maker in TABLE_OF.items():
        table = f"ice.db.{name}_{maker}"
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            answers.session.sql(f"DROP TABLE IF EXISTS {table}")
            write(answers.session, table)
        tables.append(table)
    return tables[0], tables[1]


def source(answers: Answers, folder: Path, rows: str) -> str:
    """A query over Parquet files with these rows, which a fragment reads."""
    path = folder / "source"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.sql(rows).write.parquet(str(path))
    return f"SELECT * FROM parquet.`{path}`"


def files(answers: Answers, table: str, columns: str) -> list[Any]:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        frame = answers.session.sql(f"SELECT {columns} FROM {table}.files ORDER BY file_path")
        return [tuple(row) for row in frame.collect()]


def writers(answers: Answers, table: str) -> set[str]:
    """The libraries that have encoded the data files."""
    found = files(answers, table, "file_path")
    paths = [path.removeprefix("file://").removeprefix("file:") for (path,) in found]
    return {pq.ParquetFile(path).metadata.created_by.split()[0] for path in paths}


SIZES = {
    "file_path", "file_size_in_bytes", "column_sizes", "column_size", "snapshot_id",
    "total_data_file_size_in_bytes", "last_updated_at", "last_updated_snapshot_id",
}  # fmt: skip
"""What is of an encoder, of a time, or of one table."""


def without_sizes(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: without_sizes(inner) for key, inner in value.items() if key not in SIZES}


def metadata(answers: Answers, table: str, kind: str) -> list[str]:
    """The rows of a table of metadata, such as `files`, with bounds as they are in manifests."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.sql(f"SELECT to_json(struct(*)) FROM {table}.{kind}").collect()
    found = [without_sizes(json.loads(text)) for (text,) in rows]
    return sorted(json.dumps(row, sort_keys=True) for row in found)


def same_tables(
    answers: Answers, ours: str, spark: str, order: str = "id", *, files_differ: bool = False
) -> None:
    """`files_differ` where tasks read parts of files, which have the sizes of their encoder."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        read = [answers.session.table(table) for table in (ours, spark)]
        assert read[0].schema == read[1].schema
        first, second = (answer_of(table.sort(order)) for table in read)
    # NaN is in one text what it is in the other.
    assert str(first.to_pylist()) == str(second.to_pylist())
    for kind in ["partitions"] if files_differ else ["files", "partitions"]:
        found, expected = (metadata(answers, table, kind) for table in (ours, spark))
        if files_differ:
            found, expected = (
                sorted(re.sub(r'"file_count": \d+', "", row) for row in rows)
                for rows in (found, expected)
            )
        assert found == expected


ROWS = "SELECT id, id % 5 AS k, concat('name ', id % 11) AS s FROM range(0, 900, 1, 3)"
COLUMNS = "id BIGINT, k BIGINT, s STRING"


def test_commands(answers: Answers, tmp_path: Path) -> None:
    """Each command writes its files in fragments, with Iceberg's own metrics."""
    rows = source(answers, tmp_path, ROWS)

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} USING iceberg AS {rows} WHERE id % 2 = 0")
        spark.sql(f"INSERT INTO {table} {rows} WHERE id % 4 = 1")
        spark.sql(f"{rows} WHERE id % 4 = 3").writeTo(table).append()

    ours, spark = both(answers, "commands", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark)

    def overwrite(spark: SparkSession, table: str) -> None:
        write(spark, table)
        spark.sql(f"INSERT OVERWRITE {table} {rows} WHERE id < 50")

    same_tables(answers, *both(answers, "overwritten", overwrite))


def test_all_types(answers: Answers, tmp_path: Path) -> None:
    """Nested columns without floats; then floats, whose NaN Iceberg counts."""
    rows = source(answers, tmp_path, all_rows(0, 100))
    nested = ALL_TYPES.replace(", z: STRUCT<w: DOUBLE>", "")
    taken = rows.replace("*", "* EXCEPT (st), IF(st IS NULL, NULL, struct(st.x, st.y)) AS st")

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} ({nested}) USING iceberg")
        spark.sql(f"INSERT INTO {table} BY NAME {taken}")

    ours, spark = both(answers, "types", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark)
    path = files(answers, ours, "file_path")[0][0].removeprefix("file:")
    expected = files(answers, spark, "file_path")[0][0].removeprefix("file:")
    assert ids_of(path) == ids_of(expected)


def ids_of(path: str) -> list[Any]:
    """Names and field ids, as they are in the file."""

    def inside(field: pa.Field) -> list[Any]:
        kind = field.type
        if pa.types.is_struct(kind):
            inner = [inside(child) for child in kind]
        elif pa.types.is_map(kind):
            inner = [inside(kind.key_field), inside(kind.item_field)]
        elif pa.types.is_list(kind):
            inner = [inside(kind.value_field)]
        else:
            inner = []
        return [field.name, (field.metadata or {}).get(b"PARQUET:field_id"), inner]

    return [inside(field) for field in pq.read_schema(path)]


def test_deletes_by_statistics(answers: Answers, tmp_path: Path) -> None:
    """A file with NaN is not dropped as a whole, since its NaN are counted."""
    values = "(1, 1.0D), (2, double('NaN')), (3, 2.0D)"
    rows = source(answers, tmp_path, f"SELECT * FROM VALUES {values} AS t(id, x)")

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} (id INT, x DOUBLE) USING iceberg")
        spark.sql(f"INSERT INTO {table} {rows} WHERE id > 0")
        spark.sql(f"DELETE FROM {table} WHERE x < 5")

    ours, spark = both(answers, "deleted", write)
    same_tables(answers, ours, spark)
    assert answers.session.table(ours).count() == 1


PARTITIONS = {
    "identity": "k, s",
    "bucket": "bucket(3, id), bucket(2, s), bucket(2, d), bucket(2, t), bucket(2, n), bucket(2, b)",
    "truncate": "truncate(300, id), truncate(1, s), truncate(50, n), truncate(1, b)",
    "times": "days(t), months(d)",
    "years": "years(t), hours(u)",
}
PARTITION_COLUMNS = (
    "id BIGINT, k BIGINT, s STRING, d DATE, t TIMESTAMP, u TIMESTAMP_NTZ, n DECIMAL(12, 2), "
    "b BINARY, x DOUBLE"
)
PARTITION_ROWS = (
    "SELECT id, id % 3 - 1 AS k, IF(id % 7 = 0, NULL, concat('ä😀x', id % 4)) AS s, "
    "date_add(DATE'1969-12-20', int(id % 40)) AS d, "
    "timestamp_micros((id - 300) * 1234567890 * 7) AS t, "
    "to_timestamp_ntz('1969-12-31 22:30:00') + make_dt_interval(0, int(id % 5)) AS u, "
    "CAST((id - 450) / 7 AS DECIMAL(12, 2)) AS n, unhex(hex(id % 300)) AS b, "
    "IF(id % 11 = 0, double('NaN'), IF(id % 13 = 0, NULL, id / 3)) AS x FROM range(0, 900, 1, 3)"
)


# Iceberg asks for a shuffle by the partitions, whose transforms are its own functions.
WITHOUT_SHUFFLE = "TBLPROPERTIES ('write.distribution-mode' = 'none')"


@pytest.mark.parametrize("kind", PARTITIONS)
def test_partitions(answers: Answers, tmp_path: Path, kind: str) -> None:
    """The files of each partition, with values and transforms that are Iceberg's own."""
    rows = source(answers, tmp_path, PARTITION_ROWS)

    def write(spark: SparkSession, table: str) -> None:
        keys = f"PARTITIONED BY ({PARTITIONS[kind]}) {WITHOUT_SHUFFLE}"
        spark.sql(f"CREATE TABLE {table} ({PARTITION_COLUMNS}) USING iceberg {keys}")
        spark.sql(f"INSERT INTO {table} {rows} WHERE id % 2 = 0")
        spark.sql(f"{rows} WHERE id % 4 = 1").writeTo(table).append()
        spark.sql(f"{rows} WHERE id % 20 = 4").writeTo(table).overwritePartitions()

    ours, spark = both(answers, f"parts_{kind}", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark)


def test_partitions_behind_a_shuffle(answers: Answers, tmp_path: Path) -> None:
    """By default Iceberg asks Spark to shuffle the rows by the partitions, last of all."""
    rows = source(answers, tmp_path, PARTITION_ROWS)

    def write(spark: SparkSession, table: str) -> None:
        columns = f"({PARTITION_COLUMNS}) USING iceberg PARTITIONED BY (k, s)"
        spark.sql(f"CREATE TABLE {table} {columns}")
        spark.sql(f"INSERT INTO {table} {rows} WHERE id % 2 = 0")
        spark.sql(f"{rows} WHERE id % 20 = 4").writeTo(table).overwritePartitions()
        spark.sql(f"UPDATE {table} SET n = n + 1 WHERE id % 7 = 3")

    ours, spark = both(answers, "parts_shuffled", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark, files_differ=True)


def test_create_as_with_partitions(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path, PARTITION_ROWS)

    def write(spark: SparkSession, table: str) -> None:
        keys = f"PARTITIONED BY (days(t), k) {WITHOUT_SHUFFLE}"
        spark.sql(f"CREATE TABLE {table} USING iceberg {keys} AS {rows}")

    ours, spark = both(answers, "parts_made", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark)


def test_files_end_at_the_target(answers: Answers, tmp_path: Path) -> None:
    """The sizes are those of another encoder, but no file is much larger than the target."""
    text = "SELECT id, sha2(string(id), 256) AS s FROM range(0, 200000, 1, 1)"
    rows = source(answers, tmp_path, text)
    table = "ice.db.targets"
    answers.session.sql(f"DROP TABLE IF EXISTS {table}")
    keys = "TBLPROPERTIES ('write.target-file-size-bytes' = '1000000')"
    answers.session.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg {keys}")
    answers.session.sql(f"INSERT INTO {table} {rows} WHERE id >= 0")
    assert writers(answers, table) == ENCODED
    sizes = [size for (size,) in files(answers, table, "file_size_in_bytes")]
    assert len(sizes) > 5
    assert max(sizes) < 1_500_000
    assert answers.session.table(table).agg({"id": "sum"}).first()[0] == 200000 * 199999 // 2


def test_a_sorted_table(answers: Answers, tmp_path: Path) -> None:
    """The order is planned by Spark; the files say which one they have."""
    rows = source(answers, tmp_path, ROWS)

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING iceberg PARTITIONED BY (k)")
        spark.sql(f"ALTER TABLE {table} WRITE ORDERED BY s DESC, id")
        spark.sql(f"INSERT INTO {table} {rows}")

    ours, spark = both(answers, "in_order", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark)
    orders = [
        pq.read_table(path.removeprefix("file:")).column("id").to_pylist()
        for table in (ours, spark)
        for (path,) in files(answers, table, "file_path")
    ]
    assert sorted(orders[:5]) == sorted(orders[5:])


CHANGES = {
    "update": "UPDATE {table} SET s = concat(s, '!'), k = k + 1 WHERE id % 7 = 3",
    "delete": "DELETE FROM {table} WHERE id % 7 = 3",
}


@pytest.mark.parametrize("keys", ["", "PARTITIONED BY (k, bucket(2, id))"])
@pytest.mark.parametrize("command", CHANGES)
def test_files_that_are_replaced(answers: Answers, tmp_path: Path, command: str, keys: str) -> None:
    """UPDATE and DELETE by copy-on-write; the column of the operation is not written."""
    rows = source(answers, tmp_path, ROWS)
    none = "'write.update.distribution-mode' = 'none', 'write.delete.distribution-mode' = 'none'"
    modes = f"TBLPROPERTIES ('format-version' = '2', 'write.distribution-mode' = 'none', {none})"

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} USING iceberg {keys} {modes} AS {rows}")
        spark.sql(CHANGES[command].format(table=table))

    ours, spark = both(answers, f"replaced_{command}{len(keys)}", write)
    assert writers(answers, ours) == ENCODED
    same_tables(answers, ours, spark, files_differ=bool(keys))


KEPT_BY_ICEBERG = {
    "floats": ("PARTITIONED BY (x)", "partitions by x are not written: a column of floats"),
    "orc": (
        "TBLPROPERTIES ('write.format.default' = 'orc')", "files of ORC are not written",
    ),
    "bloom filter": (
        "TBLPROPERTIES ('write.parquet.bloom-filter-enabled.column.s' = 'true')",
        "the table's property write.parquet.bloom-filter-enabled.column.s is not supported",
    ),
    "lz4": (
        "TBLPROPERTIES ('write.parquet.compression-codec' = 'lz4')",
        "files with the compression lz4 are not written",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KEPT_BY_ICEBERG)
def test_tables_with_rules(answers: Answers, tmp_path: Path, kind: str) -> None:
    """What the engine does not write is written from rows, with a reason in explain()."""
    keys, reason = KEPT_BY_ICEBERG[kind]
    rows = source(answers, tmp_path, ROWS)
    table = "ice.db.kept"
    answers.session.sql(f"DROP TABLE IF EXISTS {table}")
    answers.session.sql(f"CREATE TABLE {table} ({COLUMNS}, x DOUBLE) USING iceberg {keys}")
    rows = rows.replace("*", "*, 1.0D AS x")
    plan = answers.session.sql(f"EXPLAIN INSERT INTO {table} {rows}").first()[0]
    assert reason in plan, plan
    if kind != "lz4":
        answers.session.sql(f"INSERT INTO {table} {rows}")
        assert answers.session.table(table).count() == 900


def test_explained(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path, ROWS)
    table = "ice.db.explained"
    answers.session.sql(f"DROP TABLE IF EXISTS {table}")
    answers.session.sql(f"CREATE TABLE {table} ({COLUMNS}) USING iceberg")
    plan = answers.session.sql(f"EXPLAIN INSERT INTO {table} {rows} WHERE id > 3").first()[0]
    assert "BroadheadIcebergWrite" in plan, plan
    literal = answers.session.sql(f"EXPLAIN INSERT INTO {table} VALUES (1, 2, 'x')").first()[0]
    assert "the operator below it stays with Spark" in literal, literal


def test_an_error_of_a_row(answers: Answers, tmp_path: Path) -> None:
    """The file of the failed task is not left behind."""
    rows = source(answers, tmp_path, ROWS.replace("id, ", "/*+ COALESCE(1) */ id, ", 1))
    table = "ice.db.failed"
    answers.session.sql(f"DROP TABLE IF EXISTS {table}")
    answers.session.sql(f"CREATE TABLE {table} ({COLUMNS}) USING iceberg")
    answers.session.sql(f"INSERT INTO {table} {rows} WHERE id < 10")
    data = Path(files(answers, table, "file_path")[0][0].removeprefix("file:")).parent
    before = sorted(file.name for file in data.glob("*.parquet"))
    answers.same_error(
        lambda spark: spark.sql(f"INSERT INTO {table} SELECT 1 div (id - 700), k, s FROM ({rows})"),
        "DIVIDE_BY_ZERO",
    )
    assert sorted(file.name for file in data.glob("*.parquet")) == before
    assert answers.session.table(table).count() == 10


def test_without_workers(answers: Answers, tmp_path: Path) -> None:
    rows = source(answers, tmp_path, ROWS)

    def write(spark: SparkSession, table: str) -> None:
        spark.sql(f"CREATE TABLE {table} USING iceberg AS {rows} WHERE id > 7")

    with answers.without_workers():
        ours, spark = both(answers, "replayed", write)
    assert writers(answers, ours) == {"parquet-mr"}
    same_tables(answers, ours, spark)
