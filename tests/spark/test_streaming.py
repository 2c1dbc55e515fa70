"""Structured streaming: its own plans are Spark's, what each batch asks for may be ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter


@pytest.fixture(scope="module", autouse=True)
def files(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two files of rows, in a folder that streams read, and the view `stream_names`."""
    folder = tmp_path_factory.mktemp("streaming")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(0, 200, 1, 2).selectExpr(
            "id", "id % 7 AS k", "nullif(concat('t', id % 13), 't3') AS s"
        ).write.parquet(str(folder / "rows"))
        spark.range(5).selectExpr("id AS k", "concat('n', id) AS name").write.parquet(
            str(folder / "names")
        )
    spark.read.parquet(str(folder / "names")).createOrReplaceTempView("stream_names")
    yield folder / "rows"
    spark.catalog.dropTempView("stream_names")


def stream(spark: SparkSession, files: Path) -> DataFrame:
    """The rows, a file in each batch."""
    reader = spark.readStream.schema("id BIGINT, k BIGINT, s STRING")
    return reader.option("maxFilesPerTrigger", 1).parquet(str(files))


def finish(writer: DataStreamWriter, checkpoint: Path) -> None:
    """Runs a query until it has read all files."""
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(60)
    finally:
        query.stop()


def both(answers: Answers, ask: Callable[[str], Any]) -> list[Any]:
    """What Spark and what Broadhead answer; each gets its own name for what it writes."""
    found = []
    for name, enabled in (("by_spark", "false"), ("by_broadhead", "true")):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found.append(ask(name))
    return found


QUERIES: dict[str, tuple[str, Callable[[DataFrame], DataFrame]]] = {
    "aggregation": (
        "complete",
        lambda rows: rows.groupBy("k").agg({"id": "sum", "*": "count", "s": "max"}),
    ),
    "without duplicates": ("append", lambda rows: rows.select("s", "k").dropDuplicates()),
    "join": (
        "append",
        lambda rows: rows.join(rows.sparkSession.table("stream_names"), "k").selectExpr(
            "id + 1", "name"
        ),
    ),
}


@pytest.mark.parametrize(
    ("mode", "make"),
    [
        pytest.param(*query, id=name, marks=[] if name == "aggregation" else pytest.mark.nightly)
        for name, query in QUERIES.items()
    ],
)
def test_streams(
    answers: Answers,
    files: Path,
    tmp_path: Path,
    mode: str,
    make: Callable[[DataFrame], DataFrame],
) -> None:
    spark = answers.session

    def run(name: str) -> list[str]:
        writer = make(stream(spark, files)).writeStream.format("memory").queryName(name)
        finish(writer.outputMode(mode), tmp_path / name)
        found = sorted(map(repr, spark.table(name).collect()))
        spark.catalog.dropTempView(name)
        return found

    expected, found = both(answers, run)
    assert found == expected
    assert expected


def test_batches_of_files_run_in_fragments(answers: Answers, files: Path, tmp_path: Path) -> None:
    """Each batch of a query without state: from files, joined, to files, each row once."""
    spark = answers.session
    plans = []

    def run(name: str) -> Any:
        rows = stream(spark, files).where("id > 20").join(spark.table("stream_names"), "k")
        written = str(tmp_path / name)
        writer = rows.selectExpr("id + 1 AS id", "upper(name) AS n").writeStream
        query = (
            writer.format("parquet")
            .option("checkpointLocation", str(tmp_path / f"{name}-state"))
            .trigger(availableNow=True)
            .start(written)
        )
        assert query.awaitTermination(60)
        plans.append(query._jsq.explainInternal(False))
        progress = [(p["batchId"], p["numInputRows"]) for p in query.recentProgress]
        return progress, sorted(map(repr, spark.read.parquet(written).collect()))

    expected, found = both(answers, run)
    assert found == expected
    assert ["BroadheadBroadcastHashJoin" in plan for plan in plans] == [False, True]


def test_what_is_asked_of_each_batch(answers: Answers, files: Path, tmp_path: Path) -> None:
    spark = answers.session
    plans = []

    def run(name: str) -> Any:
        answered = []

        def ask(rows: DataFrame, batch: int) -> None:
            groups = rows.join(rows.sparkSession.table("stream_names"), "k").groupBy("name").count()
            answered.append((batch, sorted(map(repr, groups.collect()))))
            plans.append(plan_of(groups))
            rows.repartition(2, "k").write.mode("append").parquet(str(tmp_path / name))

        finish(stream(spark, files).writeStream.foreachBatch(ask), tmp_path / f"{name}-state")
        return answered, sorted(map(repr, spark.read.parquet(str(tmp_path / name)).collect()))

    expected, found = both(answers, run)
    assert found == expected
    assert ["Broadhead" in plan for plan in plans] == [False] * 2 + [True] * 2
