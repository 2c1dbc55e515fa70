"""The process of an executor's GPU, as if this host had one: it computes on pyarrow."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from broadhead.worker.device import gpu_possible
from spark.cluster_programs import run_program

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(gpu_possible(), reason="this host has a GPU of its own")

PROGRAM = """
import platform, subprocess

spark = start("local[2]", **{
    "spark.broadhead.device": "gpu",
    "spark.sql.adaptive.enabled": "false", "spark.broadhead.strict": "true",
})
loader = spark.sparkContext._jvm.Thread.currentThread().getContextClassLoader()
state = loader.loadClass("org.apache.spark.sql.broadhead.application.BroadheadState$")
report = {"interpreter": sys.executable, "python": platform.python_version(),
          "gpus": [{"name": "a GPU"}]}
state.getField("MODULE$").get(None).executorReported(
    json.dumps({"executor": "driver", "report": report}))

def processes():
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()]
    return [int(pid) for pid, args in lines if f"broadhead.device" in args and " -m " in args
            and Path(f"/proc/{pid}/stat").read_text().split()[3] == str(jvm)]

rows = lambda frame: sorted(map(str, frame.collect()))
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
files = lambda: {str(found) for found in (folder / "local").rglob("shuffle_*.data")}

path = str(folder / "t")
spark.conf.set("spark.broadhead.enabled", "false")
spark.range(0, 30_000, 1, 4).selectExpr(
    "id", "id % 37 AS k", "IF(id % 5 = 0, null, concat('t', id % 100)) AS t",
    "CAST(id AS DECIMAL(30, 2)) AS wide", "id % 2 = 0 AS even", "ARRAY(id, null) AS list",
).write.parquet(path)
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(path).createOrReplaceTempView("t")
"""

QUERIES = {
    "aggregate": "SELECT k, count(*), sum(id), max(t), sum(wide) FROM t GROUP BY k",
    "join": "SELECT /*+ SHUFFLE_HASH(b) */ a.k, count(b.t), min(b.even) FROM t a JOIN t b "
    "ON a.id = b.id + 5 GROUP BY a.k",
    "empty": "SELECT k, count(*) FROM t WHERE id < 0 GROUP BY k",
    "no columns": "SELECT count(*) FROM (SELECT /*+ REPARTITION(4) */ k FROM t)",
    "nested": "SELECT list FROM (SELECT /*+ REPARTITION(4, k) */ * FROM t) WHERE id < 100",
    "window": "SELECT t, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM t",
}


def run(body: str, folder: Path) -> dict[str, Any]:
    return run_program(PROGRAM + body, folder)


def eventually(found: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not found() and time.monotonic() < end:
        time.sleep(0.1)
    return found()


def test_rows_are_sparks_and_shuffled_rows_stay_in_the_process(tmp_path: Path) -> None:
    found = run(
        f"""
for name, query in {QUERIES!r}.items():
    results[name] = rows(spark.sql(query)) == by_spark(lambda: spark.sql(query))
make = lambda: spark.sql({QUERIES["aggregate"]!r})
frame = make()
before = files()
frame.collect()
results["new files"] = sorted(files() - before)
results["processes"] = len(processes())
results["socket"] = [str(found) for found in Path("/tmp").glob("broadhead-device-*/device")]
results["private"] = all(
    Path(found).parent.stat().st_mode & 0o777 == 0o700 for found in results["socket"])
""",
        tmp_path,
    )
    assert {name: found[name] for name in QUERIES} == dict.fromkeys(QUERIES, True)
    assert found["new files"] == []
    assert found["processes"] == 1
    assert found["private"]


def test_sparks_operators_get_a_file_of_rows_that_the_process_keeps(tmp_path: Path) -> None:
    """A join that stays with Spark reads the shuffle of a fragment."""
    found = run(
        """
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
spark.conf.set("spark.broadhead.operator.SortMergeJoin.enabled", "false")
spark.conf.set("spark.broadhead.strict", "false")
make = lambda: spark.sql("SELECT a.id, b.t FROM t a JOIN t b ON a.id = b.id * 3 WHERE a.k > 5")
results["right"] = rows(make()) == by_spark(make)
results["files"] = len(files())
""",
        tmp_path,
    )
    assert found["right"]
    assert found["files"] > 0


def test_rows_of_a_dead_process_are_computed_again(tmp_path: Path) -> None:
    found = run(
        """
make = lambda: spark.sql("SELECT k, count(*), sum(id) FROM t GROUP BY k")
frame = make()
right = by_spark(make)
results["first"] = rows(frame) == right
(killed,) = processes()
os.kill(killed, signal.SIGKILL)
while Path(f"/proc/{killed}").exists() and killed in processes():
    time.sleep(0.05)
results["second"] = rows(frame) == right
results["processes"] = len(processes())
""",
        tmp_path,
    )
    assert found == {"first": True, "second": True, "processes": 1}


def test_a_process_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    found = run(
        """
make = lambda: spark.sql("SELECT k, count(*), sum(id) FROM t GROUP BY k")
right = by_spark(make)
results["rows"] = [rows(make()) == right]
for _ in range(3):
    (killed,) = processes()
    os.kill(killed, signal.SIGKILL)
    while killed in processes():
        time.sleep(0.05)
    results["rows"].append(rows(make()) == right)
results["processes"] = processes()
""",
        tmp_path,
    )
    assert found == {"rows": [True] * 4, "processes": []}


def test_one_task_reads_what_a_gpu_keeps_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    found = run(
        """
spark.conf.set("spark.sql.adaptive.enabled", "true")
spark.conf.set("spark.broadhead.enabled", "false")
many = str(folder / "many")
spark.range(0, 400_000, 1, 4).selectExpr("id", "id % 7 AS k").write.parquet(many)
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(many).createOrReplaceTempView("many")
tasks = lambda query: spark.sql(query).rdd.getNumPartitions()
distinct = "SELECT id, count(*) AS n FROM many GROUP BY id"
joined = "SELECT /*+ SHUFFLE_HASH(b) */ a.id FROM many a JOIN many b ON a.id = b.id + 1"
united = f"{distinct} UNION ALL SELECT k, count(*) FROM many GROUP BY id, k"
results["tasks"] = [tasks(distinct), tasks(joined), tasks(united)]
results["rebalanced"] = tasks("SELECT /*+ REBALANCE(k) */ * FROM many") > 1
results["right"] = rows(spark.sql(distinct)) == by_spark(lambda: spark.sql(distinct))
spark.conf.set("spark.sql.adaptive.coalescePartitions.parallelismFirst", "true")
results["chosen"] = tasks(distinct)
""",
        tmp_path,
    )
    assert found == {"tasks": [1, 1, 2], "rebalanced": True, "right": True, "chosen": 3}


def test_rows_give_way_when_memory_is_short(tmp_path: Path) -> None:
    """A process without a GPU keeps 256 MiB; each of these shuffles has 150 MiB."""
    found = run(
        """
import threading
seen, done = set(), threading.Event()
def watch():
    while not done.wait(0.02):
        seen.update(map(str, (folder / "local").rglob("kept-*")))
threading.Thread(target=watch, daemon=True).start()
moved = f"SELECT /*+ REPARTITION(3, id) */ id FROM range(0, {20_000_000}, 1, 4)"
first = spark.sql(f"SELECT count(*), sum(id), min(id) FROM ({moved})")
second = spark.sql(f"SELECT count(*), max(id) FROM ({moved})")
total = 20_000_000 * 19_999_999 // 2
results["first"] = rows(first) == [f"Row(count(1)=20000000, sum(id)={total}, min(id)=0)"]
results["second"] = rows(second) == ["Row(count(1)=20000000, max(id)=19999999)"]
results["files of ended queries"] = sorted(seen)
results["first again"] = rows(first) == [f"Row(count(1)=20000000, sum(id)={total}, min(id)=0)"]
seen.clear()
both = spark.sql(f"SELECT count(*), sum(id) FROM ({moved} UNION ALL {moved.replace('3', '5')})")
results["both"] = rows(both) == [f"Row(count(1)=40000000, sum(id)={2 * total})"]
results["files of a query that needs them"] = len(seen) > 0
rows(spark.sql("SELECT k, count(*) FROM t GROUP BY k"))
results["files left"] = len(list((folder / "local").rglob("kept-*")))
done.set()
""",
        tmp_path,
    )
    assert found == {
        "first": True,
        "second": True,
        "files of ended queries": [],
        "first again": True,
        "both": True,
        "files of a query that needs them": True,
        "files left": 0,
    }


def test_nothing_is_left_after_the_application(tmp_path: Path) -> None:
    found = run(
        """
rows(spark.sql("SELECT k, count(*) FROM t GROUP BY k"))
results["pids"] = processes()
results["sockets"] = [str(found.parent) for found in Path("/tmp").glob("broadhead-device-*/device")
    if str(found.parent) in Path(f"/proc/{processes()[0]}/cmdline").read_text()]
""",
        tmp_path,
    )
    assert len(found["pids"]) == 1
    assert len(found["sockets"]) == 1
    left = [Path("/proc", str(pid)) for pid in found["pids"]] + list(map(Path, found["sockets"]))
    assert eventually(lambda: not any(path.exists() for path in left))
