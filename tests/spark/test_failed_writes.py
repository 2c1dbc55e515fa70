"""Writes that fail: the error and the files are those after a write of Spark's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError

from spark.answers import Answers
from spark.test_table_files import metric
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOM = "2000"
"""Bytes of a file that the full disk takes: some of a partition's, not all."""


@pytest.fixture(scope="module", autouse=True)
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A view whose partition `k = 1` has more bytes than the others."""
    path = str(tmp_path_factory.mktemp("failed-writes") / "rows")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(0, 2000, 1, 2).selectExpr("id", "uuid() AS u", "id % 3 AS k").where(
            "k = 1 OR id < 30"
        ).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("rows_to_write")
    yield
    spark.catalog.dropTempView("rows_to_write")


def left(folder: Path) -> Counter[str]:
    """The folders of all files, as often as they have some, and the names of hidden files."""
    found = [file for file in folder.rglob("*") if file.is_file()]
    return Counter(
        f"{file.parent.relative_to(folder)}/{'' if file.name.startswith('part-') else file.name}"
        for file in found
        if not file.name.endswith(".crc")
    )


def table(spark: SparkSession, folder: Path, kind: str) -> list[str]:
    """The table's rows as plain Spark reads them; none if it has no files."""
    if not any(folder.rglob("part-*")):
        return []
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        schema = "id BIGINT, u STRING, k BIGINT"
        frame = spark.read.format(kind).schema(schema).load(str(folder))
        return sorted(map(repr, frame.collect()))


def write(frame: DataFrame, folder: Path, kind: str, mode: str, **options: str) -> None:
    writer = frame.write.format(kind).mode(mode).partitionBy("k").options(**options)
    writer.save(f"store://{folder}")


def causes(error: Any) -> list[str]:
    """Spark's name of an error, and its class and that of its first cause.

    Between them the library of Spark's CSV writer has exceptions of its own.
    """
    named = [str(error.getCondition()), error.getClass().getName()]
    while error.getCause() is not None:
        error = error.getCause()
    return [*named, error.getClass().getName()]


def failed(answers: Answers, folder: Path, kind: str, mode: str) -> list[Any]:
    """What is left by a write that fails over an older table, and what its repetition gives."""
    spark = answers.session
    frame = spark.table("rows_to_write").coalesce(1)
    store = spark._jvm.io.broadhead.store.StoreFileSystem
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        write(frame.where("id < 9"), folder, kind, "overwrite")
    store.reset()
    with pytest.raises(Py4JJavaError, match="No space left on device") as failure:
        write(frame.where("id > 2"), folder, kind, mode, **{"fs.store.room": ROOM})
    after = [
        causes(failure.value.java_exception),
        store.created(),
        left(folder),
        table(spark, folder, kind),
    ]
    write(frame.where("id > 2"), folder, kind, mode)
    if spark.conf.get("spark.broadhead.enabled") == "true":
        assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") == 0
    return [*after, left(folder), table(spark, folder, kind)]


@pytest.mark.parametrize(
    ("kind", "mode", "overwrite"),
    [
        ("parquet", "overwrite", "dynamic"),
        ("orc", "overwrite", "static"),
        ("csv", "append", "static"),
        *(
            pytest.param(kind, mode, overwrite, marks=pytest.mark.nightly)
            for kind in ("parquet", "orc", "csv", "json")
            for mode, overwrite in (("append", "static"), ("overwrite", "dynamic"))
        ),
    ],
)
def test_a_disk_that_is_full(
    answers: Answers, folder: Path, kind: str, mode: str, overwrite: str
) -> None:
    spark = answers.session
    found = []
    with configured(spark, {"spark.sql.sources.partitionOverwriteMode": overwrite}):
        for enabled in ("false", "true"):
            with configured(spark, {"spark.broadhead.enabled": enabled}):
                found.append(failed(answers, folder / enabled, kind, mode))
    for expected, actual in zip(*found, strict=True):
        assert actual == expected
    assert len(found[1][-1]) > 600
