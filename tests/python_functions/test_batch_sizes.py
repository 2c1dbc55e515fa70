"""The batches that functions see, for each `maxRecordsPerBatch`: as in plain Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import functions

import broadhead
from python_functions.conftest import HAS_ARROW_UDF
from python_functions.contract import Contract, settings
from sql_runs import is_nightly
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    Kind = Callable[[DataFrame], DataFrame]

LIMITS = ("1", "7", "10000", "0", "-1")
ROWS = 600
SOURCES = ("json", "one partition", "files", "filtered files", "shuffled", "rows of Spark")
BY_DAY = (("7", "rows of Spark"),)

KINDS_BY_DAY = {"pandas_scalar", "pandas_iterator", "arrow_scalar", "group_iterators"}
"""One for each way in which batches are cut: the others share them."""

SINCE_SPARK_4_1 = ("arrow_scalar", "arrow_iterator", "group_iterators", "arrow_group_iterators")


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("batch_sizes"))


@pytest.fixture(scope="module")
def tables(contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Tables `id long, k long`, each made anew by a call, by their source."""
    session = contract.session
    folder = tmp_path_factory.mktemp("tables")
    rows = session.range(0, ROWS, 1, 3).selectExpr("id", "id % 4 k")
    # the writer looks at the size of a row group after 100 rows, at the earliest
    keys = {"parquet.block.size": "64", "parquet.page.size.row.check.min": "1"}
    with configured(session, {"spark.broadhead.enabled": "false"}):
        rows.write.options(**keys, compression="none").parquet(str(folder / "parquet"))
        rows.coalesce(1).write.json(str(folder / "json"))
    groups = [row_groups(path) for path in (folder / "parquet").glob("*.parquet")]
    assert len(groups) == 3, groups
    assert min(groups) > 1, groups
    return {
        "one partition": lambda: session.read.parquet(str(folder / "parquet")).coalesce(1),
        "files": lambda: session.read.parquet(str(folder / "parquet")),
        "filtered files": lambda: session.read.parquet(str(folder / "parquet")).where("id % 5 > 0"),
        "shuffled": lambda: session.read.parquet(str(folder / "parquet")).repartition(2, "k"),
        "json": lambda: session.read.json(str(folder / "json")),
        "rows of Spark": lambda: session.createDataFrame(rows.rdd, rows.schema),
    }


def row_groups(path: Path) -> int:
    """How many row groups a file has."""
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(path).num_row_groups)


KINDS: dict[str, Kind] = {}


def kind(make: Kind) -> Kind:
    """Adds a kind, under the name of its function; it gives what its functions see."""
    KINDS[make.__name__] = make
    return make


@kind
def pandas_scalar(t: DataFrame) -> DataFrame:
    @functions.pandas_udf("string")
    def size(i: pd.Series) -> pd.Series:
        return pd.Series([f"{len(i)} {i.iloc[0]} {list(i.index)[-1]}"] * len(i))

    return t.select("id", size("id").alias("seen"))


@kind
def pandas_iterator(t: DataFrame) -> DataFrame:
    @functions.pandas_udf("string")
    def sizes(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for number, i in enumerate(batches):
            yield pd.Series([f"{number} {len(i)} {i.iloc[0]}"] * len(i))

    return t.select("id", sizes("id").alias("seen"))


@kind
def arrow_scalar(t: DataFrame) -> DataFrame:
    @functions.arrow_udf("string")
    def size(i: pa.Array) -> pa.Array:
        return pa.array([f"{len(i)} {i[0]}"] * len(i))

    return t.select("id", size("id").alias("seen"))


@kind
def arrow_iterator(t: DataFrame) -> DataFrame:
    @functions.arrow_udf("string")
    def sizes(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for number, i in enumerate(batches):
            yield pa.array([f"{number} {len(i)} {i[0]}"] * len(i))

    return t.select("id", sizes("id").alias("seen"))


@kind
def map_in_pandas(t: DataFrame) -> DataFrame:
    def sizes(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        found = [(len(batch), list(batch.id)[:1], list(batch.index)[-1:]) for batch in batches]
        yield pd.DataFrame({"seen": [str(found)]})

    return t.mapInPandas(sizes, "seen string")


@kind
def map_in_arrow(t: DataFrame) -> DataFrame:
    def sizes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [(batch.num_rows, batch.column("id")[:1].to_pylist()) for batch in batches]
        yield pa.RecordBatch.from_pydict({"seen": [str(found)]})

    return t.mapInArrow(sizes, "seen string")


@kind
def chained(t: DataFrame) -> DataFrame:
    """The batches of a function that reads those of another, which returns more rows."""

    def doubled(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.concat([batch, batch])

    return map_in_pandas(t.mapInPandas(doubled, t.schema))


@kind
def groups(t: DataFrame) -> DataFrame:
    """A group is whole, whatever the limit."""

    def size(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"seen": [f"{rows.k.iloc[0]} {len(rows)} {list(rows.index)[-1]}"]})

    return t.groupBy("k").applyInPandas(size, "seen string")


@kind
def group_iterators(t: DataFrame) -> DataFrame:
    def sizes(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        found = [(len(rows), list(rows.k)[:1]) for rows in batches]
        yield pd.DataFrame({"seen": [str(found)]})

    return t.groupBy("k").applyInPandas(sizes, "seen string")


@kind
def arrow_group_iterators(t: DataFrame) -> DataFrame:
    def sizes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [(rows.num_rows, rows.column("k")[:1].to_pylist()) for rows in batches]
        yield pa.RecordBatch.from_pydict({"seen": [str(found)]})

    return t.groupBy("k").applyInArrow(sizes, "seen string")


def all_kinds(table: Callable[[], DataFrame]) -> DataFrame:
    """What the functions of all kinds see of a table, in one query."""
    frames = [
        make(table()).select(functions.lit(name), functions.concat_ws(" ", "*"))
        for name, make in KINDS.items()
        if (HAS_ARROW_UDF or name not in SINCE_SPARK_4_1) and (is_nightly() or name in KINDS_BY_DAY)
    ]
    return reduce(lambda left, right: left.union(right), frames)


def case(limit: str, source: str) -> object:
    """A limit and a source as parameters of a test."""
    by_day = (limit, source) in BY_DAY
    return pytest.param(limit, source, marks=() if by_day else pytest.mark.nightly)


@pytest.mark.parametrize(
    ("limit", "source"), [case(limit, source) for limit in LIMITS for source in SOURCES]
)
def test_sizes(contract: Contract, tables: dict[str, Any], limit: str, source: str) -> None:
    found = []
    for enabled in (False, True):
        with settings(
            contract.session,
            spark__sql__execution__arrow__maxRecordsPerBatch=limit,
            spark__broadhead__enabled=str(enabled).lower(),
            # Spark reads some of the sources
            spark__broadhead__strict="false",
        ):
            frame = all_kinds(tables[source])
            found.append(sorted(map(repr, frame.collect())))
            explained = broadhead.explain(frame)
    calls = [node for node in explained.nodes if re.search("Python|Pandas|InArrow", node.name)]
    kinds = KINDS.keys() if is_nightly() else KINDS_BY_DAY
    assert len(calls) >= len(kinds - set(SINCE_SPARK_4_1))
    assert all(node.accelerated for node in calls), str(explained)
    assert replayed(frame) == 0
    assert found[1] == found[0]
