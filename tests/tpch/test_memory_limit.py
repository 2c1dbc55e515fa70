"""With default settings, queries end in a container in which plain Spark ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from broadhead.demo.data import make_data
from memory_container import can_limit, run_limited
from tpch.memory_program import SCALE

MEBIBYTE = 1 << 20
BESIDE_JVM = {3338: "1274m", 2384: "379m"}
"""What workers get of a container; said to them where the kernel has no limit that shows it."""
SPARKS = {
    "18": "40e3a3b55d27975b",
    "21": "b3142d75a4a09e04",
    "9": "6bb2c9150f7abaf9",
    "window": "72c15c1aca35fa70",
}
"""Digests of plain Spark's rows, by the same program without the plugin in 3,338 MiB."""
SECONDS = 900


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TPC-H's tables, 1.5 GB."""
    return make_data(tmp_path_factory.mktemp("tpch"), SCALE)


@pytest.mark.parametrize("mebibytes", [3338, pytest.param(2384, marks=pytest.mark.nightly)])
def test_queries_end_in_a_small_container(data: Path, mebibytes: int, tmp_path: Path) -> None:
    """Plain Spark ends in these too; its rows are spilled from the heap."""
    program = Path(__file__).with_name("memory_program.py")
    keys = f"--conf spark.local.dir={tmp_path}"
    if not can_limit():
        keys += f" --conf spark.broadhead.memory={BESIDE_JVM[mebibytes]}"
    environment = dict(os.environ) | {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": f"{keys} pyspark-shell",
    }
    ended = run_limited(
        [sys.executable, str(program), str(data), *SPARKS],
        mebibytes * MEBIBYTE,
        environment,
        SECONDS,
    )
    assert ended.status == 0
    found = dict(line.split() for line in ended.output.splitlines() if line[:1] in "129w")
    assert found == SPARKS
    assert ended.kills == 0
    assert ended.peak < mebibytes * MEBIBYTE
