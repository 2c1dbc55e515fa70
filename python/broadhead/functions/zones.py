"""Time zones: conversion between UTC and local time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.kernels.interface.physical import Data
    from broadhead.plan.nodes import Zone

MICROSECONDS = 1_000_000
DAY_SECONDS = 86_400
RULES_END = 16_725_225_600
"""2500-01-01 in UTC seconds. A zone with transitions until then has yearly rules."""
YEAR_SECONDS = 366 * DAY_SECONDS
CYCLE = 146_097 * DAY_SECONDS * MICROSECONDS
"""400 years: the period of the calendar, with weekdays, and so of yearly rules."""
LAST_KNOWN = (RULES_END - YEAR_SECONDS) * MICROSECONDS
FARTHEST = 2**63 - 2 * YEAR_SECONDS * MICROSECONDS
"""From timestamps up to here, before and after 1970, no offset or start of a year overflows."""


MOST_TABLES = 1024
"""More than there are zones, of a few kilobytes each."""

_tables: OrderedDict[tuple[str, Zone], tuple[Array, Array]] = OrderedDict()
_lock = threading.Lock()


def _table(k: Kernels, zone: Zone) -> tuple[Array, Array]:
    """Transitions and offsets in microseconds as Arrays, made once a zone and device."""
    key = (k.device.name, zone)
    with _lock:
        if key not in _tables:
            transitions, offsets = (
                k.columns.from_arrow(pa.array(np.array(seconds, np.int64) * MICROSECONDS), LONG)
                for seconds in (zone.transitions, zone.offsets)
            )
            # other threads use the columns on their own streams
            k.device.synchronize()
            _tables[key] = (transitions, offsets)
            if len(_tables) > MOST_TABLES:
                _tables.popitem(last=False)
        _tables.move_to_end(key)
        return _tables[key]


def _cycles(k: Kernels, zone: Zone, timestamps: Array) -> Array | None:
    """The microseconds to subtract from timestamps beyond the known transitions, 0 for others.

    None if there are no such timestamps. Whole cycles: the yearly rules must have begun before the
    year after the subtraction, and those of all zones have by the year 2098.
    """
    if zone.transitions[-1] <= RULES_END - 2 * YEAR_SECONDS:
        return None
    last = k.columns.scalar(LAST_KNOWN, LONG)
    beyond = k.compare.compare("less", last, timestamps)
    if not k.logic.any(beyond):
        return None
    inside = k.columns.full(last, k.columns.length(timestamps))
    over = k.arithmetic.subtract(k.logic.if_else(k.logic.is_true(beyond), timestamps, inside), last)
    reached = k.arithmetic.add(over, k.columns.scalar(CYCLE - 1, LONG))
    return floor_to(k, reached, CYCLE)


def to_local(k: Kernels, timestamps: Array, zone: Zone) -> Array:
    """UTC microseconds as microseconds of the local clock."""
    return _shifted(k, timestamps, zone, k.datetime.utc_to_local, k.arithmetic.add)


def to_utc(k: Kernels, local: Array, zone: Zone) -> Array:
    """Microseconds of the local clock as UTC microseconds."""
    return _shifted(k, local, zone, k.datetime.local_to_utc, k.arithmetic.subtract)


def midnight(k: Kernels, local: Array, zone: Zone) -> Array:
    """UTC microseconds of the start of days, given by their midnight on the local clock.

    As java.time.LocalDate.atStartOfDay: where the clock skips midnight, the day starts after that.
    """
    result = to_utc(k, local, zone)
    for skipped, start in _skipped_midnights(zone):
        equal = k.compare.compare("equal", local, k.columns.scalar(skipped, LONG))
        at = k.columns.scalar(start, LONG)
        result = k.logic.if_else(k.logic.is_true(equal), at, result)
    return result


@cache
def _skipped_midnights(zone: Zone) -> tuple[tuple[int, int], ...]:
    """Midnights that the clock skips after their evening: on the local clock, and in UTC.

    A gap that starts at midnight is none of them: its length moves the clock to its end.
    """
    found = []
    for number, transition in enumerate(zone.transitions):
        before, after = (transition + zone.offsets[number + step] for step in (0, 1))
        skipped = -(-before // DAY_SECONDS) * DAY_SECONDS
        if before < skipped < after:
            found.append((skipped * MICROSECONDS, transition * MICROSECONDS))
    return tuple(found)


def at_local(k: Kernels, timestamps: Array, local: Array, moved: Array, zone: Zone) -> Array:
    """UTC microseconds of the local clock `moved` from what it shows at the timestamps.

    As Java's ZonedDateTime: the offset from UTC stays the same where it is valid there.
    """
    if not zone.transitions:
        return to_utc(k, moved, zone)
    same_offset = k.arithmetic.add(timestamps, k.arithmetic.subtract(moved, local))
    kept = k.compare.compare("equal", to_local(k, same_offset, zone), moved)
    return k.logic.if_else(kept, same_offset, to_utc(k, moved, zone))


def _shifted(
    k: Kernels,
    clock: Array,
    zone: Zone,
    shift: Callable[[Array, Array, Array], Array],
    shift_by: Callable[[Data, Data], Array],
) -> Array:
    """Microseconds of one clock as those of the other.

    `shift` does so by the transitions and offsets of a zone, `shift_by` by a single offset.
    Raises EngineLimit for timestamps where Spark's own steps overflow, each in a way of its own.
    """
    first, last = (k.columns.scalar(end, LONG) for end in (-FARTHEST, FARTHEST))
    after, before = (k.compare.compare("less", *pair) for pair in ((last, clock), (clock, first)))
    if k.logic.any(k.logic.or_(after, before)):
        raise EngineLimit("a timestamp lies within two years of the first or last that there is")
    if zone.transitions:
        cycles = _cycles(k, zone, clock)
        if cycles is None:
            return shift(clock, *_table(k, zone))
        earlier = k.arithmetic.subtract(clock, cycles)
        return k.arithmetic.add(shift(earlier, *_table(k, zone)), cycles)
    if zone.offsets == (0,):
        return clock
    return shift_by(clock, k.columns.scalar(zone.offsets[0] * MICROSECONDS, LONG))


def floor_divide(k: Kernels, values: Array, divisor: int) -> Array:
    """Quotient of longs, rounded down, by a positive number."""
    by = k.columns.scalar(divisor, LONG)
    quotient = k.arithmetic.quotient(values, by)
    below = k.compare.compare("less", k.arithmetic.remainder(values, by), k.columns.scalar(0, LONG))
    return k.arithmetic.subtract(quotient, k.cast.widen(below, LONG))


def floor_to(k: Kernels, values: Array, unit: int) -> Array:
    """Longs rounded down to a multiple of a positive number; wraps around at the least long."""
    return k.arithmetic.multiply(floor_divide(k, values, unit), k.columns.scalar(unit, LONG))
