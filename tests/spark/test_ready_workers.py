"""What an application prepares for its first query: workers, which end with it; small blocks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spark.cluster_programs import run_program

PROCESSES = """
def descendants(pid):
    children = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            # The script that starts Spark leaves an ended child.
            if fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        own = children.get(waiting.pop(), [])
        found += own
        waiting += own
    return found

def workers(pid):
    # Daemons do not import Arrow.
    found = set()
    for child in descendants(pid):
        with suppress(OSError):
            if "libarrow" in Path(f"/proc/{child}/maps").read_text():
                found.add(child)
    return found

def awaited(pid, count):
    deadline = time.time() + 30
    while len(workers(pid)) < count and time.time() < deadline:
        time.sleep(0.1)
    # Until they have imported all: a task gets a new worker as long as they are not idle.
    before, now = None, work(pid)
    while before != now and time.time() < deadline:
        time.sleep(1)
        before, now = now, work(pid)
    return workers(pid)

def work(pid):
    stats = [Path(f"/proc/{child}/stat").read_text() for child in workers(pid)]
    return [text.rpartition(")")[2].split()[11:13] for text in stats]

def left(pid):
    # Daemons take a moment to end.
    deadline = time.time() + 10
    while descendants(pid) and time.time() < deadline:
        time.sleep(0.1)
    return len(descendants(pid))
"""

PROGRAM = (
    PROCESSES
    + """
spark = start("local[2]")
jvm = spark._jvm.ProcessHandle.current().pid()
ready = awaited(jvm, 2)
spark.range(100_000).write.parquet(str(folder / "t"))
frame = spark.read.parquet(str(folder / "t"))
first = spark.sparkContext._jsc.broadcast("before").id()
results["rows"] = len(frame.where("id % 3 = 1").collect())
# Of the tasks of one stage; a reader of Spark would have another one.
results["broadcasts"] = spark.sparkContext._jsc.broadcast("after").id() - first - 1
results["block"] = spark.sparkContext._jsc.sc().conf().get("spark.broadcast.blockSize")
results["ready"] = len(ready)
results["used"] = workers(jvm) == ready
spark.stop()
results["left"] = left(jvm)
"""
)


@pytest.mark.nightly  # applications of their own
def test_the_first_query(tmp_path: Path) -> None:
    assert run_program(PROGRAM, tmp_path) == {
        "rows": 33_333,
        "broadcasts": 1,
        "block": "256k",
        "ready": 2,
        "used": True,
        "left": 0,
    }


OTHERS = (
    PROCESSES
    + """
def settled(**keys):
    global spark
    spark = start("local[2]", **keys)
    jvm = spark._jvm.ProcessHandle.current().pid()
    spark.range(10).collect()
    time.sleep(4)
    return len(workers(jvm)), jvm

results["off"], jvm = settled(
    **{"spark.broadhead.enabled": "false", "spark.broadcast.blockSize": "3m"})
results["block"] = spark.sparkContext._jsc.sc().conf().get("spark.broadcast.blockSize")
spark.stop()
# The JVM keeps the keys of its first application.
on = {"spark.broadhead.enabled": "true"}
results["not kept"], jvm = settled(**on, **{"spark.python.worker.reuse": "false"})
spark.stop()
for turn in range(3):
    spark = start_at_once("local[2]", **on)
    spark.stop()
results["left"] = left(jvm)
spark = start("local[1]", **on)
results["again"] = len(awaited(jvm, 1))
"""
)


@pytest.mark.nightly  # applications of their own
def test_workers_that_no_task_could_use(tmp_path: Path) -> None:
    """Applications that end while workers start leave none behind."""
    assert run_program(OTHERS, tmp_path) == {
        "off": 0,
        "block": "3m",
        "not kept": 0,
        "left": 0,
        "again": 1,
    }


HELD = """#!/bin/sh
echo "$1" >> {folder}/starts
case "$*" in *pyspark.daemon*) until [ -e {folder}/go ]; do sleep 0.1; done;; esac
exec {python} "$@"
"""
"""A Python whose daemons start only when the file `go` is there."""

AT_ONCE = (
    PROCESSES
    + """
import threading
import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(pa.table({"k": [1, 2, 1], "v": [1.0, 2.0, 3.0]}), folder / "t")
os.environ["PYSPARK_PYTHON"] = str(folder / "python")
go = folder / "go"

def begun():
    global spark
    spark = start_at_once("local[2]", **{"spark.sql.adaptive.enabled": "false"})
    return spark._jvm.ProcessHandle.current().pid()

def grouped():
    return spark.read.parquet(str(folder / "t")).groupBy("k").count()

def tasks_in_spark(frame):
    def total(plan):
        early = plan.metrics().get("early")
        children = [plan.children().apply(n) for n in range(plan.children().size())]
        return (early.get().value() if early.isDefined() else 0) + sum(map(total, children))
    return total(frame._jdf.queryExecution().executedPlan())

jvm = begun()
small, strict = grouped(), grouped()
results["small"] = rows(small)
results["in Spark"] = tasks_in_spark(small) > 0
spark.conf.set("spark.broadhead.strict", "true")
found = []
waiting = threading.Thread(target=lambda: found.append(rows(strict)))
waiting.start()
go.touch()
waiting.join()
results["strict"] = found[0]
results["strict in Spark"] = tasks_in_spark(strict)
spark.stop()
go.unlink()
begun()
results["again"] = rows(grouped())
spark.stop()
results["left"] = left(jvm)
results["probes"] = (folder / "starts").read_text().split().count("-c")
"""
)


def test_small_tasks_and_the_end_do_not_wait_for_workers(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(HELD.format(folder=tmp_path, python=sys.executable))
    python.chmod(0o755)
    rows = [[1, 2], [2, 1]]
    assert run_program(AT_ONCE, tmp_path) == {
        "small": rows,
        "in Spark": True,
        "strict": rows,
        "strict in Spark": 0,
        "again": rows,
        "left": 0,
        "probes": 1,
    }
