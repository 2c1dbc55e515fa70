"""Rows of broadcasts: in Spark's own broadcasts, checked, and gone with their query."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark.answers import Answers

SECONDS = 60
QUERY = "SELECT /*+ BROADCAST(s) */ sum(f.id), count(*) FROM facts f JOIN shops s USING (shop)"


@pytest.fixture(scope="module")
def session(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with `facts` of 4,000 rows and `shops` of 50, views over Parquet."""
    spark = answers.session
    folder = tmp_path_factory.mktemp("tables")
    tables = {
        "facts": spark.range(4000).selectExpr("id", "id % 37 AS shop"),
        "shops": spark.range(50).selectExpr("id AS shop"),
    }
    for name, table in tables.items():
        table.write.parquet(str(folder / name))
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    yield spark
    for name in tables:
        spark.catalog.dropTempView(name)


def package(spark: SparkSession) -> Any:
    return spark._jvm.org.apache.spark.sql.broadhead.broadcast


def live(spark: SparkSession) -> int:
    """Number of broadcasts of which workers may keep the rows."""
    return int(package(spark).BroadcastServer.live().size())


def blocks(spark: SparkSession) -> list[int]:
    """Ids of the broadcasts of which this process has the rows."""
    jvm = spark._jvm
    context = spark.sparkContext
    last = context._jsc.broadcast(1).id()
    manager = jvm.org.apache.spark.SparkEnv.get().blockManager()
    block = jvm.org.apache.spark.storage.BroadcastBlockId
    return [n for n in range(last) if manager.getStatus(block(n, "rows")).isDefined()]


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds within a minute; each look lets both collectors run."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        gc.collect()
        time.sleep(0.1)
    return True


def test_rows_are_in_no_file_and_go_with_their_query(session: SparkSession) -> None:
    folder = Path(str(session.sparkContext.getConf().get("spark.local.dir")))
    frame = session.sql(QUERY)
    frame.collect()
    assert "BroadheadBroadcastExchange" in frame._jdf.queryExecution().executedPlan().toString()
    assert [path for path in folder.rglob("*broadcast*") if path.is_file()] == []
    assert eventually(lambda: live(session) == 0)
    if session.version >= "4.3":
        pytest.skip("py4j cannot look into this Spark's SparkEnv: it lacks a class of a parameter")
    assert blocks(session)
    del frame

    def collected() -> bool:
        # Spark's listeners keep the last query that they were told of.
        session.range(1).collect()
        session._jvm.System.gc()
        return blocks(session) == []

    assert eventually(collected)


def test_a_cancelled_query_leaves_nothing_to_workers(session: SparkSession) -> None:
    slow = "SELECT sum(a.shop) FROM ({}) q JOIN facts a ON a.id < q.id JOIN facts b ON b.id < a.id"
    rows = QUERY.replace("sum(f.id), count(*)", "f.id")
    errors: list[Exception] = []

    def run() -> None:
        session.sparkContext.addJobTag("cancelled")
        try:
            session.sql(slow.format(rows)).collect()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(lambda: live(session) > 0 or not thread.is_alive())
    session.sparkContext.cancelJobsWithTag("cancelled")
    thread.join()
    assert errors
    assert eventually(lambda: live(session) == 0)


def test_damaged_rows_reach_no_operator(session: SparkSession) -> None:
    content = b"a record batch"
    storage = package(session)
    chunks = session.sparkContext._gateway.new_array(storage.BroadcastChunk, 1)
    checksum = storage.BroadcastChunk.checksumOf(content)
    chunks[0] = storage.BroadcastChunk(3, 24, len(content), checksum, b"a record BATCH")
    jvm = session._jvm
    nowhere_else = jvm.scala.jdk.javaapi.CollectionConverters.asScala(jvm.java.util.ArrayList())
    context = session.sparkContext._jsc.sc()
    made = storage.BroadcastContent.broadcast(chunks, nowhere_else.toSeq(), context)
    with pytest.raises(Py4JJavaError, match="damaged: the checksum of a batch of 3 rows"):
        made.chunks()
    made.destroy(False)
