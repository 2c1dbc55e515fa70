"""Runs a query with a user's functions in Spark and in Broadhead, and compares what happens."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import broadhead
from kept_rows import keeps_rows, next_place
from local_session import local_session
from sql_answers import Rows
from sql_sessions import configured, kept_counts, replayed, spark_version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 3000
RAISED = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception|Exit|Interrupt|Iteration)\b[^\n]*)", re.M)

READER_BATCHES = "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled"
"""Since Spark 4.2 functions of Series over files get the reader's batches, whatever
`maxRecordsPerBatch` is. Without this their batches are those of older Sparks and of fragments."""

Make = Callable[["DataFrame"], "DataFrame"]
"""A query over the contract's table."""


@dataclass(frozen=True)
class Failure:
    """The error of a query: its Python class, Spark's condition, and what the user's code raised.

    `functions` are the names of functions in the traceback that are not Spark's or ours.
    """

    name: str
    condition: str | None
    raised: tuple[str, ...]
    functions: tuple[str, ...]


class Contract:
    """A session and a table `id long, k int, x double, s string` of three files."""

    def __init__(self, folder: Path, session: SparkSession | None = None) -> None:
        from pyspark.cloudpickle import register_pickle_by_value

        # workers do not have the tests
        register_pickle_by_value(sys.modules[__name__])
        self.folder = folder
        # Another application than that of the tests does not know which test runs.
        self._is_shared = session is None
        self.session = session or local_session()
        self.session.conf.set("spark.broadhead.costModel.enabled", "false")
        self.session.conf.set("spark.broadhead.strict", "true")
        self.session.conf.set("spark.sql.shuffle.partitions", "2")
        self.session.conf.set(READER_BATCHES, "false")
        self._path = str(folder / "t")
        text = "if(id % 5 = 0, null, concat('s', id)) s"
        rows = self.session.range(0, ROWS, 1, 3)
        rows.selectExpr("id", "cast(id % 7 as int) k", "id / 4d x", text).write.parquet(self._path)

    @property
    def table(self) -> DataFrame:
        """The table, in a new frame."""
        return self.session.read.parquet(self._path)

    def rows(self, make: Make, *, enabled: bool = True) -> list[Any]:
        """The sorted rows of a query; in Broadhead wholly in fragments and without a replay."""
        with configured(self.session, {"spark.broadhead.enabled": str(enabled).lower()}):
            frame = make(self.table)
            found = sorted(map(repr, frame.collect()))
        if enabled:
            whole_in_fragments(frame)
            assert replayed(frame) == 0
        return found

    def same_rows(self, make: Make) -> list[Any]:
        """The rows that Spark and Broadhead both give."""
        found = self.rows(make)
        kept = Rows(["row"], ["string"], [(text,) for text in found])
        self._same(found, lambda: self.rows(make, enabled=False), kept)
        return found

    def failure(self, make: Make, *, enabled: bool) -> Failure:
        """The error of a query of one task, after which the next query works."""
        with configured(self.session, {"spark.broadhead.enabled": str(enabled).lower()}):
            try:
                found = make(self.table.coalesce(1)).collect()
            except Exception as error:
                failure = failure_of(error)
            else:
                raise AssertionError(f"no error (enabled={enabled}): {found[:3]}")
            assert self.table.selectExpr("sum(id)").collect()[0][0] == sum(range(ROWS))
        return failure

    def same_failure(self, make: Make) -> Failure:
        """The error that Spark and Broadhead both give."""
        found = self.failure(make, enabled=True)
        kept = [found.name, str(found.condition), *found.raised, *found.functions]
        self._same(found, lambda: self.failure(make, enabled=False), kept)
        return found

    def _same(self, found: Any, ask: Callable[[], Any], kept: Rows | list[str]) -> None:
        """Raises where Spark gives something else; it is not asked for what is kept of it."""
        place = next_place(spark_version(self.session)) if self._is_shared else None
        if place is not None and kept_counts() and place.holds(kept):
            return
        assert found == ask()
        if place is not None and keeps_rows():
            place.keep(kept)


def whole_in_fragments(frame: DataFrame) -> None:
    """Raises where an operator of the user's functions stays with Spark."""
    found = broadhead.explain(frame)
    spark = [node for node in found.nodes if not node.accelerated and "Exchange" not in node.name]
    assert not spark, str(found)
    assert any(re.search("Python|Pandas|InArrow", node.name) for node in found.nodes), str(found)


def failure_of(error: Exception) -> Failure:
    """What a user sees of an error."""
    condition = error.getCondition() if hasattr(error, "getCondition") else None
    text = str(error).split("JVM stacktrace")[0].split("Driver stacktrace")[0]
    functions = re.findall(r'File "[^"]*", line \d+, in (the_\w+)', text)
    return Failure(type(error).__name__, condition, tuple(RAISED.findall(text)), tuple(functions))


class Calls:
    """Counts calls of a function in any worker: `add` in the worker, `taken` on the driver."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, rows: int = 1) -> None:
        """Counts one call with this many rows."""
        with self._path.open("a") as file:
            file.write(f"{rows}\n")

    def taken(self) -> list[int]:
        """The rows of each call since the last time."""
        found = self._path.read_text().split() if self._path.exists() else []
        self._path.unlink(missing_ok=True)
        return [int(rows) for rows in found]


def settings(session: SparkSession, **keys: str) -> Any:
    """The session with these keys (`__` for a dot) until the block ends."""
    return configured(session, {key.replace("__", "."): value for key, value in keys.items()})
