"""The batches that functions see, and what they make of an iterator over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
from pyspark.sql.functions import arrow_udf, pandas_udf

from python_functions.case_tables import CaseTable, as_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

batches = CaseTable(at_once=8)


def rows(spark: SparkSession) -> DataFrame:
    """A few columns."""
    return spark.table("filled").select("id", "text")


@batches
def sizes_in_pandas(spark: SparkSession) -> DataFrame:
    """The size of each batch of a map."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        sizes = [(len(batch), list(batch.index)) for batch in found]
        yield pd.DataFrame({"seen": [str(sizes)]})

    return rows(spark).mapInPandas(function, "seen string")


@batches
def sizes_in_arrow(spark: SparkSession) -> DataFrame:
    """The size of each record batch."""

    def function(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sizes = [batch.num_rows for batch in found]
        yield pa.RecordBatch.from_pydict({"seen": [str(sizes)]})

    return rows(spark).mapInArrow(function, "seen string")


@batches
def extension_types(spark: SparkSession) -> DataFrame:
    """Arrow's extension types, of which Spark reads the storage, in all places."""

    def function(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        class Marked(pa.ExtensionType):
            def __init__(self) -> None:
                super().__init__(pa.int64(), "marked")

            def __arrow_ext_serialize__(self) -> bytes:
                return b""

            @classmethod
            def __arrow_ext_deserialize__(cls, _storage: pa.DataType, _written: bytes) -> Marked:
                return cls()

        for batch in found:
            ends = range(batch.num_rows + 1)
            marked = pa.ExtensionArray.from_storage(Marked(), batch.column("id"))
            struct = pa.StructArray.from_arrays([marked], ["x"])
            items = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), marked)
            yield pa.RecordBatch.from_arrays([marked, struct, items], ["a", "s", "l"])

    return as_text(rows(spark).mapInArrow(function, "a long, s struct<x: long>, l array<long>"))


@batches
def sizes_after_a_filter(spark: SparkSession) -> DataFrame:
    """Batches have as many rows whatever is filtered below."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        sizes = [len(batch) for batch in found]
        yield pd.DataFrame({"seen": [str(sizes)]})

    return rows(spark).where("id % 5 > 0").mapInPandas(function, "seen string")


@batches
def sizes_of_series(spark: SparkSession) -> DataFrame:
    """The sizes of the batches that a function and an iterator function get."""

    @pandas_udf("string")
    def one(values: pd.Series) -> pd.Series:
        return pd.Series([f"{len(values)} {list(values.index)}"] * len(values))

    return rows(spark).select(one("id"))


@batches
def sizes_of_arrays(spark: SparkSession) -> DataFrame:
    """The sizes of Arrow arrays."""

    @arrow_udf("string")
    def one(values: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for number, value in enumerate(values):
            yield pa.array([f"{number} {len(value)}"] * len(value))

    return rows(spark).select(one("id"))


@batches
def no_batch_is_read(spark: SparkSession) -> DataFrame:
    """The function returns rows before it asks for any."""

    def function(_found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"seen": ["alone"]})

    return rows(spark).mapInPandas(function, "seen string")


@batches
def only_one_batch_is_read(spark: SparkSession) -> DataFrame:
    """The rest of the input is dropped."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"seen": [str(list(next(found).id))]})

    return rows(spark).mapInPandas(function, "seen string")


@batches
def nothing_is_returned(spark: SparkSession) -> DataFrame:
    """Neither rows nor batches."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for _batch in found:
            yield from ()

    return rows(spark).mapInPandas(function, "seen string")


@batches
def empty_batches_are_returned(spark: SparkSession) -> DataFrame:
    """Some with columns, some without."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in found:
            yield batch[batch.id < 0][["text"]].rename(columns={"text": "seen"})
            yield pd.DataFrame()
            yield pd.DataFrame({"seen": batch.text.astype(object)})

    return rows(spark).mapInPandas(function, "seen string")


@batches
def more_rows_than_came(spark: SparkSession) -> DataFrame:
    """A batch of any length."""

    def function(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in found:
            texts = [str(i) for i in range(batch.num_rows * 9)]
            yield pa.RecordBatch.from_pydict({"seen": texts})

    return rows(spark).mapInArrow(function, "seen string")


@batches
def reads_ahead(spark: SparkSession) -> DataFrame:
    """An iterator function that reads all batches before it returns the first."""

    @pandas_udf("string")
    def function(values: Iterator[pd.Series]) -> Iterator[pd.Series]:
        kept = list(values)
        for value in kept:
            yield pd.Series([f"{len(kept)} {v}" for v in value])

    return rows(spark).select(function("id"))


@batches
def state_between_batches(spark: SparkSession) -> DataFrame:
    """A running number over the batches of a task."""

    @pandas_udf("string")
    def function(values: Iterator[pd.Series]) -> Iterator[pd.Series]:
        start = 0
        for value in values:
            yield pd.Series([f"{start + i} {v}" for i, v in enumerate(value)])
            start += len(value)

    return rows(spark).select(function("id"))


@batches
def other_sizes_are_returned(spark: SparkSession) -> DataFrame:
    """An iterator function may return its rows in other batches than it got."""

    @pandas_udf("string")
    def function(values: Iterator[pd.Series]) -> Iterator[pd.Series]:
        everything = pd.concat(list(values))
        for start in range(0, len(everything), 5):
            yield everything[start : start + 5].astype(str).astype(object)

    return rows(spark).select(function("id"))


@batches
def several_partitions(spark: SparkSession) -> DataFrame:
    """Tasks with rows and tasks without."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        sizes = [len(batch) for batch in found]
        yield pd.DataFrame({"seen": [str(sizes)]})

    return rows(spark).repartition(4, "id").mapInPandas(function, "seen string")


@batches
def rows_of_the_driver(spark: SparkSession) -> DataFrame:
    """A source without files."""

    def function(found: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        sizes = [(len(batch), str(batch.dtypes.to_dict())) for batch in found]
        yield pd.DataFrame({"seen": [str(sizes)]})

    return (
        spark.range(0, 40, 1, 3)
        .selectExpr("id", "id * 0.5D AS x")
        .mapInPandas(function, "seen string")
    )


def never_null(spark: SparkSession) -> DataFrame:
    """Columns and fields that are never null."""
    return spark.table("filled").selectExpr(
        "coalesce(id, 0L) AS id", "named_struct('x', coalesce(k, 0), 'y', text) AS s"
    )


@batches
def columns_that_are_never_null(spark: SparkSession) -> DataFrame:
    """Functions over Arrow see which columns and fields are never null."""

    def function(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schemas = {str(batch.schema) for batch in found}
        yield pa.RecordBatch.from_pydict({"seen": sorted(schemas)})

    return never_null(spark).mapInArrow(function, "seen string")


@batches
def fields_that_are_never_null(spark: SparkSession) -> DataFrame:
    """The same for a function of columns."""

    @arrow_udf("string")
    def function(*values: pa.Array) -> pa.Array:
        return pa.array([str([str(v.type) for v in values])] * len(values[0]))

    return never_null(spark).select(function("id", "s"))
