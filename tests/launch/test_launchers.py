"""Each way to start Spark with the plugin, with no help from the package on the driver."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from launch.programs import PLUGIN, QUERY, ROWS

BUILDER_PROGRAM = """
spark = (SparkSession.builder.master("{master}")
         .config("spark.jars", "{jar}").config("spark.plugins", "{plugin}")
         .config("spark.ui.enabled", "false").getOrCreate())
report(spark, "{table}")
spark.conf.set("spark.broadhead.enabled", "false")
report(spark, "{table}")
"""

PLAIN_PROGRAM = """
spark = SparkSession.builder.getOrCreate()
report(spark, "{table}")
"""


def bin_of(spark_installation, name: str) -> str:
    return str(Path(spark_installation.home, "bin", name))


@pytest.mark.parametrize(
    "master",
    ["local[2]", pytest.param("local-cluster[2,1,1024]", marks=pytest.mark.nightly)],
)
def test_builder_conf(run, program, bare_python, jar, table, spark_installation, master) -> None:
    app = program(BUILDER_PROGRAM.format(master=master, jar=jar, plugin=PLUGIN, table=table))
    outcome = run(
        [bare_python, app],
        PYSPARK_PYTHON=bare_python,
        SPARK_HOME=str(spark_installation.home),
    )
    outcome.assert_accelerated()
    switched_off = outcome.stdout.splitlines()[-1]
    assert switched_off.startswith("RESULT ")
    assert "BroadheadHashAggregate" not in switched_off


@pytest.mark.nightly  # by day spark-submit has the extensions alone, and an unfit Python
def test_spark_submit(run, program, bare_python, jar, table, spark_installation) -> None:
    submit = [bin_of(spark_installation, "spark-submit"), "--jars", jar, "--master", "local[2]"]
    submit += ["--conf", f"spark.plugins={PLUGIN}", program(PLAIN_PROGRAM.format(table=table))]
    run(submit, PYSPARK_PYTHON=bare_python).assert_accelerated()


def test_extensions_alone(run, program, bare_python, jar, table, spark_installation) -> None:
    submit = [bin_of(spark_installation, "spark-submit"), "--jars", jar, "--master", "local[2]"]
    submit += ["--conf", "spark.sql.extensions=io.broadhead.BroadheadExtensions"]
    submit += [program(PLAIN_PROGRAM.format(table=table))]
    run(submit, PYSPARK_PYTHON=bare_python).assert_accelerated()


@pytest.mark.nightly  # by day the server of Spark Connect is the driver without a Python
def test_spark_sql(run, bare_python, jar, table, spark_installation) -> None:
    query = QUERY.format(table=table)
    command = [bin_of(spark_installation, "spark-sql"), "--jars", jar, "--master", "local[2]"]
    command += ["--conf", f"spark.plugins={PLUGIN}", "-e", f"{query}; EXPLAIN {query};"]
    outcome = run(command, PYSPARK_PYTHON=bare_python)
    rows = [line.split("\t") for line in outcome.stdout.splitlines() if line.count("\t") == 2]
    assert sorted([int(cell) for cell in row] for row in rows) == ROWS, outcome.stderr[-5000:]
    assert "BroadheadHashAggregate" in outcome.stdout


def test_connect_server(
    run, program, bare_python, jar, table, spark_installation, tmp_path, monkeypatch
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [bin_of(spark_installation, "spark-submit"), "--master", "local[2]", "--jars", jar]
    command += ["--conf", f"spark.plugins={PLUGIN}", "--conf", "spark.ui.enabled=false"]
    command += ["--conf", f"spark.connect.grpc.binding.port={port}"]
    command += ["--conf", f"spark.pyspark.python={bare_python}"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    monkeypatch.chdir(tmp_path)
    app = program(f"""
spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
report(spark, "{table}")
sys.path.insert(0, "{Path(__file__).parents[2] / "python"}")
import broadhead
found = broadhead.explain(spark.sql("SELECT k FROM parquet.`{table}` WHERE v > 3"))
print("EXPLAINED", found.accelerated, found.total)
run = broadhead.profile(spark.sql("SELECT k FROM parquet.`{table}` WHERE v > 3")).operators
print("PROFILED", sum(each.accelerated for each in run), run[0].metrics["numOutputRows"])
""")
    with Path("server.log").open("wb") as log:
        server = subprocess.Popen([*command, "spark-internal"], stdout=log, stderr=log)
        try:
            wait_for(port, server)
            outcome = run([sys.executable, app])
        finally:
            server.terminate()
            server.wait(30)
    assert outcome.result["rows"] == ROWS
    assert "BroadheadHashAggregate" in outcome.result["plan"]
    explained = next(line for line in outcome.stdout.splitlines() if line.startswith("EXPLAINED"))
    assert int(explained.split()[1]) >= 2, outcome.stdout
    profiled = next(line for line in outcome.stdout.splitlines() if line.startswith("PROFILED"))
    assert int(profiled.split()[1]) >= 2, outcome.stdout
    assert profiled.split()[2] == "996", outcome.stdout


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        assert server.poll() is None, Path("server.log").read_text()[-5000:]
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.25)
    raise AssertionError(Path("server.log").read_text()[-5000:])


def test_python_without_pyarrow(
    run, program, python_without_pyarrow, jar, table, spark_installation
) -> None:
    submit = [bin_of(spark_installation, "spark-submit"), "--jars", jar, "--master", "local[2]"]
    submit += ["--conf", f"spark.plugins={PLUGIN}", program(PLAIN_PROGRAM.format(table=table))]
    outcome = run(submit, PYSPARK_PYTHON=python_without_pyarrow)
    outcome.assert_plain()
    warnings = [line for line in outcome.stderr.splitlines() if " WARN " in line]
    warnings = [line for line in warnings if "pyarrow" in line]
    assert len(warnings) == 1, outcome.stderr[-5000:]
    assert python_without_pyarrow in warnings[0]
    assert "pip install" in warnings[0]


def test_a_bad_value_is_refused_at_the_start(run, program, jar, table, spark_installation) -> None:
    """SettingsSuite has the values that are refused; here is what becomes of the application."""
    key, value = "spark.broadhead.device", "tpu"
    submit = [bin_of(spark_installation, "spark-submit"), "--jars", jar, "--master", "local[2]"]
    submit += ["--conf", f"spark.plugins={PLUGIN}", "--conf", f"{key}={value}"]
    outcome = run([*submit, program(PLAIN_PROGRAM.format(table=table))])
    assert outcome.status != 0
    said = outcome.stdout + outcome.stderr
    assert key in said
    assert value in said
    assert "one of auto, gpu, cpu" in said
    assert "RESULT" not in outcome.stdout
