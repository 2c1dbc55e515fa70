"""CAST and TRY_CAST: the conversions between pairs of types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions import cast_datetime, cast_numeric, cast_parse, cast_text
from broadhead.functions.conversion import Conversion, Convert
from broadhead.functions.operands import arrays, nulls
from broadhead.functions.registry import (
    ANY,
    BINARY,
    BOOLEAN,
    COLLATED_STRING,
    DATE,
    DAY_TIME_INTERVAL,
    DECIMAL,
    FLOATING,
    INTEGRAL,
    NESTED,
    STRING,
    YEAR_MONTH_INTERVAL,
    function,
)
from broadhead.plan import known_functions
from broadhead.registry import Signature

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

TIMESTAMP = frozenset({"timestamp"})
TIMESTAMP_NTZ = frozenset({"timestamp_ntz"})
VOID = frozenset({"void"})
LONG = frozenset({"long"})
NARROW = INTEGRAL - LONG


def _same(c: Conversion, data: Array) -> Array:
    return data


CONVERSIONS: tuple[tuple[frozenset[str], frozenset[str], Convert], ...] = (
    (BOOLEAN, BOOLEAN, _same),
    (BOOLEAN, INTEGRAL | FLOATING, cast_numeric.to_wider),
    (BOOLEAN, DECIMAL, cast_numeric.boolean_to_decimal),
    (BOOLEAN, STRING, cast_text.boolean_to_string),
    (BOOLEAN, TIMESTAMP, cast_datetime.boolean_to_timestamp),
    (INTEGRAL, BOOLEAN, cast_numeric.number_to_boolean),
    (INTEGRAL, INTEGRAL, cast_numeric.integral_to_integral),
    (INTEGRAL, FLOATING, cast_numeric.to_wider),
    (INTEGRAL, DECIMAL, cast_numeric.integral_to_decimal),
    (INTEGRAL, STRING, cast_text.integral_to_string),
    (INTEGRAL, TIMESTAMP, cast_datetime.integral_to_timestamp),
    (FLOATING, BOOLEAN, cast_numeric.number_to_boolean),
    (FLOATING, INTEGRAL, cast_numeric.floating_to_integral),
    (FLOATING, FLOATING, cast_numeric.to_wider),
    (FLOATING, DECIMAL, cast_numeric.floating_to_decimal),
    (FLOATING, STRING, cast_text.floating_to_string),
    (FLOATING, TIMESTAMP, cast_datetime.floating_to_timestamp),
    (DECIMAL, BOOLEAN, cast_numeric.decimal_to_boolean),
    (DECIMAL, INTEGRAL, cast_numeric.decimal_to_integral),
    (DECIMAL, FLOATING, cast_numeric.decimal_to_floating),
    (DECIMAL, DECIMAL, cast_numeric.decimal_to_decimal),
    (DECIMAL, STRING, cast_text.decimal_to_string),
    (DECIMAL, TIMESTAMP, cast_datetime.decimal_to_timestamp),
    (STRING | COLLATED_STRING, STRING | COLLATED_STRING, _same),
    (STRING | COLLATED_STRING, BINARY, cast_parse.string_to_binary),
    (BINARY, BINARY, _same),
    (BINARY, STRING, cast_text.binary_to_string),
    (STRING | COLLATED_STRING, BOOLEAN, cast_parse.string_to_boolean),
    (STRING | COLLATED_STRING, INTEGRAL, cast_parse.string_to_integral),
    (STRING | COLLATED_STRING, FLOATING, cast_parse.string_to_floating),
    (STRING | COLLATED_STRING, DECIMAL, cast_parse.string_to_decimal),
    (STRING | COLLATED_STRING, DATE, cast_parse.string_to_date),
    (STRING | COLLATED_STRING, TIMESTAMP, cast_parse.string_to_timestamp),
    (STRING | COLLATED_STRING, TIMESTAMP_NTZ, cast_parse.string_to_local),
    (DATE, DATE, _same),
    (DATE, STRING, cast_text.date_to_string),
    (DATE, TIMESTAMP, cast_datetime.date_to_timestamp),
    (DATE, TIMESTAMP_NTZ, cast_datetime.date_to_local),
    (TIMESTAMP, BOOLEAN, cast_datetime.timestamp_to_boolean),
    (TIMESTAMP, LONG, cast_datetime.timestamp_to_integral),
    (TIMESTAMP, NARROW, cast_datetime.timestamp_to_integral),
    (TIMESTAMP, FLOATING, cast_datetime.timestamp_to_floating),
    (TIMESTAMP, DECIMAL, cast_datetime.timestamp_to_decimal),
    (TIMESTAMP, STRING, cast_text.timestamp_to_string),
    (TIMESTAMP, DATE, cast_datetime.timestamp_to_date),
    (TIMESTAMP, TIMESTAMP, _same),
    (TIMESTAMP, TIMESTAMP_NTZ, cast_datetime.timestamp_to_local),
    (TIMESTAMP_NTZ, STRING, cast_text.local_to_string),
    (TIMESTAMP_NTZ, DATE, cast_datetime.local_to_date),
    (TIMESTAMP_NTZ, TIMESTAMP, cast_datetime.local_to_timestamp),
    (TIMESTAMP_NTZ, TIMESTAMP_NTZ, _same),
    (YEAR_MONTH_INTERVAL, YEAR_MONTH_INTERVAL, cast_datetime.interval_to_interval),
    (DAY_TIME_INTERVAL, DAY_TIME_INTERVAL, cast_datetime.interval_to_interval),
)
"""Sources, targets, and the conversion from each source to each target."""

_BY_TYPES = {
    (source.removeprefix("collated_"), target.removeprefix("collated_")): convert
    for sources, targets, convert in CONVERSIONS
    for source in sources
    for target in targets
}


def _since(sources: frozenset[str], targets: frozenset[str]) -> str:
    """Spark 3.5 keeps the low bits of seconds, and has another limit of exponents in texts."""
    narrowed = (sources, targets) == (TIMESTAMP, NARROW)
    return "4.0" if narrowed or (sources >= STRING and targets == DECIMAL) else ""


@function(
    "cast",
    spark=known_functions.CAST,
    signatures=[
        *(
            Signature((sources,), targets, since=_since(sources, targets))
            for sources, targets, _ in CONVERSIONS
        ),
        Signature((VOID,), ANY | NESTED),
    ],
    fields={
        "dataType": "any",
        "timeZoneId": "any",
        "evalMode": ("ANSI", "LEGACY", "TRY"),
        "shortestDigits": (True, False),
    },
    raises=True,
    note="casts between strings and intervals stay with Spark; a GPU leaves floats to string, and "
    "from string what is not in a plain form, to the host",
    null_intolerant=True,
)
def cast(
    k: Kernels,
    operand: Column,
    *,
    returns: DataType,
    eval_mode: str,
    zone: Zone | None,
    shortest_digits: bool,
) -> Column:
    """The value converted to another type.

    >>> SELECT CAST(2.5 AS INT)
    2
    """
    (data,) = arrays(k, [operand])
    if operand.type.name == "void":
        return Column(nulls(k, returns, k.columns.length(data)), returns)
    conversion = Conversion(k, operand.type, returns, eval_mode, zone, shortest_digits)
    return Column(_BY_TYPES[operand.type.name, returns.name](conversion, data), returns)
