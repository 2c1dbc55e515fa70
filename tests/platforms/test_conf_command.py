"""`broadhead conf --for`: what is printed, what is written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from broadhead.cli.main import main
from broadhead.platforms.registry import platforms
from broadhead.platforms.rendering import files


def conf(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["conf", *arguments])


@pytest.mark.parametrize("name", platforms())
def test_all_files_are_printed_under_their_names(name: str) -> None:
    result = conf("--for", name)
    assert result.exit_code == 0, result.output
    for file, text in files(name).items():
        assert f"==> {file} <==\n{text}" in result.output


def test_one_file_is_printed_alone() -> None:
    result = conf("--for", "emr", "--file", "configurations.json")
    assert result.output == files("emr")["configurations.json"]


def test_files_are_written_and_scripts_can_be_run(tmp_path: Path) -> None:
    assert conf("--for", "yarn", "--output", str(tmp_path / "new")).exit_code == 0
    written = {path.name: path.read_text() for path in (tmp_path / "new").iterdir()}
    assert written == files("yarn")
    assert (tmp_path / "new" / "pack-python.sh").stat().st_mode & 0o111 == 0o111


def test_options_fill_in_the_files() -> None:
    options = ["--cuda", "12", "--cores", "4", "--memory", "12g", "--executors", "3"]
    options += ["--python", "/opt/python", "--jar", "/opt/b.jar", "--set", "spark.ui.enabled=false"]
    text = conf("--for", "standalone", *options).output
    for line in (
        "spark.executor.cores 4",
        "spark.executor.memory 4g",
        "spark.task.resource.gpu.amount 0.25",
        "spark.dynamicAllocation.maxExecutors 3",
        "spark.pyspark.python /opt/python",
        "spark.jars /opt/b.jar",
        "spark.ui.enabled false",
    ):
        assert line in " ".join(text.split()), line
    assert "broadhead[pandas,cuda12]" in text
    assert "spark.archives" not in text


OWN_PYTHON = {
    "connect": "pack-python.sh",
    "dataproc": "initialization.sh",
    "emr": "bootstrap.sh",
    "standalone": "pack-python.sh",
    "yarn": "pack-python.sh",
}
"""The script that makes the executors' Python, which runs the user's functions too."""


@pytest.mark.parametrize("name", OWN_PYTHON)
def test_a_python_for_user_functions_has_pandas_and_what_is_named(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("# mine\nscikit-learn  # models\n\nscipy>=1.10\n")
    for device, extras in (("cpu", "pandas"), ("gpu", "pandas,cuda13")):
        arguments = ["--for", name, "--file", OWN_PYTHON[name], "--device", device]
        assert f"broadhead[{extras}]==" in conf(*arguments).output
        arguments += ["--packages", "xgboost>=2,<3 networkx"]
        arguments += ["--requirements", str(tmp_path / "requirements.txt")]
        text = conf(*arguments).output
        assert " 'xgboost>=2,<3' networkx scikit-learn 'scipy>=1.10'" in text


def test_requirements_are_packages_only(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("--extra-index-url https://x\n")
    result = conf("--for", "emr", "--requirements", str(tmp_path / "requirements.txt"))
    assert result.exit_code == 1
    assert "has the option '--extra-index-url https://x'; name packages only" in result.output


def test_the_first_line_has_the_command() -> None:
    text = conf("--for", "yarn", "--device", "cpu", "--memory", "12g").output
    assert "# Made by: broadhead conf --for yarn --device cpu --memory 12g\n" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--for", "slurm"], "no platform is named 'slurm'; choose one of connect, databricks, "),
        (["--for", "yarn", "--image", "x"], "--image has no meaning for yarn, which has --cores"),
        (["--for", "databricks", "--packages", "x"], "--packages has no meaning for databricks"),
        (["--packages", "x"], "--packages: only with --for PLATFORM"),
        (["--for", "yarn", "--file", "x"], "yarn has no file 'x'; it has capacity-scheduler.xml"),
        (["--for", "yarn", "--memory", "much"], "memory 'much' is not a whole number"),
        (["--for", "yarn", "--args"], "--args is not for a platform"),
        (["--cores", "2"], "--cores: only with --for PLATFORM"),
    ],
)
def test_what_cannot_be_is_one_sentence(arguments: list[str], message: str) -> None:
    result = conf(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {message}")
    assert len(result.output.splitlines()) == 1


def test_help_lists_the_platforms() -> None:
    assert f"{', '.join(platforms())}." in " ".join(conf("--help").output.split())
