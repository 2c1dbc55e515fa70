"""Drivers on a standalone cluster, which know of Broadhead only by their configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clusters.standalone import HOSTS, Standalone
from spark.cluster_programs import IN_SPARK, ROOT, TAIL, Run, driver

HEAD = (
    IN_SPARK
    + """
import json, os, pickle, signal, sys, threading, time, traceback
from importlib.util import find_spec
from pathlib import Path
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext._jsc.sc()

def summary(frame):
    modes = spark._jvm.org.apache.spark.sql.execution.ExplainMode
    text = frame._jdf.queryExecution().explainString(modes.fromString("extended"))
    return text[text.rindex("Broadhead: "):].strip()

def executors():
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().executorList(True)
    found = [found.apply(n) for n in range(found.size())]
    return {e.id(): e for e in found if e.id() != "driver"}

def await_executors(count):
    deadline = time.time() + 60
    while len(executors()) != count and time.time() < deadline:
        time.sleep(0.1)
    return len(executors())

def completed_tasks():
    # Of executors that have ended, too.
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().executorList(False)
    return sum(found.apply(n).completedTasks() for n in range(found.size()))

def repeated_stages():
    tracker = spark.sparkContext.statusTracker()
    found = [tracker.getStageInfo(n) for n in range(1000)]
    return sum(stage.currentAttemptId > 0 for stage in found if stage)

def replays():
    # Tasks that Spark's operators have run in place of a fragment, in the last query.
    context.listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    last = store.executionsList().last().executionId()
    values, nodes = store.executionMetrics(last), store.planGraph(last).allNodes()
    found = {}
    for node in (nodes.apply(n) for n in range(nodes.size())):
        for metric in (node.metrics().apply(n) for n in range(node.metrics().size())):
            value = values.get(metric.accumulatorId())
            if metric.name() == "number of tasks replayed by Spark" and value.isDefined():
                found[metric.accumulatorId()] = int(value.get().replace(",", ""))
    return sum(found.values())
"""
)


@dataclass(frozen=True)
class Application:
    """A running application: runs programs, which may use all that `HEAD` defines."""

    run: Run
    id: str
    log: Path

    @property
    def warnings(self) -> list[str]:
        """What the driver has logged of Broadhead."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if " WARN " in line and "Broadhead" in line]


@contextmanager
def application(
    cluster: Standalone,
    python: Path,
    archive: Path,
    settings: Mapping[str, str],
) -> Iterator[Application]:
    """A driver in client mode with the keys of `broadhead conf --for standalone`."""
    folder = cluster.folder / f"application-{len(list(cluster.folder.glob('application-*')))}"
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text(
        keys_of_platform(archive, cluster.folder / "local", {"spark.master": cluster.url})
        + (cluster.folder / "conf" / "spark-defaults.conf").read_text()
        + properties(settings)
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYSPARK"))}
    environment = kept | {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": HOSTS[0],
        "PATH": cluster.path(0),
        # spark-submit sets it by the key; a driver that is no child of it needs it for functions.
        "PYSPARK_PYTHON": settings.get("spark.pyspark.python", "./environment/bin/python"),
    }
    log = folder / "driver.log"
    with (
        log.open("w+b") as output,
        driver([str(python), "-c", HEAD + TAIL], environment, output) as run,
    ):
        found = run("results['id'] = context.applicationId()")
        yield Application(run, found["id"], log)


def keys_of_platform(archive: Path, local: Path, settings: Mapping[str, str]) -> str:
    """What the command prints for a cluster without GPUs."""
    (jar,) = (ROOT / "jvm" / "dist").glob("broadhead_spark4*.jar")
    words = ["conf", "--for", "standalone", "--file", "spark-defaults.conf", "--device", "cpu"]
    words += ["--cores", "1", "--memory", "3g", "--executors", "2", "--jar", str(jar)]
    words += ["--python", str(archive), "--local-dir", str(local)]
    words += [f"--set={key}={value}" for key, value in settings.items()]
    done = subprocess.run(
        [sys.executable, "-c", "from broadhead.cli.main import main; main()", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def properties(settings: Mapping[str, str]) -> str:
    """Lines of spark-defaults.conf; the last line of a key counts."""
    return "".join(f"{key} {value}\n" for key, value in settings.items())
