"""Asks Spark and Broadhead the same, and compares rows, errors, plans and metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kept_rows import coming_place, keeps_rows, next_place
from sql_sessions import (
    compare_with_kept,
    configured,
    kept_counts,
    replayed,
    rows_of_spark,
    spark_version,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    Make = Callable[[SparkSession], DataFrame]

CHANGING = re.compile(
    r"#\d+|\bTID \d+|\bstage \d+\.\d+|\bTask \d+|\btask \d+\.\d+|@[0-9a-f]{5,}|"
    r"executor (driver|\d+)|exception_id:\w+|Lambda\$\d+/0x[0-9a-f]+|"
    r"[^\s'\"]*/pytest-of-[^/]+/pytest-\d+(/popen-gw\d+)?"
)
"""What differs between two runs of one query."""


class Answers:
    """Compares what a session gives with and without Broadhead."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._known: dict[str, pa.Table] = {}

    def same_rows(
        self, make: Make, *, replays: int | None = 0, known_as: str | None = None
    ) -> DataFrame:
        """The frame that Broadhead ran, whose rows are Spark's; with so many tasks replayed.

        Calls with the same `known_as` ask Spark once, so its answer must be the same.
        """
        frame = compare_with_kept(
            self.session,
            lambda: make(self.session),
            None if known_as is None else lambda: self._rows_of_spark(make, known_as),
        )
        assert "Broadhead" in plan_of(frame), plan_of(frame)
        if replays is not None:
            assert replayed(frame) == replays, plan_of(frame)
        return frame

    def _rows_of_spark(self, make: Make, known_as: str) -> pa.Table:
        if known_as not in self._known:
            self._known[known_as] = rows_of_spark(self.session, lambda: make(self.session))
        return self._known[known_as]

    def same_error(self, make: Make, condition: str) -> None:
        """Both fail, with the same exceptions all the way down, and this condition."""
        error = self._same_error(make)
        assert error is not None, "no error"
        assert condition in str(error), error

    def same_outcome(self, make: Make) -> str:
        """Both give the same rows or the same error: says which."""
        place = coming_place(spark_version(self.session))
        gives_rows = place is not None and place.has_rows() and kept_counts()
        if not gives_rows and self._same_error(make) is not None:
            return "error"
        self.same_rows(make, replays=None)
        return "rows"

    def _same_error(self, make: Make) -> list[str] | None:
        """The error that both give, None where both give rows.

        Spark is not asked where the error is the one that is kept of it.
        """
        found = self.error_or_none(make, enabled=True)
        version = spark_version(self.session)
        place = coming_place(version) if found is None else next_place(version)
        if found is not None and place is not None and place.holds(found) and kept_counts():
            return found
        expected = self.error_or_none(make, enabled=False)
        assert found == expected, (found, expected)
        if found is not None and place is not None and keeps_rows():
            place.keep(found)
        return found

    def error(self, make: Make, *, enabled: bool) -> list[str]:
        """The exception and its causes: class, condition and message of each."""
        failure = self.error_or_none(make, enabled=enabled)
        assert failure is not None, f"no error (spark.broadhead.enabled={enabled})"
        return failure

    def error_or_none(self, make: Make, *, enabled: bool) -> list[str] | None:
        """As `error`, but None where the query succeeds."""
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        with configured(self.session, {"spark.broadhead.enabled": str(enabled).lower()}):
            try:
                make(self.session).collect()
            except Py4JJavaError as error:
                return ["Py4JJavaError", *java_chain(error.java_exception)]
            except PySparkException as error:
                # Spark 3.5 has another name of the condition, and no context.
                condition = getattr(error, "getCondition", error.getErrorClass)()
                head = f"{type(error).__name__} {condition} {error.getSqlState()}"
                found = getattr(error, "getQueryContext", list)()
                context = [(c.fragment(), c.startIndex()) for c in found]
                message = _constant(str(error).split("JVM stacktrace")[0])
                return [head, message, str(context), *java_chain(error._origin)]
        return None

    @contextmanager
    def without_workers(self) -> Iterator[None]:
        """Until the block ends no worker is started, as after some that could not start."""
        health = self.session._jvm.org.apache.spark.sql.broadhead.replay.WorkerHealth
        while not health.broken():
            health.failedToStart()
        try:
            yield
        finally:
            health.answered()

    def worker_pids(self) -> set[int]:
        """Python workers of this application that are alive."""
        jvm = self.session._jvm.java.lang.ProcessHandle.current().pid()
        return set(workers_below(jvm))


def java_chain(exception: Any) -> list[str]:
    """Class and first line of the message of a Java exception and of each of its causes."""
    chain = []
    while exception is not None and len(chain) < 10:
        message = (exception.getMessage() or "").splitlines()
        name = exception.getClass().getName()
        # Compiled code throws it without the message that interpreted code gives it.
        bounds = name == "java.lang.IndexOutOfBoundsException"
        first = _constant(message[0]) if message and not bounds else ""
        chain.append(f"{name}: {first}")
        exception = exception.getCause()
    return chain


def _constant(text: str) -> str:
    return CHANGING.sub("N", text).strip()


def plan_of(frame: DataFrame) -> str:
    """The executed physical plan as text."""
    return str(frame._jdf.queryExecution().executedPlan().toString())


def partitions_of(frame: DataFrame) -> int:
    """How many tasks give the rows of an executed frame."""
    return int(frame._jdf.queryExecution().executedPlan().execute().getNumPartitions())


def workers_below(ancestor: int) -> Iterator[int]:
    """Ids of the processes below one that Spark's daemon has forked as workers."""
    parents = dict(_processes())
    commands = {pid: _command(pid) for pid in parents}
    for pid in parents:
        # The copies of a process that has loaded the engine have its command.
        of_daemon = commands[pid] == commands.get(parents[pid]) and (
            "pyspark.daemon" in commands[pid]
            or commands[pid] == commands.get(parents[parents[pid]])
        )
        above = pid
        while above in parents and above != ancestor:
            above = parents[above]
        if above == ancestor and of_daemon:
            yield pid


def _processes() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                yield int(entry.name), int(fields[1])


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
