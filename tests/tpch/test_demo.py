"""``broadhead demo``, as a user starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MAIN = "from broadhead.cli.main import main; main()"


def demo(*arguments, folder):
    return subprocess.run(
        [sys.executable, "-c", MAIN, "demo", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_demo_writes_table_json_and_page(tmp_path, tpch_root):
    done = demo(
        *("--scale", "0.01", "--queries", "1,13", "--runs", "1", "--json", "out/demo.json"),
        *("--data", str(tpch_root), "--memory", "1g", "--cores", "2"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not comparable to published" in " ".join(done.stdout.split())
    document = json.loads((tmp_path / "out" / "demo.json").read_text(encoding="utf-8"))
    assert [query["query"] for query in document["queries"]] == [1, 13]
    for query in document["queries"]:
        assert query["equal"] is True
        assert query["ratio"] == pytest.approx(query["spark_s"] / query["broadhead_s"], rel=0.05)
        assert 1 <= query["accelerated"] <= query["total"]
        assert query["reasons"] or query["accelerated"] == query["total"]
    assert document["total_ratio"] > 0
    assert "<svg" in (tmp_path / "demo.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--queries", "1,99"), "there is no TPC-H query 99"),
        (("--queries", "first"), "'first' is no query number"),
        (("--scale", "0"), "0"),
        (("--conf", "novalue", "--scale", "0.01"), "KEY=VALUE"),
    ],
)
def test_wrong_options_are_named(arguments, message, tmp_path):
    done = demo(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
