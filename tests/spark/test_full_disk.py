"""A local disk that is full: tasks that write no file run as ever."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark.cluster_programs import run_program

PROGRAM = """
import shutil
spark = start("local[2]")
spark.range(0, 20000, 1, 2).selectExpr("id", "id % 100 AS k", "concat('s', id % 7) AS s") \\
    .write.parquet(str(folder / "t"))
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
queries = {
    "rows": "SELECT id + k AS n, upper(s) FROM t WHERE k < 3",
    "broadcast": "SELECT /*+ BROADCAST(b) */ a.id, b.s FROM t a "
        "JOIN (SELECT * FROM t WHERE id < 50) b ON a.k = b.id",
    "sorted": "SELECT /*+ COALESCE(1) */ id FROM t SORT BY s, id DESC",
}
expected = {name: by_spark(lambda: spark.sql(sql)) for name, sql in queries.items()}
# Spark's own directories are there; after that the disk takes no further file.
(block_manager,) = (folder / "local").glob("blockmgr-*")
for number in range(64):
    (block_manager / f"{number:02x}").mkdir(exist_ok=True)
results["full"] = False
for number in range(10_000):
    try:
        (folder / "local" / f"filler {number}").touch()
    except OSError:
        results["full"] = True
        break

def total(plan, name):
    metric = plan.metrics().get(name)
    count = metric.get().value() if metric.isDefined() else 0
    children = plan.children()
    return count + sum(total(children.apply(n), name) for n in range(children.size()))

spark.conf.set("spark.sql.adaptive.enabled", "false")
for name, sql in queries.items():
    frame = spark.sql(sql)
    right = rows(frame) == expected[name]
    plan = frame._jdf.queryExecution().executedPlan()
    results[name] = [right, "Broadhead" in plan.toString(), total(plan, "replays")]
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with a disk of few files in `local`."""
    disk = tmp_path / "local"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=64m,nr_inodes=300,mode=700"]
    made = subprocess.run(
        ["mount", *options, "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(f"may not mount a disk: {made.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.nightly  # rare, and an application of its own
def test_tasks_that_write_no_file(small_disk: Path) -> None:
    """They are not even replayed."""
    found = run_program(PROGRAM, small_disk)
    assert found.pop("full")
    assert found == {name: [True, True, 0] for name in ("rows", "broadcast", "sorted")}
