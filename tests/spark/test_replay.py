"""Workers that die, tasks that are killed, readers that stop early: the answer stays right."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers, plan_of
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 210_000


@pytest.fixture(scope="module")
def numbers(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """One file of many row groups, read by one task in many batches."""
    path = tmp_path_factory.mktemp("numbers") / "t.parquet"
    ids = pa.array(range(ROWS), pa.int64())
    table = pa.table({"id": ids, "k": pa.array([i % 100_003 for i in range(ROWS)], pa.int64())})
    pq.write_table(table, path, row_group_size=10_000)
    return answers.session.read.parquet(str(path))


@pytest.fixture
def small_batches(configuration: Callable[..., None]) -> None:
    configuration(
        spark__broadhead__batchRows="1000",
        spark__sql__files__openCostInBytes="1g",
        spark__sql__files__maxPartitionBytes="1g",
        # The function that kills workers is in one of Spark's own.
        spark__broadhead__operator__MapInArrow__enabled="false",
    )


def killing_once(marker: Path, columns: Sequence[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function over batches that kills the application's other workers at its first batch.

    It is sent to workers, which know nothing of this module: all it needs is in it.
    """

    def other_workers() -> Iterator[int]:
        parents: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
        jvm = parents[os.getppid()]
        for pid in parents.keys() - set(parents.values()) - {os.getpid()}:
            above = parents[pid]
            while above in parents and parents[above] != jvm:
                above = parents[above]
            if above in parents:
                yield pid

    def pass_on(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if not marker.exists():
                marker.touch()
                for pid in other_workers():
                    os.kill(pid, signal.SIGKILL)
            yield batch.select(columns)

    return pass_on


@pytest.mark.usefixtures("small_batches")
def test_worker_killed_behind_rows_that_are_gone(
    answers: Answers, numbers: DataFrame, tmp_path: Path
) -> None:
    """The rows that were given are skipped, the rest comes from Spark."""
    kill = killing_once(tmp_path / "killed", ["d", "k"])
    # More than the buffers of a socket hold, so that the worker has not ended when it is killed.
    wide = numbers.selectExpr("id * 2 AS d", "k", f"'{'x' * 300}' AS filler")
    frame = wide.mapInArrow(kill, "d BIGINT, k BIGINT")
    assert "Broadhead" in plan_of(frame)
    table = frame.toArrow()
    assert (tmp_path / "killed").exists()
    assert table.column("d").to_pylist() == list(range(0, 2 * ROWS, 2))
    assert replayed(frame) == 1


@pytest.mark.usefixtures("small_batches")
def test_worker_killed_behind_rows_of_a_scan_with_filters(
    answers: Answers, numbers: DataFrame, tmp_path: Path, configuration: Callable[..., None]
) -> None:
    """Spark's reader skips pages by the filters, the engine row groups: it cannot go on there."""
    configuration(
        spark__broadhead__costModel__enabled="false",
        spark__broadhead__operator__Filter__enabled="false",
        spark__broadhead__operator__Project__enabled="false",
    )
    folder = tmp_path / "pages"
    wide = pa.table({"id": range(200_000), "filler": ["x" * 300] * 200_000})
    folder.mkdir()
    pages = {"write_page_index": True, "data_page_size": 4096, "write_batch_size": 100}
    pq.write_table(wide, folder / "t.parquet", **pages)
    read = answers.session.read.parquet(str(folder)).where("id > 1500")
    frame = read.mapInArrow(killing_once(tmp_path / "killed", ["id"]), "id BIGINT")
    assert "BroadheadFileSourceScan" in plan_of(frame)
    with pytest.raises(Exception, match="failed after this task had returned rows"):
        frame.toArrow()
    assert (tmp_path / "killed").exists()


def test_worker_killed_before_it_gives_rows(answers: Answers, numbers: DataFrame) -> None:
    """Workers that stand still have given nothing when they die: Spark does their part.

    They die once, since Spark's rows need a worker too, that writes them for the shuffle.
    """
    frame = numbers.groupBy("k").count().agg({"count": "sum", "k": "sum"})
    numbers.groupBy("k").count().count()
    before = answers.worker_pids()
    assert before
    _signal(before, signal.SIGSTOP)

    def kill() -> None:
        deadline = time.monotonic() + 30
        while not _running_tasks(answers) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        _signal(before, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    rows = frame.collect()
    thread.join()
    assert replayed(frame) > 0, plan_of(frame)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        assert numbers.groupBy("k").count().agg({"count": "sum", "k": "sum"}).collect() == rows
    answers.same_rows(lambda _: numbers.where("id % 1000 = 3"))


def _signal(workers: set[int], number: signal.Signals) -> None:
    for pid in workers:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("take", [pytest.param(1, marks=pytest.mark.nightly), 5, 2500])
def test_a_limit_leaves_the_worker_reusable(
    answers: Answers, numbers: DataFrame, take: int
) -> None:
    frame = numbers.where("id % 2 = 0").selectExpr("id + 1 AS n")
    frame.limit(3).collect()
    before = answers.worker_pids()
    for _ in range(3):
        assert [r.n for r in frame.limit(take).collect()] == list(range(1, 2 * take, 2))
        assert len(frame.take(take)) == take
    assert answers.worker_pids() == before


@pytest.mark.usefixtures("small_batches")
def test_an_error_leaves_the_worker_reusable(answers: Answers, numbers: DataFrame) -> None:
    numbers.where("id > 3").count()
    before = answers.worker_pids()
    for _ in range(3):
        answers.same_error(lambda _: numbers.selectExpr("id div (id - 150000)"), "DIVIDE_BY_ZERO")
    assert answers.worker_pids() == before


@pytest.mark.parametrize("where", ["", "WHERE interval '1' day / (id - 3) > interval '0' day"])
def test_the_error_of_an_interval_names_its_place(
    answers: Answers, numbers: DataFrame, where: str
) -> None:
    """Spark has the place only in the code that it generates of whole stages."""
    numbers.createOrReplaceTempView("divisors")
    query = f"SELECT id, interval '2' year / (id - 5) FROM divisors {where}"
    answers.same_error(lambda spark: spark.sql(query), "== SQL (line 1, position")


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("interrupt", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_cancelled_job_stops_its_engine(
    answers: Answers, numbers: DataFrame, interrupt: bool
) -> None:
    context = answers.session.sparkContext
    many = numbers
    for _ in range(7):
        many = many.unionAll(many)
    failures: list[Exception] = []

    def run() -> None:
        context.setJobGroup("to cancel", "a long query", interruptOnCancel=interrupt)
        try:
            many.where("id % 2 = 0").groupBy("k").count().agg({"count": "sum"}).collect()
        except Exception as error:
            failures.append(error)

    from pyspark import InheritableThread

    thread = InheritableThread(target=run)
    thread.start()
    status = context.statusTracker()
    deadline = time.monotonic() + 30
    while not _running(status, "to cancel") and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    started = time.monotonic()
    context.cancelJobGroup("to cancel")
    thread.join(30)
    assert not thread.is_alive()
    while (_running_tasks(answers) or _busy(answers)) and time.monotonic() < started + 10:
        time.sleep(0.05)
    assert time.monotonic() < started + 8, "the engine went on after its task was killed"
    assert "cancel" in str(failures[0]).lower()
    answers.same_rows(lambda _: numbers.where("id % 1000 = 3"))


def _running(status: Any, group: str) -> bool:
    stages = [
        stage for job in status.getJobIdsForGroup(group)
        for stage in (status.getJobInfo(job).stageIds if status.getJobInfo(job) else [])
    ]  # fmt: skip
    infos = [status.getStageInfo(stage) for stage in stages]
    return any(info and info.numActiveTasks for info in infos)


def _busy(answers: Answers) -> bool:
    """Whether a worker uses a processor: its time grows."""

    def ticks() -> int:
        fields = [_status(pid) for pid in answers.worker_pids()]
        return sum(int(field[11]) + int(field[12]) for field in fields if field)

    before = ticks()
    time.sleep(0.3)
    return ticks() > before + 5


def _status(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _running_tasks(answers: Answers) -> int:
    store = answers.session.sparkContext._jsc.sc().statusStore()
    return int(store.executorSummary("driver").activeTasks())


def test_a_replayed_task_is_counted(answers: Answers, folder: Path) -> None:
    """One of three files holds what the engine leaves to Spark."""
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int64())}), folder / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([3, 4], pa.int32())}), folder / "2.parquet")
    unsigned = pa.table({"a": pa.array([5], pa.uint64())})
    # Spark fails at a dictionary of unsigned numbers that are read as BIGINT.
    pq.write_table(unsigned, folder / "3.parquet", use_dictionary=False)
    read = answers.session.read.schema("a BIGINT").parquet(str(folder))
    with configured(answers.session, {"spark.sql.files.openCostInBytes": "128m"}):
        answers.same_rows(lambda _: read.where("a > 1"), replays=1)
        answers.same_rows(lambda _: read.agg({"a": "sum"}), replays=1)


def test_a_cached_result_of_a_fragment(answers: Answers, numbers: DataFrame) -> None:
    cached = numbers.where("id % 5 = 0").groupBy("k").count().cache()
    try:
        answers.same_rows(lambda _: cached.where("count > 0"))
        answers.same_rows(lambda _: cached.agg({"count": "sum"}))
    finally:
        cached.unpersist()


def test_a_replay_of_nested_columns_in_many_batches(answers: Answers, folder: Path) -> None:
    rows = 12_000
    structs = pa.array([{"x": i, "y": [str(i)]} if i % 3 else None for i in range(rows)])
    maps = pa.array([[("a", {"z": i})] for i in range(rows)], pa.map_(pa.string(), structs_of_z()))
    unsigned = pa.array([7] * rows, pa.uint64())
    table = pa.table({"u": unsigned, "s": structs, "m": maps})
    # Spark itself cannot read unsigned integers as BIGINT out of a dictionary.
    pq.write_table(table, folder / "t.parquet", use_dictionary=False)
    schema = "u BIGINT, s STRUCT<x: BIGINT, y: ARRAY<STRING>>, m MAP<STRING, STRUCT<z: BIGINT>>"
    read = answers.session.read.schema(schema).parquet(str(folder))
    answers.same_rows(lambda _: read.where("u > 1"), replays=1)


@pytest.mark.usefixtures("small_batches")
def test_a_window_that_fails_behind_its_first_batches(answers: Answers, numbers: DataFrame) -> None:
    """Rows are held back in a task that has no further attempt: Spark can still answer alone."""
    numbers.createOrReplaceTempView("numbers")
    # The last key is the last in the order of windows; its values do not fit together.
    largest = "SELECT k, id, IF(k = 100002, 9223372036854775807L, id) AS v FROM numbers"
    frame = answers.session.sql(f"SELECT k, id, try_sum(v) OVER (PARTITION BY k) FROM ({largest})")
    rows = sorted(map(str, frame.collect()))
    assert replayed(frame) > 0, plan_of(frame)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        assert sorted(map(str, frame.select("*").collect())) == rows


def structs_of_z() -> pa.DataType:
    return pa.struct([("z", pa.int64())])
