"""Each way to start Spark with the plugin, with no help from the package on the driver."""

from __future__ import annotations

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
    ["local[2]", "local-cluster[2,1,1024]"],
)
@pytest.mark.nightly  # by day the extensions alone, and the builders of the README
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


@pytest.mark.nightly  # by day the server of tests/connect is a driver without a Python
def test_spark_sql(run, bare_python, jar, table, spark_installation) -> None:
    query = QUERY.format(table=table)
    command = [bin_of(spark_installation, "spark-sql"), "--jars", jar, "--master", "local[2]"]
    command += ["--conf", f"spark.plugins={PLUGIN}", "-e", f"{query}; EXPLAIN {query};"]
    outcome = run(command, PYSPARK_PYTHON=bare_python)
    rows = [line.split("\t") for line in outcome.stdout.splitlines() if line.count("\t") == 2]
    assert sorted([int(cell) for cell in row] for row in rows) == ROWS, outcome.stderr[-5000:]
    assert "BroadheadHashAggregate" in outcome.stdout


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
