"""Pythons that do not fit, and files in the current directory that a Python could take for ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from launch.programs import ROOT, ROWS

TRAPS = ("json", "ctypes", "numpy", "pyarrow", "pyspark", "broadhead", "importlib_metadata")
"""Modules that a Python of ours imports, or could import."""

CLUSTER = """
spark = (SparkSession.builder.master("local-cluster[1,1,1024]")
         .config("spark.ui.enabled", "false").getOrCreate())
total = spark.range(10).selectExpr("sum(id)").collect()[0][0]
alive = [e for e in spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()]
frame = spark.sql(f"SELECT sum(v) FROM parquet.`{sys.argv[1]}`")
print("RESULT " + json.dumps({
    "total": total,
    "value": frame.collect()[0][0],
    "executors": len(alive) - 1,
    "plan": frame._jdf.queryExecution().explainString(
        spark._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("extended"))}))
spark.stop()
"""

SESSIONS = """
import subprocess
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.sql.artifact.isolation.enabled", "true").getOrCreate())
own = str(spark._jvm.java.lang.ProcessHandle.current().pid())

def daemons():
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()[1:]]
    return sum(parent == own and "pyspark.daemon" in command for parent, command in lines)

counted = []
for _ in range(3):
    session = spark.newSession()
    frame = session.sql(f"SELECT sum(v) FROM parquet.`{sys.argv[1]}`")
    frame.collect()
    counted.append(daemons())
print("RESULT " + json.dumps(counted))
spark.stop()
"""


@pytest.fixture
def traps(tmp_path: Path) -> Path:
    """A current directory full of modules that write a file when they are imported."""
    folder = tmp_path / "shared"
    folder.mkdir()
    for name in TRAPS:
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / 'sprung')!r}, 'a').write({name!r})\n"
        )
    package = folder / "broadhead"
    package.mkdir()
    (folder / "broadhead.py").rename(package / "__init__.py")
    (package / "__main__.py").write_text((package / "__init__.py").read_text())
    return folder


@pytest.mark.nightly  # by day test_launchers.py has such a Python in a driver
def test_a_cluster_whose_python_does_not_fit_keeps_its_executors(
    broadhead, program, table, python_without_pyarrow
):
    outcome = broadhead("run", program(CLUSTER), table, PYSPARK_PYTHON=python_without_pyarrow)
    assert outcome.result["total"] == 45
    assert outcome.result["value"] == sum(range(1000))
    assert outcome.result["executors"] == 1
    assert "Broadhead is switched off" in outcome.result["plan"]
    assert "cannot import pyarrow" in outcome.result["plan"]
    assert outcome.stderr.count("the tasks there run on Spark alone") == 1
    assert "NullPointerException" not in outcome.stderr


def test_the_current_directory_is_not_on_the_path_of_our_pythons(
    run, program, table, traps, tmp_path, jar
):
    environment = {"PYTHONPATH": str(ROOT / "python"), "SPARK_LOCAL_IP": "127.0.0.1"}
    start = "import sys; del sys.path[0]; from broadhead.cli.main import main; main()"
    body = 'report(SparkSession.builder.master("local[2]").getOrCreate(), sys.argv[1])\n'
    done = subprocess.run(
        [sys.executable, "-c", start, "run", program(body), table],
        cwd=traps,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert "BroadheadHashAggregate" in done.stdout, done.stderr[-4000:]
    assert str(ROWS[0]) in done.stdout
    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()


@pytest.mark.nightly
def test_processes_of_a_hung_interpreter_end_with_it(broadhead, program, table, tmp_path):
    wrapper = tmp_path / "python"
    pids = tmp_path / "pids"
    wrapper.write_text(f'#!/bin/sh\nsleep 300 &\necho $! > "{pids}"\nwait\n')
    wrapper.chmod(0o755)
    body = 'report(SparkSession.builder.master("local[1]").getOrCreate(), sys.argv[1])\n'
    outcome = broadhead(
        "run",
        "--conf",
        "spark.broadhead.python.probeTimeout=2s",
        program(body),
        table,
        PYSPARK_PYTHON=str(wrapper),
    )
    outcome.assert_plain()
    sleeping = int(pids.read_text())
    for _ in range(50):
        if not Path(f"/proc/{sleeping}").exists():
            return
        time.sleep(0.1)
    os.kill(sleeping, signal.SIGKILL)
    pytest.fail("the child of the hung interpreter was still there")


@pytest.mark.nightly  # six applications' sessions
def test_isolated_sessions_share_one_daemon(broadhead, program, table):
    outcome = broadhead("run", program(SESSIONS), table)
    assert outcome.result == [1, 1, 1]
