"""The commands that start unchanged programs, and the functions for a program of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from broadhead.worker.device import gpu_possible
from launch.programs import PLUGIN, ROOT

WITH_OWN_CONF = """
spark = (SparkSession.builder.master("local[2]").appName("mine")
         .config("spark.jars", "{own_jar}").config("spark.plugins", "{own_plugin}")
         .config("spark.sql.shuffle.partitions", "3").getOrCreate())
report(spark, "{table}")
conf = spark.sparkContext.getConf()
print("CONF " + json.dumps({{key: conf.get(key) for key in
      ("spark.jars", "spark.plugins", "spark.app.name", "spark.broadhead.device")}}))
sys.exit(3)
"""

EMPTY_JAR = b"PK\x05\x06" + bytes(18)
OWN_PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"

PLAIN = """
spark = SparkSession.builder.master("local[2]").getOrCreate()
report(spark, {table!r})
"""


def conf_of(outcome) -> dict[str, str]:
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("CONF "))
    return json.loads(line.removeprefix("CONF "))


def test_run_keeps_conf_arguments_and_status(broadhead, program, jar, table, tmp_path) -> None:
    own = tmp_path / "own.jar"
    own.write_bytes(EMPTY_JAR)
    body = WITH_OWN_CONF.format(own_jar=own, own_plugin=OWN_PLUGIN, table=table)
    app = program(body, name="my app.py")
    arguments = ["--conf", "a b", "'quoted'", "", "--help"]
    settings = ["--conf", "spark.broadhead.device=cpu"]
    settings += ["--conf", "spark.connect.grpc.binding.port=0"]
    outcome = broadhead("run", *settings, app, *arguments)
    outcome.assert_accelerated()
    assert outcome.status == 3
    assert outcome.result["argv"] == [app, *arguments]
    conf = conf_of(outcome)
    assert conf["spark.app.name"] == "mine"
    assert conf["spark.broadhead.device"] == "cpu"
    assert conf["spark.jars"].split(",") == [str(own), jar]
    assert conf["spark.plugins"].split(",") == [OWN_PLUGIN, PLUGIN]


@pytest.mark.skipif(gpu_possible(), reason="this host has a GPU")
def test_a_gpu_that_is_wanted_and_not_there_is_named(broadhead, program, jar) -> None:
    app = program("SparkSession.builder.getOrCreate().range(3).count()")
    outcome = broadhead("run", "--conf", "spark.broadhead.device=gpu", app)
    assert outcome.status == 0, outcome.stderr
    assert "spark.broadhead.device is gpu, and Python finds no GPU" in outcome.stderr


def test_run_shows_the_program_its_own_world(broadhead, program, tmp_path) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'beside'\n")
    app = program("""
import beside, pickle
class Own: pass
assert __name__ == "__main__" and __file__ == sys.argv[0]
assert pickle.loads(pickle.dumps(Own())).__class__ is Own
assert sys.modules["__main__"].Own is Own
raise ValueError("mine")
""")
    outcome = broadhead("run", app)
    assert outcome.status == 1
    assert outcome.stderr.rstrip().endswith("ValueError: mine")
    assert "broadhead" not in outcome.stderr.partition("Traceback")[2]


@pytest.mark.nightly
def test_module_runs_a_program(run, program, table) -> None:
    app = program(PLAIN.format(table=table))
    command = [sys.executable, "-m", "broadhead", app, "x"]
    outcome = run(command, PYTHONPATH=str(ROOT / "python"))
    outcome.assert_accelerated()
    assert outcome.result["argv"] == [app, "x"]


@pytest.mark.nightly  # by day `run` keeps the options
def test_submit_merges_the_users_options(broadhead, program, jar, table, tmp_path) -> None:
    own = tmp_path / "own.jar"
    own.write_bytes(EMPTY_JAR)
    defaults = tmp_path / "conf"
    defaults.mkdir()
    (defaults / "spark-defaults.conf").write_text(
        f"spark.plugins {OWN_PLUGIN}\nspark.connect.grpc.binding.port 0\n"
    )
    app = program("""
spark = SparkSession.builder.getOrCreate()
report(spark, sys.argv[1])
conf = spark.sparkContext.getConf()
print("CONF " + json.dumps({key: conf.get(key) for key in ("spark.jars", "spark.plugins")}))
sys.exit(5)
""")
    options = ["--master", "local[2]", "--jars", str(own), "--name", "two words"]
    outcome = broadhead("submit", *options, app, table, "a b", SPARK_CONF_DIR=str(defaults))
    outcome.assert_accelerated()
    assert outcome.status == 5
    assert outcome.result["argv"][1:] == [table, "a b"]
    conf = conf_of(outcome)
    assert [Path(entry).name for entry in conf["spark.jars"].split(",")] == [
        "own.jar",
        Path(jar).name,
    ]
    assert conf["spark.plugins"].split(",") == [OWN_PLUGIN, PLUGIN]


def test_session_and_explain(run, program, table) -> None:
    app = program(f"""
import broadhead
spark = broadhead.session(master="local[2]", app_name="s", batch_rows=100,
                          **{{"spark.sql.shuffle.partitions": 2}})
report(spark, {table!r})
assert spark.conf.get("spark.broadhead.batchRows") == "100"
assert broadhead.session() is not None
query = "SELECT k, sum(v) FROM parquet.`{table}` GROUP BY k ORDER BY k"
spark.conf.set("spark.broadhead.operator.Sort.enabled", "false")
found = broadhead.explain(spark.sql(query))
print("EXPLAINED " + json.dumps([found.accelerated, found.total, found.reasons, str(found)]))
assert f"<b>{{found.summary}}</b>" in found._repr_html_()
spark.stop()
spark = SparkSession.builder.config("spark.plugins", "").getOrCreate()
try:
    broadhead.session()
except broadhead.LaunchError as error:
    print("REFUSED", error)
""")
    outcome = run([sys.executable, app], PYTHONPATH=str(ROOT / "python"))
    outcome.assert_accelerated()
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("EXPLAINED "))
    accelerated, total, reasons, text = json.loads(line.removeprefix("EXPLAINED "))
    assert 3 <= accelerated < total
    assert any("Sort" in reason for reason in reasons), reasons
    assert f"Broadhead: {accelerated} of {total} operators accelerated" in text
    refused = next(line for line in outcome.stdout.splitlines() if line.startswith("REFUSED "))
    assert "spark.stop()" in refused


@pytest.mark.nightly  # by day test_launchers.py has a server of its own
def test_session_over_local_connect(run, program, table) -> None:
    app = program(f"""
import broadhead
spark = broadhead.configure(SparkSession.builder.remote("local[2]")).getOrCreate()
report(spark, {table!r})
""")
    environment = {"PYTHONPATH": str(ROOT / "python"), "SPARK_TESTING": "1"}
    run([sys.executable, app], **environment).assert_accelerated()


def test_jar_and_conf(broadhead, jar) -> None:
    assert broadhead("jar").stdout.strip() == jar
    lines = broadhead("conf").stdout.splitlines()
    assert lines == [f"spark.jars {jar}", f"spark.plugins {PLUGIN}"]
    arguments = broadhead("conf", "--args").stdout.split()
    assert arguments == ["--jars", jar, "--conf", f"spark.plugins={PLUGIN}"]


def test_a_program_that_is_not_there(broadhead, jar) -> None:
    outcome = broadhead("run", "missing.py")
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[-1].startswith("Error: cannot read missing.py")


def test_demo_is_registered(broadhead) -> None:
    outcome = broadhead("demo", "--help")
    assert outcome.status == 0
    assert "--scale" in outcome.stdout


@pytest.mark.nightly  # its arguments are those of `submit`, which runs by day
def test_shell_starts_with_the_plugin(broadhead, program, table, tmp_path) -> None:
    startup = program(f"""
report(SparkSession.builder.getOrCreate(), {table!r})
""")
    command = f"exec(open({startup!r}).read())"
    driver = tmp_path / "driver"
    driver.write_text(
        f'#!/bin/bash\nif [ "$1" = -c ]; then exec {sys.executable} "$@"; fi\n'
        f'exec {sys.executable} -i "$@" <<< {json.dumps(command)}\n'
    )
    driver.chmod(0o755)
    outcome = broadhead("shell", "--master", "local[2]", PYSPARK_DRIVER_PYTHON=str(driver))
    outcome.assert_accelerated()
