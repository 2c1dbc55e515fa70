"""Executors on hosts with several GPUs: each computes on those that Spark has given to it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpus_stand_in import FIRST, SECOND, install
from spark.cluster_programs import application

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="GPUs are found as on Linux")

PROGRAM = """
spark = start(MASTER, **{
    "spark.broadhead.device": "gpu", "spark.broadhead.strict": "false",
    "spark.sql.files.maxPartitionBytes": "4k", "spark.sql.files.openCostInBytes": "4k",
    "spark.sql.adaptive.enabled": "false"} | KEYS)
with_executors = not MASTER.startswith("local[")
if with_executors:
    executors(int(MASTER.partition("[")[2].partition(",")[0]))
spark.range(0, 20_000, 1, 8).selectExpr("id", "id % 37 AS k").write.parquet(str(folder / "t"))
make = lambda: spark.read.parquet(str(folder / "t")).where("k < 30").selectExpr("id + 1")
right = by_spark(make)
results["right"] = rows(make()) == right
results["tasks"] = make().rdd.getNumPartitions()

def seen(ids):
    import os
    return ids.map(lambda _: os.environ.get("CUDA_VISIBLE_DEVICES", "all"))

from pyspark.sql.functions import pandas_udf
spark.conf.set("spark.broadhead.device", "cpu")
seen = pandas_udf(seen, "string")
table = spark.read.parquet(str(folder / "t"))
results["functions"] = sorted({row[0] for row in table.select(seen("id")).collect()})
"""

TURNS = """#!/bin/sh
mkdir "{folder}" 2>/dev/null && found='{first}' || found='{second}'
echo '{{"name": "gpu", "addresses": ['$found']}}'
"""
"""A discovery script for two workers of one host, of which each has its own GPUs."""


@dataclass(frozen=True)
class Seen:
    """What the workers of the GPUs have seen."""

    right: bool
    tasks: int
    functions: list[str]
    """What the user's functions on the CPU have as CUDA_VISIBLE_DEVICES."""
    workers: list[dict[str, str]]

    @property
    def devices(self) -> dict[str, set[str]]:
        """The devices of each executor."""
        found: dict[str, set[str]] = {}
        for worker in self.workers:
            found.setdefault(worker["executor"], set()).add(worker["CUDA_VISIBLE_DEVICES"])
        return found


def run(folder: Path, master: str, keys: dict[str, str]) -> Seen:
    """A query in an application on a host with two GPUs."""
    (folder / "files").mkdir()
    workers = install(folder / "modules")
    with application(folder / "files", [folder / "modules"]) as ask:
        found = ask(PROGRAM.replace("MASTER", repr(master)).replace("KEYS", repr(keys)))
    lines = workers.read_text().splitlines() if workers.exists() else []
    return Seen(
        found["right"], found["tasks"], found["functions"], [json.loads(line) for line in lines]
    )


def given(folder: Path, first: str, second: str, amount: int) -> dict[str, str]:
    """The keys with which executors get these addresses, and each task one."""
    script = folder / "gpus-of-worker"
    script.write_text(TURNS.format(folder=folder / "turn", first=first, second=second))
    script.chmod(0o755)
    return {
        "spark.worker.resource.gpu.amount": str(amount),
        "spark.worker.resource.gpu.discoveryScript": str(script),
        "spark.executor.resource.gpu.amount": str(amount),
        "spark.task.resource.gpu.amount": "1" if amount > 1 else "0.5",
    }


def test_each_executor_has_its_own(tmp_path: Path) -> None:
    """One address is an index, the other a UUID."""
    keys = given(tmp_path, '"1"', f'"{FIRST}"', amount=1)
    seen = run(tmp_path, "local-cluster[2,2,1024]", keys)
    assert seen.right
    assert sorted(map(sorted, seen.devices.values())) == [[FIRST], [SECOND]]
    assert seen.tasks == 8


def test_an_executor_with_two_addresses_uses_both(tmp_path: Path) -> None:
    keys = given(tmp_path, '"0", "1"', "", amount=2)
    seen = run(tmp_path, "local-cluster[1,2,1024]", keys)
    assert seen.right
    assert list(seen.devices.values()) == [{FIRST, SECOND}]
    assert seen.tasks == 8


def test_local_mode_uses_all(tmp_path: Path) -> None:
    seen = run(tmp_path, "local[2]", {})
    assert seen.right
    assert list(seen.devices.values()) == [{FIRST, SECOND}]
    assert seen.tasks == 8
    assert seen.functions == ["all"]


@pytest.mark.nightly  # by day launch/test_probe.py has the choice
def test_the_users_own_choice_is_all_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    seen = run(tmp_path, "local[2]", {})
    assert seen.right
    assert list(seen.devices.values()) == [{SECOND}]
    assert seen.tasks == 4
