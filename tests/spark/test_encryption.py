"""`spark.io.encryption.enabled`: no row lies on a disk in clear, while a query runs or after it."""

from __future__ import annotations

from pathlib import Path

from spark.cluster_programs import application
from sql_runs import is_nightly

MARKER = "this-row-is-secret"

QUERIES = {
    "aggregate": "SELECT s, count(*) AS n, max(id) AS m FROM t GROUP BY s",
    "sort": "SELECT id, s FROM t ORDER BY s, id",
    "join": "SELECT a.id, b.s FROM t a JOIN t b ON a.s = b.s WHERE a.id < 9000",
    "join by a condition": "SELECT a.id, b.s FROM t a JOIN u b ON a.s < b.s",
    "window": "SELECT id, s, count(*) OVER (PARTITION BY id % 2 ORDER BY s) AS n FROM t",
    "outer join by a condition": "SELECT a.id, b.s FROM t a FULL JOIN u b ON a.s < b.s",
    "cached": "SELECT s, id FROM c ORDER BY id",
}
BY_DAY = ["aggregate", "sort", "join", "window", "cached"]

WATCH = """
import threading

class Watch:
    # Collects the files below some folders that hold the marker, as long as it is entered.
    def __init__(self, folders):
        self.folders, self.found, self.stop = folders, set(), threading.Event()

    def look(self):
        for folder in self.folders:
            for path in folder.rglob("*"):
                with suppress(OSError):
                    if path.is_file() and MARKER in path.read_bytes():
                        self.found.add(path.name)

    def run(self):
        while not self.stop.is_set():
            self.look()
            # Else the query would wait for this thread.
            self.stop.wait(0.005)

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        self.thread.join()
        self.look()
"""

PROGRAM = """
rows = lambda frame: sorted(map(repr, frame.collect()))
temporary = folder / "tmp"
spark = start("local[2, 4]", **{
    "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={temporary}",
    "spark.executorEnv.TMPDIR": str(temporary),
    "spark.broadhead.operatorMemory": "1000",
    "spark.broadhead.batchRows": "500",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.io.encryption.enabled": "true"})
make = f"concat('{MARKER.decode()}', id % 700) AS s"
spark.range(0, 6000, 1, 2).selectExpr("id", make).write.parquet(str(folder / "t"))
spark.range(0, 5).selectExpr("id", make).write.parquet(str(folder / "u"))
for name in "tu":
    spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
spark.table("t").persist(__import__("pyspark").StorageLevel.DISK_ONLY).createOrReplaceTempView("c")
for name, query in QUERIES.items():
    frame = lambda: spark.sql(query)
    with Watch([folder / "local", temporary]) as watch:
        found = rows(frame())
    results[name] = {
        "right": found == by_spark(frame),
        "accelerated": broadhead.explain(frame()).accelerated > 0,
        "in clear": sorted({name.partition("-")[0] for name in watch.found}),
    }
"""


def test_nothing_lies_in_clear(tmp_path: Path) -> None:
    """Operators that would spill leave their task to Spark, whose spilled rows are encrypted."""
    (tmp_path / "tmp").mkdir()
    queries = QUERIES if is_nightly() else {name: QUERIES[name] for name in BY_DAY}
    head = f"MARKER, QUERIES = {MARKER.encode()!r}, {queries!r}\n"
    with application(tmp_path) as run:
        results = run(head + WATCH + PROGRAM)
    expected = {"right": True, "accelerated": True, "in clear": []}
    assert results == dict.fromkeys(queries, expected)
