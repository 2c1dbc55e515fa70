"""Shuffles between executors: remote blocks, lost executors, damaged files, killed workers."""

from __future__ import annotations

from pathlib import Path

from spark.cluster_programs import run_program, shuffle_service

TABLES = """
spark = start("local-cluster[2,1,1024]", **{
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.files.maxPartitionBytes": "200k",
    "spark.task.maxFailures": "2",
    "spark.shuffle.io.retryWait": "100ms",
})
spark.conf.set("spark.broadhead.enabled", "false")
spark.range(0, 200000, 1, 8).selectExpr("id", "id % 1000 AS k", "id * 7 % 31 AS v") \\
    .write.parquet(str(folder / "t"))
spark.conf.set("spark.broadhead.enabled", "true")
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
JOIN = "SELECT v, count(*), sum(a.id) FROM t a " \\
    "JOIN (SELECT k, max(id) AS m FROM t GROUP BY k) b " \\
    "ON a.id = b.m GROUP BY v"
expected = by_spark(lambda: spark.sql(JOIN))
in_turn = lambda: spark.sql("SELECT k, sum(v) AS s FROM t GROUP BY k").repartition(3) \\
    .selectExpr("k + s AS x").groupBy("x").count()
expected_in_turn = by_spark(in_turn)
"""


def test_blocks_of_the_other_executor(tmp_path: Path) -> None:
    found = run_program(
        TABLES
        + """
frame = spark.sql(JOIN)
results["right"] = rows(frame) == expected
results["exchanges"] = len(exchanges(frame))
results["remote"] = sum(
    e.metrics().apply("remoteBlocksFetched").value() for e in exchanges(frame)) > 0
results["replays"] = sum(e.metrics().apply("replays").value() for e in exchanges(frame))
""",
        tmp_path,
    )
    assert found == {"right": True, "exchanges": 4, "remote": True, "replays": 0}


def test_executor_lost_behind_a_map_stage(tmp_path: Path) -> None:
    """Rows sent in turn, in no certain order, are all sent again: none twice, none lost."""
    found = run_program(
        TABLES
        + """
for name, make, right in (("join", lambda: spark.sql(JOIN), expected),
                          ("in turn", in_turn, expected_in_turn)):
    frame = make()
    write_shuffles(frame)
    before = executors(2)
    os.kill(before[0], signal.SIGKILL)
    results[name] = rows(frame) == right
    results[name + " executors"] = len(before)
""",
        tmp_path,
    )
    assert found == {"join": True, "join executors": 2, "in turn": True, "in turn executors": 2}


def test_damaged_and_missing_shuffle_files(tmp_path: Path) -> None:
    """Spark makes the files again, wherever the task runs that finds out."""
    found = run_program(
        TABLES
        + """
def damage(path):
    data = bytearray(path.read_bytes())
    for position in range(30, len(data), 50):
        data[position] ^= 0xff
    path.write_bytes(data)

def cut(path):
    path.write_bytes(path.read_bytes()[:10])

for name, change in (("damaged", damage), ("cut", cut), ("missing", Path.unlink)):
    frame = spark.sql(JOIN)
    write_shuffles(frame)
    files = {e.shuffleId(): list((folder / "local").rglob(f"shuffle_{e.shuffleId()}_*.data"))
             for e in exchanges(frame)}
    last = files[max(files)]
    for path in (path for paths in files.values() for path in paths[::3]):
        change(path)
    results[name + " files"] = all(files.values())
    results[name] = rows(frame) == expected
""",
        tmp_path,
    )
    assert found == dict.fromkeys(
        [f"{name}{end}" for name in ("damaged", "cut", "missing") for end in ("", " files")], True
    )


def test_worker_killed_while_it_writes_a_shuffle(tmp_path: Path) -> None:
    """The rows come again from below, and no temporary file stays behind."""
    found = run_program(
        TABLES
        + """
marker = folder / "killed"
def kill_once(batches):
    from pathlib import Path
    import os, signal
    above = lambda pid: int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    for batch in batches:
        if not marker.exists():
            marker.touch()
            for entry in Path("/proc").iterdir():
                pid = int(entry.name) if entry.name.isdigit() else os.getpid()
                try:
                    if pid != os.getpid() and above(pid) == os.getppid():
                        os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        yield batch
frame = spark.table("t").mapInArrow(kill_once, "id BIGINT, k BIGINT, v BIGINT").repartition(3, "k")
results["right"] = rows(frame) == by_spark(lambda: spark.table("t"))
results["killed"] = marker.exists()
results["exchanges"] = len(exchanges(frame))
results["files"] = [str(p) for p in (folder / "local").rglob("*")
                    if p.name.startswith("broadhead-") or ".data." in p.name]
""",
        tmp_path,
    )
    assert found == {"right": True, "killed": True, "exchanges": 1, "files": []}


def test_executor_lost_with_the_shuffle_service(tmp_path: Path) -> None:
    """The service of the host serves the files of an executor that is gone: nothing is repeated."""
    with shuffle_service() as port:
        found = run_program(
            TABLES.replace(
                "**{",
                '**{"spark.shuffle.service.enabled": "true", '
                f'"spark.shuffle.service.port": "{port}",',
            )
            + """
frame = spark.sql(JOIN)
write_shuffles(frame)
before = executors(2)
os.kill(before[0], signal.SIGKILL)
results["right"] = rows(frame) == expected
results["executors"] = len(before)
tracker = spark.sparkContext.statusTracker()
stages = [tracker.getStageInfo(n) for n in range(200)]
results["repeated"] = sum(stage.currentAttemptId > 0 for stage in stages if stage)
""",
            tmp_path,
        )
    assert found == {"right": True, "executors": 2, "repeated": 0}
