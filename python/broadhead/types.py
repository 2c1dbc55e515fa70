"""Spark's data types and the physical form that each has in the engine.

The physical form is the same for both kernels:

============================  ====================================================================
Spark type                    physical data
============================  ====================================================================
boolean                       bool
byte, short, integer, long    int8, int16, int32, int64
float, double                 float32, float64
decimal(p, s)                 the *unscaled* integer: int64, or a 128-bit decimal of scale 0
string                        string (32-bit offsets)
binary                        binary
date                          date32 (days)
timestamp, timestamp_ntz      int64 (microseconds since the epoch, UTC)
year_month_interval           int32 (months)
day_time_interval             int64 (microseconds)
void                          boolean, all null
array, map, struct            Arrow's nested types, in the layout of `arrow_type`
============================  ====================================================================

Decimals of up to 18 digits are always int64. Above that, a kernel picks int64 where all values fit,
because that is several times faster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from broadhead.errors import Unsupported


@dataclass(frozen=True, slots=True)
class DataType:
    """A Spark data type without parameters; `name` is its name in the capabilities.

    The names of types with a collation begin with `collated_`: few functions support them.
    """

    name: str

    @property
    def is_integral(self) -> bool:
        """True for byte, short, integer and long."""
        return self.name in INTEGRAL_BITS

    @property
    def is_floating(self) -> bool:
        """True for float and double."""
        return self.name in {"float", "double"}

    @property
    def is_decimal(self) -> bool:
        """True for decimals."""
        return self.name == "decimal"

    @property
    def is_nested(self) -> bool:
        """True for array, map and struct."""
        return self.name in {"array", "map", "struct"}


@dataclass(frozen=True, slots=True)
class DecimalType(DataType):
    """Spark's decimal with `precision` digits, `scale` of them after the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class CollatedType(DataType):
    """Spark's string with a `collation` such as UNICODE_CI; stored like any string.

    `binary_equality`: whether strings are equal only if their bytes are.
    """

    collation: str
    binary_equality: bool


@dataclass(frozen=True, slots=True)
class IntervalType(DataType):
    """Spark's year-month or day-time interval, without its first field, which changes no value.

    `unit`: the months or microseconds of its last field; one microsecond for seconds, which have
    fractions.
    """

    unit: int

    @property
    def physical(self) -> DataType:
        """The integer type of the stored months or microseconds."""
        return INTEGER if self.name == "year_month_interval" else LONG


@dataclass(frozen=True, slots=True)
class ArrayType(DataType):
    """Spark's array."""

    element: DataType
    contains_null: bool


@dataclass(frozen=True, slots=True)
class MapType(DataType):
    """Spark's map."""

    key: DataType
    value: DataType
    value_contains_null: bool


@dataclass(frozen=True, slots=True)
class StructField:
    """One field of a struct."""

    name: str
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class StructType(DataType):
    """Spark's struct."""

    fields: tuple[StructField, ...]


BOOLEAN = DataType("boolean")
BYTE = DataType("byte")
SHORT = DataType("short")
INTEGER = DataType("integer")
LONG = DataType("long")
FLOAT = DataType("float")
DOUBLE = DataType("double")
STRING = DataType("string")
BINARY = DataType("binary")
DATE = DataType("date")
TIMESTAMP = DataType("timestamp")
TIMESTAMP_NTZ = DataType("timestamp_ntz")
YEAR_MONTH_INTERVAL = IntervalType("year_month_interval", 1)
DAY_TIME_INTERVAL = IntervalType("day_time_interval", 1)
VOID = DataType("void")

INTEGRAL_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
MAX_LONG_DIGITS = 18
MAX_PRECISION = 38

_SIMPLE = {
    t.name: t
    for t in (
        BOOLEAN,
        BYTE,
        SHORT,
        INTEGER,
        LONG,
        FLOAT,
        DOUBLE,
        STRING,
        BINARY,
        DATE,
        TIMESTAMP,
        TIMESTAMP_NTZ,
        VOID,
    )
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_INTERVAL = re.compile(r"interval (?:\w+ to )?(\w+)")
_BY_LAST_FIELD = {
    "year": IntervalType("year_month_interval", 12),
    "month": YEAR_MONTH_INTERVAL,
    "day": IntervalType("day_time_interval", 86_400_000_000),
    "hour": IntervalType("day_time_interval", 3_600_000_000),
    "minute": IntervalType("day_time_interval", 60_000_000),
    "second": DAY_TIME_INTERVAL,
}


def decimal(precision: int, scale: int) -> DecimalType:
    """The decimal type of these two parameters."""
    return DecimalType("decimal", precision, scale)


def parse_type(json: Any) -> DataType:
    """The type of Spark's JSON form (`DataType.jsonValue`); strings may be collated.

    Raises `Unsupported` for an unknown type.
    """
    if isinstance(json, str):
        if json in _SIMPLE:
            return _SIMPLE[json]
        if match := _DECIMAL.fullmatch(json):
            return decimal(int(match[1]), int(match[2]))
        if (match := _INTERVAL.fullmatch(json)) and match[1] in _BY_LAST_FIELD:
            return _BY_LAST_FIELD[match[1]]
    elif json["type"] == "string":
        return CollatedType("string", json["collation"], json["binaryEquality"])
    elif json["type"] == "array":
        return ArrayType("array", parse_type(json["elementType"]), json["containsNull"])
    elif json["type"] == "map":
        return MapType(
            "map",
            parse_type(json["keyType"]),
            parse_type(json["valueType"]),
            json["valueContainsNull"],
        )
    elif json["type"] == "struct":
        fields = (
            StructField(f["name"], parse_type(f["type"]), f["nullable"]) for f in json["fields"]
        )
        return StructType("struct", tuple(fields))
    raise Unsupported(f"type {json!r} is not known to this version of the engine")
