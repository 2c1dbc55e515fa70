"""Values that functions return in another type than the declared one, as Spark converts them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as f
from pyspark.sql.functions import pandas_udf, udf

from python_functions.case_tables import CaseTable, as_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

returns = CaseTable(at_once=8)

SERIES: dict[str, tuple[str, Callable[[pd.Series], pd.Series]]] = {
    "integers_as_double": ("double", lambda s: s),
    "doubles_as_integers": ("int", lambda s: s + 0.0),
    "longs_as_tinyint": ("tinyint", lambda s: s % 100),
    "booleans": ("boolean", lambda s: s > 5),
    "numpy_array": ("long", lambda s: pd.Series(np.arange(len(s)))),
    "nullable_integers": ("long", lambda s: s.astype("Int64").where(s > 5)),
    "nan_as_null": ("double", lambda s: s.where(s > 5)),
    "nan_in_integers": ("int", lambda s: s.where(s > 5)),
    "none": ("string", lambda s: pd.Series([None] * len(s))),
    "texts": ("string", lambda s: s.astype(str)),
    "categories": ("string", lambda s: s.astype(str).astype("category")),
    "decimals": ("decimal(10,3)", lambda s: pd.Series([Decimal(int(v)) for v in s])),
    "wide_decimals": ("decimal(38,18)", lambda s: pd.Series([Decimal("0.1") * v for v in s])),
    "dates": ("date", lambda s: pd.Series([date(2020, 1, 1 + v % 28) for v in s])),
    "moments_as_dates": ("date", lambda s: pd.to_datetime(s, unit="D").dt.date),
    "moments": ("timestamp", lambda s: pd.to_datetime(s, unit="h")),
    "moments_with_zone": (
        "timestamp",
        lambda s: pd.to_datetime(s, unit="h").dt.tz_localize("Asia/Tokyo"),
    ),
    "local_moments": ("timestamp_ntz", lambda s: pd.to_datetime(s, unit="m")),
    "nanoseconds": ("timestamp", lambda s: pd.to_datetime(s * 1000, unit="ns")),
    "spans": ("interval day to second", lambda s: pd.to_timedelta(s, unit="s")),
    "bytes": ("binary", lambda s: pd.Series([bytes([v]) for v in s])),
    "lists": ("array<int>", lambda s: pd.Series([[v, None] for v in s])),
    "arrays": ("array<long>", lambda s: pd.Series([np.array([v, 1]) for v in s])),
    "tuples": ("array<string>", lambda s: pd.Series([("a", str(v)) for v in s])),
    "dictionaries": ("map<string,int>", lambda s: pd.Series([{"k": v} for v in s])),
    "other_index": ("long", lambda s: s.sort_values(ascending=False)),
}


def _series(returned: str, function: Callable[[pd.Series], pd.Series]) -> Any:
    def make(spark: SparkSession) -> DataFrame:
        def call(values: pd.Series) -> pd.Series:
            return function(values)

        found = spark.table("filled").select(pandas_udf(call, returned)("id").alias("r"))
        return as_text(found)

    return make


for _name, (_type, _function) in SERIES.items():
    returns.add(_name, _series(_type, _function))

VALUES: dict[str, tuple[str, Callable[[int], Any]]] = {
    "value_integer_as_string": ("string", lambda v: v),
    "value_none": ("int", lambda v: None if v % 2 else v),
    "value_tuple_as_struct": ("struct<a:int,b:string>", lambda v: (v, str(v))),
    "value_dictionary_as_struct": ("struct<a:int,b:string>", lambda v: {"a": v, "b": None}),
    "value_list": ("array<struct<a:int>>", lambda v: [(v,), (None,)]),
    "value_map": ("map<string,array<int>>", lambda v: {"k": [v]}),
    "value_datetime": ("timestamp", lambda v: datetime(2020, 1, 1, v % 24)),
    "value_decimal": ("decimal(10,2)", lambda v: Decimal(v) / 4),
}


def _value(returned: str, function: Callable[[int], Any]) -> Any:
    def make(spark: SparkSession) -> DataFrame:
        found = spark.table("filled").select(
            udf(function, returned, useArrow=True)("id").alias("r")
        )
        return as_text(found)

    return make


for _name, (_type, _function) in VALUES.items():
    returns.add(_name, _value(_type, _function))


@returns
def a_struct_with_columns_in_another_order(spark: SparkSession) -> DataFrame:
    """Columns are found by name."""

    @pandas_udf("struct<a:long,b:string>")
    def function(values: pd.Series) -> pd.DataFrame:
        return pd.DataFrame({"b": values.astype(str), "a": values})

    return as_text(spark.table("filled").select(function("id").alias("r")))


@returns
def an_aggregate_of_numpy(spark: SparkSession) -> DataFrame:
    """A value that is numpy's."""

    @pandas_udf("double")
    def middle(values: pd.Series) -> float:
        return np.median(values)

    return as_text(spark.table("filled").groupBy("k").agg(middle("id").alias("m")))


@returns
def an_aggregate_of_nothing(spark: SparkSession) -> DataFrame:
    """None of some groups."""

    @pandas_udf("array<long>")
    def few(values: pd.Series) -> Any:
        return None if len(values) > 5 else sorted(values)

    return as_text(spark.table("filled").groupBy("k").agg(few("id").alias("m")))


@returns
def rows_with_nulls(spark: SparkSession) -> DataFrame:
    """A map that returns nulls in each column."""

    def function(batches: Any) -> Any:
        for batch in batches:
            yield pd.DataFrame({"a": [None, 1], "b": ["x", None], "c": [pd.NaT, batch.day[0]]})

    rows = spark.table("filled").select("id", f.col("day"))
    return as_text(rows.mapInPandas(function, "a int, b string, c date"))
