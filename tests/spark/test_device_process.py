"""The process of an executor's GPU, as if this host had one: it computes on pyarrow."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broadhead.worker.device import gpu_possible
from spark.device_programs import QUERIES, run

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(gpu_possible(), reason="this host has a GPU of its own")


def eventually(found: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not found() and time.monotonic() < end:
        time.sleep(0.1)
    return found()


def test_rows_are_sparks_and_shuffled_rows_stay_in_the_process(tmp_path: Path) -> None:
    found = run(
        f"""
for name, query in {QUERIES!r}.items():
    results[name] = rows(spark.sql(query)) == by_spark(lambda: spark.sql(query))
make = lambda: spark.sql({QUERIES["aggregate"]!r})
frame = make()
before = files()
frame.collect()
results["new files"] = sorted(files() - before)
results["kept"] = metric_total(frame, "keptBytes") > 37 * 8
results["processes"] = len(processes())
results["socket"] = [str(found) for found in Path("/tmp").glob("broadhead-device-*/device")]
results["private"] = all(
    Path(found).parent.stat().st_mode & 0o777 == 0o700 for found in results["socket"])
""",
        tmp_path,
    )
    assert {name: found[name] for name in QUERIES} == dict.fromkeys(QUERIES, True)
    assert found["new files"] == []
    assert found["kept"]
    assert found["processes"] == 1
    assert found["private"]


def test_sparks_operators_get_a_file_of_rows_that_the_process_keeps(tmp_path: Path) -> None:
    """A join that stays with Spark reads the shuffle of a fragment."""
    found = run(
        """
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
spark.conf.set("spark.broadhead.operator.SortMergeJoin.enabled", "false")
spark.conf.set("spark.broadhead.strict", "false")
make = lambda: spark.sql("SELECT a.id, b.t FROM t a JOIN t b ON a.id = b.id * 3 WHERE a.k > 5")
results["right"] = rows(make()) == by_spark(make)
results["files"] = len(files())
""",
        tmp_path,
    )
    assert found["right"]
    assert found["files"] > 0


def test_a_broadcast_of_shuffled_rows_needs_no_file(tmp_path: Path) -> None:
    found = run(
        """
spark.conf.set("spark.sql.adaptive.enabled", "true")
spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
spark.conf.set("spark.sql.adaptive.autoBroadcastJoinThreshold", "10MB")
odd = (
    "CASE id % 5 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN NULL ELSE id / 7D END AS d"
)
of = lambda where: f"(SELECT id * 3 AS id, k, t, wide, even, {odd} FROM t WHERE {where})"
small, none = of("id % 11 = 0"), of("id < 0")
join = lambda side, kind, more="": (
    f"SELECT a.id, b.* FROM {side} b {kind} JOIN t a ON a.id = b.id {more}")
inner = join(small, "INNER")
queries = {
    "inner": inner, "outer": join(small, "LEFT", "AND a.k > 5"), "full": join(small, "RIGHT"),
    "nothing": join(none, "INNER"), "nothing outer": join(none, "RIGHT"),
    "count": f"SELECT count(*) FROM {small} b JOIN t a ON a.id = b.id",
    "odd keys": f"SELECT b.id, c.k FROM {small} b JOIN {small} c ON b.d = c.d",
}
results["equal"] = {}
for size in (131072, 3):
    spark.conf.set("spark.broadhead.batchRows", str(size))
    for name in queries if size > 3 else ("inner", "outer"):
        query = queries[name]
        equal = rows(spark.sql(query)) == by_spark(lambda: spark.sql(query))
        results["equal"][f"{name}, {size}"] = equal
spark.conf.unset("spark.broadhead.batchRows")
before = files()
frame = spark.sql(inner)
frame.collect()
results["new files"] = sorted(files() - before)
plan = frame._jdf.queryExecution().executedPlan().toString()
results["reads"] = [line.strip(" :+-*()0123456789") for line in plan.splitlines()]
""",
        tmp_path,
    )
    assert found["equal"] == dict.fromkeys(found["equal"], True)
    assert len(found["equal"]) == 9
    assert found["new files"] == []
    reads = found["reads"]
    exchange = next(i for i, line in enumerate(reads) if line.startswith("BroadheadBroadcastExc"))
    assert reads[exchange + 1].startswith(("BroadheadShuffleRead", "AQEShuffleRead")), reads


def test_one_task_reads_what_a_gpu_keeps_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    found = run(
        """
spark.conf.set("spark.sql.adaptive.enabled", "true")
spark.conf.set("spark.broadhead.enabled", "false")
many = str(folder / "many")
spark.range(0, 400_000, 1, 4).selectExpr("id", "id % 7 AS k").write.parquet(many)
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(many).createOrReplaceTempView("many")
tasks = lambda query: spark.sql(query).rdd.getNumPartitions()
distinct = "SELECT id, count(*) AS n FROM many GROUP BY id"
joined = "SELECT /*+ SHUFFLE_HASH(b) */ a.id FROM many a JOIN many b ON a.id = b.id + 1"
united = f"{distinct} UNION ALL SELECT k, count(*) FROM many GROUP BY id, k"
results["tasks"] = [tasks(distinct), tasks(joined), tasks(united)]
results["rebalanced"] = tasks("SELECT /*+ REBALANCE(k) */ * FROM many") > 1
results["right"] = rows(spark.sql(distinct)) == by_spark(lambda: spark.sql(distinct))
spark.conf.set("spark.sql.adaptive.coalescePartitions.parallelismFirst", "true")
results["chosen"] = tasks(distinct)
""",
        tmp_path,
    )
    assert found == {"tasks": [1, 1, 2], "rebalanced": True, "right": True, "chosen": 3}


def test_nothing_is_left_after_the_application(tmp_path: Path) -> None:
    found = run(
        """
rows(spark.sql("SELECT k, count(*) FROM t GROUP BY k"))
results["pids"] = processes()
results["sockets"] = [str(found.parent) for found in Path("/tmp").glob("broadhead-device-*/device")
    if str(found.parent) in Path(f"/proc/{processes()[0]}/cmdline").read_text()]
""",
        tmp_path,
    )
    assert len(found["pids"]) == 1
    assert len(found["sockets"]) == 1
    left = [Path("/proc", str(pid)) for pid in found["pids"]] + list(map(Path, found["sockets"]))
    assert eventually(lambda: not any(path.exists() for path in left))
