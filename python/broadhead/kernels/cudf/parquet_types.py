"""Conversion of libcudf's Parquet types to the physical form of Spark's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator

from broadhead.errors import EngineLimit
from broadhead.kernels.cudf.physical import (
    DECIMAL128,
    INT32,
    INT64,
    LONG_MAX,
    NESTED,
    Column,
    binary,
    bounds,
    cast,
    compact,
    constant,
    device_type,
    relabel,
    test,
)
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNED = (TypeId.INT8, TypeId.INT16, TypeId.INT32, TypeId.INT64)
_UNSIGNED = (TypeId.UINT8, TypeId.UINT16, TypeId.UINT32)
_DECIMALS = frozenset({TypeId.DECIMAL32, TypeId.DECIMAL64, TypeId.DECIMAL128})

# The types that Spark's own reader accepts for each of its types, besides the type itself.
_ALSO_READ = {
    "byte": frozenset({TypeId.INT32}),
    "short": frozenset({TypeId.INT8, TypeId.UINT8, TypeId.INT32}),
    "integer": frozenset({TypeId.INT8, TypeId.INT16, TypeId.UINT8, TypeId.UINT16}),
    "long": frozenset({*_SIGNED, *_UNSIGNED, TypeId.TIMESTAMP_NANOSECONDS}),
    "double": frozenset({TypeId.FLOAT32, *_SIGNED[:3]}),
}
_MICROSECONDS_IN = {
    TypeId.TIMESTAMP_SECONDS: 1_000_000,
    TypeId.TIMESTAMP_MILLISECONDS: 1_000,
    TypeId.TIMESTAMP_MICROSECONDS: 1,
}


def from_parquet(data: Column, data_type: DataType) -> Column:
    """Physical data of a column that libcudf has read as `data`.

    Raises EngineLimit if the column of the file has another type than Spark's schema.
    """
    if data.type().id() in NESTED and data_type.is_nested:
        return data
    converted = _converter(data_type)(data, data_type)
    if converted is None:
        raise EngineLimit(
            f"a Parquet column of Spark type {data_type.name} is stored as {data.type().id().name}"
        )
    return converted


def _converter(data_type: DataType) -> Callable[[Column, DataType], Column | None]:
    if data_type.is_decimal:
        return _decimal
    if data_type.name in {"timestamp", "timestamp_ntz"}:
        return _timestamp
    return _plain


def _plain(data: Column, data_type: DataType) -> Column | None:
    if data_type.is_nested:
        return None
    target = device_type(data_type)
    kind = data.type().id()
    if kind == target.id():
        return data
    if kind not in _ALSO_READ.get(data_type.name, ()):
        return None
    return relabel(data, INT64) if kind == TypeId.TIMESTAMP_NANOSECONDS else cast(data, target)


def _timestamp(data: Column, data_type: DataType) -> Column | None:
    if data.type().id() == TypeId.TIMESTAMP_NANOSECONDS:
        return _rounded_down(relabel(data, INT64))
    factor = _MICROSECONDS_IN.get(data.type().id())
    if factor is None:
        return None
    ticks = relabel(data, INT64)
    if factor == 1:
        return ticks
    low, high = bounds(ticks)
    if max(-low, high) > LONG_MAX // factor:
        raise EngineLimit(f"a {data_type.name} value is outside the range of 64-bit microseconds")
    return binary(ticks, BinaryOperator.MUL, constant(factor, INT64), INT64)


def _rounded_down(nanoseconds: Column) -> Column:
    """Microseconds, rounded toward the past."""
    thousand = constant(1_000, INT64)
    micros = binary(nanoseconds, BinaryOperator.DIV, thousand, INT64)
    rest = binary(nanoseconds, BinaryOperator.MOD, thousand, INT64)
    before = test(rest, BinaryOperator.LESS, constant(0, INT64))
    return binary(micros, BinaryOperator.SUB, cast(before, INT64), INT64)


def _decimal(data: Column, data_type: DataType) -> Column | None:
    assert isinstance(data_type, DecimalType)
    kind = data.type().id()
    if kind == TypeId.UINT64 and data_type.scale == 0:
        return compact(cast(data, DECIMAL128))
    if kind in _SIGNED and data_type.scale == 0:
        return cast(data, INT64)
    if kind not in _DECIMALS or data.type().scale() != -data_type.scale:
        return None
    if kind == TypeId.DECIMAL32:
        return cast(relabel(data, INT32), INT64)
    if kind == TypeId.DECIMAL64:
        return relabel(data, INT64)
    wide = relabel(data, DECIMAL128)
    return cast(wide, INT64) if data_type.precision <= MAX_LONG_DIGITS else compact(wide)
