"""Nested types and values at random, and Spark's order of such values, value by value."""

from __future__ import annotations

import math
import random
from typing import Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DataType,
    DecimalType,
    StructField,
    StructType,
    decimal,
)
from kernels.physical import host

ATOMS: dict[DataType, list[Any]] = {
    BOOLEAN: [True, False],
    BYTE: [-128, -1, 0, 1, 127],
    SHORT: [-(2**15), -1, 0, 258, 2**15 - 1],
    INTEGER: [-(2**31), -1, 0, 1, 2**31 - 1],
    LONG: [-(2**63), -1, 0, 2**40, 2**63 - 1],
    FLOAT: [-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf, math.nan],
    DOUBLE: [-math.inf, -1.5, -0.0, 0.0, 5e-324, math.inf, math.nan],
    STRING: ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "ab", "\x01", "ä", "😀"],
    BINARY: [b"", b"\0", b"\0\xff", b"\x01", b"\x02", b"\xff", b"\xff\0"],
    DATE: [-1, 0, 20_000],
    TIMESTAMP: [-1, 0, 10**15],
    TIMESTAMP_NTZ: [-1, 0, 10**15],
    YEAR_MONTH_INTERVAL: [-(2**31), -1, 0, 2**31 - 1],
    DAY_TIME_INTERVAL: [-(2**63), -1, 0, 2**63 - 1],
    VOID: [None],
    decimal(9, 2): [-1, 0, 999_999_999],
    decimal(38, 6): [-(10**37), -(2**64), -1, 0, 2**63, 2**64, 10**37],
}


def struct(*types: DataType) -> StructType:
    return StructType(
        "struct", tuple(StructField(f"f{n}", type_, True) for n, type_ in enumerate(types))
    )


def array_of(element: DataType) -> ArrayType:
    return ArrayType("array", element, contains_null=True)


def some_type(chance: random.Random, depth: int) -> DataType:
    kind = chance.randrange(3) if depth else 2
    if kind == 0:
        return struct(*(some_type(chance, depth - 1) for _ in range(chance.randint(1, 3))))
    if kind == 1:
        return array_of(some_type(chance, depth - 1))
    return chance.choice(list(ATOMS))


def some_value(chance: random.Random, type_: DataType) -> Any:
    """A struct as a tuple, an array as a list; null one time in five."""
    if chance.random() < 0.2:
        return None
    if isinstance(type_, StructType):
        return tuple(some_value(chance, field.type) for field in type_.fields)
    if isinstance(type_, ArrayType):
        return [some_value(chance, type_.element) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    return chance.choice(ATOMS[type_])


def compared(left: Any, right: Any) -> int:
    """Below 0, 0 or above it, as Spark's ordering of two values says."""
    if left is None or right is None:
        return (left is not None) - (right is not None)
    if isinstance(left, list | tuple):
        for a, b in zip(left, right, strict=False):
            if found := compared(a, b):
                return found
        return len(left) - len(right)
    if isinstance(left, str):
        return compared(left.encode(), right.encode())
    if isinstance(left, float):
        left, right = (math.isnan(left), left), (math.isnan(right), right)
        if left[0] or right[0]:
            return left[0] - right[0]
    return (left > right) - (left < right)


def arrow(values: list[Any], type_: DataType) -> pa.Array:
    """The values in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    missing = pa.array([value is None for value in values], pa.bool_())
    if isinstance(type_, StructType):
        columns = [
            arrow([None if v is None else v[n] for v in values], field.type)
            for n, field in enumerate(type_.fields)
        ]
        return pa.StructArray.from_arrays(columns, fields=list(arrow_type(type_)), mask=missing)
    if isinstance(type_, ArrayType):
        lengths = [0 if value is None else len(value) for value in values]
        offsets = pa.array([sum(lengths[:row]) for row in range(len(values) + 1)], pa.int32())
        items = arrow([item for value in values for item in value or ()], type_.element)
        return pa.ListArray.from_arrays(offsets, items, type=arrow_type(type_), mask=missing)
    if isinstance(type_, DecimalType):
        return host(values, type_).cast(arrow_type(type_))
    return host(values, type_)


def made(k: Kernels, values: list[Any], type_: DataType) -> Any:
    """The values as physical data, in the middle of a longer column."""
    longer = k.columns.from_arrow(arrow([*values[:2], None, *values, *values[:1]], type_), type_)
    return k.columns.slice([longer], min(2, len(values)) + 1, len(values))[0]
