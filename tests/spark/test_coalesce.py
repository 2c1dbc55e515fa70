"""Fewer partitions inside of a fragment: tasks, orders, replays and files."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers, plan_of
from spark.test_table_files import metric
from sql_sessions import configured

FILES = 5


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of files, each of which is a partition; one is of another type than the rest."""
    folder = tmp_path_factory.mktemp("coalesce")
    for number in range(FILES):
        ids = range(number * 1000, (number + 1) * 1000)
        column = pa.array(ids, pa.int64())
        if number != 3:
            column = pa.array(map(Decimal, ids), pa.decimal128(20, 0))
        pq.write_table(pa.table({"id": column}), folder / f"{number}.parquet")
    return str(folder)


SPLITS = {"spark.sql.files.openCostInBytes": "1g"}


@pytest.mark.parametrize(
    "count", [2, *(pytest.param(count, marks=pytest.mark.nightly) for count in (1, 9))]
)
def test_rows_and_partitions(answers: Answers, table: str, count: int) -> None:
    """The partitions have Spark's rows in Spark's order, also where Spark replays a task."""
    spark = answers.session
    found = []
    for enabled in ("false", "true"):
        keys = {**SPLITS, "spark.broadhead.enabled": enabled, "spark.broadhead.strict": "false"}
        with configured(spark, keys):
            read = spark.read.schema("id DECIMAL(20, 0)").parquet(table)
            frame = read.where("id % 7 > 2").coalesce(count)
            found.append((frame.rdd.glom().map(list).collect(), plan_of(frame)))
    assert found[0][0] == found[1][0]
    assert len(found[1][0]) == min(count, FILES)
    assert "BroadheadCoalesce" in found[1][1]


def test_files(answers: Answers, table: str, tmp_path: Path) -> None:
    """A write below which all partitions are one is in the fragment."""
    spark = answers.session
    with configured(spark, SPLITS):
        grouped = spark.read.parquet(f"{table}/[0-2].parquet").groupBy("id").count()
        grouped.coalesce(1).write.parquet(str(tmp_path / "t"))
    assert metric(spark, "BroadheadWriteFiles", "number of output rows") == 3000
    (file,) = (tmp_path / "t").glob("*.parquet")
    assert pq.ParquetFile(file).metadata.created_by.startswith("parquet-cpp-arrow")


@pytest.mark.nightly
def test_what_depends_on_partitions(answers: Answers, table: str) -> None:
    """Numbers of rows in their partition, limits and sorts run in partitions of their own."""
    for below in (
        "SELECT /*+ COALESCE(2) */ * FROM (SELECT id, monotonically_increasing_id() AS n FROM {})",
        "SELECT /*+ COALESCE(2) */ * FROM (SELECT id, rand(7) AS n FROM {})",
        "SELECT /*+ COALESCE(2) */ * FROM (SELECT id FROM {} SORT BY id DESC)",
    ):
        sql = below.format(f"parquet.`{table}/[0-2].parquet`")
        with configured(answers.session, SPLITS):
            answers.same_rows(lambda spark, sql=sql: spark.sql(sql))
