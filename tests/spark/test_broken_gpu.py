"""A GPU on which nothing works, or that is lost: queries give Spark's rows, from the CPU."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spark.cluster_programs import application
from sql_runs import is_nightly

DEVICE_FILE = """
import pathlib

exists = pathlib.Path.exists
pathlib.Path.exists = lambda path: str(path) == "/dev/nvidiactl" or exists(path)
"""

ONE_DEVICE = """
def cudaGetDeviceCount():
    return 0, 1
"""

PROGRAM = """
import logging
spark = start("local[2]", **{
    "spark.broadhead.device": "gpu", "spark.broadhead.strict": "false",
    "spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1"})
spark.range(0, 20_000, 1, 4).selectExpr("id", "id % 37 AS k").write.parquet(str(folder / "t"))
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
for name, query in QUERIES.items():
    frame = lambda: spark.sql(query)
    found = frame()
    results[name] = {
        "right": rows(found) == by_spark(frame),
        "replayed": sum(
            int(node.metrics().apply("replays").value())
            for node in fragments(found._jdf.queryExecution().executedPlan())
        ) > 0,
    }
"""

LOSES_THE_GPU = """
import os
from pathlib import Path

from broadhead.kernels.load import load_kernels
from broadhead.worker import device_half

def fail(*_):
    with open(Path(__file__).parent / "workers", "a") as file:
        print(os.getpid(), file=file)
    raise RuntimeError("an illegal memory access was encountered")

load_kernels("arrow").device.is_lost = lambda: True
device_half.load_kernels = lambda _: load_kernels("arrow")
device_half.GpuRun.batches = fail
"""
"""In place of pylibcudf, which a worker imports before its first task on a GPU."""

FRAGMENTS = """
def fragments(plan):
    found = [plan] if plan.metrics().contains("replays") else []
    children = plan.children()
    for n in range(children.size()):
        found += fragments(children.apply(n))
    return found
"""

QUERIES = {
    "scan": "SELECT id + 1 FROM t WHERE k < 30",
    "aggregate": "SELECT k, sum(id), count(*) FROM t GROUP BY k",
    "join": "SELECT l.id, r.k FROM t l JOIN t r ON l.id = r.id + 1 WHERE r.k = 3",
    "join of aggregates": "SELECT a.k, n FROM (SELECT k, count(*) n FROM t GROUP BY k) a"
    " JOIN (SELECT id FROM t WHERE id < 20) b ON a.k = b.id",
    "sort": "SELECT id FROM t ORDER BY k, id",
    "window": "SELECT id, sum(id) OVER (PARTITION BY k ORDER BY id) FROM t",
}
BY_DAY = ["join of aggregates"]


def stand_in(tmp_path: Path, pylibcudf: str) -> Path:
    """The folder of the modules of a host that seems to have a GPU."""
    modules = tmp_path / "modules"
    (modules / "cuda" / "bindings").mkdir(parents=True)
    (modules / "sitecustomize.py").write_text(DEVICE_FILE)
    (modules / "cuda" / "bindings" / "runtime.py").write_text(ONE_DEVICE)
    (modules / "pylibcudf").mkdir()
    (modules / "pylibcudf" / "__init__.py").write_text(pylibcudf)
    (tmp_path / "files").mkdir()
    return modules


@pytest.mark.skipif(sys.platform != "linux", reason="GPUs are looked for as on Linux")
def test_a_broken_gpu(tmp_path: Path) -> None:
    modules = stand_in(tmp_path, "")
    queries = QUERIES if is_nightly() else {name: QUERIES[name] for name in BY_DAY}
    with application(tmp_path / "files", [modules]) as run:
        found = run(FRAGMENTS + PROGRAM.replace("QUERIES.items()", f"{queries!r}.items()"))
    assert found == {name: {"right": True, "replayed": True} for name in queries}


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="GPUs are looked for as on Linux")
def test_a_worker_that_has_lost_the_gpu_gets_no_further_task(tmp_path: Path) -> None:
    modules = stand_in(tmp_path, LOSES_THE_GPU)
    queries = {name: QUERIES[name] for name in BY_DAY}
    with application(tmp_path / "files", [modules]) as run:
        found = run(FRAGMENTS + PROGRAM.replace("QUERIES.items()", f"{queries!r}.items()"))
    assert found == {name: {"right": True, "replayed": True} for name in queries}
    workers = (modules / "pylibcudf" / "workers").read_text().split()
    assert len(workers) >= len(queries)
    assert len(set(workers)) == len(workers)
