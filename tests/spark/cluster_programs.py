"""Runs programs in an application of their own, and gives what they found."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).parents[2]

HEAD = """
import json, os, signal, sys, time, traceback
from contextlib import suppress
from pathlib import Path
import broadhead
from pyspark.sql import SparkSession

KEYS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.executor.extraJavaOptions": os.environ.get("SPARK_SUBMIT_OPTS", ""),
    "spark.sql.shuffle.partitions": "3",
    "spark.broadhead.device": "cpu",
    "spark.broadhead.costModel.enabled": "false",
}
folder = Path(sys.argv[1])

def start_at_once(master, **keys):
    builder = SparkSession.builder.master(master)
    named = {key.replace("__", "."): value for key, value in keys.items()}
    for key, value in (KEYS | {"spark.local.dir": str(folder / "local")} | named).items():
        builder = builder.config(key, value)
    return broadhead.configure(builder).getOrCreate()

def start(master, **keys):
    # The engine runs small tasks, too, when its workers are ready.
    spark = start_at_once(master, **keys)
    workers = spark._jvm.org.apache.spark.sql.broadhead.execution.ForkServer
    while workers.isAwaited():
        time.sleep(0.05)
    return spark

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

def other_workers():
    # Of the executor that a worker is in, under whichever of its daemons.
    parents = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
    jvm = parents[os.getppid()]
    def is_below(pid):
        above = parents[pid]
        while above in parents and parents[above] != jvm:
            above = parents[above]
        return above in parents
    return [pid for pid in parents.keys() - set(parents.values()) - {os.getpid()}
            if is_below(pid)]

def killing_once(marker):
    # The function is in a worker of Spark, and kills those of fragments.
    spark.conf.set("spark.broadhead.operator.MapInArrow.enabled", "false")
    def pass_on(batches):
        for batch in batches:
            if not marker.exists():
                marker.touch()
                for pid in other_workers():
                    os.kill(pid, signal.SIGKILL)
            yield batch
    return pass_on
"""

IN_SPARK = """
def by_spark(call):
    spark.conf.set("spark.broadhead.enabled", "false")
    try:
        return call()
    finally:
        spark.conf.set("spark.broadhead.enabled", "true")

def rows(frame):
    return sorted(map(tuple, frame.collect()))
"""
"""For programs whose drivers have no Broadhead: the same call and the same rows without it."""

TAIL = """
for line in sys.stdin:
    results = {}
    try:
        exec(json.loads(line), globals())
    except Exception:
        results = {"error": traceback.format_exc()}
    print("RESULT " + json.dumps(results), flush=True)
spark.stop()
"""

Run = Callable[[str], dict[str, Any]]
RunInSession = Callable[[Path, str], dict[str, Any]]
"""Takes the folder of a test, and a program for a session of its own."""


@contextmanager
def application(folder: Path, modules: Sequence[Path] = ()) -> Iterator[Run]:
    """Runs programs one after the other in one process: gives what each puts into `results`.

    They may use all that `HEAD` defines and what the programs before them have defined; one of
    them starts Spark. `folder` is theirs, `modules` are found before those that are installed.
    """
    installed = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    path = os.pathsep.join(map(str, [*modules, ROOT / "python", *installed]))
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": path}
    command = [sys.executable, "-c", HEAD + TAIL, str(folder)]
    with tempfile.TemporaryFile() as log, driver(command, environment, log) as run:
        yield run


@contextmanager
def driver(command: list[str], environment: dict[str, str], log: BinaryIO) -> Iterator[Run]:
    """Runs the programs that it is given in one process, whose code ends with `TAIL`."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    try:
        yield lambda body: _ask(process, body, log)
        # A driver that prints at its end, as Spark's profiler does, has to be read until then.
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()


def _ask(process: subprocess.Popen[str], body: str, log: BinaryIO) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(body) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("RESULT "):
            found = json.loads(line.removeprefix("RESULT "))
            assert isinstance(found, dict)
            assert "error" not in found, found["error"]
            return found
    log.seek(0)
    raise AssertionError(log.read().decode(errors="replace")[-8000:])


def run_program(body: str, folder: Path) -> dict[str, Any]:
    """What the program puts into `results`, in an application of its own."""
    with application(folder) as run:
        return run(body)


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
