"""Rows without columns are counted and shown as Spark's, however they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql.functions import arrow_udtf, udtf
from pyspark.sql.types import StructType

from spark.answers import plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from spark.answers import Answers


@arrow_udtf(returnType=StructType())
class Batches:
    """Three rows."""

    def eval(self) -> Iterator[pa.Table]:
        yield pa.Table.from_struct_array(pa.array([{}] * 3, pa.struct([])))


@udtf(returnType=StructType())
class Tuples:
    """Two rows."""

    def eval(self) -> Iterator[tuple[Any, ...]]:
        yield ()
        yield ()


def in_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """As many rows."""
    for batch in batches:
        rows = pa.array([{}] * batch.num_rows, pa.struct([]))
        yield pa.RecordBatch.from_struct_array(rows)


def in_pandas(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """As many rows."""
    for batch in batches:
        yield pd.DataFrame(index=range(len(batch)))


FRAMES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "arrow udtf": lambda t: t.sparkSession.sql("SELECT * FROM batches()"),
    "udtf": lambda t: t.sparkSession.sql("SELECT * FROM tuples()"),
    "mapInArrow": lambda t: t.mapInArrow(in_arrow, StructType()),
    "mapInPandas": lambda t: t.mapInPandas(in_pandas, StructType()),
    "select": lambda t: t.select(),
    "where": lambda t: t.where("id > 1").select(),
    "no rows": lambda t: t.where("id > 9").select(),
    "limit": lambda t: t.orderBy("id").limit(2).select(),
    "union": lambda t: t.select().union(t.select()),
    "join": lambda t: t.crossJoin(t.select()).select(),
    "shuffle": lambda t: t.repartition(3).select(),
}
ACTIONS: dict[str, Callable[[DataFrame], Any]] = {
    "collect": lambda frame: frame.collect(),
    "toPandas": lambda frame: (frame.toPandas().shape, list(frame.toPandas().index)),
    "toArrow": lambda frame: (frame.toArrow().num_rows, frame.toArrow().schema),
    "toLocalIterator": lambda frame: list(frame.toLocalIterator()),
    "take": lambda frame: frame.take(2),
    "tail": lambda frame: frame.tail(2),
    "count": lambda frame: frame.count(),
    "isEmpty": lambda frame: frame.isEmpty(),
    "show": lambda frame: frame._show_string(),
}


@pytest.fixture(scope="module")
def ids(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataFrame]:
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    path = str(tmp_path_factory.mktemp("ids") / "t")
    answers.session.udtf.register("batches", Batches)
    answers.session.udtf.register("tuples", Tuples)
    answers.session.range(0, 5, 1, 2).write.parquet(path)
    yield answers.session.read.parquet(path)
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize("name", FRAMES)
def test_rows_without_columns(answers: Answers, ids: DataFrame, name: str) -> None:
    results = []
    for enabled in ["true", "false"]:
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            results.append({asked: act(FRAMES[name](ids)) for asked, act in ACTIONS.items()})
            assert ("Broadhead" in plan_of(FRAMES[name](ids))) == (enabled == "true")
    assert results[0] == results[1]
