"""What `broadhead doctor` finds, and the one sentence when something is missing."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from broadhead import jar as jars
from broadhead.jar import LaunchError, Spark, find_jar, find_spark


def findings_of(outcome) -> dict[str, dict[str, str]]:
    return {finding["matter"]: finding for finding in json.loads(outcome.stdout)["findings"]}


def path_without_java(folder: Path) -> str:
    """Give a PATH with the programs that scripts need, but no java."""
    for name in ("bash", "dirname", "env", "nproc", "uname", "ps", "sed"):
        for place in os.environ["PATH"].split(os.pathsep):
            if Path(place, name).is_file():
                Path(folder, name).symlink_to(Path(place, name))
                break
    return str(folder)


def test_doctor(broadhead, jar) -> None:
    outcome = broadhead("doctor", "--json")
    found = findings_of(outcome)
    assert outcome.status == 0, outcome.stdout
    assert json.loads(outcome.stdout)["works"] is True
    assert jar in found["jar"]["found"]
    wanted = {"Broadhead", "Python", "pyarrow", "executor Python", "Java", "Spark", "jar", "GPU"}
    assert wanted <= set(found)
    memory = re.search(r"have ([\d.]+) GiB for (\d+) tasks? at", found["memory"]["found"])
    assert memory is not None, found["memory"]
    assert float(memory[1]) > 0
    assert int(memory[2]) <= (os.cpu_count() or 1)
    text = broadhead("doctor")
    assert len(text.stdout.splitlines()) == len(found)
    assert text.status == 0


def test_doctor_shows_the_memory_of_the_host_s_configuration(broadhead, jar, tmp_path) -> None:
    keys = "spark.driver.memory 700m\nspark.broadhead.memory 1536m\n"
    (tmp_path / "spark-defaults.conf").write_text(keys)
    found = findings_of(broadhead("doctor", "--json", SPARK_CONF_DIR=str(tmp_path)))["memory"]
    assert "have 1.5 GiB for" in found["found"], found
    assert "with a heap of 0.7 GiB" in found["found"]


SMI = """#!/bin/sh
echo '0, GPU-00000000-01, NVIDIA H100, 81559 MiB, 580.82.07'
echo '1, GPU-00000000-02, NVIDIA H100, 81559 MiB, 580.82.07'
"""


@pytest.mark.parametrize(
    ("visible", "status", "shown"),
    [
        (None, "ok", {"0: NVIDIA H100", "1: NVIDIA H100", "GPU-00000000-02"}),
        ("1", "ok", {"1: NVIDIA H100", "CUDA_VISIBLE_DEVICES=1"}),
        ("GPU-00000000-02", "ok", {"1: NVIDIA H100"}),
        ("5", "warn", {"CUDA_VISIBLE_DEVICES=5 leaves none of 0: NVIDIA H100"}),
    ],
)
def test_doctor_names_the_gpus_that_processes_see(
    broadhead, jar, tmp_path, visible: str | None, status: str, shown: set[str]
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(SMI)
    program.chmod(0o755)
    variables = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    if visible is not None:
        variables["CUDA_VISIBLE_DEVICES"] = visible
    finding = findings_of(broadhead("doctor", "--json", **variables))["GPU"]
    assert finding["status"] == status
    assert all(text in finding["found"] for text in shown), finding
    assert ("0: NVIDIA" in finding["found"]) == (visible in (None, "5"))


def test_doctor_names_a_python_without_pyarrow(broadhead, jar, python_without_pyarrow) -> None:
    outcome = broadhead("doctor", "--json", PYSPARK_PYTHON=python_without_pyarrow)
    finding = findings_of(outcome)["executor Python"]
    assert outcome.status == 1
    assert finding["status"] == "fail"
    assert "pyarrow" in finding["found"]
    assert f"PYSPARK_PYTHON={sys.executable}" in finding["remedy"]


def test_doctor_names_a_python_with_an_old_pyarrow(broadhead, jar, tmp_path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3.11.7 22.0.0\n")
    old.chmod(0o755)
    outcome = broadhead("doctor", "--json", PYSPARK_PYTHON=str(old))
    finding = findings_of(outcome)["executor Python"]
    assert outcome.status == 1
    assert finding["status"] == "fail"
    assert "pyarrow 22.0.0" in finding["found"]
    assert "pip install 'pyarrow>=" in finding["remedy"]


def test_the_least_pyarrow_is_the_same_everywhere() -> None:
    root = Path(__file__).parents[2]
    plugin = (
        root / "jvm/src/main/scala/org/apache/spark/sql/broadhead/application/PythonReport.scala"
    )
    named = {
        text: re.findall(pattern, (root / text).read_text())
        for text, pattern in (
            ("pyproject.toml", r'"pyarrow>=(\d+)"'),
            ("docs/installation.md", r"pyarrow (\d+) or newer"),
            ("python/broadhead/doctor.py", r"_MINIMUM_PYARROW = (\d+)"),
            (str(plugin.relative_to(root)), r"MinimumPyArrow = (\d+)"),
        )
    }
    assert len({tuple(versions) for versions in named.values()}) == 1, named


def test_doctor_without_java(broadhead, jar, tmp_path) -> None:
    outcome = broadhead("doctor", "--json", PATH=path_without_java(tmp_path), JAVA_HOME="")
    assert outcome.status == 1
    assert "install" in findings_of(outcome)["Java"]["remedy"]


@pytest.mark.parametrize("command", [["run", "app.py"], ["submit", "app.py"], ["shell"]])
def test_commands_without_java(broadhead, jar, program, tmp_path, command) -> None:
    program("SparkSession.builder.getOrCreate()")
    outcome = broadhead(*command, PATH=path_without_java(tmp_path), JAVA_HOME="")
    assert outcome.status == 1
    [line] = outcome.stderr.splitlines()
    assert line.startswith("Error: there is no java here")


def jdk(folder: Path, version: str) -> str:
    """A folder that says it is this Java."""
    java = folder / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (folder / "jdk" / "release").write_text(f'JAVA_VERSION="{version}"\n')
    return str(folder / "jdk")


def test_old_java_is_named(broadhead, jar, tmp_path) -> None:
    outcome = broadhead("submit", "app.py", JAVA_HOME=jdk(tmp_path, "11.0.2"))
    assert "is Java 11.0.2, and Broadhead needs Java 17" in outcome.stderr


def test_java_that_spark_does_not_run_on_is_named(broadhead, jar, tmp_path) -> None:
    outcome = broadhead("submit", "app.py", JAVA_HOME=jdk(tmp_path, "25.0.1"))
    version = find_spark().version
    if version.startswith(("3.", "4.0", "4.1")):
        assert f"is Java 25.0.1, on which Spark {version} cannot read files: " in outcome.stderr
    else:
        assert "cannot read files" not in outcome.stderr


def test_an_unknown_spark_is_told_what_there_is(broadhead, jar, tmp_path) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.4.4.jar").write_bytes(b"")
    outcome = broadhead("submit", "app.py", SPARK_HOME=str(tmp_path))
    assert outcome.status == 1
    assert "has no jar for Spark 3.4.4 with Scala 2.12" in outcome.stderr
    assert "Spark 4.0, 4.1, 4.2, 4.3 with Scala 2.13" in outcome.stderr
    doctor = findings_of(broadhead("doctor", "--json", SPARK_HOME=str(tmp_path)))
    assert doctor["Spark"]["status"] == "fail"


def test_a_connect_client_is_no_spark(broadhead, tmp_path) -> None:
    outcome = broadhead("jar", SPARK_HOME=str(tmp_path))
    assert outcome.status == 1
    assert "no full Spark installation" in outcome.stderr


def test_the_jar_of_another_version_is_not_taken(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(jars, "VERSION", "9.9.9")
    with pytest.raises(LaunchError, match=r"no jar of Broadhead 9\.9\.9 here"):
        find_jar(Spark(tmp_path, "4.1.4", "2.13"))
