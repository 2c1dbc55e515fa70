"""With default settings, queries end in a container in which plain Spark ends."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.demo.data import make_data
from memory_container import can_limit, run_limited
from tpch.memory_cases import CASES, TEXT_CASES
from tpch.memory_program import SCALE

if TYPE_CHECKING:
    from collections.abc import Iterable

MEBIBYTE = 1 << 20
SMALL, LARGE = 2384, 12 << 10
CLUSTER = 6 << 10
BESIDE_JVM = {3338: "1274m", SMALL: "379m", LARGE: "4g", CLUSTER: "544m"}
PAIR = 2
"""What workers get of a container; said to them where the kernel has no limit that shows it."""
QUERIES = {
    "18": "40e3a3b55d27975b",
    "21": "b3142d75a4a09e04",
    "9": "6bb2c9150f7abaf9",
}
"""Digests of plain Spark's rows, by the same program without the plugin in 3,338 MiB."""
WINDOW = {"window": "72c15c1aca35fa70"}
SECONDS = 900
CLUSTER_KEYS = [
    "spark.executor.memory=1536m",
    # A host of eight processors, of which each worker and its executor have four.
    "spark.executor.extraJavaOptions=-XX:ActiveProcessorCount=8",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TPC-H's tables, 1.5 GB."""
    return make_data(tmp_path_factory.mktemp("tpch"), SCALE)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of long texts, 2 GB without compression."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "texts").mkdir()
    for file in range(8):
        keys = range(file * 25_000, (file + 1) * 25_000)
        halves = [sha256(str(key).encode()).hexdigest() * 80 for key in (*keys, keys.stop)]
        values = [left + right for left, right in pairwise(halves)]
        pq.write_table(pa.table({"k": keys, "t": values}), folder / "texts" / f"{file}.parquet")
    return folder


def answers(
    data: Path, names: Iterable[str], mebibytes: int, folder: Path, *keys: str, heap: str = "1536m"
) -> dict[str, str]:
    """The digests of the program's answers in local mode."""
    program = [str(Path(__file__).with_name("memory_program.py")), str(data)]
    return digests(program, names, mebibytes, heap, [f"spark.local.dir={folder}", *keys])


def digests(
    program: list[str], names: Iterable[str], mebibytes: int, heap: str, keys: list[str]
) -> dict[str, str]:
    """What a program prints; no process was killed, and all stayed below."""
    if not can_limit():
        keys = [*keys, f"spark.broadhead.memory={BESIDE_JVM[mebibytes]}"]
    options = " ".join(f"--conf {key}" for key in keys)
    environment = dict(os.environ) | {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": f"--driver-memory {heap} {options} pyspark-shell",
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    command = [sys.executable, *program, *names]
    ended = run_limited(command, mebibytes * MEBIBYTE, environment, SECONDS)
    assert ended.status == 0
    assert ended.kills == 0
    assert ended.peak < mebibytes * MEBIBYTE
    lines = [line.split() for line in ended.output.splitlines()]
    return {line[0]: line[1] for line in lines if len(line) == PAIR and line[0] in set(names)}


@pytest.mark.parametrize("mebibytes", [3338, pytest.param(SMALL, marks=pytest.mark.nightly)])
def test_queries_end_in_a_small_container(data: Path, mebibytes: int, tmp_path: Path) -> None:
    """Plain Spark ends in these too; its rows are spilled from the heap."""
    assert answers(data, QUERIES, mebibytes, tmp_path) == QUERIES


@pytest.mark.nightly
def test_a_window_over_all_rows_ends_in_a_small_container(data: Path, tmp_path: Path) -> None:
    assert answers(data, WINDOW, SMALL, tmp_path) == WINDOW


@pytest.mark.nightly
def test_queries_end_on_a_cluster_in_one_container(data: Path, tmp_path: Path) -> None:
    """The driver, the master, two workers, two executors and their Python workers."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(f"spark.local.dir {tmp_path}\n")
    program = [str(Path(__file__).with_name("memory_cluster_program.py")), str(tmp_path), str(data)]
    queries = {name: digest for name, digest in QUERIES.items() if name in ("18", "21")}
    assert digests(program, queries, CLUSTER, "1g", CLUSTER_KEYS) == queries


@pytest.mark.nightly
@pytest.mark.parametrize("name", CASES)
def test_skew_and_explosion_end_in_a_small_container(data: Path, name: str, tmp_path: Path) -> None:
    """One key with half of the rows, a million items a row, texts of 128 MB, and others."""
    found = answers(data, [name], SMALL, tmp_path)
    plain = "spark.broadhead.enabled=false"
    assert found == answers(data, [name], LARGE, tmp_path, plain, heap="6g")


@pytest.mark.nightly
@pytest.mark.parametrize("name", TEXT_CASES)
def test_long_texts_of_files_end_in_a_small_container(
    texts: Path, name: str, tmp_path: Path
) -> None:
    found = answers(texts, [name], SMALL, tmp_path)
    plain = "spark.broadhead.enabled=false"
    assert found == answers(texts, [name], LARGE, tmp_path, plain, heap="6g")
