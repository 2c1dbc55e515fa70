"""Shuffles between executors: remote blocks, lost executors, damaged files, killed workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.cluster_programs import Run, RunInSession, run_program, shuffle_service
from sql_runs import is_nightly

pytestmark = pytest.mark.xdist_group("two executors")

TABLES = """
local = Path(spark.sparkContext.getConf().get("spark.local.dir"))
spark.conf.set("spark.sql.adaptive.enabled", "false")
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
spark.conf.set("spark.sql.files.maxPartitionBytes", "200k")
spark.conf.set("spark.broadhead.enabled", "false")
spark.range(0, 200000, 1, 8).selectExpr("id", "id % 1000 AS k", "id * 7 % 31 AS v") \\
    .write.parquet(str(folder / "t"))
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
JOIN = "SELECT v, count(*), sum(a.id) FROM t a " \\
    "JOIN (SELECT k, max(id) AS m FROM t GROUP BY k) b " \\
    "ON a.id = b.m GROUP BY v"
expected = by_spark(lambda: spark.sql(JOIN))
"""


@pytest.fixture(scope="module")
def run(two_executors: RunInSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs programs in one session on two executors, whatever the one before has killed."""
    folder = tmp_path_factory.mktemp("shuffles")
    two_executors(folder, f"{TABLES}\nof_shuffles = spark")

    def run_on_both(body: str) -> dict[str, Any]:
        alive = two_executors(folder, "results['executors'] = len(executors(2))")
        assert alive == {"executors": 2}
        return two_executors(folder, f"spark = of_shuffles\n{body}")

    return run_on_both


def run_with_service(body: str, folder: Path, **keys: str) -> dict[str, Any]:
    """Runs a program in an application of its own, whose files the service of its host serves."""
    with shuffle_service() as port:
        own = {
            "spark.shuffle.service.enabled": "true",
            "spark.shuffle.service.port": str(port),
            "spark.task.maxFailures": "2",
            "spark.shuffle.io.retryWait": "100ms",
        }
        start = f'spark = start("local-cluster[2,1,1024]", **{own | keys!r})\n'
        return run_program(start + TABLES + body, folder)


def test_blocks_of_the_other_executor(run: Run) -> None:
    found = run(
        """
frame = spark.sql(JOIN)
results["right"] = rows(frame) == expected
results["exchanges"] = len(exchanges(frame))
results["remote"] = sum(
    e.metrics().apply("remoteBlocksFetched").value() for e in exchanges(frame)) > 0
results["replays"] = sum(e.metrics().apply("replays").value() for e in exchanges(frame))
"""
    )
    assert found == {"right": True, "exchanges": 4, "remote": True, "replays": 0}


@pytest.mark.nightly  # by day blocks are damaged and missing
def test_executor_lost_behind_a_map_stage(run: Run) -> None:
    """Rows sent in turn, in no certain order, are all sent again: none twice, none lost."""
    found = run(
        """
in_turn = lambda: spark.sql("SELECT k, sum(v) AS s FROM t GROUP BY k").repartition(3) \\
    .selectExpr("k + s AS x").groupBy("x").count()
expected_in_turn = by_spark(in_turn)
for name, make, right in (("join", lambda: spark.sql(JOIN), expected),
                          ("in turn", in_turn, expected_in_turn)):
    frame = make()
    write_shuffles(frame)
    before = executors(2)
    os.kill(before[0], signal.SIGKILL)
    results[name] = rows(frame) == right
    results[name + " executors"] = len(before)
"""
    )
    assert found == {"join": True, "join executors": 2, "in turn": True, "in turn executors": 2}


def test_damaged_and_missing_shuffle_files(run: Run) -> None:
    """Spark makes the files again, wherever the task runs that finds out."""
    names = ("damaged", "cut", "missing") if is_nightly() else ("damaged", "missing")
    found = run(
        """
def damage(path):
    data = bytearray(path.read_bytes())
    for position in range(30, len(data), 50):
        data[position] ^= 0xff
    path.write_bytes(data)

def cut(path):
    path.write_bytes(path.read_bytes()[:10])

CHANGES = [(n, {"damaged": damage, "cut": cut, "missing": Path.unlink}[n]) for n in NAMES]

for name, change in CHANGES:
    frame = spark.sql(JOIN)
    write_shuffles(frame)
    files = {e.shuffleId(): list(local.rglob(f"shuffle_{e.shuffleId()}_*.data"))
             for e in exchanges(frame)}
    last = files[max(files)]
    for path in (path for paths in files.values() for path in paths[::3]):
        change(path)
    results[name + " files"] = all(files.values())
    results[name] = rows(frame) == expected
""".replace("NAMES", repr(names))
    )
    assert found == dict.fromkeys(
        [f"{name}{end}" for name in names for end in ("", " files")], True
    )


@pytest.mark.nightly  # by day test_cluster.py kills workers
def test_worker_killed_while_it_writes_a_shuffle(run: Run) -> None:
    """The rows come again from below, and no temporary file stays behind."""
    found = run(
        """
def temporary_files():
    return {str(p) for p in local.rglob("*")
            if p.name.startswith("broadhead-") or ".data." in p.name}

def counted(frame):
    return frame.where("id >= 0").repartition(3, "k").groupBy("k") \\
        .agg({"id": "sum", "v": "sum", "*": "count"})

right = by_spark(lambda: counted(spark.table("t")))
before = temporary_files()
marker = folder / "killed"
# The worker that writes the shuffle takes these rows, so it has begun and not ended.
frame = counted(
    spark.table("t").mapInArrow(killing_once(marker), "id BIGINT, k BIGINT, v BIGINT"))
results["right"] = rows(frame) == right
results["killed"] = marker.exists()
results["exchanges"] = len(exchanges(frame))
results["replayed"] = sum(e.metrics().apply("replays").value() for e in exchanges(frame)) > 0
results["files"] = sorted(temporary_files() - before)
"""
    )
    assert found == {
        "right": True,
        "killed": True,
        "exchanges": 1,
        "replayed": True,
        "files": [],
    }


@pytest.mark.nightly
def test_executor_lost_with_the_shuffle_service(tmp_path: Path) -> None:
    """The service of the host serves the files of an executor that is gone: nothing is repeated."""
    found = run_with_service(
        """
frame = spark.sql(JOIN)
write_shuffles(frame)
before = executors(2)
os.kill(before[0], signal.SIGKILL)
results["right"] = rows(frame) == expected
results["executors"] = len(before)
tracker = spark.sparkContext.statusTracker()
stages = [tracker.getStageInfo(n) for n in range(200)]
results["repeated"] = sum(stage.currentAttemptId > 0 for stage in stages if stage)
""",
        tmp_path,
    )
    assert found == {"right": True, "executors": 2, "repeated": 0}


@pytest.mark.nightly
def test_dynamic_allocation_takes_idle_executors(tmp_path: Path) -> None:
    """What executors have written is read by others when they have been given back."""
    found = run_with_service(
        """
frame = spark.sql(JOIN)
write_shuffles(frame)
results["left"] = len(executors(0))
results["right"] = rows(frame) == expected
results["back"] = len(executors(2)) > 0
tracker = spark.sparkContext.statusTracker()
stages = [tracker.getStageInfo(n) for n in range(200)]
results["repeated"] = sum(stage.currentAttemptId > 0 for stage in stages if stage)
""",
        tmp_path,
        spark__dynamicAllocation__enabled="true",
        spark__dynamicAllocation__maxExecutors="2",
        spark__dynamicAllocation__executorIdleTimeout="2s",
    )
    assert found == {"left": 0, "right": True, "back": True, "repeated": 0}
