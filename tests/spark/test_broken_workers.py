"""A Python that answers the probe and then starts no workers, and workers that die in a row.

Every query gives Spark's rows, from whichever side writes and reads each block, and the log says
once for each executor that Spark runs alone.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark.answers import Answers
from spark.cluster_programs import Run, application
from sql_runs import is_nightly
from sql_sessions import configured

WRAPPER = """#!/bin/sh
case "$*" in *pyspark.daemon*|*pyspark.worker*)
    [ -e {folder}/broken ] && exit 1
    [ -e {folder}/broken-one ] && case "$PWD" in */0) exit 1;; esac
esac
PYTHONPATH={folder}/modules:$PYTHONPATH exec {python} "$@"
"""

DYING = """
import os, signal, sys

class Dying:
    def find_spec(self, name, path=None, target=None):
        if name == "broadhead.worker.task" and os.path.exists({flag!r}):
            os.kill(os.getpid(), signal.SIGKILL)

sys.meta_path.insert(0, Dying())
"""
"""A worker that dies when it imports the engine."""

QUERIES = {
    "aggregate": "SELECT k, count(*), sum(id), max(s) FROM t GROUP BY k",
    "distinct": "SELECT count(DISTINCT k, v), sum(DISTINCT v) FROM t",
    "join": "SELECT /*+ MERGE(a, b) */ a.id, b.v FROM t a JOIN t b ON a.id = b.id * 3",
    "broadcast": "SELECT /*+ BROADCAST(b) */ a.id, b.s FROM t a LEFT JOIN u b ON a.k = b.k",
    "rows of a broadcast": "SELECT /*+ BROADCAST(b) */ a.id, b.k FROM t a FULL JOIN u b"
    " ON a.id < b.k AND a.v = 3",
    "window": "SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) FROM t",
    "nested": "SELECT k, collect_list(named_struct('v', v, 'w', array(s, NULL))) FROM"
    " (SELECT * FROM t WHERE id % 50 = 0) GROUP BY k, id",
    "hash": "SELECT /*+ REPARTITION(5, s) */ id, s, d, x FROM t",
    "computed": "SELECT /*+ MERGE(a, b) */ a.id, b.s FROM t a JOIN u b ON a.v + 1 = b.k - 3",
    "in turn": "SELECT v + n AS w, count(*) FROM (SELECT /*+ REPARTITION(5) */ v, count(*) AS n"
    " FROM t GROUP BY v) GROUP BY v + n",
    "cached": "SELECT k, max(w) FROM kept GROUP BY k",
    "limit": "SELECT id FROM t ORDER BY s, id LIMIT 7",
    "sorted": "SELECT s, x, id FROM t ORDER BY s DESC, x, id",
}
"""The rows of `sorted` are compared in their order."""

COLUMNS = (
    "id",
    "id % 37 AS k",
    "id * 7 % 31 AS v",
    "nullif(concat('s', id % 101), 's7') AS s",
    "CAST(id AS DECIMAL(30,2)) AS d",
    "if(id % 3 = 0, double('NaN'), -0.0D) AS x",
)

KEPT = "SELECT k, id + v AS w FROM t WHERE id >= 0"

FEW = ["join", "rows of a broadcast", "in turn", "cached"]

BY_DAY = ["join", "nested", "rows of a broadcast", "in turn", "cached", "sorted"]
"""One for each kind of block that is sent."""

TABLES = (
    f"""
import json
KEPT = {KEPT!r}
FEW = {FEW!r}
"""
    + """
expected = json.loads((folder / "expected.json").read_text())
for name in ("t", "u"):
    spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)

def texts(frame):
    return [str(row) for row in frame.collect()]

def keep():
    spark.catalog.clearCache()
    spark.sql(KEPT).cache().createOrReplaceTempView("kept")

def wrong(*names):
    keep()
    found = []
    for name in names or expected:
        query, right = expected[name]
        frame = spark.sql(query)
        rows = texts(frame)
        if (rows if name == "sorted" else sorted(rows)) != right:
            found.append(name)
        if "Broadhead" not in frame._jdf.queryExecution().executedPlan().toString():
            found.append(name + " is not ours")
    return found

def kill_pythons():
    # Daemons and their workers, wherever they are, as if the host had run out of memory.
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            ours = "pyspark.daemon" in command or "fork_server" in command
            if ours and str(folder) in (entry / "environ").read_text():
                os.kill(int(entry.name), signal.SIGKILL)

def alone(text):
    return text.count("from now on this executor runs fragments in Spark alone")
"""
)


@pytest.fixture(scope="module")
def spark_rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two tables, and in `expected.json` each query with the rows from Spark."""
    folder = tmp_path_factory.mktemp("spark")
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        session.range(0, 6000, 1, 4).selectExpr(*COLUMNS).write.parquet(str(folder / "t"))
        few = session.range(10, 20, 1, 1).selectExpr("id AS k", "string(id) AS s")
        few.write.parquet(str(folder / "u"))
        for name in ("t", "u"):
            session.read.parquet(str(folder / name)).createOrReplaceTempView(name)
        session.sql(KEPT).createOrReplaceTempView("kept")
        expected = {}
        for name, query in QUERIES.items():
            rows = [str(row) for row in session.sql(query).collect()]
            expected[name] = (query, rows if name == "sorted" else sorted(rows))
    (folder / "expected.json").write_text(json.dumps(expected))
    return folder


@pytest.fixture
def run(spark_rows: Path, tmp_path: Path) -> Iterator[Run]:
    """Runs programs with an interpreter that breaks when a file says so."""
    folder = tmp_path / "files"
    shutil.copytree(spark_rows, folder)
    dying = DYING.format(flag=str(folder / "dying"))
    (folder / "modules").mkdir()
    (folder / "modules" / "sitecustomize.py").write_text(dying)
    wrapper = folder / "python"
    wrapper.write_text(WRAPPER.format(folder=folder, python=sys.executable))
    wrapper.chmod(0o755)
    with application(folder) as run:
        yield run


@pytest.mark.nightly
def test_workers_of_one_process(run: Run) -> None:
    """With adaptive execution and little memory for what is sorted by partition."""
    run(
        """
spark = start("local[2]", **{
    "spark.pyspark.python": str(folder / "python"),
    "spark.broadhead.strict": "false",
    "spark.shuffle.spill.numElementsForceSpillThreshold": "300",
})
"""
        + TABLES
        + """
def driver_log():
    return Path("/proc/self/fd/2").read_text(errors="replace")

health = spark._jvm.org.apache.spark.sql.broadhead.replay.WorkerHealth
"""
    )
    assert run("results['wrong'] = wrong('join'); results['alone'] = alone(driver_log())") == {
        "wrong": [],
        "alone": 0,
    }
    found = run(
        """
(folder / "dying").touch()
kill_pythons()
results["dying"] = wrong(*FEW)
results["broken"] = health.broken()
(folder / "dying").unlink()
health.answered()
"""
    )
    assert found["dying"] == []
    found = run(
        """
before = alone(driver_log())
(folder / "broken").touch()
kill_pythons()
results["wrong"] = wrong()
results["alone"] = alone(driver_log()) - before
results["broken"] = health.broken()
"""
    )
    assert found == {"wrong": [], "alone": 1, "broken": True}


def test_workers_of_two_executors(run: Run) -> None:
    """First one of them has no workers, so blocks of both kinds are read by both; then none."""
    run(
        """
(folder / "broken-one").touch()
spark = start("local-cluster[2,1,1024]", **{
    "spark.pyspark.python": str(folder / "python"),
    "spark.broadhead.strict": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.files.maxPartitionBytes": "30k",
})
"""
        + TABLES
        + """
def executor_logs():
    return [Path(f"/proc/{pid}/cwd/stderr").read_text() for pid in executors(2)]
"""
    )
    found = run(
        """
results["wrong"] = wrong(*NAMES)
results["alone"] = sorted(map(alone, executor_logs()))
""".replace("NAMES", repr([*QUERIES] if is_nightly() else BY_DAY))
    )
    assert found == {"wrong": [], "alone": [0, 1]}
    found = run(
        """
(folder / "broken").touch()
kill_pythons()
results["wrong"] = wrong(*NAMES)
results["alone"] = sorted(map(alone, executor_logs()))
""".replace("NAMES", repr(["sorted", *FEW] if is_nightly() else ["sorted", "join"]))
    )
    assert found == {"wrong": [], "alone": [1, 1]}
