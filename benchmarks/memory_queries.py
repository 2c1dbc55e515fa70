"""The memory of all Python workers together in the 22 queries derived from TPC-H.

    python benchmarks/memory_queries.py --scale 10 --memory 4g --cores 2

Of each query the sum of the peaks of all workers, which they need not have had at the same time;
pages of mapped files count as well. The exit status is 1 where a query fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from worker_memory import forget_peaks, peaks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]


def start(cores: int, memory: str, local: Path) -> SparkSession:
    """A session with default settings, on the CPU."""
    from pyspark.sql import SparkSession

    import broadhead

    builder = SparkSession.builder.master(f"local[{cores}]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": memory,
        "spark.local.dir": str(local),
        "spark.broadhead.device": "cpu",
    }.items():
        builder = builder.config(key, value)
    return broadhead.configure(builder).getOrCreate()


def measure(session: SparkSession, number: int, scale: float) -> tuple[int, bool]:
    """Print a query's line; the bytes of all workers, and whether the query has failed."""
    from broadhead.demo.queries import load_query

    jvm = session._jvm.java.lang.ProcessHandle.current().pid()
    forget_peaks(jvm)
    started = time.perf_counter()
    failed = False
    try:
        outcome = f"{len(session.sql(load_query(number, scale).sql).collect())} rows"
    except Exception as error:
        outcome, failed = f"FAILED: {str(error).splitlines()[0]}", True
    seconds, found = time.perf_counter() - started, peaks(jvm)
    size = f"{sum(found) / 2**20:6.0f} MiB of {len(found)} processes"
    print(f"Q{number:<3} {size}, {seconds:.1f} s, {outcome}", flush=True)
    return sum(found), failed


def main() -> int:
    """Print a line for each query, then the most of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--memory", default="4g", help="of the JVM")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--data", type=Path, default=ROOT / ".data", help="folder of the tables")
    options = parser.parse_args()
    from broadhead.demo.data import make_data, register_views

    with tempfile.TemporaryDirectory() as scratch:
        session = start(options.cores, options.memory, Path(scratch))
        register_views(session, make_data(options.data / "tpch", options.scale))
        found = [measure(session, number, options.scale) for number in range(1, 23)]
        session.stop()
    print(f"most {max(size for size, _ in found) / 2**20:.0f} MiB")
    return int(any(failed for _, failed in found))


if __name__ == "__main__":
    sys.exit(main())
