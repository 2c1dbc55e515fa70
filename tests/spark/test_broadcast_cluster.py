"""Broadcasts in executors: Spark's joins read them too, and no file holds their rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.cluster_programs import RunInSession, run_program
from sql_runs import is_nightly

ROWS = 100_000
PROGRAM = """
spark.conf.set("spark.sql.shuffle.partitions", "2")
spark.conf.set("spark.sql.files.maxPartitionBytes", "200k")
for name in ("facts", "shops"):
    spark.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
for case, value in (("engine", "id"), ("replay", "9223372036854775807 - id div 1000000")):
    frame = spark.sql(f"SELECT region, max({value}), count(*) FROM facts JOIN shops USING (shop) "
                      "GROUP BY region ORDER BY region")
    results[case] = [list(row) for row in frame.collect()]
    results[case + " plan"] = "BroadheadBroadcastExchange" in str(
        frame._jdf.queryExecution().executedPlan())
local = Path(spark.sparkContext.getConf().get("spark.local.dir"))
results["files"] = [p.name for p in local.rglob("*broadcast*") if p.is_file()]
"""


@pytest.mark.xdist_group("two executors")
def test_a_broadcast_reaches_both_executors(tmp_path: Path, two_executors: RunInSession) -> None:
    numbers = pa.array(range(ROWS), pa.int64())
    shops = pa.array([n % 100 for n in range(ROWS)], pa.int64())
    pq.write_table(
        pa.table({"id": numbers, "shop": shops}), tmp_path / "facts.parquet", row_group_size=10_000
    )
    keys = pa.array(range(100), pa.int64())
    regions = pa.array([n % 3 for n in range(100)], pa.int64())
    pq.write_table(pa.table({"shop": keys, "region": regions}), tmp_path / "shops.parquet")
    results = two_executors(tmp_path, PROGRAM)
    counts = [sum(1 for n in range(ROWS) if n % 100 % 3 == r) for r in range(3)]
    highest = [max(n for n in range(ROWS - 300, ROWS) if n % 100 % 3 == r) for r in range(3)]
    assert results["engine"] == [[r, highest[r], counts[r]] for r in range(3)]
    assert [row[2] for row in results["replay"]] == counts
    assert results["engine plan"]
    assert results["replay plan"]
    assert results["files"] == []


OUTER = """
spark.conf.set("spark.sql.files.maxPartitionBytes", "20k")
for name in ("facts", "shops"):
    spark.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
MOST = 2 ** 63 - 1
for adaptive in ADAPTIVE:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    for case, value, condition in (
        ("engine", "coalesce(id, shop)", "id < shop * 40 - 3000"),
        ("replay", f"if(coalesce(id, shop) % 2 = 0, {MOST}, -{MOST})", "id + shop < 0"),
    ):
        def frame():
            return spark.sql(f"SELECT /*+ BROADCAST(s) */ sum({value}), count(id), count(shop) "
                             f"FROM facts f FULL JOIN shops s ON {condition}")
        found = frame()
        equal = rows(found) == by_spark(frame)
        plan = str(found._jdf.queryExecution().executedPlan())
        results[f"{case} {adaptive}"] = [equal, "BroadheadBroadcastNestedLoopJoin" in plan]
"""


@pytest.mark.nightly
@pytest.mark.xdist_group("two executors")
def test_executors_hear_of_each_others_matches(tmp_path: Path, two_executors: RunInSession) -> None:
    numbers = pa.array(range(20_000), pa.int64())
    pq.write_table(pa.table({"id": numbers}), tmp_path / "facts.parquet", row_group_size=2_000)
    shops = pa.table({"shop": pa.array(range(100), pa.int64())})
    pq.write_table(shops, tmp_path / "shops.parquet")
    adaptive = ("true", "false") if is_nightly() else ("true",)
    results = two_executors(tmp_path, f"ADAPTIVE = {adaptive!r}\n{OUTER}")
    assert len(results) == 2 * len(adaptive)
    assert all(result == [True, True] for result in results.values()), results


REFUSING = """
spark = start("local-cluster[1,1,1024]", **{
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrationRequired": "true",
})
for name in ("facts", "shops"):
    layout = {"facts": "id LONG, shop LONG", "shops": "shop LONG, region LONG"}[name]
    spark.read.schema(layout).parquet(str(folder / f"{name}.parquet")) \\
        .createOrReplaceTempView(name)
for case, join in (("hash", "JOIN shops s ON f.shop = s.shop"),
                   ("loop", "LEFT JOIN shops s ON f.shop < s.region")):
    frame = lambda: spark.sql(
        "SELECT /*+ BROADCAST(s) */ coalesce(region, 9) AS r, count(*), sum(id) "
        f"FROM facts f {join} GROUP BY 1")
    found = frame()
    equal = rows(found) == by_spark(frame)
    plan = str(found._jdf.queryExecution().executedPlan())
    results[case] = [equal, "BroadheadBroadcastExchange" in plan]
"""


@pytest.mark.nightly  # the same broadcasts, with a rare setting and so an application of its own
def test_kryo_may_refuse_classes_that_it_was_not_told_of(tmp_path: Path) -> None:
    shops = pa.array([n % 40 for n in range(2_000)], pa.int64())
    numbers = pa.array(range(2_000), pa.int64())
    pq.write_table(pa.table({"id": numbers, "shop": shops}), tmp_path / "facts.parquet")
    keys = pa.array(range(30), pa.int64())
    regions = pa.array([n % 3 for n in range(30)], pa.int64())
    pq.write_table(pa.table({"shop": keys, "region": regions}), tmp_path / "shops.parquet")
    assert run_program(REFUSING, tmp_path) == {"hash": [True, True], "loop": [True, True]}
