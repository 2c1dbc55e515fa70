"""Each kind of Python function over columns of any types.

A kind makes a frame that shows what its functions have got of each column (`seen_...`), and what
Spark reads of a value that a function returns as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.functions import pandas_udf

from python_functions.shown import shown, table_shown, whole
from python_functions.typed_rows import TypedColumn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Columns = Sequence[TypedColumn]
Kind = Callable[["DataFrame", Columns], "DataFrame"]

KINDS: dict[str, Kind] = {}


def kind(make: Kind) -> Kind:
    """Adds a kind to the table, under the name of its function."""
    KINDS[make.__name__] = make
    return make


def row_type(columns: Columns) -> str:
    """The schema of rows of `id` and the columns."""
    return ", ".join(["id bigint", *(f"{c.name} {c.type}" for c in columns)])


def struct_type(columns: Columns) -> str:
    """The type of a struct of `id` and the columns."""
    return "struct<" + ",".join(["id:bigint", *(f"{c.name}:{c.type}" for c in columns)]) + ">"


def names(columns: Columns) -> list[str]:
    """The names of `id` and the columns."""
    return ["id", *(c.name for c in columns)]


def returned(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with texts as objects: PySpark cannot return them if they came in two batches."""
    texts = [name for name, dtype in rows.dtypes.items() if dtype == "str"]
    return rows.astype(dict.fromkeys(texts, object))


def each(columns: Columns, show: Any, same: Callable[[TypedColumn], Any]) -> list[Column]:
    """What a function sees of each column, and what is read of the value that it returns."""
    shows = [show(c.name).alias(f"seen_{c.name}") for c in columns]
    return [*shows, *(same(c)(c.name).alias(c.name) for c in columns)]


@kind
def pandas_scalar(frame: DataFrame, columns: Columns) -> DataFrame:
    """One column in, one column out."""

    def same(values: pd.Series) -> pd.Series:
        return values

    def show(values: pd.Series) -> pd.Series:
        return shown(values)

    shows = pandas_udf(show, "string")
    return frame.select("id", *each(columns, shows, lambda c: pandas_udf(same, c.type)))


@kind
def pandas_several_columns(frame: DataFrame, columns: Columns) -> DataFrame:
    """All columns in one call."""

    @pandas_udf("string")
    def show(*values: pd.Series) -> pd.Series:
        rows = zip(*map(shown, values), strict=True)
        return pd.Series(["|".join(row) for row in rows], dtype=object)

    return frame.select("id", show(*names(columns)).alias("seen"))


@kind
def pandas_struct(frame: DataFrame, columns: Columns) -> DataFrame:
    """A struct of all columns in and out, as DataFrames."""

    @pandas_udf(struct_type(columns))
    def same(rows: pd.DataFrame) -> pd.DataFrame:
        return rows

    @pandas_udf("string")
    def show(rows: pd.DataFrame) -> pd.Series:
        return shown(rows)

    rows = f.struct(*names(columns))
    return frame.select("id", show(rows).alias("seen"), same(rows).alias("same"))


@kind
def pandas_iterator(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over the batches of a struct: Spark calls each iterator function by itself."""

    @pandas_udf(struct_type(columns))
    def same(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    @pandas_udf("string")
    def show(batches: Iterator[pd.DataFrame]) -> Iterator[pd.Series]:
        for number, batch in enumerate(batches):
            yield f"{number} {len(batch)} " + shown(batch)

    rows = f.struct(*names(columns))
    return frame.select("id", show(rows).alias("seen"), same(rows).alias("same"))


@kind
def pandas_iterator_of_columns(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over batches of all columns."""

    @pandas_udf("string")
    def show(batches: Iterator[tuple[pd.Series, ...]]) -> Iterator[pd.Series]:
        for batch in batches:
            rows = zip(*map(shown, batch), strict=True)
            yield pd.Series(["|".join(row) for row in rows], dtype=object)

    return frame.select("id", show(*names(columns)).alias("seen"))


@kind
def pandas_aggregate(frame: DataFrame, columns: Columns) -> DataFrame:
    """A value of each group, and of all rows."""

    def first(values: pd.Series) -> Any:
        found = values.dropna()
        return found.iloc[0] if len(found) else None

    def show(values: pd.Series) -> str:
        return whole(values)

    shows = pandas_udf(show, "string")
    returned = [c for c in columns if not (c.is_struct or c.has_maps)]
    firsts = [pandas_udf(first, c.type)(c.name).alias(c.name) for c in returned]
    seen = [shows(c.name).alias(f"seen_{c.name}") for c in columns]
    return frame.groupBy("k").agg(*firsts, *seen)


@kind
def pandas_window(frame: DataFrame, columns: Columns) -> DataFrame:
    """A value of the whole partition, and of a frame of rows, for each row."""
    from pyspark.sql.window import Window

    def show(values: pd.Series) -> str:
        return whole(values)

    shows = pandas_udf(show, "string")
    everything = Window.partitionBy("k")
    rows = everything.orderBy("id").rowsBetween(-1, 1)
    seen = [shows(c.name).over(everything).alias(f"all_{c.name}") for c in columns]
    near = [shows(c.name).over(rows).alias(f"near_{c.name}") for c in columns]
    return frame.select("id", *seen, *near)


@kind
def map_in_pandas(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over DataFrames."""

    def function(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch.assign(seen=shown(batch))

    chosen = frame.select(*names(columns))
    return chosen.mapInPandas(function, f"{row_type(columns)}, seen string")


@kind
def map_in_arrow(frame: DataFrame, columns: Columns) -> DataFrame:
    """An iterator over record batches."""

    def function(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            seen = pa.array([table_shown(batch)] * batch.num_rows, pa.string())
            yield batch.append_column("seen", seen)

    chosen = frame.select(*names(columns))
    return chosen.mapInArrow(function, f"{row_type(columns)}, seen string")


def _grouped(frame: DataFrame, columns: Columns) -> Any:
    return frame.select("k", *names(columns)).groupBy("k")


@kind
def apply_in_pandas(frame: DataFrame, columns: Columns) -> DataFrame:
    """A DataFrame of each group."""

    def function(rows: pd.DataFrame) -> pd.DataFrame:
        return returned(rows).assign(seen=whole(rows))

    schema = f"k int, {row_type(columns)}, seen string"
    return _grouped(frame, columns).applyInPandas(function, schema)


@kind
def apply_in_pandas_with_key(frame: DataFrame, columns: Columns) -> DataFrame:
    """The key and a DataFrame of each group."""

    def function(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        return returned(rows).assign(seen=f"{key!r} {whole(rows)}")

    schema = f"k int, {row_type(columns)}, seen string"
    return _grouped(frame, columns).applyInPandas(function, schema)


@kind
def apply_in_arrow(frame: DataFrame, columns: Columns) -> DataFrame:
    """A table of each group."""

    def function(rows: pa.Table) -> pa.Table:
        return rows.append_column("seen", pa.array([table_shown(rows)] * len(rows), pa.string()))

    schema = f"k int, {row_type(columns)}, seen string"
    return _grouped(frame, columns).applyInArrow(function, schema)


@kind
def apply_in_arrow_with_key(frame: DataFrame, columns: Columns) -> DataFrame:
    """The key and a table of each group."""

    def function(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        text = f"{key!r} {table_shown(rows)}"
        return rows.append_column("seen", pa.array([text] * len(rows), pa.string()))

    schema = f"k int, {row_type(columns)}, seen string"
    return _grouped(frame, columns).applyInArrow(function, schema)


CRASHING = ("matrix",)
"""Columns whose empty tables end the process in PySpark's own conversion to pandas."""


def _cogrouped(frame: DataFrame, columns: Columns) -> Any:
    other = frame.where("id % 3 > 0").selectExpr("k + 1 as k", *names(columns))
    return _grouped(frame, columns).cogroup(other.groupBy("k"))


@kind
def cogroup_in_pandas(frame: DataFrame, columns: Columns) -> DataFrame:
    """The DataFrames of both sides with equal keys."""
    columns = [column for column in columns if column.name not in CRASHING]

    def function(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        both = pd.concat([left, right]) if len(left) and len(right) else left
        return returned(both).assign(seen=f"{whole(left)} {whole(right)}")

    schema = f"k int, {row_type(columns)}, seen string"
    return _cogrouped(frame, columns).applyInPandas(function, schema)


@kind
def cogroup_in_pandas_with_key(frame: DataFrame, columns: Columns) -> DataFrame:
    """The key, and the DataFrames of both sides."""
    columns = [column for column in columns if column.name not in CRASHING]

    def function(key: tuple[Any, ...], left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"seen": [f"{key!r} {whole(left)} {whole(right)}"]})

    return _cogrouped(frame, columns).applyInPandas(function, "seen string")


@kind
def cogroup_in_arrow(frame: DataFrame, columns: Columns) -> DataFrame:
    """The tables of both sides with equal keys."""

    def function(left: pa.Table, right: pa.Table) -> pa.Table:
        both = pa.concat_tables([left, right])
        text = f"{table_shown(left)} {table_shown(right)}"
        return both.append_column("seen", pa.array([text] * len(both), pa.string()))

    schema = f"k int, {row_type(columns)}, seen string"
    return _cogrouped(frame, columns).applyInArrow(function, schema)


@kind
def cogroup_in_arrow_with_key(frame: DataFrame, columns: Columns) -> DataFrame:
    """The key, and the tables of both sides."""

    def function(key: tuple[pa.Scalar, ...], left: pa.Table, right: pa.Table) -> pa.Table:
        text = f"{key!r} {table_shown(left)} {table_shown(right)}"
        return pa.table({"seen": [text]})

    return _cogrouped(frame, columns).applyInArrow(function, "seen string")


@kind
def arrow_optimized_udf(frame: DataFrame, columns: Columns) -> DataFrame:
    """A function of single values whose columns are sent as Arrow."""

    def same(value: Any) -> Any:
        return value

    def show(value: Any) -> str:
        return f"{type(value).__name__} {value!r}"

    shows = f.udf(show, "string", useArrow=True)
    return frame.select("id", *each(columns, shows, lambda c: f.udf(same, c.type, useArrow=True)))
