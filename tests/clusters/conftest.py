"""One cluster for all tests of the folder, and an application that most of them share."""

from __future__ import annotations

import os
import secrets
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters.applications import Application, application, properties
from clusters.standalone import PYTHON_OF_HOST, Standalone
from free_ports import free_ports
from pythons import python_without_broadhead, python_without_packages

ROWS = 60_000
TWO_EXECUTORS = {
    "spark.dynamicAllocation.minExecutors": "2",
    "spark.dynamicAllocation.initialExecutors": "2",
}


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver's Python: Broadhead is not installed there either."""
    return python_without_broadhead(tmp_path_factory.mktemp("python") / "environment")


@pytest.fixture(scope="session")
def archive(python: Path) -> Path:
    """The executors' Python, packed like the one of `pack-python.sh`."""
    path = python.parents[2] / "environment.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(python.parents[1], ".")
    return path


@pytest.fixture(scope="session")
def cluster(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A running cluster. Its shuffle service listens on all addresses: it asks for a secret."""
    folder = tmp_path_factory.mktemp("standalone")
    for name in ("conf", "events", "local"):
        (folder / name).mkdir()
    poor = python_without_packages(folder / "poor")
    for number, interpreter in enumerate((python, poor)):
        program = folder / "bin" / str(number) / PYTHON_OF_HOST
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {interpreter} "$@"\n')
        program.chmod(0o755)
    conf = folder / "conf" / "spark-defaults.conf"
    conf.touch(0o600)
    conf.write_text(
        properties(
            {
                "spark.authenticate": "true",
                "spark.authenticate.secret": secrets.token_hex(16),
                "spark.shuffle.service.port": str(free_ports(1)[0]),
                "spark.decommission.enabled": "true",
                "spark.eventLog.enabled": "true",
                "spark.eventLog.dir": (folder / "events").as_uri(),
                "spark.history.fs.logDirectory": (folder / "events").as_uri(),
                "spark.history.fs.update.interval": "1s",
                "spark.history.ui.port": "0",
                "spark.ui.enabled": "false",
                "spark.driver.memory": "1g",
                "spark.executor.extraJavaOptions": os.environ.get("SPARK_SUBMIT_OPTS", ""),
                "spark.sql.shuffle.partitions": "4",
                "spark.broadhead.costModel.enabled": "false",
            }
        )
    )
    found = Standalone(folder)
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files, each of which a task reads."""
    folder = tmp_path_factory.mktemp("data") / "t"
    folder.mkdir()
    for number in range(4):
        ids = range(number * ROWS, (number + 1) * ROWS)
        columns = {"id": ids, "k": [value % 1000 for value in ids], "v": ids}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet")
    return folder


@pytest.fixture(scope="session")
def shared(cluster: Standalone, python: Path, archive: Path, table: Path) -> Iterator[Application]:
    """An application with an executor on each worker."""
    with application(cluster, python, archive, TWO_EXECUTORS) as found:
        found.run(with_table(table))
        yield found


Start = Callable[..., AbstractContextManager[Application]]
"""Starts an application with more settings."""


@pytest.fixture(scope="session")
def start(cluster: Standalone, python: Path, archive: Path, table: Path) -> Start:
    @contextmanager
    def started(settings: Mapping[str, str]) -> Iterator[Application]:
        with application(cluster, python, archive, settings) as found:
            found.run(with_table(table))
            yield found

    return started


def with_table(table: Path) -> str:
    return f"spark.read.parquet({str(table)!r}).createOrReplaceTempView('t')"
