"""What an application prepares for its first query: a process with the engine; small blocks."""

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

def commands(pid):
    found = {}
    for child in descendants(pid):
        with suppress(OSError):
            found[child] = Path(f"/proc/{child}/cmdline").read_text().replace(chr(0), " ")
    return found

def servers(pid):
    # Their copies, the daemons and workers of Spark, have the same command.
    return {child for child in descendants(pid) if child in children_of(pid)
            and "fork_server" in commands(pid).get(child, "")}

def children_of(pid):
    return {int(child) for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()}

def left(pid):
    # Daemons take a moment to end; the process that they are copies of is for the next application.
    deadline = time.time() + 10
    while len(descendants(pid)) > 1 and time.time() < deadline:
        time.sleep(0.1)
    return [descendants(pid)] == [sorted(servers(pid))]
"""

PROGRAM = (
    PROCESSES
    + """
def frame():
    return spark.read.parquet(str(folder / "t")).where("id % 3 = 1")

def read():
    return len(frame().collect())

spark = start("local[2]")
jvm = spark._jvm.ProcessHandle.current().pid()
first = servers(jvm)
results["servers"] = len(first)
spark.range(100_000).write.parquet(str(folder / "t"))
third = frame()
before = spark.sparkContext._jsc.broadcast("before").id()
results["rows"] = len(third.collect())
# Of the tasks of one stage; a reader of Spark would have another one.
results["broadcasts"] = spark.sparkContext._jsc.broadcast("after").id() - before - 1
results["block"] = spark.sparkContext._jsc.sc().conf().get("spark.broadcast.blockSize")
# A daemon and its workers, and none that has imported the engine itself.
(server,) = first
results["copies"] = len(descendants(server)) >= 2
results["others"] = [text for text in commands(jvm).values() if "-m pyspark.daemon" in text
                     and "client.py" not in text]
spark.stop()
results["left"] = left(jvm)
spark = start("local[2]")
results["again"] = [read(), servers(jvm) == first]
spark.stop()
os.kill(server, signal.SIGKILL)
spark = start("local[2]")
results["after its death"] = [read(), len(servers(jvm)), servers(jvm) == first]
# Tasks that find it dead have an interpreter of their own.
os.kill(*servers(jvm), signal.SIGKILL)
for worker in descendants(jvm):
    with suppress(OSError):
        os.kill(worker, signal.SIGKILL)
results["without it"] = read()
"""
)


@pytest.mark.nightly  # applications of their own
def test_the_first_query(tmp_path: Path) -> None:
    assert run_program(PROGRAM, tmp_path) == {
        "servers": 1,
        "rows": 33_333,
        "broadcasts": 1,
        "block": "256k",
        "copies": True,
        "others": [],
        "left": True,
        "again": [33_333, True],
        "after its death": [33_333, 1, False],
        "without it": 33_333,
    }


OTHERS = (
    PROCESSES
    + """
spark = start("local[2]", **{
    "spark.broadhead.enabled": "false", "spark.broadcast.blockSize": "3m"})
jvm = spark._jvm.ProcessHandle.current().pid()
spark.range(10).collect()
time.sleep(4)
results["off"] = len(servers(jvm))
results["block"] = spark.sparkContext._jsc.sc().conf().get("spark.broadcast.blockSize")
spark.stop()
# The JVM keeps the keys of its first application.
on = {"spark.broadhead.enabled": "true"}
for turn in range(3):
    spark = start_at_once("local[2]", **on)
    spark.stop()
spark = start("local[2]", **on)
results["one"] = len(servers(jvm))
spark.stop()
results["left"] = left(jvm)
# With another environment it is another one.
spark = start("local[2]", **on, **{"spark.executorEnv.MALLOC_ARENA_MAX": "1"})
results["other"] = len(servers(jvm))
spark.stop()
"""
)


@pytest.mark.nightly  # applications of their own
def test_applications_share_one_process(tmp_path: Path) -> None:
    """Those that end while it starts, too."""
    assert run_program(OTHERS, tmp_path) == {
        "off": 0,
        "block": "3m",
        "one": 1,
        "left": True,
        "other": 1,
    }


HELD = """#!/bin/sh
echo "$1" >> {folder}/starts
case "$*" in *fork_server*) until [ -e {folder}/go ]; do sleep 0.1; done;; esac
exec {python} "$@"
"""
"""A Python that loads the engine ahead only when the file `go` is there."""

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
results["starts"] = (folder / "starts").read_text().split().count("-c")
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
        "left": True,
        "starts": 2,
    }
