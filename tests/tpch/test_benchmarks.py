"""benchmarks/run.py: engines, the results file, and engines that fail or hang."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = REPOSITORY / "benchmarks" / "run.py"
TABLE = REPOSITORY / "benchmarks" / "profile_table.py"


def bench(*arguments, folder):
    return subprocess.run(
        [sys.executable, str(RUN), "--cores", "2", "--memory", "1g", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def engine(folder, name, conf="", python=sys.executable):
    path = folder / f"{name}.toml"
    text = f'name = "{name}"\ndescription = "a test"\npython = "{python}"\n[conf]\n{conf}\n'
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.nightly
def test_engines_take_turns_and_every_run_is_kept(tmp_path, tpch_root):
    other = engine(tmp_path, "codegen-off", '"spark.sql.codegen.wholeStage" = "false"')
    done = bench(
        *("--engines", f"spark,{other}", "--scale", "0.01", "--queries", "6", "--runs", "2"),
        *("--data", str(tpch_root.parent), "--output", "result.json"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [(run["engine"], run["warmup"]) for run in result["runs"]] == [
        ("spark", True),
        ("codegen-off", True),
        ("spark", False),
        ("codegen-off", False),
        ("codegen-off", False),
        ("spark", False),
    ]
    figures = result["summary"][0]["engines"]
    assert figures["spark"]["ratio_best"] == 1.0
    assert figures["codegen-off"]["runs"] == 2
    assert result["profiles"]["Q6"]["spark"]["tasks"] > 0
    table = subprocess.run(
        [sys.executable, str(TABLE), str(tmp_path / "result.json"), "--engine", "spark"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert [line.split(" | ")[0] for line in table[2:]] == ["| Q6", "| all"]
    assert result["versions"]["spark"]["spark"].startswith("4.")
    assert result["machine"]["cores"]
    assert result["engines"]["spark"]["python"] == Path(sys.executable).name
    assert result["errors"] == []


@pytest.mark.nightly
def test_an_engine_that_does_not_start_is_an_error_and_the_rest_is_measured(tmp_path, tpch_root):
    broken = engine(tmp_path, "broken", '"spark.plugins" = "no.such.Plugin"')
    dead = engine(tmp_path, "dead", python="/bin/false")
    done = bench(
        *("--engines", f"spark,{broken},{dead}", "--scale", "0.01", "--queries", "6"),
        *("--runs", "1", "--data", str(tpch_root.parent), "--output", "result.json"),
        folder=tmp_path,
    )
    assert done.returncode == 1
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert {error["engine"] for error in result["errors"]} == {"broken", "dead"}
    assert set(result["summary"][0]["engines"]) == {"spark"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engines", "nothing"), "there is no engine 'nothing': choose from broadhead,"),
        (("--suite", "other"), "there is no suite 'other'"),
        (("--queries", "23"), "there is no TPC-H query 23"),
        (("--conf", "a"), "KEY=VALUE"),
        (("--runs", "0"), "--runs must be at least 1"),
    ],
)
def test_wrong_options_are_named(arguments, message, tmp_path):
    done = bench("--engines", "spark", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_unknown_keys_of_an_engine_are_named(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ndescription = "x"\njar = "y"\n', encoding="utf-8")
    done = bench("--engines", str(path), folder=tmp_path)
    assert done.returncode == 2
    assert "jar" in done.stderr
    assert "only conf, description" in done.stderr
