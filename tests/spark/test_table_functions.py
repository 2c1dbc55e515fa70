"""Table functions, `pyspark.sql.functions.udtf`: their rows and their joins are Spark's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark import __version__, cloudpickle
from pyspark.errors import PythonException
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructType
from pyspark.sql.udtf import (
    AnalyzeResult,
    OrderingColumn,
    PartitioningColumn,
    SkipRestOfInputTableException,
)

from broadhead.explanation import explain
from local_session import local_session
from sql_sessions import compare_with_kept, configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = Iterator[Any]
RETURNS = "a int, b string"
VERSION = tuple(map(int, __version__.split(".")[:2]))


class Split:
    """Up to two rows for a number."""

    def eval(self, number: int, prefix: str = "x") -> Rows:
        for count in range(number % 3):
            yield number, f"{prefix}{count}"


class Last:
    """One row at the end: how many there were, and the last one."""

    def __init__(self) -> None:
        self.count = 0
        self.last: Any = None

    def eval(self, row: Any) -> None:
        self.count += 1
        self.last = row

    def terminate(self) -> Rows:
        yield self.count, repr(self.last)


class Skip:
    """The first two rows alone."""

    def __init__(self) -> None:
        self.count = 0

    def eval(self, row: Any) -> Rows:
        self.count += 1
        if self.count > 2:
            raise SkipRestOfInputTableException
        yield self.count, repr(row)

    def terminate(self) -> Rows:
        yield -self.count, "end"


class Nulls:
    """A row that is missing, and one with a null."""

    def eval(self, number: int) -> Rows:
        yield None
        yield number, None


class Nothing:
    """A function without arguments."""

    def eval(self) -> Rows:
        yield 1, "row"

    def terminate(self) -> Rows:
        yield 2, "end"


class Mixed:
    """Rows of all forms, and values of other types than the function's."""

    def eval(self, number: int) -> Rows:
        yield "x", 5
        yield 2**40, None
        yield {"a": 1, "b": "dict"}
        yield [7, True]
        yield Row(a=number, b="row")


class Typed:
    """Arguments as they are seen, and returned."""

    def eval(self, *arguments: Any) -> Rows:
        number, text, day, moment, items = arguments
        yield repr(arguments), day, moment, [number], {"k": text}, (number, text), items


class Analyzed:
    """Chooses its columns and its partitions."""

    def __init__(self, analyzed: AnalyzeResult) -> None:
        self.analyzed = analyzed
        self.rows: list[Any] = []

    @staticmethod
    def analyze(row: Any) -> AnalyzeResult:
        return AnalyzeResult(
            StructType().add("a", IntegerType()).add("b", StringType()),
            partitionBy=[PartitioningColumn("k")],
            orderBy=[OrderingColumn("id", ascending=False)],
        )

    def eval(self, row: Any) -> None:
        self.rows.append((row.k, row.id))

    def terminate(self) -> Rows:
        yield len(self.rows), repr((self.rows, self.analyzed.schema.simpleString()))


class Failing:
    """Always fails."""

    def eval(self, number: int) -> Rows:
        yield 1 // (number - number), ""


class Batches:
    """Arrow's batches in, Arrow's tables out."""

    def __init__(self) -> None:
        self.count = 0

    def eval(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
        self.count += batch.num_rows
        texts = [repr(row) for row in batch.to_pylist()]
        yield pa.table({"a": pa.array(range(len(texts)), pa.int32()), "b": pa.array(texts)})

    def terminate(self) -> Iterator[pa.Table]:
        yield pa.table({"a": pa.array([-self.count], pa.int32()), "b": pa.array(["end"])})


FUNCTIONS = {
    "split": Split,
    "last": Last,
    "skip": Skip,
    "nulls": Nulls,
    "nothing": Nothing,
    "failing": Failing,
}

QUERIES = [
    "select t.id, x.* from t, lateral {0}split(cast(id as int), s) x",
    "select t.id, t.s, x.* from t left join lateral {0}split(cast(id as int)) x",
    "select t.k, x.b from t, lateral {0}split(prefix => 'q', number => k) x",
    "select x.a from t, lateral {0}split(cast(id as int), s) x",
    "select * from {0}split(5, 'z')",
    "select t.id, x.* from t, lateral {0}nothing() x",
    "select t.id, x.* from t, lateral {0}skip(k) x",
    "select * from {0}last(table(select k, s from t order by id) with single partition)",
    "select * from {0}last(table(select k, id, s, day, moment, items from t)"
    " partition by k order by id desc)",
    "select * from {0}last(table(select k, id from t) partition by (k + 1, k) order by id)",
    "select * from {0}last(table(select * from t where id < 0) with single partition)",
    "select * from {0}skip(table(select k, id from t) partition by k order by id)",
    "select * from {0}skip(table(select k, id from t order by id) with single partition)",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The view `t`, and each function with `rows_` or `arrow_` before its name."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    session = local_session()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    path = str(tmp_path_factory.mktemp("tables") / "t")
    with configured(session, {"spark.broadhead.enabled": "false"}):
        session.range(0, 30, 1, 2).selectExpr(
            "cast(id % 4 as int) k",
            "id",
            "if(id % 5 = 0, null, concat('s', id)) s",
            "date_add(date'2020-01-01', cast(id as int)) day",
            "timestamp'2020-01-01 00:00:00' moment",
            "array(id, null) items",
        ).write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView("t")
    for name, function in FUNCTIONS.items():
        for prefix, by_arrow in (("rows_", False), ("arrow_", True)):
            made = F.udtf(function, returnType=RETURNS, useArrow=by_arrow)
            session.udtf.register(f"{prefix}{name}", made)
    typed = (
        "shown string, day date, moment timestamp, e array<bigint>, f map<string,string>,"
        " g struct<x:bigint,y:string>, h array<bigint>"
    )
    session.udtf.register("typed", F.udtf(Typed, returnType=typed, useArrow=False))
    session.udtf.register("mixed", F.udtf(Mixed, returnType=RETURNS, useArrow=False))
    session.udtf.register("analyzed", F.udtf(Analyzed, useArrow=False))
    yield session
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def same(session: SparkSession, sql: str) -> None:
    """The rows are Spark's, and the function runs in a fragment."""
    frame: DataFrame = compare_with_kept(session, lambda: session.sql(sql))
    found = [node for node in explain(frame).nodes if node.name.endswith("UDTF")]
    assert found
    assert all(node.accelerated for node in found), explain(frame)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        # By day each query has a function of one kind.
        pytest.param(sql, kind, marks=[] if (number + turn) % 2 == 0 else pytest.mark.nightly)
        for number, sql in enumerate(QUERIES)
        for turn, kind in enumerate(("rows_", "arrow_"))
    ],
)
def test_rows_and_joins(session: SparkSession, sql: str, kind: str) -> None:
    same(session, sql.format(kind))


@pytest.mark.parametrize("kind", ["rows_", *(["arrow_"] if VERSION >= (4, 1) else [])])
def test_rows_that_are_missing(session: SparkSession, kind: str) -> None:
    same(session, f"select t.id, x.* from t, lateral {kind}nulls(k) x")


def test_values_of_all_forms(session: SparkSession) -> None:
    same(session, "select x.* from t, lateral mixed(k) x")
    same(session, "select x.* from t, lateral typed(id, s, day, moment, items) x")


def test_analyzed_partitions(session: SparkSession) -> None:
    same(session, "select * from analyzed(table(t))")


@pytest.mark.skipif(VERSION < (4, 1), reason="Spark 4.0 has no table functions of batches")
def test_batches(session: SparkSession) -> None:
    session.udtf.register("batches", F.arrow_udtf(Batches, returnType=RETURNS))
    same(session, "select * from batches(table(select k, id from t) with single partition)")
    same(session, "select * from batches(table(select k, id from t) partition by k order by id)")


@pytest.mark.parametrize("kind", ["rows_", "arrow_"])
def test_errors_are_the_functions_own(session: SparkSession, kind: str) -> None:
    with pytest.raises(PythonException, match="ZeroDivisionError"):
        session.sql(f"select x.* from t, lateral {kind}failing(k) x").collect()
