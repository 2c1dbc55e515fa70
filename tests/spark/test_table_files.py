"""Table files that fragments write: their content, their names, and what is left after failures."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers, workers_below
from spark.test_parquet_files import all_columns
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Make = Callable[["SparkSession"], "DataFrame"]


@pytest.fixture(scope="module")
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A view of all types in two files."""
    path = str(tmp_path_factory.mktemp("table-files") / "rows")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        all_columns(spark).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("all_types")
    yield
    spark.catalog.dropTempView("all_types")


def metric(spark: SparkSession, node: str, name: str) -> int:
    """A metric of a node in the last query."""
    store = spark._jsparkSession.sharedState().statusStore()
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    execution = store.executionsList().last()
    graph = store.planGraph(execution.executionId())
    nodes = graph.allNodes()
    found = [nodes.apply(i) for i in range(nodes.size()) if nodes.apply(i).name().strip() == node]
    assert found, [nodes.apply(i).name() for i in range(nodes.size())]
    metrics = found[0].metrics()
    (accumulator,) = (
        metrics.apply(i).accumulatorId()
        for i in range(metrics.size())
        if metrics.apply(i).name() == name
    )
    text = store.executionMetrics(execution.executionId()).apply(accumulator)
    return int(str(text).replace(",", ""))


def written(answers: Answers, folder: Path, write: Callable[[SparkSession, str], None]) -> None:
    """Runs a write with Broadhead's own files, and with Spark's, into folders of these names."""
    spark = answers.session
    for name, enabled in (("spark", "false"), ("broadhead", "true")):
        with configured(spark, {"spark.broadhead.enabled": enabled}):
            write(spark, str(folder / name))
    assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") == 0


def same_tables(answers: Answers, folder: Path) -> None:
    """Plain Spark reads the same rows and types of both folders."""
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        expected, found = (spark.read.parquet(str(folder / n)) for n in ("spark", "broadhead"))
        assert found.schema == expected.schema
        assert sorted(map(repr, found.collect())) == sorted(map(repr, expected.collect()))


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.parquet"))


def name_of(file: Path, folder: Path) -> str:
    """The path without the random id of the job."""
    parts = file.name.split("-")
    return str(file.parent.relative_to(folder) / "-".join([*parts[:2], parts[-1][-20:]]))


def columns_of(file: Path) -> list[tuple[Any, ...]]:
    """Physical and logical types, and levels, of each leaf."""
    schema = pq.read_metadata(file).schema
    leaves = [schema.column(i) for i in range(len(schema))]
    return [
        (c.path, c.physical_type, str(c.logical_type), c.max_definition_level, c.length)
        for c in leaves
    ]


def by_duckdb(folder: Path) -> list[Any]:
    """The rows as a reader of its own gives them."""
    files = str(folder / "*.parquet")
    return duckdb.sql(f"SELECT * FROM read_parquet('{files}') ORDER BY id").fetchall()


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS"])
def test_all_types(answers: Answers, rows: None, folder: Path, kind: str) -> None:
    """Rows, physical types and Spark's own schema in the footer."""
    dropped = ["ntz"] if kind == "INT96" else []
    with configured(answers.session, {"spark.sql.parquet.outputTimestampType": kind}):
        written(
            answers,
            folder,
            lambda spark, path: (
                spark.table("all_types").drop(*dropped).where("id % 3 > 0").write.parquet(path)
            ),
        )
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in ("spark", "broadhead"))
    assert columns_of(found) == columns_of(expected)
    metadata = [pq.read_metadata(file).metadata for file in (expected, found)]
    assert metadata[0] == metadata[1]
    pq.read_table(found).validate(full=True)
    if kind == "TIMESTAMP_MICROS":
        assert by_duckdb(folder / "broadhead") == by_duckdb(folder / "spark")


def test_columns_that_have_no_nulls_are_required(answers: Answers, folder: Path) -> None:
    def write(spark: SparkSession, path: str) -> None:
        frame = spark.sql("SELECT coalesce(int, 0) AS i, count(*) AS n FROM all_types GROUP BY 1")
        frame.write.parquet(path)

    source = all_columns(answers.session)
    source.createOrReplaceTempView("made")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        source.write.parquet(str(folder / "source"))
    answers.session.read.parquet(str(folder / "source")).createOrReplaceTempView("all_types")
    written(answers, folder, write)
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in ("spark", "broadhead"))
    assert columns_of(found) == columns_of(expected)


@pytest.mark.parametrize(
    "codec",
    # Snappy is what the other tests' files have.
    ["zstd", *at_night("gzip", "none", "lz4_raw")],
)
def test_codecs(answers: Answers, rows: None, folder: Path, codec: str) -> None:
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.table("all_types")
            .select("id", "str")
            .where("id % 2 = 0")
            .write.option("compression", codec)
            .parquet(path)
        ),
    )
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in ("spark", "broadhead"))
    assert found.name.split("-c000")[1] == expected.name.split("-c000")[1]
    codecs = [pq.read_metadata(f).row_group(0).column(0).compression for f in (expected, found)]
    assert codecs[0] == codecs[1]


ODD_NAMES = (
    "SELECT i, CASE i % 5 WHEN 0 THEN 'a b' WHEN 1 THEN 'ü/=%' WHEN 2 THEN '' "
    "WHEN 3 THEN 'x:y?#[1]' END AS name, "
    "IF(i % 7 = 0, NULL, date_add(DATE'2020-02-28', CAST(i % 3 AS INT))) AS day, "
    "CAST(i % 2 AS DECIMAL(9, 2)) / 4 AS price, timestamp_seconds(i % 3) AS at, i % 2 = 1 AS odd "
    "FROM (SELECT id AS i FROM all_types WHERE id < 200)"
)


@pytest.mark.parametrize(
    "columns", [["name", "day", "price"], *at_night(["day", "odd"], ["name"], ["price", "at"])]
)
def test_partitions(answers: Answers, rows: None, folder: Path, columns: list[str]) -> None:
    written(
        answers,
        folder,
        lambda spark, path: spark.sql(ODD_NAMES).write.partitionBy(*columns).parquet(path),
    )
    same_tables(answers, folder)
    names = [
        {name_of(file, folder / name) for file in files(folder / name)}
        for name in ("spark", "broadhead")
    ]
    assert names[1] == names[0]


@pytest.mark.parametrize("partitions", [["k"], *at_night([])])
def test_files_of_a_number_of_rows(
    answers: Answers, rows: None, folder: Path, partitions: list[str]
) -> None:
    def write(spark: SparkSession, path: str) -> None:
        frame = spark.sql("SELECT id, id % 3 AS k FROM all_types WHERE id >= 100")
        writer = frame.write.option("maxRecordsPerFile", 250)
        writer.partitionBy(*partitions).parquet(path)

    written(answers, folder, write)
    same_tables(answers, folder)
    counts = [
        sorted((name_of(f, folder / n), pq.read_metadata(f).num_rows) for f in files(folder / n))
        for n in ("spark", "broadhead")
    ]
    assert counts[1] == counts[0]
    assert max(count for _, count in counts[1]) == 250


def test_no_rows(answers: Answers, rows: None, folder: Path) -> None:
    """One file with the schema, as of Spark's own."""
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.table("all_types").drop("ntz").where("id < 0").write.parquet(path)
        ),
    )
    same_tables(answers, folder)
    assert [pq.read_metadata(file).num_rows for file in files(folder / "broadhead")] == [0]
    assert (folder / "broadhead" / "_SUCCESS").exists()


def test_no_rows_for_partitions(answers: Answers, rows: None, folder: Path) -> None:
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.sql("SELECT id, id % 3 AS k FROM all_types WHERE id < 0")
            .write.partitionBy("k")
            .parquet(path)
        ),
    )
    assert files(folder / "broadhead") == files(folder / "spark") == []
    assert (folder / "broadhead" / "_SUCCESS").exists()


def test_spark_counts_files_rows_and_bytes(answers: Answers, rows: None, folder: Path) -> None:
    spark = answers.session
    spark.sql("SELECT id, id % 4 AS k FROM all_types WHERE id < 1000").write.partitionBy(
        "k"
    ).parquet(str(folder / "t"))
    node = "Execute InsertIntoHadoopFsRelationCommand"
    assert metric(spark, node, "number of output rows") == 1000
    assert metric(spark, node, "number of written files") == len(files(folder / "t"))
    assert metric(spark, node, "number of dynamic part") == 4


def test_a_row_that_raises_is_sparks_error_and_leaves_no_file(
    answers: Answers, rows: None, folder: Path
) -> None:
    errors = []
    for enabled in ("false", "true"):
        with configured(
            answers.session,
            {"spark.broadhead.enabled": enabled, "spark.sql.ansi.enabled": "true"},
        ):
            frame = answers.session.sql("SELECT id, 1 / (id - 3999) AS q FROM all_types")
            with pytest.raises(Exception, match="DIVIDE_BY_ZERO") as failure:
                frame.write.mode("overwrite").parquet(str(folder / "t"))
            errors.append(str(failure.value).split("SQLSTATE")[0])
    assert errors[0] == errors[1]
    assert files(folder) == []


def test_a_task_that_is_replayed_writes_its_files_once(
    answers: Answers, rows: None, folder: Path
) -> None:
    """A file that Spark reads and the engine does not: Spark's writers write its rows."""
    spark = answers.session
    for number, kind in enumerate([pa.int32(), pa.int64()]):
        table = pa.table({"id": pa.array([1, 2, 3], kind)})
        (folder / "source").mkdir(exist_ok=True)
        pq.write_table(table, folder / "source" / f"{number}.parquet")
    schema = "id DECIMAL(20, 0)"
    read = spark.read.schema(schema).parquet(str(folder / "source"))
    read.selectExpr("id", "id % 2 AS k").write.partitionBy("k").parquet(str(folder / "t"))
    assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") > 0
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        assert spark.read.parquet(str(folder / "t")).count() == 6


def test_workers_that_are_killed_while_they_write(
    answers: Answers, rows: None, folder: Path
) -> None:
    spark = answers.session
    ended = False
    killed = 0

    def kill() -> None:
        nonlocal killed
        while not ended:
            for worker in list(workers_below(os.getpid())):
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    killed += 1
            time.sleep(0.3)

    killer = Thread(target=kill)
    killer.start()
    try:
        frame = spark.sql("SELECT a.id, a.uniq, b.id % 9 AS k FROM all_types a, all_types b")
        frame.where("b.id < 100").write.partitionBy("k").parquet(str(folder / "t"))
    finally:
        ended = True
        killer.join()
    assert killed > 0
    assert spark.read.parquet(str(folder / "t")).count() == 400_000


def test_remote_tables(answers: Answers, rows: None, folder: Path) -> None:
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.table("all_types")
            .selectExpr("id", "str", "id % 5 AS k")
            .write.partitionBy("k")
            .parquet(f"store://{path}")
        ),
    )
    same_tables(answers, folder)


@pytest.mark.parametrize(
    ("frame", "settings", "reason"),
    [
        ("SELECT ts, ntz FROM all_types", {}, "with and without a time zone"),
        ("SELECT ts FROM all_types",
         {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"}, "TIMESTAMP_MILLIS"),
        ("SELECT dec9 FROM all_types",
         {"spark.sql.parquet.writeLegacyFormat": "true"}, "writeLegacyFormat"),
        ("SELECT day FROM all_types",
         {"spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY"}, "datetimeRebaseMode"),
        ("SELECT id FROM all_types",
         {"spark.sql.maxConcurrentOutputFileWriters": "5"}, "at the same time"),
    ],
)  # fmt: skip
def test_what_spark_writes_itself(
    answers: Answers, rows: None, folder: Path, frame: str, settings: dict[str, str], reason: str
) -> None:
    spark = answers.session
    with configured(spark, settings):
        spark.sql(frame).write.parquet(str(folder / "t"))
        spark.read.parquet(str(folder / "t")).limit(0).write.saveAsTable("refused")
        try:
            text = spark.sql(f"EXPLAIN EXTENDED INSERT INTO refused {frame}").collect()[0][0]
        finally:
            spark.sql("DROP TABLE refused")
    assert reason in text
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        assert spark.read.parquet(str(folder / "t")).count() == 4000
