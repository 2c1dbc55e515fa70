"""A host whose Python cannot run fragments, beside one whose Python can."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clusters.applications import Application
from clusters.conftest import TWO_EXECUTORS, Start
from clusters.standalone import HOSTS, PYTHON_OF_HOST, Standalone

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.xdist_group("standalone cluster"),
    pytest.mark.timeout(900),
]

QUERIES = {
    "aggregate": "SELECT k, count(*), sum(v) FROM t GROUP BY k",
    "join": "SELECT /*+ MERGE(a, b) */ a.id, b.v FROM t a JOIN t b ON a.id = b.id * 3",
    "broadcast": "SELECT /*+ BROADCAST(b) */ a.id, b.v FROM t a JOIN t b ON a.id = b.id * 300",
    "sort": "SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) FROM t WHERE v % 7 = 0",
    "cached": "SELECT k, max(w) FROM kept GROUP BY k",
}

START = """
def executor_of(host):
    (found,) = [e for e in executors().values() if e.hostPort().startswith(host + ":")]
    return found

results["executors"] = await_executors(2)
spark.sql("SELECT k, v + 1 AS w FROM t").cache().createOrReplaceTempView("kept")
"""

COMPARE = """
expected = by_spark(lambda: rows(spark.sql(QUERY)))
before = {host: executor_of(host).completedTasks() for host in HOSTS}
frame = spark.sql(QUERY)
results["right"] = rows(frame) == expected
tasks = {host: executor_of(host).completedTasks() - before[host] for host in HOSTS}
results["both"] = all(tasks.values())
results["replays only on the second"] = replays() == tasks[HOSTS[1]]
results["summary"] = summary(frame)
"""


@pytest.fixture(scope="module")
def mixed(cluster: Standalone, start: Start) -> Iterator[Application]:
    settings = {
        "spark.pyspark.python": PYTHON_OF_HOST,
        **TWO_EXECUTORS,
        # Small tables too have tasks on both hosts.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    with start(settings) as application:
        assert application.run(START) == {"executors": 2}
        yield application


@pytest.mark.parametrize("name", QUERIES)
def test_only_its_own_tasks_run_in_spark(mixed: Application, name: str) -> None:
    found = mixed.run(f"QUERY, HOSTS = {QUERIES[name]!r}, {HOSTS}\n{COMPARE}")
    assert "switched off" not in found.pop("summary")
    assert found == {"right": True, "both": True, "replays only on the second": True}


def test_one_warning_names_the_host_and_the_remedy(cluster: Standalone, mixed: Application) -> None:
    mixed.run("rows(spark.sql('SELECT k, min(v) FROM t GROUP BY k'))")
    (warning,) = mixed.warnings
    assert f"switched off on {HOSTS[1]}, the tasks there run on Spark alone" in warning
    assert f"'{PYTHON_OF_HOST}' ({cluster.folder / 'poor' / 'bin' / 'python'})" in warning
    assert "cannot import pyarrow" in warning
    assert "-m pip install 'pyarrow>=23'" in warning
    lines = [line for log in cluster.executor_logs(mixed.id).values() for line in log.splitlines()]
    assert lines
    assert not [line for line in lines if "Broadhead" in line and " WARN " in line]
