"""Spark's standalone cluster manager on this machine: its processes, each with a log."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pyspark

HOSTS = ("127.0.0.1", "127.0.0.2")
"""Those of the workers: two, so that executors fetch blocks from each other as between hosts."""

ANY_PORT = ("--port", "0", "--webui-port", "0")
PYTHON_OF_HOST = "python-of-host"
"""A program of each host: a Python with all packages on the first, with none on the second."""

CORES = 2
SECONDS = 60
SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


class Service:
    """A process of Spark's own, and what it has logged."""

    def __init__(self, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(SPARK_CLASS), *command],
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def await_line(self, pattern: str) -> str:
        """The first group of the pattern, when the log has a line of it."""
        deadline = time.monotonic() + SECONDS
        while True:
            text = self._log.read_text(errors="replace")
            if found := re.search(pattern, text):
                return found[1]
            assert self.process.poll() is None, text[-8000:]
            assert time.monotonic() < deadline, text[-8000:]
            time.sleep(0.1)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the process and all that it has started, as if its host had gone."""
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found[1:]


class Standalone:
    """A master, two workers with an external shuffle service, and a history server.

    `folder` has the configuration that all of them read, `conf/spark-defaults.conf`, and in `bin/0`
    and `bin/1` the programs of the two hosts. `cores` are those of each.
    """

    def __init__(self, folder: Path, cores: int = CORES) -> None:
        self.folder = folder
        self._cores = cores
        self._services: dict[str, Service] = {}
        self._starts = 0

    def start(self) -> None:
        """Start the master and the workers, and wait until they are ready."""
        master = self._start("master", "master.Master", 0, "--host", HOSTS[0], *ANY_PORT)
        self.url = master.await_line(r"Starting Spark master at (spark://\S+)")
        for number in range(len(HOSTS)):
            self._start_worker(number)
        for number in range(len(HOSTS)):
            self._await_worker(number)

    def start_history(self) -> str:
        """Start the history server; gives its address."""
        server = self._start("history", "history.HistoryServer", 0)
        return server.await_line(r"and started at (http://\S+)")

    def worker(self, number: int) -> Service:
        return self._services[f"worker-{number}"]

    def replace_worker(self, number: int) -> None:
        """Start a worker in place of one that has ended."""
        self.worker(number).kill()
        self._start_worker(number)
        self._await_worker(number)

    def stop(self) -> None:
        for service in reversed(self._services.values()):
            service.stop()

    def path(self, number: int) -> str:
        """Where a host finds programs."""
        return f"{self.folder / 'bin' / str(number)}{os.pathsep}{os.environ['PATH']}"

    def executor_logs(self, application: str) -> dict[str, str]:
        """The logs of an application's executors, by their numbers."""
        found = (self.folder / "work").glob(f"*/{application}/*/stderr")
        return {path.parent.name: path.read_text(errors="replace") for path in found}

    def _start_worker(self, number: int) -> None:
        """The first worker has the shuffle service, which listens for both hosts."""
        service = "true" if number == 0 else "false"
        self._start(
            f"worker-{number}",
            "worker.Worker",
            number,
            *("--host", HOSTS[number], *ANY_PORT),
            *("--cores", str(self._cores), "--memory", f"{CORES}g"),
            *("--work-dir", str(self.folder / "work" / str(number)), self.url),
            SPARK_WORKER_OPTS=f"-Dspark.shuffle.service.enabled={service}",
        )

    def _await_worker(self, number: int) -> None:
        self.worker(number).await_line("(Successfully registered with master)")

    def _start(self, name: str, role: str, number: int, *words: str, **options: str) -> Service:
        self._starts += 1
        service = Service(
            [f"org.apache.spark.deploy.{role}", *words],
            {
                "SPARK_CONF_DIR": str(self.folder / "conf"),
                "SPARK_LOCAL_IP": HOSTS[number],
                "SPARK_DAEMON_MEMORY": "256m",
                "SPARK_DAEMON_JAVA_OPTS": os.environ.get("SPARK_SUBMIT_OPTS", ""),
                "PATH": self.path(number),
                **options,
            },
            self.folder / f"{name}-{self._starts}.log",
        )
        self._services[name] = service
        return service
