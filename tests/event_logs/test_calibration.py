"""benchmarks/event_log_calibration.py: several pairs of a log and results, and what it writes."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from broadhead.event_logs.estimate import IDLE, KINDS, SPARK, START
from launch.programs import ROOT

pytestmark = pytest.mark.xdist_group("event logs")


def results(path, suite, **seconds):
    rows = [
        {
            "measurement": name.replace("_", " "),
            "engines": {"spark": {"best_s": spark}, "broadhead": {"best_s": own}},
        }
        for name, (spark, own) in seconds.items()
    ]
    rows.append({"measurement": "failed", "engines": {"spark": {"best_s": 1.0}}})
    path.write_text(json.dumps({"suite": suite, "summary": rows}))
    return path


def calibrate(folder, *arguments):
    command = [sys.executable, ROOT / "benchmarks" / "event_log_calibration.py", *arguments]
    command += ["--output", folder / "calibration.json", "--outcomes", folder / "outcomes.json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", [False, True])
def test_suites_are_fitted_together_and_judged_apart(logs, tmp_path, missing) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("plain", "accelerated"):
        shutil.copy(logs.path(name), folder)
    first = results(tmp_path / "a.json", "tpch", sum_by_key=(2.0, 0.5), reflected=(1.0, 0.9))
    second = results(tmp_path / "b.json", "tpcds", sum_by_key=(4.0, 2.0))
    arguments = ["--log", folder, "--results", first, "--log", logs.path("plain")]
    if missing:
        done = calibrate(tmp_path, *arguments)
        assert done.returncode == 2
        assert "each --log is followed by its own --results" in done.stderr
        return
    done = calibrate(tmp_path, *arguments, "--results", second)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "calibration.json").read_text())
    assert set(document["ratios"]) == {START, IDLE, SPARK, *KINDS}
    assert document["outcomes"] == 3
    assert {name: suite["outcomes"] for name, suite in document["suites"].items()} == {
        "tpch": 2,
        "tpcds": 1,
    }
    outcomes = json.loads((tmp_path / "outcomes.json").read_text())
    assert [(each["suite"], each["query"], each["measured"]) for each in outcomes] == [
        ("tpch", "sum by key", 4.0),
        ("tpch", "reflected", 1.111),
        ("tpcds", "sum by key", 2.0),
    ]


def test_what_stays_with_spark_keeps_its_time(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    estimated_s = importlib.import_module("event_log_calibration").estimated_s
    half = np.full(1 + len(KINDS) + 1, 0.5)
    half[0] = 0.25
    mixed = {"parts": {"scan": 1.0, SPARK: 2.0, IDLE: 1.0}, "spark_s": 4.0}
    assert estimated_s(mixed, half) == 0.25 + 0.5 + 2.0 + 0.5
    assert estimated_s({"parts": {SPARK: 3.0, IDLE: 1.0}, "spark_s": 4.0}, half) == 4.0
