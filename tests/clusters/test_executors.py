"""Executors that are lost, decommissioned, or not needed for a while; two applications at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from clusters.applications import Application
from clusters.conftest import TWO_EXECUTORS, Start
from clusters.standalone import Standalone, descendants

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.xdist_group("standalone cluster"),
    pytest.mark.timeout(900),
]

WITHOUT_SERVICE = {
    "spark.shuffle.service.enabled": "false",
    "spark.dynamicAllocation.enabled": "false",
    "spark.cores.max": "2",
}

GROUPS = """
# Without adaptive execution a frame has one plan, whose shuffle its next use finds.
spark.conf.set("spark.sql.adaptive.enabled", "false")

def grouped():
    return spark.sql("SELECT k, count(*) AS n, sum(v) AS s FROM t GROUP BY k")

expected = by_spark(lambda: rows(grouped()))
results["executors"] = await_executors(2)
"""

LOSE = """
begun = Path(FOLDER) / f"begun-{context.applicationId()}"

def slowly(batches):
    begun.touch()
    time.sleep(1)
    yield from batches

def lose():
    # The first tasks behind the shuffle run, and the others have not yet read its blocks.
    while not begun.exists():
        time.sleep(0.05)
    for pid in PIDS:
        os.kill(pid, signal.SIGKILL)

losing = threading.Thread(target=lose)
losing.start()
frame = grouped().mapInArrow(slowly, "k LONG, n LONG, s LONG")
results["right"] = rows(frame) == expected
losing.join()
results["replays"] = replays()
results["stages repeated"] = repeated_stages() > 0
results["accelerated"] = "BroadheadMapInArrow" in frame._jdf.queryExecution().toString()
"""


@pytest.mark.parametrize("service", [True, False], ids=["shuffle service", "no shuffle service"])
@pytest.mark.parametrize("host", [True, False], ids=["host", "executors"])
def test_executors_are_lost_during_a_query(
    cluster: Standalone, start: Start, tmp_path: Path, host: bool, service: bool
) -> None:
    """Blocks are computed again, unless the service of a host that is still there has them."""
    with start(TWO_EXECUTORS if service else WITHOUT_SERVICE) as lost, whole_again(cluster):
        assert lost.run(GROUPS) == {"executors": 2}
        worker = cluster.worker(1).process
        pids = [worker.pid] * host + descendants(worker.pid)
        found = lost.run(f"FOLDER, PIDS = {str(tmp_path)!r}, {pids}\n{LOSE}")
        assert worker.poll() == (-signal.SIGKILL if host else None)
        # A further attempt of the task that ran there is Spark's: its rows come in another order.
        assert found.pop("replays") <= 1
        # Here the service is still there when its host is lost: Spark may read the blocks first.
        if not (host and service):
            assert found["stages repeated"] == (not service)
        assert (found["right"], found["accelerated"]) == (True, True)
        assert not engine_failures(cluster, lost)


@contextmanager
def whole_again(cluster: Standalone) -> Iterator[None]:
    """Replace the second worker at the end if it was lost, so that other tests have both."""
    try:
        yield
    finally:
        if cluster.worker(1).process.poll() is not None:
            cluster.replace_worker(1)


DECOMMISSION = {
    **WITHOUT_SERVICE,
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
    "spark.storage.decommission.rddBlocks.enabled": "true",
}

BEFORE_END = """
kept = spark.sql("SELECT k, v + 1 AS w FROM t").cache()
kept_rows = kept.count()
frame = grouped()
results["right"] = rows(frame) == expected
"""

AFTER_END = """
results["executors"] = await_executors(EXECUTORS)
before = completed_tasks()
results["right"] = rows(frame) == expected
results["tasks"] = completed_tasks() - before
"""
"""The tasks of the second query only read the shuffle of the first."""

CACHED = """
(info,) = [info for info in context.getRDDStorageInfo() if info.numCachedPartitions() > 0]
results["cached"] = info.numCachedPartitions() == info.numPartitions()
results["cached rows"] = kept.count() == kept_rows
"""


def test_blocks_of_a_decommissioned_executor_move(cluster: Standalone, start: Start) -> None:
    """Shuffle blocks and cached tables of Broadhead move like Spark's, and nothing is repeated."""
    with start(DECOMMISSION) as application:
        assert application.run(GROUPS + BEFORE_END) == {"executors": 2, "right": True}
        os.kill(cluster.worker(1).process.pid, signal.SIGPWR)
        found = application.run(AFTER_END.replace("EXECUTORS", "1") + CACHED)
        cluster.replace_worker(1)
    assert found == {
        "executors": 1,
        "right": True,
        "tasks": 4,
        "cached": True,
        "cached rows": True,
    }
    assert not engine_failures(cluster, application)


def test_all_executors_go_and_come_back(cluster: Standalone, start: Start) -> None:
    """The shuffle service keeps the blocks while there is no executor."""
    with start({"spark.dynamicAllocation.executorIdleTimeout": "2s"}) as application:
        application.run(GROUPS.replace('results["executors"]', "_"))
        application.run("frame = grouped(); results['right'] = rows(frame) == expected")
        found = application.run(
            "results['none'] = await_executors(0)\n"
            "results['summary'] = summary(grouped())\n"
            + AFTER_END.replace("await_executors(EXECUTORS)", "len(executors())")
        )
    accelerated, total = words_of(found.pop("summary"))
    assert accelerated == total
    assert found == {"none": 0, "executors": 0, "right": True, "tasks": 4}
    assert len(cluster.executor_logs(application.id)) >= 3
    assert not engine_failures(cluster, application)


SEVERAL = """
expected = by_spark(lambda: rows(grouped()))
results["right"] = all(rows(grouped()) == expected for _ in range(5))
results["replays"] = replays()
"""


def test_two_applications_share_the_hosts(
    cluster: Standalone, shared: Application, start: Start
) -> None:
    with start(TWO_EXECUTORS) as other, ThreadPoolExecutor() as threads:
        assert other.run(GROUPS) == {"executors": 2}
        assert shared.run(GROUPS) == {"executors": 2}
        found = list(threads.map(lambda application: application.run(SEVERAL), (shared, other)))
        assert found == [{"right": True, "replays": 0}] * 2
        assert not engine_failures(cluster, other)


def words_of(summary: str) -> tuple[str, str]:
    """The two numbers of a summary."""
    words = summary.split()
    return words[1], words[3]


def engine_failures(cluster: Standalone, application: Application) -> list[str]:
    logs = cluster.executor_logs(application.id).values()
    return [log for log in logs if "Broadhead's engine failed" in log]
