"""Attempts of tasks that write: however often a task runs, its files are in the table once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers
from spark.cluster_programs import Run, application
from spark.test_failed_writes import left
from sql_sessions import configured

ROWS = 20_000
FILES = 4

START = """
import random
from collections import Counter

spark = start("local-cluster[2,1,1024]", **{
    "spark.broadhead.batchRows": "1000",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.files.openCostInBytes": "1g",
    "spark.sql.warehouse.dir": str(folder / "warehouse"),
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "3s",
})

def claims(marker):
    # Whether it is the first attempt that gets here.
    with suppress(FileExistsError):
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        return True
    return False

def read():
    return spark.read.parquet(str(folder / "t"))

def write(frame, kind, layout, path):
    writer = frame.write.format(kind).option("maxRecordsPerFile", 1500)
    if layout == "partitioned":
        writer = writer.partitionBy("k")
    if layout == "bucketed":
        writer.bucketBy(3, "k").sortBy("id").option("path", str(path)).saveAsTable(path.name)
        spark.sql(f"DROP TABLE {path.name}")
    else:
        writer.save(str(path))

def written(kind, path):
    # Rows, files in each folder, and all that is not a file of the table.
    files = [file for file in path.rglob("*") if file.is_file() and file.suffix != ".crc"]
    parts = [file for file in files if file.name.startswith("part-")]
    schema = "id BIGINT, u STRING, k BIGINT"
    spark.conf.set("spark.broadhead.enabled", "false")
    try:
        frame = spark.read.format(kind).schema(schema).load(str(path))
        found = frame.selectExpr("count(*)", "count(DISTINCT id)", "sum(id)", "sum(k)").first()
    finally:
        spark.conf.set("spark.broadhead.enabled", "true")
    return {
        "rows": list(found),
        "files": sorted(Counter(str(file.parent.relative_to(path)) for file in parts).items()),
        "others": sorted(file.name for file in files if file not in parts),
        "folders": sorted(
            {str(file.relative_to(path)) for file in path.rglob("*") if file.is_dir()}),
    }

def plainly(kind, layout, path):
    spark.conf.set("spark.broadhead.enabled", "false")
    try:
        write(read(), kind, layout, path)
    finally:
        spark.conf.set("spark.broadhead.enabled", "true")
    return written(kind, path)

def encoders(path):
    import pyarrow.parquet as pq
    return sorted({
        pq.ParquetFile(file).metadata.created_by.split()[0] for file in path.rglob("*.parquet")})
"""

FAILING = """
marker = folder / "failed {name}"

def pass_on(batches):
    for number, batch in enumerate(batches):
        yield batch
        if number == 5 and claims(marker):
            {how}

frame = read().mapInArrow(pass_on, "id BIGINT, u STRING, k BIGINT")
path = folder / "{name}"
write(frame, {kind!r}, {layout!r}, path)
results = {{
    "ours": written({kind!r}, path),
    "spark": plainly({kind!r}, {layout!r}, folder / "plain_{name}"),
    "failed": marker.exists(),
    "encoders": encoders(path),
}}
"""

HOWS = {
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "raised": "raise ValueError('the first attempt')",
    "slow": "time.sleep(60)",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Path]]:
    """An application with two executors and speculation, in a folder with a table."""
    folder = tmp_path_factory.mktemp("write-attempts")
    (folder / "t").mkdir()
    for number in range(FILES):
        ids = range(number * ROWS, (number + 1) * ROWS)
        columns = {"id": ids, "u": [f"{value:040}" for value in ids], "k": [v % 7 for v in ids]}
        pq.write_table(pa.table(columns), folder / "t" / f"{number}.parquet")
    with application(folder) as asked:
        asked(START)
        yield asked, folder


def same(found: dict[str, Any], kind: str) -> None:
    """The table of Broadhead has the rows and files of Spark's, and nothing else."""
    assert found["ours"] == found["spark"]
    assert found["ours"]["others"] == ["_SUCCESS"]
    assert found["failed"]
    if kind == "parquet":
        assert found["encoders"] == ["parquet-cpp-arrow"]


@pytest.mark.nightly
@pytest.mark.parametrize("layout", ["plain", "partitioned", "bucketed"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("how", HOWS)
def test_a_second_attempt(run: tuple[Run, Path], how: str, kind: str, layout: str) -> None:
    """A worker that is killed, a task that fails when it has files, and one that is too slow."""
    name = f"{how}_{kind}_{layout}"
    program = FAILING.format(name=name, how=HOWS[how], kind=kind, layout=layout)
    same(run[0](program), kind)


LOST = """
import threading
marker = folder / "lost {layout}"
path = folder / "lost_{layout}"

def kill_at_first_file():
    while not any(path.glob("_temporary/**/part-*")):
        time.sleep(0.002)
    marker.touch()
    os.kill(executors(2)[0], signal.SIGKILL)

killer = threading.Thread(target=kill_at_first_file)
killer.start()
write(read().repartition(2), "parquet", {layout!r}, path)
killer.join()
results = {{
    "ours": written("parquet", path),
    "failed": marker.exists(),
    "encoders": encoders(path),
}}
counts = [{rows}, {rows}, {ids}, results["ours"]["rows"][3]]
results["spark"] = {{**results["ours"], "rows": counts}}
"""


@pytest.mark.nightly
@pytest.mark.parametrize("layout", ["plain", "partitioned"])
def test_a_lost_executor(run: tuple[Run, Path], layout: str) -> None:
    """An executor is killed when the first file of a task is there."""
    rows = ROWS * FILES
    program = LOST.format(layout=layout, rows=rows, ids=rows * (rows - 1) // 2)
    same(run[0](program), "parquet")


ABORTED = """
def pass_on(batches):
    for number, batch in enumerate(batches):
        yield batch
        if number == 5:
            raise ValueError("all attempts")

path = folder / "aborted_{kind}_{layout}"
error = None
try:
    write(read().mapInArrow(pass_on, "id BIGINT, u STRING, k BIGINT"), {kind!r}, {layout!r}, path)
except Exception as failure:
    error = str(failure)
results = {{
    "raised": error is not None and "all attempts" in error,
    "left": sorted(str(file.relative_to(path)) for file in path.rglob("*")),
}}
"""


@pytest.mark.nightly
@pytest.mark.parametrize("layout", ["plain", "partitioned", "bucketed"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_job_that_is_aborted(run: tuple[Run, Path], kind: str, layout: str) -> None:
    program = ABORTED.format(kind=kind, layout=layout)
    assert run[0](program) == {"raised": True, "left": []}


def test_a_task_that_fails_when_it_has_files(answers: Answers, tmp_path: Path) -> None:
    """By day in one process, where the first failure ends the job."""
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(0, 6000, 1, 1).selectExpr("id", "id % 3 AS k").write.parquet(
            str(tmp_path / "t")
        )

    def pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if 4000 in batch.column(0).to_pylist():
                raise ValueError("too late")
            yield batch

    settings = {
        "spark.broadhead.batchRows": "1000",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.sql.files.maxRecordsPerFile": "500",
    }
    for kind in ("parquet", "csv"):
        path = tmp_path / kind
        frame = spark.read.parquet(str(tmp_path / "t"))
        with configured(spark, settings):
            frame.write.format(kind).save(str(path))
            before = left(path)
            failing = frame.mapInArrow(pass_on, "id BIGINT, k BIGINT")
            with pytest.raises(Exception, match="too late"):
                failing.write.format(kind).mode("append").save(str(path))
        assert before == {"./": 12, "./_SUCCESS": 1}
        assert left(path) == before
