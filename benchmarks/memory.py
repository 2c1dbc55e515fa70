"""Operators on inputs far larger than their memory: the worker's peak, what it spilled, the answer.

    python benchmarks/memory.py --scale 1 --memory 64m [sort window ...]

Each operator gets all of a table in one task. Its rows are written as Parquet, once by Spark and
once by Broadhead, and compared by count and hashes; sorted ones by their order too.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worker_memory import forget_peaks, peaks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).resolve().parents[1]
ITEMS = "l_orderkey, l_linenumber, l_partkey, l_quantity, l_shipmode, l_comment"
JOIN = (
    "SELECT /*+ {hint}(m) */ l.l_orderkey, l.l_linenumber, l.l_comment, m.l_shipmode, m.l_quantity "
    "FROM lineitem l JOIN lineitem m "
    "ON l.l_orderkey = m.l_orderkey AND l.l_linenumber = m.l_linenumber"
)
HASH_JOIN = "SHUFFLE_HASH"
QUERIES = {
    "sort": f"SELECT {ITEMS} FROM lineitem SORT BY l_comment, l_orderkey, l_linenumber",
    "aggregate": "SELECT l_comment, l_orderkey, count(*) AS n, sum(l_quantity) AS q, "
    "max(l_shipmode) AS s FROM lineitem GROUP BY l_comment, l_orderkey",
    "merge-join": JOIN.format(hint="MERGE"),
    "hash-join": JOIN.format(hint=HASH_JOIN),
    "window": f"SELECT {ITEMS}, row_number() OVER w AS n, sum(l_quantity) OVER w AS q FROM lineitem"
    " WINDOW w AS (PARTITION BY l_partkey % 3 ORDER BY l_comment, l_orderkey, l_linenumber)",
    "shuffle": f"SELECT /*+ REPARTITION(8, l_comment) */ {ITEMS} FROM lineitem",
    "expand": "SELECT l_comment, l_shipmode, count(*) AS n FROM lineitem "
    "GROUP BY ROLLUP (l_comment, l_shipmode)",
    "top": f"SELECT {ITEMS} FROM lineitem ORDER BY l_comment, l_orderkey, l_linenumber "
    "LIMIT 1000000",
}


def start(memory: str, local: Path) -> SparkSession:
    """A session whose tasks run one after the other, each on a whole table."""
    from pyspark.sql import SparkSession

    import broadhead

    builder = SparkSession.builder.master("local[1]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "4g",
        "spark.local.dir": str(local),
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.files.maxPartitionBytes": "16g",
        "spark.sql.files.openCostInBytes": "1",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.broadhead.device": "cpu",
        "spark.broadhead.costModel.enabled": "false",
        "spark.broadhead.operatorMemory": memory,
    }.items():
        builder = builder.config(key, value)
    return broadhead.configure(builder).getOrCreate()


def spilled(session: Any) -> list[str]:
    """What each operator of the last execution has spilled, in Spark's words."""
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    store = session._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    execution = executions.apply(executions.size() - 1)
    values = store.executionMetrics(execution.executionId())
    metrics = execution.metrics()
    # Adaptive execution lists an operator's metric once for each plan that it has made.
    found = {}
    for number in range(metrics.size()):
        metric = metrics.apply(number)
        value = values.get(metric.accumulatorId())
        if metric.name() == "spill size" and value.isDefined():
            found[metric.accumulatorId()] = value.get().splitlines()[-1].split(" (")[0]
    return [text for text in found.values() if not text.startswith("0.0 ")]


def summary(session: SparkSession, folder: Path, *, ordered: bool) -> list[tuple[Any, ...]]:
    """Rows and hashes of what was written; with the place of each row where the order counts."""
    rows = session.read.parquet(str(folder))
    hashed = ["xxhash64(*) AS h"]
    if ordered:
        hashed = ["xxhash64(*, monotonically_increasing_id()) AS h"]
    return [
        tuple(row)
        for row in rows.selectExpr(*hashed)
        .selectExpr("count(*)", "sum(h % 1000000007)", "bit_xor(h)")
        .collect()
    ]


def by_spark(name: str) -> str:
    """The query as Spark can answer it: its own hash join has no memory for such a build side."""
    return QUERIES[name].replace(HASH_JOIN, "MERGE")


def measure(session: SparkSession, name: str, folder: Path) -> str:
    """A line with the figures of one operator."""
    jvm = session._jvm.java.lang.ProcessHandle.current().pid()
    found, seconds, peak, spills = {}, {}, 0, []
    for accelerated in (False, True):
        session.conf.set("spark.broadhead.enabled", str(accelerated).lower())
        path = folder / f"{name}-{accelerated}"
        frame: DataFrame = session.sql(QUERIES[name] if accelerated else by_spark(name))
        forget_peaks(jvm)
        started = time.perf_counter()
        frame.write.parquet(str(path))
        seconds[accelerated] = time.perf_counter() - started
        if accelerated:
            peak, spills = max(peaks(jvm)), spilled(session)
            session.conf.set("spark.broadhead.enabled", "false")
        found[accelerated] = summary(session, path, ordered=name in ("sort", "top"))
        shutil.rmtree(path)
    equal = "equal" if found[True] == found[False] else f"DIFFERENT: {found}"
    return (
        f"{name:12} peak {peak / 2**20:6.0f} MiB, spilled {', '.join(spills) or 'nothing'}, "
        f"{seconds[True]:.1f} s (Spark {seconds[False]:.1f} s), {found[True][0][0]} rows, {equal}"
    )


def main() -> None:
    """Print a line for each operator, then what was left behind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*", default=list(QUERIES), metavar="operator")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--memory", default="64m", help="spark.broadhead.operatorMemory")
    options = parser.parse_args()
    from broadhead.demo.data import make_data, register_views

    with tempfile.TemporaryDirectory() as scratch:
        session = start(options.memory, Path(scratch, "local"))
        register_views(session, make_data(ROOT / ".data" / "tpch", options.scale))
        for name in options.operators:
            print(measure(session, name, Path(scratch)), flush=True)
        left = [p for p in Path(scratch, "local").rglob("*") if "broadhead-" in p.name]
        print(f"files left: {', '.join(map(str, left)) or 'none'}")
        session.stop()


if __name__ == "__main__":
    main()
