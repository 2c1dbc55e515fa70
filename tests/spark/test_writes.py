"""Results that go to tables and files, to checkpoints and to the user's own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROUPS = "SELECT k, count(*) AS n, max(s) AS s FROM written_rows GROUP BY k"
TABLE = "written(k BIGINT, n BIGINT, s STRING) USING parquet LOCATION '{}'"


@pytest.fixture(scope="module", autouse=True)
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    path = str(tmp_path_factory.mktemp("writes") / "rows")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(0, 300, 1, 3).selectExpr(
            "id", "id % 7 AS k", "nullif(concat('t', id % 13), 't3') AS s"
        ).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("written_rows")
    spark.sparkContext.setCheckpointDir(str(Path(path).with_name("checkpoints")))
    yield
    spark.catalog.dropTempView("written_rows")


def both(answers: Answers, ask: Callable[[SparkSession, str], Any]) -> list[Any]:
    """What Spark and what Broadhead answer; each gets its own name for what it writes."""
    found = []
    for ours in (False, True):
        with configured(answers.session, {"spark.broadhead.enabled": str(ours).lower()}):
            plan = plan_of(answers.session.sql(GROUPS))
            assert ("BroadheadShuffleExchange" in plan) == ours, plan
            found.append(ask(answers.session, "broadhead" if ours else "spark"))
    return found


def content(frame: DataFrame) -> tuple[list[str], list[str]]:
    """Names and types, and rows."""
    return list(map(str, frame.dtypes)), sorted(map(repr, frame.collect()))


def folders(path: Path) -> list[str]:
    """Folders of partitions, each as often as it has files."""
    return sorted(str(file.parent.relative_to(path)) for file in path.rglob("*.parquet"))


INTO_TABLES = {
    "create": [f"CREATE TABLE written USING parquet LOCATION '{{}}' AS {GROUPS}"],
    "insert": [f"CREATE TABLE {TABLE}", *[f"INSERT INTO written {GROUPS}"] * 2],
    "overwrite": [
        f"CREATE TABLE {TABLE}",
        f"INSERT INTO written {GROUPS}",
        f"INSERT OVERWRITE written {GROUPS} HAVING n > 42",
    ],
    "partitions overwritten": [
        f"CREATE TABLE {TABLE} PARTITIONED BY (s)",
        f"INSERT INTO written {GROUPS}",
        f"INSERT OVERWRITE written SELECT k, n * 2, s FROM ({GROUPS}) WHERE k < 3",
        f"INSERT OVERWRITE written PARTITION (s = 'fixed') SELECT k, n FROM ({GROUPS})",
    ],
}


@pytest.mark.parametrize("statements", INTO_TABLES.values(), ids=INTO_TABLES)
def test_into_tables(
    answers: Answers, configuration: Callable[..., None], folder: Path, statements: list[str]
) -> None:
    configuration(spark__sql__sources__partitionOverwriteMode="dynamic")

    def write(spark: SparkSession, name: str) -> Any:
        try:
            for statement in statements:
                spark.sql(statement.format((folder / name).as_uri())).collect()
            return content(spark.table("written")), set(folders(folder / name))
        finally:
            spark.sql("DROP TABLE IF EXISTS written")

    expected, found = both(answers, write)
    assert found == expected
    assert expected[0][1]


def test_into_folders(answers: Answers, tmp_path: Path) -> None:
    """As many files as the user has asked for, in the folders of their partitions."""

    def write(spark: SparkSession, name: str) -> Any:
        path = tmp_path / name
        frame = spark.table("written_rows").repartition(2, "k").selectExpr("id + 1", "k", "s")
        frame.write.partitionBy("k", "s").parquet(str(path / "parted"))
        frame.write.mode("overwrite").parquet(str(path / "files"))
        return [
            (folders(path / n), content(spark.read.parquet(str(path / n))))
            for n in ("parted", "files")
        ]

    expected, found = both(answers, write)
    assert found == expected
    assert len(expected[1][0]) == 2


def on_disk(frame: DataFrame) -> DataFrame:
    """Its rows, stored as bytes."""
    from pyspark import StorageLevel

    return frame.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY)


KEPT: dict[str, Callable[[DataFrame], DataFrame]] = {
    "checkpoint": lambda frame: frame.checkpoint(),
    "localCheckpoint": lambda frame: frame.localCheckpoint(),
    "lazy localCheckpoint": lambda frame: frame.localCheckpoint(eager=False),
    "localCheckpoint on disk": on_disk,
}


def test_rdds_are_shuffled(answers: Answers) -> None:
    """By Spark's default serializer, which their tasks get with them."""
    context = answers.session.sparkContext
    texts = answers.session._jvm.java.util.ArrayList()
    for text in "abcde":
        texts.add(text)
    shuffled = context._jsc.parallelize(texts).repartition(3)
    assert sorted(shuffled.collect()) == list("abcde")


@pytest.mark.parametrize("keep", KEPT.values(), ids=KEPT)
def test_checkpoints(answers: Answers, keep: Callable[[DataFrame], DataFrame]) -> None:
    def read_twice(spark: SparkSession, name: str) -> Any:
        kept = keep(spark.sql(GROUPS))
        return content(kept), content(kept.groupBy("n").agg({"k": "sum", "s": "max"}))

    expected, found = both(answers, read_twice)
    assert found == expected


def test_functions_of_the_user(answers: Answers) -> None:
    def visit(spark: SparkSession, name: str) -> Any:
        count, total = spark.sparkContext.accumulator(0), spark.sparkContext.accumulator(0)
        frame = spark.sql(GROUPS)
        frame.foreach(lambda row: total.add(row.k * row.n))
        frame.foreachPartition(lambda rows: count.add(sum(1 for _ in rows)))
        return count.value, total.value

    expected, found = both(answers, visit)
    assert found == expected == (7, sum(n % 7 for n in range(300)))
