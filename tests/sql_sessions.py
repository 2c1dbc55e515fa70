"""Runs the queries of `.sql` files with and without Broadhead, and compares."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.explanation import explain
from sql_files import Query

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sql_files import SqlFile, Table

OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer."
NO_FOLDING = ",".join(
    OPTIMIZER + rule for rule in ("ConstantFolding", "NullPropagation", "ConvertToLocalRelation")
)
UNACCELERATED = {"Exchange"}
"""Operators between accelerated ones that Spark runs itself."""
MONTHS = re.compile("interval (year|month)")


@dataclass(frozen=True, slots=True)
class Mode:
    """How a file is run.

    `folds` lets the optimizer compute constants before the engine; of the queries of an operator,
    which are many and take long, every one of so many is run as `step` says.
    """

    name: str
    ansi: bool
    nulls: bool
    batch_rows: int
    folds: bool
    step: int = 1

    def queries(self, file: SqlFile) -> list[Query]:
        """Those of the file's queries that are run."""
        step = self.step if file.path.parent.name == "operators" else 1
        return [query for query in file.queries[::step] if query.runs(ansi=self.ansi)]

    def configuration(self) -> dict[str, str]:
        """Keys of Spark."""
        return {
            "spark.sql.ansi.enabled": str(self.ansi).lower(),
            "spark.broadhead.batchRows": str(self.batch_rows),
            "spark.sql.optimizer.excludedRules": "" if self.folds else NO_FOLDING,
        }


MODES = [
    Mode("ansi", ansi=True, nulls=True, batch_rows=131_072, folds=True),
    Mode("legacy", ansi=False, nulls=True, batch_rows=3, folds=False),
    Mode("without-nulls", ansi=True, nulls=False, batch_rows=3, folds=False, step=2),
]


class Mismatch(AssertionError):
    """A query whose answer is not Spark's, or that was answered by Spark."""


class SqlRunner:
    """Two sessions on one Spark application: tables as they are, and with their nulls filled."""

    def __init__(self, session: Callable[[], SparkSession], folder: Path) -> None:
        self._folder = folder
        self._made: set[str] = set()
        self._sessions = {nulls: session() for nulls in (True, False)}
        for made in self._sessions.values():
            made.conf.set("spark.broadhead.costModel.enabled", "false")
            made.conf.set("spark.sql.shuffle.partitions", "1")
            made.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")

    def make_tables(self, file: SqlFile) -> None:
        """Parquet files and views of the file's tables, made once."""
        if str(file.path) in self._made:
            return
        self._made.add(str(file.path))
        session = self._sessions[True]
        with configured(
            session,
            {
                "spark.broadhead.enabled": "false",
                "spark.sql.ansi.enabled": "false",
                "spark.sql.session.timeZone": "UTC",
            },
        ):
            for table in file.tables:
                stem = f"{file.path.parent.name}-{file.path.stem}-{table.name}"
                path = self._folder / stem
                frame = _written(session, session.sql(table.sql), table, path)
                filled = path.with_name(f"{stem}-filled")
                last = "overwrite" if table.append else "error"
                _written(self._sessions[False], _filled(frame), table, filled, last)

    def run(self, file: SqlFile, mode: Mode, configuration: dict[str, str]) -> list[str]:
        """What is wrong with the file's queries in this mode."""
        session = self._sessions[mode.nulls]
        problems = []
        with configured(session, mode.configuration() | configuration):
            for query in mode.queries(file):
                try:
                    check(session, query, mode)
                except Exception as error:
                    problems.append(f"{file.path}:{query.line}: {query.sql}\n    {_text(error)}")
        return problems

    def check_frame(self, make: Callable[[SparkSession], DataFrame]) -> None:
        """Raises `Mismatch` where a frame over the tables is not accelerated or not right."""
        session = self._sessions[True]
        frame = compare_runs(session, lambda: make(session))
        _check_plan(frame, Query("", 0))


def _written(
    reader: SparkSession, rows: DataFrame, table: Table, path: Path, mode: str | None = None
) -> DataFrame:
    """The rows in a Parquet file, which the table's view shows in the session."""
    writer = rows.coalesce(1).write.mode(mode or ("append" if table.append else "error"))
    if table.partitioned:
        writer = writer.partitionBy(*table.partitioned)
    if table.row_group is not None:
        writer = writer.option("parquet.block.row.count.limit", table.row_group)
    writer.parquet(str(path))
    frame = reader.read.option("mergeSchema", True).parquet(str(path))
    frame.createOrReplaceTempView(table.name)
    return frame


def _text(error: Exception) -> str:
    name = "" if isinstance(error, Mismatch) else f"{type(error).__name__}: "
    lines = str(error).splitlines()
    causes = [line.strip() for line in lines if "Caused by:" in line]
    return name + "\n    ".join(lines[:12] + causes)


def _filled(frame: DataFrame) -> DataFrame:
    """The rows with the first value of each column in the place of its nulls."""
    from pyspark.sql import functions as f

    names = frame.columns
    firsts = frame.agg(
        *(
            f.first(f.col(f"`{n}`"), ignorenulls=True).alias(f"first_{i}")
            for i, n in enumerate(names)
        )
    )
    columns = [
        f.coalesce(f.col(f"`{n}`"), f.col(f"first_{i}")).alias(n) for i, n in enumerate(names)
    ]
    return frame.crossJoin(firsts).select(*columns)


@contextmanager
def configured(session: SparkSession, configuration: dict[str, str]) -> Iterator[None]:
    """The session with these keys, and afterwards as it was."""
    before = {key: session.conf.get(key, None) for key in configuration}
    try:
        for key, value in configuration.items():
            session.conf.set(key, value)
        yield
    finally:
        for key, value in before.items():
            if value is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, value)


def check(session: SparkSession, query: Query, mode: Mode) -> None:
    """Raises `Mismatch` where the query does not do what its file says."""
    condition = query.condition(ansi=mode.ansi)
    if condition is not None:
        errors = [_error(session, query, enabled=enabled) for enabled in (False, True)]
        if not any(name in errors[0] for name in condition.split("|")):
            raise Mismatch(f"Spark fails with {errors[0]}, not with {condition}")
        if errors[0] != errors[1]:
            raise Mismatch(f"Spark: {errors[0]}\nBroadhead: {errors[1]}")
        return
    frame = compare_runs(session, lambda: session.sql(query.sql), query.tolerance)
    _check_plan(frame, query)


def compare_runs(
    session: SparkSession, make: Callable[[], DataFrame], tolerance: float = 0.0
) -> DataFrame:
    """The frame as Broadhead ran it; raises `Mismatch` where the rows are not those of Spark."""
    with configured(session, {"spark.broadhead.enabled": "false"}):
        expected = answer_of(make())
    with configured(session, {"spark.broadhead.enabled": "true"}):
        frame = make()
        actual = answer_of(frame)
    compare(expected, actual, tolerance)
    return frame


def answer_of(frame: DataFrame) -> pa.Table:
    """The rows; with intervals of months, which Python cannot have, as Java's texts of them."""
    types = frame.schema.simpleString()
    if not MONTHS.search(types):
        return frame.toArrow()
    rows = frame._jdf.collectAsList().toString()[2:-2].split("], [")
    return pa.table({"types": [types] * len(rows), "row": rows})


def _error(session: SparkSession, query: Query, *, enabled: bool) -> str:
    """Class, condition and message of the query's error, without what differs between runs."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    with configured(session, {"spark.broadhead.enabled": str(enabled).lower()}):
        try:
            rows = session.sql(query.sql).collect()
        except Py4JJavaError as error:
            found = re.search(r"java\.lang\.\w+: [^\n]*", str(error.java_exception))
            return found[0] if found else str(error.java_exception)
        except PySparkException as error:
            condition = getattr(error, "getCondition", error.getErrorClass)()
            message = re.sub(r"\d+\.\d+|#\d+|TID \d+", "N", str(error).split("JVM stacktrace")[0])
            return f"{type(error).__name__} {condition}: {message.strip()}"
    raise Mismatch(f"no error with{'' if enabled else 'out'} Broadhead, but {len(rows)} rows")


def _check_plan(frame: DataFrame, query: Query) -> None:
    """Every operator but exchanges is accelerated, and nothing was replayed by Spark."""
    explanation = explain(frame)
    left = [n for n in explanation.nodes if not n.accelerated and n.name not in UNACCELERATED]
    if query.fallback is not None:
        reasons = [reason for node in left for reason in node.reasons]
        if not any(query.fallback in reason for reason in reasons):
            raise Mismatch(f"expected a fallback because of {query.fallback!r}, reasons: {reasons}")
        return
    if {node.name for node in left} != set(query.spark.split()) or not explanation.accelerated:
        raise Mismatch(f"not accelerated as expected:\n{explanation}")
    if not query.replay and (replays := replayed(frame)):
        raise Mismatch(f"{replays} tasks were replayed by Spark")


def replayed(frame: DataFrame) -> int:
    """How many tasks of an executed frame Spark ran again in the engine's place."""
    return metric_total(frame, "replays")


def metric_total(frame: DataFrame, name: str) -> int:
    """The sum of a metric over the operators of an executed frame that have it."""
    pending = [frame._jdf.queryExecution().executedPlan()]
    total = 0
    while pending:
        node = pending.pop()
        kind = node.getClass().getSimpleName()
        if kind == "AdaptiveSparkPlanExec":
            pending.append(node.executedPlan())
        elif kind.endswith("QueryStageExec"):
            pending.append(node.plan())
        metric = node.metrics().get(name)
        if metric.isDefined():
            total += metric.get().value()
        children = node.children()
        pending += [children.apply(i) for i in range(children.size())]
    return total


def compare(expected: pa.Table, actual: pa.Table, tolerance: float) -> None:
    """Raises `Mismatch` where types or rows differ; the order of rows does not count."""
    types = [[str(field.type) for field in table.schema] for table in (expected, actual)]
    if types[0] != types[1]:
        raise Mismatch(f"types: {types[0]} from Spark, {types[1]} from Broadhead")
    rows = [_rows(table) for table in (expected, actual)]
    if len(rows[0]) != len(rows[1]):
        raise Mismatch(f"{len(rows[0])} rows from Spark, {len(rows[1])} from Broadhead")
    for left, right in zip(*rows, strict=True):
        for ordinal, (a, b) in enumerate(zip(left, right, strict=True)):
            if not _equal(a, b, tolerance):
                name = expected.column_names[ordinal]
                raise Mismatch(
                    f"column {name}: {a!r} from Spark, {b!r} from Broadhead\n{left}\n{right}"
                )


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows in an order that does not hang on the last digits of floats."""
    columns = []
    for column in table.columns:
        whole = column.combine_chunks()
        if pa.types.is_timestamp(whole.type):
            whole = whole.cast(pa.int64())
        elif pa.types.is_date32(whole.type):
            whole = whole.cast(pa.int32())
        columns.append(whole.to_pylist())
    return sorted(zip(*columns, strict=True), key=_order)


def _order(row: tuple[Any, ...]) -> list[str]:
    return [f"{value:.6e}" if isinstance(value, float) else repr(value) for value in row]


def _equal(left: Any, right: Any, tolerance: float) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        left, right = list(left.items()), list(right.items())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(
            _equal(a, b, tolerance) for a, b in zip(left, right, strict=True)
        )
    if not isinstance(left, float) or not isinstance(right, float):
        return bool(left == right) and type(left) is type(right)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    if struct.pack("d", left) == struct.pack("d", right):
        return True
    return tolerance > 0 and math.isclose(left, right, rel_tol=tolerance)
