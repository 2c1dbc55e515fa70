"""Programs started as users start them, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.jar import LaunchError, Spark, find_jar, find_spark
from launch.programs import PROGRAM, ROOT, SECONDS, Outcome
from pythons import python_without_broadhead, python_without_packages


@pytest.fixture(scope="session")
def spark_installation() -> Spark:
    return find_spark()


@pytest.fixture(scope="session")
def jar(spark_installation: Spark) -> str:
    try:
        return str(find_jar(spark_installation).path)
    except LaunchError as error:
        pytest.fail(f"{error}", pytrace=False)


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Parquet file with 1000 rows in three groups."""
    path = tmp_path_factory.mktemp("data") / "numbers.parquet"
    values = pa.array(range(1000), pa.int64())
    pq.write_table(pa.table({"k": pa.array([v % 3 for v in range(1000)]), "v": values}), path)
    return str(path)


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has pyspark and pyarrow but not Broadhead: the jar must be enough."""
    return str(python_without_broadhead(tmp_path_factory.mktemp("bare") / "venv"))


@pytest.fixture(scope="session")
def python_without_pyarrow(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(python_without_packages(tmp_path_factory.mktemp("poor") / "venv"))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in an empty folder, with no setting of Spark from outside."""
    for name in ("PYSPARK_PYTHON", "PYSPARK_SUBMIT_ARGS", "PYSPARK_DRIVER_PYTHON", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)

    def run_command(command: list[str], **environment: str) -> Outcome:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"} | environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run_command


@pytest.fixture
def broadhead(run):
    """Runs the `broadhead` command."""
    start = "from broadhead.cli.main import main; main(prog_name='broadhead')"

    def run_broadhead(*arguments: str, **environment: str) -> Outcome:
        path = {"PYTHONPATH": str(ROOT / "python")}
        return run([sys.executable, "-c", start, *arguments], **path | environment)

    return run_broadhead


@pytest.fixture
def program(tmp_path):
    """Writes a user's program: the body sees `report` and SparkSession."""

    def write(body: str, name: str = "app.py") -> str:
        path = tmp_path / name
        path.write_text(PROGRAM + body)
        return str(path)

    return write
