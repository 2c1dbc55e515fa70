"""Runs a program in an application of its own, and gives what it found."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

HEAD = """
import json, os, signal, sys, time
from pathlib import Path
import broadhead
from pyspark.sql import SparkSession

KEYS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "3",
    "spark.broadhead.device": "cpu",
    "spark.broadhead.costModel.enabled": "false",
}
folder = Path(sys.argv[1])
results = {}

def start(master, **keys):
    builder = SparkSession.builder.master(master)
    named = {key.replace("__", "."): value for key, value in keys.items()}
    for key, value in (KEYS | {"spark.local.dir": str(folder / "local")} | named).items():
        builder = builder.config(key, value)
    return broadhead.configure(builder).getOrCreate()

def rows(frame):
    return sorted(map(tuple, frame.collect()))

def by_spark(frame):
    spark.conf.set("spark.broadhead.enabled", "false")
    try:
        return rows(frame())
    finally:
        spark.conf.set("spark.broadhead.enabled", "true")

def nodes(plan, name):
    found = [plan] if plan.getClass().getSimpleName() == name else []
    children = plan.children()
    for n in range(children.size()):
        found += nodes(children.apply(n), name)
    return found

def exchanges(frame):
    return nodes(frame._jdf.queryExecution().executedPlan(), "BroadheadShuffleExchange")

def write_shuffles(frame):
    # Adaptive execution is off, so collect() finds these files.
    for exchange in reversed(exchanges(frame)):
        written = exchange.mapOutputStatisticsFuture()
        while not written.isCompleted():
            time.sleep(0.05)

def executors(count):
    # Of so many, since a lost one takes a while to be replaced.
    driver = spark._jvm.java.lang.ProcessHandle.current()
    deadline = time.time() + 30
    while True:
        found = [
            child.pid() for child in driver.children().toArray()
            if "CoarseGrainedExecutorBackend" in child.info().commandLine().orElse("")
        ]
        if len(found) == count or time.time() > deadline:
            return found
        time.sleep(0.1)
"""


def run_program(body: str, *arguments: object, timeout: int = 150) -> dict[str, Any]:
    """What the program puts into `results`; it may use all that `HEAD` defines."""
    tail = "\nspark.stop()\nprint('RESULT ' + json.dumps(results))\n"
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + body + tail, *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-8000:]
    found = json.loads(lines[0].removeprefix("RESULT "))
    assert isinstance(found, dict)
    return found


@contextmanager
def shuffle_service() -> Iterator[int]:
    """The port of an external shuffle service, until the block ends."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    options = f"-Dspark.shuffle.service.port={port}"
    service = subprocess.Popen(
        [
            Path(pyspark.__file__).parent / "bin" / "spark-class",
            "org.apache.spark.deploy.ExternalShuffleService",
        ],
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SHUFFLE_OPTS": options},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await_port(port)
        yield port
    finally:
        service.kill()
        service.wait()


def _await_port(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
