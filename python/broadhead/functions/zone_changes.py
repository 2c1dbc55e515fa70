"""Timestamps moved from one time zone to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import STRING, function
from broadhead.functions.timestamps import TIMESTAMP_ARGUMENT, ZONE
from broadhead.functions.zones import to_local, to_utc
from broadhead.registry import Allowed, Signature
from broadhead.types import LONG, TIMESTAMP, TIMESTAMP_NTZ

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.kernels.interface import Kernels
    from broadhead.plan.nodes import Zone

TO_ZONE = (Signature((TIMESTAMP_ARGUMENT, STRING), TIMESTAMP_ARGUMENT, literal=(1,)),)
TWO_ZONES: Mapping[str, Allowed] = {"sourceZoneId": "any", "targetZoneId": "any"}
NTZ = frozenset({"timestamp_ntz"})
NOTE = "the time zone is a literal"


@function(
    "from_utc_timestamp", spark="FromUTCTimestamp", signatures=TO_ZONE, fields=ZONE, note=NOTE
)
def from_utc_timestamp(k: Kernels, timestamps: Column, name: Column, *, zone: Zone) -> Column:
    """The timestamp whose clock in UTC shows what clocks of the time zone show.

    >>> SELECT from_utc_timestamp(TIMESTAMP'2016-08-31 00:00:00', 'Asia/Seoul')
    2016-08-31 09:00:00
    """
    data, _ = arrays(k, [timestamps, name])
    micros = k.cast.reinterpret(data, LONG)
    return Column(k.cast.reinterpret(to_local(k, micros, zone), TIMESTAMP), TIMESTAMP)


@function("to_utc_timestamp", spark="ToUTCTimestamp", signatures=TO_ZONE, fields=ZONE, note=NOTE)
def to_utc_timestamp(k: Kernels, timestamps: Column, name: Column, *, zone: Zone) -> Column:
    """The timestamp at which clocks of the time zone show what its clock in UTC shows.

    >>> SELECT to_utc_timestamp(TIMESTAMP'2016-08-31 00:00:00', 'Asia/Seoul')
    2016-08-30 15:00:00
    """
    data, _ = arrays(k, [timestamps, name])
    micros = k.cast.reinterpret(data, LONG)
    return Column(k.cast.reinterpret(to_utc(k, micros, zone), TIMESTAMP), TIMESTAMP)


@function(
    "convert_timezone",
    spark="ConvertTimezone",
    signatures=[Signature((STRING, STRING, NTZ), NTZ, literal=(0, 1))],
    fields=TWO_ZONES,
    note="the time zones are literals",
)
def convert_timezone(
    k: Kernels,
    source: Column,
    target: Column,
    timestamps: Column,
    *,
    source_zone: Zone,
    target_zone: Zone,
) -> Column:
    """What the clocks of a time zone show when those of another show a timestamp.

    >>> SELECT convert_timezone('Europe/Brussels', 'UTC', TIMESTAMP_NTZ'2021-12-06 00:00:00')
    2021-12-05 23:00:00
    """
    _, _, data = arrays(k, [source, target, timestamps])
    utc = to_utc(k, k.cast.reinterpret(data, LONG), source_zone)
    local = to_local(k, utc, target_zone)
    return Column(k.cast.reinterpret(local, TIMESTAMP_NTZ), TIMESTAMP_NTZ)
