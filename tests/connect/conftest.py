"""A Spark Connect server with the plugin, and a client without Broadhead."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from free_ports import free_ports
from pythons import python_without_broadhead
from spark.cluster_programs import IN_SPARK, ROOT, TAIL, Run, driver
from sql_runs import is_nightly

HEAD = (
    IN_SPARK
    + """
import json, os, sys, time, traceback
from importlib.util import find_spec
from pathlib import Path
import pandas as pd
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.functions import pandas_udf, udf

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()

def explained(frame):
    text = frame._explain_string(extended=True)
    return text[text.rindex("== Extended Information (Broadhead)"):]

def differences(frames):
    # What is not accelerated, or has other rows than in Spark.
    found = {}
    for name, make in frames.items():
        text = explained(make())
        words = text[text.rindex("Broadhead: "):].split()
        if words[1] != words[3]:
            found[name] = text
        elif rows(make()) != by_spark(lambda: rows(make())):
            found[name] = "other rows"
    return found
"""
)


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "t.parquet"
    values = range(5000)
    columns = {"k": [v % 7 for v in values], "v": values, "s": [f"s{v % 11}" for v in values]}
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that the files of `broadhead conf --for connect` start."""
    folder = tmp_path_factory.mktemp("server")
    (port,) = free_ports(1)
    (jar,) = (ROOT / "jvm" / "dist").glob("broadhead_spark4*.jar")
    python = python_without_broadhead(folder / "python")
    words = ["conf", "--for", "connect", "--device", "cpu", "--output", str(folder)]
    words += ["--jar", str(jar), "--python", str(python), "--local-dir", str(folder / "local")]
    keys = {
        "spark.master": "local[2]",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.dynamicAllocation.enabled": "false",
        "spark.shuffle.service.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.broadhead.costModel.enabled": "false",
    }
    words += [f"--set={key}={value}" for key, value in keys.items()]
    subprocess.run(
        [sys.executable, "-c", "from broadhead.cli.main import main; main()", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with running_server(folder, port):
        yield f"sc://127.0.0.1:{port}"


@contextmanager
def running_server(folder: Path, port: int) -> Iterator[None]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYSPARK"))}
    own = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [folder / "start-connect-server.sh"],
            env=kept | own,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        deadline = time.monotonic() + 120
        while not answers(port):
            assert process.poll() is None, log.read_text(errors="replace")[-5000:]
            assert time.monotonic() < deadline, log.read_text(errors="replace")[-5000:]
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(60)


def answers(port: int) -> bool:
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def client_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A client's Python: by day with the packages of the tests, at night `pyspark-client` alone."""
    folder = tmp_path_factory.mktemp("client") / "venv"
    if not is_nightly():
        return python_without_broadhead(folder)
    venv.create(folder, symlinks=True, with_pip=True)
    python = folder / "bin" / "python"
    minor = ".".join(pyspark.__version__.split(".")[:2])
    requirement = f"pyspark-client~={minor}.0"
    subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
    return python


@pytest.fixture(scope="session")
def client(server: str, client_python: Path, table: Path) -> Iterator[Run]:
    """Runs programs in a client, which may use all that `HEAD` defines."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYSPARK"))}
    with (
        tempfile.TemporaryFile() as log,
        driver([str(client_python), "-c", HEAD + TAIL, server], kept, log) as run,
    ):
        run(f"spark.read.parquet({str(table)!r}).createOrReplaceTempView('t')")
        yield run
