"""Programs on a host that Spark takes for one with a GPU: its process computes on pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.cluster_programs import run_program

PROGRAM = (
    f"sys.path.append({str(Path(__file__).parents[1])!r})"
    + """
import subprocess

spark = start("local[2]", **{
    "spark.broadhead.device": "gpu",
    "spark.sql.adaptive.enabled": "false", "spark.broadhead.strict": "true",
})
from local_session import report_gpu
from sql_sessions import metric_total
report_gpu(spark)

def processes():
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()]
    return [int(pid) for pid, args in lines if f"broadhead.device" in args and " -m " in args
            and Path(f"/proc/{pid}/stat").read_text().split()[3] == str(jvm)]

rows = lambda frame: sorted(map(str, frame.collect()))
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
files = lambda: {str(found) for found in (folder / "local").rglob("shuffle_*.data")}

path = str(folder / "t")
spark.conf.set("spark.broadhead.enabled", "false")
spark.range(0, 30_000, 1, 4).selectExpr(
    "id", "id % 37 AS k", "IF(id % 5 = 0, null, concat('t', id % 100)) AS t",
    "CAST(id AS DECIMAL(30, 2)) AS wide", "id % 2 = 0 AS even", "ARRAY(id, null) AS list",
).write.parquet(path)
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(path).createOrReplaceTempView("t")
"""
)

QUERIES = {
    "aggregate": "SELECT k, count(*), sum(id), max(t), sum(wide) FROM t GROUP BY k",
    "join": "SELECT /*+ SHUFFLE_HASH(b) */ a.k, count(b.t), min(b.even) FROM t a JOIN t b "
    "ON a.id = b.id + 5 GROUP BY a.k",
    "empty": "SELECT k, count(*) FROM t WHERE id < 0 GROUP BY k",
    "no columns": "SELECT count(*) FROM (SELECT /*+ REPARTITION(4) */ k FROM t)",
    "nested": "SELECT list FROM (SELECT /*+ REPARTITION(4, k) */ * FROM t) WHERE id < 100",
    "window": "SELECT t, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM t",
}


def run(body: str, folder: Path) -> dict[str, Any]:
    """The results of a program over the table t."""
    return run_program(PROGRAM + body, folder)
