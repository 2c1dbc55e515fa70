"""Programs that users write, and what comes out of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLUGIN = "io.broadhead.BroadheadPlugin"
SECONDS = 150
ROWS = [[key, sum(range(key, 1000, 3)), len(range(key, 1000, 3))] for key in range(3)]

QUERY = "SELECT k, sum(v) AS s, count(*) AS n FROM parquet.`{table}` WHERE v >= 0 GROUP BY k"

# What a user's program does; it knows nothing of Broadhead.
PROGRAM = """
import json, sys
from pyspark.sql import SparkSession

def report(spark, table):
    frame = spark.sql(f"SELECT k, sum(v) AS s, count(*) AS n FROM parquet.`{table}` "
                      "WHERE v >= 0 GROUP BY k")
    rows = sorted([list(row) for row in frame.collect()])
    plan = frame._explain_string() if not hasattr(frame, "_jdf") else (
        frame._jdf.queryExecution().explainString(
            spark._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("simple")))
    print("RESULT " + json.dumps({"rows": rows, "plan": plan, "argv": sys.argv}))
"""


@dataclass(frozen=True)
class Outcome:
    """What a program printed and how it ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def result(self) -> dict[str, Any]:
        for line in self.stdout.splitlines():
            if line.startswith("RESULT "):
                return json.loads(line.removeprefix("RESULT "))
        raise AssertionError(
            f"status {self.status}, no result\n{self.stdout}\n{self.stderr[-8000:]}"
        )

    def assert_accelerated(self) -> None:
        assert self.result["rows"] == ROWS
        plan = self.result["plan"]
        assert "BroadheadHashAggregate" in plan, plan
        assert "BroadheadFileSourceScan" in plan, plan
        assert "Broadhead" not in "\n".join(
            line for line in self.stderr.splitlines() if " WARN " in line or " ERROR " in line
        ), self.stderr[-8000:]

    def assert_plain(self) -> None:
        assert self.result["rows"] == ROWS
        assert "BroadheadHashAggregate" not in self.result["plan"]
