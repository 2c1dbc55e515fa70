"""Files in Hadoop's file systems: `store:///` is the tests' own, slow or failing as it is told."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers, plan_of
from spark.test_parquet_files import all_columns
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession


def store(answers: Answers) -> Any:
    """The file system's counters."""
    jvm = answers.session.sparkContext._jvm
    assert jvm is not None
    return jvm.io.broadhead.store.StoreFileSystem


def remote(path: Path | str) -> str:
    return f"store://{path}"


def read(session: SparkSession, path: Path, **settings: Any) -> DataFrame:
    options = {f"fs.store.{name}": str(value) for name, value in settings.items()}
    return session.read.options(**options).parquet(remote(path))


def write(answers: Answers, frame: DataFrame, path: Path, *partitions: str) -> None:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        frame.write.partitionBy(*partitions).parquet(str(path))


def metrics(frame: DataFrame) -> dict[str, int]:
    """The scan's metrics of a query that has run."""
    plan = frame._jdf.queryExecution().executedPlan()
    found = answers_scan(plan)
    values = found.metrics()
    names = ("requests", "bytesFetched", "fetchWaitTime", "numOutputRows")
    return {name: values.apply(name).value() for name in names if values.contains(name)}


def answers_scan(plan: Any) -> Any:
    while plan.nodeName() != "BroadheadFileSourceScan":
        inner = plan.nodeName() == "AdaptiveSparkPlan"
        plan = plan.executedPlan() if inner else plan.children().head()
    return plan


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All types in two files."""
    path = tmp_path_factory.mktemp("remote") / "all"
    write(answers, all_columns(answers.session), path)
    return path


def test_all_types(answers: Answers, table: Path) -> None:
    answers.same_rows(lambda spark: read(spark, table))
    answers.same_rows(lambda spark: read(spark, table).where("id % 3 = 1").select("st", "dec18"))


def test_only_the_wanted_columns_are_fetched(answers: Answers, table: Path) -> None:
    frame = read(answers.session, table).select("int")
    assert "BroadheadFileSourceScan" in plan_of(frame)
    frame.collect()
    whole = sum(file.stat().st_size for file in table.glob("*.parquet"))
    found = metrics(frame)
    assert found["requests"] > 0
    assert 0 < found["bytesFetched"] < whole


def test_rows_are_counted_by_the_footers(answers: Answers, table: Path) -> None:
    answers.same_rows(lambda spark: read(spark, table).selectExpr("count(*)"))


def test_partitions_with_odd_names(answers: Answers, folder: Path) -> None:
    frame = answers.session.sql(
        "SELECT * FROM VALUES (1, 'a b', DATE'2020-01-01'), (2, 'ü/=%', NULL), (3, NULL, NULL), "
        "(4, 'x:y?#[1]', DATE'0001-01-01'), (5, '%20', NULL) AS t(i, name, day)"
    )
    write(answers, frame, folder / "odd names %41", "name", "day")
    answers.same_rows(lambda spark: read(spark, folder / "odd names %41"))
    answers.same_rows(
        lambda spark: read(spark, folder / "odd names %41").where("name > 'a' OR name IS NULL")
    )


def test_many_small_files_are_read_at_the_same_time(answers: Answers, folder: Path) -> None:
    frame = answers.session.range(0, 3000, 1, 30).selectExpr("id", "id % 7 AS k")
    write(answers, frame, folder / "many")
    store(answers).reset()
    answers.same_rows(lambda spark: read(spark, folder / "many", delay=30).groupBy("k").count())
    assert store(answers).mostUnderWay() > 2


def row_groups(folder: Path, count: int) -> Path:
    """A file of `count` row groups of half a MiB, which do not compress."""
    path = folder / "groups.parquet"
    with pq.ParquetWriter(path, pa.schema({"n": pa.int64(), "b": pa.binary()})) as writer:
        for number in range(count):
            blocks = pa.array([os.urandom(1 << 16) for _ in range(8)])
            writer.write_table(pa.table({"n": pa.array([number] * 8), "b": blocks}))
    return path


def test_row_groups_are_fetched_ahead_and_given_up(answers: Answers, folder: Path) -> None:
    path = row_groups(folder, 40)
    answers.same_rows(lambda spark: read(spark, path, delay=2).groupBy("n").agg({"b": "max"}))


def test_skipped_row_groups_are_not_fetched(answers: Answers, folder: Path) -> None:
    path = row_groups(folder, 10)
    frame = read(answers.session, path).where("n = 7")
    assert frame.count() == 8
    assert metrics(frame)["bytesFetched"] < path.stat().st_size / 4
    answers.same_rows(lambda spark: read(spark, path).where("n = 7"))


@pytest.mark.parametrize("fault", ["denied", "short", *at_night("timeout", "throttled")])
def test_faults_are_sparks_own_errors(answers: Answers, table: Path, fault: str) -> None:
    outcome = answers.same_outcome(lambda spark: read(spark, table, fault=fault).select("int"))
    assert outcome == "error"


def test_a_fault_after_the_footers(answers: Answers, table: Path) -> None:
    """The driver reads one footer for the schema; here the schema is given."""
    schema = answers.session.read.parquet(str(table)).schema
    file = sorted(table.glob("*.parquet"))[0]

    def make(spark: SparkSession) -> DataFrame:
        reader = spark.read.schema(schema).option("fs.store.fault", "throttled")
        return reader.parquet(remote(file)).select("int", "str")

    assert answers.same_outcome(make) == "error"


@pytest.mark.parametrize("damage", ["gone", "cut", "other", *at_night("empty", "longer")])
def test_files_that_changed_since_they_were_listed(
    answers: Answers, folder: Path, damage: str
) -> None:
    def make(spark: SparkSession) -> DataFrame:
        path = folder / "changed.parquet"
        pq.write_table(pa.table({"n": list(range(5000))}), path)
        frame = read(spark, path).selectExpr("sum(n)")
        frame._jdf.queryExecution().executedPlan()
        _damage(path, damage)
        return frame

    answers.same_outcome(make)


def _damage(path: Path, damage: str) -> None:
    content = path.read_bytes()
    match damage:
        case "gone":
            path.unlink()
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "empty":
            path.write_bytes(b"")
        case "longer":
            path.write_bytes(content + content)
        case "other":
            path.write_bytes(bytes(len(content)))


@pytest.fixture
def descriptors() -> Iterator[None]:
    """Nothing stays open in this process's workers and threads."""
    gc.collect()
    before = threading.active_count()
    yield
    assert threading.active_count() <= before + 1


def test_a_query_that_ends_early_leaves_nothing(
    answers: Answers, folder: Path, descriptors: None
) -> None:
    path = row_groups(folder, 40)
    for _ in range(3):
        assert len(read(answers.session, path, delay=1).limit(3).collect()) == 3
    for worker in answers.worker_pids():
        opened = [str(link.readlink()) for link in Path(f"/proc/{worker}/fd").iterdir()]
        assert not [name for name in opened if "broadhead-file" in name]
