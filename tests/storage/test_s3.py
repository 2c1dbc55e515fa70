"""Parquet in S3: scans through Hadoop's own S3A, and writes by its committers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers, plan_of
from spark.test_parquet_files import all_columns
from sql_sessions import answer_of, configured, metric_total
from storage.s3_server import BUCKET, S3Server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROUP_ROWS = 6
VALUE_BYTES = {"near": 999, "gap": 50_000, "far": 999, "large": 2 << 20}
"""Columns of a row group, in their order, with the length of each value."""


def uri(name: str) -> str:
    return f"s3a://{BUCKET}/{name}"


def write(answers: Answers, frame: DataFrame, name: str, *partitions: str) -> str:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        frame.write.partitionBy(*partitions).parquet(uri(name))
    return uri(name)


def same_rows(answers: Answers, make: Callable[[SparkSession], DataFrame]) -> DataFrame:
    """As `Answers.same_rows`; the files were read in a fragment."""
    frame = answers.same_rows(make)
    assert "BroadheadFileSourceScan" in plan_of(frame)
    assert metric_total(frame, "requests") > 0
    assert metric_total(frame, "bytesFetched") > 0
    return frame


@pytest.fixture(scope="module")
def table(answers: Answers) -> str:
    """All types in two files."""
    return write(answers, all_columns(answers.session), "all")


def test_all_types(answers: Answers, table: str) -> None:
    same_rows(answers, lambda spark: spark.read.parquet(table))
    same_rows(
        answers, lambda spark: spark.read.parquet(table).where("id % 3 = 1").select("st", "dec18")
    )


def test_partitions_with_odd_names(answers: Answers) -> None:
    frame = answers.session.sql(
        "SELECT * FROM VALUES (1, 'a b', DATE'2020-01-01'), (2, 'ü/=%', NULL), (3, NULL, NULL), "
        "(4, 'x:y?#[1]+&', DATE'0001-01-01'), (5, '%20', NULL) AS t(i, name, day)"
    )
    path = write(answers, frame, "größe 100% #1 + a/odd %41", "name", "day")
    same_rows(answers, lambda spark: spark.read.parquet(path))
    same_rows(answers, lambda spark: spark.read.parquet(path).where("name > 'a' OR name IS NULL"))


def test_many_small_files(answers: Answers) -> None:
    frame = answers.session.range(0, 3000, 1, 60).selectExpr("id", "id % 7 AS k")
    path = write(answers, frame, "many")
    same_rows(answers, lambda spark: spark.read.parquet(path).groupBy("k").count())
    same_rows(answers, lambda spark: spark.read.parquet(path))


@pytest.fixture(scope="module")
def row_groups(s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of three row groups of 12 MiB."""
    path = tmp_path_factory.mktemp("s3") / "groups.parquet"
    schema = pa.schema([("n", pa.int64()), *((name, pa.binary()) for name in VALUE_BYTES)])
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        for number in range(3):
            values = {
                name: [os.urandom(size) for _ in range(GROUP_ROWS)]
                for name, size in VALUE_BYTES.items()
            }
            writer.write_table(pa.table({"n": [number] * GROUP_ROWS, **values}, schema))
    return s3.put("large/groups.parquet", path)


def test_only_the_wanted_columns_are_fetched(answers: Answers, row_groups: str) -> None:
    frame = same_rows(answers, lambda spark: spark.read.parquet(row_groups).select("near"))
    # each worker fetches the footers that it does not know
    assert metric_total(frame, "bytesFetched") < VALUE_BYTES["large"]


def test_large_row_groups_take_several_requests(answers: Answers, row_groups: str) -> None:
    frame = same_rows(
        answers, lambda spark: spark.read.parquet(row_groups).selectExpr("n", "sha2(large, 256)")
    )
    assert metric_total(frame, "requests") > 8


def test_ranges_of_one_request_that_are_apart(answers: Answers, row_groups: str) -> None:
    """Vectored reads: `near` and `far` are fetched together, and not what is between them."""
    same_rows(answers, lambda spark: spark.read.parquet(row_groups).select("near", "far"))
    same_rows(answers, lambda spark: spark.read.parquet(row_groups).where("n = 1").select("far"))


@pytest.mark.parametrize(
    "settings",
    [
        {"fs.s3a.vectored.read.min.seek.size": "1"},
        {"fs.s3a.experimental.input.fadvise": "sequential"},
        {"fs.s3a.input.stream.type": "prefetch"},
        {"fs.s3a.input.stream.type": "analytics"},
    ],
    ids=["vectored", "sequential", "prefetch", "analytics"],
)
def test_streams(answers: Answers, table: str, row_groups: str, settings: dict[str, str]) -> None:
    own = {**settings, "fs.s3a.impl.disable.cache": "true"}
    same_rows(answers, lambda spark: spark.read.options(**own).parquet(table))
    same_rows(answers, lambda spark: spark.read.options(**own).parquet(row_groups))


def test_a_key_that_is_deleted_after_it_was_listed(answers: Answers, s3: S3Server) -> None:
    def make(spark: SparkSession) -> DataFrame:
        with configured(spark, {"spark.broadhead.enabled": "false"}):
            spark.range(0, 100, 1, 2).write.mode("overwrite").parquet(uri("deleted"))
        frame = spark.read.parquet(uri("deleted")).selectExpr("sum(id)")
        frame._jdf.queryExecution().executedPlan()
        s3.delete(next(key for key in s3.keys("deleted/") if "part-00001" in key))
        return frame

    failures = [names(answers.error(make, enabled=enabled)) for enabled in (False, True)]
    assert failures[0] == failures[1]
    assert "FileNotFoundException" in str(failures[1])


def names(failure: list[str]) -> list[str]:
    """The classes of an error and of its causes; messages name files and requests."""
    found = [re.match(r"[\w.]+(Exception|Error)\b", text) for text in failure]
    return [name[0] for name in found if name]


def test_credentials_that_are_not_valid_any_more(
    answers: Answers, s3: S3Server, table: str
) -> None:
    schema = answers.session.read.parquet(table).schema

    def ask(*, enabled: bool) -> list[str]:
        frame = answers.session.read.schema(schema).parquet(table).select("int")
        with configured(answers.session, {"spark.broadhead.enabled": str(enabled).lower()}):
            assert ("BroadheadFileSourceScan" in plan_of(frame)) == enabled
        with s3.credentials_withdrawn():
            return answers.error(lambda _: frame, enabled=enabled)

    failures = [ask(enabled=enabled) for enabled in (False, True)]
    assert names(failures[0]) == names(failures[1])
    assert "AccessDenied" in str(failures[1])


def written(answers: Answers, name: str, *, enabled: bool, **options: Any) -> list[Any]:
    """Rows of partitioned tables that were written, and written again, and their folders."""
    with configured(answers.session, {"spark.broadhead.enabled": str(enabled).lower()}):
        rows = answers.session.read.parquet(uri("all")).selectExpr("*", "id % 3 AS k")
        parted = rows.drop("mp").write.partitionBy("k", "bool").options(**options)
        parted.mode("overwrite").parquet(uri(name))
        fewer = rows.where("id < 900 AND k < 2").repartition(2, "k")
        fewer.write.partitionBy("k", "bool").mode("overwrite").options(**options).parquet(uri(name))
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        found = answers.session.read.parquet(uri(name)).drop("mp")
        return [sorted(map(repr, answer_of(found).to_pylist())), list(map(str, found.dtypes))]


def folders(s3: S3Server, name: str) -> list[str]:
    return [key.rpartition("/")[0].removeprefix(name) for key in s3.keys(f"{name}/")]


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_partitions_are_written_and_overwritten(
    answers: Answers, s3: S3Server, table: str, mode: str
) -> None:
    options = {"partitionOverwriteMode": mode}
    names = (f"spark-{mode}", f"broadhead-{mode}")
    spark = written(answers, names[0], enabled=False, **options)
    assert written(answers, names[1], enabled=True, **options) == spark
    assert folders(s3, names[0]) == folders(s3, names[1])


def test_a_write_is_a_part_of_the_fragment(answers: Answers, s3: S3Server, table: str) -> None:
    with configured(answers.session, {"spark.broadhead.strict": "true"}):
        rows = answers.session.read.parquet(table).where("id % 2 = 0").drop("mp", "ntz")
        rows.write.parquet(uri("halves"))
    answers.same_rows(lambda spark: spark.read.parquet(uri("halves")))
    assert "halves/_SUCCESS" in s3.keys("halves/")
