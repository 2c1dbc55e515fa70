"""Timestamps and seconds of texts in a pattern, and seconds of dates and timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, checked, literal, nulls
from broadhead.functions.parse_patterns import LOCAL_PATTERNS, PATTERNS, is_zoned, moments
from broadhead.functions.registry import DATE, STRING, TIMESTAMPS, function
from broadhead.functions.timestamps import LONG_RESULT, TIMESTAMP_ARGUMENT, ZONE
from broadhead.functions.zones import MICROSECONDS, midnight, to_utc
from broadhead.registry import Allowed, Signature
from broadhead.types import LONG, TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

NTZ = frozenset({"timestamp_ntz"})
FIELDS: Mapping[str, Allowed] = {**ZONE, "failOnError": (True, False), "legacy": (False,)}
NOTE = "patterns of dates and times in digits, such as `yyyy-MM-dd HH:mm:ss`, `M/d/yyyy`, "
NOTE += "`yyyyMMdd` and `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`"
SECONDS = (
    Signature((STRING, STRING), LONG_RESULT, literal=(1,), values={1: PATTERNS}),
    Signature((DATE | TIMESTAMPS, STRING), LONG_RESULT),
)


def _micros(k: Kernels, texts: Array, pattern: str, zone: Zone | None, *, raises: bool) -> Array:
    """UTC microseconds, or those of the local clock without a zone."""
    result = checked(k, moments(k, texts, pattern), "CANNOT_PARSE_TIMESTAMP", raises=raises)
    return result if zone is None or is_zoned(pattern) else to_utc(k, result, zone)


@function(
    "to_timestamp",
    spark="GetTimestamp",
    signatures=[
        Signature((STRING, STRING), TIMESTAMP_ARGUMENT, literal=(1,), values={1: PATTERNS}),
        Signature((STRING, STRING), NTZ, literal=(1,), values={1: LOCAL_PATTERNS}),
    ],
    fields={**FIELDS, "dataType": "any", "suggestedFuncOnFail": "any"},
    raises=True,
    note=NOTE,
)
def to_timestamp(
    k: Kernels,
    texts: Column,
    pattern: Column,
    *,
    zone: Zone,
    fail_on_error: bool,
    returns: DataType,
) -> Column:
    """The timestamp of a text in a pattern.

    >>> SELECT to_timestamp('14/02/2018 12:58', 'dd/MM/yyyy HH:mm')
    2018-02-14 12:58:00
    """
    data, _ = arrays(k, [texts, pattern])
    text = literal(k, pattern)
    if text is None:
        return Column(nulls(k, returns, k.columns.length(data)), returns)
    valid_zone = zone if returns == TIMESTAMP else None
    micros = _micros(k, data, text, valid_zone, raises=fail_on_error)
    return Column(k.cast.reinterpret(micros, returns), returns)


def _seconds(k: Kernels, operand: Column, pattern: Column, zone: Zone, *, raises: bool) -> Column:
    """Seconds since 1970 of a text, a date or a timestamp, rounded toward zero."""
    data, _ = arrays(k, [operand, pattern])
    if operand.type.name == "string":
        text = literal(k, pattern)
        if text is None:
            return Column(nulls(k, LONG, k.columns.length(data)), LONG)
        micros = _micros(k, data, text, zone, raises=raises)
    elif operand.type.name == "date":
        local = checked(k, k.datetime.from_date(data), "DATETIME_OVERFLOW", raises=True)
        micros = midnight(k, local, zone)
    else:
        micros = k.cast.reinterpret(data, LONG)
    return Column(Longs(k, micros).truncated(MICROSECONDS).data, LONG)


@function(
    "unix_timestamp",
    spark="UnixTimestamp",
    signatures=SECONDS,
    fields=FIELDS,
    raises=True,
    note=NOTE,
)
def unix_timestamp(
    k: Kernels, operand: Column, pattern: Column, *, zone: Zone, fail_on_error: bool
) -> Column:
    """Seconds since 1970-01-01 00:00:00 UTC of a text in a pattern, a date or a timestamp.

    >>> SELECT unix_timestamp('2016-04-08', 'yyyy-MM-dd') - unix_timestamp(DATE'2016-04-08')
    0
    """
    return _seconds(k, operand, pattern, zone, raises=fail_on_error)


@function(
    "to_unix_timestamp",
    spark="ToUnixTimestamp",
    signatures=SECONDS,
    fields=FIELDS,
    raises=True,
    note=NOTE,
)
def to_unix_timestamp(
    k: Kernels, operand: Column, pattern: Column, *, zone: Zone, fail_on_error: bool
) -> Column:
    """Seconds since 1970-01-01 00:00:00 UTC of a text in a pattern, a date or a timestamp.

    >>> SELECT to_unix_timestamp(TIMESTAMP'1970-01-01 00:01:00Z')
    60
    """
    return _seconds(k, operand, pattern, zone, raises=fail_on_error)
