"""Spark's own keys for compression, which shuffles and broadcasts of ours have to bear."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.cluster_programs import run_program

PROGRAM = """
spark = start("local-cluster[1,1,1024]", **{
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.broadcast.compress": "false",
    "spark.io.compression.codec": "zstd",
    "spark.sql.adaptive.enabled": "false",
})
spark.conf.set("spark.broadhead.enabled", "false")
spark.range(0, 20000, 1, 2).selectExpr("id", "id % 100 AS k", "repeat('text', id % 9) AS s") \\
    .write.parquet(str(folder / "t"))
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
make = lambda: spark.sql("SELECT /*+ BROADCAST(g) */ t.k, count(*), max(g.s), sum(g.n) FROM t "
    "JOIN (SELECT k, max(s) AS s, count(*) AS n FROM t GROUP BY k) g ON t.k = g.k GROUP BY t.k")
frame = make()
results["right"] = rows(frame) == by_spark(make)
results["shuffles"] = len(exchanges(frame))
results["broadcasts"] = len(nodes(
    frame._jdf.queryExecution().executedPlan(), "BroadheadBroadcastExchange"))
results["replays"] = sum(e.metrics().apply("replays").value() for e in exchanges(frame))
"""


@pytest.mark.nightly  # rare settings, for which a cluster must be started
def test_shuffles_and_broadcasts(tmp_path: Path) -> None:
    """The executor sends what is broadcast to the driver as this codec makes it."""
    found = run_program(PROGRAM, tmp_path)
    assert found == {"right": True, "shuffles": 2, "broadcasts": 1, "replays": 0}
