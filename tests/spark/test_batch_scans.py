"""Spark's own formats, read by its data source API V2: the files are scanned in fragments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import broadhead
from spark.answers import Answers, plan_of
from spark.test_parquet_files import all_columns
from sql_sessions import configured, metric_total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(autouse=True)
def v2_sources(answers: Answers) -> Iterator[None]:
    with configured(answers.session, {"spark.sql.sources.useV1SourceList": ""}):
        yield


def write(answers: Answers, frame: DataFrame, kind: str, path: Path, *partitions: str) -> str:
    with configured(
        answers.session,
        {"spark.broadhead.enabled": "false", "spark.sql.sources.useV1SourceList": kind},
    ):
        frame.write.format(kind).partitionBy(*partitions).save(str(path))
    return str(path)


def same(answers: Answers, make: Any, *, replays: int = 0) -> DataFrame:
    frame = answers.same_rows(make, replays=replays)
    assert "BroadheadBatchScan" in plan_of(frame), plan_of(frame)
    return frame


def test_parquet(answers: Answers, tmp_path: Path) -> None:
    path = write(answers, all_columns(answers.session), "parquet", tmp_path / "all")
    same(answers, lambda spark: spark.read.parquet(path))
    same(answers, lambda spark: spark.read.parquet(path).where("id % 3 = 1").select("st", "dec18"))
    frame = same(answers, lambda spark: spark.read.parquet(path).where("id > 990 AND int > 0"))
    assert metric_total(frame, "rowGroups") > 0
    same(answers, lambda spark: spark.read.parquet(path).groupBy("bool").count())


@pytest.mark.parametrize("kind", ["parquet", "orc", "csv"])
def test_partitions(answers: Answers, tmp_path: Path, kind: str) -> None:
    session = answers.session
    rows = session.range(0, 100, 1, 3).selectExpr(
        "id", "concat('s', id % 4) AS s", "id % 3 AS k", "IF(id % 2 = 0, NULL, 'a b/=%') AS name"
    )
    path = write(answers, rows, kind, tmp_path / kind, "k", "name")
    schema = session.read.format(kind).schema("id BIGINT, s STRING, k INT, name STRING")

    def read(spark: SparkSession) -> DataFrame:
        del spark
        return schema.load(path)

    same(answers, read)
    same(answers, lambda spark: read(spark).where("k = 1 AND name IS NOT NULL").select("s", "name"))
    same(answers, lambda spark: read(spark).where("id > 50").groupBy("name", "k").count())
    dims = session.createDataFrame([(1, "x"), (2, "y")], "k INT, w STRING")
    same(answers, lambda spark: read(spark).join(dims.where("w = 'x'"), "k").select("id", "w"))


def test_lines(answers: Answers, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n1,"x,y"\n2,\n"3",z\nbad,w\n')
    path = str(tmp_path / "t.csv")
    same(answers, lambda spark: spark.read.csv(path, schema="a INT, b STRING", header=True))
    same(answers, lambda spark: spark.read.text(path).selectExpr("upper(value) AS v"))


def test_no_files(answers: Answers, tmp_path: Path) -> None:
    schema = "id INT, s STRING"
    same(answers, lambda spark: spark.read.schema(schema).parquet(str(tmp_path)).distinct())


def test_a_file_of_another_schema_is_replayed(answers: Answers, tmp_path: Path) -> None:
    path = write(answers, answers.session.range(0, 4, 1, 1), "parquet", tmp_path / "t")
    answers.same_error(
        lambda spark: spark.read.schema("id STRING").parquet(path).distinct(), "FAILED_READ_FILE"
    )


def test_reasons(answers: Answers, tmp_path: Path) -> None:
    session = answers.session
    path = write(answers, session.range(4), "parquet", tmp_path / "t")
    with configured(session, {"spark.sql.parquet.aggregatePushdown": "true"}):
        counted = session.read.parquet(path).selectExpr("count(*) AS n").selectExpr("n + 1")
        assert "aggregates of footers are Spark's" in str(broadhead.explain(counted))
    session.range(4).write.format("noop").mode("overwrite").save()
    json = session.read.schema("id INT").json(path).distinct()
    assert "rows of a JsonScan are its data source's" in str(broadhead.explain(json))
