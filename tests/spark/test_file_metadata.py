"""Fields of `_metadata`, and files that Spark is told to ignore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import LongType, StructField, StructType

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FIELDS = [
    "file_path",
    "file_name",
    "file_size",
    "file_block_start",
    "file_block_length",
    "file_modification_time",
]


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Partitions with odd names, in files of several splits."""
    path = tmp_path_factory.mktemp("metadata") / "größe 1% #"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.range(0, 4000, 1, 2)
        frame = rows.selectExpr("id", "CASE id % 3 WHEN 0 THEN 'a b' WHEN 1 THEN 'ü/=%' END AS k")
        frame.write.partitionBy("k").parquet(str(path))
    return path


@pytest.mark.parametrize("scheme", ["file", pytest.param("store", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "field",
    [
        pytest.param(field, marks=[] if field == "file_block_start" else pytest.mark.nightly)
        for field in FIELDS
    ],
)
def test_fields(answers: Answers, table: Path, field: str, scheme: str) -> None:
    answers.same_rows(
        lambda spark: spark.read.parquet(f"{scheme}://{table}").select("id", f"_metadata.{field}")
    )


def test_the_whole_struct(answers: Answers, table: Path) -> None:
    """With the row index it stays with Spark, without it each field is a column of the scan."""
    fields = ", ".join(f"'{name}', _metadata.{name}" for name in FIELDS)
    frame = answers.same_rows(
        lambda spark: (
            spark.read.parquet(str(table))
            .where("_metadata.file_size > 0 AND id > 100")
            .selectExpr("id", "k", f"named_struct({fields}) AS m")
        )
    )
    assert "BroadheadFileSourceScan" in plan_of(frame)


def test_groups_by_file(answers: Answers, table: Path) -> None:
    def make(spark: SparkSession) -> DataFrame:
        read = spark.read.parquet(str(table))
        return read.groupBy("_metadata.file_name", "_metadata.file_block_start").count()

    with configured(answers.session, {"spark.sql.files.maxPartitionBytes": "2000"}):
        answers.same_rows(make)


@pytest.fixture(scope="module")
def groups(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several row groups, one with an empty group; the third has no rows."""
    path = tmp_path_factory.mktemp("positions")
    for number in range(2):
        first = 5_000 * number
        table = pa.table({"id": pa.array(range(first, first + 5_000)), "k": ["a", "b"] * 2_500})
        with pq.ParquetWriter(path / f"{number}.parquet", table.schema) as writer:
            writer.write_table(table.slice(0, 1_000), row_group_size=300)
            writer.write_table(table.slice(0, 0))
            writer.write_table(table.slice(1_000), row_group_size=1_700)
    pq.write_table(table.slice(0, 0), path / "2.parquet")
    return path


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, _metadata.row_index AS i, _metadata.file_name FROM {}",
        "SELECT _metadata.row_index AS i FROM {}",
        "SELECT id, _metadata.row_index AS i FROM {} WHERE id BETWEEN 3100 AND 7200",
        "SELECT id, k FROM {} WHERE _metadata.row_index IN (0, 299, 300, 999, 1000, 4999)",
        "SELECT k, max(_metadata.row_index), count(*) FROM {} GROUP BY k",
        "SELECT _metadata FROM {} WHERE id % 1000 = 7",
    ],
)
def test_row_index(answers: Answers, groups: Path, query: str) -> None:
    """Of whole files and of their splits, also where row groups are skipped."""
    for split_bytes in ("128m", "7000"):
        with configured(answers.session, {"spark.sql.files.maxPartitionBytes": split_bytes}):
            frame = answers.same_rows(lambda spark: spark.sql(query.format(f"parquet.`{groups}`")))
            assert "BroadheadFileSourceScan" in plan_of(frame)


def test_a_column_with_the_name_of_the_row_index(answers: Answers, folder: Path) -> None:
    path = folder / "t"
    path.mkdir()
    pq.write_table(pa.table({"_tmp_metadata_row_index": [5, 6], "id": [1, 2]}), path / "0.parquet")
    answers.same_rows(lambda spark: spark.read.parquet(str(path)).where("id > 1"), replays=None)


@pytest.mark.parametrize(
    ("option", "damage"),
    [
        ("ignoreMissingFiles", "gone"),
        ("ignoreCorruptFiles", "cut"),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in (
                ("ignoreMissingFiles", "cut"),
                ("ignoreMissingFiles", "text"),
                ("ignoreCorruptFiles", "gone"),
                ("ignoreCorruptFiles", "text"),
            )
        ),
    ],
)
def test_ignored_files(answers: Answers, folder: Path, option: str, damage: str) -> None:
    def make(spark: SparkSession) -> DataFrame:
        path = folder / "t"
        path.mkdir(exist_ok=True)
        for number in range(4):
            table = pa.table({"id": list(range(100 * number, 100 * number + 100))})
            pq.write_table(table, path / f"{number}.parquet")
        frame = spark.read.schema("id long").option(option, "true").parquet(str(path))
        frame = frame.groupBy().sum("id")
        frame._jdf.queryExecution().executedPlan()
        first = path / "0.parquet"
        content = first.read_bytes()
        first.unlink()
        if damage != "gone":
            first.write_bytes(content[:200] if damage == "cut" else b"no Parquet file at all")
        return frame

    answers.same_outcome(make)


def test_columns_by_field_ids(answers: Answers, folder: Path) -> None:
    """Ids decide, not names: of columns that exist, are missing, or have only the name."""
    path = folder / "t"
    path.mkdir()

    def with_id(name: str, number: int) -> pa.Field:
        return pa.field(name, pa.int64(), metadata={"PARQUET:field_id": str(number)})

    for number, fields in enumerate([("a", 1, "b", 2), ("b", 1, "a", 2), ("a", 1, "c", 3)]):
        schema = pa.schema([with_id(*fields[:2]), with_id(*fields[2:])])
        columns = [range(10), range(100, 110)]
        table = pa.table([pa.array(column) for column in columns], schema=schema)
        pq.write_table(table, path / f"{number}.parquet")
    wanted = StructType(
        [
            StructField("x", LongType(), metadata={"parquet.field.id": 1}),
            StructField("b", LongType(), metadata={"parquet.field.id": 2}),
        ]
    )

    def make(spark: SparkSession) -> DataFrame:
        return spark.read.schema(wanted).parquet(str(path)).where("b > 104 OR x < 3")

    with configured(answers.session, {"spark.sql.parquet.fieldId.read.enabled": "true"}):
        frame = answers.same_rows(make)
        assert "BroadheadFileSourceScan" in plan_of(frame)
        # Spark refuses files without ids
        pq.write_table(pa.table({"x": [1], "b": [2]}), path / "3.parquet")
        assert answers.same_outcome(make) == "error"
