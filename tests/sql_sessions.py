"""Runs the queries of `.sql` files with and without Broadhead, and compares."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.explanation import explain
from filled_tables import write_filled
from golden_answers import Answer, kept_answers
from kept_rows import keeps_rows, next_place
from leeway import Leeway, leeway_of
from older_errors import is_older, rows_or_cause
from sql_answers import Mismatch, Rows, compare_rows
from sql_files import Query
from sql_runs import NO_FOLDING as NO_FOLDING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from broadhead.explanation import Explanation
    from sql_files import SqlFile, Table
    from sql_runs import Mode, Run

Check = Callable[["SparkSession", Query, "Mode", "Answer | None"], None]
UNACCELERATED = {"Exchange"}
"""Operators between accelerated ones that Spark runs itself."""
CORRECTED = (
    "spark.sql.legacy.timeParserPolicy",
    *(
        f"spark.sql.parquet.{kind}RebaseModeIn{way}"
        for kind in ("datetime", "int96")
        for way in ("Read", "Write")
    ),
)
"""What is CORRECTED in Spark 4; Spark 3.5 raises errors, and Broadhead leaves more to it."""
MONTHS = re.compile("interval (year|month)")


class SqlRunner:
    """Two sessions on one Spark application: tables as they are, and with their nulls filled."""

    def __init__(self, session: Callable[[], SparkSession], folder: Path) -> None:
        self._folder = folder
        self._made: set[str] = set()
        self._sessions = {nulls: session() for nulls in (True, False)}
        for made in self._sessions.values():
            made.conf.set("spark.broadhead.costModel.enabled", "false")
            # The files are about what the engine computes itself.
            made.conf.set("spark.broadhead.sparkExpressions.enabled", "false")
            made.conf.set("spark.sql.shuffle.partitions", "1")
            made.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            # The answers that are kept must not depend on the machine's own time zone.
            made.conf.set("spark.sql.session.timeZone", "UTC")
            for key in CORRECTED:
                made.conf.set(key, "CORRECTED")

    def make_tables(self, file: SqlFile, *, backwards: bool = False) -> None:
        """Parquet files and views of the file's tables, made once; `backwards` from the last on."""
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
            for table in file.tables[::-1] if backwards else file.tables:
                self._make(table, f"{file.path.parent.name}-{file.path.stem}-{table.name}")

    def _make(self, table: Table, stem: str) -> None:
        """The table's files, and those of its copy without nulls."""
        rows = self._sessions[True].sql(table.sql)
        path, filled = self._folder / stem, self._folder / f"{stem}-filled"
        _written(self._sessions[True], table, path, rows.schema, lambda: _write(rows, table, path))
        _written(
            self._sessions[False],
            table,
            filled,
            rows.schema,
            lambda: write_filled(path, filled, table.row_group),
        )

    def run(self, run: Run, check: Check | None = None) -> list[str]:
        """What is wrong with the queries of the run; `check` raises an error where one is."""
        problems = []
        queries = queries_for(self._sessions[True], run)
        # Spark may not know the types of tables that no query is for.
        with self._prepared(run) if queries else nullcontext(self._sessions[True]) as session:
            kept = kept_answers(run.file, spark_version(session))
            for query in queries:
                try:
                    (check or check_query)(
                        session, query, run.mode, kept.get((query.sql, run.name))
                    )
                except Exception as error:
                    where = f"{run.file.path}:{query.line}"
                    problems.append(f"{where}: {query.sql}\n    {_text(error)}")
        return problems

    def ask_spark(self, run: Run) -> Iterator[tuple[Query, Rows | str]]:
        """Spark's answer to each query of the run."""
        with self._prepared(run) as session:
            for query in queries_for(session, run):
                yield query, _ask(session, query, run.mode, enabled=False)[0]

    @contextmanager
    def _prepared(self, run: Run) -> Iterator[SparkSession]:
        """The session that has the run's tables, set as the run wants it."""
        self.make_tables(run.file)
        session = self._sessions[run.mode.nulls]
        with configured(session, run.configuration()):
            yield session

    def check_frame(self, make: Callable[[SparkSession], DataFrame]) -> None:
        """Raises `Mismatch` where a frame over the tables is not accelerated or not right."""
        session = self._sessions[True]
        frame = compare_runs(session, lambda: make(session))
        _check_plan(frame, explain(frame), Query("", 0))


def _written(
    reader: SparkSession, table: Table, path: Path, schema: StructType, write: Callable[[], None]
) -> DataFrame:
    """The table's Parquet file, which its view shows in the session; `write` makes it.

    A file that is there, made by another process, is that table; one that is being made is awaited.
    """
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if table.append or not (path / "_SUCCESS").exists():
            write()
    found = reader.read.option("mergeSchema", True)
    if not table.append and not table.partitioned:
        # Else a job would read it from the file.
        found = found.schema(schema)
    frame = found.parquet(str(path))
    frame.createOrReplaceTempView(table.name)
    return frame


def _write(rows: DataFrame, table: Table, path: Path) -> None:
    writer = rows.coalesce(1).write.mode("append" if table.append else "error")
    if table.partitioned:
        writer = writer.partitionBy(*table.partitioned)
    if table.row_group is not None:
        writer = writer.option("parquet.block.row.count.limit", table.row_group)
    writer.parquet(str(path))


def _text(error: Exception) -> str:
    name = "" if isinstance(error, Mismatch) else f"{type(error).__name__}: "
    lines = str(error).splitlines()
    causes = [line.strip() for line in lines if "Caused by:" in line]
    return name + "\n    ".join(lines[:12] + causes)


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


def check_query(session: SparkSession, query: Query, mode: Mode, kept: Answer | None) -> None:
    """Raises `Mismatch` where the query does not do what its file says."""
    found = check_answer(session, query, mode, kept, asks_spark=asks_spark())
    # Other functions stay with Spark 3.5.
    if found is not None and not is_older(session):
        _check_plan(*found, query)


def check_answer(
    session: SparkSession, query: Query, mode: Mode, kept: Answer | None, *, asks_spark: bool
) -> tuple[DataFrame, Explanation] | None:
    """What ran, if rows came; raises `Mismatch` where the answer is not Spark's by its levels.

    Without `asks_spark`, Spark is not asked where Broadhead's answer is the one kept for it.
    """
    actual, frame = _ask(session, query, mode, enabled=True)
    explanation = explain(frame) if frame is not None else None
    leeway = leeway_of(explanation, query.tolerance)
    same = kept is not None and kept.is_same(actual, leeway)
    if not same or asks_spark:
        expected, _ = _ask(session, query, mode, enabled=False)
        _compare(expected, actual, leeway)
        if kept is not None and not kept.is_same(expected, leeway):
            raise Mismatch("right, but tests/golden has another answer: run `make golden`")
    return None if frame is None or explanation is None else (frame, explanation)


def asks_spark() -> bool:
    """Whether every query is put to Spark too, and what is kept is compared with its answer."""
    return os.environ.get("BROADHEAD_TEST_ANSWERS") == "spark"


def kept_counts() -> bool:
    """Whether what is kept may stand for Spark: it is neither proved nor written."""
    return not asks_spark() and not keeps_rows()


def spark_version(session: SparkSession) -> str:
    """As 4.1: what answers may depend on."""
    return ".".join(session.version.split(".")[:2])


def queries_for(session: SparkSession, run: Run) -> list[Query]:
    """The queries of the run that the session's Spark can say."""
    return [query for query in run.queries if query.is_of(spark_version(session))]


def _ask(
    session: SparkSession, query: Query, mode: Mode, *, enabled: bool
) -> tuple[Rows | str, DataFrame | None]:
    """The rows, or the error that the file expects; and the frame that ran where rows came."""
    condition = query.condition(ansi=mode.ansi)
    if is_older(session):
        # What is an error in Spark 4 need not be one in Spark 3.5, nor the other way round.
        with configured(session, {"spark.broadhead.enabled": str(enabled).lower()}):
            return rows_or_cause(
                lambda: _rows_of(session.sql(query.sql)), analysed=condition is None
            )
    if condition is not None:
        error = _error(session, query, enabled=enabled)
        if not any(name in error for name in condition.split("|")):
            raise Mismatch(f"{'Broadhead' if enabled else 'Spark'}: {error}, not {condition}")
        return error, None
    with configured(session, {"spark.broadhead.enabled": str(enabled).lower()}):
        frame = session.sql(query.sql)
        return Rows.of(answer_of(frame)), frame


def _rows_of(frame: DataFrame) -> tuple[Rows, DataFrame]:
    return Rows.of(answer_of(frame)), frame


def _compare(expected: Rows | str, actual: Rows | str, leeway: Leeway) -> None:
    if isinstance(expected, Rows) and isinstance(actual, Rows):
        compare_rows(expected, actual, leeway)
    elif expected != actual:
        raise Mismatch(f"Spark: {expected}\nBroadhead: {actual}")


def compare_runs(
    session: SparkSession,
    make: Callable[[], DataFrame],
    tolerance: float = 0.0,
    expected: pa.Table | None = None,
) -> DataFrame:
    """The frame as Broadhead ran it; raises `Mismatch` where its rows, by levels, are not Spark's.

    `expected` has Spark's rows where they are known.
    """
    if expected is None:
        expected = rows_of_spark(session, make)
    frame, actual = _by_broadhead(session, make)
    leeway = leeway_of(explain(frame), tolerance)
    compare_rows(Rows.of(expected), Rows.of(actual), leeway)
    return frame


def compare_with_kept(
    session: SparkSession,
    make: Callable[[], DataFrame],
    ask: Callable[[], pa.Table] | None = None,
) -> DataFrame:
    """As `compare_runs`; Spark is not asked where the rows are those that are kept of it.

    `ask` gives Spark's rows where they may be known.
    """
    ask = ask or (lambda: rows_of_spark(session, make))
    place = next_place(spark_version(session))
    if place is None or asks_spark():
        return compare_runs(session, make, expected=ask())
    if keeps_rows():
        expected = ask()
        place.keep(Rows.of(expected))
        return compare_runs(session, make, expected=expected)
    frame, actual = _by_broadhead(session, make)
    if not place.holds(Rows.of(actual)):
        compare_rows(Rows.of(ask()), Rows.of(actual), leeway_of(explain(frame), 0.0))
    return frame


def _by_broadhead(
    session: SparkSession, make: Callable[[], DataFrame]
) -> tuple[DataFrame, pa.Table]:
    with configured(session, {"spark.broadhead.enabled": "true"}):
        frame = make()
        return frame, answer_of(frame)


def rows_of_spark(session: SparkSession, make: Callable[[], DataFrame]) -> pa.Table:
    """The rows that Spark gives without Broadhead."""
    with configured(session, {"spark.broadhead.enabled": "false"}):
        return answer_of(make())


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


def _check_plan(frame: DataFrame, explanation: Explanation, query: Query) -> None:
    """Every operator but exchanges is accelerated, and nothing was replayed by Spark."""
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
    compare_rows(Rows.of(expected), Rows.of(actual), Leeway(tolerance))
