"""The smallest container in which a query of TPC-H ends: plain Spark's, and with Broadhead.

    python benchmarks/small_containers.py --output FILE [1 3 9 18 21]

Each query runs in an application of its own, in a cgroup, first in the smallest container and then
in larger ones until it ends without a killed process. Needs the right to make cgroups.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine import commit, machine, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
"""The tests of memory have the program, and the cgroup that it runs in."""
HEAP = "1536m"
GIGABYTES = (1.5, 2.0, 2.5, 3.0, 3.5)
TIMEOUT = 600
ENABLED = {"spark": "false", "broadhead": "true"}


def run_one(query: str, engine: str, gigabytes: float, data: Path) -> dict[str, Any]:
    """What happened to a query in a container; its seconds are those of the query alone."""
    from memory_container import run_limited

    with tempfile.TemporaryDirectory() as folder:
        keys = {
            "spark.local.dir": folder,
            "spark.broadhead.device": "cpu",
            "spark.broadhead.enabled": ENABLED[engine],
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": Path(folder).as_uri(),
            "spark.eventLog.rolling.enabled": "false",
        }
        options = " ".join(f"--conf {key}={value}" for key, value in keys.items())
        environment = os.environ | {
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_SUBMIT_ARGS": f"--driver-memory {HEAP} {options} pyspark-shell",
            "PYTHONPATH": str(TESTS),
        }
        program = [sys.executable, str(TESTS / "tpch" / "memory_program.py"), str(data), query]
        ended = run_limited(program, int(gigabytes * 1e9), environment, TIMEOUT)
        answers = [line.split()[1] for line in ended.output.splitlines() if line.startswith(query)]
        complete = ended.status == 0 and ended.kills == 0 and bool(answers)
        found: dict[str, Any] = {
            "gigabytes": gigabytes,
            "complete": complete,
            "status": ended.status,
            "kills": ended.kills,
        }
        if complete:
            found |= {"peak": ended.peak, "answer": answers[-1]} | of_log(folder)
        return found


def of_log(folder: str) -> dict[str, Any]:
    """Seconds and spilled bytes of the last query, in the application's event log."""
    from broadhead.event_logs.application import ApplicationReader
    from broadhead.event_logs.logs import find_logs
    from broadhead.event_logs.summary import summarize

    (log,) = find_logs([folder], {})
    query = summarize(ApplicationReader(log)).queries[-1]
    return {"seconds": query.wall_ms / 1000, "spilled": query.disk_spilled}


def smallest(query: str, engine: str, data: Path) -> list[dict[str, Any]]:
    """The runs of a query, of which the last one may have ended well."""
    runs = []
    for gigabytes in GIGABYTES:
        runs.append(run_one(query, engine, gigabytes, data))
        print(f"Q{query} {engine}: {runs[-1]}", flush=True)
        if runs[-1]["complete"]:
            break
    return runs


def measure(queries: Sequence[str], data: Path, output: Path) -> None:
    """Write the runs of all queries, those so far after each."""
    results: dict[str, dict[str, Any]] = {}
    for query in queries:
        results[query] = {engine: smallest(query, engine, data) for engine in ENABLED}
        document = {
            "machine": machine(),
            "versions": versions(),
            "commit": commit(ROOT),
            "heap": HEAP,
            "queries": results,
        }
        output.write_text(json.dumps(document, indent=1) + "\n")


def main() -> None:
    """Measure the queries, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", nargs="*", default=["1", "3", "9", "18", "21"], metavar="query")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    from broadhead.demo.data import make_data
    from broadhead.jar import jar_path
    from memory_container import can_limit
    from tpch.memory_program import SCALE

    jar_path()  # A jar that does not fit is no lack of memory.
    if not can_limit():
        parser.error("this machine does not allow to make a cgroup")
    measure(options.queries, make_data(ROOT / ".data" / "tpch", SCALE), options.output)


if __name__ == "__main__":
    main()
