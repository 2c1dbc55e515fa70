"""Rows with a column of each type that Spark sends to Python functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 24
NAN, INFINITY = float("nan"), float("inf")


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column: its type as DDL, values without any null, and values with nulls inside."""

    name: str
    type: str
    values: tuple[Any, ...]
    with_nulls: tuple[Any, ...] = ()

    @property
    def is_struct(self) -> bool:
        """Whether functions get it as a pandas DataFrame."""
        return self.type.startswith("struct")

    @property
    def is_nested(self) -> bool:
        """Whether its values have elements or fields."""
        return self.type.startswith(("struct", "array", "map"))

    @property
    def has_maps(self) -> bool:
        """Whether Spark cannot group by it."""
        return "map<" in self.type


MOMENTS = (
    datetime(1970, 1, 1),
    datetime(2024, 2, 29, 23, 59, 59, 999999),
    # These exist twice and not at all in New York.
    datetime(2023, 11, 5, 1, 30),
    datetime(2023, 3, 12, 2, 30),
    datetime(1901, 5, 6, 7, 8, 9, 10),
)

ATOMIC = (
    TypedColumn("flag", "boolean", (True, False, True)),
    TypedColumn("tiny", "tinyint", (0, 1, -128, 127)),
    TypedColumn("small", "smallint", (0, -32768, 32767)),
    TypedColumn("number", "int", (0, -(2**31), 2**31 - 1, 7, 8)),
    TypedColumn("big", "bigint", (0, 2**52, -(2**52), 42)),
    TypedColumn("single", "float", (0.0, -0.0, NAN, INFINITY, -INFINITY, 1.5)),
    TypedColumn("real", "double", (0.0, -0.0, NAN, INFINITY, -INFINITY, 0.1, 5e-324)),
    TypedColumn("price", "decimal(9,2)", (Decimal("0.00"), Decimal("-1234567.89"))),
    TypedColumn("rate", "decimal(18,4)", (Decimal("1.5000"), Decimal("-99999999999999.9999"))),
    TypedColumn("vast", "decimal(38,10)", (Decimal("1." + "0" * 10), Decimal(10**27 - 1) / 1)),
    TypedColumn("text", "string", ("", "a", "größe", "\U0001f600 x\0y", "A" * 40)),
    TypedColumn("bytes", "binary", (b"", b"\0\xff", b"abc")),
    TypedColumn("day", "date", (date(1970, 1, 1), date(1600, 2, 29), date(9999, 12, 31))),
    TypedColumn("moment", "timestamp", MOMENTS),
    TypedColumn("local", "timestamp_ntz", MOMENTS),
    TypedColumn(
        "span", "interval day to second", (timedelta(0), timedelta(-3, 1, 2), timedelta(400, 5))
    ),
)

NESTED = (
    TypedColumn("numbers", "array<int>", ([], [1], [3, 2, 1]), ([None], [1, None])),
    TypedColumn("reals", "array<double>", ([], [NAN, -0.0, 1.5]), ([None, 2.0],)),
    TypedColumn("words", "array<string>", ([], ["", "b"]), (["a", None],)),
    TypedColumn("blobs", "array<binary>", ([], [b"", b"\1"]), ([None],)),
    TypedColumn("prices", "array<decimal(20,3)>", ([], [Decimal("1.250")]), ([None],)),
    TypedColumn("days", "array<date>", ([], [date(2020, 2, 29)]), ([None],)),
    TypedColumn("moments", "array<timestamp>", ([], list(MOMENTS)), ([None, MOMENTS[2]],)),
    TypedColumn("locals", "array<timestamp_ntz>", ([], list(MOMENTS)), ([None],)),
    TypedColumn("matrix", "array<array<int>>", ([], [[1, 2], []], [[3]]), ([None], [[None]])),
    TypedColumn("counts", "map<string,int>", ({}, {"a": 1, "b": 2}), ({"a": None},)),
    TypedColumn("times", "map<int,timestamp>", ({}, {1: MOMENTS[1]}), ({2: None},)),
    TypedColumn("lists", "map<string,array<int>>", ({}, {"a": [1]}), ({"a": [None], "b": None},)),
    TypedColumn("pair", "struct<a:int,b:string>", ((1, "x"), (2, "")), ((None, "y"), (3, None))),
    TypedColumn(
        "record",
        "struct<m:timestamp,d:decimal(38,2),n:struct<i:bigint,w:array<string>>>",
        ((MOMENTS[0], Decimal("1.50"), (1, ["p"])), (MOMENTS[2], Decimal("-0.01"), (2, []))),
        ((None, None, None), (MOMENTS[1], None, (None, [None]))),
    ),
    TypedColumn(
        "pairs", "array<struct<a:int,b:string>>", ([], [(1, "x"), (2, "y")]), ([None, (None, "z")],)
    ),
    TypedColumn("named", "map<string,struct<a:int>>", ({}, {"k": (1,)}), ({"k": (None,)},)),
)

COLUMNS = (*ATOMIC, *NESTED)


def typed_rows(spark: SparkSession, columns: Iterable[TypedColumn], *, nulls: bool) -> DataFrame:
    """The rows: `id`, a key `k`, and the columns.

    Keys are never null: within a group Spark orders the rows as they come only without null keys.
    """
    columns = list(columns)
    schema = ", ".join(["id bigint", "k int", *(f"{c.name} {c.type}" for c in columns)])
    rows = [
        (number, number * number % 5, *(_value(c, number, nulls=nulls) for c in columns))
        for number in range(ROWS)
    ]
    return spark.createDataFrame(rows, schema).coalesce(1)


def _value(column: TypedColumn, number: int, *, nulls: bool) -> Any:
    offset = len(column.name) + number
    if not nulls:
        return column.values[offset % len(column.values)]
    if offset % 4 == 1:
        return None
    values = column.values + column.with_nulls
    return values[offset % len(values)]
