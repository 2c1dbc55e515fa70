"""Queries on a standalone cluster whose Pythons have no Broadhead: the jar brings it."""

from __future__ import annotations

import json
import time
import urllib.request

import pytest

from clusters.applications import Application
from clusters.standalone import Standalone

pytestmark = pytest.mark.xdist_group("standalone cluster")

QUERY = """
def query():
    return spark.sql(
        "SELECT a.k, count(*) AS n, sum(a.v + b.v) AS s FROM t a JOIN t b ON a.id = b.id * 3"
        " GROUP BY a.k")

expected = by_spark(lambda: rows(query()))
before = {n: e.completedTasks() for n, e in executors().items()}
results["right"] = rows(query()) == expected
results["replays"] = replays()
results["all executors"] = len(before) == 2 and all(
    e.completedTasks() > before[n] for n, e in executors().items())
results["summary"] = summary(query())
results["hosts"] = sorted(e.hostPort().rpartition(":")[0] for e in executors().values())
results["not installed"] = find_spec("broadhead") is None
"""


def test_a_query_runs_on_the_executors_of_two_hosts(
    cluster: Standalone, shared: Application
) -> None:
    found = shared.run(QUERY)
    accelerated, total = found.pop("summary").split(" operators")[0].split(": ")[1].split(" of ")
    assert accelerated == total
    assert found == {
        "right": True,
        "replays": 0,
        "all executors": True,
        "hosts": ["127.0.0.1", "127.0.0.2"],
        "not installed": True,
    }
    assert not shared.warnings
    logs = cluster.executor_logs(shared.id)
    assert len(logs) == 2
    assert not [log for log in logs.values() if "Broadhead's engine failed" in log]


@pytest.mark.nightly
def test_the_history_server_shows_the_plan(cluster: Standalone, shared: Application) -> None:
    """It has no jar of Broadhead, and reads the event log of the application while it runs."""
    shared.run("results['rows'] = len(rows(spark.sql('SELECT k, sum(v) FROM t GROUP BY k')))")
    url = f"{cluster.start_history()}/api/v1/applications/{shared.id}/sql?length=1000"
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                queries = json.load(answer)
        except OSError:
            queries = []
        names = {node["nodeName"] for query in queries for node in query["nodes"]}
        if "BroadheadHashAggregate" in names:
            return
        assert time.monotonic() < deadline, names
        time.sleep(0.5)
