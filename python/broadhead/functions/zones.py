"""Time zones: what turns UTC into local time and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.types import LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone

MICROSECONDS = 1_000_000
RULES_END = 13_569_465_600
"""2400-01-01 in UTC seconds. A zone whose transitions go on until then has yearly rules: later
timestamps are unknown."""
YEAR_SECONDS = 366 * 86_400


_tables: dict[tuple[str, Zone], tuple[Array, Array]] = {}


def _table(k: Kernels, zone: Zone) -> tuple[Array, Array]:
    """Transitions and offsets in microseconds as Arrays, made once a zone and device."""
    key = (k.device.name, zone)
    if key not in _tables:
        transitions, offsets = (
            k.columns.from_arrow(pa.array(np.array(seconds, np.int64) * MICROSECONDS), LONG)
            for seconds in (zone.transitions, zone.offsets)
        )
        _tables[key] = (transitions, offsets)
    return _tables[key]


def _refuse_unknown(k: Kernels, zone: Zone, timestamps: Array) -> None:
    """Raises where a timestamp lies beyond the last year whose transitions are known."""
    if zone.transitions[-1] > RULES_END - 2 * YEAR_SECONDS:
        last = k.columns.scalar((RULES_END - YEAR_SECONDS) * MICROSECONDS, LONG)
        if k.logic.any(k.compare.compare("less", last, timestamps)):
            raise EngineLimit("a timestamp lies after the year 2398 in a zone with summer time")


def to_local(k: Kernels, timestamps: Array, zone: Zone) -> Array:
    """UTC microseconds as microseconds of the local clock."""
    if zone.transitions:
        _refuse_unknown(k, zone, timestamps)
        return k.datetime.utc_to_local(timestamps, *_table(k, zone))
    if zone.offsets == (0,):
        return timestamps
    offset = k.columns.scalar(zone.offsets[0] * MICROSECONDS, LONG)
    return k.arithmetic.add(timestamps, offset)


def to_utc(k: Kernels, local: Array, zone: Zone) -> Array:
    """Microseconds of the local clock as UTC microseconds."""
    if zone.transitions:
        _refuse_unknown(k, zone, local)
        return k.datetime.local_to_utc(local, *_table(k, zone))
    if zone.offsets == (0,):
        return local
    offset = k.columns.scalar(zone.offsets[0] * MICROSECONDS, LONG)
    return k.arithmetic.subtract(local, offset)


def floor_divide(k: Kernels, values: Array, divisor: int) -> Array:
    """Quotient of longs, rounded down, by a positive number."""
    by = k.columns.scalar(divisor, LONG)
    quotient = k.arithmetic.quotient(values, by)
    below = k.compare.compare("less", k.arithmetic.remainder(values, by), k.columns.scalar(0, LONG))
    return k.arithmetic.subtract(quotient, k.cast.widen(below, LONG))


def floor_to(k: Kernels, values: Array, unit: int) -> Array:
    """Longs rounded down to a multiple of a positive number; wraps around at the least long."""
    return k.arithmetic.multiply(floor_divide(k, values, unit), k.columns.scalar(unit, LONG))
