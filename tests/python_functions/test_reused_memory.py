"""A function may write into what it has returned: by then Spark has sent these rows on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame

from python_functions.contract import Contract, settings

MEMORY = np.empty(10_000)
"""Each worker has its own."""


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    from pyspark.cloudpickle import register_pickle_by_value

    # workers do not have the tests
    register_pickle_by_value(sys.modules[__name__])
    return Contract(tmp_path_factory.mktemp("reused_memory"))


def filled(values: np.ndarray) -> np.ndarray:
    """The values times 2, in the memory that all calls use."""
    MEMORY[: len(values)] = values * 2
    return MEMORY[: len(values)]


def pandas_iterator(t: DataFrame) -> DataFrame:
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def doubled(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for x in batches:
            yield pd.Series(filled(x.to_numpy()), copy=False)

    return t.select(doubled("x").alias("x"))


def map_in_arrow(t: DataFrame) -> DataFrame:
    def doubled(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"x": filled(batch.column("x").to_numpy())})

    return t.mapInArrow(doubled, "x double")


def map_in_pandas(t: DataFrame) -> DataFrame:
    def doubled(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame({"x": filled(batch.x.to_numpy())}, copy=False)

    return t.mapInPandas(doubled, "x double")


def groups_in_arrow(t: DataFrame) -> DataFrame:
    def doubled(rows: pa.Table) -> pa.Table:
        return pa.table({"x": filled(rows.column("x").to_numpy())})

    return t.groupBy("k").applyInArrow(doubled, "x double")


@pytest.mark.parametrize(
    "kind",
    [pandas_iterator, map_in_arrow, map_in_pandas, groups_in_arrow],
    ids=lambda kind: kind.__name__,
)
@pytest.mark.parametrize("kept", [False, True], ids=["as they come", "kept by a sort"])
def test_rows(contract: Contract, kind: Callable[[DataFrame], DataFrame], kept: bool) -> None:
    with settings(contract.session, spark__sql__execution__arrow__maxRecordsPerBatch="100"):
        contract.same_rows(lambda t: kind(t).orderBy("x") if kept else kind(t))
