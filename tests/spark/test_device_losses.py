"""The process of an executor's GPU is killed or short of memory; it computes on pyarrow here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broadhead.worker.device import gpu_possible
from spark.device_programs import QUERIES, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(gpu_possible(), reason="this host has a GPU of its own")


def test_rows_of_a_dead_process_are_computed_again(tmp_path: Path) -> None:
    found = run(
        """
make = lambda: spark.sql("SELECT k, count(*), sum(id) FROM t GROUP BY k")
frame = make()
right = by_spark(make)
results["first"] = rows(frame) == right
(killed,) = processes()
os.kill(killed, signal.SIGKILL)
while Path(f"/proc/{killed}").exists() and killed in processes():
    time.sleep(0.05)
results["second"] = rows(frame) == right
results["processes"] = len(processes())
""",
        tmp_path,
    )
    assert found == {"first": True, "second": True, "processes": 1}


def test_a_process_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    found = run(
        """
make = lambda: spark.sql("SELECT k, count(*), sum(id) FROM t GROUP BY k")
right = by_spark(make)
results["rows"] = [rows(make()) == right]
for _ in range(3):
    (killed,) = processes()
    os.kill(killed, signal.SIGKILL)
    while killed in processes():
        time.sleep(0.05)
    results["rows"].append(rows(make()) == right)
results["processes"] = processes()
""",
        tmp_path,
    )
    assert found == {"rows": [True] * 4, "processes": []}


def test_rows_are_right_while_the_process_is_killed(tmp_path: Path) -> None:
    found = run(
        f"""
import threading
spark.conf.set("spark.broadhead.strict", "false")
queries = {[QUERIES["aggregate"], QUERIES["join"], QUERIES["window"]]!r}
expected = [by_spark(lambda: spark.sql(query)) for query in queries]
killed, done = [], threading.Event()
def kill():
    while not done.wait(0.3):
        for pid in processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
thread = threading.Thread(target=kill)
thread.start()
results["right"] = []
while len(set(killed)) < 3 and len(results["right"]) < 50:
    results["right"].append([rows(spark.sql(query)) for query in queries] == expected)
done.set()
thread.join()
results["killed"] = len(set(killed))
""",
        tmp_path,
    )
    assert all(found["right"])
    assert found["killed"] >= 3


def test_rows_give_way_when_memory_is_short(tmp_path: Path) -> None:
    """A process without a GPU keeps 256 MiB; each of these shuffles has 150 MiB."""
    found = run(
        """
import threading
seen, done = set(), threading.Event()
def watch():
    while not done.wait(0.02):
        seen.update(map(str, (folder / "local").rglob("kept-*")))
threading.Thread(target=watch, daemon=True).start()
moved = f"SELECT /*+ REPARTITION(3, id) */ id FROM range(0, {20_000_000}, 1, 4)"
first = spark.sql(f"SELECT count(*), sum(id), min(id) FROM ({moved})")
second = spark.sql(f"SELECT count(*), max(id) FROM ({moved})")
total = 20_000_000 * 19_999_999 // 2
results["first"] = rows(first) == [f"Row(count(1)=20000000, sum(id)={total}, min(id)=0)"]
results["second"] = rows(second) == ["Row(count(1)=20000000, max(id)=19999999)"]
results["files of ended queries"] = sorted(seen)
results["first again"] = rows(first) == [f"Row(count(1)=20000000, sum(id)={total}, min(id)=0)"]
seen.clear()
both = spark.sql(f"SELECT count(*), sum(id) FROM ({moved} UNION ALL {moved.replace('3', '5')})")
results["both"] = rows(both) == [f"Row(count(1)=40000000, sum(id)={2 * total})"]
results["files of a query that needs them"] = len(seen) > 0
rows(spark.sql("SELECT k, count(*) FROM t GROUP BY k"))
results["files left"] = len(list((folder / "local").rglob("kept-*")))
done.set()
""",
        tmp_path,
    )
    assert found == {
        "first": True,
        "second": True,
        "files of ended queries": [],
        "first again": True,
        "both": True,
        "files of a query that needs them": True,
        "files left": 0,
    }
